"""What opening each hidden cell may show, and whether a certainly safe cell is then left.

Every number that a cell may show is an afterstate. Cells that touch no component, with as many
unknown neighbours, are alike: of them, one is evaluated.
"""

from math import exp
from typing import no_type_check

import numpy as np

from jaxsweep.native.board import MINE, SAFE, UNKNOWN, read_grid
from jaxsweep.native.compiler import compiled
from jaxsweep.native.conditioning import enter_afterstate, leave, list_free_cells
from jaxsweep.native.joining import EXACT, INCONSISTENT
from jaxsweep.native.solving import NO_COMPONENT, solve, tile_probabilities

SHOWN = 10
"""What a cell may show: 0 to 8, or a mine."""

OPENING = np.dtype(
    [
        # The probability that the cell is safe, and has so many more mines around it than are
        # known, and whether another cell is then certainly safe.
        ("chance", np.float64, 9),
        ("leaves_safe", np.int8, 9),
        ("done", np.int8),
    ]
)
"""What may happen when a cell is opened."""

TOUCHING = 18
"""The kind of cells that touch a component, each of which is evaluated. The others are alike by
whether they are certainly safe, and their unknown neighbours: kinds 0 to 17."""

KINDS = 19


@compiled
@no_type_check
def outcomes_some(
    begin, end, hidden, opened, numbers, mines, space, openings, shown, certain_cell, status
):
    """Finds the outcomes of all cells of positions `begin` to `end` − 1 of a batch, last.

    Args:
        begin: the first position.
        end: the position after the last one.
        hidden: packed boards of the hidden cells.
        opened: of the open cells.
        numbers: the binary digits of the numbers.
        mines: the mines on each board.
        space: the memory for conditioning.
        openings: room for what may happen, of each kind of cells.
        shown: `[batch, rows, cols, SHOWN]`, expected to be 0; has a meaning where the status is
            `EXACT`.
        certain_cell: `[batch, rows, cols]`, likewise: the probability that the cell is safe, and
            another cell certainly safe once its number is known.
        status: what became of each position.

    """
    solver = space.solver
    position, cols = solver.position, solver.board.cols
    for which in range(begin, end):
        read_grid(hidden, opened, numbers, which, solver.board, position.grid)
        status[which] = solve(mines[which], solver)
        if status[which] != EXACT:
            continue
        list_free_cells(position, space.after)
        openings.done[:] = 0
        safe_cells = 0
        for cell in range(position.cells):
            safe_cells += position.grid[cell] == SAFE
        for cell in range(position.cells):
            row, col = cell // cols, cell % cols
            if position.grid[cell] == MINE:
                shown[which, row, col, SHOWN - 1] = 1.0
            elif position.grid[cell] in (SAFE, UNKNOWN):
                status[which], certain_cell[which, row, col] = _open(
                    cell, safe_cells, mines[which], space, openings, shown[which, row, col]
                )
                if status[which] != EXACT:
                    break


@compiled
@no_type_check
def _open(cell, safe_cells, mines, space, openings, shown):
    """Writes what a cell may show; returns the status, and the chance of a certain cell."""
    solver = space.solver
    board, position = solver.board, solver.position
    known = unknown = 0
    touches = position.component_of[cell] != NO_COMPONENT
    for i in range(board.degree[cell]):
        other = board.near[cell, i]
        known += position.grid[other] == MINE
        if position.grid[other] == UNKNOWN:
            unknown += 1
            touches = touches or position.component_of[other] != NO_COMPONENT
    is_safe = position.grid[cell] == SAFE
    opening = openings[TOUCHING if touches else 9 * is_safe + unknown]
    if touches or not opening.done:
        status = _count(cell, unknown, is_safe, safe_cells > is_safe, mines, space, opening)
        if status != EXACT:
            return status, 0.0
        opening.done = 1
    certain = 0.0
    for k in range(unknown + 1):
        shown[known + k] = opening.chance[k]
        certain += opening.chance[k] * opening.leaves_safe[k]
    shown[SHOWN - 1] = 0.0 if is_safe else position.risk[cell]
    return EXACT, certain


@compiled
@no_type_check
def _count(cell, unknown, is_safe, others_safe, mines, space, opening):
    """Counts the afterstates of a cell, and finds which leave a certainly safe one.

    Arguments say whether the cell is certainly safe, and whether another one is anyway. Returns
    the status.
    """
    solver, other, after = space.solver, space.other, space.after
    total = 0.0
    for k in range(unknown + 1):
        status, joins, free = enter_afterstate(cell, k, mines, solver, other, after)
        opening.chance[k], opening.leaves_safe[k] = 0.0, 0
        if status == EXACT:
            opening.chance[k] = exp(other.join.log_layouts - solver.join.log_layouts)
            total += opening.chance[k]
            opening.leaves_safe[k] = others_safe or _leaves_safe_cell(cell, joins, free, space)
        leave(cell, solver, after)
        if status != EXACT and status != INCONSISTENT:
            return status
    if is_safe:
        # If there is one number only, its probability is 1, without a rounding error.
        for k in range(unknown + 1):
            opening.chance[k] /= total
    return EXACT


@compiled
@no_type_check
def _leaves_safe_cell(cell, joins, free, space):
    """Returns whether a cell of an afterstate is certainly safe.

    No cell but the opened one was certainly safe before.
    """
    position, after, joined = space.solver.position, space.after, space.other.join
    components = space.solver.components
    for i in range(after.decided_count):
        if position.grid[after.decided[i]] == SAFE:
            return True
    for j in range(joins):
        component = joined.components[j]
        begin = components.first_tile[component]
        for tile in range(begin, begin + components.tile_count[component]):
            mine, _ = tile_probabilities(j, tile, components, joined)
            if mine == 0:
                return True
    if free and joined.free_mine == 0:
        for i in range(after.free_count):
            unconstrained = after.free[i]
            if unconstrained != cell and after.constrained[unconstrained] != after.mark:
                return True
    return False
