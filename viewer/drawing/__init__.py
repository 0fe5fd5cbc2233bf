"""Draws a model onto any surface. Only pictures of tiles and texts are cached between frames."""

from pygame import Surface

from viewer.drawing.bar import draw_bars, draw_more
from viewer.drawing.board import draw_field
from viewer.drawing.buttons import draw_tooltip
from viewer.drawing.canvas import Canvas
from viewer.drawing.dialogs import draw_dialogs
from viewer.drawing.panel import draw_panel
from viewer.drawing.start_screen import draw_start_screen
from viewer.drawing.timeline import draw_timeline
from viewer.model import Model
from viewer.theme import DARK, LIGHT
from viewer.timeline import timeline_of

__all__ = ["draw"]


def draw(surface: Surface, model: Model) -> None:
    """Draws the whole window."""
    theme, layout = (DARK if model.dark else LIGHT), model.layout
    canvas = Canvas(surface, theme, model.scale)
    if model.shows_start:
        draw_start_screen(canvas, model)
    else:
        surface.fill(theme.background)
        draw_field(canvas, model, layout)
        draw_bars(canvas, model, layout)
        draw_panel(canvas, model, layout)
        _draw_timeline(canvas, model)
        draw_more(canvas, model)
    draw_dialogs(canvas, model)
    draw_tooltip(canvas, model)


def _draw_timeline(canvas: Canvas, model: Model) -> None:
    """Draws the timeline of the game that is shown, if the mode has one."""
    rect, playback = model.layout.timeline, model.playback
    if rect is None or playback is None:
        return
    if not playback.moves:
        canvas.box(rect, canvas.theme.panel)
        return
    pointed = None
    if model.pointer is not None and rect.has(model.pointer) and not model.has_dialog:
        pointed = model.layout.move_at(model.pointer[0], len(playback.moves))
    draw_timeline(canvas, timeline_of(playback), rect, model.layout.plot(), pointed)
