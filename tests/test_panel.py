"""What the window shows of a position and of a game, at every size and scale."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pygame
import pytest

from jaxsweep.rules.board import cells_of
from jaxsweep.rules.grid import HIDDEN
from jaxsweep.rules.level import LEVELS
from jaxsweep.rules.status import GameStatus
from tests.window import SIZE, SMALL, Pretending, analysed, prepared
from viewer import events
from viewer.controls import controls
from viewer.drawing import draw
from viewer.drawing.canvas import Canvas
from viewer.inspection import candidate_rows, inspected_cell, shown_rows
from viewer.layout import AXIS, SCALES, fit_screen, lay_out
from viewer.model import Mode, Settings
from viewer.panel_layout import panel_places
from viewer.panel_text import Tone, capitalised, counters, facts, is_summed_up, note
from viewer.playback import Playback
from viewer.theme import DARK, LIGHT
from viewer.timeline import Mark, Timeline, describe, timeline_of
from viewer.turning_points import effect, turning_points
from viewer.update import update

pytestmark = pytest.mark.usefixtures("own_files")


# The panel


def test_candidates_are_listed_and_pointed_at(hand):
    hand = hand(SMALL, Mode.ANALYSE, SIZE)
    hand.window.send(events.Pasted("8x8x12\n" + "HHHHHHHH\n" * 4 + "HHH2HHHH\n" + "HHHHHHHH\n" * 3))
    hand.frames(4)
    rows = shown_rows(hand.model)
    analysis = hand.model.result.analysis
    assert [(row.cell, row.win) for row in rows] == [
        (one.cell, one.win) for one in analysis.candidates[: len(rows)]
    ]
    assert inspected_cell(hand.model) == analysis.best, "without a mouse, the best cell"
    place = panel_places(hand.model.layout).rows[1]
    hand.window.send(events.Motion(place.middle))
    assert inspected_cell(hand.model) == rows[1].cell
    left, top = hand.model.layout.place(rows[1].cell)
    hand.frames(1)
    accent = tuple(hand.window.surface.get_at((left + hand.model.layout.cell // 2, top)))[:3]
    assert accent == LIGHT.accent, "the cell is marked on the board"


def test_the_numbers_of_the_cell_under_the_mouse_are_counted(hand):
    hand = hand(SMALL, Mode.ANALYSE, SIZE)
    hand.window.send(events.Pasted("4x2x2\nH1HH\nH1HH\n"))
    hand.frames(4)
    hand.window.send(events.Motion(hand.at((0, 3))))
    hand.frames(4)
    numbers = hand.model.latest_numbers
    assert numbers.cell == (0, 3)
    risk = hand.model.result.analysis.odds[0, 3]
    assert numbers.odds.sum() == pytest.approx(1.0 - risk)
    # By hand: both 1s see the same four cells, of which one is a mine; the other is in the last
    # column. If it is not this cell it is the one below, and half of the time one more is beside.
    assert numbers.odds.tolist() == [0.0, 0.25, 0.25, *[0.0] * 6]


def test_who_plays_without_help_is_told_nothing_by_the_mouse(hand):
    hand = hand(SMALL)
    hand.click((0, 0))
    hand.window.send(events.Motion(hand.at((4, 5))))
    hand.frames(4)
    assert hand.model.latest_result is None
    assert hand.model.latest_numbers is None
    hand.key("h")
    hand.frames(4)
    assert hand.model.latest_numbers is None, "a hint is about one cell"
    assert shown_rows(hand.model) == ()


def test_without_weighed_cells_those_of_least_risk_are_listed():
    analysis = analysed([[HIDDEN, 1, HIDDEN, HIDDEN]], 2)
    bare = replace(analysis, candidates=())
    risks = [row.risk for row in candidate_rows(bare)]
    assert len(risks) == 3 - int(analysis.certain_mines.sum())
    two = analysed([[HIDDEN, 1, HIDDEN]], 1)
    assert [row.win for row in candidate_rows(two)] == [0.5, 0.5], "either cell decides"
    safe = analysed([[HIDDEN, 0, HIDDEN, HIDDEN]], 1)
    assert candidate_rows(safe) == (), "nothing is to be weighed"


def test_mines_of_a_game_that_is_over_are_seen_with_odds_too(hand):
    hand = hand(Settings(level=LEVELS["beginner"], seed=8))
    hand.click((0, 0))
    mines = cells_of(hand.model.play.game.session.board.mines)
    hand.click(mines[0])
    hand.key("o")
    hand.frames(3)
    assert hand.model.result.analysis is not None
    assert hand.colour(mines[1], 0.12, 0.2) == LIGHT.hidden


def test_a_window_without_a_panel_has_a_line_for_its_news(hand, game):
    hand = hand(SMALL, size=(640, 480), executor=Pretending())
    assert hand.model.layout.panel.width == 0
    assert not hand.button("b").button.enabled, "there is no room for a panel"
    rect = hand.model.layout.status

    def picture():
        hand.frames(2)
        line = (rect.left, rect.top, rect.width, rect.height)
        return pygame.image.tobytes(hand.window.surface.subsurface(line), "RGB")

    seen = [picture()]
    hand.click((0, 0))
    hand.window.send(events.Tick(61.0))
    seen.append(picture())
    hand.click(cells_of(~hand.model.play.game.session.board.opened)[0], events.RIGHT)
    seen.append(picture())
    hand.window.send(events.Notice("saved"))
    seen.append(picture())
    hand.key("f5")
    hand.window.send(events.Pasted("2x1x1\n8H\n"))
    seen.append(picture())
    assert len(set(seen)) == len(seen), "the clock, the mines, a message, a position"
    assert hand.model.layout.field.bottom <= rect.top, "it covers no cell"
    hand.window.send(events.Resize(SIZE))
    assert hand.model.layout.status is None
    hand.key("b")
    assert hand.model.layout.status is not None, "a panel that is switched off leaves the line"
    assert hand.button("b").button.enabled


def test_what_is_said_begins_with_a_capital_letter_but_files_keep_their_names():
    assert capitalised("won in 4.2 s.") == "Won in 4.2 s."
    assert capitalised("game.json: this is not JSON") == "game.json: this is not JSON"
    assert capitalised("") == ""


def test_the_news_of_a_game_that_is_over_have_a_tone(hand):
    for is_won, tone in ((True, Tone.GOOD), (False, Tone.BAD)):
        one = hand(SMALL)
        one.click((0, 0))
        board = one.model.play.game.session.board
        for cell in cells_of(~board.mines if is_won else board.mines):
            one.click(cell)
        news = note(one.model)
        assert news is not None
        assert news.tone is tone
        assert counters(one.model)[0] == ("0" if is_won else "5")
        if is_won:
            mine = cells_of(board.mines)[0]
            assert one.colour(mine, 0.34, 0.55) == LIGHT.flag, "whoever has won has found it"
        names = [name for name, _ in facts(one.model.play.game.metrics)]
        assert names[:3] == ["3BV", "Clicks", "Efficiency"]


def test_a_game_is_reviewed_from_its_end_and_leads_to_what_mattered(hand):
    hand = hand(Settings(level=LEVELS["beginner"], seed=8), size=SIZE)
    hand.key("v")
    assert hand.model.mode is Mode.PLAY, "nothing to review yet"
    hand.click((0, 0))
    assert not any(placed.button.name == "v" for placed in controls(hand.model))
    hand.click(cells_of(hand.model.play.game.session.board.mines)[0])
    hand.press("v", frames=4)
    playback = hand.model.replay
    assert hand.model.mode is Mode.REPLAY
    assert playback.is_over
    assert playback.grade is not None
    assert is_summed_up(hand.model)
    (lost,) = turning_points(hand.model)
    assert lost.index == len(playback.moves) == 2
    assert effect(lost).startswith("lost ")
    assert playback.grade.loss == pytest.approx(lost.loss)
    hand.key("home")
    assert turning_points(hand.model) == []
    hand.key("end")
    hand.press(f"move {lost.index}")
    assert hand.model.replay.at == lost.index
    hand.key("b")
    assert turning_points(hand.model) == [], "they are in the panel"


# The timeline


def test_the_curve_is_what_the_player_thought(hand):
    hand = hand(Settings(level=LEVELS["beginner"], strategy="strongest", seed=24), Mode.WATCH)
    hand.frames(400, seconds=1.0)
    watched = hand.model.watched
    assert watched.complete
    known = [win for win in watched.wins if win is not None]
    guesses = [move for move in watched.moves[1:] if move.reason.is_guess]
    assert len(known) == len(guesses) > 0
    timeline = timeline_of(watched)
    won = watched.boards[-1].status is GameStatus.WON
    assert [share for _, share in timeline.curve] == [*known, float(won)]
    assert "strongest" in timeline.title


def test_of_a_replay_the_curve_is_survival(game):
    timeline = timeline_of(Playback.of(game))
    assert [share for _, share in timeline.curve] == list(game.survival)
    assert timeline.moves == len(game.moves)


def test_the_timeline_says_what_it_knows_of_a_place():
    marked = Timeline("chance", 5, 2, ((0, 0.5), (3, 0.25)), (None, 0.1), (Mark(1, "a mistake"),))
    assert describe(marked, 3) == "after 3 of 5 moves, 25.0%"
    assert describe(marked, 1) == "after 1 of 5 moves, then a guess, risk 10.0%, a mistake"


@pytest.mark.parametrize("scale", SCALES)
def test_the_figures_beside_the_curve_have_room(scale):
    pygame.font.init()
    canvas = Canvas(pygame.Surface((1, 1)), LIGHT, scale)
    assert canvas.width("100%", 10) <= canvas.px(AXIS - 6)


# Sizes


@pytest.mark.parametrize("scale", SCALES)
def test_dialogs_and_modes_are_drawn_at_every_scale(game, scale):
    pygame.font.init()
    for mode in Mode:
        model = replace(prepared(mode, game), scale=scale)
        for shown in (
            model,
            replace(model, shows_start=True),
            replace(model, shows_help=True),
            update(model, events.Key("n", "n")),
            update(model, events.Key("o", control=True)),
            replace(model, dark=True, size=(300, 200)),
        ):
            surface = pygame.Surface(shown.size)
            draw(surface, shown)
            # The edges of letters have many shades: plain areas and lines have a handful.
            assert len(np.unique(pygame.surfarray.array2d(surface)[::2, ::2])) > 10


def test_letters_are_scaled_by_keys(hand):
    hand = hand(SMALL, executor=Pretending())
    before = hand.model.layout.bar.height
    hand.key("+", "+", control=True)
    assert hand.model.layout.bar.height > before
    for _ in SCALES:
        hand.key("-", "-", control=True)
    assert hand.model.scale == SCALES[0]
    for _ in range(len(SCALES) + 1):
        hand.key("=", "=", control=True)
    assert hand.model.scale == SCALES[-1]


def test_a_window_fits_the_screen():
    assert fit_screen((1280, 800), (1920, 1080)) == ((1280, 800), 1.0)
    size, scale = fit_screen((1280, 800), (3840, 2160))
    assert (size, scale) == ((2560, 1600), 2.0)
    size, _ = fit_screen((1280, 800), (1024, 700))
    assert size[0] < 1024
    assert size[1] < 700
    assert fit_screen((1280, 800), (1920, 1080), 1.5)[1] == 1.5


def test_the_board_takes_the_place_of_a_hidden_panel():
    def cell(has_panel):
        shown = lay_out(SIZE, (16, 30), 1.0, (0, 0), False, 1.0, has_panel)
        return shown.cell

    assert cell(False) > 1.2 * cell(True)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_can_be_read(theme):
    def luminance(colour):
        linear = [
            (c / 255 / 12.92 if c < 11 else ((c / 255 + 0.055) / 1.055) ** 2.4) for c in colour
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one, other):
        high, low = sorted((luminance(one), luminance(other)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    assert contrast(theme.text, theme.panel) > 7
    assert contrast(theme.faint, theme.panel) > 4.5
    assert contrast(theme.accent, theme.panel) > 4.5
    assert contrast(theme.on_accent, theme.accent) > 4.5
    for number in theme.numbers:
        assert contrast(number, theme.opened) > 4.5
    assert contrast(theme.on_unlikely, theme.unlikely) > 7
    assert contrast(theme.on_likely, theme.likely) > 7


def test_fonts_lie_beside_their_licence():
    folder = Path(draw.__code__.co_filename).parents[1] / "fonts"
    files = {name for name in os.listdir(folder) if name.endswith(".otf")}
    assert files == {f"Inter-{weight}.otf" for weight in ("Regular", "Medium", "Bold")}
    assert "SIL OPEN FONT LICENSE" in (folder / "OFL.txt").read_text()
    font = pygame.font.Font(folder / "Inter-Regular.otf", 20)
    assert len({font.size(digit * 8)[0] for digit in "0123456789"}) == 1, "tabular figures"
