"""Strategies: ways to choose the next cell. `STRATEGIES` has the players by name.

A strategy says which deduction rules it applies (`rules`), and what it opens where they find
nothing (`guess`). Players are defined in `scalar.players.PLAYERS`, and `strategy_of` makes the
strategy of each. A new strategy is a class in a file here and a line in `PLAYERS`; if its guess is
one JAX function, `AbstractTraceableStrategy` lets the arena keep it on the device.
"""

from importlib import import_module

from jaxsweep.engines import ENGINES
from jaxsweep.rules.reasons import Reason, Rules
from jaxsweep.scalar.advice import UNKNOWN_RISK, Advice, Candidate
from jaxsweep.scalar.players import (
    BEST,
    FAST,
    PLAYERS,
    InOrderPlayer,
    LeastRiskPlayer,
    Player,
    RandomPlayer,
    RolloutPlayer,
    StrategyPlayer,
)
from jaxsweep.strategies.base import AbstractStrategy, AbstractTraceableStrategy, Move, Readiness
from jaxsweep.strategies.knowledge import Knowledge
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.linear import Linear
from jaxsweep.strategies.lookahead import Lookahead
from jaxsweep.strategies.random import Random
from jaxsweep.strategies.rollouts import Rollouts


def strategy_of(player: Player) -> AbstractStrategy:
    """Makes the strategy of a player's definition."""
    if isinstance(player, StrategyPlayer):
        module, kind = player.strategy.split(":")
        return getattr(import_module(module), kind)()
    if isinstance(player, InOrderPlayer):
        return Linear()
    if isinstance(player, RandomPlayer):
        return Knowledge() if player.rules >= Rules.SINGLE else Random()
    if isinstance(player, LeastRiskPlayer):
        engine = None if player.engine is None else ENGINES[player.engine]
        return LeastRisk(engine, player.random_ties, player.pairs, player.endgame_layouts)
    if isinstance(player, RolloutPlayer):
        return Rollouts(player)
    return Lookahead(
        player.candidate_ratio,
        player.max_candidates,
        player.endgame_layouts,
        player.fifty_fifties,
        player.second_weight,
        player.refined,
        player.refined_margin,
        player.deeper_candidates,
    )


STRATEGIES: dict[str, AbstractStrategy] = {
    name: strategy_of(player) for name, player in PLAYERS.items()
}

__all__ = [
    "BEST",
    "FAST",
    "STRATEGIES",
    "UNKNOWN_RISK",
    "AbstractStrategy",
    "AbstractTraceableStrategy",
    "Advice",
    "Candidate",
    "Knowledge",
    "LeastRisk",
    "Linear",
    "Lookahead",
    "Move",
    "Random",
    "Readiness",
    "Reason",
    "Rollouts",
    "Rules",
    "strategy_of",
]
