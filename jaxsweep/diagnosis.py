"""Explains why a position has no layout: which number, or the mine count, cannot be met."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Int8

from jaxsweep.engines import Exact
from jaxsweep.engines.beliefs import Status
from jaxsweep.inference import infer
from jaxsweep.rules.grid import dilate
from jaxsweep.rules.position import Position, PositionError, check, from_grid, to_grid


def diagnose(position: Position) -> str:
    """Returns one sentence on what is wrong with an inconsistent position.

    Searches for the smallest change that makes it consistent: another mine count, else another
    number in one cell.
    """
    try:
        check(position)
    except PositionError as error:
        return str(error)
    grid, mines = to_grid(position), int(position.mines)
    hidden = int((grid < 0).sum())
    others = [count for count in range(hidden + 1) if count != mines]
    fitting = _consistent([(grid, count) for count in others])
    counts = [count for count, fits in zip(others, fitting, strict=True) if fits]
    if counts:
        range_text = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        return f"the mine count {mines} cannot be met: the numbers shown need {range_text}"
    changes = list(_changed_numbers(grid))
    fitting = _consistent([(changed, mines) for _, _, changed in changes])
    for (row, col, changed), fits in zip(changes, fitting, strict=True):
        if fits:
            return (
                f"row {row}, column {col} shows {grid[row, col]}, which the numbers around it "
                f"do not allow; {changed[row, col]} would fit"
            )
    return "the numbers shown contradict each other in more than one place"


def _changed_numbers(
    grid: Int8[np.ndarray, "rows cols"],
) -> Iterator[tuple[int, int, Int8[np.ndarray, "rows cols"]]]:
    """Yields the grid with one number next to a hidden cell changed, by small changes first."""
    near_hidden = dilate(grid < 0)
    for change in (1, -1, 2, -2, 3, -3):
        for row, col in np.argwhere((grid >= 0) & near_hidden):
            if 0 <= grid[row, col] + change <= 8:
                changed = grid.copy()
                changed[row, col] += change
                yield int(row), int(col), changed


def _consistent(candidates: list[tuple[Int8[np.ndarray, "rows cols"], int]]) -> list[bool]:
    """Tells which of these grids with these mine counts have a layout."""
    if not candidates:
        return []
    beliefs = infer([from_grid(grid, mines) for grid, mines in candidates], Exact())
    return [bool(status == Status.EXACT) for status in beliefs.status]
