"""What the afterstates of a position are worth: one cell open, with a number.

`scalar.lookahead` is the same in Python.
"""

from typing import no_type_check

from jaxsweep.native.board import SAFE
from jaxsweep.native.compiler import compiled
from jaxsweep.native.conditioning import enter_afterstate, leave
from jaxsweep.native.joining import EXACT
from jaxsweep.native.solving import tile_probabilities

NEVER = 2.0
"""The risk of a certain mine, in lists of cells to open: above all others."""


@compiled
@no_type_check
def solve_afterstate(cell, residual, mines, solver, other, after):
    """Solves the afterstate in which a cell has so many more mines around it than are known.

    Returns its status, the logarithm of its number of layouts, and its value.
    """
    status, joins, free = enter_afterstate(cell, residual, mines, solver, other, after)
    log_layouts, value = 0.0, 0.0
    if status == EXACT:
        log_layouts = other.join.log_layouts
        value = _two_safest(cell, joins, free, solver, other.join, after)
    leave(cell, solver, after)
    return status, log_layouts, value


@compiled
@no_type_check
def solve_with_progress(cell, residual, mines, solver, other, after):
    """As `solve_afterstate`; also returns whether a cell is certainly safe in the afterstate."""
    status, joins, free = enter_afterstate(cell, residual, mines, solver, other, after)
    log_layouts, value, progress = 0.0, 0.0, False
    if status == EXACT:
        log_layouts = other.join.log_layouts
        value = _two_safest(cell, joins, free, solver, other.join, after)
        progress = _has_safe(joins, free, solver, other.join, after)
    leave(cell, solver, after)
    return status, log_layouts, value, progress


@compiled
@no_type_check
def _has_safe(joins, free, solver, joined, after):
    """Returns whether a cell is certainly safe in the afterstate that is entered."""
    for i in range(after.decided_count):
        if solver.position.grid[after.decided[i]] == SAFE:
            return True
    components = solver.components
    for j in range(joins):
        component = joined.components[j]
        begin = components.first_tile[component]
        for tile in range(begin, begin + components.tile_count[component]):
            if after.risk[tile] == 0.0:
                return True
    return free > 0 and joined.free_mine == 0


@compiled
@no_type_check
def _two_safest(cell, joins, free, solver, joined, after):
    """Returns the value of an afterstate: a mean of the safety of its two safest useful cells.

    A cell is useful if its number can say something about others: if an uncertain cell is next to
    it. If there is none, the uncertain cells count; the value is 1 where everything is certain.
    """
    uncertain = _mark_uncertain(cell, joins, free, solver.components, joined, after)
    if not uncertain:
        return 1.0
    _find_safest(True, cell, joins, free, solver, joined, after)
    if after.first == NEVER:
        _find_safest(False, cell, joins, free, solver, joined, after)
    second = after.first if after.second == NEVER else after.second
    return 1.0 - (1.0 - after.second_weight) * after.first - after.second_weight * second


@compiled
@no_type_check
def _mark_uncertain(cell, joins, free, components, joined, after):
    """Writes the risks of all tile sets, and marks uncertain cells; returns whether there are."""
    found = False
    for j in range(joins):
        component = joined.components[j]
        begin = components.first_tile[component]
        for tile in range(begin, begin + components.tile_count[component]):
            mine, safe = tile_probabilities(j, tile, components, joined)
            after.risk[tile] = 0.0 if mine == 0 else NEVER if safe == 0 else mine / (mine + safe)
            if mine != 0 and safe != 0:
                found = True
                first = components.first_cell[tile]
                for k in range(first, first + components.size[tile]):
                    after.uncertain[components.cells[k]] = after.mark
    if free and joined.free_mine != 0 and joined.free_safe != 0:
        for i in range(after.free_count):
            other = after.free[i]
            if other != cell and after.constrained[other] != after.mark:
                found = True
                after.uncertain[other] = after.mark
    return found


@compiled
@no_type_check
def _find_safest(only_useful, cell, joins, free, solver, joined, after):
    """Finds the two least risks of the useful cells, or else of the uncertain ones."""
    components, board = solver.components, solver.board
    after.first = after.second = NEVER
    for i in range(after.decided_count):
        other = after.decided[i]
        if only_useful and solver.position.grid[other] == SAFE:
            _consider(other, 0.0, only_useful, board, after)
    for j in range(joins):
        component = joined.components[j]
        begin = components.first_tile[component]
        for tile in range(begin, begin + components.tile_count[component]):
            if after.risk[tile] < after.second:
                first = components.first_cell[tile]
                for k in range(first, first + components.size[tile]):
                    _consider(components.cells[k], after.risk[tile], only_useful, board, after)
    if free and joined.free_safe != 0:
        risk = joined.free_mine / (joined.free_mine + joined.free_safe)
        for i in range(after.free_count):
            other = after.free[i]
            if risk >= after.second:
                break
            if other != cell and after.constrained[other] != after.mark:
                _consider(other, risk, only_useful, board, after)


@compiled
@no_type_check
def _consider(cell, risk, only_useful, board, after):
    """Takes a cell's risk for one of the two least, if it is, and the cell counts."""
    if risk >= after.second:
        return
    counts = not only_useful and after.uncertain[cell] == after.mark
    if only_useful:
        for i in range(board.degree[cell]):
            if after.uncertain[board.near[cell, i]] == after.mark:
                counts = True
                break
    if counts:
        if risk < after.first:
            after.second, after.first = after.first, risk
        else:
            after.second = risk
