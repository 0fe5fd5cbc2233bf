"""Draws a timeline: a curve from 0 to 100 %, the risk of each guess, marks, and the place."""

import pygame

from viewer.drawing.canvas import Canvas
from viewer.drawing.text import SMALL, Weight
from viewer.events import Point
from viewer.layout import AXIS, MARGIN, Rect
from viewer.theme import blend
from viewer.timeline import Timeline, describe

KNOB, MARK, FIGURE = 5, 6, 13
"""Radius of the knob, size of a mark, and height of a figure, at scale 1."""


def draw_timeline(
    canvas: Canvas, timeline: Timeline, rect: Rect, plot: Rect, pointed: int | None
) -> None:
    """Draws a timeline; `pointed` is the number of moves before the place under the mouse."""
    theme, px = canvas.theme, canvas.px
    canvas.box(rect, theme.panel)
    canvas.box(Rect(rect.left, rect.top, rect.width, 1), theme.grid)
    head = Rect(rect.left, rect.top + px(5), rect.width, px(20)).inset(px(MARGIN), 0)
    if pointed is None:
        canvas.text_in(timeline.note, head, SMALL, theme.faint, side="right")
        canvas.text_in(timeline.title, head, SMALL, theme.faint, Weight.MEDIUM)
    else:
        canvas.text_in(describe(timeline, pointed).capitalize(), head, SMALL, weight=Weight.MEDIUM)
    for share in (0.0, 0.5, 1.0):
        down = _down(plot, share)
        canvas.box(Rect(plot.left, down, plot.width, 1), theme.grid)
    _draw_curve(canvas, timeline, plot)
    _draw_risks(canvas, timeline, plot)
    figures = (0.0, 0.5, 1.0) if plot.height >= px(3 * FIGURE) else (0.0, 1.0)
    for share in figures if plot.height >= px(2 * FIGURE) else ():
        place = Rect(
            rect.left + px(MARGIN), _down(plot, share) - px(FIGURE) // 2, px(AXIS - 6), px(FIGURE)
        )
        canvas.text_in(f"{share:.0%}", place, 10, theme.faint, side="right")
    _draw_marks(canvas, timeline, plot)
    if pointed is not None:
        canvas.box(Rect(_across(timeline, plot, pointed), plot.top, 1, plot.height), theme.faint)
    here = _across(timeline, plot, timeline.at)
    width = max(px(2), 1)
    canvas.box(Rect(here - width // 2, plot.top - px(2), width, plot.height + px(6)), theme.text)
    knob = (here, plot.top - px(2))
    canvas.disc(knob, KNOB, theme.text)


def _across(timeline: Timeline, plot: Rect, at: float) -> int:
    return plot.left + round(at * (plot.width - 1) / max(timeline.moves, 1))


def _down(plot: Rect, share: float) -> int:
    return plot.top + round((1.0 - share) * (plot.height - 1))


def _draw_curve(canvas: Canvas, timeline: Timeline, plot: Rect) -> None:
    """Draws the curve and the area under it; dots where it is known, if they are few."""
    theme, surface = canvas.theme, canvas.surface
    points = [(_across(timeline, plot, at), _down(plot, share)) for at, share in timeline.curve]
    if len(points) >= 2:
        floor = _down(plot, 0.0)
        area = [(points[0][0], floor), *points, (points[-1][0], floor)]
        pygame.draw.polygon(surface, blend(theme.panel, theme.accent, 0.14), area)
        pygame.draw.lines(surface, theme.accent, False, points, max(canvas.px(2), 1))
        pygame.draw.aalines(surface, theme.accent, False, points)
    if len(points) * canvas.px(40) < plot.width:
        for point in points:
            canvas.disc(point, 3, theme.accent)


def _draw_risks(canvas: Canvas, timeline: Timeline, plot: Rect) -> None:
    """Draws a bar for each guess: of full height it would be a certain mine."""
    theme = canvas.theme
    for i, risk in enumerate(timeline.risks):
        if risk is None:
            continue
        left, right = _across(timeline, plot, i), _across(timeline, plot, i + 1)
        width = min(max(right - left - 1, 2), canvas.px(10))
        top = _down(plot, min(max(risk, 0.03), 1.0))
        middle = (left + right) // 2
        bar = Rect(middle - width // 2, top, width, plot.bottom - top)
        canvas.box(bar, blend(theme.panel, theme.mine, 0.75))


def _draw_marks(canvas: Canvas, timeline: Timeline, plot: Rect) -> None:
    """Draws marks under the curve: a triangle for a mistake, a dot for what is worth a look."""
    theme, size = canvas.theme, canvas.px(MARK)
    for mark in timeline.marks:
        middle: Point = (_across(timeline, plot, mark.move + 0.5), plot.bottom + size)
        colour = theme.mine if mark.is_bad else theme.warning
        if mark.is_bad:
            corners = [
                (middle[0], middle[1] - size),
                (middle[0] - size, middle[1] + size // 2),
                (middle[0] + size, middle[1] + size // 2),
            ]
            pygame.draw.polygon(canvas.surface, colour, corners)
        else:
            canvas.disc(middle, MARK / 2, colour)
