"""Open what is certain; where nothing is, the cell that an engine believes in least as a mine."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key, UInt32

from jaxsweep import bitboard
from jaxsweep.beliefs import Status
from jaxsweep.deduction import deduce_safe, single_cell
from jaxsweep.engines import AbstractEngine
from jaxsweep.inference import infer
from jaxsweep.position import Position
from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Deduction, Move, Reason
from jaxsweep.strategies.random import any_of

TIE = 1e-6
"""Probabilities that differ by less are equal: float32 rounds them."""

_REASONS = {
    Status.EXACT: Reason.LEAST_RISK,
    Status.ESTIMATE: Reason.LEAST_ESTIMATE,
    Status.SCORE: Reason.LEAST_SCORE,
}


class LeastBelief(AbstractStrategy):
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

    @property
    def deductions(self) -> tuple[Deduction, ...]:
        """Rules of one number; then of two numbers, and of the mine count."""
        return (single_cell, deduce_safe) if self.pairs else (single_cell,)

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Cells that the engine finds safe, else one of least belief."""
        seeds = np.bitwise_xor.reduce(np.asarray(jax.random.key_data(keys)), axis=-1)
        beliefs = infer(positions, self.engine, seeds)
        status, safe, mines = (np.asarray(x) for x in (beliefs.status, beliefs.safe, beliefs.mines))
        hidden = bitboard.unpack_batch(np.asarray(positions.hidden))
        order = beliefs.mine_probability if beliefs.score is None else beliefs.score
        maybe = hidden & ~mines
        ties, risk = least_risk(np.asarray(order), maybe, np.asarray(beliefs.error))
        if not self.random_ties:
            ties = fewest_covered(ties, hidden)
        said = np.isin(status, list(_REASONS))
        ties = np.where(said[:, None, None], ties, maybe)
        proven = safe.any((1, 2))
        drawn = _any_of_batch(jnp.asarray(bitboard.pack_batch(ties)), keys)
        opens = np.where(proven, bitboard.pack_batch(safe), np.asarray(drawn))
        reason = np.full(len(status), Reason.AT_RANDOM)
        for known, its_reason in _REASONS.items():
            reason[status == known] = its_reason
        risk = np.where(beliefs.has_odds, risk, UNKNOWN_RISK)
        return Move(
            opens=jnp.asarray(opens),
            flags=jnp.asarray(bitboard.pack_batch(mines)),
            reason=jnp.asarray(np.where(proven, Reason.NO_LAYOUT, reason), jnp.int32),
            risk=jnp.asarray(np.where(proven, 0.0, risk), jnp.float32),
        )


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
    padded = np.pad(hidden.astype(np.int8), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    covered = np.where(ties, windows.sum((3, 4), dtype=np.int8), np.int8(10))
    return ties & (covered == covered.min((1, 2), keepdims=True))


@jax.jit
def _any_of_batch(
    cells: UInt32[Array, "rows words batch"], keys: Key[Array, " batch"]
) -> UInt32[Array, "rows words batch"]:
    return jax.vmap(any_of, in_axes=-1, out_axes=-1)(cells, keys)
