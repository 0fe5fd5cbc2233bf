"""The look one number ahead in one position: candidates, their afterstates, and the best of them.

`scalar.lookahead` is the same in Python. An afterstate differs from its position in one open cell:
only the components next to that cell are counted again, and joined with the counts of all others.
"""

from math import exp
from typing import no_type_check

import numpy as np

from jaxsweep.native.board import MINE, OUTSIDE, SAFE, UNKNOWN
from jaxsweep.native.compiler import compiled
from jaxsweep.native.constraints import reduce
from jaxsweep.native.fifty_fifty import (
    find_fifty_fifties,
    forced_guess_factor,
    hidden_neighbours,
    log_kept_by,
)
from jaxsweep.native.joining import EXACT, INCONSISTENT, OVER_CAPACITY, join
from jaxsweep.native.solving import NO_COMPONENT, count_all, tile_probabilities
from jaxsweep.scalar.fifty_fifty import CLOSE
from jaxsweep.scalar.lookahead import CORNER, EQUAL, INNER, SECOND_WEIGHT, SIDE, SLACK
from jaxsweep.scalar.view import MAX_CELLS

MAX_CANDIDATES = 64
"""The most candidates that a player may ask for."""

NEVER = 2.0
"""The risk of a certain mine, in lists of cells to open: above all others."""

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
        # Unconstrained cells of the position.
        ("free_count", np.int64),
        ("free", np.int32, MAX_CELLS),
        # Marks of cells in an afterstate, valid where they equal `mark`: those that are uncertain,
        # and those that the new number constrains.
        ("mark", np.int64),
        ("uncertain", np.int64, MAX_CELLS),
        ("constrained", np.int64, MAX_CELLS),
        # The risk of each tile set in an afterstate.
        ("risk", np.float64, 2 * MAX_CELLS),
        # Components that an afterstate counts again.
        ("touched_count", np.int64),
        ("touched", np.int64, 9),
        # Cells that the single-cell rules decide in an afterstate.
        ("decided_count", np.int64),
        ("decided", np.int32, MAX_CELLS),
        # The two least risks of cells whose number can tell something.
        ("first", np.float64),
        ("second", np.float64),
    ]
)
"""The candidates of a position, and one afterstate."""


@compiled
@no_type_check
def look_ahead(mines, ratio, max_candidates, with_pairs, solver, other, pairs, ahead):
    """Returns the best candidate of a solved position in which no cell is safe.

    Candidates that cannot be the best are not evaluated to the end. Returns −1 where a question
    exceeds the capacity.
    """
    pairs.count = 0
    pairs.log_all_kept = 0.0
    if with_pairs and not find_fifty_fifties(mines, solver, other, pairs):
        return -1
    _list_candidates(ratio, max_candidates, solver.board, solver.position, pairs, ahead)
    _list_free_cells(solver.position, ahead)
    highest = 0.0
    for i in range(ahead.count):
        cell = ahead.cell[i]
        factor = forced_guess_factor(cell, pairs)
        status, value = _evaluate(cell, factor, highest - EQUAL, mines, solver, other, ahead)
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
def _list_candidates(ratio, max_candidates, board, position, pairs, ahead):
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
def _list_free_cells(position, ahead):
    """Lists the unconstrained cells that are not certain."""
    ahead.free_count = 0
    for cell in range(position.cells):
        if position.grid[cell] == UNKNOWN and position.component_of[cell] == NO_COMPONENT:
            ahead.free[ahead.free_count] = cell
            ahead.free_count += 1


@compiled
@no_type_check
def _evaluate(cell, factor, goal, mines, solver, other, ahead):
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
        status, log_layouts, value = _afterstate(cell, number - least, mines, solver, other, ahead)
        if status == OVER_CAPACITY:
            return status, 0.0
        if status == EXACT:
            probability = exp(log_layouts - solver.join.log_layouts)
            known += probability
            total += probability * value
    return EXACT, (total / known if known else 1.0) * safety * factor


@compiled
@no_type_check
def _afterstate(cell, residual, mines, solver, other, ahead):
    """Solves the afterstate in which a cell has so many more mines around it than are known.

    Returns its status, the logarithm of its number of layouts, and its value.
    """
    position, components = solver.position, solver.components
    grid, joined = position.grid, other.join
    before = (components.tiles_used, components.cells_used, components.values_used)
    count = components.count
    ahead.mark += 1
    grid[cell] = SAFE
    new = _collect_constraints(cell, residual, solver, other.constraints, ahead)
    free = position.free - new - (position.component_of[cell] == NO_COMPONENT)
    consistent, ahead.decided_count = reduce(other.constraints, grid, ahead.decided)
    status, log_layouts, value = INCONSISTENT, 0.0, 0.0
    if consistent:
        status = count_all(other.constraints, other.tiles, other.chain, components)
    if status == EXACT:
        known = position.known + _known_mines(position, components, ahead)
        joins = _list_components(count, components, joined, ahead)
        status = join(joins, free, mines - known, components, joined)
    if status == EXACT:
        log_layouts = joined.log_layouts
        value = _two_safest(cell, joins, free, solver, joined, ahead)
    for i in range(ahead.decided_count):
        grid[ahead.decided[i]] = UNKNOWN
    grid[cell] = UNKNOWN
    components.count = count
    components.tiles_used, components.cells_used, components.values_used = before
    return status, log_layouts, value


@compiled
@no_type_check
def _collect_constraints(cell, residual, solver, local, ahead):
    """Lists the constraints that opening a cell touches, and the one of its own number.

    They are all constraints of the components that the cell or its unknown neighbours belong to.
    Returns how many unconstrained cells the new number constrains.
    """
    board, position, constraints = solver.board, solver.position, solver.constraints
    ahead.touched_count = 0
    _touch(position.component_of[cell], ahead)
    size = new = 0
    for i in range(board.degree[cell]):
        other = board.near[cell, i]
        if position.grid[other] == UNKNOWN:
            local.cells[0, size] = other
            size += 1
            new += position.component_of[other] == NO_COMPONENT
            ahead.constrained[other] = ahead.mark
            _touch(position.component_of[other], ahead)
    local.size[0], local.residual[0] = size, residual
    count = 1
    for k in range(constraints.count):
        if _is_touched(constraints.component[k], ahead):
            local.size[count], local.residual[count] = constraints.size[k], constraints.residual[k]
            for i in range(constraints.size[k]):
                local.cells[count, i] = constraints.cells[k, i]
            count += 1
    local.count = count
    return new


@compiled
@no_type_check
def _touch(component, ahead):
    """Notes that a component has to be counted again."""
    if component != NO_COMPONENT and not _is_touched(component, ahead):
        ahead.touched[ahead.touched_count] = component
        ahead.touched_count += 1


@compiled
@no_type_check
def _is_touched(component, ahead):
    """Returns whether a component has to be counted again."""
    for i in range(ahead.touched_count):
        if ahead.touched[i] == component:
            return True
    return False


@compiled
@no_type_check
def _known_mines(position, components, ahead):
    """Counts the mines that are certain in an afterstate, and in no component of it."""
    known = 0
    for i in range(ahead.touched_count):
        begin = components.first_tile[ahead.touched[i]]
        for tile in range(begin, begin + components.tile_count[ahead.touched[i]]):
            first = components.first_cell[tile]
            for k in range(first, first + components.size[tile]):
                known += position.grid[components.cells[k]] == MINE
    # Mines that the new number decides among cells that were unconstrained.
    for i in range(ahead.decided_count):
        cell = ahead.decided[i]
        if position.grid[cell] == MINE and position.component_of[cell] == NO_COMPONENT:
            known += 1
    return known


@compiled
@no_type_check
def _list_components(count, components, joined, ahead):
    """Lists the components of an afterstate: the new ones, and untouched ones of the position."""
    joins = 0
    for component in range(components.count):
        if component >= count or not _is_touched(component, ahead):
            joined.components[joins] = component
            joins += 1
    return joins


@compiled
@no_type_check
def _two_safest(cell, joins, free, solver, joined, ahead):
    """Returns the value of an afterstate: a mean of the safety of its two safest useful cells.

    A cell is useful if its number can say something about others: if an uncertain cell is next to
    it. If there is none, the uncertain cells count; the value is 1 where everything is certain.
    """
    uncertain = _mark_uncertain(cell, joins, free, solver.components, joined, ahead)
    if not uncertain:
        return 1.0
    _find_safest(True, cell, joins, free, solver, joined, ahead)
    if ahead.first == NEVER:
        _find_safest(False, cell, joins, free, solver, joined, ahead)
    second = ahead.first if ahead.second == NEVER else ahead.second
    return 1.0 - (1.0 - SECOND_WEIGHT) * ahead.first - SECOND_WEIGHT * second


@compiled
@no_type_check
def _mark_uncertain(cell, joins, free, components, joined, ahead):
    """Writes the risks of all tile sets, and marks uncertain cells; returns whether there are."""
    found = False
    for j in range(joins):
        component = joined.components[j]
        begin = components.first_tile[component]
        for tile in range(begin, begin + components.tile_count[component]):
            mine, safe = tile_probabilities(j, tile, components, joined)
            ahead.risk[tile] = 0.0 if mine == 0 else NEVER if safe == 0 else mine / (mine + safe)
            if mine != 0 and safe != 0:
                found = True
                first = components.first_cell[tile]
                for k in range(first, first + components.size[tile]):
                    ahead.uncertain[components.cells[k]] = ahead.mark
    if free and joined.free_mine != 0 and joined.free_safe != 0:
        for i in range(ahead.free_count):
            other = ahead.free[i]
            if other != cell and ahead.constrained[other] != ahead.mark:
                found = True
                ahead.uncertain[other] = ahead.mark
    return found


@compiled
@no_type_check
def _find_safest(only_useful, cell, joins, free, solver, joined, ahead):
    """Finds the two least risks of the useful cells, or else of the uncertain ones."""
    components, board = solver.components, solver.board
    ahead.first = ahead.second = NEVER
    for i in range(ahead.decided_count):
        other = ahead.decided[i]
        if only_useful and solver.position.grid[other] == SAFE:
            _consider(other, 0.0, only_useful, board, ahead)
    for j in range(joins):
        component = joined.components[j]
        begin = components.first_tile[component]
        for tile in range(begin, begin + components.tile_count[component]):
            if ahead.risk[tile] < ahead.second:
                first = components.first_cell[tile]
                for k in range(first, first + components.size[tile]):
                    _consider(components.cells[k], ahead.risk[tile], only_useful, board, ahead)
    if free and joined.free_safe != 0:
        risk = joined.free_mine / (joined.free_mine + joined.free_safe)
        for i in range(ahead.free_count):
            other = ahead.free[i]
            if risk >= ahead.second:
                break
            if other != cell and ahead.constrained[other] != ahead.mark:
                _consider(other, risk, only_useful, board, ahead)


@compiled
@no_type_check
def _consider(cell, risk, only_useful, board, ahead):
    """Takes a cell's risk for one of the two least, if it is, and the cell counts."""
    if risk >= ahead.second:
        return
    counts = not only_useful and ahead.uncertain[cell] == ahead.mark
    if only_useful:
        for i in range(board.degree[cell]):
            if ahead.uncertain[board.near[cell, i]] == ahead.mark:
                counts = True
                break
    if counts:
        if risk < ahead.first:
            ahead.second, ahead.first = ahead.first, risk
        else:
            ahead.second = risk
