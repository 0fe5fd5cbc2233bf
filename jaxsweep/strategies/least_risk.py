"""Open what is certain; where nothing is, the cell that an engine believes in least as a mine."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from jaxsweep.engines import AbstractEngine, device_exact
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.bitboard import WORD, Bits
from jaxsweep.rules.grid import neighbour_counts
from jaxsweep.rules.position import Position, to_grid
from jaxsweep.rules.randomness import random_words
from jaxsweep.runtime.materialize import materialize
from jaxsweep.strategies.base import (
    UNKNOWN_RISK,
    AbstractStrategy,
    Advice,
    Candidate,
    Move,
    Readiness,
    Reason,
    Rules,
)
from jaxsweep.strategies.endgame import Endgame, search_ending
from jaxsweep.strategies.random import random_cell

TIE = 1e-6
"""Probabilities that differ by less are equal: float32 rounds them."""

LOG_ERROR = 1e-3
"""What rounding may add to the logarithm of a number of layouts: far less than one in hundreds."""

_REASONS = {
    Status.EXACT: Reason.LEAST_RISK,
    Status.ESTIMATE: Reason.LEAST_ESTIMATE,
    Status.SCORE: Reason.LEAST_SCORE,
}


class LeastRisk(AbstractStrategy):
    """Opens every certain cell, else the least believed mine; ties: fewest covered neighbours.

    What is still equal after that is drawn by lot. Where the engine has nothing to say, any cell
    not known to be a mine.
    """

    engine: AbstractEngine | None = None
    """None: the exact one, and estimates beyond its capacity."""
    random_ties: bool = False
    """Draw all ties by lot: weaker, and a known figure to check an engine by."""
    pairs: bool = True
    """Use the rules of two numbers and of the mine count too, not only those of one number."""
    endgame_layouts: int = 0
    """With so few layouts left, or fewer, the end is searched through; 0: never."""

    @property
    def rules(self) -> Rules:
        """Rules of one number; and of two numbers, and of the mine count."""
        return Rules.PAIR if self.pairs else Rules.SINGLE

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Cells that the engine finds safe, else one of least belief."""
        return self.guess_with_beliefs(positions, keys)[0]

    def guess_with_beliefs(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Beliefs]:
        """As `guess`, and what the engine believes."""
        seeds = np.bitwise_xor.reduce(np.asarray(jax.random.key_data(keys)), axis=-1)
        beliefs = infer(positions, self.engine, seeds)
        moves = _choose_batch(beliefs.to_device(), positions.hidden, keys, self.random_ties)
        return (self._end(positions, beliefs, moves) if self.endgame_layouts else moves), beliefs

    def _end(self, positions: Position, beliefs: Beliefs, moves: Move) -> Move:
        """The same moves, but the best ones where few layouts are left and nothing is certain."""
        host = jax.device_get(positions)
        logs = np.asarray(beliefs.log_layouts)
        few = np.asarray(_is_ending(logs, self.endgame_layouts)) & host.hidden.any((0, 1))
        few &= (np.asarray(beliefs.status) == Status.EXACT) & ~np.asarray(beliefs.safe).any((1, 2))
        opens, reason, risk = (np.array(x) for x in (moves.opens, moves.reason, moves.risk))
        for i in np.nonzero(few)[0]:
            one = jax.tree.map(lambda leaf, i=i: leaf[..., i], host)
            ending = _ending(one, np.asarray(beliefs.mines)[i], self.endgame_layouts)
            if ending is not None:
                cell, _ = ending.choice()
                where = np.zeros((opens.shape[0], opens.shape[1] * WORD), bool)
                where[cell] = True
                opens[..., i], reason[i] = bitboard.pack(where), Reason.BEST_ENDING
                risk[i] = np.asarray(beliefs.mine_probability)[i][cell]
        return Move(jnp.asarray(opens), moves.flags, jnp.asarray(reason), jnp.asarray(risk))

    def advise(self, position: Position, key: Key[Array, ""]) -> Advice:
        """With the exact chances of all cells, where the end was searched through."""
        batch = jax.tree.map(lambda leaf: leaf[..., None], position)
        return self.advice(position, *self.guess_with_beliefs(batch, key[None]))

    def advice(self, position: Position, moves: Move, beliefs: Beliefs) -> Advice:
        """What `guess_with_beliefs` says of one position, as advice."""
        move = jax.tree.map(lambda leaf: leaf[..., 0], moves)
        if int(move.reason) != Reason.BEST_ENDING:
            return Advice(move)
        chance = np.asarray(beliefs.mine_probability)[0]
        ending = _ending(
            jax.device_get(position), np.asarray(beliefs.mines)[0], self.endgame_layouts
        )
        assert ending is not None, "it was searched before"
        best, _ = ending.choice()
        candidates = [
            Candidate(cell, float(chance[cell]), None, win)
            for cell, win in ending.chances().items()
        ]
        candidates.sort(key=lambda option: (option.cell != best, -option.win, option.risk))
        return Advice(move, tuple(candidates))

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]] | None:
        """With the exact engine, nearly all of them."""
        if self.engine is not None:
            return None
        reduced = frontier.reduce(positions, trust_flags=True)
        return self.decide(positions, device_exact.infer(materialize(reduced)), keys)

    def decide(
        self, positions: Position, answers: Beliefs, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """The moves that exact beliefs lead to, and whether each is `READY`."""
        move = choose(answers, positions.hidden, keys, self.random_ties)
        ready = jnp.where(answers.status == Status.EXACT, Readiness.READY, Readiness.NEEDS_HOST)
        if self.endgame_layouts:
            few = _is_ending(answers.log_layouts, self.endgame_layouts)
            few &= move.reason == Reason.LEAST_RISK
            ready = jnp.where(few, Readiness.NEEDS_HOST, ready)
        ready = jnp.where(answers.status == Status.BATCH_FULL, Readiness.RETRY, ready)
        return move, ready.astype(jnp.int32)


def _is_ending(
    log_layouts: Float[Array | np.ndarray, " batch"], most: int
) -> Bool[Array | np.ndarray, " batch"]:
    """Whether at most so many layouts are left.

    Of two, one is bet on, with any cell that tells them apart: that needs no search.
    """
    fewest, many = (np.float32(np.log(count) + LOG_ERROR) for count in (2, most))
    return (log_layouts > fewest) & (log_layouts <= many)


def _ending(position: Position, mined: Bool[np.ndarray, "rows cols"], most: int) -> Endgame | None:
    """The search through the layouts of a position on the host, if they are so few."""
    grid = to_grid(position)
    rows, cols = grid.shape
    return search_ending(grid, int(position.mines), mined[:rows, :cols], most)


def choose(
    beliefs: Beliefs,
    hidden: Bits,
    keys: Key[Array, " batch"],
    random_ties: bool,
) -> Move:
    """Opens the certainly safe cells of each position, else one cell of least risk.

    Cells are ordered by probability, or by score where an engine has no probabilities; estimates
    within their own error of the least count as equal. Ties go to the cells with the fewest hidden
    neighbours, unless `random_ties`, and what is still equal is drawn at random. Where the beliefs
    order nothing, any cell not known to be a mine may do. Batch last.
    """
    order = jnp.asarray(beliefs.mine_probability if beliefs.score is None else beliefs.score)
    error = jnp.asarray(beliefs.error)
    safe, mines = (jnp.asarray(bitboard.pack(cells)) for cells in (beliefs.safe, beliefs.mines))
    safe, mines = materialize((safe, mines))
    reason = _reason(jnp.asarray(beliefs.status))
    maybe = materialize(hidden & ~mines)
    of_maybe = jnp.where(jnp.asarray(bitboard.unpack(maybe, order.shape[1])), order, jnp.inf)
    least = jnp.min(of_maybe, axis=(0, 1))
    margin = jnp.where(jnp.isfinite(error), error, 0.0) + jnp.float32(TIE)
    close = (of_maybe <= least[None, None, :] + margin) & jnp.isfinite(of_maybe)
    ties = materialize(jnp.asarray(bitboard.pack(close)))
    if not random_ties:
        ties = _fewest_hidden_neighbours(ties, hidden)
    unordered = reason == Reason.AT_RANDOM
    drawn = random_cell(materialize(bitboard.select(unordered, maybe, ties)), random_words(keys))
    proven = bitboard.any_set(safe)
    known = (reason == Reason.LEAST_RISK) | (reason == Reason.LEAST_ESTIMATE)
    risk = jnp.where(known, jnp.clip(least, 0.0, 1.0), UNKNOWN_RISK)
    return Move(
        opens=bitboard.select(proven, safe, drawn),
        flags=mines,
        reason=jnp.where(proven, Reason.NO_LAYOUT, reason).astype(jnp.int32),
        risk=jnp.where(proven, 0.0, risk).astype(jnp.float32),
    )


def _reason(status: Int[Array, " batch"]) -> Int[Array, " batch"]:
    """Why the cell of least risk is opened, by what the beliefs are worth."""
    reason = jnp.full_like(status, Reason.AT_RANDOM)
    for known, its_reason in _REASONS.items():
        reason = jnp.where(status == known, its_reason, reason)
    return reason.astype(jnp.int32)


_choose_batch = jax.jit(choose, static_argnames="random_ties")


def _fewest_hidden_neighbours(ties: Bits, hidden: Bits) -> Bits:
    """Those of the ties that have the fewest covered neighbours: digit by digit, zeros first."""
    for digit in reversed(bitboard.neighbour_counts(hidden)):
        fewer = ties & ~digit
        ties = bitboard.select(bitboard.any_set(fewer), fewer, ties)
    return ties


def least_risk(
    risk: Float[np.ndarray, "batch rows cols"],
    candidates: Bool[np.ndarray, "batch rows cols"],
    error: Float[np.ndarray, "batch rows cols"],
) -> tuple[Bool[np.ndarray, "batch rows cols"], Float[np.ndarray, " batch"]]:
    """The candidates of least risk, and that risk; 1 where there are none.

    Estimates within their own error of the least are not worse for all that is known.
    """
    of_candidates = np.where(candidates, risk, np.float32(np.inf))
    least = of_candidates.min((1, 2))
    margin = np.where(np.isfinite(error), error, 0) + np.float32(TIE)
    ties = candidates & (of_candidates <= least[:, None, None] + margin)
    return ties, np.minimum(least, np.float32(1.0))


def fewest_covered(
    ties: Bool[np.ndarray, "batch rows cols"], hidden: Bool[np.ndarray, "batch rows cols"]
) -> Bool[np.ndarray, "batch rows cols"]:
    """Those of the ties that have the fewest covered neighbours."""
    covered = np.where(ties, neighbour_counts(hidden), np.int8(9))
    return ties & (covered == covered.min((1, 2), keepdims=True))
