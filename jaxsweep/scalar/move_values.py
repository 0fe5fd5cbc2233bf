"""What a move is worth beside the best one: opening one or several cells of a position.

The judge is the strongest player: near the end its search, which is exact, else its look-ahead and
the win-probability model, which estimate. What the cells that were chosen are worth is found in the
same way as what the best candidates are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jaxsweep.rules.board import Cell
from jaxsweep.scalar.endgame import search_endgame
from jaxsweep.scalar.exact import Counter, Solution
from jaxsweep.scalar.fifty_fifty import fifty_fifties, forced_guess_factors
from jaxsweep.scalar.geometry import CellIndex, CellSet, indices
from jaxsweep.scalar.joint_safety import joint_safety, without
from jaxsweep.scalar.lookahead import NO_GOAL, Shortcuts, evaluate, look_ahead, two_safest
from jaxsweep.scalar.players import BEST, PLAYERS, LookaheadPlayer
from jaxsweep.scalar.view import View
from jaxsweep.scalar.win_probability import win_curve

ROUNDING = 1e-9
"""Chances to win that differ by less are equal."""


class MoveValue(NamedTuple):
    """The chance to win by the best move, and by the one that was made."""

    best: float
    chosen: float
    exact: bool
    """Whether both were found by search through all layouts."""
    best_cell: Cell
    """A cell that the best move opens."""


def judge() -> LookaheadPlayer:
    """Returns the player by whose judgement moves are valued."""
    player = PLAYERS[BEST]
    assert isinstance(player, LookaheadPlayer)
    return player


def value_move(
    view: View,
    solution: Solution,
    counter: Counter,
    chosen: CellSet,
    expected: float,
    shortcuts: Shortcuts | None = None,
) -> MoveValue:
    """Values the opening of cells that are not all certainly safe.

    Args:
        view: the position.
        solution: what was counted in it.
        counter: the counter, with its memory.
        chosen: the cells that were opened, some of which may be certain.
        expected: the chance to win that the moves before it left. It is that of the best move, if
            a cell is certainly safe and search is not in reach: the look-ahead values guesses.
        shortcuts: what may evaluate candidates faster.

    Raises `OverBudgetError` if the position, or one after it, has too many states.

    """
    found = _by_search(view, solution, chosen)
    if found is not None:
        return found
    uncertain, lost = indices(chosen & ~solution.safe), chosen & solution.mines
    if solution.safe:
        share = 0.0 if lost else _relative(view, solution, counter, uncertain, None)
        return MoveValue(expected, expected * share, False, _first_safe(view, solution))
    alone = uncertain if len(uncertain) == 1 and not lost else ()
    wins = _wins_by_lookahead(view, solution, counter, alone, shortcuts)
    highest = max(wins.values())
    # Of equal ones the first, whatever rounding makes of them.
    best = next(cell for cell in wins if wins[cell] >= highest - ROUNDING)
    if alone:
        value = wins[view.geometry.cell(alone[0])]
    else:
        reference = best[0] * view.geometry.cols + best[1]
        share = 0.0 if lost else _relative(view, solution, counter, uncertain, reference)
        value = highest * share
    return MoveValue(highest, value, False, best)


def value_position(
    view: View,
    solution: Solution,
    counter: Counter,
    expected: float,
    shortcuts: Shortcuts | None = None,
) -> tuple[float, bool]:
    """Returns the chance to win of a position by the best play, and whether it is exact.

    Arguments and exceptions are those of `value_move`.
    """
    if not solution.undecided:
        return 1.0, True
    found = _by_search(view, solution, 0)
    if found is not None:
        return found.best, True
    if solution.safe:
        return expected, False
    return max(_wins_by_lookahead(view, solution, counter, (), shortcuts).values()), False


def value_first_cell(
    view: View, cell: CellIndex, counter: Counter, is_safe: bool, is_zero: bool
) -> float:
    """Estimates the chance to win of a game that begins with this cell, all cells hidden.

    The start rule may promise that the cell is safe, or that it shows 0.
    """
    player = judge()
    solution = counter.solve(without(view, 1 << cell) if is_safe else view)
    if solution is None or not solution.undecided:
        return 1.0
    if is_zero:
        view = view.after(cell, 0)
        solution = counter.solve(view)
        assert solution is not None, "the start rule leaves room for the mines"
        if not solution.undecided:
            return 1.0
        score = two_safest(view, solution, player.second_weight)
        return win_curve(view, solution).win_probability(score)
    everything = counter.solve(view)
    assert everything is not None, "a board without open cells is consistent"
    one = evaluate(view, everything, counter, cell, 1.0, player.second_weight, NO_GOAL)
    assert one is not None, "nothing is pruned"
    score = one.value / one.safety if is_safe else one.value
    return win_curve(view, everything).win_probability(score)


def _by_search(view: View, solution: Solution, chosen: CellSet) -> MoveValue | None:
    """Values a move by search; None if there are too many layouts."""
    most = judge().endgame_layouts
    if solution.layouts > most:
        return None
    cell_of, shape = view.geometry.cell, (view.geometry.rows, view.geometry.cols)
    grid = np.array(view.numbers, np.int8).reshape(shape)
    search = search_endgame(grid, view.mines, view.geometry.to_mask(solution.mines), most)
    if search is None:
        return None
    best = _first_safe(view, solution) if solution.safe else search.best_cell()[0]
    value = search.win_probability_of([cell_of(cell) for cell in indices(chosen)])
    return MoveValue(search.win_probability, value, True, best)


def _first_safe(view: View, solution: Solution) -> Cell:
    return view.geometry.cell(indices(solution.safe)[0])


def _wins_by_lookahead(
    view: View,
    solution: Solution,
    counter: Counter,
    also: Sequence[CellIndex],
    shortcuts: Shortcuts | None,
) -> dict[Cell, float]:
    """Returns the win probabilities of the best candidates, and of the cells of `also`.

    The best are first.
    """
    settings = judge().settings
    _, found = look_ahead(view, solution, counter, settings, True, also, shortcuts)
    return {one.cell: one.win for one in found}


def _relative(
    view: View,
    solution: Solution,
    counter: Counter,
    chosen: list[CellIndex],
    reference: CellIndex | None,
) -> float:
    """Returns the chance to win after several cells, as a share of that after a reference.

    The reference is one cell, or, if it is None, a cell that is certainly safe. All are valued one
    number ahead: of several cells, that of the last one, given that all others are safe. The chance
    to win is in proportion to this: what is still to come is the same, whatever is opened now. (The
    model is of no use here: it knows positions in which something has to be guessed.)
    """
    player = judge()
    pairs = fifty_fifties(view, solution, counter) if player.fifty_fifties else []
    factor, factors = forced_guess_factors(pairs)

    def score(cells: list[CellIndex]) -> float:
        last = cells[-1]
        together = sum(1 << cell for cell in cells)
        safety = float(joint_safety(view, solution, together, counter))
        if not safety:
            return 0.0
        given = without(view, together & ~(1 << last))
        known = counter.solve(given, solution.mines)
        assert known is not None, "the cells may all be safe"
        # A 50/50 that one of the cells settles is not lost later.
        own = max(factors.get(cell, factor) for cell in cells)
        one = evaluate(given, known, counter, last, own, player.second_weight, NO_GOAL)
        assert one is not None, "nothing is pruned"
        return one.value / one.safety * safety

    highest = factor if reference is None else score([reference])
    return min(1.0, score(chosen) / highest)
