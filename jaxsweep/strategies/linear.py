"""Open the cells in reading order."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from jaxsweep import bitboard
from jaxsweep.position import Position
from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Move, Reason, Rules


class Linear(AbstractStrategy):
    """Opens the first covered cell, row by row: the weakest player there is."""

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
        """The first covered cell in reading order."""

        def one(position: Position) -> Move:
            return Move(
                opens=bitboard.nth(position.hidden, jnp.int32(0)),
                flags=jnp.zeros_like(position.hidden),
                reason=jnp.int32(Reason.IN_ORDER),
                risk=jnp.float32(UNKNOWN_RISK),
            )

        return jax.vmap(one, in_axes=-1, out_axes=-1)(positions)
