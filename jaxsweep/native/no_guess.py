"""Boards that can be solved without a guess, in bulk: deals that satisfy wishes, and their 3BV."""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, Int64, UInt8

from jaxsweep.native import board_values
from jaxsweep.native.board import Record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.deals import deal_layout, make_deal
from jaxsweep.native.deductions import GUESS, Room, hardest_rule, make_room
from jaxsweep.rules.level import Opening


class Boards(NamedTuple):
    """Boards and their 3BV."""

    layouts: UInt8[np.ndarray, "boards cells"]
    """1 where a mine is."""
    values: Int32[np.ndarray, "boards three"]
    """What `board_values.value_some` writes."""
    room: board_values.Room
    """Its memory."""


def make_boards(count: int, rows: int, cols: int) -> Boards:
    """Makes room for so many boards of this size."""
    layouts, values = np.zeros((count, rows * cols), np.uint8), np.zeros((count, 3), np.int32)
    return Boards(layouts, values, board_values.make_room(rows, cols, lanes=1))


@compiled
@no_type_check
def count_3bv(which, boards):
    """Returns the 3BV of one of some boards."""
    layouts, values, room = boards
    board_values.value_some(which, which + 1, layouts, False, room, values)
    return values[which, board_values.BBBV]


class SearchRoom(NamedTuple):
    """What deals are drawn from and judged in, by one thread, and those that are found."""

    deal: Record
    room: Room
    boards: Boards
    found: Int64[np.ndarray, "deals three"]


def make_search_room(opening: Opening, deals: int) -> SearchRoom:
    """Makes room for so many deals of an opening at once."""
    rows, cols = opening.level.rows, opening.level.cols
    boards, found = make_boards(deals, rows, cols), np.zeros((deals, 3), np.int64)
    return SearchRoom(make_deal(opening), make_room(rows, cols), boards, found)


@compiled
@no_type_check
def find_boards(begin, end, first, wishes, space):
    """Finds the games of a seed, from number `begin` to `end`, whose boards satisfy wishes.

    Args:
        begin: the first number.
        end: the number behind the last one.
        first: the first cell.
        wishes: the seed, whether a board must need no guess, the hardest rule that it may need,
            and the least and the largest 3BV.
        space: the memory. Of each game that is found, `space.found` gets its number, the hardest
            rule or `GUESS`, and its 3BV, and `space.boards` its layout. A game that exceeds the
            capacity is found, too, with `BEYOND`.

    Returns how many were found; assumes that there is room for all games.

    """
    seed, no_guess, max_rule, least, most = wishes
    deal, room, boards, found = space
    count = 0
    for number in range(begin, end):
        layout = boards.layouts[count]
        deal_layout(seed, number, deal, layout)
        clicks = -1
        if least > 0 or most < len(layout):
            clicks = count_3bv(count, boards)
            if not least <= clicks <= most:
                continue
        rule = hardest_rule(layout, first, max_rule, room)
        if rule == GUESS and no_guess:
            continue
        if clicks < 0:
            clicks = count_3bv(count, boards)
        found[count, 0], found[count, 1], found[count, 2] = number, rule, clicks
        count += 1
    return count
