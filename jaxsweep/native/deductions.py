"""A board solved from its first cell by the simplest rules, as far as they lead without a guess.

The simplest rule that finds anything is applied first, cell by cell and with as little repeated as
possible: single numbers from a stack of numbers whose neighbours changed, then pairs of numbers,
then the mine count, and exact counting only where these are stuck. What rules find does not depend
on the order in which they are applied, since each finds as much or more where more is known.
"""

from typing import NamedTuple, no_type_check

import numpy as np

from jaxsweep.native.board import MINE, SAFE, UNKNOWN, Record, make_record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.joining import EXACT as SOLVED_EXACTLY
from jaxsweep.native.solving import Solver, make_solver, solve
from jaxsweep.scalar.view import MAX_CELLS

SINGLE, PAIR, COUNT, EXACT = range(4)
"""The hardest rule that a board needs."""

GUESS, BEYOND = -1, -2
"""Instead of a rule: a guess is needed, or a position exceeds the capacity of exact counting."""

MARGIN = 2
"""Rows above and below a board, and columns between the end of a row and the next one, that are
outside: numbers that share neighbours are at most so far apart."""

MAX_PLACES = (MAX_CELLS + 2 * MARGIN) * (1 + MARGIN)
MAX_PLACES = max(MAX_PLACES, (1 + 2 * MARGIN) * (MAX_CELLS + MARGIN)) + MARGIN

OUT, HIDDEN, OPEN, KNOWN_MINE = range(4)
"""States of a place."""

PLAY = np.dtype(
    [
        ("rows", np.int64),
        ("cols", np.int64),
        ("stride", np.int64),
        # The steps to the eight neighbours of a place.
        ("near", np.int64, 8),
        # A new board: the state of each place, and its hidden neighbours.
        ("new_state", np.int8, MAX_PLACES),
        ("degree", np.int8, MAX_PLACES),
        # The number of each cell, what it still needs, and its hidden neighbours.
        ("number", np.int8, MAX_PLACES),
        ("state", np.int8, MAX_PLACES),
        ("residual", np.int8, MAX_PLACES),
        ("hidden", np.int8, MAX_PLACES),
        # Numbers that a single-cell rule may apply to, and whether one is among them.
        ("stack", np.int32, MAX_PLACES),
        ("waits", np.int8, MAX_PLACES),
        ("waiting", np.int64),
        # Numbers with hidden neighbours.
        ("frontier", np.int32, MAX_PLACES),
        # Safe cells and mines that are not known yet.
        ("safe_left", np.int64),
        ("mines_left", np.int64),
    ]
)
"""A board that is being solved; a place is a cell with a margin around the board."""


class Room(NamedTuple):
    """The memory of a thread."""

    play: Record
    solver: Solver


def make_room(rows: int, cols: int) -> Room:
    """Makes room for boards of this size, of at most `MAX_CELLS` cells."""
    play, stride = make_record(PLAY), cols + MARGIN
    play["rows"], play["cols"], play["stride"] = rows, cols, stride
    play["near"] = [r * stride + c for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]
    for row in range(rows):
        begin = (row + MARGIN) * stride
        play["new_state"][begin : begin + cols] = HIDDEN
        across = 1 + (row > 0) + (row < rows - 1)
        degree = np.full(cols, 3 * across - 1)
        degree[0] -= across
        degree[-1] -= across
        play["degree"][begin : begin + cols] = degree
    return Room(play, make_solver(rows, cols))


@compiled
@no_type_check
def _lay(layout, play):
    """Starts a board with this layout: everything is hidden."""
    end = (play.rows + 2 * MARGIN) * play.stride + MARGIN
    for place in range(end):
        play.number[place] = 0
        play.state[place] = play.new_state[place]
        play.hidden[place] = play.degree[place]
    mines = 0
    for row in range(play.rows):
        begin = (row + MARGIN) * play.stride
        for col in range(play.cols):
            if layout[row * play.cols + col]:
                mines += 1
                for step in play.near:
                    play.number[begin + col + step] += 1
    for place in range(end):
        play.residual[place] = play.number[place]
    play.waiting = 0
    play.mines_left = mines
    play.safe_left = play.rows * play.cols - mines


@compiled
@no_type_check
def _look_at(place, play):
    """Puts a number on the stack if a single-cell rule applies to it."""
    hidden, residual = play.hidden[place], play.residual[place]
    if hidden and (residual == 0 or residual == hidden) and not play.waits[place]:
        play.stack[play.waiting] = place
        play.waits[place] = 1
        play.waiting += 1


@compiled
@no_type_check
def _open(place, play):
    """Opens a safe cell."""
    play.state[place] = OPEN
    play.safe_left -= 1
    for step in play.near:
        other = place + step
        play.hidden[other] -= 1
        if play.state[other] == OPEN:
            _look_at(other, play)
    _look_at(place, play)


@compiled
@no_type_check
def _mark(place, play):
    """Notes that a cell is a mine."""
    play.state[place] = KNOWN_MINE
    play.mines_left -= 1
    for step in play.near:
        other = place + step
        play.hidden[other] -= 1
        play.residual[other] -= 1
        if play.state[other] == OPEN:
            _look_at(other, play)


@compiled
@no_type_check
def _apply_single(play):
    """Applies the single-cell rules until they find no more."""
    while play.waiting:
        play.waiting -= 1
        place = play.stack[play.waiting]
        play.waits[place] = 0
        if not play.hidden[place]:
            continue
        safe = play.residual[place] == 0
        for step in play.near:
            if play.state[place + step] == HIDDEN:
                if safe:
                    _open(place + step, play)
                else:
                    _mark(place + step, play)


@compiled
@no_type_check
def _apply_pairs(play):
    """Applies the set-bound rule once to all pairs of numbers; returns whether it finds a cell."""
    count, found = 0, False
    for row in range(play.rows):
        begin = (row + MARGIN) * play.stride
        for place in range(begin, begin + play.cols):
            if play.state[place] == OPEN and play.hidden[place]:
                play.frontier[count] = place
                count += 1
    for i in range(count):
        place = np.int64(play.frontier[i])
        for down in range(-MARGIN, MARGIN + 1):
            for right in range(-MARGIN, MARGIN + 1):
                other = place + down * play.stride + right
                if play.state[other] != OPEN or other == place:
                    continue
                hidden, theirs = play.hidden[place], play.hidden[other]
                filled = play.residual[place] + theirs - play.residual[other]
                if theirs and filled <= min(hidden, theirs, 6):
                    shared = _count_shared(place, down, right, play)
                    if filled == shared and (shared < hidden or shared < theirs):
                        _decide_rest(place, down, right, play)
                        found = True
    return found


@compiled
@no_type_check
def _count_shared(place, down, right, play):
    """Counts the hidden cells next to a number and to the one that is so far from it."""
    shared = 0
    for row in range(max(down, 0) - 1, min(down, 0) + 2):
        line = place + row * play.stride
        for col in range(max(right, 0) - 1, min(right, 0) + 2):
            shared += play.state[line + col] == HIDDEN
    return shared


@compiled
@no_type_check
def _decide_rest(place, down, right, play):
    """Opens what is only next to the first number of a pair, and marks what is to the second."""
    other = place + down * play.stride + right
    for row in range(-1, 2):
        for col in range(-1, 2):
            if abs(row - down) > 1 or abs(col - right) > 1:
                cell = place + row * play.stride + col
                if play.state[cell] == HIDDEN:
                    _open(cell, play)
            if abs(row + down) > 1 or abs(col + right) > 1:
                cell = other + row * play.stride + col
                if play.state[cell] == HIDDEN:
                    _mark(cell, play)


@compiled
@no_type_check
def _apply_exact(mines, play, solver):
    """Opens and marks all cells that are certain.

    Returns `EXACT`; `GUESS` where no cell is safe, and `BEYOND` over the capacity.
    """
    grid = solver.position.grid
    for row in range(play.rows):
        begin = (row + MARGIN) * play.stride
        for col in range(play.cols):
            place = begin + col
            cell, state = row * play.cols + col, play.state[place]
            if state == OPEN:
                grid[cell] = play.number[place]
            else:
                grid[cell] = UNKNOWN if state == HIDDEN else MINE
    if solve(mines, solver) != SOLVED_EXACTLY:
        return BEYOND
    found = GUESS
    for cell in range(play.rows * play.cols):
        row, col = divmod(cell, play.cols)
        place = (row + MARGIN) * play.stride + col
        if play.state[place] == HIDDEN and grid[cell] == SAFE:
            _open(place, play)
            found = EXACT
        elif play.state[place] == HIDDEN and grid[cell] == MINE:
            _mark(place, play)
    return found


@compiled
@no_type_check
def hardest_rule(layout, first, max_rule, room):
    """Solves a board from its first cell on by rules up to `max_rule`.

    Returns the hardest rule that it needs; `GUESS` if these rules do not suffice, and `BEYOND` if
    the capacity of exact counting does not. A first cell that is a mine needs a guess. What was
    opened until then is left in `room.play`.
    """
    play = room.play
    _lay(layout, play)
    mines, hardest = play.mines_left, SINGLE
    if layout[first]:
        return GUESS
    _open((first // play.cols + MARGIN) * play.stride + first % play.cols, play)
    while True:
        _apply_single(play)
        if not play.safe_left:
            return hardest
        if max_rule >= PAIR and _apply_pairs(play):
            hardest = max(hardest, PAIR)
        elif max_rule >= COUNT and not play.mines_left:
            return max(hardest, COUNT)
        elif max_rule < EXACT:
            return GUESS
        else:
            hardest = _apply_exact(mines, play, room.solver)
            if hardest < 0:
                return hardest
