"""Open what the single-cell rules prove safe; where they are stuck, guess at random."""

import jax.numpy as jnp
from jaxtyping import Array, Key

from jaxsweep import bitboard
from jaxsweep.deduction import single_cell
from jaxsweep.position import Position
from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Move, Reason
from jaxsweep.strategies.random import any_of


class Knowledge(AbstractStrategy):
    """Opens what the single-cell rules prove safe, else a covered cell at random."""

    def choose(self, position: Position, key: Key[Array, ""]) -> Move:
        """All proven cells at once, or one cell at random that is not a proven mine."""
        certain = single_cell(position)
        proven = bitboard.any_set(certain.safe)
        guess = any_of(position.hidden & ~certain.mines, key)
        return Move(
            opens=jnp.where(proven, certain.safe, guess),
            flags=certain.mines,
            reason=jnp.where(proven, Reason.SINGLE_CELL, Reason.AT_RANDOM).astype(jnp.int32),
            risk=jnp.where(proven, 0.0, UNKNOWN_RISK).astype(jnp.float32),
        )
