"""How a board is solved without a guess: by the simplest rule first, as a person does.

Steps that only find mines that no later step uses are left out in the end.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from jaxsweep.puzzles.certificate import Step, Tier
from jaxsweep.puzzles.few_numbers import Stuck
from jaxsweep.rules.board import Cell, Mask
from jaxsweep.rules.grid import HIDDEN
from jaxsweep.scalar.counting import Constraint, OverBudgetError
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.geometry import CellIndex, CellSet, from_mask, geometry, indices, union
from jaxsweep.scalar.view import View

REACH = 2
"""Numbers that share neighbours are at most so many rows and columns apart."""


@dataclass(frozen=True)
class Proof:
    """Deductions from the first cell on, and how far they lead."""

    steps: tuple[Step, ...]
    solved: bool
    opened: CellSet
    """The cells that are open in the end."""
    known_mines: CellSet
    """The mines that are certain in the end, by rules up to the hardest allowed."""
    beyond: bool = False
    """Whether exact counting, at the end, took more states than allowed."""

    @property
    def hardest(self) -> Tier:
        """The hardest rule of the steps; the first where there are none."""
        return max((step.tier for step in self.steps), default=Tier.SINGLE)


def prove(mines: Mask, first: Cell, hardest: Tier = Tier.EXACT) -> Proof:
    """Solves a board from its first cell by rules up to `hardest`, as far as that leads."""
    row, col = first
    solving = _Solving(mines)
    if mines[row, col]:
        return Proof((), False, 0, 0)
    beyond = False
    solving.open_first(row * mines.shape[1] + col)
    try:
        while not solving.is_solved and solving.step(hardest):
            pass
    except OverBudgetError:
        beyond = True
    opened, known = solving.opened, solving.known
    steps = solving.needed_steps()
    return Proof(steps, solving.is_solved, opened, known, beyond)


def flood_fills(mines: Mask) -> Iterator[tuple[Cell, CellSet]]:
    """Yields each safe cell, and the cells that are open after it was the first."""
    solving = _Solving(mines)
    for cell in indices(geometry(*mines.shape).all_cells & ~from_mask(mines)):
        solving.open_first(cell)
        yield divmod(cell, mines.shape[1]), solving.opened


class _Deduction(NamedTuple):
    """A step, as it was found."""

    tier: Tier
    numbers: Sequence[CellIndex]
    mine_count: bool
    hidden: CellSet
    """The cells of which nothing was known then."""
    known: CellSet
    """The mines that were known then."""
    safe: CellSet
    mines: CellSet
    spare: "_Spare | None"
    """Returns those of its numbers that prove its safe cells and some of its mines; None if that
    takes all of them."""


_Spare = Callable[[CellSet], Sequence[CellIndex]]


@lru_cache(maxsize=8)
def _within(distance: int, rows: int, cols: int) -> list[list[CellIndex]]:
    """Returns, for each cell, those at most so many rows and columns apart, and itself."""
    found = []
    for row in range(rows):
        lines = range(max(row - distance, 0), min(row + distance + 1, rows))
        for col in range(cols):
            across = range(max(col - distance, 0), min(col + distance + 1, cols))
            found.append([line * cols + there for line in lines for there in across])
    return found


class _Solving:
    """A board that is being solved."""

    def __init__(self, mines: Mask):
        self._geometry = geometry(*mines.shape)
        self._mines = from_mask(mines)
        self._near = self._geometry.near
        self._numbers = [(near & self._mines).bit_count() for near in self._near]
        self._deductions: list[_Deduction] = []
        self._counter = Counter()
        self._begin()

    def _begin(self) -> None:
        """Hides every cell again."""
        self.opened: CellSet = 0
        self.known: CellSet = 0
        self._hidden = self._geometry.all_cells
        """Cells of which nothing is known."""
        self._is_open = [False] * len(self._near)
        self._waiting: deque[CellIndex] = deque()
        """Numbers to which the single-cell rules may apply."""
        self._newly_open: list[CellIndex] = []
        self._frontier: dict[CellIndex, Constraint] = {}
        """The constraints of numbers with hidden cells around them, when they were last listed."""
        self._pairs: dict[CellIndex, tuple[int, CellIndex]] = {}
        """Of the numbers that another one helps to decide cells: how many cells there are around
        both, and the other; of several others, the one with fewest cells."""

    @property
    def is_solved(self) -> bool:
        """Whether every safe cell is open."""
        return self.opened | self._mines == self._geometry.all_cells

    def open_first(self, cell: CellIndex) -> None:
        """Opens a first cell, with everything else hidden."""
        self._begin()
        self._open(1 << cell)

    def _open(self, cells: CellSet) -> None:
        """Opens safe cells, with the flood fill around zeros."""
        near, numbers, is_open = self._near, self._numbers, self._is_open
        around = _within(1, self._geometry.rows, self._geometry.cols)
        opened, waiting = self.opened, cells & ~self.opened
        while waiting:
            lowest = waiting & -waiting
            cell = lowest.bit_length() - 1
            opened |= lowest
            waiting ^= lowest
            is_open[cell] = True
            if numbers[cell] == 0:
                waiting |= near[cell] & ~opened
            else:
                self._newly_open.append(cell)
            # Its number, and numbers that lose a hidden neighbour.
            self._waiting.extend([other for other in around[cell] if is_open[other]])
        self.opened = opened
        self._hidden &= ~opened

    def step(self, hardest: Tier) -> bool:
        """Makes the next deduction, by the simplest rule that finds one; returns whether one does.

        Raises `OverBudgetError`.
        """
        if self._single():
            return True
        if hardest >= Tier.PAIR and self._pair():
            return True
        if hardest >= Tier.COUNT and self.known == self._mines:
            self._conclude(self._deduced(Tier.COUNT, [], self._hidden, mine_count=True))
            return True
        return hardest >= Tier.EXACT and self._exact()

    def _conclude(self, found: "_Deduction") -> None:
        """Notes a deduction, and does what follows from it."""
        self._deductions.append(found)
        if found.mines:
            self._mark(found.mines)
        self._open(found.safe)

    def _mark(self, mines: CellSet) -> None:
        """Notes that cells are mines."""
        self.known |= mines
        self._hidden &= ~mines
        around, is_open = _within(1, self._geometry.rows, self._geometry.cols), self._is_open
        for mine in indices(mines):
            self._waiting.extend([other for other in around[mine] if is_open[other]])

    def _deduced(
        self,
        tier: Tier,
        numbers: Sequence[CellIndex],
        safe: CellSet,
        mines: CellSet = 0,
        mine_count: bool = False,
        spare: "_Spare | None" = None,
    ) -> "_Deduction":
        return _Deduction(tier, numbers, mine_count, self._hidden, self.known, safe, mines, spare)

    def _constraint(self, number: CellIndex) -> Constraint:
        """Returns the hidden cells around a number, and how many of them are mines."""
        near = self._near[number]
        return near & self._hidden, self._numbers[number] - (near & self.known).bit_count()

    def _single(self) -> bool:
        """Finds a number that decides its hidden cells alone."""
        near, hidden, waiting = self._near, self._hidden, self._waiting
        while waiting:
            number = waiting.popleft()
            cells = near[number] & hidden
            if cells:
                residual = self._numbers[number] - (near[number] & self.known).bit_count()
                if residual == 0 or residual == cells.bit_count():
                    safe, mines = (0, cells) if residual else (cells, 0)
                    self._conclude(self._deduced(Tier.SINGLE, [number], safe, mines))
                    return True
        return False

    def _list_frontier(self) -> None:
        """Lists the constraints of all open numbers with hidden cells around them."""
        numbers = sorted([*self._frontier, *self._newly_open])
        self._newly_open.clear()
        constraints = [(number, self._constraint(number)) for number in numbers]
        self._frontier = {number: found for number, found in constraints if found[0]}

    def _pair(self) -> bool:
        """Finds the pair of numbers with fewest cells around that decides some of them."""
        before = self._frontier
        self._list_frontier()
        frontier = self._frontier
        reach = _within(REACH, self._geometry.rows, self._geometry.cols)
        numbers = before.keys() | frontier.keys()
        changed = [number for number in numbers if before.get(number) != frontier.get(number)]
        for one in {near for number in changed for near in reach[number]}:
            found = self._best_pair(one, reach[one]) if one in frontier else None
            if found is not None:
                self._pairs[one] = found
            else:
                self._pairs.pop(one, None)
        if not self._pairs:
            return False
        _, one, other = min((size, one, other) for one, (size, other) in self._pairs.items())
        cells, theirs = frontier[one][0], frontier[other][0]
        self._conclude(self._deduced(Tier.PAIR, [one, other], cells & ~theirs, theirs & ~cells))
        return True

    def _best_pair(self, one: CellIndex, near: Sequence[CellIndex]) -> tuple[int, CellIndex] | None:
        """Finds another number whose safe cells and this one's mines fill what they share.

        Returns how many cells there are around both, and the number with fewest; None if there is
        none.
        """
        cells, residual = self._frontier[one]
        best = None
        for other in near:
            there = self._frontier.get(other)
            if there is None:
                continue
            theirs, mines_there = there
            shared = (cells & theirs).bit_count()
            if shared and residual - mines_there == shared - theirs.bit_count() and cells != theirs:
                size = (cells | theirs).bit_count()
                if best is None or size < best[0]:
                    best = size, other
        return best

    def _exact(self) -> bool:
        """Finds cells that are certain over all layouts, and few numbers that prove them."""
        cells, hidden = range(len(self._numbers)), self._hidden
        seen = tuple(self._numbers[i] if self.opened >> i & 1 else HIDDEN for i in cells)
        total = self._mines.bit_count()
        view = View(self._geometry, seen, hidden | self.known, total)
        solution = self._counter.solve(view, self.known)
        assert solution is not None, "the board itself is a layout"
        if not solution.safe:
            self._mark(solution.mines)
            return False
        by_number = self._frontier  # As the search for pairs listed it.
        # Numbers around the same cells say the same.
        numbers = list({constraint: number for number, constraint in by_number.items()}.values())
        constraints = [by_number[number] for number in numbers]
        mines = solution.mines & ~self.known
        left = total - self.known.bit_count()
        stuck = Stuck(constraints, hidden, left, solution.safe, mines)
        proof = stuck.proof()
        used = [numbers[i] for i in proof.constraints]

        def spare(mines: CellSet) -> list[CellIndex]:
            return [numbers[i] for i in stuck.spare(proof, mines).constraints]

        found = self._deduced(Tier.EXACT, used, proof.safe, proof.mines, proof.mine_count, spare)
        self._conclude(found)
        return True

    def needed_steps(self) -> tuple[Step, ...]:
        """Returns the steps, without mines that no later step uses."""
        kept, needed, near = [], 0, self._near
        for one in reversed(self._deductions):
            mines = one.mines & needed
            if not one.safe | mines:
                continue
            numbers = one.numbers
            if one.spare is not None and mines != one.mines:
                numbers = one.spare(mines)
            around = near[numbers[0]] if len(numbers) == 1 else union(near[i] for i in numbers)
            # What must be known for it: the mines around its numbers, or all.
            needed |= one.known if one.mine_count else one.known & around
            held = (around & one.hidden).bit_count()
            said = [self._cells(found) for found in (one.safe, mines)]
            where = tuple([divmod(number, self._geometry.cols) for number in numbers])
            kept.append(Step(one.tier, where, one.mine_count, held, *said))
        return tuple(reversed(kept))

    def _cells(self, cells: CellSet) -> tuple[Cell, ...]:
        """Lists a set of cells as rows and columns."""
        cols = self._geometry.cols
        return tuple([divmod(cell, cols) for cell in indices(cells)])
