"""All consistent layouts of a position, and what each cell is in them: where the search starts.

The same layouts in the same order as `scalar.layout_listing` lists: there level by level, here by
backtracking, which needs no room for partial layouts. A set of layouts has a bit for each of them.

Functions work on pointers to the arrays, in tuples of the same classes: Numba would pass every
array as seven values, and count references to it, in each of the small functions of a search.
"""

from typing import Any, NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int64, UInt64
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from jaxsweep.native.compiler import compiled

HIDDEN, FLAGGED, CERTAIN_MINE = -1, -2, -3
"""Values in a grid of numbers, as in `rules.grid` and `scalar.layout_listing`.

Any other negative value is a place that is no part of the board.
"""

WORD = 64
"""Layouts in one word of a set."""

NEIGHBOURS = 8
"""The most neighbours of a cell; where it has fewer, −1 stands behind the last of them."""

TOO_MANY = -1
"""Instead of a number of layouts: there are more of them, or more partial ones, than allowed."""

SETS = 2 + NEIGHBOURS
"""Sets of layouts of a cell: those in which it is a mine, and those of each number it shows."""

ZERO, ONE = np.uint64(0), np.uint64(1)


class ListingSpace(NamedTuple):
    """The memory of these functions, and what they find; cells of the board are flat indices."""

    shape: Int64[np.ndarray, " two"]
    """Cells and columns of the board that `near` is about."""
    near: Int64[np.ndarray, " near"]
    """The neighbours of every cell of the board, in reading order."""
    order: Int64[np.ndarray, " board"]
    """The uncertain cells, in the order in which they are decided."""
    index_of: Int64[np.ndarray, " board"]
    """The place of an uncertain cell in `order`, −1 for all others."""
    around: Int64[np.ndarray, " near"]
    """The numbers next to every uncertain cell, in this order."""
    needs: Int64[np.ndarray, " board"]
    """How many mines a number still needs among its undecided cells."""
    room: Int64[np.ndarray, " board"]
    """How many undecided cells a number has."""
    tried: Int64[np.ndarray, " cells"]
    """How many of its two states have been tried for a cell: safe, then mined."""
    partial: Int64[np.ndarray, " cells"]
    """How many partial layouts end with a cell."""
    mined: UInt64[np.ndarray, " words"]
    """The layouts in which each cell is a mine: a word of all cells, then the next of all."""
    sets: UInt64[np.ndarray, " sets"]
    """Of each cell: the layouts in which it is a mine, then those of each number it may show."""


def listing_space(max_layouts: int, max_cells: int) -> ListingSpace:
    """Reserves memory for boards of at most so many cells."""
    words = -(-max_layouts // WORD) * max_cells
    return ListingSpace(
        shape=np.zeros(2, np.int64),
        near=np.empty(max_cells * NEIGHBOURS, np.int64),
        order=np.empty(max_cells, np.int64),
        index_of=np.empty(max_cells, np.int64),
        around=np.empty(max_cells * NEIGHBOURS, np.int64),
        needs=np.empty(max_cells, np.int64),
        room=np.empty(max_cells, np.int64),
        tried=np.empty(max_cells + 1, np.int64),
        partial=np.empty(max_cells + 1, np.int64),
        mined=np.empty(words, np.uint64),
        sets=np.empty(words * SETS, np.uint64),
    )


@no_type_check
def _pointer(context, array):
    """Says what a pointer to the data of an array is, to Numba."""
    if not isinstance(array, types.Array) or array.ndim != 1 or array.layout != "C":
        raise TypingError("a pointer needs an array of one contiguous dimension")

    def data(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), data


pointer: Any = intrinsic(_pointer)
"""Returns a pointer to the data of an array, which somebody else has to keep alive."""


@compiled
@no_type_check
def listing_pointers(space):
    """Returns pointers to the arrays."""
    return ListingSpace(
        pointer(space.shape),
        pointer(space.near),
        pointer(space.order),
        pointer(space.index_of),
        pointer(space.around),
        pointer(space.needs),
        pointer(space.room),
        pointer(space.tried),
        pointer(space.partial),
        pointer(space.mined),
        pointer(space.sets),
    )


@compiled
@no_type_check
def _find_neighbours(size, cols, shape, near):
    """Fills the table of neighbours, unless it is about a board of this shape already."""
    if shape[0] == size and shape[1] == cols:
        return
    shape[0], shape[1] = size, cols
    for cell in range(size):
        row, col, place = cell // cols, cell % cols, cell * NEIGHBOURS
        for r in range(row - 1, row + 2):
            for c in range(col - 1, col + 2):
                inside = 0 <= r < size // cols and 0 <= c < cols
                if inside and (r != row or c != col):
                    near[place] = r * cols + c
                    place += 1
        while place < (cell + 1) * NEIGHBOURS:
            near[place] = -1
            place += 1


@compiled
@no_type_check
def _is_uncertain(value):
    """Tells if a place of the grid is a hidden cell that is not certainly a mine."""
    return FLAGGED <= value <= HIDDEN


@compiled
@no_type_check
def _find_numbers(grid, i, p):
    """Lists the numbers around the i-th cell, and counts them."""
    start, found = p.order[i] * NEIGHBOURS, i * NEIGHBOURS
    for k in range(start, start + NEIGHBOURS):
        number = p.near[k]
        if number >= 0 and grid[number] >= 0:
            p.around[found] = number
            found += 1
    if found < (i + 1) * NEIGHBOURS:
        p.around[found] = -1
    return found - i * NEIGHBOURS


@compiled
@no_type_check
def _add_sharing_cells(grid, first, cells, p):
    """Adds all cells that share a number with one from `first` on, or with one that was added.

    Returns how many cells there are.
    """
    while first < cells:
        numbers = _find_numbers(grid, first, p)
        for k in range(first * NEIGHBOURS, first * NEIGHBOURS + numbers):
            number = p.around[k]
            p.room[number] += 1
            start = number * NEIGHBOURS
            for other in range(start, start + NEIGHBOURS):
                cell = p.near[other]
                if cell >= 0 and p.index_of[cell] < 0 and _is_uncertain(grid[cell]):
                    p.order[cells], p.index_of[cell] = cell, cells
                    cells += 1
        first += 1
    return cells


@compiled
@no_type_check
def _put_in_order(grid, size, p):
    """Orders the uncertain cells so that each shares a number with an earlier one; counts them.

    Breadth first from each cell next to a number; cells next to no number come last.
    """
    for cell in range(size):
        p.index_of[cell], p.room[cell] = -1, 0
    cells = np.int64(0)
    for next_to_number in range(1, -1, -1):
        for cell in range(size):
            if _is_uncertain(grid[cell]) and p.index_of[cell] < 0:
                p.order[cells], p.index_of[cell] = cell, cells
                if next_to_number and not _find_numbers(grid, cells, p):
                    p.index_of[cell] = -1
                    continue
                cells = _add_sharing_cells(grid, cells, cells + 1, p)
    return cells


@compiled
@no_type_check
def _find_needs(grid, size, p):
    """Finds what every number next to an uncertain cell needs; tells if it can have that."""
    possible = True
    for number in range(size):
        if p.room[number]:
            need = np.int64(grid[number])
            for k in range(number * NEIGHBOURS, (number + 1) * NEIGHBOURS):
                need -= p.near[k] >= 0 and grid[p.near[k]] == CERTAIN_MINE
            p.needs[number] = need
            possible &= 0 <= need <= p.room[number]
    return possible


@compiled
@no_type_check
def _decide(i, needed, decided, p):
    """Changes what the numbers around the i-th cell need, and their cells that are decided.

    Tells if they can still have what they need.
    """
    possible = True
    for k in range(i * NEIGHBOURS, (i + 1) * NEIGHBOURS):
        number = p.around[k]
        if number < 0:
            break
        p.needs[number] += needed
        p.room[number] -= decided
        possible &= 0 <= p.needs[number] <= p.room[number]
    return possible


@compiled
@no_type_check
def _record(layout, cells, p):
    """Adds the layout that has been decided to the sets of its mines."""
    row, bit = layout // WORD * cells, ONE << np.uint64(layout % WORD)
    if bit == ONE:
        for i in range(cells):
            p.mined[row + i] = 0
    for i in range(cells):
        if p.tried[i] == 2:
            p.mined[row + i] |= bit


@compiled
@no_type_check
def list_layouts(grid, size, cols, mines, max_layouts, max_partial, p):
    """Lists all layouts of the mines in the uncertain cells; returns how many cells, and layouts.

    The number of layouts is `TOO_MANY` if there are more than `max_layouts`, or more than
    `max_partial` partial layouts up to one of the cells.
    """
    _find_neighbours(size, cols, p.shape, p.near)
    cells = _put_in_order(grid, size, p)
    left = np.int64(mines)  # Mines that are not placed yet.
    for cell in range(size):
        left -= grid[cell] == CERTAIN_MINE
    layouts = i = p.tried[0] = p.partial[0] = np.int64(0)
    if not _find_needs(grid, size, p) or not 0 <= left <= cells:
        return cells, layouts
    for cell in range(cells):
        p.partial[cell] = 0
    while i >= 0:
        if i == cells:
            if layouts == max_layouts:
                return cells, np.int64(TOO_MANY)
            _record(layouts, cells, p)
            layouts += 1
            i -= 1
            continue
        # Safe at first, then a mine, then neither: back to the cell before.
        tried = p.tried[i] = p.tried[i] + 1
        back = np.int64(tried == 3)
        needed, decided = back - (tried == 2), (tried == 1) - back
        left += needed
        possible = _decide(i, needed, decided, p)
        if back:
            i -= 1
        elif possible and 0 <= left < cells - i:
            p.partial[i] += 1
            if p.partial[i] > max_partial:
                return cells, np.int64(TOO_MANY)
            i += 1
            p.tried[i] = 0
    return cells, layouts


@compiled
@no_type_check
def word_of_all(word, layouts):
    """Returns a word of the set of all layouts."""
    inside = layouts - word * WORD
    return ~ZERO if inside >= WORD else (ONE << np.uint64(inside)) - ONE


@compiled
@no_type_check
def find_sets(i, cells, layouts, width, p):
    """Finds the layouts in which the i-th cell is a mine, and those in which it shows each number.

    Numbers that it shows in no layout are left out. Returns how many are left. A set has `width`
    words.
    """
    sets, near = p.sets, p.order[i] * NEIGHBOURS
    mines, numbers, end = i * SETS * width, (i * SETS + 1) * width, (i + 1) * SETS * width
    for place in range(numbers, end):
        sets[place] = 0
    for word in range(width):
        sets[mines + word] = p.mined[word * cells + i]
        sets[numbers + word] = word_of_all(word, layouts) & ~sets[mines + word]
        for k in range(near, near + NEIGHBOURS):
            other = p.near[k]
            if other >= 0 and p.index_of[other] >= 0:
                mined = p.mined[word * cells + p.index_of[other]]
                for place in range(end - width + word, numbers + word, -width):
                    sets[place] = (sets[place] & ~mined) | (sets[place - width] & mined)
                sets[numbers + word] &= ~mined
    shown = np.int64(0)
    for place in range(numbers, end, width):
        some = ZERO
        for word in range(width):
            some |= sets[place + word]
            sets[numbers + shown * width + word] = sets[place + word]
        shown += some != ZERO
    return shown
