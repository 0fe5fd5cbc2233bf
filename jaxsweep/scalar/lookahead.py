"""The look ahead in one position: candidates, their afterstates, and the best of them.

`native.lookahead` is the same in machine code, and `strategies.lookahead_loop` looks one number
ahead in batches on devices; the parameters are shared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from jaxsweep.scalar.advice import Candidate
from jaxsweep.scalar.afterstates import least_risks, two_safest
from jaxsweep.scalar.counting import OverBudgetError
from jaxsweep.scalar.endgame import EndgameSearch
from jaxsweep.scalar.exact import Counter, Solution
from jaxsweep.scalar.fifty_fifty import CLOSE, fifty_fifties, forced_guess_factors
from jaxsweep.scalar.geometry import CellIndex, indices
from jaxsweep.scalar.least_risk import hidden_neighbours
from jaxsweep.scalar.view import View
from jaxsweep.scalar.win_probability import win_curve

EQUAL = 1e-4
"""Expected values that differ by less are equal: far more than rounding, far less than matters."""

SLACK = 1e-3
"""Rounding error of an expected value: a candidate is pruned only if it is behind by more."""

MIN_OPEN = 6
"""Open cells from which on candidates are evaluated one number deeper. With fewer, games are won by
finding a large opening, about which two numbers say less than one does."""

NO_GOAL = -1.0
"""A value that every cell reaches: nothing is pruned."""

CORNER, SIDE, INNER = 3, 5, 8
"""The neighbours of a cell in a corner, at a side, and inside the board."""


@dataclass(frozen=True)
class LookaheadSettings:
    """Which candidates are evaluated."""

    candidate_ratio: float
    """Candidates have at least so many times the merit of the best cell."""
    max_candidates: int
    """The most candidates: by merit, then by fewest hidden neighbours."""
    fifty_fifties: bool
    """Whether pairs that may become a 50/50 are looked for."""
    second_weight: float
    """The weight of the second safest cell in the value of an afterstate."""
    refined: int
    """So many of the best candidates, if they are close, are evaluated one number deeper."""
    refined_margin: float
    """Candidates are close if their expected values differ by no more."""
    deeper_candidates: int
    """The most candidates of an afterstate, one number deeper."""


@dataclass(frozen=True)
class Evaluated:
    """A candidate with what opening it leads to."""

    cell: CellIndex
    safety: float
    progress: float
    """If it is safe, the probability that a cell is certainly safe afterwards."""
    factor: float
    """Its forced-guess factor."""
    value: float
    """The expected value: safe, no 50/50 lost, times the value of the afterstate."""


Afterstates = dict[tuple[CellIndex, int], tuple[View, Solution | None]]
"""By a cell and the number that it shows: the afterstate, and its solution; None if it has none."""


class Evaluations(NamedTuple):
    """Candidates one number ahead, and the closest of them one number deeper."""

    evaluated: list[Evaluated]
    deeper: dict[CellIndex, float]
    """The values of those that were evaluated deeper; empty if none was."""


class Shortcuts(NamedTuple):
    """Faster ways to the same results, for callers that show all candidates.

    They return None where they cannot.
    """

    candidates: Callable[[View, Solution, Sequence[CellIndex]], Evaluations | None]
    """Evaluates all candidates, and certain other cells as deep as the best of them."""
    endgame: Callable[[View], EndgameSearch | None]
    """Searches the end game."""


def look_ahead(
    view: View,
    solution: Solution,
    counter: Counter,
    settings: LookaheadSettings,
    only_best: bool = False,
    also: Sequence[CellIndex] = (),
    shortcuts: Shortcuts | None = None,
) -> tuple[Evaluated, tuple[Candidate, ...]]:
    """Evaluates the candidates of a position in which no cell is certainly safe.

    Returns the best of them, and all with their estimated win probability, the best first. With
    `only_best`, candidates that cannot be the best are left out. The cells of `also` are evaluated
    as deep as the best candidates, whatever their merit.
    """
    found = None if shortcuts is None else shortcuts.candidates(view, solution, also)
    if found is None:
        evaluated = _evaluate_here(view, solution, counter, settings, only_best, also)
    else:
        evaluated = _behind_refined(*found)
    highest = max(one.value for one in evaluated)
    # Of equal values the first, whatever rounding makes of them.
    best = next(one for one in evaluated if one.value >= highest - EQUAL)
    curve = win_curve(view, solution)
    listed = [
        (
            one is not best,
            Candidate(
                view.geometry.cell(one.cell),
                1.0 - one.safety,
                one.progress,
                curve.win_probability(one.value),
            ),
        )
        for one in evaluated
    ]
    # Candidates that differ by rounding alone stay in order.
    listed.sort(key=lambda item: (item[0], -round(item[1].win, 9)))
    return best, tuple(candidate for _, candidate in listed)


def _evaluate_here(
    view: View,
    solution: Solution,
    counter: Counter,
    settings: LookaheadSettings,
    only_best: bool,
    also: Sequence[CellIndex],
) -> list[Evaluated]:
    """Evaluates candidates, and the cells of `also`, with the counter."""
    view = view.reading(solution.uncertain)
    pairs = fifty_fifties(view, solution, counter) if settings.fifty_fifties else []
    factor, factors = forced_guess_factors(pairs)
    cells = candidates(view, solution, factor, factors, settings, settings.max_candidates)
    cells += [cell for cell in also if cell not in cells]
    refines = settings.refined > 1 and view.opened.bit_count() >= MIN_OPEN
    margin = (settings.refined_margin if refines else EQUAL) if only_best else 1.0
    solved: Afterstates = {}
    evaluated = _evaluate_all(
        view, solution, counter, cells, factor, factors, settings, margin, also, solved
    )
    if not refines:
        return evaluated
    deeper = _refine(view, solution, counter, evaluated, settings, only_best, also, solved)
    if only_best:
        return [replace(one, value=deeper[one.cell]) for one in evaluated if one.cell in deeper]
    return _behind_refined(evaluated, deeper)


def candidates(
    view: View,
    solution: Solution,
    factor: float,
    factors: dict[CellIndex, float],
    settings: LookaheadSettings,
    max_candidates: int,
) -> list[CellIndex]:
    """Lists the cells whose merit is close to the best, the best first.

    A cell's merit is the probability that it is safe times its forced-guess factor: by cell in
    `factors`, and `factor` for all others.
    """
    merits = {}
    for cells, found in solution.undecided:
        safety = 1.0 - found / solution.layouts
        for cell in indices(cells):
            merits[cell] = safety * factors.get(cell, factor)
    eligible = _without_equivalent(view, sorted(merits), set(factors))
    best = max(merits[cell] for cell in eligible)
    near_best = [cell for cell in eligible if merits[cell] >= settings.candidate_ratio * best]
    # With few hidden neighbours a number is about few cells, so it says more about each.
    near_best.sort(key=lambda cell: (-round(merits[cell] / CLOSE), hidden_neighbours(view, cell)))
    return near_best[:max_candidates]


def _without_equivalent(
    view: View, cells: list[CellIndex], in_pair: set[CellIndex]
) -> list[CellIndex]:
    """Keeps one corner, one side and one inner cell of those far from every open cell.

    Such cells are equivalent: their outcomes are alike, unless they belong to a possible 50/50.
    """
    near, hidden, opened = view.geometry.near, view.hidden, view.opened
    kept, seen = [], set()
    next_to_open = 0
    for cell in indices(opened):
        next_to_open |= near[cell]
    for cell in cells:
        far = not (near[cell] | 1 << cell) & (next_to_open | opened)
        kind = (near[cell] & hidden).bit_count()
        if far and cell not in in_pair and kind in (CORNER, SIDE, INNER):
            if kind in seen:
                continue
            seen.add(kind)
        kept.append(cell)
    return kept


def _evaluate_all(
    view: View,
    solution: Solution,
    counter: Counter,
    cells: list[CellIndex],
    factor: float,
    factors: dict[CellIndex, float],
    settings: LookaheadSettings,
    margin: float,
    also: Sequence[CellIndex] = (),
    solved: Afterstates | None = None,
) -> list[Evaluated]:
    """Evaluates cells one number ahead, without those behind the best by more than `margin`.

    Those of `also` are not left out. The afterstates are noted in `solved`.
    """
    evaluated, highest = [], 0.0
    for cell in cells:
        own, weight = factors.get(cell, factor), settings.second_weight
        goal = NO_GOAL if cell in also else highest - margin
        one = evaluate(view, solution, counter, cell, own, weight, goal, solved)
        if one is not None:
            evaluated.append(one)
            highest = max(highest, one.value)
    return evaluated


def _refine(
    view: View,
    solution: Solution,
    counter: Counter,
    evaluated: list[Evaluated],
    settings: LookaheadSettings,
    only_best: bool,
    also: Sequence[CellIndex],
    solved: Afterstates,
) -> dict[CellIndex, float]:
    """Evaluates the best candidates one number deeper, if they are close, and those of `also`.

    Returns their values; with `only_best` those of `also`, and of others that may be the best.
    """
    ranks = {one.cell: round(one.value / CLOSE) for one in evaluated}
    ranked = sorted(evaluated, key=lambda one: -ranks[one.cell])
    least = ranks[ranked[0].cell] - round(settings.refined_margin / CLOSE)
    close = [one for one in ranked[: settings.refined] if ranks[one.cell] >= least]
    close += [one for one in ranked if one.cell in also and one not in close]
    deeper, highest = {}, 0.0
    for one in close:
        goal = highest - EQUAL if only_best and one.cell not in also else NO_GOAL
        value = _value_deeper(view, solution, counter, one, settings, goal, solved)
        if value is not None:
            deeper[one.cell] = value
            highest = max(highest, value)
    return deeper


def _behind_refined(evaluated: list[Evaluated], deeper: dict[CellIndex, float]) -> list[Evaluated]:
    """Gives candidates their values one number deeper, if any were found.

    All others stay behind the best of them, and their values are changed in proportion to that of
    the candidate that was the best by one number.
    """
    if not deeper:
        return evaluated
    first = min(evaluated, key=lambda one: -round(one.value / CLOSE))
    scale = deeper[first.cell] / first.value
    behind = max(deeper.values()) - 2 * EQUAL
    return [
        replace(one, value=deeper.get(one.cell, min(scale * one.value, behind)))
        for one in evaluated
    ]


def _value_deeper(
    view: View,
    solution: Solution,
    counter: Counter,
    one: Evaluated,
    settings: LookaheadSettings,
    goal: float,
    solved: Afterstates,
) -> float | None:
    """Returns the expected value of a candidate by the best candidate of each afterstate.

    None if it must be below `goal`. Where an afterstate has a safe cell that is useful, or nothing
    is uncertain, its value is that of its two safest cells. An afterstate beyond the budget counts
    as the others do on average. Those in `solved` are not solved again.
    """
    waiting = []
    most = one.safety
    """What the value is at most, but for the factor: of what is not known, all is won."""
    for number in _number_range(view, solution, one.cell):
        try:
            after, found = _solve_after(view, solution, counter, one.cell, number, solved)
        except OverBudgetError:
            continue
        if found is not None:
            probability = found.layouts / solution.layouts
            highest = _highest_value(found)
            waiting.append((probability, highest, after, found))
            most -= probability * (1.0 - highest)
    # The likeliest first: they tell soonest that the goal is out of reach.
    waiting.sort(key=lambda item: -item[0])
    known = value = 0.0
    for probability, highest, after, found in waiting:
        if most * one.factor + SLACK < goal:
            return None
        try:
            own = _best_value(after, found, counter, settings)
        except OverBudgetError:
            most += probability * (1.0 - highest)
            continue
        known += probability
        value += probability * own
        most -= probability * (highest - own)
    return (value / known if known else 1.0) * one.safety * one.factor


def _highest_value(solution: Solution) -> float:
    """Returns an upper bound of what an afterstate is worth: its safest cell has to survive."""
    if solution.safe or not solution.undecided:
        return 1.0
    return 1.0 - min(found for _, found in solution.undecided) / solution.layouts


def _best_value(
    view: View, solution: Solution, counter: Counter, settings: LookaheadSettings
) -> float:
    """Returns the highest expected value of an afterstate's candidates."""
    if not solution.uncertain:
        return 1.0
    if least_risks(view, solution)[0] == 0:
        return two_safest(view, solution, settings.second_weight)
    view = view.reading(solution.uncertain)
    cells = candidates(view, solution, 1.0, {}, settings, settings.deeper_candidates)
    evaluated = _evaluate_all(view, solution, counter, cells, 1.0, {}, settings, EQUAL)
    return max(one.value for one in evaluated)


def _number_range(view: View, solution: Solution, cell: CellIndex) -> range:
    """Returns the numbers that a cell may show, judging by its neighbours."""
    near = view.geometry.near[cell]
    return range((near & solution.mines).bit_count(), (near & view.hidden).bit_count() + 1)


def _solve_after(
    view: View,
    solution: Solution,
    counter: Counter,
    cell: CellIndex,
    number: int,
    solved: Afterstates | None,
) -> tuple[View, Solution | None]:
    """Solves the afterstate of a cell that shows a number, or finds it in `solved`.

    Raises `OverBudgetError` if there are too many states.
    """
    key = (cell, number)
    if solved is not None and key in solved:
        return solved[key]
    after = view.after(cell, number)
    found = after, counter.solve(after, solution.mines, solution.safe)
    if solved is not None:
        solved[key] = found
    return found


def evaluate(
    view: View,
    solution: Solution,
    counter: Counter,
    cell: CellIndex,
    factor: float,
    second_weight: float,
    goal: float,
    solved: Afterstates | None = None,
) -> Evaluated | None:
    """Evaluates every number that a cell may show; None if its value must be below `goal`.

    An afterstate beyond the budget counts as the others do on average; if all are, the value is
    that of staying alive. Afterstates are noted in `solved`, if it is given.
    """
    safety = 1.0 - solution.risk(cell)
    layouts = progress = 0
    value = known = 0.0
    for number in _number_range(view, solution, cell):
        # All that is not known yet may have a value of 1, within a rounding error.
        if (value + max(safety - known, 0.0)) * factor + SLACK < goal:
            return None
        try:
            after, found = _solve_after(view, solution, counter, cell, number, solved)
        except OverBudgetError:
            continue
        if found is not None:
            layouts += found.layouts
            progress += found.layouts if found.safe else 0
            known = layouts / solution.layouts
            value += found.layouts / solution.layouts * two_safest(after, found, second_weight)
    return Evaluated(
        cell=cell,
        safety=safety,
        progress=progress / layouts if layouts else 0.0,
        factor=factor,
        value=(value / known if layouts else 1.0) * safety * factor,
    )
