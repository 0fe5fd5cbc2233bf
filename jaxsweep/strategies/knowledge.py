"""The player `knowledge`: the single-cell rules, and a random guess where they find nothing."""

from jaxtyping import Array, Key

from jaxsweep.rules.deduction import single_cell
from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Rules
from jaxsweep.strategies.base import AbstractTraceableStrategy, Move
from jaxsweep.strategies.random import random_moves


class Knowledge(AbstractTraceableStrategy):
    """Opens what the single-cell rules prove safe, else a hidden cell at random."""

    @property
    def rules(self) -> Rules:
        """The two single-cell rules."""
        return Rules.SINGLE

    def choose(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Chooses among the cells that are not proven mines with equal probability."""
        return random_moves(positions, single_cell(positions).mines, keys)
