"""The players, by name. A new one is a file beside this one and a line below."""

from jaxsweep.engines import ENGINES
from jaxsweep.strategies.base import (
    UNKNOWN_RISK,
    AbstractStrategy,
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
"""What a person is shown, unless another is asked for."""

FAST = "endgame"
"""What plays games in bulk, unless another is asked for: nearly as strong, far faster."""

__all__ = [
    "BEST",
    "FAST",
    "STRATEGIES",
    "UNKNOWN_RISK",
    "AbstractStrategy",
    "Advice",
    "Candidate",
    "Move",
    "Readiness",
    "Reason",
    "Rules",
]
