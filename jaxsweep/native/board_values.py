"""3BV, openings and islands of a batch of boards, as in `metrics.board`.

Groups of cells are found run by run: a run is what is connected within a row, and two runs touch if
they overlap in neighbouring rows, corners included. Cells are classified and runs listed without
branches, which on boards at random would be mispredicted.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import UInt8

from jaxsweep.native.compiler import compiled

BBBV, OPENINGS, ISLANDS = range(3)
"""What is written of each board."""


INSIDE, MINE, COLUMN, ZERO, ALONE = range(5)
"""Planes of a byte a cell: the cells of the board, mines, scratch, cells that show 0, safe
cells next to none of these."""


def make_planes(rows: int, cols: int) -> UInt8[np.ndarray, "5 bordered"]:
    """Makes room for the planes of a board with a border around it."""
    planes = np.zeros((5, rows + 2, cols + 2), np.uint8)
    planes[INSIDE, 1:-1, 1:-1] = 1
    return planes.reshape(5, -1)


@compiled
@no_type_check
def value_some(begin, end, mines, rows, cols, islands, planes, runs, values):
    """Values the boards `begin` to `end` − 1.

    Args:
        begin: the first board.
        end: one more than the last.
        mines: `[boards, rows · cols]`, 1 where a mine is.
        rows: the rows of a board.
        cols: the columns of a board.
        islands: whether islands are counted, which takes most of the time.
        planes: what `make_planes` made.
        runs: `[3, bordered]`, room for 32-bit integers.
        values: `[boards, 3]`, written.

    """
    width = cols + 2
    zeros, alone = planes[ZERO], planes[ALONE]
    for which in range(begin, end):
        count = _classify(mines[which], rows, cols, planes)
        openings = _count_groups(zeros, width, runs[0], runs[1], runs[2])
        values[which, OPENINGS], values[which, BBBV] = openings, openings + count
        if islands:
            values[which, ISLANDS] = _count_groups(alone, width, runs[0], runs[1], runs[2])


@compiled
@no_type_check
def _classify(board, rows, cols, planes):
    """Writes the planes of a board; returns how many cells are `ALONE`."""
    inside, mine, column, zeros, alone = planes[0], planes[1], planes[2], planes[3], planes[4]
    width, count = cols + 2, np.uint32(0)
    for row in range(rows):
        place = (row + 1) * width + 1
        mine[place : place + cols] = board[row * cols : (row + 1) * cols]
    _find_none_near(mine, inside, width, column, zeros)
    _find_none_near(zeros, inside, width, column, alone)
    for i in range(len(alone)):
        alone[i] &= ~mine[i]
        count += np.uint32(alone[i])
    return count


@compiled
@no_type_check
def _find_none_near(cells, inside, width, column, found):
    """Writes 1 where none of the 3×3 cells is set.

    Loops run over slices from 0 on, without branches: so they become vector instructions.
    """
    count = len(cells) - 2 * width
    up, here, down = cells[:count], cells[width : width + count], cells[2 * width :]
    own = column[width : width + count]
    for i in range(count):
        own[i] = up[i] | here[i] | down[i]
    left, right, count = own[:-2], own[2:], count - 2
    middle = own[1:-1]
    inner, out = inside[width + 1 : width + 1 + count], found[width + 1 : width + 1 + count]
    for i in range(count):
        out[i] = inner[i] & ~(left[i] | middle[i] | right[i])


@compiled
@no_type_check
def _count_groups(cells, width, first, last, parent):
    """Counts the connected groups of cells, by a union of runs.

    The first and the last cell of each run, and its parent in the union, are written to lists.
    """
    count = ended = 0
    for i in range(width + 1, len(cells) - width):
        own = cells[i]
        first[count] = i
        count += own & (1 - cells[i - 1])
        last[ended] = i
        ended += own & (1 - cells[i + 1])
    groups, above = count, 0
    for run in range(count):
        parent[run] = run
        least, most = first[run] - width - 1, last[run] - width + 1
        while last[above] < least:
            above += 1
        other = above
        while first[other] <= most and other < run:
            a, b = other, run
            while parent[a] != a:
                a = parent[a]
            while parent[b] != b:
                b = parent[b]
            groups -= a != b
            parent[max(a, b)] = min(a, b)
            other += 1
    return groups
