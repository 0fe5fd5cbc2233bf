"""Joins the components of positions, in batches; the kernel is `convolution`.

To join components is to sum over all combinations of their mine counts that the mine count of the
position allows: sum-product, one convolution a component.
"""

from dataclasses import dataclass

import jax
import numpy as np
from jaxtyping import Bool, Float, Int, UInt32

from jaxsweep.engines import convolution
from jaxsweep.engines.batching import BYTES, padded_batches, parallel_map, sizes_of
from jaxsweep.engines.binomials import log_binomial_host
from jaxsweep.engines.component_index import ComponentIndex
from jaxsweep.engines.components import MAX_MINE_COUNTS
from jaxsweep.rules.frontier import ReducedPosition

JOIN_CAPACITIES = ((8, 8, 32), (32, 8, 128), (64, 16, 256), (64, 32, 512), (1024, 32, 4096))
"""Components, mine counts of a component, and sums of mine counts that a join kernel has room for.
"""


@dataclass
class JoinedComponents:
    """`convolution.Joined` of all positions, on the host: by component, and by position."""

    weights: Float[np.ndarray, "components mine_counts"]
    possible: UInt32[np.ndarray, " components"]
    unconstrained_mine: Float[np.ndarray, " positions"]
    unconstrained_can_mine: Bool[np.ndarray, " positions"]
    unconstrained_can_clear: Bool[np.ndarray, " positions"]
    consistent: Bool[np.ndarray, " positions"]
    log_layouts: Float[np.ndarray, " positions"]
    fits: Bool[np.ndarray, " positions"]

    @classmethod
    def empty(cls, components: int, positions: int) -> "JoinedComponents":
        """Allocates the arrays: no position is joined yet."""
        return cls(
            weights=np.zeros((components, MAX_MINE_COUNTS), np.float32),
            possible=np.zeros(components, np.uint32),
            unconstrained_mine=np.zeros(positions, np.float32),
            unconstrained_can_mine=np.zeros(positions, bool),
            unconstrained_can_clear=np.zeros(positions, bool),
            consistent=np.zeros(positions, bool),
            log_layouts=np.full(positions, -np.inf),
            fits=np.zeros(positions, bool),
        )


_BY_POSITION = (
    "unconstrained_mine",
    "unconstrained_can_mine",
    "unconstrained_can_clear",
    "consistent",
    "fits",
)


def join_components(
    components: ComponentIndex,
    min_mines: Int[np.ndarray, " components"],
    layouts: Float[np.ndarray, "components mine_counts"],
    reduced: ReducedPosition,
    wanted: Bool[np.ndarray, " positions"],
) -> JoinedComponents:
    """Joins the components of each wanted position by its mine count.

    `min_mines` and `layouts` are the counts of the components, as in `ComponentCounts`.
    """
    sizes = np.stack(
        [sizes_of(reduced.boundary), sizes_of(reduced.unconstrained), reduced.mines_left]
    )
    positions = sizes.shape[1]
    joined = JoinedComponents.empty(len(components), positions)
    number = np.bincount(components.position, minlength=positions)
    max_counts = np.zeros(positions, np.int64)
    used = (layouts > 0) * np.arange(1, MAX_MINE_COUNTS + 1)
    np.maximum.at(max_counts, components.position, used.max(1, initial=0))
    for capacity, mine_counts, total in JOIN_CAPACITIES:
        small = (number <= capacity) & (max_counts <= mine_counts)
        chosen = np.nonzero(wanted & ~joined.fits & small)[0]

        def work(
            job: tuple[np.ndarray, int], capacity=capacity, mine_counts=mine_counts, total=total
        ) -> None:
            """Joins a batch; concurrent jobs write different entries."""
            which, real = job
            batch_index = np.full(positions, -1)
            batch_index[which[:real]] = np.arange(real)
            own = np.nonzero(batch_index[components.position] >= 0)[0]
            ordinal, at = components.ordinal[own], batch_index[components.position[own]]
            batch_layouts = np.zeros((capacity, mine_counts, len(which)), np.float32)
            batch_layouts[:, 0] = 1.0
            batch_layouts[ordinal, :, at] = layouts[own, :mine_counts]
            batch_min_mines = np.zeros((capacity, len(which)), np.int32)
            batch_min_mines[ordinal, at] = min_mines[own]
            boundary, unconstrained, mines = sizes[:, which].astype(np.int32)
            new = jax.device_get(
                join_batch(batch_layouts, batch_min_mines, boundary, unconstrained, mines, total)
            )
            joined.weights[own, :mine_counts] = new.weights[ordinal, :, at]
            joined.possible[own] = new.possible[ordinal, at]
            for name in _BY_POSITION:
                getattr(joined, name)[which[:real]] = getattr(new, name)[:real]
            logs = new.log_scale + log_binomial_host(unconstrained, new.anchor)
            joined.log_layouts[which[:real]] = np.where(new.consistent, logs, -np.inf)[:real]

        parallel_map(work, padded_batches(chosen, BYTES // (16 * capacity * total)))
    return joined


join_batch = jax.jit(convolution.join, static_argnames="total")
