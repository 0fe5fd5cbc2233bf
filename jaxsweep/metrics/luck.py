"""How lucky a player was to survive: the improbability of clicks that were not certain."""

from math import log10

from jaxsweep.rules.clicks import ClickedGame, played
from jaxsweep.scalar.counting import OverBudgetError
from jaxsweep.scalar.exact import Counter, reduce
from jaxsweep.scalar.geometry import CellSet, from_mask
from jaxsweep.scalar.joint_safety import joint_safety
from jaxsweep.scalar.view import MAX_CELLS, View


def luck(game: ClickedGame, counter: Counter | None = None) -> float | None:
    """Returns minus the sum of log10 P(safe) over the clicks that opened cells, after the first.

    P is exact, for a chord that of all its cells together. A click that hit a mine is left out:
    luck is what it took to survive until there. None where a position exceeds the budget.
    """
    if game.mines.size > MAX_CELLS:
        return None
    counter, total = Counter() if counter is None else counter, 0.0
    mines, begun = int(game.mines.sum()), False
    for _, cells, before, _ in played(game):
        if not cells.any():
            continue
        if (cells & game.mines).any():
            return total
        if begun:
            try:
                chance = _safety(View.of(before.grid, mines), from_mask(cells), counter)
            except OverBudgetError:
                return None
            total -= log10(chance)
        begun = True
    return total


def _safety(view: View, cells: CellSet, counter: Counter) -> float:
    """Returns the probability that cells are safe that are, in the layout of the game."""
    reduced = reduce(view, 0)
    if reduced is not None and not cells & ~reduced[0]:
        return 1.0
    solution = counter.solve(view)
    assert solution is not None, "the layout of the game is consistent"
    return float(joint_safety(view, solution, cells, counter))
