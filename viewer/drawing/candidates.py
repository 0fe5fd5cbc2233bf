"""The candidates as bars: the chance to win where it was evaluated, and the risk."""

from viewer.drawing.canvas import Canvas
from viewer.drawing.text import SMALL, Weight
from viewer.inspection import Row, cell_name, inspected_cell, shown_rows, wins_are_exact
from viewer.layout import Rect
from viewer.model import Model
from viewer.panel_layout import PanelPlaces
from viewer.theme import Colour, blend

CELL, RISK, FIGURES = 66, 92, 46
"""Widths at scale 1: of a cell's name, of the column of risks, and of a percentage."""


def draw_candidates(canvas: Canvas, model: Model, places: PanelPlaces) -> None:
    """Draws the list of what a player weighs; the best cell first."""
    rows, theme, px, head = shown_rows(model), canvas.theme, canvas.px, places.table_head
    analysis = None if model.result is None else model.result.analysis
    if analysis is None:
        return
    if not rows:
        if analysis.safe.any():
            canvas.text_in("Nothing to weigh: safe cells are known", head, SMALL, theme.faint)
        return
    weighs = rows[0].win is not None
    canvas.box(Rect(head.left, head.top, head.width, 1), theme.grid)
    canvas.text_in("Cell", head, SMALL, theme.faint)
    win, risk = _columns(canvas, head, weighs)
    if weighs:
        canvas.text_in(
            "Wins, exactly" if wins_are_exact(analysis) else "Wins, about", win, SMALL, theme.faint
        )
    canvas.text_in("Risk", risk, SMALL, theme.faint)
    inspected = inspected_cell(model)
    for i, (row, place) in enumerate(zip(rows, places.rows, strict=False)):
        if row.cell == inspected:
            around = Rect(place.left - px(8), place.top, place.width + px(16), place.height)
            canvas.box(around, blend(theme.panel, theme.accent, 0.12), 6)
        _draw_row(canvas, row, place, i == 0, weighs)


def _columns(canvas: Canvas, rect: Rect, weighs: bool) -> tuple[Rect, Rect]:
    """Returns the places of win probability and risk in a row."""
    px = canvas.px
    left = rect.left + px(CELL)
    split = rect.right - px(RISK) if weighs else left
    win = Rect(left, rect.top, max(split - left - px(10), 0), rect.height)
    return win, Rect(split, rect.top, rect.right - split, rect.height)


def _draw_row(canvas: Canvas, row: Row, place: Rect, is_best: bool, weighs: bool) -> None:
    theme, px = canvas.theme, canvas.px
    weight = Weight.BOLD if is_best else Weight.REGULAR
    name = Rect(place.left, place.top, px(CELL), place.height)
    if is_best:
        side = px(6)
        dot = Rect(name.left - side - px(2), place.middle[1] - side // 2, side, side)
        canvas.box(dot, theme.best, 2)
    canvas.text_in(cell_name(row.cell), name, 13, weight=weight)
    win, risk = _columns(canvas, place, weighs)
    if weighs and row.win is not None:
        _draw_bar(canvas, win, row.win, theme.accent, weight)
    _draw_bar(canvas, risk, row.risk, theme.mine, weight)


def _draw_bar(canvas: Canvas, rect: Rect, share: float, colour: Colour, weight: Weight) -> None:
    """Draws a probability as a bar, and its percentage on the right."""
    theme, px = canvas.theme, canvas.px
    figures = Rect(rect.right - px(FIGURES), rect.top, px(FIGURES), rect.height)
    canvas.text_in(f"{share:.1%}", figures, SMALL, weight=weight, side="right")
    width, height = max(rect.width - px(FIGURES) - px(2), 0), px(8)
    track = Rect(rect.left, rect.middle[1] - height // 2, width, height)
    canvas.box(track, theme.raised, 4)
    filled = round(width * min(max(share, 0.0), 1.0))
    if filled:
        canvas.box(Rect(track.left, track.top, max(filled, 2), height), colour, 4)
