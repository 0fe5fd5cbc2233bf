"""Open the cells in reading order."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from jaxsweep.rules import bitboard
from jaxsweep.rules.position import Position
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
        return Move(
            opens=bitboard.nth(positions.hidden, jnp.zeros_like(positions.mines)),
            flags=jnp.zeros_like(positions.hidden),
            reason=jnp.full_like(positions.mines, Reason.IN_ORDER),
            risk=jnp.full_like(positions.mines, UNKNOWN_RISK, jnp.float32),
        )
