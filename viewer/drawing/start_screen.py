"""The start screen, drawn over everything."""

from viewer.drawing.buttons import draw_button, is_down, is_hovered
from viewer.drawing.canvas import Canvas
from viewer.drawing.text import TEXT, Weight, fold
from viewer.layout import Rect
from viewer.model import Model
from viewer.start_screen import GAP, Card, start_cards, start_title
from viewer.theme import blend

SUBTITLE = "Minesweeper with exact odds and strong players"


def draw_start_screen(canvas: Canvas, model: Model) -> None:
    """Draws the title and the cards."""
    theme, px = canvas.theme, canvas.px
    canvas.surface.fill(theme.background)
    title = start_title(model)
    side = px(40)
    if title.height >= side and title.top + side < start_cards(model)[0].card.rect.top:
        top = title.top + (title.height - side) // 2
        canvas.icon("logo", Rect(title.left, top, side, side), 38, theme.accent)
        canvas.text("jaxsweep", (title.left + px(54), top - px(10)), 32, weight=Weight.BOLD)
        canvas.text(SUBTITLE, (title.left + px(55), top + px(30)), TEXT, theme.faint)
    for card in start_cards(model):
        _draw_card(canvas, model, card)


def _draw_card(canvas: Canvas, model: Model, card: Card) -> None:
    theme, px, rect = canvas.theme, canvas.px, card.card.rect
    on_option = any(is_hovered(model, option) for option in card.options)
    face, hovered = theme.panel, is_hovered(model, card.card) and not on_option
    if hovered:
        face = blend(theme.panel, theme.accent, 0.16 if is_down(model, card.card) else 0.07)
    focused = model.focus == card.card.button.name
    edge = theme.text if focused else theme.accent if hovered else theme.grid
    canvas.framed(rect, face, edge, 12, 2 if focused else 1)
    inside = rect.inset(px(GAP), px(GAP))
    icon = Rect(inside.left, inside.top, px(24), px(24))
    canvas.icon(card.card.button.icon, icon, 22, theme.accent)
    heading = Rect(icon.right + px(10), inside.top, inside.width - px(34), px(24))
    canvas.text_in(card.card.button.label, heading, 19, weight=Weight.BOLD)
    top = inside.top + px(34)
    foot = card.options[0].rect.top if card.options else rect.bottom - px(6)
    for line in fold(card.text, inside.width, px(TEXT)):
        if top + px(20) > foot:
            break
        canvas.text(line, (inside.left, top), TEXT, theme.faint)
        top += px(21)
    ground = blend(face, theme.text, 0.07)
    for option in card.options:
        canvas.box(option.rect, ground, 7)
        draw_button(canvas, model, option, ground)
