"""The constraints of a position, reduced by the single-cell rules and split into components.

A constraint is the unknown cells around a number and how many of them are mines. Cells under the
same constraints are interchangeable: they form a tile set, which is assigned as a whole.
"""

from typing import no_type_check

import numpy as np

from jaxsweep.native.board import MINE, SAFE, UNKNOWN
from jaxsweep.native.compiler import compiled
from jaxsweep.scalar.view import MAX_CELLS

AROUND = 8
"""The most cells of a constraint, tile sets of a constraint, and constraints of a cell."""


CONSTRAINTS = np.dtype(
    [
        ("count", np.int64),
        ("cells", np.int32, (MAX_CELLS + 1, AROUND)),
        ("size", np.int32, MAX_CELLS + 1),
        ("residual", np.int32, MAX_CELLS + 1),
        # The component of each, once components are found.
        ("component", np.int32, MAX_CELLS + 1),
    ]
)
"""A list of constraints."""

TILE_SETS = np.dtype(
    [
        ("count", np.int64),
        # The cells of each tile set: `size` of them in `cells`, from `first` on.
        ("first", np.int32, MAX_CELLS),
        ("size", np.int32, MAX_CELLS),
        ("cells", np.int32, MAX_CELLS),
        ("constraints", np.int32, (MAX_CELLS, AROUND)),
        ("constraint_count", np.int32, MAX_CELLS),
        # The tile sets of each constraint.
        ("of_constraint", np.int32, (MAX_CELLS + 1, AROUND)),
        ("of_constraint_count", np.int32, MAX_CELLS + 1),
        ("of_cell", np.int32, MAX_CELLS),
        # The constraints of each cell; none between calls.
        ("cell_constraints", np.int32, (MAX_CELLS, AROUND)),
        ("cell_constraint_count", np.int32, MAX_CELLS),
        # Marks of the tile sets and constraints that a search has reached.
        ("seen", np.int32, MAX_CELLS),
        ("met", np.int32, MAX_CELLS + 1),
        ("order", np.int32, MAX_CELLS),
    ]
)
"""The tile sets of a list of constraints."""


@compiled
@no_type_check
def read_constraints(board, grid, constraints):
    """Lists the constraints of a grid; returns whether no number contradicts itself."""
    count = 0
    for cell in range(board.rows * board.cols):
        if grid[cell] >= 0:
            size, residual = 0, grid[cell]
            for i in range(board.degree[cell]):
                other = board.near[cell, i]
                if grid[other] == UNKNOWN:
                    constraints.cells[count, size] = other
                    size += 1
                elif grid[other] == MINE:
                    residual -= 1
            if residual < 0 or residual > size:
                return False
            if size:
                constraints.size[count] = size
                constraints.residual[count] = residual
                count += 1
    constraints.count = count
    return True


@compiled
@no_type_check
def reduce(constraints, grid, decided):
    """Applies the single-cell rules until they find no more, and drops constraints that are met.

    Cells that they prove safe or mines are marked in the grid, and listed in `decided`. Returns
    whether no number is contradicted, and how many cells are decided.
    """
    changed, count = True, 0
    while changed:
        changed, left = False, 0
        for k in range(constraints.count):
            size, residual = 0, constraints.residual[k]
            for i in range(constraints.size[k]):
                cell = constraints.cells[k, i]
                if grid[cell] == UNKNOWN:
                    constraints.cells[left, size] = cell
                    size += 1
                elif grid[cell] == MINE:
                    residual -= 1
            if residual < 0 or residual > size:
                return False, count
            if size and (residual == 0 or residual == size):
                for i in range(size):
                    cell = constraints.cells[left, i]
                    grid[cell] = MINE if residual else SAFE
                    decided[count] = cell
                    count += 1
                changed = True
            elif size:
                constraints.size[left] = size
                constraints.residual[left] = residual
                left += 1
        constraints.count = left
    return True, count


@compiled
@no_type_check
def find_tile_sets(constraints, tiles):
    """Groups the cells of all constraints into tile sets, and drops repeated constraints.

    Returns whether no two constraints on the same cells contradict each other.
    """
    consistent = _attach_constraints(constraints, tiles)
    count = 0
    for k in range(constraints.count):
        begin = count
        for i in range(constraints.size[k]):
            cell = constraints.cells[k, i]
            if tiles.cell_constraints[cell, 0] != k:
                continue
            found = begin
            while found < count and not _under_same_constraints(tiles, cell, found):
                found += 1
            if found == count:
                own = tiles.cell_constraint_count[cell]
                tiles.constraint_count[count] = own
                for j in range(own):
                    constraint = tiles.cell_constraints[cell, j]
                    tiles.constraints[count, j] = constraint
                    place = tiles.of_constraint_count[constraint]
                    tiles.of_constraint[constraint, place] = count
                    tiles.of_constraint_count[constraint] = place + 1
                tiles.size[count] = 0
                tiles.seen[count] = 0
                count += 1
            tiles.of_cell[cell] = found
            tiles.size[found] += 1
    tiles.count = count
    _collect_cells(constraints, tiles)
    return consistent


@compiled
@no_type_check
def _attach_constraints(constraints, tiles):
    """Lists the constraints of each cell, without those that repeat an earlier one."""
    consistent, left = True, 0
    for k in range(constraints.count):
        size, repeats = constraints.size[k], False
        first = constraints.cells[k, 0]
        for j in range(tiles.cell_constraint_count[first]):
            other = tiles.cell_constraints[first, j]
            if constraints.size[other] == size:
                same = True
                for i in range(size):
                    same = same and constraints.cells[other, i] == constraints.cells[k, i]
                if same:
                    repeats = True
                    consistent = (
                        consistent and constraints.residual[other] == (constraints.residual[k])
                    )
        if repeats:
            continue
        for i in range(size):
            cell = constraints.cells[k, i]
            constraints.cells[left, i] = cell
            tiles.cell_constraints[cell, tiles.cell_constraint_count[cell]] = left
            tiles.cell_constraint_count[cell] += 1
        constraints.size[left] = size
        constraints.residual[left] = constraints.residual[k]
        tiles.of_constraint_count[left] = 0
        tiles.met[left] = 0
        left += 1
    constraints.count = left
    return consistent


@compiled
@no_type_check
def _under_same_constraints(tiles, cell, tile):
    """Returns whether a cell has the constraints of a tile set."""
    own = tiles.cell_constraint_count[cell]
    if own != tiles.constraint_count[tile]:
        return False
    for j in range(own):
        if tiles.cell_constraints[cell, j] != tiles.constraints[tile, j]:
            return False
    return True


@compiled
@no_type_check
def _collect_cells(constraints, tiles):
    """Lists the cells of each tile set, and clears the lists of the cells' constraints."""
    begin = 0
    for tile in range(tiles.count):
        tiles.first[tile] = begin
        begin += tiles.size[tile]
        tiles.size[tile] = 0
    for k in range(constraints.count):
        for i in range(constraints.size[k]):
            cell = constraints.cells[k, i]
            if tiles.cell_constraint_count[cell]:
                tile = tiles.of_cell[cell]
                tiles.cells[tiles.first[tile] + tiles.size[tile]] = cell
                tiles.size[tile] += 1
                tiles.cell_constraint_count[cell] = 0


@compiled
@no_type_check
def order_component(start, tiles):
    """Orders the tile sets of a component breadth first from an end, which keeps the states few.

    The last one of a first search is a pseudo-peripheral one: the second starts there (Cuthill and
    McKee 1969, George and Liu 1979). Returns their number; the order is in `tiles.order`. Tile sets
    of components that were ordered have `tiles.seen` set.
    """
    count = 0
    for search in range(1, 3):
        tiles.order[0] = start
        tiles.seen[start] = search
        count, i = 1, 0
        while i < count:
            tile = tiles.order[i]
            i += 1
            for j in range(tiles.constraint_count[tile]):
                constraint = tiles.constraints[tile, j]
                if tiles.met[constraint] != search:
                    tiles.met[constraint] = search
                    for n in range(tiles.of_constraint_count[constraint]):
                        other = tiles.of_constraint[constraint, n]
                        if tiles.seen[other] != search:
                            tiles.seen[other] = search
                            tiles.order[count] = other
                            count += 1
        start = tiles.order[count - 1]
    return count
