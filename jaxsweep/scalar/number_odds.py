"""What a hidden cell would show: the probability of every number, by counting layouts."""

import numpy as np
from jaxtyping import Float

from jaxsweep.rules.board import Cell
from jaxsweep.rules.notation import GridPosition
from jaxsweep.scalar.counting import OverBudgetError
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.view import MAX_CELLS, View


def number_odds(
    position: GridPosition, cell: Cell, counter: Counter | None = None
) -> Float[np.ndarray, "9"] | None:
    """Computes the probability that a hidden cell is safe and shows 0, 1, … 8.

    They sum to the probability that it is safe. None for an inconsistent position, and where there
    are too many states to count or the board is too large. `jaxsweep.number_odds` computes the same
    on devices.
    """
    if position.grid.size > MAX_CELLS:
        return None
    counter = Counter() if counter is None else counter
    view = View.of(*position)
    index = cell[0] * position.grid.shape[1] + cell[1]
    try:
        view, whole = counter.solved(view)
        if whole is None:
            return None
        if whole.mines >> index & 1:
            return np.zeros(9)
        found = [counter.solve(view.after(index, number), whole.mines) for number in range(9)]
    except OverBudgetError:
        return None
    return np.array([0.0 if one is None else one.layouts / whole.layouts for one in found])
