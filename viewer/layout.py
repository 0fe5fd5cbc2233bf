"""The layout of a window of any size and scale, for drawing and for the mouse."""

from dataclasses import dataclass

from jaxsweep.rules.board import Cell
from viewer.events import Point

BAR = 48
"""Height of the bar on top; all sizes are in pixels of a window at scale 1."""

TOOLBAR = 44
"""Height of the row of the mode's buttons."""

TIMELINE, MAX_TIMELINE = 104, 190
"""Least and greatest height of the timeline: it takes what a wide board leaves."""

PANEL, MAX_PANEL, LOW_PANEL = 280, 320, 318
"""Least and greatest width of the panel beside the board; its height under it."""

STATUS = 30
"""Height of the line at the foot that takes the place of a panel."""

AXIS = 38
"""Width of the figures left of the curve."""

MARGIN = 14
MIN_SIZE = (320, 240)
MIN_CELL, MAX_CELL = 4, 320
"""Of cells, in pixels at any scale."""

SCALES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""Factors for everything but the board, which fills its place."""

DESIGNED_FOR = (1920, 1080)
"""The screen on which everything has scale 1."""


@dataclass(frozen=True)
class Rect:
    """A rectangle in pixels."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column of pixels right of it."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """The first row of pixels under it."""
        return self.top + self.height

    @property
    def middle(self) -> Point:
        """The point in its middle."""
        return self.left + self.width // 2, self.top + self.height // 2

    def has(self, at: Point) -> bool:
        """Whether a point lies in it."""
        return self.left <= at[0] < self.right and self.top <= at[1] < self.bottom

    def inset(self, across: int, down: int) -> "Rect":
        """Returns a smaller rectangle in its middle."""
        across, down = min(across, self.width // 2), min(down, self.height // 2)
        return Rect(
            self.left + across, self.top + down, self.width - 2 * across, self.height - 2 * down
        )


def fit_screen(size: Point, screen: Point, scale: float | None = None) -> tuple[Point, float]:
    """Returns the size of a window that is `size` at scale 1, and a scale, for a screen."""
    if scale is None:
        share = min(screen[0] / DESIGNED_FOR[0], screen[1] / DESIGNED_FOR[1])
        scale = max(each for each in SCALES if each <= max(share, 1.0))
    # A part is left for the edges of the window and the bars of the desktop.
    width = min(round(size[0] * scale), screen[0] * 95 // 100)
    return (width, min(round(size[1] * scale), screen[1] * 88 // 100)), scale


@dataclass(frozen=True)
class Layout:
    """The rectangles of the window, and the place and size of the board's cells."""

    scale: float
    bar: Rect
    toolbar: Rect
    field: Rect
    """Where the board may be drawn."""
    panel: Rect
    timeline: Rect | None
    brushes: Rect | None
    """The row of brushes in analyse mode."""
    status: Rect | None
    """A line for what the panel would say first, where there is no panel."""
    cell: int
    max_cell: int
    """The largest cell, however far one zooms."""
    origin: Point
    rows: int
    cols: int

    def px(self, length: float) -> int:
        """Returns a length in pixels; its argument is one at scale 1."""
        return round(length * self.scale)

    def cell_at(self, at: Point) -> Cell | None:
        """Returns the board's cell at a point of the window; None outside of the board."""
        if not self.field.has(at):
            return None
        col, row = ((at[i] - self.origin[i]) // self.cell for i in range(2))
        return (row, col) if 0 <= row < self.rows and 0 <= col < self.cols else None

    def place(self, cell: Cell) -> Point:
        """Returns the top left corner of a cell."""
        return self.origin[0] + cell[1] * self.cell, self.origin[1] + cell[0] * self.cell

    def plot(self) -> Rect:
        """Returns the part of the timeline that stands for the moves of a game."""
        place = self.timeline or Rect(0, 0, 0, 0)
        return Rect(
            place.left + self.px(MARGIN + AXIS),
            place.top + self.px(28),
            max(place.width - self.px(2 * MARGIN + AXIS), 1),
            max(place.height - self.px(46), 1),
        )

    def move_at(self, across: int, moves: int) -> int:
        """Returns how many of a game's moves come before a place of the timeline."""
        share = (across - self.plot().left) / max(self.plot().width - 1, 1)
        return round(min(max(share, 0.0), 1.0) * moves)

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
    size: Point,
    board: tuple[int, int],
    zoom: float,
    pan: Point,
    has_timeline: bool,
    scale: float = 1.0,
    has_panel: bool = True,
    has_brushes: bool = False,
) -> Layout:
    """Lays out a window: the board as large as fits, times `zoom`, moved by `pan`.

    The panel is beside the board, or under it where that leaves the board larger.
    """
    size = max(size[0], MIN_SIZE[0]), max(size[1], MIN_SIZE[1])

    def arranged(panel: Point, zoom: float) -> Layout:
        return _arrange(size, board, zoom, pan, panel, has_timeline, has_brushes, scale)

    panels = _panel_sizes(size, scale) if has_panel else [(0, 0)]
    return arranged(max(panels, key=lambda panel: arranged(panel, 1.0).cell), zoom)


def _panel_sizes(size: Point, scale: float) -> list[Point]:
    """Returns the width of a panel beside the board, and the height of one under it; 0: none."""
    (width, height), sizes = size, []
    if width >= 2.6 * PANEL * scale:
        beside = max(width * 24 // 100, round(PANEL * scale))
        sizes.append((min(beside, round(MAX_PANEL * scale)), 0))
    if width >= 2 * PANEL * scale and height >= 2.6 * LOW_PANEL * scale:
        sizes.append((0, round(LOW_PANEL * scale)))
    return sizes or [(0, 0)]


def _arrange(
    size: Point,
    board: tuple[int, int],
    zoom: float,
    pan: Point,
    panel: Point,
    has_timeline: bool,
    has_brushes: bool,
    scale: float,
) -> Layout:
    """Lays out a window with a panel of one of its sizes."""

    def px(length: float) -> int:
        return round(length * scale)

    (width, height), (rows, cols), margin = size, board, px(MARGIN)
    status = 0 if any(panel) else min(px(STATUS), height)
    left, floor = width - panel[0], height - panel[1] - status
    top = px(BAR + TOOLBAR)
    across, room = max(left - 2 * margin, 1), max(floor - top, 1)
    bottom = px(TOOLBAR) if has_brushes else 0
    if has_timeline:
        bottom = min(px(TIMELINE), room // 3)
        fit = min(across / cols, (room - bottom - 2 * margin) / rows)
        spare = room - 2 * margin - int(rows * min(fit, MAX_CELL))
        bottom = min(max(bottom, spare), max(px(MAX_TIMELINE), bottom))
    field = Rect(margin, top + margin, across, max(room - bottom - 2 * margin, 1))
    fit = min(field.width / cols, field.height / rows)
    # However large, some cells are in view at once.
    largest = int(min(max(min(field.width, field.height) // 2, fit, MIN_CELL), MAX_CELL))
    cell = int(min(max(fit * zoom, MIN_CELL), largest))
    foot = Rect(0, floor - bottom, left, bottom)
    is_below = panel[1] > 0
    return Layout(
        scale=scale,
        bar=Rect(0, 0, width, px(BAR)),
        toolbar=Rect(0, px(BAR), left, px(TOOLBAR)),
        field=field,
        panel=Rect(0, floor, width, panel[1])
        if is_below
        else Rect(left, px(BAR), panel[0], height - px(BAR)),
        timeline=foot if has_timeline else None,
        brushes=foot if has_brushes else None,
        status=Rect(0, floor, width, status) if status else None,
        cell=cell,
        max_cell=largest,
        origin=_origin(field, (cols * cell, rows * cell), pan),
        rows=rows,
        cols=cols,
    )


def _origin(field: Rect, extent: Point, pan: Point) -> Point:
    """Returns the top left corner of a board of so many pixels.

    A board smaller than the field is centred; a larger one can be moved, but not away.
    """
    shift = []
    for room, own, moved in zip((field.width, field.height), extent, pan, strict=True):
        spare = room - own
        shift.append(spare // 2 if spare >= 0 else min(max(spare // 2 + moved, spare), 0))
    return field.left + shift[0], field.top + shift[1]
