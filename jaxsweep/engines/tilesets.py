"""The tile-set engine: a search tree over the mine counts of tile sets.

A tile set is the set of all cells with the same numbers around them: only how many mines it holds
matters. Every number is an equation over tile sets. The tree of solutions is grown level by level,
one tile set per level, all nodes at once; a child that leaves a number more mines than its cells
can still hold, or fewer than none, is dropped. A leaf stands for the product over the sets of
(size choose mines) layouts.

The total mine count is not an equation of the tree: it would connect all components, and on a large
board exceed any capacity. Components are joined by their mine counts instead.
"""

import math
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines import residuals
from jaxsweep.engines.components import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.residuals import Transition
from jaxsweep.engines.solution_lists import (
    AbstractListEngine,
    AbstractSolutions,
    count_by_mines,
    weighted_sum,
)
from jaxsweep.rules import arrays, bitboard
from jaxsweep.rules.frontier import FAR

VALUES = 8
"""Mines that a set may hold: 0 to 7, since no number needs more after the single-cell rules."""

_CHOOSE = np.array(
    [[math.comb(n, k) for k in range(VALUES)] for n in range(VALUES + 1)], np.float32
)


class TreeCapacity(NamedTuple):
    """The static capacities of a kernel."""

    cells: int
    numbers: int
    sets: int
    nodes: int
    """Nodes of one level of the tree."""
    words: int
    """Words of a packed state."""
    mine_counts: int
    min_components: int = 0

    @property
    def bytes(self) -> int:
        """Memory for one component, while a level is grown or the leaves are summed."""
        growing = VALUES * (self.words + self.sets // residuals.SLOTS)
        return 4 * self.nodes * max(growing, 3 * self.sets)


CAPACITIES = (
    TreeCapacity(cells=16, numbers=24, sets=16, nodes=32, words=2, mine_counts=8),
    TreeCapacity(cells=64, numbers=64, sets=40, nodes=512, words=3, mine_counts=16),
    TreeCapacity(cells=128, numbers=128, sets=96, nodes=16384, words=4, mine_counts=32),
)


class TileSets(AbstractListEngine[TreeCapacity]):
    """Exact beliefs by the solution tree over tile sets, where its widest level fits."""

    capacities: tuple[TreeCapacity, ...] = eqx.field(static=True, default=CAPACITIES)

    def count_components(
        self, components: Component, length: np.int32, capacity: TreeCapacity
    ) -> ComponentCounts:
        """Grows the trees."""
        return grow_batch(components, capacity)


class Sets(eqx.Module):
    """The tile sets of a component, in elimination order."""

    size: Int[Array, " sets"]
    of_cell: Int[Array, " cells"]
    """The set of each cell; the capacity for sets where there is no cell."""
    count: Int[Array, ""]
    adjacency: Bool[Array, "numbers sets"]


class Leaves(AbstractSolutions):
    """The last level of the tree of a component; or of a batch, first."""

    mines_in: UInt32[Array, "*batch nodes words"]
    """Mines of each set, four bits each."""
    layouts: Float[Array, "*batch nodes"]
    above: Int[Array, "*batch nodes"]
    live: Bool[Array, "*batch nodes"]
    sets: Sets

    def marginals(
        self, weights: Float[Array, " mine_counts"], possible: UInt32[Array, ""]
    ) -> CellMarginals:
        """Averages the mines of each set over all leaves, and divides them by its cells."""
        sets = self.sets.size.shape[0]
        mines_in = residuals.unpack_nibbles(self.mines_in)[:, :sets].astype(jnp.float32)
        weight, can = self.layout_weights(weights, possible)
        size = jnp.maximum(self.sets.size, 1).astype(jnp.float32)
        mine = weighted_sum(self.layouts * weight, mines_in) / size
        can_mine = jnp.any(can[:, None] & (mines_in > 0), axis=0)
        can_clear = jnp.any(can[:, None] & (mines_in < size[None, :]), axis=0)
        of_cell = jnp.minimum(self.sets.of_cell, sets - 1)
        return CellMarginals(mine[of_cell], can_mine[of_cell], can_clear[of_cell])


class _Level(NamedTuple):
    """The nodes of one level."""

    packed: UInt32[Array, "nodes words"]
    mines_in: UInt32[Array, "nodes set_words"]
    mines: Int[Array, " nodes"]
    layouts: Float[Array, " nodes"]
    live: Bool[Array, " nodes"]
    fits: Bool[Array, ""]


def find_sets(component: Component, capacity: int) -> Sets:
    """Groups the cells of one component that have the same numbers around them."""
    adjacency, exists = component.adjacency(), jnp.asarray(component.cell_row != FAR)
    around = jnp.asarray(bitboard.pack(adjacency.T))  # [cells, masks of numbers]
    same = jnp.all(around[:, None, :] == around[None, :, :], axis=-1) & exists[None, :]
    cells = exists.shape[0]
    leads = exists & (jnp.argmax(same, axis=1) == jnp.arange(cells))
    ordinal = arrays.prefix_counts_by_row(leads[None, :])[0] - 1
    index = jnp.where(leads, ordinal, capacity)
    size = jnp.sum(same, axis=1, dtype=jnp.int32)
    leader = jnp.zeros((capacity,), jnp.int32).at[index].set(jnp.arange(cells), mode="drop")
    count = ordinal[-1] + 1
    there = jnp.arange(capacity) < count
    return Sets(
        size=jnp.where(there, size[leader], 0),
        of_cell=jnp.where(exists, ordinal[jnp.argmax(same, axis=1)], capacity),
        count=count,
        adjacency=adjacency[:, leader] & there[None, :],
    )


@partial(jax.jit, static_argnames="capacity")
def grow_batch(components: Component, capacity: TreeCapacity) -> ComponentCounts:
    """Grows the trees of a batch of components, first, level by level."""
    sets = jax.vmap(partial(find_sets, capacity=capacity.sets))(components)
    steps, collides = jax.vmap(partial(_transitions, words=capacity.words))(components, sets)
    by_level = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 1, 0), (steps, sets.size))
    batch = components.residual.shape[0]

    def grow(i, level: _Level) -> _Level:
        step, size = jax.tree.map(
            lambda leaf: jax.lax.dynamic_index_in_dim(leaf, i, 0, False), by_level
        )
        return jax.vmap(partial(_grow_level, i))(level, step, size)

    only_root = jnp.zeros((batch, capacity.nodes), bool).at[:, 0].set(True)
    root = _Level(
        packed=jnp.zeros((batch, capacity.nodes, capacity.words), jnp.uint32),
        mines_in=jnp.zeros(
            (batch, capacity.nodes, -(-capacity.sets // residuals.SLOTS)), jnp.uint32
        ),
        mines=jnp.zeros((batch, capacity.nodes), jnp.int32),
        layouts=only_root.astype(jnp.float32),
        live=only_root,
        fits=~collides & (sets.count <= capacity.sets),
    )
    levels = jnp.minimum(jnp.max(sets.count), capacity.sets)
    last = jax.lax.fori_loop(0, levels, grow, root)
    above, min_mines, layouts, enough = jax.vmap(
        partial(count_by_mines, mine_counts=capacity.mine_counts)
    )(last.mines, last.layouts, last.live)
    return ComponentCounts(
        min_mines=min_mines,
        layouts=layouts,
        fits=last.fits & enough,
        messages=Leaves(last.mines_in, last.layouts, above, last.live, sets),
    )


def _transitions(
    component: Component, sets: Sets, words: int
) -> tuple[Transition, Bool[Array, ""]]:
    """Computes the transitions of a component's tile sets; see `residuals.transitions`."""
    cells = jnp.where(sets.adjacency, sets.size[None, :], 0)
    so_far = jnp.cumsum(cells, axis=1, dtype=jnp.int32)
    residual = jnp.asarray(component.residual)
    return residuals.transitions(sets.adjacency, so_far, residual, sets.size > 0, words)


def _grow_level(i: Int[Array, ""], level: _Level, step: Transition, size: Int[Array, ""]) -> _Level:
    """Grows the next level of one tree: every node with every mine count that is feasible."""
    nodes, words = level.packed.shape
    packed = level.packed + step.enter[None, :]
    value = jnp.arange(VALUES, dtype=jnp.uint32)
    left, allowed = residuals.subtract(
        jnp.broadcast_to(packed, (VALUES, nodes, words)),
        (value[:, None] * step.adjacent[None, :])[:, None, :],
    )
    allowed &= level.live[None, :] & (value.astype(jnp.int32) <= size)[:, None]
    allowed &= residuals.is_feasible(left, step.remaining[None, None, :])
    source, live = arrays.compact(allowed.reshape(-1), nodes)
    parent, mines = source % nodes, source // nodes
    word = jnp.arange(level.mines_in.shape[1]) == i // residuals.SLOTS
    digit = mines.astype(jnp.uint32) << (i % residuals.SLOTS * 4).astype(jnp.uint32)
    return _Level(
        packed=left.reshape(-1, words)[source],
        mines_in=level.mines_in[parent] | jnp.where(word[None, :], digit[:, None], jnp.uint32(0)),
        mines=level.mines[parent] + mines,
        layouts=level.layouts[parent] * jnp.asarray(_CHOOSE)[size][mines],
        live=live,
        fits=level.fits & (jnp.sum(allowed, dtype=jnp.int32) <= nodes),
    )
