"""The boards of a recorded game, each made when it is asked for: a long game has many."""

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np

from jaxsweep.rules.board import Board, Cell, Mask


class Boards(Sequence[Board]):
    """The board before the first move of a game, and after each.

    Since no cell closes again, one number for each cell says when it opened. So all boards together
    take the memory of one, and of the list of flags that were set or removed.
    """

    def __init__(self, mines: Mask, moves: Iterable[tuple[Iterable[Cell], Iterable[Cell]]]):
        """Takes, of each move, the cells that opened and those whose flags changed."""
        cols = mines.shape[1]
        self._first = Board.all_hidden(mines)
        opened_after = np.full(mines.size, np.iinfo(np.int64).max)
        toggled, self._toggles = [], [0]
        for number, (opened, flags) in enumerate(moves, start=1):
            for row, col in opened:
                opened_after[row * cols + col] = number
            toggled += [row * cols + col for row, col in flags]
            self._toggles.append(len(toggled))
        self._opened_after = opened_after.reshape(mines.shape)
        """After how many moves each cell is open; where it never is, a number too large."""
        self._toggled = np.array(toggled, np.int64)
        """The cells whose flags changed, in order; after `move` moves, `_toggles[move]` of them."""

    def __len__(self) -> int:
        return len(self._toggles)

    @overload
    def __getitem__(self, index: int) -> Board: ...
    @overload
    def __getitem__(self, index: slice) -> list[Board]: ...
    def __getitem__(self, index: int | slice) -> Board | list[Board]:
        if isinstance(index, slice):
            return [self[move] for move in range(*index.indices(len(self)))]
        move = range(len(self))[index]
        mines = self._first.mines
        changes = np.bincount(self._toggled[: self._toggles[move]], minlength=mines.size)
        flags = (changes % 2).astype(bool).reshape(mines.shape)
        return self._first.showing(self._opened_after <= move, flags)
