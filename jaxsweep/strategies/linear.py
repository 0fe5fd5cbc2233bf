"""The player `linear`: opens the cells in reading order."""

import jax.numpy as jnp
from jaxtyping import Array, Key

from jaxsweep.rules import bitboard
from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Reason, Rules
from jaxsweep.scalar.advice import UNKNOWN_RISK
from jaxsweep.strategies.base import AbstractTraceableStrategy, Move


class Linear(AbstractTraceableStrategy):
    """Opens the first hidden cell, row by row: the weakest player, and a baseline."""

    @property
    def rules(self) -> Rules:
        """None: this strategy does not look at the numbers."""
        return Rules.NONE

    def choose(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Chooses the first hidden cell in reading order."""
        return Move(
            opens=bitboard.nth(positions.hidden, jnp.zeros_like(positions.mines)),
            flags=jnp.zeros_like(positions.hidden),
            reason=jnp.full_like(positions.mines, Reason.IN_ORDER),
            risk=jnp.full_like(positions.mines, UNKNOWN_RISK, jnp.float32),
        )
