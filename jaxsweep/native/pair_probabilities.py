"""How likely two cells are both mines: the probability of one, and of the other given that it is.

A cell is supposed to be a mine, its component is counted again, and joined with the others. What is
found holds for every cell of the same tile set, and for every unconstrained cell.
"""

from typing import no_type_check

import numpy as np

from jaxsweep.native.board import MINE, UNKNOWN, read_grid
from jaxsweep.native.compiler import compiled
from jaxsweep.native.conditioning import enter_with_mine, leave
from jaxsweep.native.joining import EXACT, OVER_CAPACITY
from jaxsweep.native.solving import solve, tile_probabilities
from jaxsweep.scalar.view import MAX_CELLS

PAIRS = np.dtype(
    [
        # The tile set of each cell of a component; `UNCONSTRAINED` and `CERTAIN` for other cells.
        ("kind", np.int64, MAX_CELLS),
        # The mine probability of each cell, and given that one of them is a mine.
        ("mine", np.float64, MAX_CELLS),
        ("given", np.float64, MAX_CELLS),
    ]
)
"""The cells of a position, by which of them are alike."""

UNCONSTRAINED, CERTAIN = -1, -2
"""What alike cells have in common that are in no tile set."""


@compiled
@no_type_check
def pair_some(
    begin, end, hidden, opened, numbers, mines, cells, counts, space, pairs, both, status
):
    """Finds pair probabilities of positions `begin` to `end` − 1 of a batch, last.

    Args:
        begin: the first position.
        end: the position after the last one.
        hidden: packed boards of the hidden cells.
        opened: of the open cells.
        numbers: the binary digits of the numbers.
        mines: the mines on each board.
        cells: `[batch, most, 2]`, row and column of the wanted cells.
        counts: how many of them each position has.
        space: the memory for conditioning.
        pairs: the memory for what is found.
        both: `[batch, most, most]`, to be written where the status is `EXACT`.
        status: what became of each position.

    """
    solver, board = space.solver, space.solver.board
    for which in range(begin, end):
        read_grid(hidden, opened, numbers, which, board, solver.position.grid)
        status[which] = solve(mines[which], solver)
        if status[which] != EXACT:
            continue
        _classify(solver.position, solver.components, pairs)
        wanted, count = cells[which], counts[which]
        for i in range(count):
            cell = wanted[i, 0] * board.cols + wanted[i, 1]
            kind, first = pairs.kind[cell], True
            for k in range(i):
                earlier = wanted[k, 0] * board.cols + wanted[k, 1]
                first = first and pairs.kind[earlier] != kind
            if kind == CERTAIN:
                pairs.given[: solver.position.cells] = pairs.mine[: solver.position.cells]
                _write(i, kind, cell, wanted, count, board.cols, pairs, both[which])
            elif first:
                if not _suppose(cell, mines[which], space, pairs.given):
                    status[which] = OVER_CAPACITY
                    break
                for k in range(i, count):
                    _write(k, kind, cell, wanted, count, board.cols, pairs, both[which])


@compiled
@no_type_check
def _classify(position, components, pairs):
    """Finds which cells are alike, and the mine probability of every cell."""
    for cell in range(position.cells):
        unknown = position.grid[cell] == UNKNOWN
        pairs.kind[cell] = UNCONSTRAINED if unknown else CERTAIN
        pairs.mine[cell] = position.risk[cell] if unknown else position.grid[cell] == MINE
    for tile in range(components.tiles_used):
        first = components.first_cell[tile]
        for k in range(first, first + components.size[tile]):
            if position.grid[components.cells[k]] == UNKNOWN:
                pairs.kind[components.cells[k]] = tile


@compiled
@no_type_check
def _suppose(cell, mines, space, given):
    """Writes the mine probability of every cell given that an uncertain one is a mine.

    Returns False if that exceeds the capacity.
    """
    solver, joined = space.solver, space.other.join
    position, components = solver.position, solver.components
    status, joins, free = enter_with_mine(cell, mines, solver, space.other, space.after)
    if status == EXACT:
        elsewhere = joined.free_mine / (joined.free_mine + joined.free_safe) if free else 0.0
        for other in range(position.cells):
            unknown = position.grid[other] == UNKNOWN
            given[other] = elsewhere if unknown else position.grid[other] == MINE
        for j in range(joins):
            component = joined.components[j]
            begin = components.first_tile[component]
            for tile in range(begin, begin + components.tile_count[component]):
                mine, safe = tile_probabilities(j, tile, components, joined)
                first = components.first_cell[tile]
                for k in range(first, first + components.size[tile]):
                    other = components.cells[k]
                    if position.grid[other] == UNKNOWN:
                        given[other] = mine / (mine + safe)
    leave(cell, solver, space.after)
    return status == EXACT


@compiled
@no_type_check
def _write(i, kind, cell, wanted, count, cols, pairs, both):
    """Writes the row and the column of a wanted cell, if it is like one supposed to be a mine."""
    own = wanted[i, 0] * cols + wanted[i, 1]
    if pairs.kind[own] != kind:
        return
    for k in range(count):
        other = wanted[k, 0] * cols + wanted[k, 1]
        if other == own:
            chance = pairs.mine[own]
        else:
            # Where the two cells are those that are alike, they change places.
            chance = pairs.mine[own] * pairs.given[own if other == cell else other]
        both[i, k] = both[k, i] = chance
