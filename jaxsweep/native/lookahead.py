"""The look one number ahead in one position: candidates, their values, and the best of them.

`scalar.lookahead` is the same in Python.
"""

from math import exp
from typing import no_type_check

import numpy as np

from jaxsweep.native.afterstates import list_free_cells, solve_afterstate
from jaxsweep.native.board import MINE, OUTSIDE, UNKNOWN
from jaxsweep.native.compiler import compiled
from jaxsweep.native.fifty_fifty import (
    find_fifty_fifties,
    forced_guess_factor,
    hidden_neighbours,
    log_kept_by,
)
from jaxsweep.native.joining import EXACT, OVER_CAPACITY
from jaxsweep.scalar.fifty_fifty import CLOSE
from jaxsweep.scalar.lookahead import CORNER, EQUAL, INNER, SIDE, SLACK
from jaxsweep.scalar.view import MAX_CELLS

MAX_CANDIDATES = 64
"""The most candidates that a player may ask for."""

LOOKAHEAD = np.dtype(
    [
        # The candidates, the best first: cell, rank, and hidden neighbours.
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


@compiled
@no_type_check
def look_ahead(mines, settings, solver, other, pairs, ahead, after):
    """Returns the best candidate of a solved position in which no cell is safe.

    Candidates that cannot be the best are not evaluated to the end. Returns −1 where a question
    exceeds the capacity. The settings are those of `native.players`.
    """
    pairs.count = 0
    pairs.log_all_kept = 0.0
    if settings.fifty_fifties and not find_fifty_fifties(mines, solver, other, pairs):
        return -1
    list_candidates(settings, solver.board, solver.position, pairs, ahead)
    list_free_cells(solver.position, after)
    after.second_weight = settings.second_weight
    highest = 0.0
    for i in range(ahead.count):
        cell = ahead.cell[i]
        factor = forced_guess_factor(cell, pairs)
        status, value = evaluate(cell, factor, highest - EQUAL, mines, solver, other, after)
        if status == OVER_CAPACITY:
            return -1
        ahead.value[i] = value
        highest = max(highest, value)
    # Of equal values the first, whatever rounding makes of them.
    for i in range(ahead.count):
        if ahead.value[i] >= highest - EQUAL:
            return ahead.cell[i]
    return -1


@compiled
@no_type_check
def list_candidates(settings, board, position, pairs, ahead):
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
            elif merit >= settings.candidate_ratio * best:
                rank, most = np.rint(merit / CLOSE), settings.max_candidates
                _insert_candidate(cell, rank, hidden, most, ahead)


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
    board, position = solver.board, solver.position
    least = most = 0
    for i in range(board.degree[cell]):
        value = position.grid[board.near[cell, i]]
        least += value == MINE
        most += value < 0 and value != OUTSIDE
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
