"""Steps of a certificate that were altered, so that a checker must refuse them."""

from dataclasses import replace

from jaxsweep.puzzles.certificate import Step, Tier
from jaxsweep.puzzles.checker import CheckedBoard


def forged_steps(step: Step, board: CheckedBoard) -> dict[str, Step]:
    """A step, altered in every way that must be noticed; the board is that before the step."""
    mine, hidden = min(board.mines), board.hidden
    forged = {
        "the opposite": replace(step, safe=step.mines, mines=step.safe),
        "a mine called safe": replace(step, safe=(*step.safe, mine)),
        "nothing": replace(step, safe=(), mines=()),
        "a cell twice": replace(step, safe=step.safe * 2, mines=step.mines * 2),
        "more cells held": replace(step, cells=step.cells + 1),
        "fewer cells held": replace(step, cells=step.cells - 1),
        "off the board": replace(step, safe=(*step.safe, (99, 99))),
        "a number off the board": replace(step, numbers=(*step.numbers[:-1], (-1, 0))),
        "before it is open": replace(step, numbers=(*step.numbers[:-1], mine)),
        "an open cell opened": replace(step, safe=(*step.safe, min(board.opened))),
        "the other count": replace(step, mine_count=not step.mine_count),
    }
    if board.marked:
        forged["a known mine found"] = replace(step, mines=(*step.mines, min(board.marked)))
    for tier in set(Tier) - {step.tier}:
        for mine_count in (False, True):
            name = f"{tier.word}, {'with' if mine_count else 'without'} the mine count"
            forged[name] = replace(step, tier=tier, mine_count=mine_count)
    if step.safe:
        safe = step.safe[1:]
        forged["a mine instead"] = replace(step, safe=safe, mines=(*step.mines, step.safe[0]))
        forged["a safe cell left out"] = replace(step, safe=safe)
    if more := sorted(hidden - board.mines - set(step.safe)):
        forged["a safe cell more"] = replace(step, safe=(*step.safe, more[0]))
    for place, number in enumerate(step.numbers):
        fewer = step.numbers[:place] + step.numbers[place + 1 :]
        forged[f"without number {place}"] = with_numbers(step, fewer, board)
        forged[f"number {place} twice"] = replace(step, numbers=(*step.numbers, number))
    others = {number for cell in hidden for number in board.around[cell] & board.opened}
    for number in sorted(others - set(step.numbers))[:3]:
        forged[f"{number}, too"] = with_numbers(step, (*step.numbers, number), board)
    return forged


def with_numbers(step: Step, numbers: tuple[tuple[int, int], ...], board: CheckedBoard) -> Step:
    """A step with other numbers, which states rightly how many hidden cells are around them."""
    held = set[tuple[int, int]]().union(*(board.around[number] for number in numbers))
    return replace(step, numbers=numbers, cells=len(held & board.hidden))
