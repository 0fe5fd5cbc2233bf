"""Exact inference about one position: reduction, counting of its components, and their join."""

from typing import NamedTuple, no_type_check

import numpy as np

from jaxsweep.native.board import MINE, SAFE, UNKNOWN, Record, board_of, make_record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.constraints import (
    CONSTRAINTS,
    TILE_SETS,
    find_tile_sets,
    order_component,
    read_constraints,
    reduce,
)
from jaxsweep.native.counting import (
    CHAIN,
    COMPONENTS,
    count_component,
)
from jaxsweep.native.joining import (
    EXACT,
    INCONSISTENT,
    JOIN,
    OVER_CAPACITY,
    join,
)
from jaxsweep.scalar.view import MAX_CELLS

NO_COMPONENT = -1


POSITION = np.dtype(
    [
        # The values of all cells; after `solve` with all certain cells marked.
        ("grid", np.int8, MAX_CELLS),
        ("cells", np.int64),
        # After `solve`, the mine probability of the cells that are not certain.
        ("risk", np.float64, MAX_CELLS),
        # The component of each cell, or `NO_COMPONENT`.
        ("component_of", np.int32, MAX_CELLS),
        # Cells that the single-cell rules decided.
        ("decided", np.int32, MAX_CELLS),
        # Mines that these rules found or that were given, unconstrained cells, and uncertain ones.
        ("known", np.int64),
        ("free", np.int64),
        ("uncertain", np.int64),
    ]
)
"""A position, and what solving it found."""


class Solver(NamedTuple):
    """The records that solving a position needs; one set for each thread."""

    board: Record
    position: Record
    constraints: Record
    tiles: Record
    chain: Record
    components: Record
    join: Record


def make_solver(rows: int, cols: int) -> Solver:
    """Makes room for positions on boards of this size, of at most `MAX_CELLS` cells."""
    kinds = (POSITION, CONSTRAINTS, TILE_SETS, CHAIN, COMPONENTS, JOIN)
    solver = Solver(board_of(rows, cols), *map(make_record, kinds))
    solver.position["cells"] = rows * cols
    return solver


@compiled
@no_type_check
def count_all(constraints, tiles, chain, components):
    """Counts all components of a list of constraints, and appends them; returns the status."""
    if not find_tile_sets(constraints, tiles):
        return INCONSISTENT
    for tile in range(tiles.count):
        if tiles.seen[tile] == 0:
            steps = order_component(tile, tiles)
            component = components.count
            for i in range(steps):
                own = tiles.order[i]
                for j in range(tiles.constraint_count[own]):
                    constraints.component[tiles.constraints[own, j]] = component
            if not count_component(constraints, tiles, steps, chain, components):
                return OVER_CAPACITY
            if components.width[component] == 0:
                return INCONSISTENT
    return EXACT


@compiled
@no_type_check
def solve(mines, solver):
    """Solves the position in `solver.grid`, with so many mines on the board; returns the status.

    Where that is not `EXACT`, the grid is left with what the single-cell rules prove.
    """
    position, components, joined = solver.position, solver.components, solver.join
    grid = position.grid
    components.count = components.tiles_used = components.cells_used = components.values_used = 0
    if not read_constraints(solver.board, grid, solver.constraints):
        return INCONSISTENT
    consistent, _ = reduce(solver.constraints, grid, position.decided)
    if not consistent:
        return INCONSISTENT
    status = count_all(solver.constraints, solver.tiles, solver.chain, components)
    if status != EXACT:
        return status
    _classify_cells(position, components)
    count = components.count
    for j in range(count):
        joined.components[j] = j
    status = join(count, position.free, mines - position.known, components, joined)
    if status == EXACT:
        _mark_certain(position, components, joined)
    return status


@compiled
@no_type_check
def _classify_cells(position, components):
    """Finds the component of each cell, and counts known mines and unconstrained cells."""
    unknown = known = 0
    for cell in range(position.cells):
        position.component_of[cell] = NO_COMPONENT
        unknown += position.grid[cell] == UNKNOWN
        known += position.grid[cell] == MINE
    for component in range(components.count):
        begin = components.first_tile[component]
        for tile in range(begin, begin + components.tile_count[component]):
            first = components.first_cell[tile]
            unknown -= components.size[tile]
            for i in range(first, first + components.size[tile]):
                position.component_of[components.cells[i]] = component
    position.known, position.free = known, unknown


@compiled
@no_type_check
def tile_probabilities(j, tile, components, joined):
    """Returns the probabilities that a cell of a tile set is a mine, and that it is safe.

    The tile set is one of the j-th joined component. A probability is 0 only if it is impossible.
    """
    width, largest = (
        components.width[joined.components[j]],
        components.largest[joined.components[j]],
    )
    weights, with_mine = joined.first_weight[j], components.with_mine[tile]
    mine = safe = 0.0
    for k in range(width):
        weight = joined.weights[weights + k]
        mine += weight * (components.values[with_mine + k] / largest)
        safe += weight * (components.values[with_mine + width + k] / largest)
    return mine, safe


@compiled
@no_type_check
def _mark_certain(position, components, joined):
    """Marks the certain cells in the grid, and writes the risk of all others."""
    uncertain = 0
    mine, safe = joined.free_mine, joined.free_safe
    for cell in range(position.cells):
        if position.grid[cell] == UNKNOWN and position.component_of[cell] == NO_COMPONENT:
            uncertain += _mark(cell, mine, safe, position)
    for j in range(components.count):
        begin = components.first_tile[j]
        for tile in range(begin, begin + components.tile_count[j]):
            mine, safe = tile_probabilities(j, tile, components, joined)
            first = components.first_cell[tile]
            for i in range(first, first + components.size[tile]):
                uncertain += _mark(np.int64(components.cells[i]), mine, safe, position)
    position.uncertain = uncertain


@compiled
@no_type_check
def _mark(cell, mine, safe, position):
    """Marks one unknown cell; returns 1 if it is uncertain, else 0."""
    if mine == 0:
        position.grid[cell] = SAFE
    elif safe == 0:
        position.grid[cell] = MINE
    else:
        position.risk[cell] = mine / (mine + safe)
        return 1
    return 0
