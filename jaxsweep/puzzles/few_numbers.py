"""Few numbers that prove a cell, where neither one number nor two do.

A cell is proved by some numbers if no layout agrees with all of them in which it is the opposite.
Numbers are added from the cell outwards until they prove it, then dropped one by one as long as the
rest still does: none of those that are left can be spared. The number of mines left on the board is
used only where no numbers prove anything without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from jaxsweep.scalar.counting import Constraint, count_component
from jaxsweep.scalar.exact import MAX_STATES, components_of
from jaxsweep.scalar.geometry import CellIndex, CellSet, indices, union

FEWEST = 3
"""Two numbers prove nothing where the pair rule is stuck."""

TRIED = 4
"""With the mine count, so many kinds of cells are tried."""


@dataclass(frozen=True)
class Proven:
    """Cells that are proved by numbers, given by their place in the list of constraints."""

    constraints: tuple[int, ...]
    mine_count: bool
    safe: CellSet
    mines: CellSet


@dataclass(frozen=True)
class Stuck:
    """A position in which simpler rules find nothing: its constraints, and what is certain."""

    constraints: list[Constraint]
    hidden: CellSet
    """Cells of which nothing is known."""
    mines_left: int
    """The mines among them."""
    safe: CellSet
    """Those that are a mine in no layout."""
    mines: CellSet
    """And those that are a mine in all."""

    def proof(self) -> Proven:
        """Returns a proof of certain cells by few numbers; assumes that there are such cells."""
        best: tuple[int, ...] | None = None
        kinds = self._kinds(self.safe | self.mines)
        for cell in kinds:
            found = self._without_count(cell)
            if found is not None and (best is None or self._cost(found) < self._cost(best)):
                best = found
                if len(found) == FEWEST:
                    break
        mine_count = best is None
        if best is None:
            # A safe cell is needed to go on; mines alone may all be known.
            wanted = [cell for cell in kinds if self.safe >> cell & 1] or kinds
            proofs = [self._with_count(cell) for cell in wanted[:TRIED]]
            best = min(proofs, key=self._cost)
        safe = mines = 0
        for cell in kinds:
            if self._is_proved(best, cell, mine_count):
                alike = self._alike(cell)
                safe |= alike & self.safe
                mines |= alike & self.mines
        return Proven(best, mine_count, safe, mines)

    def spare(self, proven: Proven, mines: CellSet) -> Proven:
        """Returns a proof of the safe cells and of these mines alone, by as few of the numbers."""
        wanted = self._kinds(proven.safe | mines)
        needed = self._needed(list(proven.constraints), wanted, proven.mine_count)
        return Proven(needed, proven.mine_count, proven.safe, mines)

    def _kinds(self, cells: CellSet) -> list[CellIndex]:
        """Lists one of each set of cells that are next to the same numbers."""
        kinds, left = [], cells
        while left:
            cell = (left & -left).bit_length() - 1
            kinds.append(cell)
            left &= ~self._alike(cell)
        return kinds

    def _alike(self, cell: CellIndex) -> CellSet:
        """Returns the hidden cells that are next to the same numbers as this one."""
        alike = self.hidden
        for cells, _ in self.constraints:
            alike &= cells if cells >> cell & 1 else ~cells
        return alike

    def _cost(self, chosen: tuple[int, ...]) -> tuple[int, int]:
        """Returns how much there is to hold in mind: numbers, and cells around them."""
        return len(chosen), self._around(chosen).bit_count()

    def _around(self, chosen: Sequence[int]) -> CellSet:
        return union(self.constraints[i][0] for i in chosen)

    def _without_count(self, cell: CellIndex) -> tuple[int, ...] | None:
        """Returns numbers that prove a cell without the mine count; None if none do."""
        chosen = [i for i, (cells, _) in enumerate(self.constraints) if cells >> cell & 1]
        while not self._is_proved(chosen, cell, False):
            around = self._around(chosen)
            more = [
                i
                for i, (cells, _) in enumerate(self.constraints)
                if cells & around and i not in chosen
            ]
            if not more:
                return None
            chosen += more
        return self._needed(chosen, [cell], False)

    def _with_count(self, cell: CellIndex) -> tuple[int, ...]:
        """Returns numbers that prove a cell together with the mine count.

        Whole components are dropped first, in the order of their last constraints.
        """
        chosen = list(range(len(self.constraints)))
        for own in components_of(self.constraints):
            rest = [i for i in chosen if self.constraints[i] not in own]
            if self._is_proved(rest, cell, True):
                chosen = rest
        return self._needed(chosen, [cell], True)

    def _needed(
        self, chosen: list[int], cells: Sequence[CellIndex], mine_count: bool
    ) -> tuple[int, ...]:
        """Drops numbers, the last ones first, as long as the rest proves all these cells."""
        for i in reversed(chosen):
            rest = [other for other in chosen if other != i]
            if all(self._is_proved(rest, cell, mine_count) for cell in cells):
                chosen = rest
        return tuple(sorted(chosen))

    def _is_proved(self, chosen: Sequence[int], cell: CellIndex, mine_count: bool) -> bool:
        """Returns whether no layout agrees with the chosen numbers in which a cell is otherwise."""
        opposite, bit, rest = int(self.safe >> cell & 1), 1 << cell, set()
        for i in chosen:
            cells, residual = self.constraints[i]
            if cells & bit:
                cells, residual = cells & ~bit, residual - opposite
            if not 0 <= residual <= cells.bit_count():
                return True
            if cells:
                rest.add((cells, residual))
        totals = 1
        for own in components_of(rest):
            totals = _sums(totals, _possible_mines(own))
        if not mine_count:
            return not totals
        free = (self.hidden & ~self._around(chosen) & ~bit).bit_count()
        left = self.mines_left - opposite
        return not any(0 <= left - k <= free for k in indices(totals))


@lru_cache(maxsize=4096)
def _possible_mines(component: tuple[Constraint, ...]) -> int:
    """Returns how many mines a component can have: bit k is set if k is possible."""
    counted = count_component(component, MAX_STATES)
    return sum(1 << counted.min_mines + k for k, ways in enumerate(counted.layouts) if ways)


def _sums(first: int, second: int) -> int:
    """Returns the sums of two sets of numbers, as bits."""
    total = 0
    for k in indices(second):
        total |= first << k
    return total
