"""The players, by name. A new one is a file beside this one and a line below."""

from jaxsweep.strategies.base import (
    UNKNOWN_RISK,
    AbstractStrategy,
    Deduction,
    Move,
    Reason,
    best_deduction,
    certain_move,
)
from jaxsweep.strategies.exact import Exact
from jaxsweep.strategies.knowledge import Knowledge
from jaxsweep.strategies.linear import Linear
from jaxsweep.strategies.random import Random

STRATEGIES: dict[str, AbstractStrategy] = {
    "linear": Linear(),
    "random": Random(),
    "knowledge": Knowledge(),
    "exact": Exact(),
    "exact-random-ties": Exact(random_ties=True),
}

BEST = "exact"
"""The strongest of them: what the programs use unless told otherwise."""

__all__ = [
    "BEST",
    "STRATEGIES",
    "UNKNOWN_RISK",
    "AbstractStrategy",
    "Deduction",
    "Move",
    "Reason",
    "best_deduction",
    "certain_move",
]
