"""Exact inference about a batch of positions, on all cores."""

from typing import no_type_check

from jaxsweep.native.board import MINE, SAFE, UNKNOWN, read_grid
from jaxsweep.native.compiler import compiled
from jaxsweep.native.joining import EXACT, INCONSISTENT
from jaxsweep.native.solving import solve


@compiled
@no_type_check
def infer_some(
    begin, end, hidden, opened, numbers, mines, solver, probability, safe, is_mine, logs, status
):
    """Infers beliefs about positions `begin` to `end` − 1 of a batch.

    Positions have the batch last, beliefs first. Arguments as in
    `jaxsweep.rules.position.Position` and `jaxsweep.beliefs.Beliefs`; the four digits of `numbers`
    are stacked. Arrays of beliefs are expected to be zero.
    """
    position, cols = solver.position, solver.board.cols
    grid = position.grid
    for which in range(begin, end):
        read_grid(hidden, opened, numbers, which, solver.board, grid)
        status[which] = solve(mines[which], solver)
        if status[which] == INCONSISTENT:
            continue
        if status[which] == EXACT:
            logs[which] = solver.join.log_layouts
        for cell in range(position.cells):
            row, col = cell // cols, cell % cols
            if grid[cell] == SAFE:
                safe[which, row, col] = True
            elif grid[cell] == MINE:
                is_mine[which, row, col] = True
                if status[which] == EXACT:
                    probability[which, row, col] = 1.0
            elif grid[cell] == UNKNOWN and status[which] == EXACT:
                probability[which, row, col] = position.risk[cell]
