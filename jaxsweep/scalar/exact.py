"""Exact inference about one position with Python integers: nothing is compiled, nothing rounded.

The single-cell rules reduce the position, its components are counted one by one (`counting`), and
their counts by number of mines are joined with those of the unconstrained cells. Components are
memoised by their constraints: positions that differ in one cell share all components but one or
two, so that the afterstates of a look-ahead cost little.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, log
from typing import no_type_check

import numpy as np
from jaxtyping import Bool

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.rules.notation import GridPosition
from jaxsweep.scalar.counting import Constraint, CountedComponent, OverBudgetError, count_component
from jaxsweep.scalar.geometry import CellIndex, CellSet, Geometry, indices, union
from jaxsweep.scalar.view import MAX_CELLS, View

MAX_STATES = 300_000
"""The most states of a position. Real ones have hundreds, rarely thousands."""

MEMO_SIZE = 4096
"""Components that a `Counter` remembers before it forgets all of them."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The layouts of a consistent position, and those in which each cell is a mine."""

    geometry: Geometry
    layouts: int
    """The number of consistent layouts."""
    safe: CellSet
    """Hidden cells that are a mine in no layout."""
    mines: CellSet
    """Hidden cells that are a mine in every layout."""
    undecided: tuple[tuple[CellSet, int], ...]
    """Sets of cells that are not certain, with the layouts in which a cell of the set is a mine."""

    @property
    def uncertain(self) -> CellSet:
        """Hidden cells that are neither certainly safe nor certain mines."""
        return union(cells for cells, _ in self.undecided)

    def mine_layouts(self, cell: CellIndex) -> int:
        """Returns in how many layouts a hidden cell is a mine."""
        if self.mines >> cell & 1:
            return self.layouts
        return next((found for cells, found in self.undecided if cells >> cell & 1), 0)

    def mine_probability(self, cell: CellIndex) -> Fraction:
        """Returns the exact mine probability of a hidden cell."""
        return Fraction(self.mine_layouts(cell), self.layouts)

    def risk(self, cell: CellIndex) -> float:
        """Returns the mine probability of a hidden cell as the nearest floating-point number."""
        return self.mine_layouts(cell) / self.layouts

    @cached_property
    def beliefs(self) -> Beliefs:
        """The solution as beliefs about one position, on the host."""
        shape = (self.geometry.rows, self.geometry.cols)
        probability = np.zeros(shape[0] * shape[1], np.float32)
        places, values = [], []
        for cells, mine_layouts in self.undecided:
            own = indices(cells)
            places += own
            values += [mine_layouts / self.layouts] * len(own)
        probability[places] = values
        mines = self.geometry.to_mask(self.mines)
        probability = probability.reshape(shape)
        probability[mines] = 1.0
        return Beliefs(
            mine_probability=probability,
            error=np.zeros(shape, np.float32),
            safe=self.geometry.to_mask(self.safe),
            mines=mines,
            log_layouts=np.float64(log(self.layouts)),
            status=np.int32(Status.EXACT),
        )


class Counter:
    """Solves positions, and remembers the components that it has counted."""

    def __init__(self, max_states: int = MAX_STATES):
        self._max_states = max_states
        self._memo: dict[tuple[Constraint, ...], CountedComponent] = {}
        self._last: tuple[View, Solution | None] | None = None

    def solved(self, view: View) -> tuple[View, Solution | None]:
        """Returns a view of the same position, and its solution; None if it has no layout.

        The last one is remembered, with what it has cached: one after the other ask about it for
        its odds, the best cell, and what a cell would show. Raises as `solve`.
        """
        last = self._last
        if last is None or not last[0].shows_the_same(view):
            last = self._last = view, self.solve(view)
        return last

    @no_type_check
    def solve(
        self, view: View, known_mines: CellSet = 0, known_safe: CellSet = 0
    ) -> Solution | None:
        """Counts the layouts in which the `known_mines` are mines; None if there is none.

        Of the cells of `known_safe`, those that are hidden are known to be safe.

        Raises `OverBudgetError` if there are too many states.
        """
        counted = self._count_all(view, known_mines, known_safe)
        return None if counted is None else _join(view, *counted)

    def mine_range(self, view: View) -> tuple[int, int] | None:
        """Returns the least and the most mines that the numbers allow; None if they allow none.

        Raises `OverBudgetError` if there are too many states.
        """
        counted = self._count_all(view, 0, 0)
        if counted is None:
            return None
        _, mines, components, unconstrained = counted
        least = mines.bit_count() + sum(one.min_mines for one in components)
        spread = sum(len(one.layouts) - 1 for one in components)
        return least, least + spread + unconstrained.bit_count()

    @no_type_check
    def _count_all(self, view, known_mines, known_safe):
        """Reduces a position, and counts its components; None if it is contradictory.

        Returns the certain cells that were found, the components, and the unconstrained cells.
        """
        reduced = reduce(view, known_mines, known_safe)
        if reduced is None:
            return None
        safe, mines, constraints = reduced
        components, left = [], self._max_states
        for own in components_of(constraints):
            counted = self._memo.get(own)
            if counted is None:
                counted = self._count(own, left)
                left -= counted.states
            if not counted.layouts:
                return None
            components.append(counted)
        unconstrained = view.hidden & ~safe & ~mines
        for cells, _ in constraints:
            unconstrained &= ~cells
        return safe, mines, components, unconstrained

    @no_type_check
    def _count(self, constraints, max_states):
        counted = count_component(constraints, max_states)
        if len(self._memo) >= MEMO_SIZE:
            self._memo.clear()
        self._memo[constraints] = counted
        return counted


def infer(position: GridPosition, counter: Counter | None = None) -> tuple[Beliefs, int | None]:
    """Infers exact beliefs about one position, and counts its layouts.

    Over the budget of states, and on boards of more than `MAX_CELLS` cells, the status says so, and
    the count is None.
    """
    if position.grid.size > MAX_CELLS:
        nothing = np.zeros(position.grid.shape, bool)
        return _without_layouts(Status.OVER_CAPACITY, nothing, nothing), None
    return infer_view(View.of(*position), Counter() if counter is None else counter)


def infer_view(view: View, counter: Counter) -> tuple[Beliefs, int | None]:
    """As `infer`, for a view of a board that is small enough."""
    to_mask = view.geometry.to_mask
    try:
        _, solution = counter.solved(view)
    except OverBudgetError:
        reduced = reduce(view, 0)
        assert reduced is not None, "a contradiction is found before components are counted"
        safe, mines, _ = reduced
        return _without_layouts(Status.OVER_CAPACITY, to_mask(safe), to_mask(mines)), None
    if solution is None:
        return _without_layouts(Status.INCONSISTENT, to_mask(0), to_mask(0)), 0
    return solution.beliefs, solution.layouts


def _without_layouts(
    status: Status, safe: Bool[np.ndarray, "rows cols"], mines: Bool[np.ndarray, "rows cols"]
) -> Beliefs:
    """Returns beliefs without probabilities."""
    zero = np.zeros(safe.shape, np.float32)
    return Beliefs(
        mine_probability=zero,
        error=zero.copy(),
        safe=safe,
        mines=mines,
        log_layouts=np.float64(-np.inf),
        status=np.int32(status),
    )


@no_type_check
def reduce(
    view: View, known_mines: CellSet, known_safe: CellSet = 0
) -> tuple[CellSet, CellSet, set[Constraint]] | None:
    """Applies the single-cell rules until they find no more.

    Returns the safe cells, the mines with the known ones, and the constraints on all others; None
    if a number is contradicted.
    """
    near, numbers, hidden = view.geometry.near, view.numbers, view.hidden
    safe, mines = known_safe & hidden, known_mines
    waiting = view.frontier_numbers
    left = []
    changed = True
    while changed:
        changed, left = False, []
        for cell in waiting:
            around = near[cell] & hidden
            residual = numbers[cell] - (around & mines).bit_count()
            cells = around & ~mines & ~safe
            room = cells.bit_count()
            if residual < 0 or residual > room:
                return None
            if not cells:
                continue
            if not residual:
                safe |= cells
                changed = True
            elif residual == room:
                mines |= cells
                changed = True
            else:
                left.append((cell, cells, residual))
        waiting = [cell for cell, _, _ in left]
    return safe, mines, {(cells, residual) for _, cells, residual in left}


@no_type_check
def components_of(constraints: Iterable[Constraint]) -> list[tuple[Constraint, ...]]:
    """Groups constraints that share cells, directly or through others."""
    components = []
    for constraint in constraints:
        union, own, others = constraint[0], [constraint], []
        for cells, members in components:
            if cells & union:
                union |= cells
                own += members
            else:
                others.append((cells, members))
        others.append((union, own))
        components = others
    return [tuple(sorted(own)) for _, own in components]


@no_type_check
def _join(view, safe, mines, components, unconstrained):
    """Joins components and unconstrained cells by the mine count of the whole board."""
    free = unconstrained.bit_count()
    left = view.mines - mines.bit_count() - sum([one.min_mines for one in components])
    if left < 0:
        return None
    # The layouts of all components before each, by the mines they have beyond the least.
    before = [[1]]
    for one in components:
        before.append(_product(before[-1], one.layouts))
    most = len(before[-1])
    # And the ways of all components after each and of the unconstrained cells, by the same.
    after = [[comb(free, left - k) if k <= left else 0 for k in range(most)]]
    for one, earlier in zip(reversed(components), reversed(before[:-1]), strict=True):
        after.append(_sums(one.layouts, after[-1], len(earlier)))
    after.reverse()
    layouts = after[0][0]
    if not layouts:
        return None
    undecided = []
    for i, one in enumerate(components):
        weights = _sums(before[i], after[i + 1], len(one.layouts))
        for tiles in one.tile_sets:
            found = sum([a * b for a, b in zip(tiles.mine_layouts, weights, strict=True)])
            undecided.append((tiles.cells, found))
    if free:
        with_mine = [comb(free - 1, left - k - 1) if k < left else 0 for k in range(most)]
        found = sum([a * b for a, b in zip(before[-1], with_mine, strict=True)])
        undecided.append((unconstrained, found))
    rest = []
    for cells, found in undecided:
        if not found:
            safe |= cells
        elif found == layouts:
            mines |= cells
        else:
            rest.append((cells, found))
    return Solution(view.geometry, layouts, safe, mines, tuple(rest))


@no_type_check
def _sums(counts, ways, size):
    """Returns, for k below `size`, the sum over j of counts[j] · ways[j + k]."""
    return [sum([a * ways[j + k] for j, a in enumerate(counts)]) for k in range(size)]


@no_type_check
def _product(first, second):
    """Multiplies two polynomials, given by their coefficients."""
    if len(second) == 1:
        return [a * second[0] for a in first]
    result = [0] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            result[i + j] += a * b
    return result
