"""The tile-set engine: cells with the same numbers around them, and a tree of their mine counts.

Cells of a tile set are alike: what matters is how many mines it holds. Every number is a rule, a
sum of tile sets. The tree of solutions is grown level by level, one tile set a level, all of its
nodes side by side; a child that leaves a rule more than its sets can still give, or less than
nothing, is dropped at once. What a rule forces is then the only child left. A leaf stands for the
product over the sets of (size choose mines) layouts.

The rule of the whole board, all mines, is not a level of the tree: it would tie all edges together,
and on a large board leave no capacity for anything else. Edges are joined by their mine counts.
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
from jaxsweep.engines.component_engine import (
    AbstractComponentEngine,
    CellMarginals,
    Component,
    ComponentCounts,
)
from jaxsweep.engines.residuals import Transition
from jaxsweep.engines.solution_lists import compact, tabulate, weigh, weighted_sum
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import FAR

VALUES = 8
"""Mines that a set may hold: 0 to 7, since no unsettled number needs more."""

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
    spread: int
    worth_from: int = 0

    @property
    def bytes(self) -> int:
        """What one edge takes, while a level is grown or the leaves are weighed."""
        growing = VALUES * (self.words + self.sets // residuals.SLOTS)
        return 4 * self.nodes * max(growing, 3 * self.sets)


CAPACITIES = (
    TreeCapacity(cells=16, numbers=24, sets=16, nodes=32, words=2, spread=8),
    TreeCapacity(cells=64, numbers=64, sets=40, nodes=512, words=3, spread=16),
    TreeCapacity(cells=128, numbers=128, sets=96, nodes=16384, words=4, spread=32),
)


class TileSets(AbstractComponentEngine[TreeCapacity]):
    """Exact beliefs by the solution tree over tile sets, where its widest level fits."""

    capacities: tuple[TreeCapacity, ...] = eqx.field(static=True, default=CAPACITIES)

    def count_components(
        self, edges: Component, length: np.int32, capacity: TreeCapacity
    ) -> ComponentCounts:
        """Grows the trees."""
        return _grow_batch(edges, capacity)

    def marginals(
        self,
        messages: "Leaves",
        weights: Float[np.ndarray, "batch spread"],
        possible: UInt32[np.ndarray, " batch"],
        length: np.int32,
    ) -> CellMarginals:
        """Sums over the leaves."""
        return _weigh_batch(messages, weights, possible)


class Sets(eqx.Module):
    """The tile sets of an edge, in walking order."""

    size: Int[Array, " sets"]
    of_cell: Int[Array, " cells"]
    """The set of each cell; the number of sets past the end of the list."""
    count: Int[Array, ""]
    near: Bool[Array, "numbers sets"]


class Leaves(eqx.Module):
    """The last level of the tree of an edge; or a batch, first."""

    mines_in: UInt32[Array, "*batch nodes words"]
    """Mines of each set, four bits each."""
    ways: Float[Array, "*batch nodes"]
    above: Int[Array, "*batch nodes"]
    """Mines in all, above the least of any leaf."""
    live: Bool[Array, "*batch nodes"]
    sets: Sets


class _Level(NamedTuple):
    """The nodes of one level."""

    keys: UInt32[Array, "nodes words"]
    mines_in: UInt32[Array, "nodes set_words"]
    mines: Int[Array, " nodes"]
    ways: Float[Array, " nodes"]
    live: Bool[Array, " nodes"]
    fits: Bool[Array, ""]


def find_sets(edge: Component, capacity: int) -> Sets:
    """Groups the cells of one edge that have the same numbers around them."""
    near, exists = edge.near(), jnp.asarray(edge.cell_row != FAR)
    around = jnp.asarray(bitboard.pack(near.T))  # [cells, masks of numbers]
    same = jnp.all(around[:, None, :] == around[None, :, :], axis=-1) & exists[None, :]
    cells = exists.shape[0]
    leads = exists & (jnp.argmax(same, axis=1) == jnp.arange(cells))
    ordinal = bitboard.running_counts(leads[None, :])[0] - 1
    place = jnp.where(leads, ordinal, capacity)
    size = jnp.sum(same, axis=1, dtype=jnp.int32)
    leader = jnp.zeros((capacity,), jnp.int32).at[place].set(jnp.arange(cells), mode="drop")
    count = ordinal[-1] + 1
    there = jnp.arange(capacity) < count
    return Sets(
        size=jnp.where(there, size[leader], 0),
        of_cell=jnp.where(exists, ordinal[jnp.argmax(same, axis=1)], capacity),
        count=count,
        near=near[:, leader] & there[None, :],
    )


@partial(jax.jit, static_argnames="capacity")
def _grow_batch(edges: Component, capacity: TreeCapacity) -> ComponentCounts:
    """Grows the trees of a batch of edges, level by level."""
    sets = jax.vmap(partial(find_sets, capacity=capacity.sets))(edges)
    steps, collides = jax.vmap(partial(_steps, words=capacity.words))(edges, sets)
    by_level = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 1, 0), (steps, sets.size))
    batch = edges.need.shape[0]

    def grow(i, level: _Level) -> _Level:
        step, size = jax.tree.map(
            lambda leaf: jax.lax.dynamic_index_in_dim(leaf, i, 0, False), by_level
        )
        return jax.vmap(partial(_grow, i))(level, step, size)

    only_root = jnp.zeros((batch, capacity.nodes), bool).at[:, 0].set(True)
    root = _Level(
        keys=jnp.zeros((batch, capacity.nodes, capacity.words), jnp.uint32),
        mines_in=jnp.zeros(
            (batch, capacity.nodes, -(-capacity.sets // residuals.SLOTS)), jnp.uint32
        ),
        mines=jnp.zeros((batch, capacity.nodes), jnp.int32),
        ways=only_root.astype(jnp.float32),
        live=only_root,
        fits=~collides & (sets.count <= capacity.sets),
    )
    levels = jnp.minimum(jnp.max(sets.count), capacity.sets)
    last = jax.lax.fori_loop(0, levels, grow, root)
    above, least, layouts, narrow = jax.vmap(partial(tabulate, spread=capacity.spread))(
        last.mines, last.ways, last.live
    )
    return ComponentCounts(
        least=least,
        layouts=layouts,
        fits=last.fits & narrow,
        messages=Leaves(last.mines_in, last.ways, above, last.live, sets),
    )


def _steps(edge: Component, sets: Sets, words: int) -> tuple[Transition, Bool[Array, ""]]:
    """Set by set: a rule has so many cells behind it as its sets so far have."""
    cells = jnp.where(sets.near, sets.size[None, :], 0)
    so_far = jnp.cumsum(cells, axis=1, dtype=jnp.int32)
    return residuals.line_up(sets.near, so_far, jnp.asarray(edge.need), sets.size > 0, words)


def _grow(i: Int[Array, ""], level: _Level, step: Transition, size: Int[Array, ""]) -> _Level:
    """The next level of one tree: every node with every number of mines that the rules allow."""
    nodes, words = level.keys.shape
    keys = level.keys + step.enter[None, :]
    value = jnp.arange(VALUES, dtype=jnp.uint32)
    left, allowed = residuals.take(
        jnp.broadcast_to(keys, (VALUES, nodes, words)),
        (value[:, None] * step.touch[None, :])[:, None, :],
    )
    allowed &= level.live[None, :] & (value.astype(jnp.int32) <= size)[:, None]
    allowed &= residuals.can_end(left, step.room[None, None, :])
    source, children = compact(allowed.reshape(-1), nodes)
    parent, mines = source % nodes, source // nodes
    word = jnp.arange(level.mines_in.shape[1]) == i // residuals.SLOTS
    digit = mines.astype(jnp.uint32) << (i % residuals.SLOTS * 4).astype(jnp.uint32)
    return _Level(
        keys=left.reshape(-1, words)[source],
        mines_in=level.mines_in[parent] | jnp.where(word[None, :], digit[:, None], jnp.uint32(0)),
        mines=level.mines[parent] + mines,
        ways=level.ways[parent] * jnp.asarray(_CHOOSE)[size][mines],
        live=jnp.arange(nodes) < children,
        fits=level.fits & (children <= nodes),
    )


def _weigh(
    leaves: Leaves, weights: Float[Array, " spread"], possible: UInt32[Array, ""]
) -> CellMarginals:
    """What the cells of one edge can be: the sets' mines over all leaves."""
    sets = leaves.sets.size.shape[0]
    digits = jnp.arange(residuals.SLOTS, dtype=jnp.uint32) * jnp.uint32(4)
    mines_in = (leaves.mines_in[:, :, None] >> digits[None, None, :]) & jnp.uint32(0xF)
    mines_in = mines_in.reshape(mines_in.shape[0], -1)[:, :sets].astype(jnp.float32)
    weight, can = weigh(leaves.above, leaves.live, weights, possible)
    size = jnp.maximum(leaves.sets.size, 1).astype(jnp.float32)
    mine = weighted_sum(leaves.ways * weight, mines_in) / size
    can_mine = jnp.any(can[:, None] & (mines_in > 0), axis=0)
    can_clear = jnp.any(can[:, None] & (mines_in < size[None, :]), axis=0)
    of_cell = jnp.minimum(leaves.sets.of_cell, sets - 1)
    return CellMarginals(mine[of_cell], can_mine[of_cell], can_clear[of_cell])


_weigh_batch = jax.jit(jax.vmap(_weigh))
