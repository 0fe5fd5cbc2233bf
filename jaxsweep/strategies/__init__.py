"""The players, by name. A new one is a file beside this one and a line below."""

from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Move, Reason
from jaxsweep.strategies.knowledge import Knowledge
from jaxsweep.strategies.linear import Linear
from jaxsweep.strategies.random import Random

STRATEGIES: dict[str, AbstractStrategy] = {
    "linear": Linear(),
    "random": Random(),
    "knowledge": Knowledge(),
}

BEST = "knowledge"
"""The strongest of them: what the programs use unless told otherwise."""

__all__ = ["BEST", "STRATEGIES", "UNKNOWN_RISK", "AbstractStrategy", "Move", "Reason"]
