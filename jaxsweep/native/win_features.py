"""What the win-probability model reads in a position, in machine code."""

from math import log
from typing import no_type_check

import numpy as np
from jaxtyping import Float, Int8

from jaxsweep.native.board import MINE, UNKNOWN, Record
from jaxsweep.native.compiler import compiled
from jaxsweep.scalar.view import MAX_CELLS
from jaxsweep.scalar.win_features import WinFeatures

WIN_FEATURES = np.dtype(
    [
        # As in `scalar.win_features.WinFeatures`.
        ("mines", np.int64),
        ("uncertain", np.int64),
        ("unconstrained", np.int64),
        ("opened", np.int64),
        ("adjacent", np.int64),
        ("components", np.int64),
        ("component_risk", np.float64),
        # A forest of the boundary cells, one tree a component (union–find), and at each root the
        # least risk.
        ("parent", np.int32, MAX_CELLS),
        ("least", np.float64, MAX_CELLS),
    ]
)
"""The features of a position, and the memory that they take."""


def read_win_features(
    mines: int,
    log_layouts: float,
    board: Record,
    grid: Int8[np.ndarray, " cells"],
    risk: Float[np.ndarray, " cells"],
    memory: Record,
) -> WinFeatures:
    """Reads the features of a solved position with so many mines on the board.

    Args:
        mines: the mines on the board.
        log_layouts: the logarithm of the number of layouts.
        board: the neighbourhoods.
        grid: the values of all cells, with all certain cells marked.
        risk: the mine probability of the unknown cells.
        memory: a record of `WIN_FEATURES`.

    """
    _write(mines, board, grid, risk, memory)
    return WinFeatures(log_layouts, *(memory[name].item() for name in WinFeatures._fields[1:]))


@compiled
@no_type_check
def _write(mines, board, grid, risk, found):
    """Writes the features of a position to `found`; arguments as in `read_win_features`."""
    cells = board.rows * board.cols
    for cell in range(cells):
        found.parent[cell] = -1
        found.least[cell] = 1.0
    found.mines, found.uncertain, found.opened = mines, 0, 0
    adjacent = 0
    for cell in range(cells):
        value = grid[cell]
        found.mines -= value == MINE
        found.opened += value >= 0
        found.uncertain += value == UNKNOWN
        first = -1
        for i in range(board.degree[cell]):
            other = np.int64(board.near[cell, i])
            if grid[other] != UNKNOWN:
                continue
            adjacent += value == UNKNOWN
            if value >= 0:
                if found.parent[other] < 0:
                    found.parent[other] = other
                root = _root(other, found)
                if first < 0:
                    first = root
                found.parent[root] = first
    found.adjacent = adjacent // 2
    _add_components(cells, grid, risk, found)


@compiled
@no_type_check
def _add_components(cells, grid, risk, found):
    """Counts components and unconstrained cells, and adds up the least risks of components."""
    found.components = found.unconstrained = 0
    found.component_risk = 0.0
    for cell in range(cells):
        if found.parent[cell] >= 0:
            root = _root(cell, found)
            found.least[root] = min(found.least[root], risk[cell])
        else:
            found.unconstrained += grid[cell] == UNKNOWN
    for cell in range(cells):
        if found.parent[cell] == cell:
            found.components += 1
            found.component_risk -= log(1.0 - found.least[cell])


@compiled
@no_type_check
def _root(cell, found):
    """Returns the root of a cell's tree, and makes paths shorter on the way."""
    while found.parent[cell] != cell:
        found.parent[cell] = found.parent[found.parent[cell]]
        cell = np.int64(found.parent[cell])
    return cell
