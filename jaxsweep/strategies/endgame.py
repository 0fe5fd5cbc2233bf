"""The end of a game, played as well as it can be: by search through all layouts that are left.

Layouts are bits of whole numbers: a set of layouts is one number, and so is, for each cell, the set
of those in which it is a mine, or shows a digit. Opening what is certainly safe costs nothing, so a
player's knowledge is the set of layouts alone, and the most that can be won from each set is
remembered.
"""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Int, Int8

from jaxsweep.board import Cell, cells_of, near


@dataclass(frozen=True)
class Tile:
    """A covered cell: the layouts in which it is a mine, and those in which it shows each digit."""

    cell: Cell
    mine: int
    shows: tuple[int, ...]
    """Only digits that it can show."""


@dataclass
class Endgame:
    """A search through sets of layouts, and what it has found."""

    tiles: tuple[Tile, ...]
    won: dict[int, int] = field(default_factory=dict)
    """For sets of layouts, how many of them the best play wins."""
    best: dict[int, Tile] = field(default_factory=dict)
    """For sets in which nothing is safe, the cell to open."""

    @classmethod
    def of(
        cls,
        layouts: Bool[np.ndarray, "layouts rows cols"],
        covered: Bool[np.ndarray, "rows cols"],
    ) -> "Endgame":
        """The search through some layouts of one board, of which some cells are covered."""
        windows = np.lib.stride_tricks.sliding_window_view(
            np.pad(layouts, ((0, 0), (1, 1), (1, 1))), (3, 3), axis=(1, 2)
        )
        numbers = windows.sum((3, 4), dtype=np.int8) - layouts.astype(np.int8)
        tiles = []
        for cell in cells_of(covered):
            mined, digits = layouts[:, *cell], numbers[:, *cell]
            shown = [_bits(~mined & (digits == d)) for d in np.unique(digits[~mined])]
            # A mine for certain is none to open; one digit for certain tells nothing, ever.
            if shown and (mined.any() or len(shown) > 1):
                tiles.append(Tile(cell, _bits(mined), tuple(shown)))
        return cls(tuple(tiles))

    def win(self, these: int) -> int:
        """How many of these layouts the best play wins."""
        known = self.won.get(these)
        if known is not None:
            return known
        if these.bit_count() <= 1:
            return these.bit_count()
        parts = self._told(these)
        found = sum(map(self.win, parts)) if len(parts) > 1 else self._guess(these)
        self.won[these] = found
        return found

    def choice(self, these: int) -> tuple[Cell, float]:
        """The cell to open and the chance to win, where no cell is safe for certain."""
        chance = self.win(these) / these.bit_count()
        tile = self.best.get(these)
        if tile is None:
            # Nothing is told any more: one layout is bet on, the one with the safest cell.
            tile = min(
                (tile for tile in self.tiles if tile.mine & these != these),
                key=lambda tile: (tile.mine & these).bit_count(),
            )
        return tile.cell, chance

    def _told(self, these: int) -> list[int]:
        """The layouts parted by what the safe cells show."""
        parts = [these]
        for tile in self.tiles:
            if not tile.mine & these and len(tile.shows) > 1:
                parts = [part & shown for part in parts for shown in tile.shows if part & shown]
        return parts

    def _guess(self, these: int) -> int:
        """The most that a guess wins, where nothing is safe that tells anything."""
        most, choice = 1, None  # One layout can be bet on, whatever it is.
        for survivors, parts, tile in self._choices(these):
            if survivors <= most:
                break
            bounds = [self._at_most(part) for part in parts]
            wins = sum(bounds)
            for part, bound in zip(parts, bounds, strict=True):
                if wins <= most:
                    break
                wins += self.win(part) - bound
            if wins > most:
                most, choice = wins, tile
        if choice is not None:
            self.best[these] = choice
        return most

    def _at_most(self, these: int) -> int:
        """What may be won at best: where nothing safe tells anything, not without a risk."""
        known = self.won.get(these)
        if known is not None:
            return known
        count = these.bit_count()
        if count <= 2:
            return count
        least = count
        for tile in self.tiles:
            mined = (tile.mine & these).bit_count()
            if mined < least:
                if not mined:
                    if sum(1 for shown in tile.shows if shown & these) > 1:
                        return count
                    continue
                least = mined
        return count - least if least < count else count

    def _choices(self, these: int) -> list[tuple[int, list[int], Tile]]:
        """Cells that may be a mine and tell something, the safest first; of equal ones, one."""
        choices, seen = [], set()
        for tile in self.tiles:
            mined = tile.mine & these
            if not mined or mined == these:
                continue
            parts = [part for shown in tile.shows if (part := shown & these)]
            if len(parts) == 1:
                continue  # It tells nothing but that it is no mine: later will do as well.
            key = (mined, *parts)
            if key not in seen:
                seen.add(key)
                parts.sort(key=int.bit_count)
                choices.append(((these ^ mined).bit_count(), parts, tile))
        choices.sort(key=lambda choice: -choice[0])
        return choices


def _bits(which: Bool[np.ndarray, " layouts"]) -> int:
    return int.from_bytes(np.packbits(which, bitorder="little").tobytes(), "little")


def best_ending(
    grid: Int8[np.ndarray, "rows cols"],
    mines: int,
    certain: Bool[np.ndarray, "rows cols"],
    most: int,
) -> Cell | None:
    """The cell to open for the best chance to win, where no cell is safe for certain.

    `certain` are mines in every layout. None where more than `most` layouts are left, or no cell.
    """
    in_doubt = (grid < 0) & ~certain
    if not in_doubt.any():
        return None
    layouts = list_layouts(grid, mines, in_doubt, certain, ROOM * most)
    if not 0 < len(layouts) <= most:
        return None
    search = Endgame.of(layouts, in_doubt)
    return search.choice((1 << len(layouts)) - 1)[0]


ROOM = 16
"""Beginnings of layouts that are kept at once, for each layout that may be left in the end."""


def list_layouts(
    grid: Int8[np.ndarray, "rows cols"],
    mines: int,
    in_doubt: Bool[np.ndarray, "rows cols"],
    certain: Bool[np.ndarray, "rows cols"],
    most: int,
) -> Bool[np.ndarray, "layouts rows cols"]:
    """All layouts of a position, cell by cell; `certain` are mines, other cells are no question.

    None of them where more than `most` beginnings have to be kept at once.
    """
    cells = _in_order(np.argwhere(in_doubt))
    numbers = np.argwhere((grid >= 0) & near(in_doubt))
    touches = np.abs(cells[:, None] - numbers[None]).max(2) <= 1
    around = np.abs(numbers[:, None] - np.argwhere(certain)[None]).max(2) <= 1
    needs = (grid[tuple(numbers.T)] - around.sum(1)).astype(np.int16)
    left = np.full(1, mines - int(certain.sum()), np.int16)
    needs, chosen = needs[None], np.zeros((1, len(cells)), bool)
    # What cells still to come can give to each number, and to the mine count.
    room = np.cumsum(touches[::-1], axis=0)[::-1]
    for i, touch in enumerate(touches.astype(np.int16)):
        with_mine = chosen.copy()
        with_mine[:, i] = True
        chosen = np.concatenate([chosen, with_mine])
        needs, left = np.concatenate([needs, needs - touch]), np.concatenate([left, left - 1])
        to_come = room[i + 1] if i + 1 < len(cells) else np.zeros(len(numbers), int)
        fits = ((needs >= 0) & (needs <= to_come)).all(1)
        fits &= (left >= 0) & (left <= len(cells) - 1 - i)
        needs, left, chosen = needs[fits], left[fits], chosen[fits]
        if len(chosen) > most:
            return np.zeros((0, *grid.shape), bool)
    layouts = np.repeat(certain[None], len(chosen), axis=0)
    layouts[:, cells[:, 0], cells[:, 1]] = chosen
    return layouts


def _in_order(cells: Int[np.ndarray, "cells 2"]) -> Int[np.ndarray, "cells 2"]:
    """Cells so that each is near one before it, where it can be: wrong beginnings end soon."""
    left, order = {(int(r), int(c)) for r, c in cells}, []
    waiting: list[Cell] = []
    while left:
        cell = waiting.pop(0) if waiting else min(left)
        if cell not in left:
            continue
        left.discard(cell)
        order.append(cell)
        waiting += sorted(
            (r, c)
            for r in range(cell[0] - 2, cell[0] + 3)
            for c in range(cell[1] - 2, cell[1] + 3)
            if (r, c) in left
        )
    return np.array(order, int).reshape(-1, 2)
