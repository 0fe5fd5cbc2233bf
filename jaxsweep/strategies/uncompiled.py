"""A player for few games: it guesses one by one, so that only rounds of deduction are compiled."""

from jaxtyping import Array, Key

from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Rules
from jaxsweep.strategies.base import AbstractStrategy, Move
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.lookahead import Lookahead


class Uncompiled(AbstractStrategy):
    """A player that makes all its guesses by the scalar path; its moves are the same."""

    strategy: LeastRisk | Lookahead

    @property
    def rules(self) -> Rules:
        """Those of the player."""
        return self.strategy.rules

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Guesses as the player does, without compiling anything."""
        return self.strategy.guess_one_by_one(positions, keys)
