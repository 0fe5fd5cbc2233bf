"""The layout of a window of any size, for drawing and for the mouse."""

from dataclasses import dataclass

from jaxsweep.rules.board import Cell
from viewer.events import Point

BAR = 36
"""Height of the bar of buttons on top."""

TIMELINE = 84
"""Height of the timeline under a replay."""

MARGIN = 12
MIN_SIZE = (320, 240)
MAX_CELL, MIN_CELL = 96, 4


@dataclass(frozen=True)
class Rect:
    """A rectangle in pixels."""

    left: int
    top: int
    width: int
    height: int

    def has(self, at: Point) -> bool:
        """Whether a point lies in it."""
        return (
            self.left <= at[0] < self.left + self.width
            and self.top <= at[1] < self.top + self.height
        )


@dataclass(frozen=True)
class Layout:
    """The rectangles of the window, and the place and size of the board's cells."""

    bar: Rect
    field: Rect
    """Where the board may be drawn."""
    panel: Rect
    timeline: Rect | None
    cell: int
    origin: Point
    rows: int
    cols: int

    def cell_at(self, at: Point) -> Cell | None:
        """Returns the board's cell at a point of the window; None outside of the board."""
        if not self.field.has(at):
            return None
        col, row = ((at[i] - self.origin[i]) // self.cell for i in range(2))
        return (row, col) if 0 <= row < self.rows and 0 <= col < self.cols else None

    def place(self, cell: Cell) -> Point:
        """Returns the top left corner of a cell."""
        return self.origin[0] + cell[1] * self.cell, self.origin[1] + cell[0] * self.cell

    def buttons(self, count: int) -> list[Rect]:
        """Returns the rectangles of the buttons on top, from left to right."""
        width = self.bar.width // count
        return [
            Rect(self.bar.left + index * width, self.bar.top, width, self.bar.height)
            for index in range(count)
        ]

    def visible(self) -> tuple[range, range]:
        """Returns the rows and the columns that are at least partly in view."""
        ranges = []
        for side, (length, start) in enumerate(
            ((self.rows, self.field.top), (self.cols, self.field.left))
        ):
            extent = (self.field.height, self.field.width)[side]
            origin = self.origin[1 - side]
            first = max((start - origin) // self.cell, 0)
            last = min(-(-(start + extent - origin) // self.cell), length)
            ranges.append(range(first, max(last, first)))
        return ranges[0], ranges[1]


def lay_out(
    size: Point, board: tuple[int, int], zoom: float, pan: Point, has_timeline: bool
) -> Layout:
    """Lays out a window: the board as large as fits, times `zoom`, moved by `pan`."""
    width, height = (max(a, b) for a, b in zip(size, MIN_SIZE, strict=True))
    panel_width = min(max(width * 28 // 100, 200), 340) if width >= 560 else 0
    bottom = TIMELINE if has_timeline else 0
    field = Rect(
        MARGIN,
        BAR + MARGIN,
        width - panel_width - 2 * MARGIN,
        height - BAR - bottom - 2 * MARGIN,
    )
    rows, cols = board
    fit = min(field.width / cols, field.height / rows)
    cell = int(min(max(fit * zoom, MIN_CELL), MAX_CELL))
    spare = (field.width - cols * cell, field.height - rows * cell)
    # A board smaller than the field is centred; a larger one can be moved, but not away.
    shift = [
        s // 2 if s >= 0 else min(max(s // 2 + p, s), 0) for s, p in zip(spare, pan, strict=True)
    ]
    return Layout(
        bar=Rect(0, 0, width, BAR),
        field=field,
        panel=Rect(width - panel_width, BAR, panel_width, height - BAR - bottom),
        timeline=Rect(0, height - bottom, width, bottom) if has_timeline else None,
        cell=cell,
        origin=(field.left + shift[0], field.top + shift[1]),
        rows=rows,
        cols=cols,
    )
