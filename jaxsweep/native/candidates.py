"""All candidates of a guess, none of them pruned: what people are shown.

`scalar.lookahead` and `scalar.endgame` find the same in Python.
"""

from math import exp
from typing import no_type_check

import numpy as np

from jaxsweep.native.afterstates import solve_with_progress
from jaxsweep.native.compiler import compiled
from jaxsweep.native.endgame import FOUND as SEARCHED
from jaxsweep.native.endgame import cell_wins, search
from jaxsweep.native.fifty_fifty import forced_guess_factor
from jaxsweep.native.joining import EXACT, OVER_CAPACITY
from jaxsweep.native.lookahead import (
    MAX_CANDIDATES,
    NO_CELL,
    is_under_way,
    list_candidates,
    number_range,
    prepare,
    refine_candidates,
)
from jaxsweep.native.solving import solve

NOT_REFINED = -1.0

FOUND = np.dtype(
    [
        # In the order in which candidates are listed.
        ("count", np.int64),
        ("cell", np.int64, MAX_CANDIDATES),
        ("value", np.float64, MAX_CANDIDATES),
        ("progress", np.float64, MAX_CANDIDATES),
        # The value one number deeper, or `NOT_REFINED`.
        ("deeper", np.float64, MAX_CANDIDATES),
    ]
)
"""Candidates, with what opening each leads to."""


@compiled
@no_type_check
def evaluate_fully(mines, settings, also, work, found):
    """Evaluates the candidates of the position in `work.solver.position.grid`, in `found`.

    The cell `also`, unless that is `NO_CELL`, is evaluated as deep as the best of them. The other
    arguments are those of `native.players.guess`. Returns False if a question exceeds the capacity.
    """
    here = work.here
    solver, other, pairs, ahead, after = here
    if solve(mines, solver) != EXACT:
        return False
    if not prepare(mines, settings, settings.fifty_fifties, here):
        return False
    ratio, most = settings.candidate_ratio, settings.max_candidates
    list_candidates(ratio, most, solver.board, solver.position, pairs, ahead)
    if not _list_also(also, ahead):
        return False
    highest = 0.0
    for i in range(ahead.count):
        cell = ahead.cell[i]
        factor = forced_guess_factor(cell, pairs)
        status, value, progress = _evaluate(cell, factor, mines, solver, other, after)
        if status == OVER_CAPACITY:
            return False
        highest = max(highest, value)
        found.cell[i], found.value[i], found.progress[i] = cell, value, progress
        ahead.value[i], found.deeper[i] = value, NOT_REFINED
    found.count = ahead.count
    if settings.refined > 1 and is_under_way(solver.position):
        if refine_candidates(mines, settings, highest, also, here, work.deeper) < 0:
            return False
        for i in range(ahead.count):
            found.deeper[i] = ahead.value[i]
    return True


@compiled
@no_type_check
def _list_also(also, ahead):
    """Lists a cell after all candidates, unless it is one; returns False if there is no room."""
    if also == NO_CELL:
        return True
    for i in range(ahead.count):
        if ahead.cell[i] == also:
            return True
    if ahead.count == MAX_CANDIDATES:
        return False
    ahead.cell[ahead.count] = also
    ahead.count += 1
    return True


@compiled
@no_type_check
def _evaluate(cell, factor, mines, solver, other, after):
    """Returns the status, the expected value of opening a cell, and the probability of progress."""
    least, most = number_range(cell, solver.board, solver.position)
    total = known = progress = 0.0
    for number in range(least, most + 1):
        status, log_layouts, value, has_safe = solve_with_progress(
            cell, number - least, mines, solver, other, after
        )
        if status == OVER_CAPACITY:
            return status, 0.0, 0.0
        if status == EXACT:
            probability = exp(log_layouts - solver.join.log_layouts)
            known += probability
            total += probability * value
            if has_safe:
                progress += probability
    if known == 0.0:
        return EXACT, (1.0 - solver.position.risk[cell]) * factor, 0.0
    safety = 1.0 - solver.position.risk[cell]
    return EXACT, total / known * safety * factor, progress / known


@compiled
@no_type_check
def search_fully(mines, max_layouts, work, wins):
    """Searches the end game of the position in `work.solver.position.grid`.

    Writes how many layouts are won after opening each cell into `wins`, −1 for those that cannot
    be safe. Returns the best cell and the number of layouts; −1 and 0 where there are more than
    `max_layouts`, or the search has no room.
    """
    position, cols = work.solver.position, work.solver.board.cols
    if solve(mines, work.solver) != EXACT:
        return -1, 0
    grid = position.grid[: position.cells]
    status, best, _, _ = search(grid, cols, mines, max_layouts, work.space)
    if status != SEARCHED:
        return -1, 0
    status, layouts = cell_wins(grid, cols, mines, max_layouts, work.space, wins)
    if status != SEARCHED:
        return -1, 0
    return best, layouts
