"""What the win-probability model reads in a position: how much of the game is still to come."""

from math import log, log1p
from typing import NamedTuple, no_type_check

from jaxsweep.scalar.exact import Solution
from jaxsweep.scalar.view import View


class WinFeatures(NamedTuple):
    """The features of a position in which no cell is certainly safe.

    `native.win_features` writes the same in machine code.
    """

    log_layouts: float
    mines: int
    """Mines that are not certain."""
    uncertain: int
    """Cells that are not certain."""
    unconstrained: int
    """Those of them next to no open cell."""
    opened: int
    """Open cells."""
    adjacent: int
    """Pairs of uncertain cells that are neighbours: many if these cells are close together."""
    components: int
    """Connected components of the uncertain boundary cells."""
    component_risk: float
    """−log of the probability to survive if the safest cell of each component were opened, were
    these independent."""


@no_type_check
def win_features(view: View, solution: Solution) -> WinFeatures:
    """Reads the features of a position that was solved."""
    near, uncertain = view.geometry.near, solution.uncertain
    components = []
    for number in view.frontier_numbers:
        union, others = near[number] & uncertain, []
        if union:
            for cells in components:
                if cells & union:
                    union |= cells
                else:
                    others.append(cells)
            components = [*others, union]
    boundary, risk = 0, 0.0
    for component in components:
        boundary |= component
        found = min([found for cells, found in solution.undecided if cells & component])
        risk -= log1p(-found / solution.layouts)
    return WinFeatures(
        log_layouts=log(solution.layouts),
        mines=view.mines - solution.mines.bit_count(),
        uncertain=uncertain.bit_count(),
        unconstrained=(uncertain & ~boundary).bit_count(),
        opened=view.opened.bit_count(),
        adjacent=view.geometry.adjacent_pairs(uncertain),
        components=len(components),
        component_risk=risk,
    )
