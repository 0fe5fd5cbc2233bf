"""The look ahead in one position: candidates, their values, and the best of them.

`scalar.lookahead` is the same in Python.
"""

from math import exp
from typing import NamedTuple, no_type_check

import numpy as np

from jaxsweep.native.afterstates import solve_afterstate
from jaxsweep.native.board import MINE, OUTSIDE, UNKNOWN, Record, make_record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.conditioning import AFTERSTATE, list_free_cells
from jaxsweep.native.fifty_fifty import (
    FIFTY_FIFTIES,
    find_fifty_fifties,
    forced_guess_factor,
    hidden_neighbours,
    log_kept_by,
)
from jaxsweep.native.joining import EXACT, OVER_CAPACITY
from jaxsweep.native.solving import Solver, make_solver, solve
from jaxsweep.scalar.fifty_fifty import CLOSE
from jaxsweep.scalar.lookahead import (
    CORNER,
    EQUAL,
    INNER,
    MIN_OPEN,
    SIDE,
    SLACK,
)
from jaxsweep.scalar.view import MAX_CELLS

NO_CELL = -1
"""Where a cell may be named and none is."""

MAX_CANDIDATES = 64
"""The most candidates that a player may ask for."""

LOOKAHEAD = np.dtype(
    [
        # The candidates, the best first: cell, rank by merit (by value, once candidates are
        # refined), and hidden neighbours.
        ("count", np.int64),
        ("cell", np.int64, MAX_CANDIDATES),
        ("rank", np.float64, MAX_CANDIDATES),
        ("hidden", np.int64, MAX_CANDIDATES),
        ("value", np.float64, MAX_CANDIDATES),
        # Whether a cell is next to an open one.
        ("next_to_open", np.int8, MAX_CELLS),
    ]
)
"""The candidates of a position."""


class LookaheadSpace(NamedTuple):
    """The memory for looking ahead in one position."""

    solver: Solver
    """Of the position."""
    other: Solver
    """For positions that differ from it."""
    pairs: Record
    ahead: Record
    after: Record


def lookahead_space(rows: int, cols: int) -> LookaheadSpace:
    """Makes room for positions on boards of this size, of at most `MAX_CELLS` cells."""
    return LookaheadSpace(
        make_solver(rows, cols),
        make_solver(rows, cols),
        make_record(FIFTY_FIFTIES),
        make_record(LOOKAHEAD),
        make_record(AFTERSTATE),
    )


@compiled
@no_type_check
def look_ahead(mines, settings, here, deeper):
    """Returns the best candidate of a solved position in which no cell is safe.

    The best candidates by one number, if they are close, are evaluated one number deeper.
    Candidates that cannot be the best are not evaluated to the end. Returns −1 where a question
    exceeds the capacity. The settings are those of `native.players`, the memory is that for the
    position, and for its afterstates.
    """
    refines = settings.refined > 1 and is_under_way(here.solver.position)
    margin = settings.refined_margin if refines else EQUAL
    most = settings.max_candidates
    highest = evaluate_candidates(mines, settings, settings.fifty_fifties, most, margin, here)
    if highest >= 0 and refines:
        highest = refine_candidates(mines, settings, highest, NO_CELL, here, deeper)
    if highest < 0:
        return -1
    # Of equal values the first, whatever rounding makes of them.
    for i in range(here.ahead.count):
        if here.ahead.value[i] >= highest - EQUAL:
            return here.ahead.cell[i]
    return -1


@compiled
@no_type_check
def evaluate_candidates(mines, settings, fifty_fifties, max_candidates, margin, space):
    """Lists the candidates of a solved position, and evaluates them as `evaluate_listed` does.

    Returns the highest value; −1 where a question exceeds the capacity.
    """
    if not prepare(mines, settings, fifty_fifties, space):
        return -1.0
    solver, ratio = space.solver, settings.candidate_ratio
    list_candidates(ratio, max_candidates, solver.board, solver.position, space.pairs, space.ahead)
    return evaluate_listed(mines, margin, space)


@compiled
@no_type_check
def prepare(mines, settings, fifty_fifties, space):
    """Finds what the values of all cells of a solved position depend on.

    Returns False if a question exceeds the capacity.
    """
    space.pairs.count = 0
    space.pairs.log_all_kept = 0.0
    list_free_cells(space.solver.position, space.after)
    space.after.second_weight = settings.second_weight
    return not fifty_fifties or find_fifty_fifties(mines, space.solver, space.other, space.pairs)


@compiled
@no_type_check
def evaluate_listed(mines, margin, space):
    """Evaluates the listed candidates one number ahead.

    Those behind the best by more than `margin` are not evaluated to the end, and get −1. Returns
    the highest value; −1 where a question exceeds the capacity.
    """
    solver, other, pairs, ahead, after = space
    highest = 0.0
    for i in range(ahead.count):
        cell = ahead.cell[i]
        factor = forced_guess_factor(cell, pairs)
        status, value = evaluate(cell, factor, highest - margin, mines, solver, other, after)
        if status == OVER_CAPACITY:
            return -1.0
        ahead.value[i] = value
        highest = max(highest, value)
    return highest


@compiled
@no_type_check
def refine_candidates(mines, settings, highest, also, here, deeper):
    """Evaluates the best candidates one number deeper, if they are close to the `highest` value.

    So is the cell `also`, if it is listed. All others get −1. Returns the highest of the new
    values; −1 where a question exceeds the capacity.
    """
    ahead, best = here.ahead, 0.0
    for i in range(ahead.count):
        ahead.rank[i] = np.rint(ahead.value[i] / CLOSE)
    least = np.rint(highest / CLOSE) - np.rint(settings.refined_margin / CLOSE)
    for i in range(ahead.count):
        ahead.value[i] = -1.0
        better = 0
        for j in range(ahead.count):
            better += ahead.rank[j] > ahead.rank[i] or (ahead.rank[j] == ahead.rank[i] and j < i)
        close = ahead.rank[i] >= least and better < settings.refined
        if close or ahead.cell[i] == also:
            value = _evaluate_deeper(ahead.cell[i], mines, settings, here, deeper)
            if value < 0:
                return -1.0
            ahead.value[i] = value
            best = max(best, value)
    return best


@compiled
@no_type_check
def _evaluate_deeper(cell, mines, settings, here, deeper):
    """Returns the expected value of opening a cell, by the best candidate of each afterstate.

    Where an afterstate has a safe cell that is useful, or nothing is uncertain, its value is as in
    `evaluate`. Returns −1 where a question exceeds the capacity.
    """
    solver, after = here.solver, here.after
    position, inner = solver.position, deeper.solver
    least, most = number_range(cell, solver.board, position)
    total = known = 0.0
    for number in range(least, most + 1):
        status, log_layouts, value = solve_afterstate(
            cell, number - least, mines, solver, here.other, after
        )
        if status == OVER_CAPACITY:
            return -1.0
        if status != EXACT:
            continue
        if value < 1.0 and after.first > 0.0:
            inner.position.grid[: position.cells] = position.grid[: position.cells]
            inner.position.grid[cell] = number
            if solve(mines, inner) != EXACT:
                return -1.0
            count = settings.deeper_candidates
            value = evaluate_candidates(mines, settings, False, count, EQUAL, deeper)
            if value < 0:
                return -1.0
        probability = exp(log_layouts - solver.join.log_layouts)
        known += probability
        total += probability * value
    safety = 1.0 - position.risk[cell]
    return (total / known if known else 1.0) * safety * forced_guess_factor(cell, here.pairs)


@compiled
@no_type_check
def is_under_way(position):
    """Returns whether enough cells are open to look two numbers ahead."""
    count = 0
    for cell in range(position.cells):
        count += position.grid[cell] >= 0
    return count >= MIN_OPEN


@compiled
@no_type_check
def list_candidates(ratio, max_candidates, board, position, pairs, ahead):
    """Lists the cells whose merit is close to the best: by merit, then by hidden neighbours.

    A cell's merit is the probability that it is safe times its forced-guess factor. Of cells far
    from every open cell one corner, one side and one inner cell are enough, as they are equivalent,
    unless they belong to a possible 50/50.
    """
    for cell in range(position.cells):
        ahead.next_to_open[cell] = 0
    for cell in range(position.cells):
        if position.grid[cell] >= 0:
            for i in range(board.degree[cell]):
                ahead.next_to_open[board.near[cell, i]] = 1
    best = 0.0
    for keep in range(2):
        ahead.count = 0
        seen = 0
        for cell in range(position.cells):
            if position.grid[cell] != UNKNOWN:
                continue
            hidden = hidden_neighbours(cell, board, position)
            if hidden in (CORNER, SIDE, INNER):
                in_pair = log_kept_by(cell, pairs) != 0
                if not in_pair and _is_far(cell, board, position, ahead):
                    if seen >> hidden & 1:
                        continue
                    seen |= 1 << hidden
            merit = (1.0 - position.risk[cell]) * forced_guess_factor(cell, pairs)
            if keep == 0:
                best = max(best, merit)
            elif merit >= ratio * best:
                _insert_candidate(cell, np.rint(merit / CLOSE), hidden, max_candidates, ahead)


@compiled
@no_type_check
def _is_far(cell, board, position, ahead):
    """Returns whether neither a cell nor its neighbours are open or next to an open cell."""
    if ahead.next_to_open[cell]:
        return False
    for i in range(board.degree[cell]):
        other = board.near[cell, i]
        if ahead.next_to_open[other] or position.grid[other] >= 0:
            return False
    return True


@compiled
@no_type_check
def _insert_candidate(cell, rank, hidden, max_candidates, ahead):
    """Inserts a candidate after all that rank at least as high; the last one may drop out."""
    place = ahead.count
    while place > 0 and (
        ahead.rank[place - 1] < rank
        or (ahead.rank[place - 1] == rank and ahead.hidden[place - 1] > hidden)
    ):
        place -= 1
    if place == max_candidates:
        return
    ahead.count = min(ahead.count + 1, max_candidates)
    for i in range(ahead.count - 1, place, -1):
        ahead.cell[i], ahead.rank[i] = ahead.cell[i - 1], ahead.rank[i - 1]
        ahead.hidden[i] = ahead.hidden[i - 1]
    ahead.cell[place], ahead.rank[place], ahead.hidden[place] = cell, rank, hidden


@compiled
@no_type_check
def evaluate(cell, factor, goal, mines, solver, other, after):
    """Returns the status, and the expected value of opening a cell: −1 if it is below `goal`."""
    position = solver.position
    least, most = number_range(cell, solver.board, position)
    safety = 1.0 - position.risk[cell]
    total = known = 0.0
    for number in range(least, most + 1):
        # All that is not known yet may have a value of 1, within a rounding error.
        if (total + max(safety - known, 0.0)) * factor + SLACK < goal:
            return EXACT, -1.0
        status, log_layouts, value = solve_afterstate(
            cell, number - least, mines, solver, other, after
        )
        if status == OVER_CAPACITY:
            return status, 0.0
        if status == EXACT:
            probability = exp(log_layouts - solver.join.log_layouts)
            known += probability
            total += probability * value
    return EXACT, (total / known if known else 1.0) * safety * factor


@compiled
@no_type_check
def number_range(cell, board, position):
    """Returns the least and the highest number that a cell may show, judging by its neighbours."""
    least = most = 0
    for i in range(board.degree[cell]):
        value = position.grid[board.near[cell, i]]
        least += value == MINE
        most += value < 0 and value != OUTSIDE
    return least, most
