"""Engines, by name: from a position to beliefs. A new one is a file here and a line below."""

from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.bitmask import Bitmask
from jaxsweep.engines.chains import Chains
from jaxsweep.engines.edges import Edges
from jaxsweep.engines.exact import Exact
from jaxsweep.engines.likelihood import Likelihood
from jaxsweep.engines.rejection import Rejection
from jaxsweep.engines.sampling import Sampling
from jaxsweep.engines.tilesets import TileSets

ENGINES: dict[str, AbstractEngine] = {
    "exact": Exact(),
    "tilesets": TileSets(),
    "bitmask": Bitmask(),
    "edges": Edges(),
    "sampling": Sampling(),
    "rejection": Rejection(),
    "chains": Chains(),
    "likelihood": Likelihood(),
}

__all__ = [
    "ENGINES",
    "AbstractEngine",
    "Bitmask",
    "Chains",
    "Edges",
    "Exact",
    "Likelihood",
    "Rejection",
    "Sampling",
    "TileSets",
]
