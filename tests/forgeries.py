"""Steps of a certificate that were altered, so that a checker must refuse them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random

from jaxsweep.puzzles.certificate import Step, Tier
from jaxsweep.puzzles.checker import CheckedBoard
from jaxsweep.rules.board import Cell

Alteration = Callable[[Step, CheckedBoard, Random], Step | None]
"""Alters a step; None where that makes no sense. The board is that before the step."""


def forged(step: Step, board: CheckedBoard, random: Random) -> Step:
    """A step altered in one of all ways, at random."""
    while True:
        found = random.choice(ALTERATIONS)(step, board, random)
        if found is not None:
            return found


def forged_steps(step: Step, board: CheckedBoard, random: Random) -> dict[str, Step]:
    """A step altered in every way that makes sense for it, by the names of the functions."""
    found = {alter.__name__: alter(step, board, random) for alter in ALTERATIONS}
    return {name: other for name, other in found.items() if other is not None}


def pick(cells: Iterable[Cell], random: Random) -> Cell:
    """One of some cells."""
    return random.choice(sorted(cells))


def with_numbers(step: Step, numbers: tuple[Cell, ...], board: CheckedBoard) -> Step:
    """A step with other numbers, which states rightly how many hidden cells are around them."""
    held = set[Cell]().union(*(board.around[number] for number in numbers))
    return replace(step, numbers=numbers, cells=len(held & board.hidden))


def without_one(cells: tuple[Cell, ...], random: Random) -> tuple[Cell, ...]:
    """All of some cells but one."""
    place = random.randrange(len(cells))
    return cells[:place] + cells[place + 1 :]


# What it concludes.


def _opposite(step: Step, _: CheckedBoard, __: Random) -> Step:
    return replace(step, safe=step.mines, mines=step.safe)


def _nothing(step: Step, _: CheckedBoard, __: Random) -> Step:
    return replace(step, safe=(), mines=())


def _cells_twice(step: Step, _: CheckedBoard, __: Random) -> Step:
    return replace(step, safe=step.safe * 2, mines=step.mines * 2)


def _mine_called_safe(step: Step, board: CheckedBoard, random: Random) -> Step:
    return replace(step, safe=(*step.safe, pick(board.mines, random)))


def _safe_cell_called_a_mine(step: Step, _: CheckedBoard, random: Random) -> Step | None:
    if not step.safe:
        return None
    safe = without_one(step.safe, random)
    return replace(step, safe=safe, mines=(*step.mines, *(set(step.safe) - set(safe))))


def _safe_cell_left_out(step: Step, _: CheckedBoard, random: Random) -> Step | None:
    return replace(step, safe=without_one(step.safe, random)) if step.safe else None


def _safe_cell_more(step: Step, board: CheckedBoard, random: Random) -> Step | None:
    more = board.hidden - board.mines - set(step.safe)
    return replace(step, safe=(*step.safe, pick(more, random))) if more else None


def _open_cell(step: Step, board: CheckedBoard, random: Random) -> Step:
    return replace(step, safe=(*step.safe, pick(board.opened, random)))


def _known_mine(step: Step, board: CheckedBoard, random: Random) -> Step | None:
    if not board.marked:
        return None
    return replace(step, mines=(*step.mines, pick(board.marked, random)))


def _cell_off_the_board(step: Step, _: CheckedBoard, __: Random) -> Step:
    return replace(step, safe=(*step.safe, (99, 99)))


# What it rests on.


def _number_less(step: Step, board: CheckedBoard, random: Random) -> Step | None:
    return with_numbers(step, without_one(step.numbers, random), board) if step.numbers else None


def _number_more(step: Step, board: CheckedBoard, random: Random) -> Step | None:
    """With one more near those that it has, or near its cells."""
    near = set().union(*(board.around[cell] for cell in (*step.numbers, *step.safe, *step.mines)))
    near &= board.opened - set(step.numbers)
    return with_numbers(step, (*step.numbers, pick(near, random)), board) if near else None


def _number_twice(step: Step, _: CheckedBoard, random: Random) -> Step | None:
    if not step.numbers:
        return None
    return replace(step, numbers=(*step.numbers, random.choice(step.numbers)))


def _number_before_it_is_open(step: Step, board: CheckedBoard, random: Random) -> Step:
    hidden = pick(board.hidden, random)
    return with_numbers(step, (*step.numbers[:-1], hidden), board)


def _number_off_the_board(step: Step, _: CheckedBoard, __: Random) -> Step:
    return replace(step, numbers=(*step.numbers[:-1], (-1, 0)))


def _other_rule(step: Step, _: CheckedBoard, random: Random) -> Step:
    """With and without the mine count."""
    tier = random.choice([tier for tier in Tier if tier is not step.tier])
    return replace(step, tier=tier, mine_count=random.random() < 0.5)


def _other_mine_count(step: Step, _: CheckedBoard, __: Random) -> Step:
    return replace(step, mine_count=not step.mine_count)


def _other_number_of_cells(step: Step, _: CheckedBoard, random: Random) -> Step:
    return replace(step, cells=step.cells + random.choice((-1, 1)))


ALTERATIONS: tuple[Alteration, ...] = (
    _opposite,
    _nothing,
    _cells_twice,
    _mine_called_safe,
    _safe_cell_called_a_mine,
    _safe_cell_left_out,
    _safe_cell_more,
    _open_cell,
    _known_mine,
    _cell_off_the_board,
    _number_less,
    _number_more,
    _number_twice,
    _number_before_it_is_open,
    _number_off_the_board,
    _other_rule,
    _other_mine_count,
    _other_number_of_cells,
)
