"""Look ahead, and compare the best candidates by playouts: slow, and in machine code only."""

import equinox as eqx
from jaxtyping import Array, Key

from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Rules
from jaxsweep.scalar.players import RolloutPlayer
from jaxsweep.strategies.base import AbstractStrategy, Move
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.native import guess_by_rollouts
from jaxsweep.strategies.one_by_one import guess_one_by_one


class Rollouts(AbstractStrategy):
    """Plays nearly equal candidates of a look-ahead out on layouts drawn from the posterior."""

    player: RolloutPlayer = eqx.field(static=True)
    """The definition of the player."""

    @property
    def rules(self) -> Rules:
        """All deduction rules."""
        return self.player.rules

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Guesses on the host; what exceeds its capacity is looked ahead from without playouts."""
        return guess_by_rollouts(self.player, positions, keys, self._guess_one_by_one)

    def _guess_one_by_one(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        wide = LeastRisk(endgame_layouts=self.player.lookahead.endgame_layouts).guess_by_engine
        return guess_one_by_one(self.player.lookahead, positions, keys, wide)
