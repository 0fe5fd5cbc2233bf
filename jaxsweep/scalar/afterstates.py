"""What an afterstate is worth: a mean of the safety of its two safest useful cells.

`native.afterstates` is the same in machine code.
"""

from jaxsweep.scalar.exact import Solution
from jaxsweep.scalar.geometry import CellSet
from jaxsweep.scalar.view import View


def two_safest(view: View, solution: Solution, second_weight: float) -> float:
    """Returns the value of an afterstate: a mean of the safety of its two safest useful cells.

    A cell is useful if its number can say something about others: if an uncertain cell is next to
    it. If there is none, the uncertain cells count; the value is 1 where everything is certain.
    """
    if not solution.uncertain:
        return 1.0
    first, second = least_risks(view, solution)
    return 1.0 - (1.0 - second_weight) * first - second_weight * second


def least_risks(view: View, solution: Solution) -> tuple[float, float]:
    """Returns the two least risks of the useful cells, or else of the uncertain ones.

    If there is only one such cell, its risk counts twice.
    """
    groups = sorted(solution.undecided, key=lambda group: group[1])
    safest = [(solution.safe, 0), *groups] if solution.safe else groups
    risks = _first_two(view, safest, solution.uncertain)
    risks = risks or _first_two(view, safest[-len(groups) :], None)
    return risks[0] / solution.layouts, risks[-1] / solution.layouts


def _first_two(
    view: View, groups: list[tuple[CellSet, int]], uncertain: CellSet | None
) -> list[int]:
    """Returns the layouts in which the first two cells next to an `uncertain` one are mines."""
    near, found = view.geometry.near, []
    for cells, mine_layouts in groups:
        while cells:
            lowest = cells & -cells
            cells ^= lowest
            if uncertain is None or near[lowest.bit_length() - 1] & uncertain:
                found.append(mine_layouts)
                if len(found) == 2:
                    return found
    return found
