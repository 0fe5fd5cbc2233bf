"""The panel next to the board: the game, messages, and what the engine says of the position."""

from collections.abc import Sequence

from jaxsweep.beliefs import Status
from jaxsweep.single.grading.report import MISTAKE
from jaxsweep.single.words import count, layouts_in_words
from viewer.drawing.buttons import is_hovered
from viewer.drawing.candidates import draw_candidates
from viewer.drawing.canvas import Canvas
from viewer.drawing.cell_card import draw_cell_card
from viewer.drawing.shapes import clipped
from viewer.drawing.text import HEADING, LARGE, SMALL, Weight, fold
from viewer.inspection import cell_name
from viewer.layout import MARGIN, Layout, Rect
from viewer.model import Mode, Model
from viewer.panel_layout import PanelPlaces, panel_places
from viewer.panel_text import (
    HOW_TO_PLAY,
    Note,
    Tone,
    counters,
    details,
    facts,
    is_summed_up,
    note,
    summary,
    title,
)
from viewer.theme import Colour, Theme, blend
from viewer.turning_points import effect, turning_buttons, turning_points

LINE = 20
"""The height of a line of text, at scale 1."""

NOTE_LINES = 4
"""The most lines of a note; the rest of a longer one is on the timeline."""


def draw_panel(canvas: Canvas, model: Model, layout: Layout) -> None:
    """Draws the panel, or in a window without one a line at its foot."""
    panel = layout.panel
    if layout.status is not None:
        _draw_status(canvas, model, layout.status)
        return
    theme, places = canvas.theme, panel_places(layout)
    canvas.box(panel, theme.panel)
    edge = (panel.width, 1) if panel.left == 0 else (1, panel.height)
    canvas.box(Rect(panel.left, panel.top, *edge), theme.grid)
    with clipped(canvas.surface, panel):
        _draw_header(canvas, model, places.header)
        news = note(model)
        if news is not None:
            _draw_note(canvas, news, places.note)
        if model.is_advised:
            _draw_summary(canvas, model, places.summary)
            if is_summed_up(model):
                _draw_turning_points(canvas, model, places)
                return
            draw_candidates(canvas, model, places)
            if places.card is not None:
                draw_cell_card(canvas, model, places.card)
        elif model.mode is Mode.PLAY:
            _draw_game(canvas, model, places)


def _draw_status(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws what the game is, and the latest news of it, in a line."""
    theme, px = canvas.theme, canvas.px
    canvas.box(rect, theme.panel)
    canvas.box(Rect(rect.left, rect.top, rect.width, 1), theme.grid)
    line = rect.inset(px(MARGIN), 0)
    canvas.text_in(title(model), line, SMALL, weight=Weight.BOLD)
    left = line.left + canvas.width(title(model), SMALL, Weight.BOLD) + px(MARGIN)
    news = note(model)
    if news is None or is_summed_up(model):
        news = summary(model) if model.is_advised else None
    words = details(model)[0] if news is None else news.text
    if news is not None:
        canvas.box(Rect(left, line.middle[1] - px(7), px(4), px(14)), _colour(theme, news), 2)
        left += px(10)
    place = Rect(left, line.top, max(line.right - left, 1), line.height)
    canvas.text_in(words, place, SMALL, theme.faint if news is None else theme.text)


def _colour(theme: Theme, news: Note) -> Colour:
    """Returns the colour beside a note."""
    return {
        Tone.NEWS: theme.accent,
        Tone.GOOD: theme.safe,
        Tone.GUESS: theme.warning,
        Tone.BAD: theme.mine,
    }[news.tone]


def _draw_header(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws what the game or the position is."""
    theme, px = canvas.theme, canvas.px
    if model.mode is Mode.PLAY:
        _draw_counters(canvas, model, rect)
        return
    heading = Rect(rect.left, rect.top, rect.width, px(28))
    canvas.text_in(title(model), heading, 21, weight=Weight.BOLD)
    for i, line in enumerate(details(model)):
        place = Rect(rect.left, rect.top + px(30 + i * LINE), rect.width, px(LINE))
        canvas.text_in(line, place, SMALL, theme.faint)


def _draw_counters(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws the mines that are left and the time, large, and the level under them."""
    theme, px, half = canvas.theme, canvas.px, rect.width // 2
    for i, (number, what) in enumerate(zip(counters(model), ("mines left", "time"), strict=True)):
        left = rect.left + i * half
        width = canvas.text(number, (left, rect.top - px(4)), LARGE + 4, weight=Weight.BOLD)
        canvas.text(what, (left + width + px(6), rect.top + px(14)), SMALL, theme.faint)
    for i, words in enumerate(fold(details(model)[0], rect.width, px(SMALL))[:2]):
        line = Rect(rect.left, rect.top + px(40 + 17 * i), rect.width, px(LINE))
        canvas.text_in(words, line, SMALL, theme.faint)


def _draw_note(canvas: Canvas, news: Note, rect: Rect) -> None:
    """Draws a note in a box with a coloured edge."""
    theme, px, colour = canvas.theme, canvas.px, _colour(canvas.theme, news)
    lines = fold(news.text, rect.width - px(22), px(13), Weight.MEDIUM)[:NOTE_LINES]
    box = Rect(rect.left, rect.top, rect.width, px(14 + 18 * len(lines)))
    canvas.box(box, blend(theme.panel, colour, 0.12), 6)
    canvas.box(Rect(box.left, box.top, px(4), box.height), colour, 2)
    for i, line in enumerate(lines):
        at = (box.left + px(14), box.top + px(6 + 18 * i))
        canvas.text(line, at, 13, theme.text, Weight.MEDIUM)


def _draw_summary(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws the layouts, the certain cells, the best cell and why it is the best.

    At the end of a graded game it sums the game up; of a position that cannot be, it says why.
    """
    theme, px, result = canvas.theme, canvas.px, model.result
    told = summary(model)
    if told is None:
        return
    if told.tone is Tone.BAD:
        _draw_note(canvas, told, rect)
        return
    analysis = None if result is None else result.analysis
    if analysis is None or is_summed_up(model):
        _draw_folded(canvas, told.text, rect, theme.text if is_summed_up(model) else theme.faint)
        return
    found = analysis.status.message
    if analysis.status is Status.EXACT:
        found = layouts_in_words(analysis.layouts, analysis.log10_layouts)
    certain = f"{int(analysis.safe.sum())} safe, {count(int(analysis.certain_mines.sum()), 'mine')}"
    best = "none" if analysis.best is None else cell_name(analysis.best)
    rows = (("Possible", found), ("Certain", certain), ("Best cell", best))
    _draw_rows(canvas, rows, rect)
    reason = Rect(rect.left, rect.top + px(70), rect.width, rect.height - px(70))
    _draw_folded(canvas, told.text, reason, theme.faint)


def _draw_rows(
    canvas: Canvas, rows: Sequence[tuple[str, str]], rect: Rect, indent: float = 86
) -> int:
    """Draws names and their values under each other, as many as fit; returns how high they are."""
    theme, px = canvas.theme, canvas.px
    for i, (name, value) in enumerate(rows):
        top = rect.top + px(i * 22)
        if top + px(22) > rect.bottom:
            return px(i * 22)
        canvas.text(name, (rect.left, top), 13, theme.faint)
        width = max(rect.width - px(indent), 1)
        place = Rect(rect.left + px(indent), top, width, px(LINE - 3))
        canvas.text_in(value, place, 13, weight=Weight.MEDIUM)
    return px(len(rows) * 22)


def _draw_turning_points(canvas: Canvas, model: Model, places: PanelPlaces) -> None:
    """Draws the moves that mattered, and what each did to the chance to win."""
    theme, head = canvas.theme, places.table_head
    moves = turning_points(model)
    if not moves:
        return
    canvas.box(Rect(head.left, head.top, head.width, 1), theme.grid)
    canvas.text_in("Moves that mattered", head, SMALL, theme.faint)
    for move, placed in zip(moves, turning_buttons(model), strict=True):
        rect = placed.rect
        is_focus = model.focus == placed.button.name
        if is_focus or is_hovered(model, placed):
            far = canvas.px(8)
            around = Rect(rect.left - far, rect.top, rect.width + 2 * far, rect.height)
            canvas.box(around, blend(theme.panel, theme.accent, 0.2 if is_focus else 0.12), 6)
        side = canvas.px(8)
        colour = theme.mine if move.loss >= MISTAKE else theme.warning
        canvas.box(Rect(rect.left, rect.middle[1] - side // 2, side, side), colour, 2)
        words = Rect(rect.left + 2 * side, rect.top, rect.width - 2 * side, rect.height)
        canvas.text_in(placed.button.label, words, 13, weight=Weight.MEDIUM)
        canvas.text_in(effect(move), words, 13, side="right")


def _draw_folded(canvas: Canvas, text: str, rect: Rect, colour: tuple[int, int, int]) -> None:
    """Draws as many lines of a text as there is room for."""
    px = canvas.px
    for i, line in enumerate(fold(text, rect.width, px(SMALL))):
        if px((i + 1) * 16) > rect.height:
            return
        canvas.text(line, (rect.left, rect.top + px(i * 16)), SMALL, colour)


def _draw_game(canvas: Canvas, model: Model, places: PanelPlaces) -> None:
    """Draws what the person's game came to, or how it is played, and the leaderboard."""
    rect, game = places.rest, model.play.game
    if game.metrics is not None:
        rect = _draw_part(canvas, "This game", facts(game.metrics), rect)
    elif game.session.opening is None:
        rect = _draw_part(canvas, "How to play", HOW_TO_PLAY, rect, 118)
    _draw_leaderboard(canvas, model, rect)


def _draw_part(
    canvas: Canvas, name: str, rows: Sequence[tuple[str, str]], rect: Rect, indent: float = 86
) -> Rect:
    """Draws rows with a heading; returns what is left under them."""
    px = canvas.px
    canvas.text(name, (rect.left, rect.top), HEADING - 2, weight=Weight.BOLD)
    under = _below(rect, px(26))
    return _below(under, _draw_rows(canvas, rows, under, indent) + px(LINE))


def _below(rect: Rect, height: int) -> Rect:
    """Returns what is left of a rectangle under so many pixels."""
    return Rect(rect.left, rect.top + height, rect.width, max(rect.height - height, 0))


def _draw_leaderboard(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws the wins and best times of the level."""
    theme, px = canvas.theme, canvas.px
    if not model.leaderboard or rect.height < px(26 + 22):
        return
    canvas.text("Leaderboard", (rect.left, rect.top), HEADING - 2, weight=Weight.BOLD)
    for i, line in enumerate(model.leaderboard):
        place = Rect(rect.left, rect.top + px(26 + i * 22), rect.width, px(22))
        if place.bottom > rect.bottom:
            return
        canvas.text_in(line, place, 13, theme.faint if i == 0 else theme.text)
