"""Steps of a certificate that were altered, so that a checker must refuse them."""

from collections.abc import Sequence
from dataclasses import replace

from jaxsweep.puzzles.certificate import Step, Tier
from jaxsweep.rules.board import Cell


def forged_steps(step: Step, mines: Sequence[Cell]) -> dict[str, Step]:
    """A step of a board with these mines, altered in every way that must be noticed."""
    forged = {
        "the opposite": replace(step, safe=step.mines, mines=step.safe),
        "a mine called safe": replace(step, safe=(*step.safe, mines[0])),
        "nothing": replace(step, safe=(), mines=()),
        "a cell twice": replace(step, safe=step.safe * 2, mines=step.mines * 2),
        "more cells held": replace(step, cells=step.cells + 1),
        "off the board": replace(step, safe=(*step.safe, (99, 99))),
        "before it is open": replace(step, numbers=(*step.numbers[:-1], mines[0])),
        "another rule": replace(step, tier=Tier((step.tier + 1) % 3)),
        "the other count": replace(step, mine_count=not step.mine_count),
    }
    if step.tier is Tier.EXACT:
        del forged["the other count"]  # The mine count may be used without need.
        if step.mine_count:
            forged["no mine count"] = replace(step, mine_count=False)
    if step.safe:
        safe, mine = step.safe[1:], (*step.mines, step.safe[0])
        forged["a mine instead"] = replace(step, safe=safe, mines=mine)
    for number in range(len(step.numbers)):
        fewer = step.numbers[:number] + step.numbers[number + 1 :]
        forged[f"without number {number}"] = replace(step, numbers=fewer)
    return forged
