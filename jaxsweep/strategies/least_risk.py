"""Open what is certain, else the cell with the lowest mine probability; the end by search."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key, UInt32

from jaxsweep.beliefs import Beliefs, Status, crop
from jaxsweep.engines import device_exact
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.device_beliefs import in_container, to_device
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.bitboard import WORD, Bits
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.position import Position, from_grid, to_grid
from jaxsweep.rules.randomness import random_words
from jaxsweep.rules.reasons import Reason, Rules
from jaxsweep.rules.threefry import KeyWords
from jaxsweep.runtime.materialize import materialize
from jaxsweep.scalar.advice import UNKNOWN_RISK, Advice
from jaxsweep.scalar.endgame import Endgame, is_endgame, search_endgame
from jaxsweep.scalar.least_risk import TIE
from jaxsweep.scalar.players import LeastRiskPlayer, advise
from jaxsweep.strategies.base import (
    AbstractStrategy,
    Move,
    Readiness,
    batch_of_one,
    first_of_batch,
    keys_of,
    to_advice,
)
from jaxsweep.strategies.native import guess_natively
from jaxsweep.strategies.one_by_one import guess_one_by_one
from jaxsweep.strategies.random import random_cell

FEW_GAMES = 2000
"""Expert games that the host plays in less time than the device's program takes to compile."""

_REASONS = {
    Status.EXACT: Reason.LEAST_RISK,
    Status.ESTIMATE: Reason.LEAST_ESTIMATE,
    Status.SCORE: Reason.LEAST_SCORE,
}


class Decision(NamedTuple):
    """Moves in a batch of positions, last, and what they rest on."""

    moves: Move
    beliefs: Beliefs
    """On the host, batch first."""
    ties: Int[Array, " batch"]
    """How many cells had the lowest risk, before ties were broken."""
    searches: dict[int, Endgame]
    """By index in the batch: the end-game searches that chose a move."""

    def advice(self, position: GridPosition, layouts: int | None) -> Advice:
        """Returns what was decided in a batch of one position, as advice."""
        beliefs = crop(self.beliefs.at(0), *position.grid.shape)
        return to_advice(
            first_of_batch(self.moves),
            position,
            engine_beliefs=beliefs,
            layouts=layouts,
            search=self.searches.get(0),
            ties=int(self.ties[0]),
        )


class LeastRisk(AbstractStrategy):
    """Opens every certain cell, else one with the lowest mine probability.

    Ties go to the cells with the fewest hidden neighbours, and are then broken at random. Where
    the engine has nothing to say, any cell that is not known to be a mine is opened.
    """

    engine: AbstractEngine | None = None
    """None: the exact engine, with estimates beyond its capacity."""
    random_ties: bool = LeastRiskPlayer.random_ties
    """Break all ties at random: weaker, and a published figure to check an engine by."""
    pairs: bool = LeastRiskPlayer.pairs
    """Apply the rules of pairs of numbers and of the mine count, not only those of one number."""
    endgame_layouts: int = LeastRiskPlayer.endgame_layouts
    """With at most so many layouts left, the end game is searched; 0: never."""

    @property
    def rules(self) -> Rules:
        """The single-cell rules; with `pairs`, all rules."""
        return Rules.PAIR if self.pairs else Rules.SINGLE

    @property
    def few_games(self) -> int:
        """Of the exact engine, whose device program is large; others guess on the host anyway."""
        return FEW_GAMES if self.engine is None else 0

    def guesses_on(self, platform: str) -> bool:
        """With the exact engine on accelerators: on a CPU the host is faster."""
        return self.engine is None and platform != "cpu"

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Opens the cells that the engine proves safe, else one of least risk."""
        if self.engine is None:
            return guess_natively(self.player, positions, keys, self.guess_one_by_one)
        return self.guess_by_engine(positions, keys)

    def guess_one_by_one(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """As `guess` with the exact engine, by the scalar path: nothing is compiled."""
        return guess_one_by_one(self.player, positions, keys, self.guess_by_engine)

    def guess_by_engine(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """As `guess`, with beliefs about the whole batch at once."""
        return self.decide(positions, keys, infer(positions, self.engine, seeds_of(keys))).moves

    def advise(
        self,
        position: GridPosition,
        key: KeyWords,
        beliefs: Beliefs | None = None,
        layouts: int | None = None,
    ) -> Advice:
        """As `guess`; in the end game with the exact win probability of every cell."""
        if self.engine is None and beliefs is None:
            found = advise(self.player, position, key)
            if found is not None:
                return found
        return self.advise_by_engine(position, key, beliefs, layouts)

    def advise_by_engine(
        self,
        position: GridPosition,
        key: KeyWords,
        beliefs: Beliefs | None = None,
        layouts: int | None = None,
    ) -> Advice:
        """As `advise`, without the scalar path."""
        positions, keys = batch_of_one(from_grid(*position)), keys_of([key])
        if beliefs is None:
            known = infer(positions, self.engine, seeds_of(keys))
        else:
            known = in_container(jax.tree.map(lambda leaf: leaf[None], beliefs), positions)
        return self.decide(positions, keys, known).advice(position, layouts)

    @property
    def player(self) -> LeastRiskPlayer:
        """The definition of the player; its engine, an object here, has no name there."""
        return LeastRiskPlayer(None, self.random_ties, self.pairs, self.endgame_layouts)

    def decide(self, positions: Position, keys: Key[Array, " batch"], beliefs: Beliefs) -> Decision:
        """Decides on the host what to open in a batch of positions, given beliefs about them."""
        moves, ties = _choose_batch(to_device(beliefs), positions.hidden, keys, self.random_ties)
        decision = Decision(moves, beliefs, ties, {})
        return self._with_searches(positions, decision) if self.endgame_layouts else decision

    def _with_searches(self, positions: Position, decision: Decision) -> Decision:
        """Replaces the guesses in end games by the best cell that a search finds."""
        host, (moves, beliefs, ties, _) = jax.device_get(positions), decision
        probability, mines = (np.asarray(x) for x in (beliefs.mine_probability, beliefs.mines))
        wanted = np.asarray(is_endgame(np.asarray(beliefs.log_layouts), self.endgame_layouts))
        wanted &= np.asarray(moves.reason) == Reason.LEAST_RISK
        wanted &= host.hidden.any((0, 1))
        opens, reason, risk = (np.array(x) for x in (moves.opens, moves.reason, moves.risk))
        searches = {}
        for i in np.nonzero(wanted)[0].tolist():
            grid = to_grid(jax.tree.map(lambda leaf, i=i: leaf[..., i], host))
            rows, cols = grid.shape
            certain = mines[i, :rows, :cols]
            search = search_endgame(grid, int(host.mines[i]), certain, self.endgame_layouts)
            if search is None:
                continue
            cell, _ = search.best_cell()
            where = np.zeros((opens.shape[0], opens.shape[1] * WORD), bool)
            where[cell] = True
            opens[..., i], reason[i] = bitboard.pack(where), Reason.BEST_ENDING
            risk[i] = probability[i][cell]
            searches[i] = search
        moves = Move(jnp.asarray(opens), moves.flags, jnp.asarray(reason), jnp.asarray(risk))
        return Decision(moves, beliefs, ties, searches)

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """As `guess`, with the device's exact engine, which has to be the player's."""
        assert self.engine is None, "other engines guess on the host"
        return self.decide_on_device(positions, self.infer_on_device(positions), keys)

    @staticmethod
    def infer_on_device(positions: Position) -> Beliefs:
        """Infers exact beliefs about positions in which flags are known mines; to be traced."""
        return device_exact.infer(materialize(frontier.reduce(positions, trust_flags=True)))

    def decide_on_device(
        self, positions: Position, beliefs: Beliefs, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """Returns the moves that exact beliefs lead to, and a `Readiness` for each."""
        move, _ = choose(beliefs, positions.hidden, keys, self.random_ties)
        status = jnp.asarray(beliefs.status)
        ready = jnp.where(status == Status.EXACT, Readiness.READY, Readiness.NEEDS_HOST)
        if self.endgame_layouts:
            searched = jnp.asarray(
                is_endgame(jnp.asarray(beliefs.log_layouts), self.endgame_layouts)
            )
            searched &= move.reason == Reason.LEAST_RISK
            ready = jnp.where(searched, Readiness.NEEDS_HOST, ready)
        ready = jnp.where(status == Status.BATCH_FULL, Readiness.RETRY, ready)
        return move, ready.astype(jnp.int32)


def seeds_of(keys: Key[Array, " batch"]) -> UInt32[np.ndarray, " batch"]:
    """Folds each key into one word: the seed for an engine that samples."""
    return np.bitwise_xor.reduce(np.asarray(jax.random.key_data(keys)), axis=-1)


def choose(
    beliefs: Beliefs, hidden: Bits, keys: Key[Array, " batch"], random_ties: bool
) -> tuple[Move, Int[Array, " batch"]]:
    """Opens the certainly safe cells of each position, else one cell of least risk.

    Cells are ordered by probability, or by score where an engine has no probabilities; estimates
    within their own error of the lowest count as equal. Ties go to the cells with the fewest hidden
    neighbours, unless `random_ties`, and are then broken at random. Where the beliefs order
    nothing, any cell not known to be a mine may do. Batch last. Returns the moves, and how many
    cells tied for the lowest risk.
    """
    order = jnp.asarray(beliefs.mine_probability if beliefs.score is None else beliefs.score)
    error = jnp.asarray(beliefs.error)
    safe, mines = materialize(
        tuple(jnp.asarray(bitboard.pack(cells)) for cells in (beliefs.safe, beliefs.mines))
    )
    reason = _reason(jnp.asarray(beliefs.status))
    maybe = materialize(hidden & ~mines)
    of_maybe = jnp.where(jnp.asarray(bitboard.unpack(maybe, order.shape[1])), order, jnp.inf)
    least = jnp.min(of_maybe, axis=(0, 1))
    margin = jnp.where(jnp.isfinite(error), error, 0.0) + jnp.float32(TIE)
    close = (of_maybe <= least[None, None, :] + margin) & jnp.isfinite(of_maybe)
    ties = best = materialize(jnp.asarray(bitboard.pack(close)))
    if not random_ties:
        best = _fewest_hidden_neighbours(ties, hidden)
    unordered = reason == Reason.AT_RANDOM
    drawn = random_cell(materialize(bitboard.select(unordered, maybe, best)), random_words(keys))
    proven = bitboard.any_set(safe)
    known = (reason == Reason.LEAST_RISK) | (reason == Reason.LEAST_ESTIMATE)
    risk = jnp.where(known, jnp.clip(least, 0.0, 1.0), UNKNOWN_RISK)
    move = Move(
        opens=bitboard.select(proven, safe, drawn),
        flags=mines,
        reason=jnp.where(proven, Reason.NO_LAYOUT, reason).astype(jnp.int32),
        risk=jnp.where(proven, 0.0, risk).astype(jnp.float32),
    )
    return move, bitboard.count(ties)


def _reason(status: Int[Array, " batch"]) -> Int[Array, " batch"]:
    """Returns why a cell of least risk is opened, by the status of the beliefs."""
    reason = jnp.full_like(status, Reason.AT_RANDOM)
    for known, its_reason in _REASONS.items():
        reason = jnp.where(status == known, its_reason, reason)
    return reason.astype(jnp.int32)


_choose_batch = jax.jit(choose, static_argnames="random_ties")


def _fewest_hidden_neighbours(cells: Bits, hidden: Bits) -> Bits:
    """Keeps the cells with the fewest hidden neighbours, comparing counts bit by bit."""
    for digit in reversed(bitboard.neighbour_counts(hidden)):
        fewer = cells & ~digit
        cells = bitboard.select(bitboard.any_set(fewer), fewer, cells)
    return cells
