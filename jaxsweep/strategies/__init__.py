"""Strategies: ways to choose the next cell. `STRATEGIES` has the players by name.

A strategy says which deduction rules it applies (`rules`), and what it opens where they find
nothing (`guess`). A new one is a class in a file here and a line in `STRATEGIES`; if its guess is
one JAX function, `AbstractTraceableStrategy` lets the arena keep it on the device.
"""

from jaxsweep.engines import ENGINES
from jaxsweep.strategies.base import (
    UNKNOWN_RISK,
    AbstractStrategy,
    AbstractTraceableStrategy,
    Advice,
    Candidate,
    Move,
    Readiness,
    Reason,
    Rules,
)
from jaxsweep.strategies.knowledge import Knowledge
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.linear import Linear
from jaxsweep.strategies.lookahead import Lookahead
from jaxsweep.strategies.random import Random

STRATEGIES: dict[str, AbstractStrategy] = {
    "linear": Linear(),
    "random": Random(),
    "knowledge": Knowledge(),
    "likelihood": LeastRisk(ENGINES["likelihood"], pairs=False),
    "sampling": LeastRisk(ENGINES["sampling"]),
    "edges": LeastRisk(ENGINES["edges"]),
    "tilesets": LeastRisk(ENGINES["tilesets"]),
    "bitmask": LeastRisk(ENGINES["bitmask"]),
    "exact": LeastRisk(),
    "exact-random-ties": LeastRisk(random_ties=True),
    "endgame": LeastRisk(endgame_layouts=200),
    "lookahead": Lookahead(endgame_layouts=0),
    "strongest": Lookahead(endgame_layouts=400),
}

BEST = "strongest"
"""The player that a person is shown, unless another is asked for."""

FAST = "endgame"
"""The player for games in bulk, unless another is asked for: nearly as strong, far faster."""

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
    "Rules",
]
