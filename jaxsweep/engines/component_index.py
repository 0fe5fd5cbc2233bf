"""Finds the components of a batch of positions, and holds where each of them is; on the host."""

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Bool, Int

from jaxsweep.engines.batching import (
    BYTES,
    is_possible,
    padded_batches,
    parallel_map,
    sizes_of,
)
from jaxsweep.engines.components import Component
from jaxsweep.rules import frontier
from jaxsweep.rules.frontier import FAR, Frontier, ReducedPosition

FRONTIER_CAPACITIES = (32, 64, 128, 512, 2048)
"""Boundary cells, and as many numbers, that a frontier kernel has room for."""

GridIndex = tuple[Int[np.ndarray, " cells"], Int[np.ndarray, " cells"], Int[np.ndarray, " cells"]]
"""The position, row and column of each of a list of cells: indexes grids, batch first."""


class ComponentLists(NamedTuple):
    """One component, or a part of one, without padding: its position, cells and numbers."""

    position: int
    cell_row: Int[np.ndarray, " cells"]
    cell_col: Int[np.ndarray, " cells"]
    number_row: Int[np.ndarray, " numbers"]
    number_col: Int[np.ndarray, " numbers"]
    residual: Int[np.ndarray, " numbers"]

    def adjacency(self) -> Bool[np.ndarray, "numbers cells"]:
        """Tells which cells are next to which numbers."""
        cells, numbers = (self.cell_row, self.cell_col), (self.number_row, self.number_col)
        return np.asarray(frontier.adjacency(cells, numbers))


@dataclass
class ComponentIndex:
    """All components of a batch of positions: entry i of the first arrays describes component i.

    The cells and numbers of a component are a contiguous range of the flat lists, which hold those
    of all positions.
    """

    position: Int[np.ndarray, " components"]
    ordinal: Int[np.ndarray, " components"]
    cell_start: Int[np.ndarray, " components"]
    cells: Int[np.ndarray, " components"]
    number_start: Int[np.ndarray, " components"]
    numbers: Int[np.ndarray, " components"]
    cell_row: Int[np.ndarray, " flat_cells"]
    cell_col: Int[np.ndarray, " flat_cells"]
    number_row: Int[np.ndarray, " flat_numbers"]
    number_col: Int[np.ndarray, " flat_numbers"]
    residual: Int[np.ndarray, " flat_numbers"]

    def __len__(self) -> int:
        return len(self.position)

    @classmethod
    def of(cls, lists: list[ComponentLists]) -> "ComponentIndex":
        """Indexes components given as lists; the result cannot be joined by position."""
        cells = np.array([len(one.cell_row) for one in lists])
        numbers = np.array([len(one.residual) for one in lists])
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
        """Returns the lists of these components."""
        return [
            ComponentLists(
                int(self.position[i]),
                *(
                    flat[self.cell_start[i] :][: self.cells[i]]
                    for flat in (self.cell_row, self.cell_col)
                ),
                *(
                    flat[self.number_start[i] :][: self.numbers[i]]
                    for flat in (self.number_row, self.number_col, self.residual)
                ),
            )
            for i in which
        ]

    def only(self, which: Bool[np.ndarray, " components"]) -> "ComponentIndex":
        """Selects components; to be joined, those of each position must be all in or all out."""
        names = ("position", "ordinal", "cell_start", "cells", "number_start", "numbers")
        return replace(self, **{name: getattr(self, name)[which] for name in names})

    def by_position(self) -> "ComponentIndex":
        """Merges all components of a position into one entry: their lists are contiguous."""
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
        """Returns these components as a batch of arrays, padded to the given sizes."""

        def take(flat, start, size, capacity, filler):
            step = np.arange(capacity)
            index = np.minimum(start[which, None] + step, len(flat) - 1)
            return np.where(step < size[which, None], flat[index], filler).astype(np.int32)

        of_cells = (self.cell_start, self.cells, cells)
        of_numbers = (self.number_start, self.numbers, numbers)
        return Component(
            cell_row=take(self.cell_row, *of_cells, FAR),
            cell_col=take(self.cell_col, *of_cells, FAR),
            number_row=take(self.number_row, *of_numbers, FAR),
            number_col=take(self.number_col, *of_numbers, FAR),
            residual=take(self.residual, *of_numbers, 0),
        )

    def grid_index(
        self, which: Int[np.ndarray, " some"], capacity: int
    ) -> tuple[GridIndex, Bool[np.ndarray, "some capacity"]]:
        """Locates the cells of these components in grids.

        The mask tells which entries of arrays `[some, capacity]` hold a cell, in the same order.
        """
        step = np.arange(capacity)
        is_cell = step < self.cells[which, None]
        flat = (self.cell_start[which, None] + step)[is_cell]
        position = np.broadcast_to(self.position[which, None], is_cell.shape)[is_cell]
        return (position, self.cell_row[flat], self.cell_col[flat]), is_cell


def find_components(
    reduced: ReducedPosition,
) -> tuple[ComponentIndex, Bool[np.ndarray, " positions"]]:
    """Finds the components of all positions, and tells which positions fit a frontier kernel."""
    sizes = np.maximum(*(sizes_of(m) for m in (reduced.boundary, reduced.constraints)))
    wanted = is_possible(reduced) & (sizes > 0)
    jobs, below = [], 0
    for capacity in FRONTIER_CAPACITIES:
        chosen = np.nonzero(wanted & (sizes > below) & (sizes <= capacity))[0]
        # Loops in a batch run as long as the longest one: positions of like size go together.
        chosen = chosen[np.argsort(sizes[chosen], kind="stable")]
        some = padded_batches(chosen, BYTES // (64 * capacity * capacity))
        jobs += [(capacity, which, real) for which, real in some]
        below = capacity

    def work(job: tuple[int, np.ndarray, int]) -> Frontier:
        capacity, which, _ = job
        part = jax.tree.map(lambda leaf: leaf[..., which], reduced)
        return jax.device_get(build_batch(part, capacity))

    frontiers, found, offset = parallel_map(work, jobs), [], 0
    for built, (_, which, real) in zip(frontiers, jobs, strict=True):
        found.append(_component_ranges(built, which[:real], offset))
        offset += built.cell_row.size
    merged = [np.concatenate(column) for column in zip(*found, strict=True)]
    if not found:
        merged = [np.zeros(0, np.int64)] * 6
    flat = [
        np.concatenate(
            [getattr(built, name).ravel() for built in frontiers] or [np.zeros(1, np.int32)]
        )
        for name in ("cell_row", "cell_col", "number_row", "number_col", "number_residual")
    ]
    return ComponentIndex(*merged, *flat), sizes <= FRONTIER_CAPACITIES[-1]


@partial(jax.jit, static_argnames="capacity")
def build_batch(reduced: ReducedPosition, capacity: int) -> Frontier:
    """Builds the frontiers of a batch of positions: batch last in, batch first out."""

    def one(part: ReducedPosition) -> Frontier:
        return frontier.build(part.boundary, part.constraints, part.residuals, capacity)

    first = jax.tree.map(lambda leaf: jax.numpy.moveaxis(leaf, -1, 0), reduced)
    return jax.vmap(one)(first)


def _component_ranges(
    built: Frontier, which: Int[np.ndarray, " real"], offset: int
) -> tuple[np.ndarray, ...]:
    """Finds the ranges of the flat lists, from `offset` on, that are components of a batch.

    Returns the first six arrays of a `ComponentIndex`.
    """
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
