"""Levels, start rules and first cells: what defines a game before its mines are dealt."""

import enum
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from jaxsweep.runtime.errors import UserError

MAX_SIDE = 4096
"""The longest side of a board: larger than any in use, small enough to catch a typo."""


class LevelError(UserError):
    """A level, start rule or first cell that is not possible; says why."""


class Start(enum.Enum):
    """What the rules guarantee for the first cell opened."""

    ANY = "any"
    """Nothing: it may be a mine."""
    SAFE = "safe"
    """It is not a mine."""
    ZERO = "zero"
    """It shows 0: neither it nor a neighbour is a mine."""


@dataclass(frozen=True)
class Level:
    """A board's size and its number of mines."""

    rows: int
    cols: int
    mines: int

    def __post_init__(self):
        for name, side in (("rows", self.rows), ("columns", self.cols)):
            if not 1 <= side <= MAX_SIDE:
                raise LevelError(f"a board needs 1 to {MAX_SIDE} {name}, not {side}")
        if not 0 <= self.mines <= self.cells:
            raise LevelError(
                f"a {self.rows}×{self.cols} board holds 0 to {self.cells} mines, not {self.mines}"
            )

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.rows * self.cols

    def __str__(self) -> str:
        return f"{self.rows}×{self.cols}/{self.mines}"


LEVELS = {
    "beginner": Level(9, 9, 10),
    "intermediate": Level(16, 16, 40),
    "expert": Level(16, 30, 99),
    "easy": Level(8, 8, 8),
    "mini": Level(8, 8, 10),
    "medium": Level(16, 16, 32),
    "hard": Level(32, 16, 80),
}


LARGE = 256
"""Boards with more cells than this start farther from the corner on a ZERO start."""


@dataclass(frozen=True)
class Opening:
    """A level with its start rule and the first cell to be opened.

    Raises `LevelError` if the start rule leaves too few cells for the mines, or if the first cell
    is not on the board.
    """

    level: Level
    start: Start
    first: tuple[int, int]

    def __post_init__(self):
        (row, col), level = self.first, self.level
        if not (0 <= row < level.rows and 0 <= col < level.cols):
            raise LevelError(
                f"the first cell ({row}, {col}) is not on a board of "
                f"{level.rows} rows and {level.cols} columns"
            )
        allowed = level.cells - len(self._mine_free_cells())
        if level.mines > allowed:
            mines = "1 mine does" if level.mines == 1 else f"{level.mines} mines do"
            raise LevelError(
                f"{mines} not fit: a {self.start.name} start at ({row}, {col}) "
                f"on {level.rows}×{level.cols} leaves {allowed} cells for mines"
            )

    @classmethod
    def of(
        cls, level: Level, start: Start = Start.SAFE, first: tuple[int, int] | None = None
    ) -> "Opening":
        """Returns the opening at `first`, by default at the cell that measured best.

        That is the corner; on a ZERO start (2, 2), or (3, 3) on large boards
        (`experiments/results/first-cells.json`). On a very dense board it is the corner, which
        leaves most cells for the mines.
        """
        if first is None:
            has_room = level.mines + 9 <= level.cells
            inset = (
                0 if start is not Start.ZERO or not has_room else 2 if level.cells <= LARGE else 3
            )
            first = (min(inset, level.rows - 1), min(inset, level.cols - 1))
        return cls(level, start, first)

    @property
    def first_risk(self) -> float:
        """The probability that the first cell is a mine."""
        return self.level.mines / self.level.cells if self.start is Start.ANY else 0.0

    def allowed_mines(self) -> Bool[np.ndarray, "rows cols"]:
        """Returns the cells in which the start rule allows a mine."""
        grid = np.ones((self.level.rows, self.level.cols), bool)
        for cell in self._mine_free_cells():
            grid[cell] = False
        return grid

    def _mine_free_cells(self) -> list[tuple[int, int]]:
        """Lists the cells in which the start rule forbids a mine."""
        reach = {Start.ANY: -1, Start.SAFE: 0, Start.ZERO: 1}[self.start]
        row, col = self.first
        return [
            (r, c)
            for r in range(max(row - reach, 0), min(row + reach, self.level.rows - 1) + 1)
            for c in range(max(col - reach, 0), min(col + reach, self.level.cols - 1) + 1)
        ]
