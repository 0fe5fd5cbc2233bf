"""The connected components and tile sets of a position's frontier, to be drawn.

Here the boundary is every hidden cell next to an open number, as a person sees it on the board;
`rules.frontier` first removes the cells that single numbers determine, so that the engines'
components may be smaller. Boundary cells that touch the same numbers form a tile set; tile sets
that share a number, directly or through others, form a connected component.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int, Int8

NONE = -1
"""Marks cells of no component."""


@dataclass(frozen=True, eq=False)
class Outlines:
    """The component and the tile set of each boundary cell, numbered from 0; `NONE` elsewhere."""

    components: Int[np.ndarray, "rows cols"]
    tile_sets: Int[np.ndarray, "rows cols"]


def outline(grid: Int8[np.ndarray, "rows cols"]) -> Outlines:
    """Finds components and tile sets; flags are hidden cells like others."""
    rows, cols = grid.shape
    components, tile_sets = np.full((rows, cols), NONE), np.full((rows, cols), NONE)
    touched: dict[tuple[int, int], frozenset[tuple[int, int]]] = {}
    for row, col in np.argwhere(grid < 0):
        numbers = frozenset(_around(grid, int(row), int(col), opened=True))
        if numbers:
            touched[int(row), int(col)] = numbers
    ordinals: dict[frozenset[tuple[int, int]], int] = {}
    for cell, numbers in touched.items():
        tile_sets[cell] = ordinals.setdefault(numbers, len(ordinals))
    count = 0
    for start in touched:
        if components[start] != NONE:
            continue
        components[start], waiting = count, [start]
        while waiting:
            for number in touched[waiting.pop()]:
                for cell in _around(grid, *number, opened=False):
                    if components[cell] == NONE:
                        components[cell] = count
                        waiting.append(cell)
        count += 1
    return Outlines(components, tile_sets)


def _around(
    grid: Int8[np.ndarray, "rows cols"], row: int, col: int, opened: bool
) -> list[tuple[int, int]]:
    """Returns the open or the hidden neighbours of a cell."""
    rows, cols = grid.shape
    return [
        (r, c)
        for r in range(max(row - 1, 0), min(row + 2, rows))
        for c in range(max(col - 1, 0), min(col + 2, cols))
        if (r, c) != (row, col) and (grid[r, c] >= 0) == opened
    ]
