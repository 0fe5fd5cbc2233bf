"""Positions that differ from a solved one in one cell: opened with a number, or known as a mine.

Only the components next to that cell are counted again, and joined with the counts of all others.
"""

from typing import NamedTuple, no_type_check

import numpy as np

from jaxsweep.native.board import MINE, SAFE, UNKNOWN, Record, make_record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.constraints import reduce
from jaxsweep.native.joining import EXACT, INCONSISTENT, join
from jaxsweep.native.solving import NO_COMPONENT, Solver, count_all, make_solver
from jaxsweep.scalar.view import MAX_CELLS

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
        # What is restored when the afterstate is left: the value of the changed cell, and how much
        # of the position's components there was.
        ("value_before", np.int64),
        ("components_before", np.int64),
        ("tiles_before", np.int64),
        ("cells_before", np.int64),
        ("values_before", np.int64),
        # The weight of the second safest cell in a value.
        ("second_weight", np.float64),
        # The two least risks of cells whose number can tell something.
        ("first", np.float64),
        ("second", np.float64),
    ]
)
"""A position that differs from a solved one in one cell."""


class ConditioningSpace(NamedTuple):
    """The memory for a position, and for those that differ from it in one cell."""

    solver: Solver
    """Of the position, whose components those that are counted again follow."""
    other: Solver
    """For everything else about them."""
    after: Record


def make_conditioning_space(rows: int, cols: int) -> ConditioningSpace:
    """Makes room for positions on boards of this size."""
    return ConditioningSpace(
        make_solver(rows, cols), make_solver(rows, cols), make_record(AFTERSTATE)
    )


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
def enter_afterstate(cell, residual, mines, solver, other, after):
    """Counts the afterstate in which a cell has so many more mines around it than are known.

    Until `leave`, cells that the single-cell rules decide are marked in the grid of the position,
    and the components that are counted again follow its own. Returns the status, how many
    components are joined, and with how many unconstrained cells.
    """
    position = solver.position
    free = position.free
    free -= position.grid[cell] == UNKNOWN and position.component_of[cell] == NO_COMPONENT
    _change(cell, SAFE, solver, after)
    free -= _collect_constraints(cell, residual, solver, other.constraints, after)
    status, joins = _count_changed(free, 0, mines, solver, other, after)
    return status, joins, free


@compiled
@no_type_check
def enter_with_mine(cell, mines, solver, other, after):
    """Counts the layouts of a position in which an uncertain cell is a mine.

    As `enter_afterstate`; of the components only that of the cell is counted again.
    """
    position = solver.position
    alone = np.int64(position.component_of[cell] == NO_COMPONENT)
    free = position.free - alone
    _change(cell, MINE, solver, after)
    after.touched_count = 0
    _touch(position.component_of[cell], after)
    other.constraints.count = 0
    _collect_touched(solver.constraints, other.constraints, after)
    status, joins = _count_changed(free, alone, mines, solver, other, after)
    return status, joins, free


@compiled
@no_type_check
def leave(cell, solver, after):
    """Restores a position of which a cell was changed."""
    position, components = solver.position, solver.components
    for i in range(after.decided_count):
        position.grid[after.decided[i]] = UNKNOWN
    position.grid[cell] = after.value_before
    components.count, components.values_used = after.components_before, after.values_before
    components.tiles_used, components.cells_used = after.tiles_before, after.cells_before


@compiled
@no_type_check
def _change(cell, value, solver, after):
    """Notes what `leave` restores, and changes a cell."""
    position, components = solver.position, solver.components
    after.value_before = position.grid[cell]
    after.components_before, after.values_before = components.count, components.values_used
    after.tiles_before, after.cells_before = components.tiles_used, components.cells_used
    after.mark += 1
    position.grid[cell] = value


@compiled
@no_type_check
def _count_changed(free, placed, mines, solver, other, after):
    """Counts the touched components again, by the constraints in `other`, and joins all of them.

    `placed` are mines beyond those that are known, among the unconstrained cells. Returns the
    status and how many components are joined.
    """
    position, components = solver.position, solver.components
    count, joins = components.count, 0
    consistent, after.decided_count = reduce(other.constraints, position.grid, after.decided)
    if not consistent:
        return INCONSISTENT, joins
    status = count_all(other.constraints, other.tiles, other.chain, components)
    if status == EXACT:
        known = position.known + placed + _known_mines(position, components, after)
        joins = _list_components(count, components, other.join, after)
        status = join(joins, free, mines - known, components, other.join)
    return status, joins


@compiled
@no_type_check
def _collect_constraints(cell, residual, solver, local, after):
    """Lists the constraints that opening a cell touches, and the one of its own number.

    They are all constraints of the components that the cell or its unknown neighbours belong to.
    Returns how many unconstrained cells the new number constrains.
    """
    board, position = solver.board, solver.position
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
    local.count = 1
    _collect_touched(solver.constraints, local, after)
    return new


@compiled
@no_type_check
def _collect_touched(constraints, local, after):
    """Appends the constraints of the touched components to a list."""
    count = local.count
    for k in range(constraints.count):
        if _is_touched(constraints.component[k], after):
            local.size[count], local.residual[count] = constraints.size[k], constraints.residual[k]
            for i in range(constraints.size[k]):
                local.cells[count, i] = constraints.cells[k, i]
            count += 1
    local.count = count


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
