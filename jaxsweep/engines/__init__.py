"""Inference engines: from positions to beliefs, the mine probability of every hidden cell.

`ENGINES` holds one engine of each kind by name. Exact are `exact`, `native`, `scalar`, `tilesets`,
`bitmask` and, on small components, `edges`; `sampling`, `rejection` and `chains` estimate;
`likelihood` gives scores.

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
`particle_gibbs`. `exhaustive` counts the parts of `edges`. `scalar` is
`jaxsweep.scalar.exact`, which needs no device, as an engine, and `native` is `jaxsweep.native`, the
same compiled to machine code.

To add an engine, write a file with a subclass of `AbstractEngine`, or of
`component_engine.AbstractComponentEngine` if it counts the layouts of components, and add it to
`ENGINES`, which imports engines when they are first looked up. The conformance tests in
`tests/test_engines.py` then run on it.
"""

from typing import TYPE_CHECKING

from jaxsweep.runtime.registry import LazyRegistry

if TYPE_CHECKING:
    from jaxsweep.engines.base import AbstractEngine

ENGINES: "LazyRegistry[AbstractEngine]" = LazyRegistry(
    {
        "exact": "jaxsweep.engines.exact:Exact",
        "native": "jaxsweep.engines.native:Native",
        "scalar": "jaxsweep.engines.scalar:Scalar",
        "tilesets": "jaxsweep.engines.tilesets:TileSets",
        "bitmask": "jaxsweep.engines.bitmask:Bitmask",
        "edges": "jaxsweep.engines.edges:Edges",
        "sampling": "jaxsweep.engines.sampling:Sampling",
        "rejection": "jaxsweep.engines.rejection:Rejection",
        "chains": "jaxsweep.engines.chains:Chains",
        "likelihood": "jaxsweep.engines.likelihood:Likelihood",
    }
)

__all__ = ["ENGINES"]
