"""How a board is solved without a guess: by the simplest rule first, as a person does.

Steps that only find mines that no later step uses are left out in the end.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

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
    solving.open(1 << row * mines.shape[1] + col)
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
        solving.opened = 0
        solving.open(1 << cell)
        yield divmod(cell, mines.shape[1]), solving.opened


@dataclass(frozen=True)
class _Deduction:
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


class _Solving:
    """A board that is being solved."""

    def __init__(self, mines: Mask):
        self._geometry = geometry(*mines.shape)
        self._mines = from_mask(mines)
        self._near = self._geometry.near
        self._numbers = [(near & self._mines).bit_count() for near in self._near]
        self.opened: CellSet = 0
        self.known: CellSet = 0
        self._deductions: list[_Deduction] = []
        self._waiting: deque[CellIndex] = deque()
        self._counter = Counter()

    @property
    def is_solved(self) -> bool:
        """Whether every safe cell is open."""
        return self.opened | self._mines == self._geometry.all_cells

    @property
    def _hidden(self) -> CellSet:
        """Cells of which nothing is known."""
        return self._geometry.all_cells & ~self.opened & ~self.known

    def open(self, cells: CellSet) -> None:
        """Opens safe cells, with the flood fill around zeros."""
        waiting = cells & ~self.opened
        while waiting:
            cell = (waiting & -waiting).bit_length() - 1
            self.opened |= 1 << cell
            waiting &= waiting - 1
            if self._numbers[cell] == 0:
                waiting |= self._near[cell] & ~self.opened
            # Its number, and numbers that lose a hidden neighbour.
            self._waiting.extend(indices((self._near[cell] & self.opened) | 1 << cell))

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
        self.known |= found.mines
        for mine in indices(found.mines):
            self._waiting.extend(indices(self._near[mine] & self.opened))
        self.open(found.safe)

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
        while self._waiting:
            number = self._waiting.popleft()
            cells, residual = self._constraint(number)
            if cells and residual in (0, cells.bit_count()):
                safe, mines = (0, cells) if residual else (cells, 0)
                self._conclude(self._deduced(Tier.SINGLE, [number], safe, mines))
                return True
        return False

    def _frontier(self) -> dict[CellIndex, Constraint]:
        """Returns the constraints of all open numbers with hidden cells around them."""
        reached = union(self._near[cell] for cell in indices(self._hidden))
        return {number: self._constraint(number) for number in indices(reached & self.opened)}

    def _pair(self) -> bool:
        """Finds the pair of numbers with fewest cells around that decides some of them."""
        cols, frontier = self._geometry.cols, self._frontier()
        best = None
        for one, (cells, residual) in frontier.items():
            row, col = divmod(one, cols)
            for down in range(-REACH, REACH + 1):
                for right in range(max(-REACH, -col), min(REACH, cols - 1 - col) + 1):
                    other = frontier.get((row + down) * cols + col + right)
                    if other is None or not (shared := cells & other[0]).bit_count():
                        continue
                    safe_there = other[0].bit_count() - other[1]
                    if residual + safe_there == shared.bit_count() and cells != other[0]:
                        size = (cells | other[0]).bit_count()
                        if best is None or size < best[0]:
                            second = (row + down) * cols + col + right
                            best = size, one, second, cells & ~other[0], other[0] & ~cells
        if best is None:
            return False
        _, one, other, safe, mines = best
        self._conclude(self._deduced(Tier.PAIR, [one, other], safe, mines))
        return True

    def _exact(self) -> bool:
        """Finds cells that are certain over all layouts, and few numbers that prove them."""
        cells, hidden = range(len(self._numbers)), self._hidden
        seen = tuple(self._numbers[i] if self.opened >> i & 1 else HIDDEN for i in cells)
        total = self._mines.bit_count()
        view = View(self._geometry, seen, hidden | self.known, total)
        solution = self._counter.solve(view, self.known)
        assert solution is not None, "the board itself is a layout"
        if not solution.safe:
            self.known |= solution.mines
            return False
        by_number = self._frontier()
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
        kept, needed, cell = [], 0, self._geometry.cell
        for one in reversed(self._deductions):
            mines = one.mines & needed
            if not one.safe | mines:
                continue
            numbers = one.numbers
            if one.spare is not None and mines != one.mines:
                numbers = one.spare(mines)
            around = union(self._near[number] for number in numbers)
            # What must be known for it: the mines around its numbers, or all.
            needed |= one.known if one.mine_count else one.known & around
            kept.append(
                Step(
                    one.tier,
                    tuple(map(cell, numbers)),
                    one.mine_count,
                    (around & one.hidden).bit_count(),
                    tuple(map(cell, indices(one.safe))),
                    tuple(map(cell, indices(mines))),
                )
            )
        return tuple(reversed(kept))
