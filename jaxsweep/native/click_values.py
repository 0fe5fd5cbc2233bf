"""ZiNi and HZiNi of a batch of boards, as in `metrics.zini`.

Cells are places, numbered column by column with a border, in the order that decides between equal
premiums. The key of a place is its premium, and below it the place counted backward: so the place
to be solved next is that of the largest key, which vector instructions find in one pass over a
block of places. Only blocks that a move changed are passed over again.

Two facts save most moves. A click into what is worth a 3BV changes its own premium by +1 (it is
open) − 1 (it is solved), and no other one upward. So once no premium is 0 or more, ZiNi is what was
clicked, plus the 3BV that is left; and for HZiNi, which may only solve what is open, the cell that
was clicked last is the only candidate.

Places are unsigned where time counts: a signed index may be negative, which costs a test.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, UInt8

from jaxsweep.native.compiler import compiled, inlined

BLOCK_BITS = 10
BLOCK = 1 << BLOCK_BITS
"""Places whose largest key is kept. One more premium is one `BLOCK` more of a key."""

NEVER = -20
"""The premium of a mine or of a place outside, which is never solved: at most 8 flags raise it, and
at most 8 3BVs lower it, within the 6 bits of a premium."""

HIDDEN_COST = 8
"""Subtracted from the premiums of hidden numbers in HZiNi, which are at most 5."""

PLANES = 11
INSIDE, MINE, COLUMN, ZERO, ALONE, HIDDEN, UNFLAGGED = range(7)
"""Planes of a byte a place: the cells of the board, mines, scratch, cells that show 0, safe cells
next to none of these; safe cells that are hidden, and mines without a flag."""
MINES_AROUND, ZEROS_AROUND, ALONE_AROUND, TOUCHING = range(7, PLANES)
"""Of the 3×3 places around each: mines, cells that show 0, safe cells next to none; openings."""


class Room(NamedTuple):
    """The memory of a thread, for boards of one size."""

    rows: int
    cols: int
    planes: UInt8[np.ndarray, "planes places"]
    key: Int16[np.ndarray, " places"]
    order: Int16[np.ndarray, " places"]
    """Of each place, what its key has below the premium."""
    best: Int16[np.ndarray, " blocks"]
    """The largest key of each block, or -1 if all are less."""
    opening: Int32[np.ndarray, " places"]
    """The number of the last opening that was found here, from 1: of a 0, its own."""
    regions: Int32[np.ndarray, " room"]
    """The places of each opening: the cells that show 0, and what is around them."""
    ends: Int32[np.ndarray, " openings"]
    """Where the region of each opening ends, and that of the next one begins."""


def make_room(rows: int, cols: int) -> Room:
    """Makes room for boards of this size."""
    stride = rows + 1  # One place is the end of a column, and the border of the next one.
    places = (cols + 2) * stride + 1
    planes = np.zeros((PLANES, places), np.uint8)
    planes[INSIDE, :-1].reshape(cols + 2, stride)[1:-1, 1:] = 1
    return Room(
        rows,
        cols,
        planes,
        key=np.zeros(places, np.int16),
        order=(BLOCK - 1 - np.arange(places) % BLOCK).astype(np.int16),
        best=np.zeros(-(-places // BLOCK), np.int16),
        opening=np.zeros(places, np.int32),
        # Of the places around one, at most four belong to different openings. One is to spare.
        regions=np.zeros(4 * places + 1, np.int32),
        ends=np.zeros(places + 1, np.int32),
    )


@compiled
@no_type_check
def value_clicks(begin, end, mines, room, values):
    """Writes the ZiNi and the HZiNi of the boards `begin` to `end` − 1.

    Args:
        begin: the first board.
        end: one more than the last.
        mines: `[boards, rows · cols]`, 1 where a mine is.
        room: the memory.
        values: `[boards, 2]`, written.

    """
    for which in range(begin, end):
        alone = _lay(mines[which], room)
        openings = _find_openings(room)
        for human in range(2):
            _start(human, room)
            clicked = openings * human
            values[which, human] = clicked + _solve(openings + alone - clicked, human, room)


@inlined
@no_type_check
def _lay(board, room):
    """Writes the planes that do not change while a board is solved; returns how many are alone."""
    planes, rows, cols = room.planes, room.rows, room.cols
    inside, mine, zero, alone = planes[INSIDE], planes[MINE], planes[ZERO], planes[ALONE]
    for col in range(cols):
        first = (col + 1) * (rows + 1) + 1
        own = mine[first : first + rows]
        for row in range(rows):
            own[row] = board[row * cols + col]
    mines_around, zeros_around = planes[MINES_AROUND], planes[ZEROS_AROUND]
    _sum_around(mine, rows + 1, planes[COLUMN], mines_around)
    for place in range(len(zero)):
        zero[place] = inside[place] & (mines_around[place] == 0)
    _sum_around(zero, rows + 1, planes[COLUMN], zeros_around)
    count = np.uint32(0)
    for place in range(len(alone)):
        alone[place] = inside[place] & ~mine[place] & (zeros_around[place] == 0)
        count += np.uint32(alone[place])
    _sum_around(alone, rows + 1, planes[COLUMN], planes[ALONE_AROUND])
    return np.int64(count)


@compiled
@no_type_check
def _sum_around(plane, stride, column, sums):
    """Sums up the 3×3 places around each place that is inside; elsewhere the sum is undefined."""
    for place in range(1, len(plane) - 1):
        column[place] = plane[place - 1] + plane[place] + plane[place + 1]
    left, here, right = column[: -2 * stride], column[stride:-stride], column[2 * stride :]
    own = sums[stride : len(sums) - stride]
    for place in range(len(own)):
        own[place] = left[place] + here[place] + right[place]


@inlined
@no_type_check
def _find_openings(room):
    """Lists the region of each opening; returns how many there are."""
    zero, touching = room.planes[ZERO], room.planes[TOUCHING]
    opening, regions, ends = room.opening, room.regions, room.ends
    opening[:] = 0
    touching[:] = 0
    stride, one, count = np.uint64(room.rows + 1), np.uint64(1), np.int32(0)
    end = reached = np.uint64(0)
    for start in range(len(zero)):
        if not zero[start] or opening[start]:
            continue
        count += 1
        opening[start] = count
        regions[end] = start
        end += one
        while reached < end:  # It grows while it is read.
            place = np.uint64(regions[reached])
            reached += one
            touching[place] += 1
            if zero[place]:
                first = place - stride - one
                for _ in range(3):
                    for i in range(3):
                        other = first + np.uint64(i)
                        regions[end] = other
                        end += np.uint64(opening[other] != count)
                        opening[other] = count
                    first += stride
        ends[count] = end
    return np.int64(count)


@inlined
@no_type_check
def _start(human, room):
    """Hides all safe cells, for HZiNi only those in no opening, and writes the keys."""
    planes, key, order = room.planes, room.key, room.order
    inside, mine, alone, hidden = planes[INSIDE], planes[MINE], planes[ALONE], planes[HIDDEN]
    alone_around, mines_around = planes[ALONE_AROUND], planes[MINES_AROUND]
    planes[UNFLAGGED][:] = mine
    cost = 1 + HIDDEN_COST if human else 1
    for place in range(len(key)):
        safe = inside[place] & ~mine[place]
        own = alone[place] if human else safe
        opened = alone_around[place] + (0 if human else planes[TOUCHING, place])
        premium = opened - mines_around[place] - own * cost - 1
        hidden[place] = own
        key[place] = (premium if safe else NEVER) * BLOCK + order[place]


@inlined
@no_type_check
def _solve(worth, human, room):
    """Clicks until every safe cell is open; returns how many clicks that took.

    Args:
        worth: the 3BV that is hidden.
        human: whether only open numbers are solved, as in HZiNi.
        room: the memory, with the board at its start.

    """
    hidden, key = room.planes[HIDDEN], room.key
    gain = BLOCK * (1 + HIDDEN_COST) if human else BLOCK
    low, high = 0, len(key) - 1
    clicks, waiting = 0, np.uint64(0)
    while worth:
        cell = _best_place(low, high, key, room.best)
        while human and key[cell] < 0 and worth:
            while not hidden[waiting]:
                waiting += np.uint64(1)
            cell = waiting
            clicks += 1
            worth -= _open_number(cell, gain, room)
        if key[cell] < 0:
            break
        spent, solved, low, high = _chord(cell, gain, room)
        clicks += spent
        worth -= solved
    return clicks + worth


@inlined
@no_type_check
def _best_place(low, high, key, best):
    """Returns the first place of the highest premium; any that is negative if all are.

    Keys of 0 or more have changed since the last call from place `low` to `high` at most.
    """
    for block in range(low >> BLOCK_BITS, (high >> BLOCK_BITS) + 1):
        keys, most = key[block << BLOCK_BITS : (block + 1) << BLOCK_BITS], np.int16(-1)
        for i in range(len(keys)):
            if keys[i] > most:
                most = keys[i]
        best[block] = most
    chosen = 0
    for block in range(1, len(best)):
        if best[block] >> BLOCK_BITS > best[chosen] >> BLOCK_BITS:
            chosen = block
    # Where all are negative, this is place 0, outside.
    return np.uint64((chosen << BLOCK_BITS) + (BLOCK - 1 - (best[chosen] & (BLOCK - 1))))


@inlined
@no_type_check
def _chord(cell, gain, room):
    """Opens a number, flags the mines around it and chords it.

    Args:
        cell: its place.
        gain: what opening a cell adds to its key.
        room: the memory.

    Returns:
        The clicks, the 3BV that they solved, and the first and the last place whose key changed.

    """
    hidden, unflagged, zero = room.planes[HIDDEN], room.planes[UNFLAGGED], room.planes[ZERO]
    stride, clicks, solved = np.uint64(room.rows + 1), 1 + hidden[cell], 0
    reach = 2 * (room.rows + 2)
    low, high = max(np.int64(cell) - reach, 0), min(np.int64(cell) + reach, len(hidden) - 1)
    first = cell - stride - np.uint64(1)
    for _ in range(3):
        for i in range(3):  # The cell itself is among them: it is opened, too.
            other = first + np.uint64(i)
            if unflagged[other]:
                clicks += 1
                unflagged[other] = 0
                _add_around(other, BLOCK, room.key, stride)
            if hidden[other]:
                if zero[other]:
                    least, most = _open_opening(room.opening[other], room)
                    low, high, solved = min(low, least), max(high, most), solved + 1
                else:
                    solved += _open_number(other, gain, room)
        first += stride
    return clicks, solved, low, high


@inlined
@no_type_check
def _open_number(cell, gain, room):
    """Opens a hidden number; returns the 3BV that this solves."""
    room.planes[HIDDEN, cell] = 0
    room.key[cell] += gain
    if not room.planes[ALONE, cell]:
        return 0
    _add_around(cell, -BLOCK, room.key, np.uint64(room.rows + 1))
    return 1


@inlined
@no_type_check
def _add_around(cell, change, key, stride):
    """Adds to the keys of 3×3 places."""
    first, one, two = cell - stride - np.uint64(1), np.uint64(1), np.uint64(2)
    for _ in range(3):
        key[first] += change
        key[first + one] += change
        key[first + two] += change
        first += stride


@inlined
@no_type_check
def _open_opening(opening, room):
    """Opens all that a click into an opening opens; returns its first and its last place."""
    key, hidden = room.key, room.planes[HIDDEN]
    first, last = len(key), 0
    for i in range(room.ends[opening - 1], room.ends[opening]):
        place = np.uint64(room.regions[i])
        # +1 where it was hidden, and −1 since the opening is solved.
        key[place] -= (1 - hidden[place]) * BLOCK
        hidden[place] = 0
        first, last = min(first, np.int64(place)), max(last, np.int64(place))
    return first, last
