"""The panel next to the board: the game, messages, and what the engine says of the position."""

from jaxsweep.beliefs import Status
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.grading import Kind
from jaxsweep.single.grading.report import MISTAKE, sentence, totals
from jaxsweep.single.replay import RecordedMove
from jaxsweep.single.words import count, layouts_in_words, reason_and_risk, seed_in_words
from viewer.drawing.candidates import draw_candidates
from viewer.drawing.canvas import Canvas
from viewer.drawing.cell_card import draw_cell_card
from viewer.drawing.shapes import clipped
from viewer.drawing.text import HEADING, LARGE, SMALL, TEXT, Weight, fold
from viewer.inspection import cell_name
from viewer.layout import MARGIN, Layout, Rect
from viewer.model import Mode, Model
from viewer.panel_layout import PanelPlaces, panel_places
from viewer.playback import Playback
from viewer.theme import Colour, Theme, blend

LINE = 20
"""The height of a line of text, at scale 1."""

NOTE_LINES = 4
"""The most lines of a note; the rest of a longer one is on the timeline."""


def draw_panel(canvas: Canvas, model: Model, layout: Layout) -> None:
    """Draws the panel; a window without one shows messages at its foot."""
    panel = layout.panel
    if not panel.width:
        _draw_message_at_foot(canvas, model, layout)
        return
    theme, places = canvas.theme, panel_places(layout)
    canvas.box(panel, theme.panel)
    edge = (panel.width, 1) if panel.left == 0 else (1, panel.height)
    canvas.box(Rect(panel.left, panel.top, *edge), theme.grid)
    with clipped(canvas.surface, panel):
        _draw_header(canvas, model, places.header)
        _draw_note(canvas, model, places.note)
        if model.is_advised:
            _draw_summary(canvas, model, places.summary)
            draw_candidates(canvas, model, places)
            if places.card is not None:
                draw_cell_card(canvas, model, places.card)
        elif model.mode is Mode.PLAY:
            _draw_leaderboard(canvas, model, places)


def _draw_message_at_foot(canvas: Canvas, model: Model, layout: Layout) -> None:
    if not model.message:
        return
    px, height = canvas.px, canvas.px(28)
    bottom = layout.timeline or layout.brushes
    top = (model.size[1] if bottom is None else bottom.top) - height
    canvas.box(Rect(0, top, model.size[0], height), canvas.theme.panel)
    line = Rect(px(MARGIN), top, model.size[0] - 2 * px(MARGIN), height)
    canvas.text_in(model.message, line, SMALL, canvas.theme.text, Weight.MEDIUM)


def _draw_header(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws what the game or the position is."""
    if model.mode is Mode.PLAY:
        _draw_counters(canvas, model, rect)
        return
    title, lines = _editor_lines(model) if model.mode is Mode.ANALYSE else _playback_lines(model)
    theme, px = canvas.theme, canvas.px
    canvas.text_in(title, Rect(rect.left, rect.top, rect.width, px(28)), 21, weight=Weight.BOLD)
    for i, line in enumerate(lines):
        place = Rect(rect.left, rect.top + px(30 + i * LINE), rect.width, px(LINE))
        canvas.text_in(line, place, SMALL, theme.faint)


def _draw_counters(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws the mines that are left and the time, large, and the level under them."""
    theme, px, game = canvas.theme, canvas.px, model.play.game
    session, half = game.session, rect.width // 2
    minutes, seconds = divmod(int(game.seconds), 60)
    clock = f"{minutes}:{seconds:02}"
    for i, (number, what) in enumerate(((f"{session.mines_left}", "mines left"), (clock, "time"))):
        left = rect.left + i * half
        width = canvas.text(number, (left, rect.top - px(4)), LARGE + 4, weight=Weight.BOLD)
        canvas.text(what, (left + width + px(6), rect.top + px(14)), SMALL, theme.faint)
    mode = "" if session.guesses is Guesses.AS_DEALT else f", {session.guesses.text}"
    about = f"{session.level}, {session.start.value} start{mode}, seed {session.seed}"
    about += ", with help" if game.helped else ""
    for i, words in enumerate(fold(about, rect.width, px(SMALL))[:2]):
        line = Rect(rect.left, rect.top + px(40 + 17 * i), rect.width, px(LINE))
        canvas.text_in(words, line, SMALL, theme.faint)


def _playback_lines(model: Model) -> tuple[str, list[str]]:
    playback = model.playback
    if playback is None:
        return "No replay yet", ["Drop a file on the window, or open one."]
    end = {GameStatus.WON: " won", GameStatus.LOST: " lost"}.get(
        playback.boards[-1].status if playback.is_over else GameStatus.PLAYING, ""
    )
    about = f"{playback.opening.level}, {playback.opening.start.value} start"
    more = "" if playback.complete else " …"
    lines = [about + seed_in_words(playback.seed)]
    if not playback.moves and not playback.complete:
        lines.append("starting the player …")
    else:
        lines.append(f"move {playback.at} of {len(playback.moves)}{more}{_chance(playback)}")
    return f"{playback.strategy}{end}", lines


def _chance(playback: Playback) -> str:
    """Returns the chance to win now, or that of having come so far, where it is known."""
    if playback.chances:
        return f", chance to win {playback.chances[playback.at]:.1%}"
    return "" if playback.survival is None else f", survived so far {playback.survival:.1%}"


def _editor_lines(model: Model) -> tuple[str, list[str]]:
    rows, cols = model.editor.grid.shape
    size = f"{count(rows, 'row')}, {count(cols, 'column')}, {int((model.grid < 0).sum())} hidden"
    return count(model.editor.mines, "mine"), [size, "edit by clicks, or with a value below"]


def _draw_note(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws the latest message, or else why the move that is shown was made."""
    theme, px, text, colour = canvas.theme, canvas.px, model.message, canvas.theme.accent
    if not text and model.playback is not None and model.playback.last is not None:
        text, colour = _about_move(model.playback, model.playback.last, theme)
    if not text:
        return
    lines = fold(text, rect.width - px(22), px(13), Weight.MEDIUM)[:NOTE_LINES]
    box = Rect(rect.left, rect.top, rect.width, px(14 + 18 * len(lines)))
    canvas.box(box, blend(theme.panel, colour, 0.12), 6)
    canvas.box(Rect(box.left, box.top, px(4), box.height), colour, 2)
    for i, line in enumerate(lines):
        at = (box.left + px(14), box.top + px(6 + 18 * i))
        canvas.text(line, at, 13, theme.text, Weight.MEDIUM)


def _about_move(playback: Playback, move: RecordedMove, theme: Theme) -> tuple[str, Colour]:
    """Says why a move was made, or what it did to the chance to win; and in which colour."""
    graded, number = playback.graded.get(playback.at), playback.at - 1
    if graded is not None and graded.kind is not Kind.CERTAIN:
        is_mistake = graded.loss >= MISTAKE
        return sentence(graded), theme.mine if is_mistake else theme.warning
    text = reason_and_risk(move.reason.text, playback.risk(number))
    return text, theme.warning if playback.is_guess(number) else theme.safe


def _draw_summary(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws the layouts, the certain cells, the best cell and why it is the best.

    At the end of a graded game, it sums the game up.
    """
    theme, px, result, playback = canvas.theme, canvas.px, model.result, model.playback
    if playback is not None and playback.is_over and playback.grade is not None:
        _draw_folded(canvas, " ".join(totals(playback.grade)), rect, theme.text)
        return
    if result is None:
        canvas.text("thinking …", (rect.left, rect.top), TEXT, theme.faint)
        return
    if result.analysis is None:
        _draw_folded(canvas, result.error, rect, theme.mine)
        return
    analysis = result.analysis
    found = analysis.status.message
    if analysis.status is Status.EXACT:
        found = layouts_in_words(analysis.layouts, analysis.log10_layouts)
    certain = f"{int(analysis.safe.sum())} safe, {count(int(analysis.certain_mines.sum()), 'mine')}"
    best = "none" if analysis.best is None else cell_name(analysis.best)
    for i, (name, value) in enumerate(
        (("Consistent", found), ("Certain", certain), ("Best cell", best))
    ):
        top = rect.top + px(i * 22)
        canvas.text(name, (rect.left, top), 13, theme.faint)
        place = Rect(rect.left + px(86), top, rect.width - px(86), px(LINE - 3))
        canvas.text_in(value, place, 13, weight=Weight.MEDIUM)
    reason = Rect(rect.left, rect.top + px(70), rect.width, rect.height - px(70))
    _draw_folded(canvas, analysis.reason, reason, theme.faint)


def _draw_folded(canvas: Canvas, text: str, rect: Rect, colour: tuple[int, int, int]) -> None:
    """Draws as many lines of a text as there is room for."""
    px = canvas.px
    for i, line in enumerate(fold(text, rect.width, px(SMALL))):
        if px((i + 1) * 16) > rect.height:
            return
        canvas.text(line, (rect.left, rect.top + px(i * 16)), SMALL, colour)


def _draw_leaderboard(canvas: Canvas, model: Model, places: PanelPlaces) -> None:
    """Draws the wins and best times of the level."""
    theme, px, rect = canvas.theme, canvas.px, places.rest
    if not model.leaderboard:
        return
    canvas.text("Leaderboard", (rect.left, rect.top), HEADING - 2, weight=Weight.BOLD)
    for i, line in enumerate(model.leaderboard):
        place = Rect(rect.left, rect.top + px(26 + i * 22), rect.width, px(22))
        if place.bottom > rect.bottom:
            return
        canvas.text_in(line, place, 13, theme.faint if i == 0 else theme.text)
