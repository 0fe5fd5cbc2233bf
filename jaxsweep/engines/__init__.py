"""Inference engines: from positions to beliefs, the mine probability of every hidden cell.

`ENGINES` holds one engine of each kind by name. Exact are `exact`, `tilesets`, `bitmask` and, on
small components, `edges`; `sampling`, `rejection` and `chains` estimate; `likelihood` gives scores.
The other modules are their parts: `components` and `component_engine` are where to start.

To add an engine, write a file with a subclass of `AbstractEngine`, or of
`component_engine.AbstractComponentEngine` if it counts the layouts of components, and add it to
`ENGINES`. The conformance tests in `tests/test_engines.py` then run on it.
"""

from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.beliefs import Beliefs, Status
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
    "Beliefs",
    "Bitmask",
    "Chains",
    "Edges",
    "Exact",
    "Likelihood",
    "Rejection",
    "Sampling",
    "Status",
    "TileSets",
]
