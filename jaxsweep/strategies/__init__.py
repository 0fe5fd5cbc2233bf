"""The players, by name. A new one is a file beside this one and a line below."""

from jaxsweep.engines import ENGINES
from jaxsweep.strategies.base import (
    UNKNOWN_RISK,
    AbstractStrategy,
    Advice,
    Move,
    Option,
    Readiness,
    Reason,
    Rules,
)
from jaxsweep.strategies.knowledge import Knowledge
from jaxsweep.strategies.least_risk import LeastBelief
from jaxsweep.strategies.linear import Linear
from jaxsweep.strategies.lookahead import Lookahead
from jaxsweep.strategies.random import Random

STRATEGIES: dict[str, AbstractStrategy] = {
    "linear": Linear(),
    "random": Random(),
    "knowledge": Knowledge(),
    "likelihood": LeastBelief(ENGINES["likelihood"], pairs=False),
    "sampling": LeastBelief(ENGINES["sampling"]),
    "edges": LeastBelief(ENGINES["edges"]),
    "tilesets": LeastBelief(ENGINES["tilesets"]),
    "bitmask": LeastBelief(ENGINES["bitmask"]),
    "exact": LeastBelief(),
    "exact-random-ties": LeastBelief(random_ties=True),
    "endgame": LeastBelief(ending=200),
    "lookahead": Lookahead(ending=0),
    "strongest": Lookahead(ending=400),
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
    "Move",
    "Option",
    "Readiness",
    "Reason",
    "Rules",
]
