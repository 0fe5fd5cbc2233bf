"""What the simpler rules solve, in sets of cells: whether a board needs the hardest of its rules.

This belongs to the checker of certificates, and shares no code with what makes them.
"""

from collections.abc import Iterable

from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.checker import CheckedBoard
from jaxsweep.rules.board import Cell

Learnt = tuple[set[Cell] | frozenset[Cell], set[Cell] | frozenset[Cell]]
"""Cells that are safe, and cells that are mines."""


def solves(rows: int, cols: int, mines: Iterable[Cell], first: Cell, hardest: Tier) -> bool:
    """Whether the rules up to `hardest` solve a board from its first cell; assumes no `EXACT`.

    Raises `CertificateError` if the first cell is a mine.
    """
    board = CheckedBoard(rows, cols, mines, first)
    # Open numbers that may say something new, alone and with another one.
    alone, with_another = set(board.opened), set(board.opened)
    while alone or (with_another and hardest > Tier.SINGLE):
        numbers = alone or with_another
        number = next(iter(numbers))
        safe, found = (_alone if alone else _with_another)(board, number)
        if not safe and not found:
            numbers.remove(number)
            continue
        changed = set[Cell]()
        for cell in board.learn(safe, found):
            changed |= (board.around[cell] | {cell}) & board.opened
        alone |= changed
        with_another |= changed
    all_found = hardest >= Tier.COUNT and board.marked == board.mines
    return all_found or len(board.opened) + len(board.mines) == len(board.around)


def _alone(board: CheckedBoard, number: Cell) -> Learnt:
    """What one number proves."""
    cells, left = board.need(number)
    if left == 0:
        return cells, set()
    return set(), cells if left == len(cells) else set()


def _with_another(board: CheckedBoard, number: Cell) -> Learnt:
    """What a number proves with one other.

    Where a number needs as many mines more than another as it has cells of its own, all of these
    are mines, and no cell that only the other one has.
    """
    cells, left = board.need(number)
    near = {other for cell in cells for other in board.around[cell]} & board.opened
    for other in near - {number}:
        theirs, there = board.need(other)
        for more, one, two in ((left - there, cells, theirs), (there - left, theirs, cells)):
            mines, safe = one - two, two - one
            if more == len(mines) and (mines or safe):
                return safe, mines
    return set(), set()
