"""Open what the single-cell rules prove safe; where they are stuck, guess at random."""

import equinox as eqx
import jax
from jaxtyping import Array, Key

from jaxsweep.deduction import single_cell
from jaxsweep.position import Position
from jaxsweep.strategies.base import AbstractStrategy, Deduction, Move
from jaxsweep.strategies.random import random_move


class Knowledge(AbstractStrategy):
    """Opens what the single-cell rules prove safe, else a covered cell at random."""

    @property
    def deductions(self) -> tuple[Deduction, ...]:
        """The two single-cell rules."""
        return (single_cell,)

    @eqx.filter_jit
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Any cell that is not a proven mine, each with the same chance."""

        def one(position: Position, key: Key[Array, ""]) -> Move:
            return random_move(position, single_cell(position), key)

        return jax.vmap(one, in_axes=-1, out_axes=-1)(positions, keys)
