"""50/50s in one position: pairs of neighbours that no number will separate.

`strategies.fifty_fifty` explains them, and finds them in batches; the parameters are shared.
"""

from dataclasses import dataclass
from math import exp, log1p

import numpy as np
from jaxtyping import Float

from jaxsweep.scalar.counting import OverBudgetError
from jaxsweep.scalar.exact import Counter, Solution
from jaxsweep.scalar.geometry import CellIndex
from jaxsweep.scalar.view import View

PAIRS = 3
"""The most pairs of a position that the engine is asked about."""

MIN_LOSS = 0.03
"""The engine is asked about pairs whose 50/50 is lost with at least this probability, as if cells
were independent."""

CLOSE = 1e-5
"""Merits that differ by less rank as equal: rounding on the host and on the device may differ."""

Grid = Float[np.ndarray, "rows cols"]


@dataclass(frozen=True)
class FiftyFifty:
    """Two neighbours that may become a 50/50, and the probability that it is then lost."""

    cells: tuple[CellIndex, CellIndex]
    loss: float


def fifty_fifties(view: View, solution: Solution, counter: Counter) -> list[FiftyFifty]:
    """Finds the likeliest pairs of a position, with an upper bound on the loss of each."""
    chances, cols = _as_if_independent(view, solution), view.geometry.cols
    order = np.round(chances.reshape(-1) / CLOSE)
    pairs = []
    for place in np.argsort(-order, kind="stable")[:PAIRS].tolist():
        if order[place] * CLOSE < MIN_LOSS:
            break
        below, first = divmod(place, order.size // 2)
        pair = (first, first + cols if below else first + 1)
        pairs.append(FiftyFifty(pair, _loss(view, solution, counter, pair)))
    return pairs


def forced_guess_factors(pairs: list[FiftyFifty]) -> tuple[float, dict[CellIndex, float]]:
    """Returns the probability that no 50/50 is lost but those that a cell is part of.

    First for cells of no pair, then by cell for those of pairs.
    """
    logs = {}
    for pair in pairs:
        for cell in pair.cells:
            logs[cell] = logs.get(cell, 0.0) + log1p(-pair.loss)
    total = sum(log1p(-pair.loss) for pair in pairs)
    return exp(total), {cell: exp(total - own) for cell, own in logs.items() if own}


def _loss(
    view: View, solution: Solution, counter: Counter, pair: tuple[CellIndex, CellIndex]
) -> float:
    """Returns an upper bound on the probability that the pair becomes a 50/50 that is lost."""
    near, (first, second) = view.geometry.near, pair
    both = 1 << first | 1 << second
    next_to_one = (near[first] ^ near[second]) & ~both & view.hidden
    try:
        found = counter.solve(view, solution.mines | next_to_one)
    except OverBudgetError:
        return 0.0
    if found is None:
        return 0.0
    # In a 50/50 each cell is the mine with the same probability, which is no more than the
    # probability that either is a mine, or safe, at all.
    doubt = min(min(risk, 1.0 - risk) for risk in (found.risk(first), found.risk(second)))
    return found.layouts / solution.layouts * doubt


def _as_if_independent(view: View, solution: Solution) -> Float[np.ndarray, "ways rows cols"]:
    """Returns the probability of a lost 50/50 of each cell with the one to its right, and below."""
    hidden = view.geometry.to_mask(view.hidden)
    chance = np.asarray(solution.beliefs.mine_probability, np.float64)
    mine = np.where(hidden, chance, 0.0)
    doubt = np.where(hidden, np.minimum(chance, 1.0 - chance), 0.0)
    column = mine * _at(mine, -1, 0, 1.0) * _at(mine, 1, 0, 1.0)
    row = mine * _at(mine, 0, -1, 1.0) * _at(mine, 0, 1, 1.0)
    right = np.minimum(doubt, _at(doubt, 0, 1, 0.0))
    below = np.minimum(doubt, _at(doubt, 1, 0, 0.0))
    return np.stack(
        [
            right * (_at(column, 0, -1, 1.0) * _at(column, 0, 2, 1.0)),
            below * (_at(row, -1, 0, 1.0) * _at(row, 2, 0, 1.0)),
        ]
    )


def _at(grid: Grid, down: int, right: int, outside: float) -> Grid:
    """Shifts a grid: each cell gets the value so many rows below and columns to the right."""
    rows, cols = grid.shape
    padded = np.full((rows + 4, cols + 4), outside)
    padded[2:-2, 2:-2] = grid
    return padded[2 + down : 2 + down + rows, 2 + right : 2 + right + cols]
