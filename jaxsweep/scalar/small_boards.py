"""Optimal play of whole games on tiny boards: the end-game search from the first cell on."""

import itertools

import numpy as np
from jaxtyping import Int

from jaxsweep.rules.board import Cell
from jaxsweep.rules.level import Level
from jaxsweep.scalar.endgame import Endgame
from jaxsweep.scalar.layout_listing import Layout, neighbours


def best_first_cell(level: Level) -> tuple[Cell, int]:
    """Returns the optimal first cell of a hidden board, and how many layouts optimal play wins."""
    best, most = (0, 0), 0
    # One cell of each orbit under the symmetries of the board is enough.
    for row, col in itertools.product(range(-(-level.rows // 2)), range(-(-level.cols // 2))):
        if level.rows != level.cols or row <= col:
            won = max_wins_from(level, (row, col), most + 1)
            if won > most:
                best, most = (row, col), won
    return best, most


def max_wins_from(level: Level, first: Cell, wanted: int = 0) -> int:
    """Returns how many layouts optimal play wins that opens this cell first.

    If fewer than `wanted`, an upper bound below `wanted`.
    """
    searches = sorted(after_first(level, first).values(), key=lambda search: search.all_layouts)
    bounds = [search.max_wins(wanted=search.all_layouts.bit_count() + 1) for search in searches]
    total = sum(bounds)
    for search, bound in zip(searches, bounds, strict=True):
        if total < wanted:
            break
        total += search.max_wins(wanted - total + bound) - bound
    return total


def after_first(level: Level, first: Cell) -> dict[int, Endgame]:
    """Sets up, for each number the first cell can show, the search of the layouts that remain.

    Assumes at most 62 cells: a layout has to fit into a machine word.
    """
    cells = list(itertools.product(range(level.rows), range(level.cols)))
    here = 1 << cells.index(first)
    around = sum(1 << cells.index(cell) for cell in neighbours(first) if cell in cells)
    every = sorted(
        sum(1 << i for i in mines)
        for mines in itertools.combinations(range(len(cells)), level.mines)
    )
    by_number = {}
    for layout in every:
        if not layout & here:
            by_number.setdefault((layout & around).bit_count(), []).append(layout)
    return {
        number: Endgame.of(layouts, cells, _symmetries(layouts, level))
        for number, layouts in by_number.items()
    }


def _symmetries(layouts: list[Layout], level: Level) -> list[Int[np.ndarray, " layouts"]]:
    """Returns the permutations of sorted layouts by those symmetries that keep the set."""
    numbers, powers = np.array(layouts), 1 << np.arange(level.cells)
    boards = (numbers[:, None] & powers != 0).reshape(-1, level.rows, level.cols)
    turned = [boards, boards.transpose(0, 2, 1)] if level.rows == level.cols else [boards]
    symmetries, transforms = [], itertools.product(turned, (1, -1), (1, -1))
    next(transforms)  # The identity.
    for one, down, right in transforms:
        image = one[:, ::down, ::right].reshape(-1, level.cells) @ powers
        which = np.minimum(np.searchsorted(numbers, image), len(numbers) - 1)
        if (numbers[which] == image).all():
            symmetries.append(which)
    return symmetries
