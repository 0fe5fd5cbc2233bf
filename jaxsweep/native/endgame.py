"""Optimal play of the end game, as in `scalar.endgame`, compiled: the same values and cells.

A set of layouts is separated by one cell at a time: by a certainly safe one if any separates it,
else by each of the risky ones in turn, as far as upper bounds do not rule them out. The sets and
their memory are those of `information_sets`.

Where the memory does not suffice, the status says so, and nothing else that is returned means
anything. No function calls itself: Numba does not keep such code reliably.
"""

from typing import no_type_check

import numpy as np

from jaxsweep.native.bits import count_ones
from jaxsweep.native.compiler import compiled
from jaxsweep.native.information_sets import (
    BOUNDED,
    CELLS,
    FRAME,
    FULL,
    LOOSE_PARTS,
    MAX_BOARD,
    MAX_FRAME,
    MAX_LAYOUTS,
    MAX_STACK,
    MAX_WORDS,
    NEW,
    SEEN,
    SOLVED,
    SOLVED_PARTS,
    WORDS,
    SearchSpace,
    layouts_in,
    search_pointers,
    search_space,
    separate,
    separates,
    start_memo,
)
from jaxsweep.native.layout_listing import SETS, TOO_MANY, WORD, find_sets, list_layouts, pointer

__all__ = [
    "FOUND",
    "NO_LAYOUT",
    "NO_ROOM",
    "SEEN",
    "TOO_MANY_LAYOUTS",
    "WORDS",
    "SearchSpace",
    "cell_wins",
    "search",
    "search_space",
]

FOUND, TOO_MANY_LAYOUTS, NO_LAYOUT, NO_ROOM = range(4)
"""The status of a search: only with the first one a cell and a number of layouts are found."""

PARTIAL_LAYOUTS = 16
"""Partial layouts, for each layout that the search accepts; as in `scalar.endgame`."""

SET, WANTED, WON, BELOW, FIRST, NEXT, LAST, GOAL, TOTAL, PART, TOP = range(FRAME)
"""What a frame holds of a set that is being searched: the layouts that are wanted of it, those that
are won, a bound on those of cells that win fewer; its cells on the stack, and the next of them; of
the cell that is tried the layouts that are wanted with it, a bound on those that it wins, and the
next of its parts on the stack, and their end."""

RISK, SHOWN = 32, 28
"""In lists of cells, the lowest bits of a cell's risk and of how many numbers it may show. Its
number is below; so these integers are in the order in which cells are tried."""

CELL, SHOWN_AND_CELL = (1 << SHOWN) - 1, (1 << RISK) - 1


# Setting up: the list of cells, and a memo with the set of all layouts.


@compiled
@no_type_check
def _set_up(grid, size, cols, mines, max_layouts, p):
    """Lists layouts and sets up their search; returns the status and the number of layouts."""
    counters, max_partial = p.counters, PARTIAL_LAYOUTS * max_layouts
    if size > counters[MAX_BOARD] or max_layouts > counters[MAX_LAYOUTS]:
        return NO_ROOM, np.int64(0)
    cells, layouts = list_layouts(grid, size, cols, mines, max_layouts, max_partial, p.listing)
    if layouts == TOO_MANY:
        return TOO_MANY_LAYOUTS, np.int64(0)
    if layouts == 0 or cells == 0:
        return NO_LAYOUT, layouts
    width = (layouts + WORD - 1) // WORD
    if 2 * cells + SETS > counters[MAX_STACK] or width > counters[MAX_WORDS]:
        return NO_ROOM, layouts
    start_memo(layouts, width, p)
    counters[CELLS] = 0
    for cell in range(cells):
        shown = find_sets(cell, cells, layouts, width, p.listing)
        risk = np.int64(0)
        for word in range(width):
            risk += count_ones(p.listing.mined[word * cells + cell])
        if shown:
            key = risk << RISK | shown << SHOWN | cell
            _insert(key, np.int64(0), counters[CELLS], p.stack)
            counters[CELLS] += 1
    return FOUND, layouts


@compiled
@no_type_check
def _insert(key, begin, end, stack):
    """Inserts a number into an ascending list on the stack."""
    while end > begin and stack[end - 1] > key:
        stack[end] = stack[end - 1]
        end -= 1
    stack[end] = key


# The search.


@compiled
@no_type_check
def _useful_cells(these, begin, end, top, p):
    """Lists, of the cells on the stack from begin to end, those that separate layouts of a set.

    The list is put on top of the stack, with the risks in this set, the least first: if a safe cell
    separates layouts, it is the first. Returns the new top.
    """
    first, last, layouts = p.begin[these], p.begin[these + 1], p.layouts[these]
    found = top
    for i in range(begin, end):
        start = (p.stack[i] & CELL) * SETS * p.counters[WORDS]
        risk = layouts_in(start, first, last, p)
        if separates(start, layouts - risk, first, last, p):
            _insert(risk << RISK | (p.stack[i] & SHOWN_AND_CELL), top, found, p.stack)
            found += 1
    return found


@compiled
@no_type_check
def _least_risk(these, begin, end, p):
    """Returns the first of the cells that separate a set with the least risk, with that risk.

    If none does, the risk is that of a bet on one layout.
    """
    first, last, layouts = p.begin[these], p.begin[these + 1], np.int64(p.layouts[these])
    best = (layouts - 1) << RISK
    for i in range(begin, end):
        start = (p.stack[i] & CELL) * SETS * p.counters[WORDS]
        risk = layouts_in(start, first, last, p)
        if risk < best >> RISK and separates(start, layouts - risk, first, last, p):
            best = risk << RISK | (p.stack[i] & SHOWN_AND_CELL)
            if risk == 0:
                break
    return best


@compiled
@no_type_check
def _find_bound(these, begin, end, top, p):
    """Finds an upper bound on the layouts of a set that can be won, if there is none yet.

    If no safe cell separates layouts, the least risk of a cell that does must be taken. The cells
    from `begin` to `end` of the stack include all that can separate layouts of the set.
    """
    if p.states[these] != NEW:
        return
    stack, bounds, states, parents = p.stack, p.bounds, p.states, p.parents
    bottom = top
    stack[top], parents[these] = these, -1
    top += 1
    while top > bottom:
        these = stack[top - 1]
        if states[these] == NEW:
            layouts, least = np.int64(p.layouts[these]), _least_risk(these, begin, end, p)
            if least >> RISK:
                bounds[these] = layouts - (least >> RISK)
                # A bet on one layout wins that one, and a cell that separates some wins two.
                states[these] = BOUNDED if bounds[these] > 2 else SOLVED
            else:
                parts_end, single = separate(these, least & CELL, layouts, top, p)
                if p.counters[FULL]:
                    return
                bounds[these], states[these] = single, SOLVED_PARTS
                for i in range(top, parts_end):
                    parents[stack[i]] = these
                top = parts_end
                continue
        elif states[these] < BOUNDED:
            states[these] += BOUNDED - LOOSE_PARTS
        if parents[these] >= 0:
            bounds[parents[these]] += bounds[these]
            if states[these] != SOLVED:
                states[parents[these]] = LOOSE_PARTS
        top -= 1


@compiled
@no_type_check
def _open_cell(these, key, wanted, begin, end, top, p):
    """Bounds the layouts that are won if a cell is opened, where a set of them is left.

    Puts the parts on the stack, those with the highest bounds first, and returns the bound and the
    top of the stack. A bound less than wanted may be found before all parts are bounded.
    """
    stack, bounds = p.stack, p.bounds
    total = p.layouts[these] - (key >> RISK)
    parts_end, _ = separate(these, key & CELL, total, top, p)
    for i in range(top, parts_end):
        part, place = stack[i], i
        _find_bound(part, begin, end, parts_end, p)
        total += bounds[part] - p.layouts[part]
        if total < wanted or p.counters[FULL]:
            break
        while place > top and bounds[stack[place - 1]] < bounds[part]:
            stack[place] = stack[place - 1]
            place -= 1
        stack[place] = part
    return total, parts_end


@compiled
@no_type_check
def _try_next_cell(frame, p):
    """Opens the next cell of a frame's set, if there is one that may win more; tells if so."""
    frames, stack = p.frames, p.stack
    these, won, i = frames[frame + SET], frames[frame + WON], frames[frame + NEXT]
    first, last = frames[frame + FIRST], frames[frame + LAST]
    # A safe cell is as good as any other.
    if i == last or won == p.bounds[these] or (i > first and stack[first] >> RISK == 0):
        return False
    goal, most = max(won + 1, frames[frame + WANTED]), p.layouts[these] - (stack[i] >> RISK)
    if most < goal:  # And the cells behind it win fewer still.
        frames[frame + BELOW] = max(frames[frame + BELOW], most)
        return False
    total, top = _open_cell(these, stack[i], goal, first, last, last, p)
    frames[frame + NEXT], frames[frame + GOAL], frames[frame + TOTAL] = i + 1, goal, total
    frames[frame + PART], frames[frame + TOP] = last, top
    return True


@compiled
@no_type_check
def _most_won(p):
    """Returns how many layouts optimal play wins with the cell that the first frame tries.

    If fewer than its goal, an upper bound that is less, too.
    """
    frames, stack, bounds, states = p.frames, p.stack, p.bounds, p.states
    frame = np.int64(0)
    while not p.counters[FULL]:
        total, goal = frames[frame + TOTAL], frames[frame + GOAL]
        part, top = frames[frame + PART], frames[frame + TOP]
        if part < top and total >= goal:
            frames[frame + PART] += 1
            these = stack[part]
            if states[these] == SOLVED:
                continue
            useful = _useful_cells(these, frames[frame + FIRST], frames[frame + LAST], top, p)
            frame += FRAME
            if frame > p.counters[MAX_FRAME]:
                p.counters[FULL] = 1
                break
            frames[frame + SET], frames[frame + WANTED] = these, goal - total + bounds[these]
            frames[frame + WON], frames[frame + BELOW] = 1, 1
            frames[frame + FIRST], frames[frame + NEXT], frames[frame + LAST] = top, top, useful
        elif frame == 0:
            return total
        elif total < goal:
            frames[frame + BELOW] = max(frames[frame + BELOW], total)
        else:
            frames[frame + WON] = total
        if not _try_next_cell(frame, p):
            these, solved = frames[frame + SET], frames[frame + WON] >= frames[frame + WANTED]
            found = frames[frame + WON] if solved else frames[frame + BELOW]
            frame -= FRAME
            frames[frame + TOTAL] += found - bounds[these]
            bounds[these], states[these] = found, SOLVED if solved else BOUNDED
    return np.int64(0)


@compiled
@no_type_check
def _most_won_with(i, wanted, p):
    """Returns how many layouts are won after opening the i-th cell of the stack next.

    If fewer than wanted, an upper bound that is less, too.
    """
    all_layouts, begin, end = np.int64(0), np.int64(0), p.counters[CELLS]
    total, top = _open_cell(all_layouts, p.stack[i], wanted, begin, end, end, p)
    frames = p.frames
    frames[FIRST], frames[LAST], frames[PART], frames[TOP] = begin, end, end, top
    frames[TOTAL], frames[GOAL] = total, wanted
    return _most_won(p)


@compiled
@no_type_check
def search(grid, cols, mines, max_layouts, space):
    """Finds the optimal cell of a position in which no cell is certainly safe.

    Returns the status, the cell, how many layouts optimal play wins, and how many there are.
    """
    p = search_pointers(space)
    status, layouts = _set_up(pointer(grid), grid.size, cols, mines, max_layouts, p)
    if status != FOUND:
        return status, np.int64(-1), np.int64(0), layouts
    # If no cell separates layouts any more, bet on one of them, with its safest cell.
    best, won = np.int64(0), np.int64(1)
    for i in range(p.counters[CELLS]):
        separates = (p.stack[i] >> SHOWN) % (1 << (RISK - SHOWN)) > 1
        if separates and layouts - (p.stack[i] >> RISK) > won:
            found = _most_won_with(i, won + 1, p)
            if found > won:
                best, won = i, found
    if p.counters[FULL]:
        return NO_ROOM, np.int64(-1), np.int64(0), layouts
    return FOUND, p.listing.order[p.stack[best] & CELL], won, layouts


@compiled
@no_type_check
def cell_wins(grid, cols, mines, max_layouts, space, wins):
    """Finds, for each cell that may be safe, how many layouts are won after opening it next.

    Writes them into `wins`, by cell of the board, and −1 for all other cells; returns the status
    and the number of layouts.
    """
    wins[:] = -1
    p = search_pointers(space)
    status, layouts = _set_up(pointer(grid), grid.size, cols, mines, max_layouts, p)
    if status == FOUND:
        for i in range(p.counters[CELLS]):
            found = _most_won_with(i, np.int64(0), p)
            wins[p.listing.order[p.stack[i] & CELL]] = found
        if p.counters[FULL]:
            status = NO_ROOM
    return status, layouts
