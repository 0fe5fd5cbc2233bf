"""Look one number ahead: of the nearly best cells, the one that leads to safe next moves."""

from collections.abc import Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from jaxsweep.engines import Exact
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import WORD, Bits
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize
from jaxsweep.strategies import win_probability
from jaxsweep.strategies.base import (
    AbstractStrategy,
    Advice,
    Candidate,
    Move,
    Reason,
    Rules,
)
from jaxsweep.strategies.fifty_fifty import FiftyFifties
from jaxsweep.strategies.least_risk import LOG_ERROR, LeastRisk
from jaxsweep.strategies.successors import CandidateArrays, Outcomes, look_ahead, show

SECOND = 0.4
"""The weight of the second safest cell after the number is seen."""

EQUAL = 1e-4
"""Scores that differ by less are equal."""


class Lookahead(AbstractStrategy):
    """Looks one number ahead before it guesses, and plays the end by search."""

    within: float = 0.85
    """CandidateArrays are at least so many times as good as the best cell."""
    most: int = 8
    """CandidateArrays at most, the best first, then those with the fewest covered neighbours."""
    endgame_layouts: int = 100
    """With so few layouts left, or fewer, the end is searched through."""
    tosses: bool = True
    """Whether pairs that may come to a toss are looked for."""

    @property
    def rules(self) -> Rules:
        """Rules of one number; and of two numbers, and of the mine count."""
        return Rules.PAIR

    @property
    def _plain(self) -> LeastRisk:
        return LeastRisk(endgame_layouts=self.endgame_layouts)

    def _many(
        self, log_layouts: Float[Array | np.ndarray, " batch"]
    ) -> Bool[Array | np.ndarray, " batch"]:
        """Whether so many layouts are left that it is not the end."""
        return log_layouts > np.float32(np.log(max(2, self.endgame_layouts)) + LOG_ERROR)

    def is_guess(self, answers: Beliefs) -> Bool[Array, " batch"]:
        """Where nothing is certain, and it is not the end."""
        certain, exact = jnp.any(answers.safe, axis=(0, 1)), answers.status == Status.EXACT
        return exact & ~certain & jnp.asarray(self._many(answers.log_layouts))

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]] | None:
        """All but endings, and what is beyond the engine on the device."""
        answers, prospects = look_ahead(
            positions, self.is_guess, two_safest, self.within, self.most, self.tosses
        )
        return self.conclude(positions, answers, prospects, keys)

    def conclude(
        self,
        positions: Position,
        answers: Beliefs,
        prospects: Outcomes,
        keys: Key[Array, " batch"],
    ) -> tuple[Move, Int[Array, " batch"]]:
        """The moves that a closer look leads to, and whether each is `READY`."""
        move, ready = self._plain.decide(positions, materialize(answers), keys)
        return _better(self.is_guess(answers), move, answers, prospects), ready

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """As on the device, with an engine that reaches farther, and the search for endings."""
        moves, beliefs = self._plain.guess_with_beliefs(positions, keys)
        moves, host = jax.device_get((moves, positions))
        for i in np.nonzero(self._looks_at(moves, beliefs))[0]:
            one, own = (
                jax.tree.map(lambda leaf, i=i: leaf[..., [i]], batch) for batch in (host, moves)
            )
            seen = self._look_closer(one, own, jax.tree.map(lambda x, i=i: x[[i]], beliefs))
            moves = jax.tree.map(partial(_put, entries=[int(i)]), moves, jax.device_get(seen.move))
        return jax.tree.map(jnp.asarray, moves)

    def advise(self, position: Position, key: Key[Array, ""]) -> Advice:
        """With the candidates, and the chance to win with each: exact in endings, else about."""
        batch = jax.tree.map(lambda leaf: leaf[..., None], position)
        moves, beliefs = self._plain.guess_with_beliefs(batch, key[None])
        if self._looks_at(moves, beliefs)[0]:
            seen = self._look_closer(batch, moves, beliefs)
            return Advice(jax.tree.map(lambda leaf: leaf[..., 0], seen.move), seen.options())
        return self._plain.advice(position, moves, beliefs)

    def _looks_at(self, moves: Move, beliefs: Beliefs) -> Bool[np.ndarray, " batch"]:
        """Where the plain player took the least risk, and one may do better."""
        plain = np.asarray(moves.reason) == Reason.LEAST_RISK
        return plain & np.asarray(self._many(np.asarray(beliefs.log_layouts)))

    def _look_closer(self, position: Position, move: Move, beliefs: Beliefs) -> "_Seen":
        """As `look_ahead`, on the host: for a batch of one position, without its long compile."""
        answers = beliefs.to_device()
        tosses = FiftyFifties.none(position)
        if self.tosses:
            tosses, supposed = _ask_tosses(position, answers)
            tosses = _tell_tosses(tosses, answers, _answers(supposed, tosses.left))
        candidates, after = _ask_numbers(position, answers, tosses, self.within, self.most)
        found = _answers(after, candidates.shows)
        return _conclude(position, move, answers, candidates, after, found)


def _answers(positions: Position, wanted: Bool[Array, "*questions"]) -> Beliefs:
    """What the engine says of some positions of a batch; nothing of the others."""
    there = np.flatnonzero(wanted)
    if not len(there):
        return Beliefs.unknown(positions)
    some = jax.tree.map(lambda leaf: np.asarray(leaf)[..., there], positions)
    return jax.tree.map(
        partial(_put, entries=there), Beliefs.unknown(positions), infer(some, Exact()).to_device()
    )


def _put(
    whole: np.ndarray | Array, part: np.ndarray | Array, entries: Sequence[int] | np.ndarray
) -> np.ndarray:
    """A batch, last, with some of its entries replaced."""
    whole = np.array(whole)
    whole[..., entries] = part
    return whole


class _Seen(eqx.Module):
    """What a closer look at a batch of one position led to."""

    move: Move
    candidates: CandidateArrays
    progress: Float[Array, "most 1"]
    """If a candidate is safe, the chance that another cell is certainly safe then."""
    win: Float[Array, "most 1"]
    """About the chance to win with it."""

    def options(self) -> tuple[Candidate, ...]:
        """The candidates, the chosen one first, then by the chance to win."""
        opens = np.asarray(self.move.opens)[..., 0]
        ((row, col),) = np.argwhere(bitboard.unpack(opens, opens.shape[1] * WORD)).tolist()
        cells = self.candidates
        every = (cells.row, cells.col, cells.safety, self.progress, self.win)
        rows = zip(*(np.asarray(leaf)[:, 0].tolist() for leaf in every), strict=True)
        options = [
            Candidate((r, c), 1.0 - safety, progress, win)
            for r, c, safety, progress, win in rows
            if safety > 0
        ]
        return tuple(sorted(options, key=lambda option: (option.cell != (row, col), -option.win)))


def _mines(beliefs: Beliefs) -> Bits:
    """The certain mines of a batch, as boards."""
    return jnp.asarray(bitboard.pack(jnp.asarray(beliefs.mines)))


@jax.jit
def _ask_tosses(position: Position, answers: Beliefs) -> tuple[FiftyFifties, Position]:
    """The pairs of a batch of one position that may come to a toss, and what to ask about them."""
    tosses = FiftyFifties.of(position, answers, jnp.ones_like(answers.status, bool))
    every = jnp.arange(tosses.left.size, dtype=jnp.int32)
    return tosses, tosses.suppose(position, _mines(answers), every, tosses.left.reshape(-1))


@jax.jit
def _tell_tosses(tosses: FiftyFifties, answers: Beliefs, found: Beliefs) -> FiftyFifties:
    every = jnp.arange(tosses.left.size, dtype=jnp.int32)
    return tosses.told(every, tosses.left.reshape(-1), found, answers.log_layouts)


@partial(jax.jit, static_argnames=("within", "most"))
def _ask_numbers(
    position: Position, answers: Beliefs, tosses: FiftyFifties, within: float, most: int
) -> tuple[CandidateArrays, Position]:
    """The candidates of a batch of one position, and the positions after all their numbers."""
    look = jnp.ones_like(answers.status, bool)
    candidates = CandidateArrays.of(position, answers, tosses, look, within, most)
    there = candidates.shows.reshape(-1)
    every = jnp.arange(there.size, dtype=jnp.int32)
    return candidates, show(position, _mines(answers), candidates, every, there)


@jax.jit
def _conclude(
    position: Position,
    move: Move,
    answers: Beliefs,
    candidates: CandidateArrays,
    after: Position,
    found: Beliefs,
) -> _Seen:
    """What the answers about the positions after all numbers lead to."""
    every = jnp.arange(candidates.shows.size, dtype=jnp.int32)
    there = candidates.shows.reshape(-1)
    worth = two_safest(found, after)
    prospects = Outcomes.unknown(candidates).told(every, there, found, worth)
    shares = prospects.shares(answers.log_layouts)
    known = jnp.maximum(jnp.sum(shares, axis=1), 1e-30)
    scores = prospects.scores(answers.log_layouts)
    return _Seen(
        move=_better(jnp.ones_like(answers.status, bool), move, answers, prospects),
        candidates=candidates,
        progress=jnp.sum(jnp.where(prospects.progress, shares, 0.0), axis=1) / known,
        win=win_probability.win_probability(scores, position, answers),
    )


def two_safest(answers: Beliefs, positions: Position) -> Float[Array, " batch"]:
    """What a position is worth, by the two safest cells that may tell something of others.

    A cell beside none that is in doubt tells nothing: to open it, safe or not, is no progress. If
    there are no others, by the cells in doubt; 1 where all is certain.
    """
    mines, safe = (jnp.asarray(bitboard.pack(cells)) for cells in (answers.mines, answers.safe))
    maybe = materialize(positions.hidden & ~mines)
    doubt = materialize(maybe & ~safe)
    ones, twos, fours, eights = bitboard.neighbour_counts(doubt)
    tell = materialize(maybe & (ones | twos | fours | eights))
    cells = materialize(bitboard.select(bitboard.any_set(tell), tell, doubt))
    there = jnp.asarray(bitboard.unpack(cells, answers.mine_probability.shape[1]))
    risk = materialize(jnp.where(there, answers.mine_probability, 2.0))
    first = jnp.min(risk, axis=(0, 1))
    least = risk == first[None, None]
    second = jnp.min(jnp.where(least, 2.0, risk), axis=(0, 1))
    alone = (jnp.sum(least, axis=(0, 1), dtype=jnp.int32) == 1) & (second <= 1.0)
    second = jnp.where(alone, second, first)
    return jnp.where(first > 1.0, 1.0, 1.0 - (1.0 - SECOND) * first - SECOND * second)


def _better(look: Bool[Array, " batch"], move: Move, answers: Beliefs, prospects: Outcomes) -> Move:
    """The same moves, but the best candidates where there was a closer look."""
    candidates = prospects.candidates
    scores = prospects.scores(answers.log_layouts)
    # Of equal ones the first, whatever rounding makes of them.
    best = jnp.argmax(scores >= jnp.max(scores, axis=0)[None] - EQUAL, axis=0)[None]
    row, col, safety = (
        jnp.take_along_axis(x, best, axis=0)[0]
        for x in (candidates.row, candidates.col, candidates.safety)
    )
    return Move(
        opens=bitboard.select(look, bitboard.single(row, col, move.opens), move.opens),
        flags=move.flags,
        reason=jnp.where(look, Reason.LOOKAHEAD, move.reason).astype(jnp.int32),
        risk=jnp.where(look, 1.0 - safety, move.risk),
    )
