"""Inference engines: from positions to beliefs, the mine probability of every hidden cell.

`ENGINES` holds one engine of each kind by name. Exact are `exact`, `tilesets`, `bitmask` and, on
small components, `edges`; `sampling`, `rejection` and `chains` estimate; `likelihood` gives scores.

The engines that count layouts component by component share one pipeline, `component_engine`:

1. `batching` reduces the positions by the single-cell rules; it also makes the batches below;
2. `component_index` finds the connected components (`components` has their types);
3. the engine counts the layouts of each component by mine count: `exact` by `forward_backward`,
   the others as `solution_lists`; `residuals` packs the numbers of a component into words;
4. `component_join` joins the components by the mine count of the position, with the kernels
   `convolution` and `binomials`;
5. the engine computes the marginals of the cells, from which `beliefs` builds its `Beliefs`.

`device_exact` is the same pipeline as one device program: `isolated` solves single constraints,
`device_components` labels the components, and `device_counting` counts them, those of few cells by
`patterns`. The samplers have a kernel each: `rejection` has `random_layouts`, `chains` has
`particle_gibbs`. `exhaustive` counts the parts of `edges`.

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
