"""Explains why a position has no layout: which number, or the mine count, cannot be met."""

from collections.abc import Iterator

from jaxsweep.rules.notation import GridPosition, PositionError, check
from jaxsweep.scalar.counting import OverBudgetError
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.geometry import CellIndex
from jaxsweep.scalar.view import MAX_CELLS, View


def diagnose(position: GridPosition) -> str:
    """Returns one sentence on what is wrong with an inconsistent position.

    Searches for the smallest change that makes it consistent: another mine count, else another
    number in one cell.
    """
    try:
        check(position)
    except PositionError as error:
        return str(error)
    if position.grid.size > MAX_CELLS:
        return "the numbers shown contradict each other"
    view, counter = View.of(*position), Counter()
    try:
        return _smallest_change(view, counter)
    except OverBudgetError:
        return "the numbers shown contradict each other"


def _smallest_change(view: View, counter: Counter) -> str:
    """As `diagnose`; raises `OverBudgetError` if the position is too wide to try changes."""
    counts = counter.mine_range(view)
    if counts is not None:
        low, high = counts
        needed = f"{low}" if low == high else f"{low} to {high}"
        return f"the mine count {view.mines} cannot be met: the numbers shown need {needed}"
    for cell, number in _changed_numbers(view):
        if counter.solve(view.with_number(cell, number)) is not None:
            row, col = view.geometry.cell(cell)
            return (
                f"row {row}, column {col} shows {view.numbers[cell]}, which the numbers around it "
                f"do not allow; {number} would fit"
            )
    return "the numbers shown contradict each other in more than one place"


def _changed_numbers(view: View) -> Iterator[tuple[CellIndex, int]]:
    """Yields another number for each cell next to a hidden one, by small changes first."""
    for change in (1, -1, 2, -2, 3, -3):
        for cell in view.frontier_numbers:
            if 0 <= view.numbers[cell] + change <= 8:
                yield cell, view.numbers[cell] + change
