"""Where a position's edges and tile sets are: for people to look at.

Covered cells next to an open number are the boundary. Those that touch the same numbers form a tile
set; tile sets that share a number, directly or through others, form an edge.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int, Int8

NONE = -1
"""Stands in an outline for cells of no edge."""


@dataclass(frozen=True, eq=False)
class Outlines:
    """The edge and the tile set of each boundary cell, numbered from 0; `NONE` elsewhere."""

    edges: Int[np.ndarray, "rows cols"]
    sets: Int[np.ndarray, "rows cols"]


def outline(grid: Int8[np.ndarray, "rows cols"]) -> Outlines:
    """The outlines of what a player sees; flags are covered cells like others."""
    rows, cols = grid.shape
    edges, sets = np.full((rows, cols), NONE), np.full((rows, cols), NONE)
    touched: dict[tuple[int, int], frozenset[tuple[int, int]]] = {}
    for row, col in np.argwhere(grid < 0):
        numbers = frozenset(_around(grid, int(row), int(col), opened=True))
        if numbers:
            touched[int(row), int(col)] = numbers
    ordinals: dict[frozenset[tuple[int, int]], int] = {}
    for cell, numbers in touched.items():
        sets[cell] = ordinals.setdefault(numbers, len(ordinals))
    count = 0
    for start in touched:
        if edges[start] != NONE:
            continue
        edges[start], waiting = count, [start]
        while waiting:
            for number in touched[waiting.pop()]:
                for cell in _around(grid, *number, opened=False):
                    if edges[cell] == NONE:
                        edges[cell] = count
                        waiting.append(cell)
        count += 1
    return Outlines(edges, sets)


def _around(
    grid: Int8[np.ndarray, "rows cols"], row: int, col: int, opened: bool
) -> list[tuple[int, int]]:
    """The open, or the covered, neighbours of a cell."""
    rows, cols = grid.shape
    return [
        (r, c)
        for r in range(max(row - 1, 0), min(row + 2, rows))
        for c in range(max(col - 1, 0), min(col + 2, cols))
        if (r, c) != (row, col) and (grid[r, c] >= 0) == opened
    ]
