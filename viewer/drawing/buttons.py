"""Buttons: at rest, under the mouse, pressed, switched on, in focus, and not to be pressed."""

from viewer.buttons import GAP, ICON, LETTER, PADDING, PlacedButton
from viewer.controls import explained
from viewer.drawing.canvas import Canvas
from viewer.drawing.text import SMALL, Weight
from viewer.events import LEFT
from viewer.layout import Rect
from viewer.model import Model
from viewer.theme import Colour, blend

RADIUS = 7


def is_hovered(model: Model, placed: PlacedButton) -> bool:
    """Whether the mouse is on a button that can be pressed."""
    on = model.pointer is not None and placed.rect.has(model.pointer)
    return on and placed.button.enabled


def is_down(model: Model, placed: PlacedButton) -> bool:
    """Whether a button is being pressed."""
    if LEFT not in model.held or model.pressed_at is None:
        return False
    return is_hovered(model, placed) and placed.rect.has(model.pressed_at)


def draw_button(canvas: Canvas, model: Model, placed: PlacedButton, ground: Colour) -> None:
    """Draws a button on a ground of a colour."""
    theme, button, rect = canvas.theme, placed.button, placed.rect
    face, ink = ground, theme.text
    if button.primary and button.enabled:
        face, ink = theme.accent, theme.on_accent
    elif button.chosen:
        face = blend(ground, theme.accent, 0.2)
    if is_down(model, placed):
        face = blend(face, theme.text, 0.22)
    elif is_hovered(model, placed):
        face = blend(face, theme.text, 0.09)
    if not button.enabled:
        ink = blend(ground, theme.text, 0.3)
    if model.focus == button.name:
        far = canvas.px(3)
        around = Rect(rect.left - far, rect.top - far, rect.width + 2 * far, rect.height + 2 * far)
        canvas.framed(around, ground, theme.text, RADIUS + 3, 2)
    if button.chosen:
        canvas.framed(rect, face, theme.accent, RADIUS, 1.5)
    elif face != ground:
        canvas.box(rect, face, RADIUS)
    _draw_content(canvas, placed, ink)


def _draw_content(canvas: Canvas, placed: PlacedButton, ink: Colour) -> None:
    """Draws the icon and the label, together in the middle."""
    button, rect, px = placed.button, placed.rect, canvas.px
    label = button.label if placed.has_label or not button.icon else ""
    if not label:
        canvas.icon(button.icon, rect, ICON, ink)
        return
    icon = px(ICON + 6) if button.icon else 0
    room = rect.width - icon - px(PADDING)
    width = min(canvas.width(label, LETTER, Weight.MEDIUM), room)
    left = rect.left + (rect.width - icon - width) // 2
    if icon:
        canvas.icon(button.icon, Rect(left, rect.top, px(ICON), rect.height), ICON, ink)
    place = Rect(left + icon, rect.top, max(room, width), rect.height)
    canvas.text_in(label, place, LETTER, ink, Weight.MEDIUM)


def draw_tooltip(canvas: Canvas, model: Model) -> None:
    """Draws what the button under the mouse does, and its key."""
    placed = explained(model)
    if placed is None or not (placed.button.tip or placed.button.key):
        return
    theme, px, button = canvas.theme, canvas.px, placed.button
    tip = canvas.width(button.tip, SMALL)
    key = canvas.width(button.key, SMALL, Weight.BOLD) + px(12) if button.key else 0
    gap = px(8) if button.tip and button.key else 0
    width, height = tip + gap + key + px(20), px(30)
    left = min(max(placed.rect.middle[0] - width // 2, px(GAP)), model.size[0] - width - px(GAP))
    top = placed.rect.bottom + px(5)
    if top + height > model.size[1]:
        top = placed.rect.top - height - px(5)
    box = Rect(left, top, width, height)
    canvas.box(box, theme.text, 6)
    ground = theme.panel
    canvas.text_in(button.tip, Rect(left + px(10), top, tip, height), SMALL, ground)
    if button.key:
        cap = Rect(box.right - px(10) - key, top + px(5), key, height - px(10))
        canvas.box(cap, blend(theme.text, ground, 0.25), 4)
        canvas.text_in(button.key, cap, SMALL, ground, Weight.BOLD, "middle")
