"""The edge-search engine: exhaustive search of small components, and of parts of large ones.

It follows the terminal solver whose search it is named after: an edge is what other engines call a
component. An edge of up to `limit` cells is searched whole: all its 2ⁿ bit masks against all its
numbers. A position whose edges are all that small gets exact beliefs, the edges joined by their
mine counts.

A larger edge is searched in maximal sub-edges: from each of its numbers, more numbers are added
while the cells around them are `limit` at most. What holds in every layout of some of the numbers
holds in every layout of all of them, so that certain cells stay certain. Probabilities do not: a
position with such an edge gets estimates of unknown error, and the estimate of a cell is that of
the sub-edge with most of the numbers around it. Nor do sub-edges prove that the whole has a layout:
only contradictions within a part are found.
"""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import (
    BYTES,
    is_possible,
    mask_of_indices,
    padded_batches,
    reduce_positions,
    sizes_of,
)
from jaxsweep.engines.component_engine import (
    CountedComponents,
    cell_marginals,
    count_all_components,
    fill_beliefs,
)
from jaxsweep.engines.component_index import ComponentIndex, ComponentLists, find_components
from jaxsweep.engines.component_join import join_components
from jaxsweep.engines.components import MAX_MINE_COUNTS, Component
from jaxsweep.engines.exhaustive import Exhaustive, SearchCapacity
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.rules.position import Position

CUT_CAPACITIES = (64, 128, 512)
"""Cells, and as many numbers, of an edge that a kernel cuts into sub-edges."""

NUMBERS_PER_CELL = 3
"""Numbers that a search has room for, as a multiple of its cells: a straight edge between two rows
of numbers has two per cell, and some at its ends."""


class Edges(AbstractEngine):
    """Exact where all edges are small; else estimates, and the cells that a part proves."""

    limit: int = eqx.field(static=True, default=16)
    """The most cells that are searched at once: time doubles with each."""

    def __check_init__(self):
        """A single number has up to eight cells, and more than 2²⁰ masks take too much memory."""
        if not 8 <= self.limit <= 20:
            raise ValueError(f"the limit of an edge search is 8 to 20 cells, not {self.limit}")

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Infers beliefs, exact or estimated; the seeds are not used."""
        reduced, search = reduce_positions(positions), self._search()
        edges, fits = find_components(reduced)
        possible = is_possible(reduced)
        small = (edges.cells <= self.limit) & (edges.numbers <= NUMBERS_PER_CELL * self.limit)
        in_parts = mask_of_indices(len(fits), edges.position[~small])
        too_large = np.maximum(edges.cells, edges.numbers) > CUT_CAPACITIES[-1]
        fits &= ~mask_of_indices(len(fits), edges.position[too_large])
        whole = edges.only(~in_parts[edges.position])
        counted = count_all_components(search, whole)
        wanted = ~in_parts & fits & possible
        joined = join_components(whole, counted.min_mines, counted.layouts, reduced, wanted)
        beliefs = fill_beliefs(search, reduced, whole, counted, joined)
        cut = (in_parts & fits & possible)[edges.position]
        if not cut.any():
            return beliefs
        parts = edges.lists(np.nonzero(cut & small)[0]) + self._cut(edges, cut & ~small)
        return _estimate(beliefs, reduced, ComponentIndex.of(parts), search)

    def _search(self) -> Exhaustive:
        sizes = [size for size in (8, 12, 16) if size < self.limit] + [self.limit]
        return Exhaustive(tuple(SearchCapacity(size, NUMBERS_PER_CELL * size) for size in sizes))

    def _cut(
        self, edges: ComponentIndex, wanted: Bool[np.ndarray, " edges"]
    ) -> list[ComponentLists]:
        """Returns the maximal sub-edges of the wanted edges."""
        found, largest = [], np.maximum(edges.cells, edges.numbers)
        for below, capacity in zip((0, *CUT_CAPACITIES), CUT_CAPACITIES, strict=False):
            chosen = np.nonzero(wanted & (largest > below) & (largest <= capacity))[0]
            for which, real in padded_batches(chosen, BYTES // (capacity**3 // 4)):
                padded = edges.pad(which, capacity, capacity)
                groups = np.asarray(cut_batch(padded, self.limit))
                for i, lists in enumerate(edges.lists(which[:real])):
                    found += _sub_edges(lists, groups[i])
        return found


@partial(jax.jit, static_argnames="limit")
def cut_batch(edges: Component, limit: int) -> Bool[Array, "batch numbers numbers"]:
    """Finds for each number of each edge the numbers of a maximal sub-edge that contains it."""

    def one(edge: Component) -> Bool[Array, "numbers numbers"]:
        around = jnp.asarray(bitboard.pack(edge.adjacency()))  # [numbers, masks]
        return jax.vmap(partial(_grow, around, limit))(jnp.arange(around.shape[0]))

    return jax.vmap(one)(edges)


def _grow(
    around: UInt32[Array, "numbers masks"], limit: int, seed: Int[Array, ""]
) -> Bool[Array, " numbers"]:
    """Grows a sub-edge from one number: the next number is the one that adds the fewest cells."""
    numbers, exists = around.shape[0], jnp.any(around != 0, axis=1)
    apart = 2**15

    def cost(cells: UInt32[Array, " masks"], inside: Bool[Array, " numbers"]):
        size = jax.lax.population_count(cells[None, :] | around)
        size = jnp.sum(size, axis=1, dtype=jnp.uint32).astype(jnp.int32)
        # Numbers that share no cell with the sub-edge do not constrain it: they come last.
        disjoint = ~jnp.any((cells[None, :] & around) != 0, axis=1)
        allowed = exists & ~inside & (size <= limit)
        return jnp.where(allowed, size + jnp.where(disjoint, apart, 0), 2 * apart)

    def add(state):
        cells, inside, costs = state
        new = jnp.argmin(costs)
        cells, inside = cells | around[new], inside | (jnp.arange(numbers) == new)
        return cells, inside, cost(cells, inside)

    def can_grow(state):
        fits = jnp.sum(state[1], dtype=jnp.int32) < NUMBERS_PER_CELL * limit
        return fits & (jnp.min(state[2]) < 2 * apart)

    inside = jnp.arange(numbers) == seed
    start = (around[seed], inside, cost(around[seed], inside))
    return jax.lax.while_loop(can_grow, add, start)[1]


def _sub_edges(
    edge: ComponentLists, groups: Bool[np.ndarray, "numbers numbers"]
) -> list[ComponentLists]:
    """Returns the distinct sub-edges of one edge, given the numbers of each."""
    adjacency = edge.adjacency()
    numbers = len(edge.residual)
    return [
        ComponentLists(
            edge.position,
            *(of_cells[adjacency[group].any(0)] for of_cells in (edge.cell_row, edge.cell_col)),
            *(of[group] for of in (edge.number_row, edge.number_col, edge.residual)),
        )
        for group in np.unique(groups[:numbers, :numbers], axis=0)
    ]


def _bounds(
    parts: ComponentIndex, counted: CountedComponents, unknown: Int[np.ndarray, " positions"]
) -> tuple[Int[np.ndarray, " positions"], Int[np.ndarray, " positions"]]:
    """Bounds the mines of each position from below and above, by parts that share no cell."""
    fewest, most = np.zeros_like(unknown), unknown.copy()
    above = ((counted.layouts > 0) * np.arange(MAX_MINE_COUNTS)).max(1)
    max_mines = counted.min_mines + above
    taken: dict[int, set[tuple[int, int]]] = {}
    for i, part in enumerate(parts.lists(np.arange(len(parts)))):
        cells = set(zip(part.cell_row.tolist(), part.cell_col.tolist(), strict=True))
        seen = taken.setdefault(part.position, set())
        if not cells & seen:
            seen |= cells
            fewest[part.position] += counted.min_mines[i]
            most[part.position] -= len(cells) - max_mines[i]
    return fewest, most


def _density_weights(
    counted: CountedComponents,
    position: Int[np.ndarray, " parts"],
    mines: Float[np.ndarray, " positions"],
    cells: Int[np.ndarray, " positions"],
) -> Float[np.ndarray, "parts mine_counts"]:
    """Weights the layouts of each part by the mine density of its position, normalised."""
    tilt = np.log((mines + 0.5) / (np.maximum(cells - mines, 0) + 0.5))[position]
    tilts = np.exp(np.arange(MAX_MINE_COUNTS) * tilt[:, None])
    weights = np.where(counted.layouts > 0, tilts, 0.0)
    total = (weights * counted.layouts).sum(1, keepdims=True)
    return (weights / np.where(total > 0, total, 1.0)).astype(np.float32)


def _estimate(
    beliefs: Beliefs, reduced: ReducedPosition, parts: ComponentIndex, search: Exhaustive
) -> Beliefs:
    """Fills in estimates for the positions that the parts belong to."""
    probability, safe, mines, status = (
        np.array(part)
        for part in (beliefs.mine_probability, beliefs.safe, beliefs.mines, beliefs.status)
    )
    counted = count_all_components(search, parts)
    left = np.maximum(np.asarray(reduced.mines_left, np.float64), 0)
    unknown = sizes_of(reduced.boundary) + sizes_of(reduced.unconstrained)
    weights = _density_weights(counted, parts.position, left, unknown)
    numbers_around = np.full(probability.shape, -1)
    every = np.full(len(parts), 2**32 - 1, np.uint32)
    for batch, marginals in cell_marginals(search, parts, counted, weights, every):
        fitting = batch.counted
        own = batch.components[fitting]
        at, is_cell = parts.grid_index(own, batch.capacity.cells)
        around = np.concatenate([one.adjacency().sum(0) for one in parts.lists(own)])
        np.logical_or.at(safe, at, ~marginals.can_mine[fitting][is_cell])
        np.logical_or.at(mines, at, ~marginals.can_clear[fitting][is_cell])
        # A cell may be in many parts: of those with most of its numbers, the last one counts.
        order = np.argsort(around, kind="stable")
        at, around = tuple(axis[order] for axis in at), around[order]
        better = around >= numbers_around[at]
        at = tuple(axis[better] for axis in at)
        probability[at] = marginals.mine[fitting][is_cell][order][better]
        numbers_around[at] = around[better]
    in_parts = mask_of_indices(len(status), np.unique(parts.position))
    contradicted = mask_of_indices(len(status), parts.position[counted.layouts.sum(1) == 0])
    fewest, most = _bounds(parts, counted, unknown)
    contradicted |= (safe & mines).any((1, 2)) | (left < fewest) | (left > most)
    status[in_parts] = Status.ESTIMATE
    status[contradicted & in_parts] = Status.INCONSISTENT
    estimated = (status == Status.ESTIMATE) & in_parts
    boundary, unconstrained = (
        bitboard.unpack_batch(x) for x in (reduced.boundary, reduced.unconstrained)
    )
    on_boundary = np.where(boundary, probability, 0.0).sum((1, 2))
    density = (left - on_boundary) / np.maximum(sizes_of(reduced.unconstrained), 1)
    probability = np.where(
        unconstrained & estimated[:, None, None], density[:, None, None], probability
    )
    of_unknown_error = (boundary | unconstrained) & estimated[:, None, None]
    return Beliefs.build(
        status=status,
        mine_probability=probability,
        safe=safe,
        mines=mines,
        error=np.where(of_unknown_error, np.inf, 0.0),
        log_layouts=np.asarray(beliefs.log_layouts),
    )
