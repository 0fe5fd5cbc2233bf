"""Sets of cells of one board as integers, and the neighbourhoods of its cells.

A cell is a number, row · cols + col, and a set of cells an integer with that bit set. Python's
integers have any length, so that a set of hundreds of cells is intersected in one operation.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import or_
from typing import no_type_check

import numpy as np
from jaxtyping import Bool

CellIndex = int
"""A cell in reading order: row · cols + col."""

CellSet = int
"""A set of cells: bit i is set if cell i is in it."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """The neighbourhoods of a board of this size."""

    rows: int
    cols: int
    near: tuple[CellSet, ...]
    """The neighbours of each cell."""
    all_cells: CellSet

    def to_mask(self, cells: CellSet) -> Bool[np.ndarray, "rows cols"]:
        """Returns a set of cells as a grid."""
        count = self.rows * self.cols
        packed = np.frombuffer(cells.to_bytes(-(-count // 8), "little"), np.uint8)
        flat = np.unpackbits(packed, count=count, bitorder="little")
        return flat.reshape(self.rows, self.cols).astype(bool)

    @cached_property
    def _not_last_col(self) -> CellSet:
        """The cells that have a neighbour to the right."""
        line = (1 << self.cols - 1) - 1
        return union(line << row * self.cols for row in range(self.rows))

    def adjacent_pairs(self, cells: CellSet) -> int:
        """Counts the pairs of cells of a set that are neighbours."""
        # Right, and then down: straight, to the right, and from the right to the left.
        left = cells & self._not_last_col
        right = cells >> 1 & self._not_last_col
        below = cells >> self.cols
        return (
            (left & right).bit_count()
            + (cells & below).bit_count()
            + (left & below >> 1).bit_count()
            + (right & below).bit_count()
        )

    def cell(self, index: CellIndex) -> tuple[int, int]:
        """Returns the row and the column of a cell."""
        return divmod(index, self.cols)


@lru_cache(maxsize=8)
def geometry(rows: int, cols: int) -> Geometry:
    """Returns the geometry of boards of this size."""
    near = []
    for row in range(rows):
        left_right = [
            sum(1 << c for c in range(max(col - 1, 0), min(col + 2, cols))) for col in range(cols)
        ]
        lines = range(max(row - 1, 0), min(row + 2, rows))
        for col in range(cols):
            window = sum(left_right[col] << (line * cols) for line in lines)
            near.append(window & ~(1 << (row * cols + col)))
    return Geometry(rows, cols, tuple(near), (1 << rows * cols) - 1)


def from_mask(mask: Bool[np.ndarray, "rows cols"]) -> CellSet:
    """Returns a grid of flags as a set of cells."""
    return int.from_bytes(np.packbits(mask.reshape(-1), bitorder="little").tobytes(), "little")


def union(sets: Iterable[CellSet]) -> CellSet:
    """Returns the cells that are in any of some sets."""
    return reduce(or_, sets, 0)


MANY = 24
"""Cells of a set from which on it is faster to unpack all its bits than to take them one by one."""


@no_type_check
def indices(cells: CellSet) -> list[CellIndex]:
    """Lists the cells of a set in reading order."""
    if cells.bit_count() > MANY:
        packed = cells.to_bytes(-(-cells.bit_length() // 8), "little")
        bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
        return np.flatnonzero(bits).tolist()
    found = []
    while cells:
        lowest = cells & -cells
        found.append(lowest.bit_length() - 1)
        cells ^= lowest
    return found
