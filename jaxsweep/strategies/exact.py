"""Open what is certain; where nothing is, the cell of least exact mine probability."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key, UInt32

from jaxsweep import bitboard
from jaxsweep.beliefs import Status
from jaxsweep.deduction import deduce_safe, single_cell
from jaxsweep.inference import infer
from jaxsweep.position import Position
from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Deduction, Move, Reason
from jaxsweep.strategies.random import any_of

TIE = 1e-6
"""Probabilities that differ by less are equal: float32 rounds them."""


class Exact(AbstractStrategy):
    """Opens every certain cell, else the least likely mine; ties: fewest covered neighbours.

    What is still equal after that is drawn by lot.
    """

    random_ties: bool = False
    """Draw all ties by lot: weaker, and a known figure to check an engine by."""

    @property
    def deductions(self) -> tuple[Deduction, ...]:
        """Rules of one number; then of two numbers, and of the mine count."""
        return (single_cell, deduce_safe)

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Cells that the exact engine finds safe, else one of least risk.

        Where the engine is over capacity, any cell not known to be a mine.
        """
        beliefs = infer(positions)
        hidden = bitboard.unpack_batch(np.asarray(positions.hidden))
        exact = beliefs.status == Status.EXACT
        maybe = hidden & ~np.asarray(beliefs.mines)
        ties, risk = least_risk(np.asarray(beliefs.mine_probability), maybe)
        if not self.random_ties:
            ties = fewest_covered(ties, hidden)
        ties = np.where(exact[:, None, None], ties, maybe)
        proven = np.asarray(beliefs.safe).any((1, 2))
        drawn = _any_of_batch(jnp.asarray(bitboard.pack_batch(ties)), keys)
        opens = np.where(proven, bitboard.pack_batch(np.asarray(beliefs.safe)), np.asarray(drawn))
        guess = np.where(exact, Reason.LEAST_RISK, Reason.AT_RANDOM)
        risk = np.where(exact, risk, UNKNOWN_RISK)
        return Move(
            opens=jnp.asarray(opens),
            flags=jnp.asarray(bitboard.pack_batch(np.asarray(beliefs.mines))),
            reason=jnp.asarray(np.where(proven, Reason.NO_LAYOUT, guess), jnp.int32),
            risk=jnp.asarray(np.where(proven, 0.0, risk), jnp.float32),
        )


def least_risk(
    risk: Float[np.ndarray, "batch rows cols"],
    candidates: Bool[np.ndarray, "batch rows cols"],
) -> tuple[Bool[np.ndarray, "batch rows cols"], Float[np.ndarray, " batch"]]:
    """The candidates of least risk, and that risk; 1 where there are none."""
    of_candidates = np.where(candidates, risk, np.float32(np.inf))
    least = of_candidates.min((1, 2))
    ties = candidates & (of_candidates <= least[:, None, None] + np.float32(TIE))
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
