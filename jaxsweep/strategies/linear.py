"""Open the cells in reading order."""

import jax.numpy as jnp
from jaxtyping import Array, Key

from jaxsweep import bitboard
from jaxsweep.position import Position
from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Move, Reason


class Linear(AbstractStrategy):
    """Opens the first covered cell, row by row: the weakest player there is."""

    def choose(self, position: Position, key: Key[Array, ""]) -> Move:
        """The first covered cell in reading order."""
        return Move(
            opens=bitboard.nth(position.hidden, jnp.int32(0)),
            flags=jnp.zeros_like(position.hidden),
            reason=jnp.int32(Reason.IN_ORDER),
            risk=jnp.float32(UNKNOWN_RISK),
        )
