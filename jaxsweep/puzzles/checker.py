"""Checks a certificate step by step, in sets of cells: shares no code with what makes certificates.

One number and two numbers are checked by arithmetic, more numbers by going through all layouts of
the cells around them. A step must be true, and no more than it says: whatever its rule, it opens
all the cells that its numbers prove safe, and needs each of these numbers.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from jaxsweep.puzzles.all_layouts import AllLayouts, Need, TooManyLayoutsError, Total
from jaxsweep.puzzles.certificate import CertificateError, Step, Tier
from jaxsweep.rules.board import Cell


def check(
    rows: int, cols: int, mines: Iterable[Cell], first: Cell, steps: Iterable[Step]
) -> dict[Tier, int]:
    """Checks that steps solve a board from its first cell without a guess.

    Returns how many steps there are by rule; raises `CertificateError` with a step that does not
    hold, or that nothing needs.
    """
    board, done = CheckedBoard(rows, cols, mines, first), tuple(steps)
    counts = dict.fromkeys(Tier, 0)
    for number, step in enumerate(done, 1):
        if wrong := board.problem(step):
            raise CertificateError(f"step {number} ({step.tier.word}) does not hold: {wrong}")
        board.conclude(step)
        counts[step.tier] += 1
    left = rows * cols - len(board.mines) - len(board.opened)
    if left:
        raise CertificateError(f"{left} safe cells are not opened in the end")
    if wrong := _unused_mine(board, done):
        raise CertificateError(wrong)
    return counts


class CheckedBoard:
    """A board with its open cells and the mines that are known, step after step.

    Raises `CertificateError` if the first cell is a mine.
    """

    def __init__(self, rows: int, cols: int, mines: Iterable[Cell], first: Cell):
        self.around = neighbourhoods(rows, cols)
        """The neighbours of each cell."""
        self.mines = set(mines)
        self.hidden = set(self.around)
        """Cells of which nothing is known."""
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
        self.learn(step.safe, step.mines)

    def learn(self, safe: Iterable[Cell], mines: Iterable[Cell]) -> set[Cell]:
        """Opens safe cells and marks mines; returns all cells that were hidden until then."""
        self.marked.update(mines)
        self.hidden.difference_update(mines)
        return self.open(set(safe)).union(mines)

    def number(self, cell: Cell) -> int:
        """What a cell shows."""
        return len(self.around[cell] & self.mines)

    def open(self, cells: set[Cell]) -> set[Cell]:
        """Opens cells, with the flood fill; returns all that it opens."""
        opened = set[Cell]()
        while cells:
            opened |= cells
            self.opened |= cells
            zeros = [cell for cell in cells if self.number(cell) == 0]
            cells = {near for cell in zeros for near in self.around[cell]} - self.opened
        self.hidden -= opened
        return opened

    def need(self, cell: Cell) -> Need:
        """The hidden cells around an open number, and how many of them are mines."""
        around = self.around[cell]
        return around & self.hidden, self.number(cell) - len(around & self.marked)


@lru_cache(maxsize=4)
def neighbourhoods(rows: int, cols: int) -> dict[Cell, frozenset[Cell]]:
    """The neighbours of each cell of a board."""
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    return {
        (row, col): frozenset(
            (r, c)
            for r in range(max(row - 1, 0), min(row + 2, rows))
            for c in range(max(col - 1, 0), min(col + 2, cols))
            if (r, c) != (row, col)
        )
        for row, col in cells
    }


def _unused_mine(board: CheckedBoard, steps: Sequence[Step]) -> str | None:
    """What is wrong with the first step, from the end, with a mine that no later step uses."""
    used: set[Cell] = set()
    for number in range(len(steps), 0, -1):
        step = steps[number - 1]
        for cell in step.mines:
            if cell not in used:
                return f"step {number} ({step.tier.word}): no later step uses the mine {cell}"
        used.update(*(board.around[cell] for cell in step.numbers))
        if step.mine_count:
            used |= board.mines
    return None


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
    needs = [board.need(cell) for cell in step.numbers]
    held: frozenset[Cell] = frozenset().union(*(cells for cells, _ in needs))
    if step.cells != len(held):
        return f"there are {len(held)} hidden cells around its numbers, not {step.cells}"
    left = len(board.mines) - len(board.marked)
    if step.tier is Tier.EXACT:
        if step.mine_count and safe and left == 0:
            return "no mine is left: that is a simpler rule"
        total = (hidden, left) if step.mine_count else None
        try:
            return _simpler(step.tier, needs, safe, mines) or _by_layouts(step, needs, total)
        except TooManyLayoutsError:
            return "there are too many layouts of the cells around its numbers to check it"
    if step.tier is Tier.SINGLE:
        sound = len(needs) == 1 and _single(needs[0], safe, mines)
        left_out = held - safe if safe else set()
    elif step.tier is Tier.PAIR:
        sound = len(needs) == 2 and _pair(needs, safe, mines)
        left_out = {cell for cell in held - safe - mines if sound and _pair(needs, {cell}, set())}
    else:
        sound = not needs and not mines and left == 0
        left_out = hidden - safe
    if not sound:
        return "its numbers do not prove its cells"
    if left_out:
        return _leaves_out(min(left_out))
    return _simpler(step.tier, needs, safe, mines) if step.tier is Tier.PAIR else None


def _leaves_out(cell: Cell) -> str:
    return f"it leaves out {cell}, which is safe, too"


def _single(need: Need, safe: set[Cell], mines: set[Cell]) -> bool:
    """Whether one number proves the cells."""
    cells, left = need
    return ((safe <= cells and left == 0) or not safe) and (
        (mines <= cells and left == len(cells)) or not mines
    )


def _pair(needs: list[Need], safe: set[Cell], mines: set[Cell]) -> bool:
    """Whether two numbers prove the cells: for every number of mines in what they share."""
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


def _simpler(tier: Tier, needs: list[Need], safe: set[Cell], mines: set[Cell]) -> str | None:
    """What is wrong with a step of a tier if one of its cells is proved by a simpler one."""
    pairs = []
    if tier is Tier.EXACT:
        pairs = [list(pair) for pair in combinations(needs, 2) if pair[0][0] & pair[1][0]]
    for cell in sorted(safe | mines):
        if any(_single(need, {cell} & safe, {cell} & mines) for need in needs):
            return f"one number proves {cell}: that is a simpler rule"
        if any(_pair(pair, {cell} & safe, {cell} & mines) for pair in pairs):
            return f"two numbers prove {cell}: that is a simpler rule"
    return None


def _by_layouts(step: Step, needs: list[Need], total: Total | None) -> str | None:
    """What is wrong with a step, by all layouts of the cells around its numbers.

    Raises `TooManyLayoutsError`.
    """
    layouts, safe, mines = AllLayouts(), set(step.safe), set(step.mines)
    # Cells next to the same of the numbers are alike, as are all that are next to none of them.
    concluded = [(cell, False) for cell in _kinds(safe, needs)]
    concluded += [(cell, True) for cell in _kinds(mines, needs)]
    for cell, is_mine in concluded:
        if not layouts.prove(needs, total, cell, is_mine):
            return f"there is a layout in which {cell} is {'safe' if is_mine else 'a mine'}"
    for place, number in enumerate(step.numbers):
        rest = needs[:place] + needs[place + 1 :]
        if all(layouts.prove(rest, total, cell, is_mine) for cell, is_mine in concluded):
            return f"it can spare the number {number}"
    if total is not None and all(layouts.prove(needs, None, *one) for one in concluded):
        return "it can spare the mine count"
    there = set[Cell]().union(*(cells for cells, _ in needs)) if total is None else total[0]
    for cell in _kinds(there - safe - mines, needs):
        if layouts.prove(needs, total, cell, is_mine=False):
            return _leaves_out(cell)
    return None


def _kinds(cells: set[Cell], needs: list[Need]) -> list[Cell]:
    """One of each set of cells that are next to the same numbers."""
    return list({tuple(cell in around for around, _ in needs): cell for cell in cells}.values())
