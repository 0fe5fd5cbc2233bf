"""3BV, openings and islands of a batch of boards, as in `metrics.board`.

A board is a row of bits, in reading order with one empty bit behind each of its rows: the cell to
the right is one bit on, the cell below `cols + 1` bits. Words of 64 bits of several boards lie side
by side, so that vector instructions work on all these boards at once.

Groups of cells are counted by shrinking them (Levialdi, *On shrinking binary picture patterns*,
Communications of the ACM 15 (1972)). In each step all cells at once do the same by their neighbours
to the right, below, and diagonally between these two: a cell of the set leaves it if none of the
three is in it; a cell outside joins if the first two are in it. No groups merge and none falls
apart, and after at most rows + columns steps all are gone, each as a single cell: which is counted.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import UInt64

from jaxsweep.native.bits import count_ones
from jaxsweep.native.compiler import compiled, inlined

BBBV, OPENINGS, ISLANDS = range(3)
"""What is written of each board."""

LANES = 8
"""Boards side by side, in a batch: a vector of 512 bits, or two of 256."""

PLANES = 8
INSIDE, MINE, ZERO, ALONE, SHRUNK, ROW, SINGLE, BESIDE = range(PLANES)
"""Planes of a bit a cell: the cells of the board, mines, cells that show 0, safe cells next to none
of these; scratch of `_count_groups`; and as `_look_around` says."""


class Room(NamedTuple):
    """The memory of a thread, for boards of one size."""

    rows: int
    cols: int
    lanes: int
    """How many boards lie side by side."""
    margin: int
    """Words that are 0 before and behind a board, so that all its bits have neighbours."""
    planes: UInt64[np.ndarray, "planes words_lanes"]
    counts: UInt64[np.ndarray, " words_lanes"]


def make_room(rows: int, cols: int, lanes: int = LANES) -> Room:
    """Makes room for boards of this size, so many at once."""
    words, margin = -(-rows * (cols + 1) // 64), (cols + 1) // 64 + 2
    planes = np.zeros((PLANES, (words + 2 * margin) * lanes), np.uint64)
    room = Room(rows, cols, lanes, margin, planes, np.zeros(words * lanes, np.uint64))
    for lane in range(lanes):
        _lay(np.ones(rows * cols, np.uint8), lane, room, planes[INSIDE])
    return room


@compiled
@no_type_check
def value_some(begin, end, mines, islands, room, values):
    """Values the boards `begin` to `end` − 1.

    Args:
        begin: the first board.
        end: one more than the last.
        mines: `[boards, rows · cols]`, 1 where a mine is.
        islands: whether islands are counted, which takes half of the time.
        room: the memory.
        values: `[boards, 3]`, written.

    """
    planes, lanes, counts = room.planes, room.lanes, room.counts
    zero, alone = planes[ZERO], planes[ALONE]
    for first in range(begin, end, lanes):
        own = values[first : min(first + lanes, end)]
        planes[MINE][:] = 0
        for lane in range(len(own)):
            _lay(mines[first + lane], lane, room, planes[MINE])
        _find_none_near(planes[MINE], room, zero)
        _find_none_near(zero, room, alone)
        _remove(planes[MINE], alone)
        counts[:] = 0
        _add_ones(alone, room)
        _write_counts(room, own[:, BBBV])
        _count_groups(zero, room)
        _write_counts(room, own[:, OPENINGS])
        for lane in range(len(own)):
            own[lane, BBBV] += own[lane, OPENINGS]
        if islands:
            _count_groups(alone, room)
            _write_counts(room, own[:, ISLANDS])


@compiled
@no_type_check
def _lay(board, lane, room, plane):
    """Adds a board, of a byte a cell, to a plane that was empty."""
    lanes, cols = room.lanes, room.cols
    for row in range(room.rows):
        for col in range(0, cols, 64):
            cells = board[row * cols + col : row * cols + min(col + 64, cols)]
            word = np.uint64(0)
            for i in range(len(cells)):
                word |= np.uint64(cells[i]) << np.uint64(i)
            place = row * (cols + 1) + col
            own = (place // 64 + room.margin) * lanes + lane
            plane[own] |= _later(np.uint64(0), word, np.uint64(place % 64))
            plane[own + lanes] |= _later(word, np.uint64(0), np.uint64(place % 64))


@inlined
@no_type_check
def _later(before, word, by):
    """Moves bits on by less than 64 places; those of the word before come in."""
    return (word << by) | ((before >> (np.uint64(63) - by)) >> np.uint64(1))


@inlined
@no_type_check
def _earlier(word, behind, by):
    """Moves bits back by less than 64 places; those of the word behind come in."""
    return (word >> by) | ((behind << (np.uint64(63) - by)) << np.uint64(1))


# The loops below run over slices from 0 on, without branches, and each reads and writes few arrays:
# more than about eight pairs that might overlap, and they do not become vector instructions.


@compiled
@no_type_check
def _look_around(plane, room):
    """Finds what is around the cells of a plane.

    Writes `ROW`: the cell or one beside it in its row is set; `SINGLE`: the cell is, and none
    beside it; `BESIDE`: one of the three above or the three below is.
    """
    lanes, one = room.lanes, np.uint64(1)
    count = len(plane) - 2 * lanes
    before, here, behind = plane[:count], plane[lanes : lanes + count], plane[2 * lanes :]
    row, single = room.planes[ROW][lanes:], room.planes[SINGLE][lanes:]
    for i in range(count):
        own = here[i]
        sides = _later(before[i], own, one) | _earlier(own, behind[i], one)
        row[i] = own | sides
        single[i] = own & ~sides
    start, step = room.margin * lanes, (room.cols + 1) // 64 * lanes
    by, row = np.uint64((room.cols + 1) % 64), room.planes[ROW]
    up, far_up = row[start - step :], row[start - step - lanes :]
    down, far_down = row[start + step :], row[start + step + lanes :]
    beside = room.planes[BESIDE][start:]
    for i in range(len(room.counts)):
        beside[i] = _later(far_up[i], up[i], by) | _earlier(down[i], far_down[i], by)


@compiled
@no_type_check
def _find_none_near(plane, room, found):
    """Writes the cells with none of their 3×3 cells in a plane."""
    _look_around(plane, room)
    inside, row, beside = room.planes[INSIDE], room.planes[ROW], room.planes[BESIDE]
    for i in range(len(inside)):
        found[i] = inside[i] & ~(row[i] | beside[i])


@compiled
@no_type_check
def _remove(cells, plane):
    """Removes cells from a plane."""
    for i in range(len(plane)):
        plane[i] &= ~cells[i]


@compiled
@no_type_check
def _count_groups(plane, room):
    """Counts the connected groups of cells, and empties the plane."""
    shrunk, single, beside = room.planes[SHRUNK], room.planes[SINGLE], room.planes[BESIDE]
    room.counts[:] = 0
    left = np.uint64(1)
    while left:
        _look_around(plane, room)
        _remove(beside, single)
        _add_ones(single, room)
        left = _shrink(plane, room, shrunk)
        plane, shrunk = shrunk, plane


@compiled
@no_type_check
def _shrink(plane, room, shrunk):
    """Writes a plane after a step; returns 0 if it is empty."""
    lanes, one = room.lanes, np.uint64(1)
    start, step = room.margin * lanes, (room.cols + 1) // 64 * lanes
    by = np.uint64((room.cols + 1) % 64)
    here, behind = plane[start:], plane[start + lanes :]
    down, far_down = plane[start + step :], plane[start + step + lanes :]
    farther_down, out = plane[start + step + 2 * lanes :], shrunk[start:]
    left = np.uint64(0)
    for i in range(len(room.counts)):
        own, right = here[i], _earlier(here[i], behind[i], one)
        below = _earlier(down[i], far_down[i], by)
        diagonal = _earlier(below, _earlier(far_down[i], farther_down[i], by), one)
        out[i] = (own & (right | below | diagonal)) | (right & below)
        left |= out[i]
    return left


@compiled
@no_type_check
def _add_ones(plane, room):
    """Adds the ones of each word of a plane to the counts."""
    own = plane[room.margin * room.lanes :]
    for i in range(len(room.counts)):
        room.counts[i] += np.uint64(count_ones(own[i]))


@compiled
@no_type_check
def _write_counts(room, sums):
    """Writes the sum of the counts of each lane."""
    for lane in range(len(sums)):
        total = np.uint64(0)
        for i in range(lane, len(room.counts), room.lanes):
            total += room.counts[i]
        sums[lane] = total
