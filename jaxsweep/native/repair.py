"""Boards made solvable where hardly any deal is: mines are moved where a solver is stuck.

The idea is that of Tatham's Mines, in a simpler form: a cell where the solver is stuck changes
places with another one, a mine with a safe cell, and the board is solved again from its first cell.
The change stays unless fewer cells are opened then.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, UInt64

from jaxsweep.native.board import Record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.deals import deal_layout, make_deal
from jaxsweep.native.deductions import (
    GUESS,
    HIDDEN,
    MARGIN,
    OPEN,
    Room,
    hardest_rule,
    make_room,
)
from jaxsweep.native.layout_sampling import mix, next_uniform
from jaxsweep.native.no_guess import Boards, make_boards
from jaxsweep.rules.level import Opening

NEARBY = 0.5
"""How often a cell changes places with one that is hidden, rather than with any other."""

DRAWS = 64
"""So often a cell to change places with is drawn at random before another change is tried."""


class RepairRoom(NamedTuple):
    """The memory of a thread."""

    deal: Record
    room: Room
    random: UInt64[np.ndarray, " one"]
    """The state of a generator."""
    hidden: Int32[np.ndarray, " cells"]
    """Cells that are not known where the solver is stuck."""
    stuck: Int32[np.ndarray, " cells"]
    """Those of them next to an open number; if there are none, all cells that are not open."""
    boards: Boards
    """One board."""


def make_repair_room(opening: Opening) -> RepairRoom:
    """Makes room for boards of an opening."""
    level = opening.level
    hidden, stuck = np.zeros((2, level.cells), np.int32)
    room, boards = make_room(level.rows, level.cols), make_boards(1, level.rows, level.cols)
    return RepairRoom(make_deal(opening), room, np.zeros(1, np.uint64), hidden, stuck, boards)


@compiled
@no_type_check
def repair_board(seed, number, first, max_rule, tries, space):
    """Deals a game of a seed, and moves mines until rules up to `max_rule` solve it.

    Returns the hardest rule that it needs then, or `GUESS` after so many tries; and how many were
    made. The mines are in `space.boards` then, all where the start rule allows them.
    """
    deal, room, layout = space.deal, space.room, space.boards.layouts[0]
    deal_layout(seed, number, deal, layout)
    rule = hardest_rule(layout, first, max_rule, room)
    if rule >= 0:
        return rule, 0
    # Where exact counting exceeds its capacity, boards are as good as what was opened until then.
    space.random[0] = mix(mix(np.uint64(seed)) ^ np.uint64(number))
    cells = deal.rows * deal.cols
    left = room.play.safe_left
    hidden, stuck = _list_cells(room.play, space)
    for tried in range(1, tries + 1):
        one = np.int64(space.stuck[int(next_uniform(space.random) * stuck)])
        nearby = next_uniform(space.random) < NEARBY
        other = one
        for _ in range(DRAWS):
            draw = next_uniform(space.random)
            other = np.int64(space.hidden[int(draw * hidden)]) if nearby else int(draw * cells)
            if layout[other] != layout[one]:
                break
        if layout[other] == layout[one] or not _may_change(one, other, first, deal, layout):
            continue
        layout[one], layout[other] = layout[other], layout[one]
        rule = hardest_rule(layout, first, max_rule, room)
        if rule >= 0:
            return rule, tried
        if rule == GUESS and room.play.safe_left <= left:
            left = room.play.safe_left
            hidden, stuck = _list_cells(room.play, space)
        else:
            layout[one], layout[other] = layout[other], layout[one]
    return GUESS, tries


@compiled
@no_type_check
def _may_change(one, other, first, deal, layout):
    """Returns whether the mine of two cells may be in the other one."""
    target = other if layout[one] else one
    return deal.allowed[target] and target != first


@compiled
@no_type_check
def _list_cells(play, space):
    """Lists the hidden cells, and those where the solver is stuck; returns how many of each."""
    hidden = stuck = closed = 0
    for row in range(play.rows):
        for col in range(play.cols):
            place, cell = (row + MARGIN) * play.stride + col, row * play.cols + col
            if play.state[place] == HIDDEN:
                space.hidden[hidden] = cell
                hidden += 1
                for step in play.near:
                    if play.state[place + step] == OPEN:
                        space.stuck[stuck] = cell
                        stuck += 1
                        break
    if not stuck:
        for row in range(play.rows):
            for col in range(play.cols):
                if play.state[(row + MARGIN) * play.stride + col] != OPEN:
                    space.stuck[closed] = row * play.cols + col
                    closed += 1
    return hidden, max(stuck, closed)
