"""Open any covered cell."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from jaxsweep import bitboard
from jaxsweep.bitboard import Bits
from jaxsweep.position import Position
from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Move, Reason


class Random(AbstractStrategy):
    """Opens a covered cell at random."""

    def choose(self, position: Position, key: Key[Array, ""]) -> Move:
        """Every covered cell with the same chance."""
        return Move(
            opens=any_of(position.hidden, key),
            flags=jnp.zeros_like(position.hidden),
            reason=jnp.int32(Reason.AT_RANDOM),
            risk=jnp.float32(UNKNOWN_RISK),
        )


def any_of(cells: Bits, key: Key[Array, ""]) -> Bits:
    """One of the cells, each with the same chance; none of none."""
    draw = jax.random.bits(key, (), jnp.uint32)
    rank = jax.lax.mulhi(draw, bitboard.count(cells).astype(jnp.uint32))
    return bitboard.nth(cells, rank.astype(jnp.int32))
