"""Boards without a guess, of a difficulty: dealt step by step, so that a wait is seen and can end.

The thirds are those of expert boards that need no guess, whatever the level: on small boards hard
ones are rare, and on large ones easy ones.
"""

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from jaxsweep.puzzles.difficulty import QUANTILES
from jaxsweep.puzzles.ordering import Order, make
from jaxsweep.puzzles.playing import deal_without_guess
from jaxsweep.puzzles.wishes import Limits, WishError, Wishes
from jaxsweep.rules.board import Mask
from jaxsweep.rules.level import LevelError, Opening


def quantile(share: float) -> float:
    """Returns the difficulty that a share of expert boards does not exceed, as they are written."""
    shares = np.linspace(0, 1, len(QUANTILES))
    return round(float(np.interp(share, shares, QUANTILES)), 1)


class Hardness(enum.Enum):
    """A third of the difficulties of expert boards that need no guess, or any difficulty."""

    ANY = "any"
    EASY = "easy"
    MIDDLE = "middle"
    HARD = "hard"

    @property
    def limits(self) -> Limits:
        """The least and the largest difficulty."""
        easy, hard = quantile(1 / 3), quantile(2 / 3)
        return {
            Hardness.ANY: (0.0, inf),
            Hardness.EASY: (0.0, easy),
            Hardness.MIDDLE: (easy, hard),
            Hardness.HARD: (hard, inf),
        }[self]


@dataclass(frozen=True, eq=False)
class Dealt:
    """How far dealing has come."""

    tried: int
    """So many deals were looked at."""
    mines: Mask | None = None
    """The board; None if none was found yet."""
    game: int | None = None
    """Its number among the deals of the seed; None also where mines were moved."""


def deal_board(opening: Opening, seed: int, hardness: Hardness) -> Iterator[Dealt]:
    """Deals until there is a board that needs no guess, of the difficulty that is wished for.

    The last has the board. Without a wish it is that of `deal_without_guess`; else the first deal
    of the seed, and this may take any time. Raises `LevelError` where no board is found.
    """
    if hardness is Hardness.ANY:
        mines, game = deal_without_guess(opening, seed)
        yield Dealt(0 if game is None else game + 1, mines, game)
        return
    try:
        order = Order(Wishes(opening, difficulty=hardness.limits), seed)
    except WishError as error:
        raise LevelError(str(error)) from None
    for progress in make(order):
        for board in progress.boards[:1]:
            assert board.source is not None, "it was made here"
            yield Dealt(progress.end, board.mines, board.source.game)
            return
        yield Dealt(progress.end)
