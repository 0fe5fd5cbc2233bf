"""Look one number ahead: of the nearly safest cells, the one that leads to safe next moves."""

from collections.abc import Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from jaxsweep import bitboard
from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.bitboard import WORD
from jaxsweep.engines import Exact
from jaxsweep.engines.resident import Answers
from jaxsweep.fusion import kept
from jaxsweep.inference import infer
from jaxsweep.position import Position
from jaxsweep.strategies import outlook
from jaxsweep.strategies.base import (
    AbstractStrategy,
    Advice,
    Move,
    Option,
    Reason,
    Rules,
)
from jaxsweep.strategies.hypotheses import Candidates, Prospects, look_ahead, show
from jaxsweep.strategies.least_belief import LOG_ERROR, LeastBelief

SECOND = 0.2
"""The weight of the second safest cell after the number is seen."""

EQUAL = 1e-4
"""Scores that differ by less are equal."""

PROGRESS = 0.02
"""What the chance of a safe cell is worth beside that."""


class Lookahead(AbstractStrategy):
    """Looks one number ahead before it guesses, and plays the end by search."""

    within: float = 0.9
    """Candidates are at least so many times as safe as the safest cell."""
    most: int = 8
    """Candidates at most, the safest first, then those with the fewest covered neighbours."""
    ending: int = 100
    """With so few layouts left, or fewer, the end is searched through."""

    @property
    def rules(self) -> Rules:
        """Rules of one number; and of two numbers, and of the mine count."""
        return Rules.PAIR

    @property
    def _plain(self) -> LeastBelief:
        return LeastBelief(ending=self.ending)

    def _many(
        self, log_layouts: Float[Array | np.ndarray, " batch"]
    ) -> Bool[Array | np.ndarray, " batch"]:
        """Whether so many layouts are left that it is not the end."""
        return log_layouts > np.float32(np.log(max(2, self.ending)) + LOG_ERROR)

    def is_guess(self, answers: Answers) -> Bool[Array, " batch"]:
        """Where nothing is certain, and it is not the end."""
        certain, exact = bitboard.any_set(answers.safe), answers.status == Status.EXACT
        return answers.served & exact & ~certain & jnp.asarray(self._many(answers.log_layouts))

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]] | None:
        """All but endings, and what is beyond the engine on the device."""
        answers, prospects = look_ahead(
            positions, self.is_guess, two_safest, self.within, self.most
        )
        return self.conclude(positions, answers, prospects, keys)

    def conclude(
        self,
        positions: Position,
        answers: Answers,
        prospects: Prospects,
        keys: Key[Array, " batch"],
    ) -> tuple[Move, Int[Array, " batch"]]:
        """The moves that a closer look leads to, and whether each is `READY`."""
        move, ready = self._plain.decide(positions, kept(answers), keys)
        return _better(self.is_guess(answers), move, answers, prospects), ready

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """As on the device, with an engine that reaches farther, and the search for endings."""
        moves, beliefs = self._plain.guess_and_tell(positions, keys)
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
        moves, beliefs = self._plain.guess_and_tell(batch, key[None])
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
        answers = Answers.of(beliefs)
        candidates, after = _ask(position, answers, self.within, self.most)
        there = np.flatnonzero(candidates.shows)
        some = jax.tree.map(lambda leaf: np.asarray(leaf)[..., there], after)
        found = jax.tree.map(
            partial(_put, entries=there),
            Answers.nothing(after),
            Answers.of(infer(some, Exact())),
        )
        return _conclude(position, move, answers, candidates, after, found)


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
    candidates: Candidates
    progress: Float[Array, "most 1"]
    """If a candidate is safe, the chance that another cell is certainly safe then."""
    win: Float[Array, "most 1"]
    """About the chance to win with it."""

    def options(self) -> tuple[Option, ...]:
        """The candidates, the chosen one first, then by the chance to win."""
        opens = np.asarray(self.move.opens)[..., 0]
        ((row, col),) = np.argwhere(bitboard.unpack(opens, opens.shape[1] * WORD)).tolist()
        every = (*jax.tree.leaves(self.candidates)[:3], self.progress, self.win)
        rows = zip(*(np.asarray(leaf)[:, 0].tolist() for leaf in every), strict=True)
        options = [
            Option((r, c), 1.0 - safety, progress, win)
            for r, c, safety, progress, win in rows
            if safety > 0
        ]
        return tuple(sorted(options, key=lambda option: (option.cell != (row, col), -option.win)))


@partial(jax.jit, static_argnames=("within", "most"))
def _ask(
    position: Position, answers: Answers, within: float, most: int
) -> tuple[Candidates, Position]:
    """The candidates of a batch of one position, and the positions after all their numbers."""
    look = jnp.ones_like(answers.served)
    candidates = Candidates.of(position, answers, look, within, most)
    there = candidates.shows.reshape(-1)
    every = jnp.arange(there.size, dtype=jnp.int32)
    return candidates, show(position, answers.mines, candidates, every, there)


@jax.jit
def _conclude(
    position: Position,
    move: Move,
    answers: Answers,
    candidates: Candidates,
    after: Position,
    found: Answers,
) -> _Seen:
    """What the answers about the positions after all numbers lead to."""
    every = jnp.arange(candidates.shows.size, dtype=jnp.int32)
    there = candidates.shows.reshape(-1)
    worth = two_safest(found, after)
    prospects = Prospects.unknown(candidates).told(every, there, found, worth)
    shares = prospects.shares(answers.log_layouts)
    known = jnp.maximum(jnp.sum(shares, axis=1), 1e-30)
    scores = prospects.scores(answers.log_layouts)
    return _Seen(
        move=_better(jnp.ones_like(answers.served), move, answers, prospects),
        candidates=candidates,
        progress=jnp.sum(jnp.where(prospects.progress, shares, 0.0), axis=1) / known,
        win=outlook.chance_to_win(scores, position, answers),
    )


def two_safest(answers: Answers, positions: Position) -> Float[Array, " batch"]:
    """What a position is worth, by its two safest cells; 1 where there is nothing left to open."""
    maybe = bitboard.unpack(kept(positions.hidden & ~answers.mines), answers.marks.shape[1])
    risk = kept(jnp.where(jnp.asarray(maybe), jnp.maximum(answers.marks, 0.0), 2.0))
    first = jnp.min(risk, axis=(0, 1))
    least = risk == first[None, None]
    second = jnp.min(jnp.where(least, 2.0, risk), axis=(0, 1))
    second = jnp.where(jnp.sum(least, axis=(0, 1), dtype=jnp.int32) > 1, first, second)
    first, second = (jnp.where(x > 1.0, 1.0, 1.0 - x) for x in (first, second))
    progress = bitboard.any_set(answers.safe).astype(jnp.float32)
    safety = (1.0 - SECOND) * first + SECOND * second
    return safety * (1.0 + PROGRESS * progress) / (1.0 + PROGRESS)


def _better(
    look: Bool[Array, " batch"], move: Move, answers: Answers, prospects: Prospects
) -> Move:
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
