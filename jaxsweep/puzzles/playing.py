"""The board of a person's game without guesses: dealt, or where that takes long, repaired."""

from jaxsweep.puzzles.repair import repair_uncompiled
from jaxsweep.puzzles.search import judge_uncompiled
from jaxsweep.puzzles.wishes import WishError, Wishes
from jaxsweep.rules.board import Mask
from jaxsweep.rules.level import LevelError, Opening

MOST = 200
"""The most boards that are dealt, and then changes of one, before this is given up."""

CELLS = 50_000
"""The most cells that they have together, so that a click is never waited for long."""


def deal_without_guess(opening: Opening, seed: int) -> tuple[Mask, int | None]:
    """Returns a board of a seed that needs no guess, and its number among the deals of the seed.

    The number is None if mines were moved. Raises `LevelError` where no board is found.
    """
    level = opening.level
    try:
        wishes = Wishes(opening)
    except WishError as error:
        raise LevelError(str(error)) from None
    most = min(MOST, max(CELLS // level.cells, 1))
    for game in range(most):
        for board in judge_uncompiled(wishes, seed, range(game, game + 1)).boards:
            return board.mines, board.game
    mines, hardest = repair_uncompiled(wishes, seed, 0, most)
    if hardest is None:
        raise LevelError(f"no board of {level} was found that needs no guess from {opening.first}")
    return mines, None
