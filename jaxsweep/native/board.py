"""One position as a flat array of cells, and the neighbourhoods of its board.

What compiled functions work on are records with arrays of fixed sizes: a record is passed as one
pointer, which takes far less time to compile than dozens of arrays do.
"""

from functools import lru_cache
from typing import Any, no_type_check

import numpy as np
from jaxtyping import UInt32

from jaxsweep.native.compiler import compiled
from jaxsweep.scalar.view import MAX_CELLS

UNKNOWN, SAFE, MINE, OUTSIDE = -1, -2, -3, -4
"""The values of cells without a number: hidden, proved safe, proved mines, and off the board."""

WORD = 32
"""Cells of a packed word."""


BOARD = np.dtype(
    [
        ("rows", np.int64),
        ("cols", np.int64),
        # The neighbours of each cell, in reading order, and how many there are.
        ("near", np.int32, (MAX_CELLS, 8)),
        ("degree", np.int32, MAX_CELLS),
    ]
)
"""The neighbourhoods of the cells of a board; a cell is row · cols + col."""


Record = Any
"""A record of one of the kinds here: type checkers do not know the fields of NumPy's records."""


def make_record(kind: np.dtype) -> Record:
    """Returns a record of zeros."""
    return np.zeros((), kind)[()]


@lru_cache(maxsize=8)
def board_of(rows: int, cols: int) -> Record:
    """Returns the neighbourhoods of a board of this size, of at most `MAX_CELLS` cells."""
    board = make_record(BOARD)
    board["rows"], board["cols"] = rows, cols
    near, degree = board["near"], board["degree"]
    row, col = np.divmod(np.arange(rows * cols), cols)
    offsets = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]
    for down, right in offsets:
        r, c = row + down, col + right
        inside = np.nonzero((r >= 0) & (r < rows) & (c >= 0) & (c < cols))[0]
        near[inside, degree[inside]] = r[inside] * cols + c[inside]
        degree[inside] += 1
    return board


def used_size(
    hidden: UInt32[np.ndarray, "rows words batch"], opened: UInt32[np.ndarray, "rows words batch"]
) -> tuple[int, int]:
    """Returns the rows and columns of a container that boards of a batch reach into."""
    cells = np.bitwise_or.reduce(hidden | opened, axis=2)
    rows = np.nonzero(cells.any(1))[0].max(initial=0) + 1
    by_word = np.bitwise_or.reduce(cells, axis=0).tolist()
    cols = max((WORD * i + bits.bit_length() for i, bits in enumerate(by_word) if bits), default=1)
    return int(rows), cols


@compiled
@no_type_check
def read_grid(hidden, opened, numbers, which, board, grid):
    """Unpacks position `which` of a batch, last, to a grid.

    `numbers` are the binary digits of the numbers in four packed boards.
    """
    for row in range(board.rows):
        for col in range(board.cols):
            word, bit = col // WORD, np.uint32(col % WORD)
            cell, one = row * board.cols + col, np.uint32(1)
            if opened[row, word, which] >> bit & one:
                number = 0
                for digit in range(4):
                    plane = numbers[digit, row, word, which] >> bit & one
                    number += int(plane) << digit
                grid[cell] = number
            else:
                grid[cell] = UNKNOWN if hidden[row, word, which] >> bit & one else OUTSIDE
