"""The deduction rules on one board, in NumPy; `rules.deduction` has the same on packed rows.

A round looks at all numbers of the board at once, as on devices, so that what one round finds is
one move, in the arena and here.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.board import Cell, Mask
from jaxsweep.rules.grid import dilate, neighbour_counts
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.reasons import Rule

REACH = 2
"""Two numbers share neighbours if they are at most so many rows and columns apart."""


@dataclass(frozen=True, eq=False)
class Certain:
    """The hidden cells determined so far."""

    safe: Mask
    mines: Mask

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Certain)
            and np.array_equal(self.safe, other.safe)
            and np.array_equal(self.mines, other.mines)
        )

    @classmethod
    def nothing(cls, grid: Int8[np.ndarray, "rows cols"]) -> "Certain":
        """Returns the start of a deduction: no cell determined."""
        return cls(np.zeros(grid.shape, bool), np.zeros(grid.shape, bool))


def single_cell_round(grid: Int8[np.ndarray, "rows cols"], certain: Certain) -> Certain:
    """Applies both single-cell rules once to all open numbers."""
    opened, candidates = grid >= 0, (grid < 0) & ~certain.safe
    all_mines = opened & (grid == neighbour_counts(candidates))
    all_found = opened & (grid == neighbour_counts(certain.mines))
    unknown = candidates & ~certain.mines
    return Certain(
        safe=certain.safe | dilate(all_found) & unknown,
        mines=certain.mines | dilate(all_mines) & unknown,
    )


def pair_round(grid: Int8[np.ndarray, "rows cols"], certain: Certain) -> Certain:
    """Applies the set-bound rule once to all pairs of numbers that share cells."""
    rows, cols = grid.shape
    unknown = (grid < 0) & ~certain.safe & ~certain.mines
    size = neighbour_counts(unknown)
    numbers = (grid >= 0) & (size > 0)
    residuals = grid - neighbour_counts(certain.mines)
    safe_counts = size - residuals
    bordered = np.pad(unknown, 1).astype(np.int8)
    safe, mines = certain.safe.copy(), certain.mines.copy()
    for down in range(-REACH, REACH + 1):
        for right in range(-REACH, REACH + 1):
            if down == right == 0:
                continue
            top, bottom = max(-down, 0), min(rows - down, rows)
            left, edge = max(-right, 0), min(cols - right, cols)
            here = np.s_[top:bottom, left:edge]
            there = np.s_[top + down : bottom + down, left + right : edge + right]
            filled = numbers[here] & numbers[there]
            if filled.any():
                shared = _shared(bordered, down, right)[here]
                filled &= residuals[here] + safe_counts[there] == shared
            for r, c in np.argwhere(filled).tolist():
                first = (r + top, c + left)
                second = (first[0] + down, first[1] + right)
                for cells, one, other in ((safe, first, second), (mines, second, first)):
                    for cell in _next_to_one(one, other):
                        if _is_on(unknown, cell):
                            cells[cell] = True
    return Certain(safe, mines)


def count_rule(position: GridPosition, certain: Certain) -> Certain:
    """Determines every hidden cell if no mines are left on the board, or as many as cells."""
    unknown = (position.grid < 0) & ~certain.safe & ~certain.mines
    left = position.mines - int(certain.mines.sum())
    if left == 0:
        return replace(certain, safe=certain.safe | unknown)
    if left == unknown.sum():
        return replace(certain, mines=certain.mines | unknown)
    return certain


def simplest_proof(position: GridPosition) -> tuple[Mask, Rule | None]:
    """Returns the safe cells found by the simplest rule that finds any, and that rule.

    All rules are applied until none finds more; each cell is credited to the first that does.
    """
    grid = position.grid
    certain = _all_single(grid, Certain.nothing(grid))
    if certain.safe.any():
        return certain.safe, Rule.SINGLE
    by_rule = {rule: np.zeros(grid.shape, bool) for rule in Rule}
    while True:
        by_pair = pair_round(grid, certain)
        by_count = count_rule(position, by_pair)
        grown = _all_single(grid, by_count)
        by_rule[Rule.PAIR] |= by_pair.safe & ~certain.safe
        by_rule[Rule.COUNT] |= by_count.safe & ~by_pair.safe
        by_rule[Rule.SINGLE] |= grown.safe & ~by_count.safe
        if grown == certain:
            break
        certain = grown
    return next(
        ((cells, rule) for rule, cells in by_rule.items() if cells.any()), (certain.safe, None)
    )


def _all_single(grid: Int8[np.ndarray, "rows cols"], certain: Certain) -> Certain:
    """Repeats `single_cell_round` until nothing new is found."""
    while (grown := single_cell_round(grid, certain)) != certain:
        certain = grown
    return certain


def _shared(
    bordered: Int8[np.ndarray, "bordered_rows bordered_cols"], down: int, right: int
) -> Int8[np.ndarray, "rows cols"]:
    """Counts, for each cell, the set cells next to both it and the cell at this offset."""
    rows, cols = bordered.shape[0] - 2, bordered.shape[1] - 2
    total = np.zeros((rows, cols), np.int8)
    for r in range(max(down, 0), min(down, 0) + 3):
        for c in range(max(right, 0), min(right, 0) + 3):
            total += bordered[r : r + rows, c : c + cols]
    return total


def _next_to_one(one: Cell, other: Cell) -> list[Cell]:
    """Lists the cells that are next to the first of two cells and not to the second."""
    return [
        (row, col)
        for row in range(one[0] - 1, one[0] + 2)
        for col in range(one[1] - 1, one[1] + 2)
        if abs(row - other[0]) > 1 or abs(col - other[1]) > 1
    ]


def _is_on(mask: Mask, cell: Cell) -> bool:
    """Returns whether a cell is on the board, and set."""
    row, col = cell
    return 0 <= row < mask.shape[0] and 0 <= col < mask.shape[1] and bool(mask[row, col])
