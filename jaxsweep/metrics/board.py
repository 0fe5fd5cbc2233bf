"""3BV, openings and islands of a board (Bechtel's Board Benchmark Value).

An opening is a group of cells that show 0, connected also by corners: one click opens all of it,
and the numbers around it. Every number next to no opening takes a click of its own. The 3BV is the
number of both: the clicks without flags that open the board. An island is a connected group of such
numbers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from jaxsweep.rules.board import Mask
from jaxsweep.rules.grid import dilate

NEAR = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""The offsets of the eight neighbours of a cell."""


@dataclass(frozen=True, eq=False)
class BoardValue:
    """What it takes to open a board, and what is worth a click."""

    openings: Int[np.ndarray, "rows cols"]
    """The number of its opening, from 1, in each cell that shows 0; 0 elsewhere."""
    alone: Bool[np.ndarray, "rows cols"]
    """The numbers next to no opening."""

    @classmethod
    def of(cls, mines: Mask) -> "BoardValue":
        """Finds the openings of a board, and the numbers next to none."""
        zeros = ~dilate(mines)
        return cls(components(zeros), ~mines & ~dilate(zeros))

    @cached_property
    def opening_count(self) -> int:
        """The number of openings."""
        return int(self.openings.max(initial=0))

    @cached_property
    def islands(self) -> int:
        """The connected groups of numbers next to no opening."""
        return int(components(self.alone).max(initial=0))

    @cached_property
    def bbbv(self) -> int:
        """The 3BV."""
        return self.opening_count + int(self.alone.sum())

    def solved(self, opened: Mask) -> int:
        """Returns the 3BV of the cells that are open: of an opening, one 0 is enough."""
        reached = np.unique(self.openings[opened & (self.openings > 0)])
        return len(reached) + int((self.alone & opened).sum())


def components(cells: Mask) -> Int[np.ndarray, "rows cols"]:
    """Numbers the connected groups of cells from 1, in reading order; corners connect."""
    rows, cols = cells.shape
    width = cols + 2
    # A border around the board: no neighbour of a cell is off the list.
    waiting = np.pad(cells, 1).reshape(-1).tolist()
    labels = np.zeros((rows + 2) * width, np.int32)
    steps = [down * width + right for down, right in NEAR]
    count = 0
    for start in np.flatnonzero(waiting).tolist():
        if not waiting[start]:
            continue
        count += 1
        waiting[start] = False
        group = [start]
        for cell in group:  # It grows while it is read.
            for step in steps:
                if waiting[cell + step]:
                    waiting[cell + step] = False
                    group.append(cell + step)
        labels[group] = count
    return labels.reshape(rows + 2, width)[1:-1, 1:-1]
