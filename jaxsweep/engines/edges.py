"""The edge-search engine: every assignment of every edge tried, and of large edges their parts.

An edge of up to `limit` cells is searched whole: all its 2ⁿ bit masks against all its numbers. A
position whose edges are all that small gets exact beliefs, the edges joined by their mine counts.

A larger edge is searched in maximal sub-edges: from each of its numbers, more numbers are added
while all cells around them are `limit` at most. What holds in every layout of some of the numbers
holds in every layout of all of them, so certain cells stay certain. Probabilities do not: a
position with such an edge gets estimates, of unknown error, and a cell's is that of the sub-edge
that has most of the numbers around it. Nor do they tell that the whole has a layout: only what the
parts contradict is found.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines import component_engine
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import BYTES, batches, reduce_positions, sizes_of
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.engines.component_engine import (
    AbstractComponentEngine,
    CellMarginals,
    Component,
    ComponentCounts,
    ComponentLists,
)
from jaxsweep.engines.solution_lists import tabulate, weigh, weighted_sum
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import FAR, ReducedPosition
from jaxsweep.rules.position import Position

CUT_CAPACITIES = (64, 128, 512)
"""Cells, and numbers, of an edge that a kernel cuts into sub-edges."""

NUMBERS_A_CELL = 3
"""Numbers that a search has places for, as a multiple of its cells: a straight edge between two
rows of numbers has two a cell, and some at its ends."""


class SearchCapacity(NamedTuple):
    """The static capacities of a kernel."""

    cells: int
    numbers: int
    worth_from: int = 0

    @property
    def spread(self) -> int:
        """An edge of n cells can have 0 to n mines."""
        return self.cells + 1

    @property
    def bytes(self) -> int:
        """What one edge takes: a flag and a few words for each mask."""
        return 16 * 2**self.cells


class Edges(AbstractEngine):
    """Exact where all edges are small; else estimates, with what the parts prove."""

    limit: int = eqx.field(static=True, default=16)
    """The most cells that are searched at once: time doubles with each."""

    def __check_init__(self):
        """A number alone has up to eight cells, and 2²⁰ masks are the most that memory likes."""
        if not 8 <= self.limit <= 20:
            raise ValueError(f"the limit of an edge search is 8 to 20 cells, not {self.limit}")

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Beliefs of a batch; nothing is drawn by lot."""
        reduced, search = reduce_positions(positions), self._search()
        edges, fits = component_engine.find_components(reduced)
        possible = component_engine.is_possible(reduced)
        small = (edges.cells <= self.limit) & (edges.numbers <= NUMBERS_A_CELL * self.limit)
        in_parts = component_engine.mask_of_indices(len(fits), edges.position[~small])
        too_large = np.maximum(edges.cells, edges.numbers) > CUT_CAPACITIES[-1]
        fits &= ~component_engine.mask_of_indices(len(fits), edges.position[too_large])
        whole = edges.only(~in_parts[edges.position])
        counted = component_engine.count(search, whole)
        joint = component_engine.join(whole, counted, reduced, ~in_parts & fits & possible)
        beliefs = component_engine.fill(search, reduced, whole, counted, joint)
        cut = (in_parts & fits & possible)[edges.position]
        if not cut.any():
            return beliefs
        parts = edges.lists(np.nonzero(cut & small)[0]) + self._cut(edges, cut & ~small)
        return _estimate(beliefs, reduced, component_engine.ComponentIndex.of(parts), search)

    def _search(self) -> "Exhaustive":
        sizes = [size for size in (8, 12, 16) if size < self.limit] + [self.limit]
        return Exhaustive(tuple(SearchCapacity(size, NUMBERS_A_CELL * size) for size in sizes))

    def _cut(
        self, edges: component_engine.ComponentIndex, wanted: Bool[np.ndarray, " edges"]
    ) -> list[ComponentLists]:
        """The maximal sub-edges of the wanted edges."""
        found, largest = [], np.maximum(edges.cells, edges.numbers)
        for below, capacity in zip((0, *CUT_CAPACITIES), CUT_CAPACITIES, strict=False):
            chosen = np.nonzero(wanted & (largest > below) & (largest <= capacity))[0]
            for which, real in batches(chosen, BYTES // (capacity**3 // 4)):
                padded = edges.pad(which, capacity, capacity)
                groups = np.asarray(_cut_batch(padded, self.limit))
                for i, lists in enumerate(edges.lists(which[:real])):
                    found += _sub_edges(lists, groups[i])
        return found


class Exhaustive(AbstractComponentEngine[SearchCapacity]):
    """Tries every assignment of edges that are small enough."""

    capacities: tuple[SearchCapacity, ...] = eqx.field(static=True)

    def count_components(
        self, edges: Component, length: np.int32, capacity: SearchCapacity
    ) -> ComponentCounts:
        """Tests all masks against all numbers."""
        return _try_batch(edges, capacity)

    def marginals(
        self,
        messages: "Valid",
        weights: Float[np.ndarray, "batch spread"],
        possible: UInt32[np.ndarray, " batch"],
        length: np.int32,
    ) -> CellMarginals:
        """Counts how often each bit is set, by weight."""
        return _weigh_batch(messages, weights, possible)


class Valid(eqx.Module):
    """Which masks are layouts of an edge; or a batch, first."""

    live: Bool[Array, "*batch masks"]
    above: Int[Array, "*batch masks"]


@partial(jax.jit, static_argnames="capacity")
def _try_batch(edges: Component, capacity: SearchCapacity) -> ComponentCounts:
    """All masks of a batch of edges."""
    masks = jnp.arange(2**capacity.cells, dtype=jnp.uint32)
    mines = jax.lax.population_count(masks).astype(jnp.int32)

    def one(edge: Component) -> tuple[Valid, Int[Array, ""], Float[Array, " spread"]]:
        around = jnp.asarray(bitboard.pack(edge.near()))[:, 0]
        there = jnp.asarray(bitboard.pack(jnp.asarray(edge.cell_row != FAR)[None, :]))[0, 0]
        live = (masks & ~there) == 0
        for number in range(capacity.numbers):
            inside = jax.lax.population_count(masks & around[number]).astype(jnp.int32)
            live &= inside == edge.need[number]
        above, least, layouts, _ = tabulate(mines, live.astype(jnp.float32), live, capacity.spread)
        return Valid(live, above), least, layouts

    valid, least, layouts = jax.vmap(one)(edges)
    return ComponentCounts(least, layouts, jnp.ones(least.shape, bool), valid)


def _weigh(
    valid: Valid, weights: Float[Array, " spread"], possible: UInt32[Array, ""]
) -> CellMarginals:
    """How often each bit is set, by weight."""
    weight, can = weigh(valid.above, valid.live, weights, possible)
    masks = jnp.arange(valid.live.shape[0], dtype=jnp.uint32)
    places = jnp.arange(weights.shape[0] - 1, dtype=jnp.uint32)
    mined = ((masks[:, None] >> places[None, :]) & jnp.uint32(1)).astype(jnp.float32)
    # Whole numbers below 2²⁴ are exact in float32: these counts are, and so what they tell.
    with_mine = weighted_sum(can.astype(jnp.float32), mined)
    layouts = jnp.sum(can, dtype=jnp.int32)
    return CellMarginals(
        mine=weighted_sum(weight, mined),
        can_mine=with_mine > 0,
        can_clear=with_mine.astype(jnp.int32) < layouts,
    )


_weigh_batch = jax.jit(jax.vmap(_weigh))


@partial(jax.jit, static_argnames="limit")
def _cut_batch(edges: Component, limit: int) -> Bool[Array, "batch numbers numbers"]:
    """For each number of each edge, the numbers of a maximal sub-edge that has it."""

    def one(edge: Component) -> Bool[Array, "numbers numbers"]:
        around = jnp.asarray(bitboard.pack(edge.near()))  # [numbers, masks]
        return jax.vmap(partial(_grow, around, limit))(jnp.arange(around.shape[0]))

    return jax.vmap(one)(edges)


def _grow(
    around: UInt32[Array, "numbers masks"], limit: int, seed: Int[Array, ""]
) -> Bool[Array, " numbers"]:
    """From one number on: the next is always the one that adds the fewest cells."""
    numbers, there = around.shape[0], jnp.any(around != 0, axis=1)
    apart = 2**15

    def cost(cells: UInt32[Array, " masks"], inside: Bool[Array, " numbers"]):
        size = jax.lax.population_count(cells[None, :] | around)
        size = jnp.sum(size, axis=1, dtype=jnp.uint32).astype(jnp.int32)
        # Numbers that share no cell with the others tell nothing about them: they come last.
        alone = ~jnp.any((cells[None, :] & around) != 0, axis=1)
        allowed = there & ~inside & (size <= limit)
        return jnp.where(allowed, size + jnp.where(alone, apart, 0), 2 * apart)

    def add(state):
        cells, inside, costs = state
        new = jnp.argmin(costs)
        cells, inside = cells | around[new], inside | (jnp.arange(numbers) == new)
        return cells, inside, cost(cells, inside)

    def more(state):
        room = jnp.sum(state[1], dtype=jnp.int32) < NUMBERS_A_CELL * limit
        return room & (jnp.min(state[2]) < 2 * apart)

    inside = jnp.arange(numbers) == seed
    start = (around[seed], inside, cost(around[seed], inside))
    return jax.lax.while_loop(more, add, start)[1]


def _sub_edges(
    edge: ComponentLists, groups: Bool[np.ndarray, "places places"]
) -> list[ComponentLists]:
    """The different sub-edges of one edge, from the numbers of each."""
    near = edge.near()
    numbers = len(edge.need)
    return [
        ComponentLists(
            edge.position,
            *(of_cells[near[group].any(0)] for of_cells in (edge.cell_row, edge.cell_col)),
            *(of[group] for of in (edge.number_row, edge.number_col, edge.need)),
        )
        for group in np.unique(groups[:numbers, :numbers], axis=0)
    ]


def _bounds(
    parts: component_engine.ComponentIndex,
    counted: component_engine.Counted,
    unknown: Int[np.ndarray, " positions"],
) -> tuple[Int[np.ndarray, " positions"], Int[np.ndarray, " positions"]]:
    """The fewest and the most mines of each position: of parts that share no cell, and the rest."""
    fewest, most = np.zeros_like(unknown), unknown.copy()
    highest = counted.least + ((counted.layouts > 0) * np.arange(component_engine.SPREAD)).max(1)
    taken: dict[int, set[tuple[int, int]]] = {}
    for i, part in enumerate(parts.lists(np.arange(len(parts)))):
        cells = set(zip(part.cell_row.tolist(), part.cell_col.tolist(), strict=True))
        seen = taken.setdefault(part.position, set())
        if not cells & seen:
            seen |= cells
            fewest[part.position] += counted.least[i]
            most[part.position] -= len(cells) - highest[i]
    return fewest, most


def _estimate(
    beliefs: Beliefs,
    reduced: ReducedPosition,
    parts: component_engine.ComponentIndex,
    search: Exhaustive,
) -> Beliefs:
    """Fills in estimates for the positions that the parts are of.

    A layout of a part weighs what its mines are worth at the density of the position.
    """
    chance, safe, mines, status = (
        np.array(part)
        for part in (beliefs.mine_probability, beliefs.safe, beliefs.mines, beliefs.status)
    )
    counted = component_engine.count(search, parts)
    left = np.maximum(np.asarray(reduced.mines_left, np.float64), 0)
    unknown = sizes_of(reduced.boundary) + sizes_of(reduced.unconstrained)
    tilt = np.log((left + 0.5) / (np.maximum(unknown - left, 0) + 0.5))[parts.position]
    weights = np.where(
        counted.layouts > 0, np.exp(np.arange(component_engine.SPREAD) * tilt[:, None]), 0.0
    )
    total = (weights * counted.layouts).sum(1, keepdims=True)
    weights = weights / np.where(total > 0, total, 1.0)
    numbers_around = np.full(chance.shape, -1)
    every = np.full(len(parts), 2**32 - 1, np.uint32)
    weights = weights.astype(np.float32)
    for walk, believed in component_engine.backward_pass(search, parts, counted, weights, every):
        own = walk.edges[walk.kept]
        at, there = component_engine.cells_at(parts, own, walk.capacity.cells)
        around = np.concatenate([one.near().sum(0) for one in parts.lists(own)])
        np.logical_or.at(safe, at, ~believed.can_mine[walk.kept][there])
        np.logical_or.at(mines, at, ~believed.can_clear[walk.kept][there])
        # A cell may be in many parts; where several know as many of its numbers, the last counts.
        order = np.argsort(around, kind="stable")
        at, around = tuple(axis[order] for axis in at), around[order]
        better = around >= numbers_around[at]
        at = tuple(axis[better] for axis in at)
        chance[at] = believed.mine[walk.kept][there][order][better]
        numbers_around[at] = around[better]
    fitted = np.unique(parts.position)
    in_fitted = component_engine.mask_of_indices(len(status), fitted)
    none_left = component_engine.mask_of_indices(
        len(status), parts.position[counted.layouts.sum(1) == 0]
    )
    fewest, most = _bounds(parts, counted, unknown)
    none_left |= (safe & mines).any((1, 2)) | (left < fewest) | (left > most)
    status[in_fitted] = Status.ESTIMATE
    status[none_left & in_fitted] = Status.INCONSISTENT
    estimated = (status == Status.ESTIMATE) & in_fitted
    boundary, free = (bitboard.unpack_batch(x) for x in (reduced.boundary, reduced.unconstrained))
    on_boundary = np.where(boundary, chance, 0.0).sum((1, 2))
    on_free = (left - on_boundary) / np.maximum(sizes_of(reduced.unconstrained), 1)
    chance = np.where(free & estimated[:, None, None], on_free[:, None, None], chance)
    of_unknown_error = (boundary | free) & estimated[:, None, None]
    return Beliefs.build(
        status=status,
        mine_probability=chance,
        safe=safe,
        mines=mines,
        error=np.where(of_unknown_error, np.inf, 0.0),
        log_layouts=np.asarray(beliefs.log_layouts),
    )
