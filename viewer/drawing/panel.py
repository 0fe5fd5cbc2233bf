"""The panel next to the board: the game, messages, the analysis, and the leaderboard."""

import pygame
from pygame import Surface

from jaxsweep.beliefs import Status
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.grading import Kind
from jaxsweep.single.grading.report import MISTAKE, sentence, totals
from jaxsweep.single.words import count, layouts_in_words, reason_and_risk, seed_in_words
from viewer.drawing.shapes import pygame_rect
from viewer.drawing.text import LARGE, SMALL, TEXT, cut, fold, write
from viewer.layout import MARGIN, Layout
from viewer.model import Mode, Model
from viewer.playback import Playback
from viewer.theme import Colour, Theme

Line = tuple[str, int, Colour]
"""A text, the height of its letters, and its colour."""


def draw_panel(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    """Draws the panel; a narrow window has none, and shows messages at its foot."""
    panel = layout.panel
    if not panel.width:
        if model.message:
            text = cut(model.message, layout.bar.width - 2 * MARGIN, SMALL)
            foot = panel.top + panel.height - SMALL - 4
            write(surface, text, (MARGIN, foot), SMALL, theme.accent)
        return
    pygame.draw.rect(surface, theme.panel, pygame_rect(panel))
    surface.set_clip(pygame_rect(panel))
    left, top, width = panel.left + MARGIN, panel.top + MARGIN, panel.width - 2 * MARGIN
    for text, height, colour in _panel_lines(model, theme):
        for line in fold(text, width, height) or [""]:
            write(surface, line, (left, top), height, colour)
            top += height + 6
        top += 3
    surface.set_clip(None)


def _panel_lines(model: Model, theme: Theme) -> list[Line]:
    """Returns the lines of the panel from top to bottom."""
    lines = {
        Mode.REPLAY: _playback_lines,
        Mode.WATCH: _playback_lines,
        Mode.PLAY: _play_lines,
        Mode.ANALYSE: _editor_lines,
    }[model.mode](model, theme)
    if model.message:
        lines.append((model.message, TEXT, theme.accent))
    if model.overlay.any or model.mode is Mode.ANALYSE:
        lines += _analysis_lines(model, theme)
    if model.mode is Mode.PLAY and model.leaderboard:
        lines.append(("", SMALL, theme.faint))
        lines += [(line, SMALL, theme.faint) for line in model.leaderboard]
    return lines


def _playback_lines(model: Model, theme: Theme) -> list[Line]:
    playback = model.playback
    if playback is None:
        return [("No replay yet", LARGE, theme.text)]
    end = {GameStatus.WON: ", won", GameStatus.LOST: ", lost"}.get(
        playback.boards[-1].status if playback.is_over else GameStatus.PLAYING, ""
    )
    lines = [
        (f"{playback.strategy}{end}", LARGE, theme.text),
        (
            f"{playback.opening.level}, {playback.opening.start.value} start"
            f"{seed_in_words(playback.seed)}",
            SMALL,
            theme.faint,
        ),
        (
            f"move {playback.at} of {len(playback.moves)}{'' if playback.complete else ' …'}",
            TEXT,
            theme.text,
        ),
    ]
    if playback.last is not None:
        last, risk = playback.last, playback.risk(playback.at - 1)
        lines.append((reason_and_risk(last.reason.text, risk), TEXT, theme.text))
    if not playback.moves and not playback.complete:
        lines.append(("starting the player …", TEXT, theme.faint))
    if playback.chances:
        return lines + _grade_lines(playback, theme)
    survived = "not known" if playback.survival is None else f"{playback.survival:.1%}"
    lines.append((f"survived so far: {survived}", TEXT, theme.text))
    return lines


def _grade_lines(playback: Playback, theme: Theme) -> list[Line]:
    """Returns the chance to win, and what the last move did to it."""
    lines = [(f"chance to win: {playback.chances[playback.at]:.1%}", TEXT, theme.text)]
    graded = playback.graded.get(playback.at)
    if graded is not None and graded.kind is not Kind.CERTAIN:
        colour = theme.mine if graded.loss >= MISTAKE else theme.text
        lines.append((sentence(graded), SMALL, colour))
    if playback.grade is not None and playback.is_over:
        lines += [(line, SMALL, theme.text) for line in totals(playback.grade)]
    return lines


def _play_lines(model: Model, theme: Theme) -> list[Line]:
    game = model.play.game
    session = game.session
    no_guess = ", no guess" if session.no_guess else ""
    return [
        (f"{count(session.mines_left, 'mine')}, {int(game.seconds)} s", LARGE, theme.text),
        (
            f"{session.level}, {session.start.value} start{no_guess}, seed {session.seed}"
            + (", with help" if game.helped else ""),
            SMALL,
            theme.faint,
        ),
        ("R new game, H hint, U undo", SMALL, theme.faint),
    ]


def _editor_lines(model: Model, theme: Theme) -> list[Line]:
    rows, cols = model.editor.grid.shape
    return [
        (count(model.editor.mines, "mine"), LARGE, theme.text),
        (
            f"{count(rows, 'row')}, {count(cols, 'column')}; + and − change the mines",
            SMALL,
            theme.faint,
        ),
    ]


def _analysis_lines(model: Model, theme: Theme) -> list[Line]:
    result = model.result
    if result is None:
        return [("thinking …", TEXT, theme.faint)]
    if result.analysis is None:
        return [(result.error, TEXT, theme.mine)]
    analysis = result.analysis
    lines = []
    if analysis.status is Status.EXACT:
        layouts = layouts_in_words(analysis.layouts, analysis.log10_layouts)
        lines.append((f"{layouts} left", TEXT, theme.text))
    else:
        lines.append((analysis.status.message, TEXT, theme.text))
    certain = f"certain: {int(analysis.safe.sum())} safe, {int(analysis.certain_mines.sum())} mined"
    lines.append((certain, TEXT, theme.text))
    if analysis.best is not None:
        lines.append((f"best: {analysis.best}", TEXT, theme.text))
        lines.append((analysis.reason, SMALL, theme.faint))
    return lines
