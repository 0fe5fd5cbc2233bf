"""The end of a game, played as well as it can be: by search through all layouts that are left.

A layout is a whole number, one bit a cell in doubt. A set of layouts is one too, one bit a layout;
and so is, for each cell, the set of those in which it is a mine, or shows a digit. Opening what is
certainly safe costs nothing, so a player's knowledge is the set of layouts alone, and what is found
out about a set is remembered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Int, Int8

from jaxsweep.rules.board import Cell, cells_of
from jaxsweep.rules.position import HIDDEN

Layout = int
"""Bit i: the i-th of some cells is a mine."""

Layouts = int
"""A set of layouts. Bit j: the j-th of some layouts is in it."""

Tile = tuple[Layouts, Sequence[Layouts]]
"""Of a cell: the layouts in which it is a mine, and those in which it shows each of its digits."""

MIRRORED = 64
"""Sets of fewer layouts are sooner searched than compared with their mirror images."""

ROOM = 16
"""Beginnings of layouts that are kept at once, for each layout that may be left in the end."""

CERTAIN = -3
"""Stands in a grid of numbers, beside `HIDDEN` and `FLAGGED`, for a certain mine."""


@dataclass
class Endgame:
    """A search through all sets of some layouts, and what it has found."""

    tiles: dict[Cell, Tile]
    """The cells that may be safe."""
    every: Layouts
    """The set of all layouts."""
    mirrors: Sequence[Int[np.ndarray, " layouts"]]
    """What layouts become under symmetries of the board that keep all of them among them."""
    most: dict[Layouts, int]
    """Of a set, no more than so many layouts can be won."""
    reduced: set[Layouts] = field(default_factory=set)
    """Sets of which just as many can be won."""
    images: dict[Layouts, Layouts] = field(default_factory=dict)
    """Of a set and its mirror images, the least."""

    @classmethod
    def of(
        cls,
        layouts: Sequence[Layout],
        cells: Sequence[Cell],
        mirrors: Sequence[Int[np.ndarray, " layouts"]] = (),
    ) -> "Endgame":
        """The search through some layouts of mines in these cells, all of them covered."""
        every, width = (1 << len(layouts)) - 1, len(cells)
        digits = "".join([f"{layout:0{width}b}" for layout in reversed(layouts)])
        mines = {cell: int(digits[width - 1 - i :: width], 2) for i, cell in enumerate(cells)}
        tiles = {}
        for cell, mine in mines.items():
            shows = [every & ~mine]  # Those with no neighbour mined, with one, with two …
            for other in ring(cell):
                if near := mines.get(other):
                    one_less = zip([*shows, 0], [0, *shows], strict=True)
                    shows = [same & ~near | less & near for same, less in one_less]
            if mine != every:
                tiles[cell] = (mine, [shown for shown in shows if shown])
        return cls(tiles, every, mirrors, {1 << j: 1 for j in range(len(layouts))})

    def win(self, wanted: int = 0) -> int:
        """How many layouts the best play wins; if fewer than `wanted`, a bound below `wanted`."""
        return self._win(self.every, list(self.tiles.values()), wanted)

    def choice(self) -> tuple[Cell, float]:
        """The cell to open and the chance to win, where no cell is safe for certain."""
        won, tiles = self.win(), list(self.tiles.values())
        safest = sorted(self.tiles.items(), key=lambda item: _least_risk_first(item[1]))
        # Where nothing tells anything any more, one layout is bet on, the one with the safest cell.
        cell = next(
            (
                cell
                for cell, (_, parts) in safest
                if len(parts) > 1 and self._sum(parts, tiles, won) == won
            ),
            safest[0][0],
        )
        return cell, won / self.every.bit_count()

    def chances(self) -> dict[Cell, float]:
        """For each cell that may be safe, the chance to win that opens it next."""
        tiles, count = list(self.tiles.values()), self.every.bit_count()
        return {cell: self._sum(parts, tiles, 0) / count for cell, (_, parts) in self.tiles.items()}

    # What follows is called for every set: to check its arguments would take longer than its work.
    # `tiles` are those that may still tell something, as seen from a set that holds `these`.

    @no_type_check
    def _win(self, these: Layouts, tiles: list[Tile], wanted: int) -> int:
        """How many of these layouts the best play wins; if fewer than wanted, a bound below it."""
        count = these.bit_count()
        these, tiles = self._upright(these, tiles)
        most = self.most.get(these) or self._at_most(these, tiles)
        if most < wanted or count <= 3 or these in self.reduced:
            return most
        told, risky = [these], []
        for mine, shows in tiles:
            if mined := mine & these:
                parts = [part for shown in shows if (part := shown & these)]
                # A cell that tells nothing but that it is no mine: later will do as well.
                if len(parts) > 1:
                    risky.append((mined, parts))
            else:
                told = [part for known in told for shown in shows if (part := known & shown)]
        if len(told) > 1:
            found = self._sum(told, risky, wanted)
        else:
            found = self._guess(count, risky, wanted, most)
        self.most[these] = found
        if found >= wanted:
            self.reduced.add(these)
        return found

    @no_type_check
    def _guess(self, count: int, risky: list[Tile], wanted: int, most: int) -> int:
        """As `_win`, of so many layouts, where nothing is safe that tells anything."""
        won = below = 1  # One layout can be bet on, whatever it is.
        for mine, parts in sorted(risky, key=_least_risk_first):
            goal = max(won + 1, wanted)
            found = count - mine.bit_count()
            if found >= goal:
                found = self._sum(parts, risky, goal)
            if found < goal:
                below = max(below, found)
            else:
                won = found
            if won == most:
                break
        return won if won >= wanted else below

    @no_type_check
    def _sum(self, parts: list[Layouts], tiles: list[Tile], wanted: int) -> int:
        """As `_win`, of sets that what is shown tells apart."""
        bounds, total = [], sum(map(int.bit_count, parts))
        for part in parts:
            most = self.most.get(part) or self._at_most(part, tiles)
            total += most - part.bit_count()
            if total < wanted:
                return total
            bounds.append((most, part))
        for most, part in sorted(bounds, reverse=True):
            if most > 1:
                total += self._win(part, tiles, wanted - total + most) - most
                if total < wanted:
                    break
        return total

    @no_type_check
    def _at_most(self, these: Layouts, tiles: list[Tile]) -> int:
        """What may be won at best: where nothing safe tells anything, not without a risk.

        Of three layouts or fewer, just as many can be won.
        """
        these, tiles = self._upright(these, tiles)
        if these in self.most:
            return self.most[these]
        count = these.bit_count()
        told, risk = [these], count - 1
        for mine, shows in tiles:
            mined = (mine & these).bit_count()
            if not mined:
                told = [part for known in told for shown in shows if (part := known & shown)]
                if len(told) == count:
                    break
            elif mined < risk and len([1 for shown in shows if shown & these]) > 1:
                risk = mined
        if len(told) == 1:
            most = count - risk
        elif len(told) == count:
            most = count
        else:
            tiles, most = [tile for tile in tiles if tile[0] & these], 0
            for part in told:
                most += self.most.get(part) or self._at_most(part, tiles)
        self.most[these] = most
        return most

    @no_type_check
    def _upright(self, these: Layouts, tiles: list[Tile]) -> tuple[Layouts, list[Tile]]:
        """Of a set and its mirror images, the least: as many layouts can be won of each."""
        if not self.mirrors or these.bit_count() < MIRRORED:
            return these, tiles
        if these not in self.images:
            count = self.every.bit_length()
            packed = np.frombuffer(these.to_bytes(-(-count // 8), "little"), np.uint8)
            inside = np.unpackbits(packed, count=count, bitorder="little")
            mirrored = [np.packbits(inside[mirror], bitorder="little") for mirror in self.mirrors]
            images = [int.from_bytes(one.tobytes(), "little") for one in mirrored]
            self.images[these] = min(these, *images)
        image = self.images[these]
        return image, tiles if image == these else list(self.tiles.values())


@no_type_check
def _least_risk_first(tile: Tile) -> tuple[int, int]:
    """By risk, then by how many sets are told apart: in this order, sets are reduced soonest."""
    return tile[0].bit_count(), len(tile[1])


@no_type_check
def ring(cell: Cell) -> list[Cell]:
    """The neighbours of a cell, on the board or not."""
    row, col = cell
    return [
        (r, c)
        for r in (row - 1, row, row + 1)
        for c in (col - 1, col, col + 1)
        if r != row or c != col
    ]


def search_ending(
    grid: Int8[np.ndarray, "rows cols"],
    mines: int,
    certain: Bool[np.ndarray, "rows cols"],
    most: int,
) -> Endgame | None:
    """The search through all layouts of a position, of which `certain` are mines in every one.

    None where more than `most` layouts are left, or no cell in doubt.
    """
    cells, layouts = list_layouts(grid, mines, certain, ROOM * most)
    if not cells or not 0 < len(layouts) <= most:
        return None
    return Endgame.of(layouts, cells)


def list_layouts(
    grid: Int8[np.ndarray, "rows cols"],
    mines: int,
    certain: Bool[np.ndarray, "rows cols"],
    most: int,
) -> tuple[list[Cell], list[Layout]]:
    """The cells in doubt, and all layouts of the mines in them; `certain` are mines, too.

    No layouts where more than `most` beginnings of them have to be kept at once.
    """
    bordered = np.full((grid.shape[0] + 1, grid.shape[1] + 1), HIDDEN, np.int8)
    bordered[:-1, :-1] = np.where(certain, np.int8(CERTAIN), grid)
    shown = bordered.tolist()  # The border is at index −1, too.
    in_doubt, near = {}, {}
    for cell in cells_of((grid < 0) & ~certain):
        in_doubt[cell] = [(r, c) for r, c in ring(cell) if shown[r][c] >= 0]
        for number in in_doubt[cell]:
            near.setdefault(number, []).append(cell)
    cells = _in_order(in_doubt, near)
    needs = [mines - int(certain.sum())]
    for row, col in near:
        found = sum([shown[r][c] == CERTAIN for r, c in ring((row, col))])
        needs.append(shown[row][col] - found)
    if min(needs) < 0 or needs[0] > len(cells):
        return cells, []
    # What is needed, by the mine count and by each number, are digits of one whole number. A bit
    # above each digit is set, and goes out when a digit gets negative. Mines stand above them all.
    width = max(8, len(cells)).bit_length() + 1
    ones = [1 << place for place in range(0, len(needs) * width, width)]
    mined = 1 << len(needs) * width
    whole = sum(one << (width - 1) for one in ones)
    one_of = dict(zip(near, ones[1:], strict=True))
    touches = [ones[0] + sum([one_of[number] for number in in_doubt[cell]]) for cell in cells]
    begun = [whole + sum(need * one for need, one in zip(needs, ones, strict=True))]
    digits, to_come = mined - 1 - whole, whole + sum(touches)
    for touch in touches:
        to_come -= touch
        begun = [
            grown
            for beginning in begun
            for grown in (beginning, beginning + mined - touch)
            if grown & whole == whole and (to_come - (grown & digits)) & whole == whole
        ]
        if len(begun) > most:
            return cells, []
        mined <<= 1
    return cells, [beginning >> len(needs) * width for beginning in begun]


def _in_order(in_doubt: dict[Cell, list[Cell]], near: dict[Cell, list[Cell]]) -> list[Cell]:
    """Cells so that each shares a number with one before it, if it can: what is wrong ends soon.

    `in_doubt` has the numbers beside each cell in doubt, `near` the cells beside each number.
    """
    order = {}
    for start in sorted(in_doubt, key=lambda cell: not in_doubt[cell]):
        waiting = [start]
        for cell in waiting:
            if cell not in order:
                order[cell] = True
                waiting += [other for number in in_doubt[cell] for other in near[number]]
    return list(order)
