"""What observations of a batch tell: risks of cells, layouts from the posterior, and endings.

An observation is a grid with the numbers of open cells, and −1 in the others.
"""

from typing import no_type_check

import numpy as np

from jaxsweep.native.board import MINE, UNKNOWN
from jaxsweep.native.compiler import compiled
from jaxsweep.native.endgame import FOUND, cell_wins
from jaxsweep.native.joining import EXACT, OVER_CAPACITY
from jaxsweep.native.layout_sampling import draw_layouts
from jaxsweep.native.solving import solve


@compiled
@no_type_check
def draw_from_some(begin, end, seen, asked, mines, words, solver, layouts, drawn, status):
    """Draws a layout for each of the observations `begin` to `end` − 1 that is asked for.

    Args:
        begin: the first observation.
        end: one more than the last.
        seen: `[observations, cells]`.
        asked: which of them are asked for.
        mines: the mines on each board.
        words: 64 random bits for each.
        solver: the memory.
        layouts: `[observations, cells]`; 1 is written where a mine is, 0 elsewhere.
        drawn: `[1, cells]`, room for the mines of each component.
        status: of each; it is written, and the layout means nothing where it is not `EXACT`.

    """
    cells, random = solver.position.cells, np.zeros(1, np.uint64)
    for which in range(begin, end):
        status[which] = EXACT
        if asked[which]:
            solver.position.grid[:cells] = seen[which]
            status[which] = solve(mines, solver)
            if status[which] == EXACT:
                random[0] = words[which]
                room = layouts[which : which + 1]
                if not draw_layouts(1, mines, solver, random, room, drawn):
                    status[which] = OVER_CAPACITY


@compiled
@no_type_check
def weigh_some(begin, end, seen, asked, mines, solver, risk):
    """Computes the mine probabilities given each of the observations `begin` to `end` − 1.

    Arguments are those of `draw_from_some`; `risk` is `[observations, cells]` and expected to be
    zero. NaN is written for a position over capacity.
    """
    position = solver.position
    for which in range(begin, end):
        if not asked[which]:
            continue
        position.grid[: position.cells] = seen[which]
        if solve(mines, solver) != EXACT:
            risk[which] = np.nan
            continue
        for cell in range(position.cells):
            if position.grid[cell] == MINE:
                risk[which, cell] = 1.0
            elif position.grid[cell] == UNKNOWN:
                risk[which, cell] = position.risk[cell]


@compiled
@no_type_check
def win_some(begin, end, seen, asked, cols, mines, max_layouts, space, wins, layouts):
    """Searches the endings of the observations `begin` to `end` − 1 that are asked for.

    Args:
        begin: the first observation.
        end: one more than the last.
        seen: `[observations, cells]`; certain mines may be marked as `CERTAIN_MINE`.
        asked: which of them are asked for.
        cols: the columns of the board.
        mines: the mines on each board.
        max_layouts: the most layouts with which an ending is searched.
        space: the memory.
        wins: `[observations, cells]`; of the layouts, how many are won after opening each cell, and
            −1 for cells that are not hidden, or marked as mines.
        layouts: how many each observation has; 0 is written if it was not searched, because there
            are more, or none, or too little memory.

    """
    for which in range(begin, end):
        layouts[which] = 0
        if asked[which]:
            status, found = cell_wins(seen[which], cols, mines, max_layouts, space, wins[which])
            if status == FOUND:
                layouts[which] = found
