"""Component by component: what engines share that count each apart and join them by the mine count.

The host's part: it sorts edges into batches of a few fixed shapes, and sends what exceeds a
kernel's capacity to the next larger one. How an edge is counted is each engine's own.
"""

import abc
import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree, UInt32

from jaxsweep.engines import convolution
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import BYTES, batches, reduce_positions, side_by_side, sizes_of
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.frontier import FAR, Frontier, ReducedPosition
from jaxsweep.rules.position import Position

FRONTIER_CAPACITIES = (32, 64, 128, 512, 2048)
"""Boundary cells, and numbers, that a frontier kernel has places for."""

JOIN_CAPACITIES = ((8, 8, 32), (32, 8, 128), (64, 16, 256), (64, 32, 512), (1024, 32, 4096))
"""Edges, mine counts of an edge, and sums of mine counts that a joining kernel has room for."""

SPREAD = 32
"""The most mine counts of one edge that are told apart."""

BYTES_KEPT = 2**30
"""What all calls together may keep of their trails."""


@runtime_checkable
class Capacity(Protocol):
    """The static capacities of a kernel that counts edges."""

    @property
    def cells(self) -> int:
        """Cells of an edge."""
        ...

    @property
    def numbers(self) -> int:
        """Numbers of an edge."""
        ...

    @property
    def spread(self) -> int:
        """How many different mine counts are told apart at once."""
        ...

    @property
    def bytes(self) -> int:
        """What the messages of one edge takes."""
        ...

    @property
    def worth_from(self) -> int:
        """How many edges there must be for this kernel to be worth its compilation."""
        ...


class Component(eqx.Module):
    """The cells and numbers of one edge, in walking order, padded with `FAR`; or a batch, first."""

    cell_row: Int[Array | np.ndarray, "*batch cells"]
    cell_col: Int[Array | np.ndarray, "*batch cells"]
    number_row: Int[Array | np.ndarray, "*batch numbers"]
    number_col: Int[Array | np.ndarray, "*batch numbers"]
    need: Int[Array | np.ndarray, "*batch numbers"]

    def near(self) -> Bool[Array, "numbers cells"]:
        """Which cells are around which numbers; of one edge, on the device."""
        return jax.numpy.asarray(_near(self) & (self.number_row != FAR)[:, None])


class ComponentCounts(eqx.Module):
    """How many layouts each edge has, by number of mines: entry k is for `least + k`."""

    least: Int[Array, " batch"]
    layouts: Float[Array, "batch spread"]
    fits: Bool[Array, " batch"]
    """False where a capacity was exceeded: nothing else here holds then."""
    messages: PyTree
    """Whatever the engine needs to come back for the cells."""
    residue: UInt32[Array, "batch spread"] | None = None
    """`layouts` modulo 2³², without rounding, from an engine that has it."""


class CellMarginals(eqx.Module):
    """What an edge's cells can be, and how likely a mine is."""

    mine: Float[Array, "*cells"]
    can_mine: Bool[Array, "*cells"]
    can_clear: Bool[Array, "*cells"]


CapacityT = TypeVar("CapacityT", bound=Capacity)


class AbstractComponentEngine(AbstractEngine, Generic[CapacityT]):
    """An engine with its own way to count an edge: exact, or over capacity."""

    capacities: eqx.AbstractVar[tuple[CapacityT, ...]]
    """Capacities of the kernels, from the smallest to the largest."""

    @abc.abstractmethod
    def count_components(
        self, edges: Component, length: np.int32, capacity: CapacityT
    ) -> ComponentCounts:
        """Counts the layouts of a batch of edges, batch first; none has over `length` cells."""

    @abc.abstractmethod
    def marginals(
        self,
        messages: PyTree,
        weights: Float[np.ndarray, "batch spread"],
        possible: UInt32[np.ndarray, " batch"],
        length: np.int32,
    ) -> CellMarginals:
        """Beliefs of the cells, given how much each mine count weighs in the whole position.

        `weights` are such that the layouts' weights sum to 1; bit k of `possible` tells whether
        the rest of the position allows `least + k` mines at all.
        """

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Exact beliefs, or over capacity; nothing is drawn by lot."""
        return solve(self, positions).beliefs


class Solution(NamedTuple):
    """What came of every stage of inference, of a batch of positions."""

    reduced: ReducedPosition
    components: "ComponentIndex"
    counted: "Counted"
    fits: Bool[np.ndarray, " positions"]
    """Which positions have all their components counted."""
    beliefs: Beliefs


def solve(engine: AbstractComponentEngine, positions: Position) -> Solution:
    """Exact inference by an engine's way of counting, with all that was found on the way."""
    reduced = reduce_positions(positions)
    components, fits = find_components(reduced)
    counted = count(engine, components)
    fits &= ~mask_of_indices(len(fits), components.position[~counted.fits])
    joint = join(components, counted, reduced, fits & is_possible(reduced))
    beliefs = fill(engine, reduced, components, counted, joint)
    return Solution(reduced, components, counted, fits, beliefs)


@partial(jax.jit, static_argnames="capacity")
def build_batch(reduced: ReducedPosition, capacity: int) -> Frontier:
    """`frontier.build`, batch last in and batch first out."""

    def one(part: ReducedPosition) -> Frontier:
        return frontier.build(part.boundary, part.constraints, part.residuals, capacity)

    first = jax.tree.map(lambda leaf: jax.numpy.moveaxis(leaf, -1, 0), reduced)
    return jax.vmap(one)(first)


@partial(jax.jit, static_argnames="total")
def join_batch(
    layouts: Float[Array, "edges spread batch"],
    least: Int[Array, "edges batch"],
    cells: Int[Array, " batch"],
    free: Int[Array, " batch"],
    mines: Int[Array, " batch"],
    total: int,
) -> convolution.Joined:
    """`convolution.join`, compiled."""
    return convolution.join(layouts, least, cells, free, mines, total)


def _near(edge: "Component | ComponentLists"):
    close_row = abs(edge.number_row[:, None] - edge.cell_row[None, :]) <= 1
    return close_row & (abs(edge.number_col[:, None] - edge.cell_col[None, :]) <= 1)


class ComponentLists(NamedTuple):
    """One edge, or a part of one: its position, its cells and its numbers."""

    position: int
    cell_row: Int[np.ndarray, " cells"]
    cell_col: Int[np.ndarray, " cells"]
    number_row: Int[np.ndarray, " numbers"]
    number_col: Int[np.ndarray, " numbers"]
    need: Int[np.ndarray, " numbers"]

    def near(self) -> Bool[np.ndarray, "numbers cells"]:
        """Which cells are around which numbers; on the host."""
        return np.asarray(_near(self))


@dataclass
class ComponentIndex:
    """Where all edges of a batch of positions are: entry i of each array is of edge i.

    An edge's cells and numbers are a stretch of the flat lists, which hold all positions'.
    """

    position: Int[np.ndarray, " edges"]
    ordinal: Int[np.ndarray, " edges"]
    cell_start: Int[np.ndarray, " edges"]
    cells: Int[np.ndarray, " edges"]
    number_start: Int[np.ndarray, " edges"]
    numbers: Int[np.ndarray, " edges"]
    cell_row: Int[np.ndarray, " flat_cells"]
    cell_col: Int[np.ndarray, " flat_cells"]
    number_row: Int[np.ndarray, " flat_numbers"]
    number_col: Int[np.ndarray, " flat_numbers"]
    need: Int[np.ndarray, " flat_numbers"]

    def __len__(self) -> int:
        return len(self.position)

    @classmethod
    def of(cls, lists: list[ComponentLists]) -> "ComponentIndex":
        """Edges from their lists; none of them is to be joined with others."""
        cells = np.array([len(one.cell_row) for one in lists])
        numbers = np.array([len(one.need) for one in lists])
        return cls(
            position=np.array([one.position for one in lists]),
            ordinal=np.zeros(len(lists), np.int64),
            cell_start=np.cumsum(cells) - cells,
            cells=cells,
            number_start=np.cumsum(numbers) - numbers,
            numbers=numbers,
            **{
                name: np.concatenate([getattr(one, name) for one in lists])
                for name in ComponentLists._fields[1:]
            },
        )

    def lists(self, which: Int[np.ndarray, " some"]) -> list[ComponentLists]:
        """The lists of these edges."""
        return [
            ComponentLists(
                int(self.position[i]),
                *(
                    flat[self.cell_start[i] :][: self.cells[i]]
                    for flat in (self.cell_row, self.cell_col)
                ),
                *(
                    flat[self.number_start[i] :][: self.numbers[i]]
                    for flat in (self.number_row, self.number_col, self.need)
                ),
            )
            for i in which
        ]

    def only(self, which: Bool[np.ndarray, " edges"]) -> "ComponentIndex":
        """Some of the edges: of each position all or none, if they are to be joined."""
        names = ("position", "ordinal", "cell_start", "cells", "number_start", "numbers")
        return replace(self, **{name: getattr(self, name)[which] for name in names})

    def by_position(self) -> "ComponentIndex":
        """All edges of a position as one: their lists follow each other."""
        position, first = np.unique(self.position, return_index=True)
        order = np.argsort(self.position, kind="stable")
        starts = np.searchsorted(self.position[order], position)
        return replace(
            self,
            position=position,
            ordinal=np.zeros(len(position), np.int64),
            cell_start=self.cell_start[first],
            cells=np.add.reduceat(self.cells[order], starts) if len(first) else self.cells,
            number_start=self.number_start[first],
            numbers=np.add.reduceat(self.numbers[order], starts) if len(first) else self.numbers,
        )

    def pad(self, which: Int[np.ndarray, " batch"], cells: int, numbers: int) -> Component:
        """These edges as dense arrays with so many places."""

        def take(flat, start, size, capacity, filler):
            step = np.arange(capacity)
            place = np.minimum(start[which, None] + step, len(flat) - 1)
            return np.where(step < size[which, None], flat[place], filler).astype(np.int32)

        of_cells = (self.cell_start, self.cells, cells)
        of_numbers = (self.number_start, self.numbers, numbers)
        return Component(
            cell_row=take(self.cell_row, *of_cells, FAR),
            cell_col=take(self.cell_col, *of_cells, FAR),
            number_row=take(self.number_row, *of_numbers, FAR),
            number_col=take(self.number_col, *of_numbers, FAR),
            need=take(self.need, *of_numbers, 0),
        )


@dataclass
class Walk:
    """A batch of edges counted in one call, to come back to for their cells."""

    edges: Int[np.ndarray, " batch"]
    kept: Int[np.ndarray, " kept"]
    """The places in the batch whose tables hold: neither padding nor over capacity."""
    capacity: Capacity
    length: np.int32
    messages: PyTree
    """None where it was too much to keep: then the edges are counted once more."""


@dataclass
class Counted:
    """The tables of all edges."""

    least: Int[np.ndarray, " edges"]
    layouts: Float[np.ndarray, "edges spread"]
    residue: UInt32[np.ndarray, "edges spread"]
    fits: Bool[np.ndarray, " edges"]
    walks: list[Walk] = field(default_factory=list)
    bytes_kept: int = 0


@dataclass
class Joint:
    """What joining the edges gave: for each edge, and for each position."""

    weights: Float[np.ndarray, "edges spread"]
    possible: UInt32[np.ndarray, " edges"]
    free_mine: Float[np.ndarray, " positions"]
    free_can_mine: Bool[np.ndarray, " positions"]
    free_can_clear: Bool[np.ndarray, " positions"]
    consistent: Bool[np.ndarray, " positions"]
    log_layouts: Float[np.ndarray, " positions"]
    fits: Bool[np.ndarray, " positions"]


def is_possible(reduced: ReducedPosition) -> Bool[np.ndarray, " positions"]:
    """Which positions the single-cell rules do not contradict."""
    return np.asarray(reduced.consistent) & (np.asarray(reduced.mines_left) >= 0)


def find_components(
    reduced: ReducedPosition,
) -> tuple[ComponentIndex, Bool[np.ndarray, " positions"]]:
    """The edges of all positions, and which positions fitted a frontier kernel."""
    sizes = np.maximum(*(sizes_of(m) for m in (reduced.boundary, reduced.constraints)))
    wanted = is_possible(reduced) & (sizes > 0)
    jobs, below = [], 0
    for capacity in FRONTIER_CAPACITIES:
        chosen = np.nonzero(wanted & (sizes > below) & (sizes <= capacity))[0]
        # Positions of like size walk in step.
        chosen = chosen[np.argsort(sizes[chosen], kind="stable")]
        some = batches(chosen, BYTES // (64 * capacity * capacity))
        jobs += [(capacity, which, real) for which, real in some]
        below = capacity

    def work(job: tuple[int, np.ndarray, int]) -> Frontier:
        capacity, which, _ = job
        part = jax.tree.map(lambda leaf: leaf[..., which], reduced)
        return jax.device_get(build_batch(part, capacity))

    lists, found, offset = side_by_side(work, jobs), [], 0
    for built, (_, which, real) in zip(lists, jobs, strict=True):
        found.append(_components_of(built, which[:real], offset))
        offset += built.cell_row.size
    merged = [np.concatenate(column) for column in zip(*found, strict=True)]
    if not found:
        merged = [np.zeros(0, np.int64)] * 6
    flat = [
        np.concatenate([getattr(built, name).ravel() for built in lists] or [np.zeros(1, np.int32)])
        for name in ("cell_row", "cell_col", "number_row", "number_col", "number_residual")
    ]
    return ComponentIndex(*merged, *flat), sizes <= FRONTIER_CAPACITIES[-1]


def _components_of(
    built: Frontier, which: Int[np.ndarray, " real"], offset: int
) -> tuple[np.ndarray, ...]:
    """The edges of one batch of frontiers, as stretches of the flat lists from `offset` on."""
    capacity = built.cell_component.shape[1]
    columns = []
    for labels in (built.cell_component[: len(which)], built.number_component[: len(which)]):
        starts = np.diff(labels, axis=1, prepend=-2) != 0
        ends = np.diff(labels, axis=1, append=-2) != 0
        row, start = np.nonzero(starts & (labels >= 0))
        _, end = np.nonzero(ends & (labels >= 0))
        columns += [row, labels[row, start], offset + row * capacity + start, end - start + 1]
    row, ordinal, cell_start, cells, number_row, number_ordinal, number_start, numbers = columns
    assert np.array_equal(row, number_row)
    assert np.array_equal(ordinal, number_ordinal)
    return which[row], ordinal, cell_start, cells, number_start, numbers


def count(engine: AbstractComponentEngine, edges: ComponentIndex) -> Counted:
    """Counts all edges, each in the smallest kernel that holds it."""
    total = len(edges)
    counted = Counted(
        least=np.zeros(total, np.int32),
        layouts=np.zeros((total, SPREAD), np.float32),
        residue=np.zeros((total, SPREAD), np.uint32),
        fits=np.zeros(total, bool),
    )
    for capacity in engine.capacities:
        small = (edges.cells <= capacity.cells) & (edges.numbers <= capacity.numbers)
        chosen = np.nonzero(small & ~counted.fits)[0]
        if len(chosen) < capacity.worth_from:
            continue
        # Edges of like length walk in step.
        chosen = chosen[np.argsort(edges.cells[chosen], kind="stable")]

        def work(
            job: tuple[np.ndarray, int, bool], capacity: Capacity = capacity
        ) -> tuple[ComponentCounts, Walk]:
            which, real, keep = job
            length = np.int32(edges.cells[which].max())
            table = engine.count_components(
                edges.pad(which, capacity.cells, capacity.numbers), length, capacity
            )
            numbers = jax.device_get(eqx.tree_at(lambda t: t.messages, table, None))
            kept = np.nonzero(numbers.fits[:real])[0]
            return numbers, Walk(which, kept, capacity, length, table.messages if keep else None)

        jobs = []
        for which, real in batches(chosen, BYTES // capacity.bytes):
            jobs.append((which, real, counted.bytes_kept < BYTES_KEPT))
            counted.bytes_kept += capacity.bytes * len(which)
        most = max((capacity.bytes * len(which) for which, _, _ in jobs), default=0)
        for (which, real, _), (table, walk) in zip(
            jobs, side_by_side(work, jobs, most), strict=True
        ):
            own = which[:real]
            counted.least[own], counted.fits[own] = table.least[:real], table.fits[:real]
            counted.layouts[own, : capacity.spread] = table.layouts[:real]
            if table.residue is not None:
                counted.residue[own, : capacity.spread] = table.residue[:real]
            counted.walks.append(walk)
    return counted


def join(
    edges: ComponentIndex,
    counted: Counted,
    reduced: ReducedPosition,
    wanted: Bool[np.ndarray, " positions"],
) -> Joint:
    """Joins the edges of all wanted positions."""
    sizes = np.stack(
        [sizes_of(reduced.boundary), sizes_of(reduced.unconstrained), reduced.mines_left]
    )
    positions = sizes.shape[1]
    joint = Joint(
        weights=np.zeros((len(edges), SPREAD), np.float32),
        possible=np.zeros(len(edges), np.uint32),
        free_mine=np.zeros(positions, np.float32),
        free_can_mine=np.zeros(positions, bool),
        free_can_clear=np.zeros(positions, bool),
        consistent=np.zeros(positions, bool),
        log_layouts=np.full(positions, -np.inf),
        fits=np.zeros(positions, bool),
    )
    number = np.bincount(edges.position, minlength=positions)
    widest = np.zeros(positions, np.int64)
    reach = (counted.layouts > 0) * np.arange(1, SPREAD + 1)
    np.maximum.at(widest, edges.position, reach.max(1, initial=0))
    for most, spread, total in JOIN_CAPACITIES:
        chosen = np.nonzero(wanted & ~joint.fits & (number <= most) & (widest <= spread))[0]

        def work(job: tuple[np.ndarray, int], most=most, spread=spread, total=total) -> None:
            """Each job writes the places of its own positions and edges alone."""
            which, real = job
            place = np.full(positions, -1)
            place[which[:real]] = np.arange(real)
            own = np.nonzero(place[edges.position] >= 0)[0]
            ordinal, at = edges.ordinal[own], place[edges.position[own]]
            layouts = np.zeros((most, spread, len(which)), np.float32)
            layouts[:, 0] = 1.0
            layouts[ordinal, :, at] = counted.layouts[own, :spread]
            least = np.zeros((most, len(which)), np.int32)
            least[ordinal, at] = counted.least[own]
            cells, free, mines = sizes[:, which].astype(np.int32)
            got = jax.device_get(join_batch(layouts, least, cells, free, mines, total))
            joint.weights[own, :spread] = got.weights[ordinal, :, at]
            joint.possible[own] = got.possible[ordinal, at]
            for name in ("free_mine", "free_can_mine", "free_can_clear", "consistent", "fits"):
                getattr(joint, name)[which[:real]] = getattr(got, name)[:real]
            exponents = got.log_scale + _log_choose(free, got.anchor)
            joint.log_layouts[which[:real]] = np.where(got.consistent, exponents, -np.inf)[:real]

        side_by_side(work, batches(chosen, BYTES // (16 * most * total)))
    return joint


def _log_choose(n: Int[np.ndarray, " batch"], k: Int[np.ndarray, " batch"]) -> np.ndarray:
    """Logarithms of n choose k; of no meaning where there is no such number."""
    log_factorial = np.vectorize(math.lgamma, otypes=[np.float64])
    k = np.clip(k, 0, n)
    return log_factorial(n + 1.0) - log_factorial(k + 1.0) - log_factorial(n - k + 1.0)


def fill(
    engine: AbstractComponentEngine,
    reduced: ReducedPosition,
    edges: ComponentIndex,
    counted: Counted,
    joint: Joint,
) -> Beliefs:
    """Comes back to the edges for their cells, and writes what is known into grids."""
    status = np.where(joint.consistent, Status.EXACT, Status.INCONSISTENT)
    status = np.where(joint.fits, status, Status.OVER_CAPACITY)
    status = np.where(is_possible(reduced), status, Status.INCONSISTENT)
    exact = status == Status.EXACT
    safe = bitboard.unpack_batch(reduced.certain.safe)
    mines = bitboard.unpack_batch(reduced.certain.mines)
    free = bitboard.unpack_batch(reduced.unconstrained) & exact[:, None, None]
    chance = np.where(free, joint.free_mine[:, None, None], mines.astype(np.float32))
    safe |= free & ~joint.free_can_mine[:, None, None]
    mines |= free & ~joint.free_can_clear[:, None, None]
    for walk, believed in backward_pass(engine, edges, counted, joint.weights, joint.possible):
        kept = walk.kept[exact[edges.position[walk.edges[walk.kept]]]]
        at, there = cells_at(edges, walk.edges[kept], believed.mine.shape[1])
        chance[at] = believed.mine[kept][there]
        safe[at] |= ~believed.can_mine[kept][there]
        mines[at] |= ~believed.can_clear[kept][there]
    return Beliefs.build(
        status=status,
        mine_probability=chance,
        safe=safe,
        mines=mines,
        log_layouts=joint.log_layouts,
    )


def backward_pass(
    engine: AbstractComponentEngine,
    edges: ComponentIndex,
    counted: Counted,
    weights: Float[np.ndarray, "edges spread"],
    possible: UInt32[np.ndarray, " edges"],
) -> list[tuple[Walk, CellMarginals]]:
    """Beliefs of the cells, batch by batch, on the host, given what the mine counts weigh."""

    def work(walk: Walk) -> CellMarginals:
        messages, capacity = walk.messages, walk.capacity
        if messages is None:
            again = edges.pad(walk.edges, capacity.cells, capacity.numbers)
            messages = engine.count_components(again, walk.length, capacity).messages
        own = weights[walk.edges, : capacity.spread]
        return jax.device_get(engine.marginals(messages, own, possible[walk.edges], walk.length))

    walks = [walk for walk in counted.walks if len(walk.kept)]
    most = max((walk.capacity.bytes * len(walk.edges) for walk in walks), default=0)
    return list(zip(walks, side_by_side(work, walks, most), strict=True))


def cells_at(
    edges: ComponentIndex, own: Int[np.ndarray, " some"], capacity: int
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], Bool[np.ndarray, "some capacity"]]:
    """Where the cells of these edges are, as (position, row, column); and which places hold one."""
    step = np.arange(capacity)
    there = step < edges.cells[own, None]
    flat = (edges.cell_start[own, None] + step)[there]
    position = np.broadcast_to(edges.position[own, None], there.shape)[there]
    return (position, edges.cell_row[flat], edges.cell_col[flat]), there


def mask_of_indices(size: int, which: Int[np.ndarray, " some"]) -> Bool[np.ndarray, " size"]:
    """A mask with these places set."""
    mask = np.zeros(size, bool)
    mask[which] = True
    return mask
