"""Exhaustive search of small components: every bit mask of the cells against every number."""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines.components import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.solution_lists import (
    AbstractListEngine,
    AbstractSolutions,
    count_by_mines,
    weighted_sum,
)
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import FAR


class SearchCapacity(NamedTuple):
    """The static capacities of a kernel."""

    cells: int
    numbers: int
    min_components: int = 0

    @property
    def mine_counts(self) -> int:
        """Distinct mine counts: a component of n cells can have 0 to n mines."""
        return self.cells + 1

    @property
    def bytes(self) -> int:
        """Memory for one component: a flag and a few words for each mask."""
        return 16 * 2**self.cells


class Exhaustive(AbstractListEngine[SearchCapacity]):
    """Tests every assignment of components that are small enough."""

    capacities: tuple[SearchCapacity, ...] = eqx.field(static=True)

    def count_components(
        self, components: Component, length: np.int32, capacity: SearchCapacity
    ) -> ComponentCounts:
        """Tests all masks against all numbers."""
        return search_batch(components, capacity)


class ValidMasks(AbstractSolutions):
    """Which masks are layouts of a component; or of a batch of components, first."""

    live: Bool[Array, "*batch masks"]
    above: Int[Array, "*batch masks"]

    def marginals(
        self, weights: Float[Array, " mine_counts"], possible: UInt32[Array, ""]
    ) -> CellMarginals:
        """Sums the weights of the masks in which each bit is set."""
        weight, can = self.layout_weights(weights, possible)
        masks = jnp.arange(self.live.shape[0], dtype=jnp.uint32)
        shifts = jnp.arange(weights.shape[0] - 1, dtype=jnp.uint32)
        mined = ((masks[:, None] >> shifts[None, :]) & jnp.uint32(1)).astype(jnp.float32)
        # Whole numbers below 2²⁴ are exact in float32, and these counts are far below.
        with_mine = weighted_sum(can.astype(jnp.float32), mined)
        layouts = jnp.sum(can, dtype=jnp.int32)
        return CellMarginals(
            mine=weighted_sum(weight, mined),
            can_mine=with_mine > 0,
            can_clear=with_mine.astype(jnp.int32) < layouts,
        )


@partial(jax.jit, static_argnames="capacity")
def search_batch(components: Component, capacity: SearchCapacity) -> ComponentCounts:
    """Finds the valid masks of a batch of components, first."""
    masks = jnp.arange(2**capacity.cells, dtype=jnp.uint32)
    mines = jax.lax.population_count(masks).astype(jnp.int32)

    def one(component: Component) -> tuple[ValidMasks, Int[Array, ""], Float[Array, " counts"]]:
        around = jnp.asarray(bitboard.pack(component.adjacency()))[:, 0]
        cells = jnp.asarray(bitboard.pack(jnp.asarray(component.cell_row != FAR)[None, :]))[0, 0]
        live = (masks & ~cells) == 0
        for number in range(capacity.numbers):
            inside = jax.lax.population_count(masks & around[number]).astype(jnp.int32)
            live &= inside == component.residual[number]
        above, min_mines, layouts, _ = count_by_mines(
            mines, live.astype(jnp.float32), live, capacity.mine_counts
        )
        return ValidMasks(live, above), min_mines, layouts

    valid, min_mines, layouts = jax.vmap(one)(components)
    return ComponentCounts(min_mines, layouts, jnp.ones(min_mines.shape, bool), valid)
