"""Optimal play of the end game, by an exhaustive search over sets of consistent layouts.

A player's knowledge is the set of layouts that agree with all open cells (an information set):
opening certainly safe cells costs nothing, so the order of moves does not matter. A set is an
integer with one bit a layout, and so are, for each cell, the sets of layouts in which it is a mine
or shows a given number; the search is intersections of integers, memoised by set. The number of
layouts won is maximised by branch and bound: upper bounds are memoised as well, and sets are
replaced by the smallest of their images under symmetries of the board.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, no_type_check, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float, Int, Int8

from jaxsweep.rules.board import Cell
from jaxsweep.scalar.layout_listing import Layout, list_layouts, neighbours

LayoutSet = int
"""A set of layouts: bit j is set if the j-th layout is in it."""

CellSets = tuple[LayoutSet, Sequence[LayoutSet]]
"""Of a cell: the layouts in which it is a mine, and for each number those in which it shows it."""

MIN_SYMMETRIC = 64
"""Sets of fewer layouts are searched sooner than compared with their images under symmetries."""

PARTIAL_LAYOUTS = 16
"""Partial layouts that are listed at once, for each layout that the search accepts."""

LOG_ERROR = 1e-3
"""Rounding error of the logarithm of a number of layouts: far less than one layout in hundreds."""


def is_endgame(log_layouts: Float[Any, " batch"], max_layouts: int) -> Bool[Any, " batch"]:
    """Tells which positions have at most `max_layouts` layouts left, but more than two.

    With two layouts left, any cell that separates them is a bet on one of them: no search helps.
    """
    two, most = (np.float32(np.log(count) + LOG_ERROR) for count in (2, max_layouts))
    return (log_layouts > two) & (log_layouts <= most)


def is_before_endgame(log_layouts: Float[Any, " batch"], max_layouts: int) -> Bool[Any, " batch"]:
    """Tells which positions have more than `max_layouts` layouts left, and more than two."""
    return log_layouts > np.float32(np.log(max(2, max_layouts)) + LOG_ERROR)


@runtime_checkable
class EndgameSearch(Protocol):
    """What a search of an end game found, by whatever method."""

    @property
    def win_probability(self) -> float:
        """The win probability of optimal play."""
        ...

    def best_cell(self) -> tuple[Cell, float]:
        """Returns the optimal cell and its win probability, where no cell is certainly safe."""
        ...

    def win_probabilities(self) -> dict[Cell, float]:
        """Returns, for each cell that may be safe, the win probability after opening it next."""
        ...


@dataclass
class Endgame:
    """A search over the subsets of a set of layouts, and what it has found so far."""

    cells: dict[Cell, CellSets]
    """The cells that are not a mine in every layout."""
    all_layouts: LayoutSet
    symmetries: Sequence[Int[np.ndarray, " layouts"]]
    """Permutations of the layouts by symmetries of the board that map the set onto itself."""
    bounds: dict[LayoutSet, int]
    """Upper bounds on the number of layouts of a set that can be won."""
    solved: set[LayoutSet] = field(default_factory=set)
    """Sets whose bound is the exact value."""
    images: dict[LayoutSet, LayoutSet] = field(default_factory=dict)
    """The smallest image of a set under the symmetries."""

    @classmethod
    def of(
        cls,
        layouts: Sequence[Layout],
        cells: Sequence[Cell],
        symmetries: Sequence[Int[np.ndarray, " layouts"]] = (),
    ) -> "Endgame":
        """Sets up the search over layouts of mines in these cells, all of them hidden."""
        all_layouts, width = (1 << len(layouts)) - 1, len(cells)
        digits = "".join([f"{layout:0{width}b}" for layout in reversed(layouts)])
        mines = {cell: int(digits[width - 1 - i :: width], 2) for i, cell in enumerate(cells)}
        sets = {}
        for cell, mine in mines.items():
            shows = [all_layouts & ~mine]  # Those with no mine around the cell, with one, …
            for other in neighbours(cell):
                if near := mines.get(other):
                    one_less = zip([*shows, 0], [0, *shows], strict=True)
                    shows = [same & ~near | less & near for same, less in one_less]
            if mine != all_layouts:
                sets[cell] = (mine, [shown for shown in shows if shown])
        return cls(sets, all_layouts, symmetries, {1 << j: 1 for j in range(len(layouts))})

    def max_wins(self, wanted: int = 0) -> int:
        """Returns how many layouts optimal play wins; if fewer than `wanted`, an upper bound."""
        return self._max_wins(self.all_layouts, list(self.cells.values()), wanted)

    @property
    def win_probability(self) -> float:
        """The win probability of optimal play."""
        return self.max_wins() / self.all_layouts.bit_count()

    def best_cell(self) -> tuple[Cell, float]:
        """Returns the optimal cell and its win probability, where no cell is certainly safe."""
        won, sets = self.max_wins(), list(self.cells.values())
        safest = sorted(self.cells.items(), key=lambda item: _least_risk_first(item[1]))
        # If no cell separates layouts any more, bet on one of them, with its safest cell.
        cell = next(
            (
                cell
                for cell, (_, parts) in safest
                if len(parts) > 1 and self._sum(parts, sets, won) == won
            ),
            safest[0][0],
        )
        return cell, won / self.all_layouts.bit_count()

    def win_probabilities(self) -> dict[Cell, float]:
        """Returns, for each cell that may be safe, the win probability after opening it next."""
        sets, count = list(self.cells.values()), self.all_layouts.bit_count()
        return {cell: self._sum(parts, sets, 0) / count for cell, (_, parts) in self.cells.items()}

    def win_probability_of(self, chosen: Sequence[Cell]) -> float:
        """Returns the win probability after opening several cells at once."""
        parts = [self.all_layouts]
        for cell in chosen:
            if cell not in self.cells:
                return 0.0  # It is a mine in every layout.
            shows = self.cells[cell][1]
            parts = [part for known in parts for shown in shows if (part := known & shown)]
        won = self._sum(parts, list(self.cells.values()), 0)
        return won / self.all_layouts.bit_count()

    # The methods below are called for every set: run-time type checks would take longer than they
    # do. `cells` are the cells that can still separate layouts of a set that contains `these`.

    @no_type_check
    def _max_wins(self, these: LayoutSet, cells: list[CellSets], wanted: int) -> int:
        """Returns how many of these layouts optimal play wins; if fewer than wanted, a bound."""
        count = these.bit_count()
        these, cells = self._canonical(these, cells)
        most = self.bounds.get(these) or self._bound(these, cells)
        if most < wanted or count <= 3 or these in self.solved:
            return most
        separated, risky = [these], []
        for mine, shows in cells:
            if mined := mine & these:
                parts = [part for shown in shows if (part := shown & these)]
                # A cell with one possible number separates nothing: it can wait.
                if len(parts) > 1:
                    risky.append((mined, parts))
            else:
                separated = [
                    part for known in separated for shown in shows if (part := known & shown)
                ]
        if len(separated) > 1:
            found = self._sum(separated, risky, wanted)
        else:
            found = self._guess(count, risky, wanted, most)
        self.bounds[these] = found
        if found >= wanted:
            self.solved.add(these)
        return found

    @no_type_check
    def _guess(self, count: int, risky: list[CellSets], wanted: int, most: int) -> int:
        """As `_max_wins`, where no safe cell separates layouts: the best of the risky cells."""
        won = below = 1  # A bet on one layout always wins that one.
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
    def _sum(self, parts: list[LayoutSet], cells: list[CellSets], wanted: int) -> int:
        """As `_max_wins`, summed over the parts into which an opened cell separates a set."""
        bounds, total = [], sum(map(int.bit_count, parts))
        for part in parts:
            most = self.bounds.get(part) or self._bound(part, cells)
            total += most - part.bit_count()
            if total < wanted:
                return total
            bounds.append((most, part))
        for most, part in sorted(bounds, reverse=True):
            if most > 1:
                total += self._max_wins(part, cells, wanted - total + most) - most
                if total < wanted:
                    break
        return total

    @no_type_check
    def _bound(self, these: LayoutSet, cells: list[CellSets]) -> int:
        """Returns an upper bound: if no safe cell separates layouts, the least risk must be taken.

        For three layouts or fewer the bound is exact.
        """
        these, cells = self._canonical(these, cells)
        if these in self.bounds:
            return self.bounds[these]
        count = these.bit_count()
        separated, risk = [these], count - 1
        for mine, shows in cells:
            mined = (mine & these).bit_count()
            if not mined:
                separated = [
                    part for known in separated for shown in shows if (part := known & shown)
                ]
                if len(separated) == count:
                    break
            elif mined < risk and len([1 for shown in shows if shown & these]) > 1:
                risk = mined
        if len(separated) == 1:
            most = count - risk
        elif len(separated) == count:
            most = count
        else:
            cells, most = [sets for sets in cells if sets[0] & these], 0
            for part in separated:
                most += self.bounds.get(part) or self._bound(part, cells)
        self.bounds[these] = most
        return most

    @no_type_check
    def _canonical(
        self, these: LayoutSet, cells: list[CellSets]
    ) -> tuple[LayoutSet, list[CellSets]]:
        """Replaces a set by its smallest image under the symmetries: its value is the same."""
        if not self.symmetries or these.bit_count() < MIN_SYMMETRIC:
            return these, cells
        if these not in self.images:
            count = self.all_layouts.bit_length()
            packed = np.frombuffer(these.to_bytes(-(-count // 8), "little"), np.uint8)
            inside = np.unpackbits(packed, count=count, bitorder="little")
            mapped = [np.packbits(inside[image], bitorder="little") for image in self.symmetries]
            images = [int.from_bytes(one.tobytes(), "little") for one in mapped]
            self.images[these] = min(these, *images)
        image = self.images[these]
        return image, cells if image == these else list(self.cells.values())


@no_type_check
def _least_risk_first(sets: CellSets) -> tuple[int, int]:
    """Sort key: risk, then the number of parts; sets are solved soonest in this order."""
    return sets[0].bit_count(), len(sets[1])


def search_endgame(
    grid: Int8[np.ndarray, "rows cols"],
    mines: int,
    certain: Bool[np.ndarray, "rows cols"],
    max_layouts: int,
) -> Endgame | None:
    """Sets up the search of a position in which the cells `certain` are mines in every layout.

    Returns None if more than `max_layouts` layouts are left, or no cell is uncertain.
    """
    cells, layouts = list_layouts(grid, mines, certain, PARTIAL_LAYOUTS * max_layouts)
    if not cells or not 0 < len(layouts) <= max_layouts:
        return None
    return Endgame.of(layouts, cells)
