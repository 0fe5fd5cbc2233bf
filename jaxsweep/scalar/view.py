"""What a player sees of one board, as the scalar path reads it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.grid import HIDDEN
from jaxsweep.scalar.geometry import CellIndex, CellSet, Geometry, from_mask, geometry

MAX_CELLS = 10_000
"""The largest board: a set of cells is an integer of so many bits, and there are as many sets."""


@dataclass(frozen=True, eq=False)
class View:
    """A position: the numbers of the open cells, and the number of mines on the whole board."""

    geometry: Geometry
    numbers: tuple[int, ...]
    """The number in each open cell, `HIDDEN` in all others."""
    hidden: CellSet
    """Cells that are neither hidden nor open are no part of the board."""
    mines: int

    @classmethod
    def of(cls, grid: Int8[np.ndarray, "rows cols"], mines: int) -> "View":
        """Converts a grid of numbers; flags are hidden cells like others."""
        numbers = tuple(np.maximum(grid, HIDDEN).reshape(-1).tolist())
        return cls(geometry(*grid.shape), numbers, from_mask(grid < 0), mines)

    def shows_the_same(self, other: "View") -> bool:
        """Whether another view is of the same position."""
        return (
            self.geometry is other.geometry
            and self.hidden == other.hidden
            and self.mines == other.mines
            and self.numbers == other.numbers
        )

    @cached_property
    def opened(self) -> CellSet:
        """The open cells."""
        shape = (self.geometry.rows, self.geometry.cols)
        return from_mask(np.array(self.numbers).reshape(shape) >= 0)

    @cached_property
    def frontier_numbers(self) -> list[CellIndex]:
        """The open cells next to a hidden one; also a number that has none, a contradiction."""
        near, hidden = self.geometry.near, self.hidden
        numbers = np.array(self.numbers)
        # A zero next to a hidden cell is rare: it is opened by the flood fill.
        zeros = [i for i in np.flatnonzero(numbers == 0).tolist() if near[i] & hidden]
        return [*np.flatnonzero(numbers > 0).tolist(), *zeros]

    def reading(self, uncertain: CellSet) -> "View":
        """Returns the same view, of which only numbers next to these cells are read.

        That is enough where all other hidden cells are known to be mines, or to be safe.
        """
        view, near = replace(self), self.geometry.near
        view.__dict__["frontier_numbers"] = [
            cell for cell in self.frontier_numbers if near[cell] & uncertain
        ]
        return view

    def after(self, cell: CellIndex, number: int) -> "View":
        """Returns the afterstate in which a hidden cell was opened and showed a number."""
        numbers = (*self.numbers[:cell], number, *self.numbers[cell + 1 :])
        view = View(self.geometry, numbers, self.hidden & ~(1 << cell), self.mines)
        # The same numbers and the new one: those that have no hidden neighbour left do no harm.
        view.__dict__["frontier_numbers"] = [*self.frontier_numbers, cell]
        view.__dict__["opened"] = self.opened | 1 << cell
        return view

    def with_number(self, cell: CellIndex, number: int) -> "View":
        """Returns the view with another number in a cell."""
        numbers = (*self.numbers[:cell], number, *self.numbers[cell + 1 :])
        return replace(self, numbers=numbers)
