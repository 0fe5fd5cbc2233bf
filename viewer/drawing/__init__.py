"""Draws a model onto any surface. Only pictures of tiles and texts are cached between frames."""

from pygame import Surface

from viewer.drawing.bar import draw_bar
from viewer.drawing.board import draw_field
from viewer.drawing.dialogs import draw_help, draw_menu
from viewer.drawing.panel import draw_panel
from viewer.drawing.timeline import draw_timeline
from viewer.model import Model
from viewer.theme import DARK, LIGHT

__all__ = ["draw"]


def draw(surface: Surface, model: Model) -> None:
    """Draws the whole window."""
    theme, layout = (DARK if model.dark else LIGHT), model.layout
    surface.fill(theme.background)
    draw_field(surface, model, theme, layout)
    draw_bar(surface, model, theme, layout)
    draw_panel(surface, model, theme, layout)
    if layout.timeline is not None:
        draw_timeline(surface, model.playback, theme, layout.timeline)
    if model.menu is not None:
        draw_menu(surface, model.menu, theme)
    if model.shows_help:
        draw_help(surface, theme)
