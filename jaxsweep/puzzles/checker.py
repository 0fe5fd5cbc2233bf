"""Checks a certificate step by step, in sets of cells: shares no code with what makes certificates.

One number and two numbers are checked by arithmetic, more numbers by going through all layouts of
the cells around them.
"""

from collections.abc import Iterable
from itertools import combinations

from jaxsweep.puzzles.certificate import CertificateError, Step, Tier

Cell = tuple[int, int]

Need = tuple[frozenset[Cell], int]
"""Hidden cells around a number, and how many of them are mines."""


def check(
    rows: int, cols: int, mines: Iterable[Cell], first: Cell, steps: Iterable[Step]
) -> dict[Tier, int]:
    """Checks that steps solve a board from its first cell without a guess.

    Returns how many steps there are by rule; raises `CertificateError` with the first step that
    does not hold.
    """
    board = CheckedBoard(rows, cols, mines, first)
    counts = dict.fromkeys(Tier, 0)
    for number, step in enumerate(steps, 1):
        if wrong := board.problem(step):
            raise CertificateError(f"step {number} ({step.tier.word}) does not hold: {wrong}")
        board.conclude(step)
        counts[step.tier] += 1
    left = rows * cols - len(board.mines) - len(board.opened)
    if left:
        raise CertificateError(f"{left} safe cells are not opened in the end")
    return counts


class CheckedBoard:
    """A board with its open cells and the mines that are known, step after step.

    Raises `CertificateError` if the first cell is a mine.
    """

    def __init__(self, rows: int, cols: int, mines: Iterable[Cell], first: Cell):
        self.cells = {(row, col) for row in range(rows) for col in range(cols)}
        self.mines = set(mines)
        self._around: dict[Cell, set[Cell]] = {}
        self.opened: set[Cell] = set()
        self.marked: set[Cell] = set()
        if first in self.mines:
            raise CertificateError(f"the first cell {first} is a mine")
        self.open({first})

    def problem(self, step: Step) -> str | None:
        """What is wrong with a step as the next one, if anything."""
        return _problem(self, step)

    def conclude(self, step: Step) -> None:
        """Marks the mines of a step, and opens its safe cells."""
        self.marked |= set(step.mines)
        self.open(set(step.safe))

    def around(self, cell: Cell) -> set[Cell]:
        """The neighbours of a cell."""
        if cell not in self._around:
            row, col = cell
            window = {(r, c) for r in range(row - 1, row + 2) for c in range(col - 1, col + 2)}
            self._around[cell] = (window - {cell}) & self.cells
        return self._around[cell]

    def number(self, cell: Cell) -> int:
        """What a cell shows."""
        return len(self.around(cell) & self.mines)

    def open(self, cells: set[Cell]) -> None:
        """Opens cells, with the flood fill."""
        while cells:
            self.opened |= cells
            zeros = [cell for cell in cells if self.number(cell) == 0]
            cells = {near for cell in zeros for near in self.around(cell)} - self.opened

    @property
    def hidden(self) -> set[Cell]:
        """Cells of which nothing is known."""
        return self.cells - self.opened - self.marked

    def need(self, cell: Cell) -> Need:
        """The hidden cells around an open number, and how many of them are mines."""
        around = self.around(cell)
        left = self.number(cell) - len(around & self.marked)
        return frozenset(around - self.opened - self.marked), left


def _problem(board: CheckedBoard, step: Step) -> str | None:
    """What is wrong with a step, if anything."""
    safe, mines, hidden = set(step.safe), set(step.mines), board.hidden
    if not safe | mines:
        return "it concludes nothing"
    if len(safe) < len(step.safe) or len(mines) < len(step.mines) or safe & mines:
        return "it names a cell twice"
    for cell in [*step.safe, *step.mines]:
        if cell not in hidden:
            return f"{cell} is not a hidden cell"
    for cell in step.numbers:
        if cell not in board.opened:
            return f"{cell} is not an open cell"
    if len(set(step.numbers)) < len(step.numbers):
        return "it names a number twice"
    if step.mine_count != (step.tier is Tier.COUNT) and step.tier is not Tier.EXACT:
        return "its rule does not go with the mine count that it states"
    held = set().union(*(board.around(cell) for cell in step.numbers)) & hidden
    if step.cells != len(held):
        return f"there are {len(held)} hidden cells around its numbers, not {step.cells}"
    left = len(board.mines) - len(board.marked)
    needs = [board.need(cell) for cell in step.numbers]
    if step.tier is Tier.SINGLE:
        sound = _single(needs, safe, mines)
    elif step.tier is Tier.PAIR:
        sound = _pair(needs, safe, mines)
    elif step.tier is Tier.COUNT:
        sound = not needs and not mines and left == 0
    else:
        count = (hidden, left) if step.mine_count else None
        return _simpler(needs, safe, mines, count) or _by_layouts(needs, safe, mines, count)
    return None if sound else "its numbers do not prove its cells"


def _single(needs: list[Need], safe: set[Cell], mines: set[Cell]) -> bool:
    """Whether one number proves the cells."""
    if len(needs) != 1:
        return False
    ((cells, left),) = needs
    return ((safe <= cells and left == 0) or not safe) and (
        (mines <= cells and left == len(cells)) or not mines
    )


def _pair(needs: list[Need], safe: set[Cell], mines: set[Cell]) -> bool:
    """Whether two numbers prove the cells: for every number of mines in what they share."""
    if len(needs) != 2:
        return False
    (one, left), (other, there) = needs
    parts = (one & other, one - other, other - one)
    if not safe | mines <= parts[0] | parts[1] | parts[2]:
        return False
    for shared in range(len(parts[0]) + 1):
        found = (shared, left - shared, there - shared)
        if all(0 <= k <= len(part) for k, part in zip(found, parts, strict=True)):
            for k, part in zip(found, parts, strict=True):
                if (k and part & safe) or (k < len(part) and part & mines):
                    return False
    return True


def _simpler(
    needs: list[Need], safe: set[Cell], mines: set[Cell], count: tuple[set[Cell], int] | None
) -> str | None:
    """What is wrong with a step by layouts if a simpler rule proves one of its cells."""
    if count is not None and safe and count[1] == 0:
        return "no mine is left: that is a simpler rule"
    pairs = [list(pair) for pair in combinations(needs, 2) if pair[0][0] & pair[1][0]]
    for cell in sorted(safe | mines):
        if any(_single([need], {cell} & safe, {cell} & mines) for need in needs):
            return f"one number proves {cell}: that is a simpler rule"
        if any(_pair(pair, {cell} & safe, {cell} & mines) for pair in pairs):
            return f"two numbers prove {cell}: that is a simpler rule"
    return None


def _by_layouts(
    needs: list[Need], safe: set[Cell], mines: set[Cell], count: tuple[set[Cell], int] | None
) -> str | None:
    """What is wrong with a step, by all layouts of the cells around its numbers.

    `count` are all hidden cells, and how many of them are mines, if the step uses that.
    """
    for cell in sorted(safe | mines):
        is_mine = cell in safe  # The opposite, which must be impossible.
        assumed = [*needs, (frozenset({cell}), int(is_mine))]
        totals = {0}
        used: set[Cell] = set()
        for group in _groups(assumed):
            used |= {other for around, _ in group for other in around}
            own = _possible_totals(group)
            totals = {a + b for a in totals for b in own}
        if count is not None:
            hidden, left = count
            totals = {k for k in totals if 0 <= left - k <= len(hidden - used)}
        if totals:
            other = "a mine" if is_mine else "safe"
            return f"there is a layout in which {cell} is {other}"
    return None


def _groups(needs: list[Need]) -> list[list[Need]]:
    """Groups of numbers that share cells, directly or through others."""
    groups: list[list[Need]] = []
    for need in needs:
        touching = [group for group in groups if any(need[0] & other[0] for other in group)]
        merged = [need, *(other for group in touching for other in group)]
        groups = [group for group in groups if group not in touching] + [merged]
    return groups


def _possible_totals(group: list[Need]) -> set[int]:
    """How many mines the cells of a group can have in all, over its layouts.

    Cells are laid one after the other, from left to right. Of layouts whose numbers need the same
    from there on and that have the same number of mines, one is followed.
    """
    cells = sorted({cell for around, _ in group for cell in around}, key=lambda c: (c[1], c[0]))
    under_way = {(tuple(left for _, left in group), 0)}
    for place, cell in enumerate(cells):
        later = set(cells[place + 1 :])
        after = set()
        for left, total in under_way:
            for mine in (0, 1):
                new = tuple(
                    k - mine if cell in around else k
                    for (around, _), k in zip(group, left, strict=True)
                )
                if all(
                    0 <= k <= len(around & later) for (around, _), k in zip(group, new, strict=True)
                ):
                    after.add((new, total + mine))
        under_way = after
    return {total for left, total in under_way if not any(left)}
