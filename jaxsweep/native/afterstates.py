"""The afterstates of a position: one cell open, with a number, and what that is worth.

An afterstate differs from its position in one open cell: only the components next to that cell are
counted again, and joined with the counts of all others. `scalar.lookahead` is the same in Python.
"""

from typing import no_type_check

import numpy as np

from jaxsweep.native.board import MINE, SAFE, UNKNOWN
from jaxsweep.native.compiler import compiled
from jaxsweep.native.constraints import reduce
from jaxsweep.native.joining import EXACT, INCONSISTENT, join
from jaxsweep.native.solving import NO_COMPONENT, count_all, tile_probabilities
from jaxsweep.scalar.view import MAX_CELLS

NEVER = 2.0
"""The risk of a certain mine, in lists of cells to open: above all others."""

AFTERSTATE = np.dtype(
    [
        # Unconstrained cells of the position.
        ("free_count", np.int64),
        ("free", np.int32, MAX_CELLS),
        # Marks of cells in an afterstate, valid where they equal `mark`: those that are uncertain,
        # and those that the new number constrains.
        ("mark", np.int64),
        ("uncertain", np.int64, MAX_CELLS),
        ("constrained", np.int64, MAX_CELLS),
        # The risk of each tile set.
        ("risk", np.float64, 2 * MAX_CELLS),
        # Components that are counted again.
        ("touched_count", np.int64),
        ("touched", np.int64, 9),
        # Cells that the single-cell rules decide.
        ("decided_count", np.int64),
        ("decided", np.int32, MAX_CELLS),
        # The weight of the second safest cell in a value.
        ("second_weight", np.float64),
        # The two least risks of cells whose number can tell something.
        ("first", np.float64),
        ("second", np.float64),
    ]
)
"""One afterstate of a position."""


@compiled
@no_type_check
def list_free_cells(position, after):
    """Lists the unconstrained cells that are not certain."""
    after.free_count = 0
    for cell in range(position.cells):
        if position.grid[cell] == UNKNOWN and position.component_of[cell] == NO_COMPONENT:
            after.free[after.free_count] = cell
            after.free_count += 1


@compiled
@no_type_check
def solve_afterstate(cell, residual, mines, solver, other, after):
    """Solves the afterstate in which a cell has so many more mines around it than are known.

    Returns its status, the logarithm of its number of layouts, and its value.
    """
    position, components = solver.position, solver.components
    grid, joined = position.grid, other.join
    before = (components.tiles_used, components.cells_used, components.values_used)
    count = components.count
    after.mark += 1
    grid[cell] = SAFE
    new = _collect_constraints(cell, residual, solver, other.constraints, after)
    free = position.free - new - (position.component_of[cell] == NO_COMPONENT)
    consistent, after.decided_count = reduce(other.constraints, grid, after.decided)
    status, log_layouts, value = INCONSISTENT, 0.0, 0.0
    if consistent:
        status = count_all(other.constraints, other.tiles, other.chain, components)
    if status == EXACT:
        known = position.known + _known_mines(position, components, after)
        joins = _list_components(count, components, joined, after)
        status = join(joins, free, mines - known, components, joined)
    if status == EXACT:
        log_layouts = joined.log_layouts
        value = _two_safest(cell, joins, free, solver, joined, after)
    for i in range(after.decided_count):
        grid[after.decided[i]] = UNKNOWN
    grid[cell] = UNKNOWN
    components.count = count
    components.tiles_used, components.cells_used, components.values_used = before
    return status, log_layouts, value


@compiled
@no_type_check
def _collect_constraints(cell, residual, solver, local, after):
    """Lists the constraints that opening a cell touches, and the one of its own number.

    They are all constraints of the components that the cell or its unknown neighbours belong to.
    Returns how many unconstrained cells the new number constrains.
    """
    board, position, constraints = solver.board, solver.position, solver.constraints
    after.touched_count = 0
    _touch(position.component_of[cell], after)
    size = new = 0
    for i in range(board.degree[cell]):
        other = board.near[cell, i]
        if position.grid[other] == UNKNOWN:
            local.cells[0, size] = other
            size += 1
            new += position.component_of[other] == NO_COMPONENT
            after.constrained[other] = after.mark
            _touch(position.component_of[other], after)
    local.size[0], local.residual[0] = size, residual
    count = 1
    for k in range(constraints.count):
        if _is_touched(constraints.component[k], after):
            local.size[count], local.residual[count] = constraints.size[k], constraints.residual[k]
            for i in range(constraints.size[k]):
                local.cells[count, i] = constraints.cells[k, i]
            count += 1
    local.count = count
    return new


@compiled
@no_type_check
def _touch(component, after):
    """Notes that a component has to be counted again."""
    if component != NO_COMPONENT and not _is_touched(component, after):
        after.touched[after.touched_count] = component
        after.touched_count += 1


@compiled
@no_type_check
def _is_touched(component, after):
    """Returns whether a component has to be counted again."""
    for i in range(after.touched_count):
        if after.touched[i] == component:
            return True
    return False


@compiled
@no_type_check
def _known_mines(position, components, after):
    """Counts the mines that are certain in an afterstate, and in no component of it."""
    known = 0
    for i in range(after.touched_count):
        begin = components.first_tile[after.touched[i]]
        for tile in range(begin, begin + components.tile_count[after.touched[i]]):
            first = components.first_cell[tile]
            for k in range(first, first + components.size[tile]):
                known += position.grid[components.cells[k]] == MINE
    # Mines that the new number decides among cells that were unconstrained.
    for i in range(after.decided_count):
        cell = after.decided[i]
        if position.grid[cell] == MINE and position.component_of[cell] == NO_COMPONENT:
            known += 1
    return known


@compiled
@no_type_check
def _list_components(count, components, joined, after):
    """Lists the components of an afterstate: the new ones, and untouched ones of the position."""
    joins = 0
    for component in range(components.count):
        if component >= count or not _is_touched(component, after):
            joined.components[joins] = component
            joins += 1
    return joins


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
