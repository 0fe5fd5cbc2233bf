"""How few clicks a board takes: the greedy estimates ZiNi and HZiNi, with flags and chords.

Both by Elmar Zimmermann and Christoph Nikolaus. To solve a number is to open it, to flag the mines
around it, and to chord it. Its premium is what that saves:

    the 3BV that opens − the mines around it without a flag − 1 if it is hidden − 1 for the chord

The number of the highest premium is solved; where none is 0 or more, the next cell that is worth a
3BV is clicked. Of equal premiums, and of those cells, the first counts, column by column from the
left and in each from the top: the order of the authors' program, so that the result is one number.
HZiNi, for humans, opens all openings first, and solves only numbers that are open.
"""

from heapq import heappop, heappush
from typing import no_type_check

import numpy as np

from jaxsweep.metrics.board import NEAR, BoardValue
from jaxsweep.rules.board import Mask
from jaxsweep.rules.grid import neighbour_counts


def zini(mines: Mask) -> int:
    """Returns the clicks of the greedy algorithm: left, right and chords together."""
    return _Solving(mines).run(only_open=False)


def hzini(mines: Mask) -> int:
    """Returns the clicks of the greedy algorithm that opens all openings first."""
    solving = _Solving(mines)
    solving.open_all_openings()
    return solving.run(only_open=True)


class _Solving:
    """A board that is being solved; cells are numbered column by column, with a border."""

    @no_type_check
    def __init__(self, mines: Mask):
        value, turned = BoardValue.of(mines), mines.T

        def bordered(cells):
            return np.pad(cells.T, 1).reshape(-1)

        width = len(mines) + 2
        self.near = [right * width + down for down, right in NEAR]
        self.cells = np.flatnonzero(np.pad(np.ones_like(turned), 1)).tolist()
        self.mine = bordered(mines).tolist()
        self.alone = bordered(value.alone).tolist()
        self.opening = bordered(value.openings).tolist()
        """Of the cells that show 0, else 0."""
        self.hidden = bordered(~mines).tolist()
        """The safe cells that are not open yet."""
        self.safe = list(self.hidden)
        self.left = sum(self.hidden)
        self.flagged = [False] * len(self.mine)
        self.waiting = [i for i in self.cells if self.alone[i] or self.opening[i]]
        """The cells that are worth a 3BV; some may be open."""
        self.clicks = 0
        self._members = {}
        for cell in np.flatnonzero(self.opening).tolist():
            self._members.setdefault(self.opening[cell], []).append(cell)
        self.touched = [set() for _ in self.mine]
        """The openings that chording a cell opens."""
        for cell in np.flatnonzero(self.opening).tolist():
            for step in (0, *self.near):
                self.touched[cell + step].add(self.opening[cell])
        alone = neighbour_counts(value.alone) + value.alone
        around = bordered(alone.astype(np.int64) - neighbour_counts(mines) - 2)
        self.premium = [a + len(b) for a, b in zip(around.tolist(), self.touched, strict=True)]
        self.heap = []

    @no_type_check
    def run(self, only_open: bool) -> int:
        """Clicks until every safe cell is open; returns how many clicks that took."""
        self.heap = [
            (-self.premium[i], i)
            for i in self.cells
            if self.premium[i] >= 0 and self.safe[i] and not (only_open and self.hidden[i])
        ]
        self.heap.sort()
        self.waiting.reverse()
        while self.left:
            cell = self._best(only_open)
            if cell is not None:
                if self.hidden[cell]:
                    self.clicks += 1
                    self._open(cell)
                self._chord(cell)
            else:
                cell = self.waiting.pop()
                if self.hidden[cell]:
                    self.clicks += 1
                    self._open(cell)
        return self.clicks

    @no_type_check
    def open_all_openings(self) -> None:
        """Clicks once into every opening."""
        for own in list(self._members.values()):
            self.clicks += 1
            self._open(own[0])

    @no_type_check
    def _best(self, only_open: bool) -> int | None:
        """Returns the first cell of the highest premium, if that is 0 or more."""
        while self.heap:
            negative, cell = heappop(self.heap)
            # Premiums change: entries that are out of date are left in the heap.
            if -negative == self.premium[cell] and not (only_open and self.hidden[cell]):
                return cell
        return None

    @no_type_check
    def _chord(self, cell: int) -> None:
        for step in self.near:
            other = cell + step
            if self.mine[other] and not self.flagged[other]:
                self.clicks += 1
                self.flagged[other] = True
                for back in self.near:
                    self._add(other + back, 1)
        self.clicks += 1
        for step in self.near:
            if self.hidden[cell + step]:
                self._open(cell + step)
        # It may be the best again: then chording it costs what it is worth.
        self._add(cell, 0)

    @no_type_check
    def _open(self, cell: int) -> None:
        """Opens a hidden cell, with the flood fill around a 0."""
        if not self.opening[cell]:
            self._open_alone(cell)
            return
        number = self.opening[cell]
        for zero in self._members.pop(number):
            for step in (0, *self.near):
                other = zero + step
                if self.hidden[other]:
                    self._open_alone(other)
                if number in self.touched[other]:
                    self.touched[other].discard(number)
                    self._add(other, -1)

    @no_type_check
    def _open_alone(self, cell: int) -> None:
        self.hidden[cell] = False
        self.left -= 1
        self._add(cell, 1)
        if self.alone[cell]:
            for step in (0, *self.near):
                self._add(cell + step, -1)

    @no_type_check
    def _add(self, cell: int, change: int) -> None:
        """Changes the premium of a cell, which may be on the border."""
        self.premium[cell] += change
        if self.premium[cell] >= 0 and self.safe[cell]:
            heappush(self.heap, (-self.premium[cell], cell))
