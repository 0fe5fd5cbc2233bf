"""The rules of the game on the host, on one board of cells: what people's games and replays need.

The device has its own, on packed bits, in `game`. These need no compiling, and a replay that they
agree with is one that two programs agree on.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int8

from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.position import FLAGGED, HIDDEN

Cell = tuple[int, int]
"""Row and column, from 0 at the top left."""

Mask = Bool[np.ndarray, "rows cols"]


def near(cells: Mask) -> Mask:
    """The cells themselves and their neighbours."""
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(cells, 1), (3, 3))
    return np.asarray(windows.any((2, 3)))


def cells_of(mask: Mask) -> list[Cell]:
    """The cells of a mask, in reading order."""
    return [(int(row), int(col)) for row, col in np.argwhere(mask)]


def mask_of(cells: Iterable[Cell], like: Mask) -> Mask:
    """The mask of some cells, of a board like another."""
    mask = np.zeros_like(like)
    for cell in cells:
        mask[cell] = True
    return mask


@dataclass(frozen=True, eq=False)
class Board:
    """Where the mines are, what is open and what is flagged; moves give a new board."""

    mines: Mask
    opened: Mask
    flags: Mask

    @classmethod
    def covered(cls, mines: Mask) -> "Board":
        """All cells closed."""
        nothing = np.zeros_like(mines)
        return cls(mines, nothing, nothing)

    @cached_property
    def numbers(self) -> Int8[np.ndarray, "rows cols"]:
        """How many of its neighbours are mines, in every cell."""
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(self.mines, 1), (3, 3))
        return (windows.sum((2, 3)) - self.mines).astype(np.int8)

    @property
    def status(self) -> GameStatus:
        """Lost with a mine open, won with every safe cell open."""
        if (self.opened & self.mines).any():
            return GameStatus.LOST
        return GameStatus.WON if (self.opened | self.mines).all() else GameStatus.PLAYING

    @property
    def grid(self) -> Int8[np.ndarray, "rows cols"]:
        """What the player sees: numbers, `HIDDEN` and `FLAGGED`. An open mine counts as hidden."""
        covered = np.where(self.flags, np.int8(FLAGGED), np.int8(HIDDEN))
        return np.where(self.opened & ~self.mines, self.numbers, covered)

    def open(self, asked: Mask) -> "Board":
        """Opens these cells and whatever opens around a 0; flagged cells stay closed."""
        if self.status is not GameStatus.PLAYING:
            return self
        closed = ~self.opened & ~self.flags
        reached, zero = asked & closed, (self.numbers == 0) & ~self.mines
        while True:
            grown = reached | (near(reached & zero) & closed)
            if (grown == reached).all():
                return Board(self.mines, self.opened | reached, self.flags)
            reached = grown

    def flag(self, which: Mask) -> "Board":
        """Sets or takes away the flags of closed cells."""
        if self.status is not GameStatus.PLAYING:
            return self
        return Board(self.mines, self.opened, self.flags ^ (which & ~self.opened))

    def around(self, cell: Cell) -> Mask:
        """The closed cells without a flag around an open number that has all its flags; or none."""
        here = mask_of([cell], self.mines)
        ring = near(here) & ~here
        met = bool(self.opened[cell]) and (ring & self.flags).sum() == self.numbers[cell]
        return ring & ~self.opened & ~self.flags & met
