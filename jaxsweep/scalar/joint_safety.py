"""The probability that several cells are all safe, which is not the product of their own."""

from dataclasses import replace
from fractions import Fraction

from jaxsweep.scalar.exact import Counter, Solution
from jaxsweep.scalar.geometry import CellSet
from jaxsweep.scalar.view import View


def joint_safety(view: View, solution: Solution, cells: CellSet, counter: Counter) -> Fraction:
    """Returns the share of layouts in which none of these hidden cells is a mine.

    Raises `OverBudgetError` if there are too many states.
    """
    cells &= ~solution.safe
    if not cells:
        return Fraction(1)
    if cells & solution.mines:
        return Fraction(0)
    if cells.bit_count() == 1:
        return 1 - solution.mine_probability(cells.bit_length() - 1)
    # Cells that are no part of the board hold no mine, and say nothing.
    found = counter.solve(without(view, cells), solution.mines)
    return Fraction(0 if found is None else found.layouts, solution.layouts)


def without(view: View, cells: CellSet) -> View:
    """Returns the view in which some hidden cells are safe, but what they show is not known."""
    return replace(view, hidden=view.hidden & ~cells)
