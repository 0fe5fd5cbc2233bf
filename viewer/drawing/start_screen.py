"""The start screen, drawn over everything."""

from viewer.drawing.buttons import draw_button, is_down, is_hovered
from viewer.drawing.canvas import Canvas
from viewer.drawing.text import SMALL, TEXT, Weight, fold
from viewer.layout import STATUS, Rect
from viewer.model import Model
from viewer.panel_text import capitalised
from viewer.start_screen import GAP, Card, corner_buttons, start_cards, start_title
from viewer.theme import blend

SUBTITLE = "Minesweeper with exact odds and strong players"

LINE = 21
"""The height of a line of text, at scale 1."""


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
    if model.message:
        foot = Rect(0, model.size[1] - px(STATUS), model.size[0], px(STATUS))
        canvas.box(foot, blend(theme.panel, theme.accent, 0.12))
        words = foot.inset(px(GAP), 0)
        canvas.text_in(capitalised(model.message), words, SMALL, weight=Weight.MEDIUM)
    for placed in corner_buttons(model):
        draw_button(canvas, model, placed, theme.background)


def _shown(sentences: tuple[str, ...], width: int, most: int, height: int) -> tuple[str, ...]:
    """Returns the lines of as many whole sentences as fit into so many lines."""
    lines: tuple[str, ...] = ()
    for count in range(1, len(sentences) + 1):
        longer = fold(" ".join(sentences[:count]), width, height)
        if len(longer) > most:
            return lines
        lines = longer
    return lines


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
    for line in _shown(card.text, inside.width, (foot - top) // px(LINE), px(TEXT)):
        canvas.text(line, (inside.left, top), TEXT, theme.faint)
        top += px(LINE)
    ground = blend(face, theme.text, 0.07)
    for option in card.options:
        canvas.box(option.rect, ground, 7)
        draw_button(canvas, model, option, ground)
