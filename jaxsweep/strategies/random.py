"""Open any covered cell."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from jaxsweep import bitboard
from jaxsweep.bitboard import Bits
from jaxsweep.deduction import Certain, nothing_certain
from jaxsweep.draws import below
from jaxsweep.position import Position
from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Move, Reason, Rules


class Random(AbstractStrategy):
    """Opens a covered cell at random."""

    @property
    def rules(self) -> Rules:
        """Nothing: this player does not look at the numbers."""
        return Rules.NONE

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """All of them."""
        return self.guess(positions, keys), jnp.zeros_like(positions.mines)

    @eqx.filter_jit
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Every covered cell with the same chance."""
        return jax.vmap(random_move, in_axes=-1, out_axes=-1)(
            positions, jax.vmap(nothing_certain, in_axes=-1, out_axes=-1)(positions), keys
        )


def random_move(position: Position, certain: Certain, key: Key[Array, ""]) -> Move:
    """Opens any covered cell that is not known to be a mine."""
    return Move(
        opens=any_of(position.hidden & ~certain.mines, key),
        flags=certain.mines,
        reason=jnp.int32(Reason.AT_RANDOM),
        risk=jnp.float32(UNKNOWN_RISK),
    )


def any_of(cells: Bits, key: Key[Array, ""]) -> Bits:
    """One of the cells, each with the same chance; none of none."""
    draw = jax.random.bits(key, (), jnp.uint32)
    rank = below(draw, bitboard.count(cells).astype(jnp.uint32))
    return bitboard.nth(cells, rank.astype(jnp.int32))
