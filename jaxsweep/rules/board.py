"""The rules of the game on the host, on one board in NumPy: for people's games and replays.

The device's rules, on packed bits, are in `game`. These need no compilation; tests compare the two.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int8

from jaxsweep.rules.grid import FLAGGED, HIDDEN, dilate, neighbour_counts
from jaxsweep.rules.status import GameStatus

Cell = tuple[int, int]
"""Row and column, from 0 at the top left."""

Mask = Bool[np.ndarray, "rows cols"]


def cells_of(mask: Mask) -> list[Cell]:
    """Lists the cells of a mask in reading order."""
    return [(int(row), int(col)) for row, col in np.argwhere(mask)]


def mask_of(cells: Iterable[Cell], like: Mask) -> Mask:
    """Returns the mask of `cells`, with the shape of `like`."""
    mask = np.zeros_like(like)
    for cell in cells:
        mask[cell] = True
    return mask


@dataclass(frozen=True, eq=False)
class Board:
    """A board with its mines, open cells and flags; immutable, each move returns a new board."""

    mines: Mask
    opened: Mask
    flags: Mask

    @classmethod
    def all_hidden(cls, mines: Mask) -> "Board":
        """Returns a board with all cells hidden."""
        nothing = np.zeros_like(mines)
        return cls(mines, nothing, nothing)

    @cached_property
    def numbers(self) -> Int8[np.ndarray, "rows cols"]:
        """The number of mines among the neighbours of every cell."""
        return neighbour_counts(self.mines)

    @cached_property
    def status(self) -> GameStatus:
        """Lost if a mine is open, won if every safe cell is open."""
        if (self.opened & self.mines).any():
            return GameStatus.LOST
        return GameStatus.WON if (self.opened | self.mines).all() else GameStatus.PLAYING

    @property
    def grid(self) -> Int8[np.ndarray, "rows cols"]:
        """What the player sees: numbers, `HIDDEN` and `FLAGGED`. An open mine counts as hidden."""
        hidden = np.where(self.flags, np.int8(FLAGGED), np.int8(HIDDEN))
        return np.where(self.opened & ~self.mines, self.numbers, hidden)

    def open(self, which: Mask) -> "Board":
        """Opens the cells of `which`, with the flood fill around zeros, except flagged cells."""
        if self.status is not GameStatus.PLAYING:
            return self
        openable = ~self.opened & ~self.flags
        reached, zero = which & openable, (self.numbers == 0) & ~self.mines
        while (reached & zero).any():
            grown = reached | (dilate(reached & zero) & openable)
            if (grown == reached).all():
                break
            reached = grown
        return self.showing(self.opened | reached, self.flags)

    def flag(self, which: Mask) -> "Board":
        """Toggles the flags of the hidden cells of `which`."""
        if self.status is not GameStatus.PLAYING:
            return self
        return self.showing(self.opened, self.flags ^ (which & ~self.opened))

    def chord_cells(self, cell: Cell) -> Mask:
        """Returns the cells that chording `cell` opens.

        These are its hidden neighbours without a flag, if `cell` is an open number with as many
        flags around it; else none.
        """
        cells = np.zeros_like(self.mines)
        row, col = cell
        near = slice(max(row - 1, 0), row + 2), slice(max(col - 1, 0), col + 2)
        if self.opened[cell] and self.flags[near].sum() == self.numbers[cell]:
            cells[near] = ~self.opened[near] & ~self.flags[near]
        return cells

    def showing(self, opened: Mask, flags: Mask) -> "Board":
        """Returns the board with other open cells and flags; numbers are not counted again."""
        board = Board(self.mines, opened, flags)
        board.__dict__["numbers"] = self.numbers
        return board
