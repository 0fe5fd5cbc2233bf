"""All consistent layouts of a position, as integers: what the end-game search starts from."""

from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Int8

from jaxsweep.rules.board import Cell, cells_of
from jaxsweep.rules.grid import HIDDEN

Layout = int
"""Bit i is set if the i-th of some cells is a mine."""

CERTAIN_MINE = -3
"""In a grid of numbers, beside `HIDDEN` and `FLAGGED`: a mine in every layout."""


@no_type_check
def neighbours(cell: Cell) -> list[Cell]:
    """Returns the eight neighbours of a cell, on the board or not."""
    row, col = cell
    return [
        (r, c)
        for r in (row - 1, row, row + 1)
        for c in (col - 1, col, col + 1)
        if r != row or c != col
    ]


def list_layouts(
    grid: Int8[np.ndarray, "rows cols"],
    mines: int,
    certain: Bool[np.ndarray, "rows cols"],
    max_partial: int,
) -> tuple[list[Cell], list[Layout]]:
    """Lists the uncertain cells, and all layouts of the mines in them.

    Cells in `certain` are mines in every layout, and not listed. Returns no layouts where more than
    `max_partial` partial layouts have to be held at once.
    """
    bordered = np.full((grid.shape[0] + 1, grid.shape[1] + 1), HIDDEN, np.int8)
    bordered[:-1, :-1] = np.where(certain, np.int8(CERTAIN_MINE), grid)
    shown = bordered.tolist()  # The border is at index −1, too.
    numbers_of, cells_of_number = {}, {}
    for cell in cells_of((grid < 0) & ~certain):
        numbers_of[cell] = [(r, c) for r, c in neighbours(cell) if shown[r][c] >= 0]
        for number in numbers_of[cell]:
            cells_of_number.setdefault(number, []).append(cell)
    cells = _in_order(numbers_of, cells_of_number)
    residuals = [mines - int(certain.sum())]
    for row, col in cells_of_number:
        found = sum([shown[r][c] == CERTAIN_MINE for r, c in neighbours((row, col))])
        residuals.append(shown[row][col] - found)
    if min(residuals) < 0 or residuals[0] > len(cells):
        return cells, []
    # A partial layout is one integer: the residuals of the mine count and of every number are its
    # low digits, each below a guard bit that a negative digit clears; its mines stand above.
    width = max(8, len(cells)).bit_length() + 1
    ones = [1 << place for place in range(0, len(residuals) * width, width)]
    mine_bit = 1 << len(residuals) * width
    guards = sum(one << (width - 1) for one in ones)
    one_of = dict(zip(cells_of_number, ones[1:], strict=True))
    touches = [ones[0] + sum([one_of[number] for number in numbers_of[cell]]) for cell in cells]
    partial = [guards + sum(need * one for need, one in zip(residuals, ones, strict=True))]
    digits, available = mine_bit - 1 - guards, guards + sum(touches)
    for touch in touches:
        available -= touch
        partial = [
            grown
            for layout in partial
            for grown in (layout, layout + mine_bit - touch)
            if grown & guards == guards and (available - (grown & digits)) & guards == guards
        ]
        if len(partial) > max_partial:
            return cells, []
        mine_bit <<= 1
    return cells, [layout >> len(residuals) * width for layout in partial]


def _in_order(
    numbers_of: dict[Cell, list[Cell]], cells_of_number: dict[Cell, list[Cell]]
) -> list[Cell]:
    """Orders cells so that each shares a number with an earlier one: dead ends are found soon.

    `numbers_of` has the numbers around each uncertain cell, `cells_of_number` the reverse.
    """
    order = {}
    for start in sorted(numbers_of, key=lambda cell: not numbers_of[cell]):
        queue = [start]
        for cell in queue:
            if cell not in order:
                order[cell] = True
                queue += [other for number in numbers_of[cell] for other in cells_of_number[number]]
    return list(order)
