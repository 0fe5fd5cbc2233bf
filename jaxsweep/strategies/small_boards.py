"""Whole games on tiny boards, played as well as they can be: by search from the first cell on."""

import itertools

import numpy as np
from jaxtyping import Int

from jaxsweep.rules.board import Cell
from jaxsweep.rules.level import Level
from jaxsweep.strategies.endgame import Endgame, Layout, ring


def best_first_cell(level: Level) -> tuple[Cell, int]:
    """The cell to open first on a covered board, and how many of its layouts the best play wins."""
    best, most = (0, 0), 0
    # One cell of all that are mirror images of each other.
    for row, col in itertools.product(range(-(-level.rows // 2)), range(-(-level.cols // 2))):
        if level.rows != level.cols or row <= col:
            won = win_from(level, (row, col), most + 1)
            if won > most:
                best, most = (row, col), won
    return best, most


def win_from(level: Level, first: Cell, wanted: int = 0) -> int:
    """How many layouts of a covered board the best play wins that opens this cell first.

    If fewer than `wanted`, a bound below `wanted`.
    """
    searches = sorted(after_first(level, first).values(), key=lambda search: search.every)
    bounds = [search.win(wanted=search.every.bit_count() + 1) for search in searches]
    total = sum(bounds)
    for search, bound in zip(searches, bounds, strict=True):
        if total < wanted:
            break
        total += search.win(wanted - total + bound) - bound
    return total


def after_first(level: Level, first: Cell) -> dict[int, Endgame]:
    """For each number that the first cell can show: the search through the layouts left by it.

    Of a board of at most 62 cells: layouts have to fit into machine words.
    """
    cells = list(itertools.product(range(level.rows), range(level.cols)))
    here = 1 << cells.index(first)
    around = sum(1 << cells.index(cell) for cell in ring(first) if cell in cells)
    every = sorted(
        sum(1 << i for i in mines)
        for mines in itertools.combinations(range(len(cells)), level.mines)
    )
    by_number = {}
    for layout in every:
        if not layout & here:
            by_number.setdefault((layout & around).bit_count(), []).append(layout)
    return {
        number: Endgame.of(layouts, cells, _mirrors(layouts, level))
        for number, layouts in by_number.items()
    }


def _mirrors(layouts: list[Layout], level: Level) -> list[Int[np.ndarray, " layouts"]]:
    """What layouts of a board, in order, become under its symmetries that keep them all."""
    numbers, powers = np.array(layouts), 1 << np.arange(level.cells)
    boards = (numbers[:, None] & powers != 0).reshape(-1, level.rows, level.cols)
    turned = [boards, boards.transpose(0, 2, 1)] if level.rows == level.cols else [boards]
    mirrors, symmetries = [], itertools.product(turned, (1, -1), (1, -1))
    next(symmetries)  # All as it is.
    for one, down, right in symmetries:
        image = one[:, ::down, ::right].reshape(-1, level.cells) @ powers
        which = np.minimum(np.searchsorted(numbers, image), len(numbers) - 1)
        if (numbers[which] == image).all():
            mirrors.append(which)
    return mirrors
