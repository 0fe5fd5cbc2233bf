"""Open what the single-cell rules prove safe; where they are stuck, guess at random."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from jaxsweep.rules.deduction import single_cell
from jaxsweep.rules.position import Position
from jaxsweep.strategies.base import AbstractStrategy, Move, Rules
from jaxsweep.strategies.random import random_moves


class Knowledge(AbstractStrategy):
    """Opens what the single-cell rules prove safe, else a covered cell at random."""

    @property
    def rules(self) -> Rules:
        """The two single-cell rules."""
        return Rules.SINGLE

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """All of them."""
        return self.guess(positions, keys), jnp.zeros_like(positions.mines)

    @eqx.filter_jit
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Any cell that is not a proven mine, each with the same chance."""
        return random_moves(positions, single_cell(positions).mines, keys)
