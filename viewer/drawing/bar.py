"""The bar on top, the buttons of the mode, and the brushes of analyse mode."""

from viewer.buttons import PlacedButton
from viewer.drawing.buttons import draw_button
from viewer.drawing.canvas import Canvas
from viewer.layout import Layout, Rect
from viewer.model import Model
from viewer.more_menu import more_box, more_buttons
from viewer.toolbars import bar_buttons, brush_buttons, tool_buttons


def draw_bars(canvas: Canvas, model: Model, layout: Layout) -> None:
    """Draws all rows of buttons."""
    theme = canvas.theme
    _draw_row(canvas, model, layout.bar, bar_buttons(model))
    _draw_row(canvas, model, layout.toolbar, tool_buttons(model))
    if layout.brushes is not None:
        _draw_row(canvas, model, layout.brushes, brush_buttons(model))
        canvas.box(Rect(0, layout.brushes.top, layout.brushes.width, 1), theme.grid)
    canvas.box(Rect(0, layout.bar.bottom - 1, layout.bar.width, 1), theme.grid)
    canvas.box(Rect(0, layout.toolbar.bottom - 1, layout.toolbar.width, 1), theme.grid)


def _draw_row(canvas: Canvas, model: Model, rect: Rect, buttons: tuple[PlacedButton, ...]) -> None:
    canvas.box(rect, canvas.theme.panel)
    for placed in buttons:
        draw_button(canvas, model, placed, canvas.theme.panel)


def draw_more(canvas: Canvas, model: Model) -> None:
    """Draws the list of the buttons that have no room in their row, if it is open."""
    box = more_box(model)
    if box is None or model.has_dialog:
        return
    canvas.framed(box, canvas.theme.panel, canvas.theme.grid, 10)
    for placed in more_buttons(model):
        draw_button(canvas, model, placed, canvas.theme.panel)
