"""What the window offers to the mouse and to Tab: buttons, dialogs, the panel and the timeline."""

import json
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pygame
import pytest

from jaxsweep.rules.board import cells_of
from jaxsweep.rules.grid import FLAGGED, HIDDEN
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.single import leaderboard, replay
from jaxsweep.single.person import PersonGame
from tests.window import Pretending, hands
from viewer import events
from viewer.__main__ import main
from viewer.analysis_result import analyse_position
from viewer.buttons import Button, place_groups
from viewer.controls import REST, controls
from viewer.drawing import draw
from viewer.inspection import candidate_rows, inspected_cell, shown_rows
from viewer.layout import SCALES, Rect, fit_screen, lay_out
from viewer.model import Mode, Settings
from viewer.panel_layout import panel_places
from viewer.picker import choose
from viewer.playback import Playback
from viewer.theme import DARK, LIGHT
from viewer.timeline import Mark, Timeline, describe, timeline_of
from viewer.update import start, update

SMALL = Settings(level=Level(5, 6, 5), seed=4, name="Ada")
SIZE = (1280, 800)


@pytest.fixture(autouse=True)
def own_files(tmp_path, monkeypatch):
    """Nothing of the user's is read or written."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def hand():
    with hands() as make:
        yield make


@pytest.fixture(scope="module")
def game():
    return replay.record("exact", Opening.of(LEVELS["beginner"]), 8)


def analysed(grid, mines):
    analysis = analyse_position(np.asarray(grid, np.int8), mines).analysis
    assert analysis is not None
    return analysis


# Every button


MODES = {Mode.REPLAY: "f2", Mode.WATCH: "f3", Mode.PLAY: "f4", Mode.ANALYSE: "f5"}


def prepared(mode, game):
    """A window of a mode in which every button has something to do."""
    model = start(replace(SMALL, level=LEVELS["beginner"]), mode, SIZE)
    model = replace(model, effects=())
    playback = replace(Playback.of(game).go(2), running=False, speed=1)
    if mode is Mode.ANALYSE:
        grid = playback.board.grid
        return replace(model, editor=replace(model.editor, grid=grid, brush=3))
    under_way = replace(model.play, game=model.play.game.open((0, 0)))
    return replace(model, replay=playback, watched=playback, play=under_way)


@pytest.mark.parametrize("mode", list(Mode))
def test_every_button_of_a_mode_does_something_when_clicked(mode, game):
    model = prepared(mode, game)
    seen = {placed.button.name for placed in controls(model) if placed.button.enabled}
    assert len(seen) >= 20
    for placed in controls(model):
        name, at = placed.button.name, placed.rect.middle
        if name == MODES[mode] or not placed.button.enabled:
            continue
        after = update(update(model, events.Press(at, events.LEFT)), events.Release(at, 1))
        what = (after.mode, after.dark, after.overlays, after.shows_panel, after.shows_help)
        before = (model.mode, model.dark, model.overlays, model.shows_panel, model.shows_help)
        changed = (
            what != before
            or after.effects
            or after.shows_start
            or after.menu
            or after.picker
            or after.message != model.message
            or after.play is not model.play
            or after.editor is not model.editor
            or after.playback is not model.playback
        )
        assert changed, f"{name} does nothing in {mode}"


@pytest.mark.parametrize("mode", list(Mode))
def test_a_button_does_what_its_key_does(mode, game):
    """As far as the model shows it: mode, overlays, boards, dialogs, effects."""
    model = prepared(mode, game)
    for placed in controls(model):
        button = placed.button
        if not button.key or not button.enabled or button.name.startswith("brush"):
            continue
        control, _, name = button.name.rpartition(" ")
        key = events.Key(name, name if len(name) == 1 else "", control=bool(control))
        by_key, by_button = update(model, key), update(button.press(model), events.Tick(0.0))
        for one, other in (
            (by_key.mode, by_button.mode),
            (by_key.overlays, by_button.overlays),
            (by_key.mines, by_button.mines),
            (by_key.message, by_button.message),
            ([type(e) for e in by_key.effects], [type(e) for e in by_button.effects]),
        ):
            assert one == other, button.name
        np.testing.assert_array_equal(by_key.grid, by_button.grid)


def test_buttons_are_off_where_they_make_no_sense(hand, game):
    hand = hand(SMALL, executor=Pretending())
    assert not hand.button("u").button.enabled, "nothing to take back"
    assert not hand.button("a").button.enabled, "nothing is known before the first cell"
    hand.press("u")
    hand.click((0, 0))
    assert hand.button("u").button.enabled
    hand.press("f2")
    assert not any(hand.button(name).button.enabled for name in ("space", "left", "end", "o"))
    hand.window.model = replace(hand.model, replay=Playback.of(game))
    assert not hand.button("left").button.enabled, "already at the beginning"
    assert hand.button("right").button.enabled


def test_a_click_counts_where_it_was_pressed_and_released(hand):
    hand = hand(SMALL, executor=Pretending())
    down, up = hand.button("t").rect.middle, hand.button("f1").rect.middle
    hand.window.send(events.Press(down, events.LEFT))
    hand.window.send(events.Release(up, events.LEFT))
    assert not hand.model.dark
    assert not hand.model.shows_help
    hand.press("t")
    assert hand.model.dark


def test_tab_goes_through_the_buttons_and_enter_presses(hand):
    hand = hand(SMALL, executor=Pretending())
    usable = [placed.button.name for placed in controls(hand.model) if placed.button.enabled]
    visited = []
    for _ in usable:
        hand.key("tab")
        visited.append(hand.model.focus)
    assert visited == usable
    hand.key("tab", shift=True)
    assert hand.model.focus == usable[-2]
    while hand.model.focus != "t":
        hand.key("tab")
    hand.key("return")
    assert hand.model.dark
    hand.key("space")
    assert not hand.model.dark
    hand.key("escape")
    assert hand.model.focus is None


def test_a_button_looks_different_under_the_mouse_pressed_and_in_focus(hand):
    hand = hand(SMALL, executor=Pretending())
    rect = hand.button("r").rect

    def look():
        hand.frames(1)
        area = pygame.Rect(rect.left - 4, rect.top - 4, rect.width + 8, rect.height + 8)
        return pygame.image.tobytes(hand.window.surface.subsurface(area), "RGB")

    looks = [look()]
    hand.window.send(events.Motion(rect.middle))
    looks.append(look())
    hand.window.send(events.Press(rect.middle, events.LEFT))
    looks.append(look())
    hand.window.send(events.Release((5, 700), events.LEFT))
    hand.window.send(events.Motion(None))
    hand.window.model = replace(hand.model, focus="r")
    looks.append(look())
    assert len(set(looks)) == 4


def test_a_button_is_explained_when_the_mouse_rests_on_it(hand):
    hand = hand(SMALL, executor=Pretending())
    rect = hand.button("h").rect
    hand.window.send(events.Motion(rect.middle))
    hand.frames(1)
    under = pygame.Rect(rect.left, rect.bottom + 6, rect.width, 26)
    before = pygame.image.tobytes(hand.window.surface.subsurface(under), "RGB")
    hand.frames(1, seconds=REST)
    hand.frames(1)
    after = pygame.image.tobytes(hand.window.surface.subsurface(under), "RGB")
    assert before != after
    drawn = hand.model
    hand.frames(5, seconds=1.0)
    assert hand.model is drawn, "nothing is drawn again while nothing changes"


def test_the_mouse_may_leave_the_window(hand):
    hand = hand(SMALL, executor=Pretending())
    hand.window.send(events.Motion(hand.button("h").rect.middle))
    assert hand.model.pointer is not None
    pygame.event.post(pygame.event.Event(pygame.WINDOWLEAVE))
    hand.frames(1)
    assert hand.model.pointer is None


def test_rows_of_buttons_never_overlap_or_leave_their_place():
    def named(label):
        return Button(label, label, lambda model: model, icon="play")

    groups = [[named("One"), named("Two")], [named("Three and more")], [named("Last")]]
    for scale in SCALES:
        for width in range(40, 900, 37):
            rect = Rect(10, 20, width, round(44 * scale))
            placed = place_groups(groups, rect, scale)
            for one, other in pairwise(placed):
                assert one.rect.right <= other.rect.left
            for each in placed[1:]:
                assert each.rect.right <= rect.right
    labelled = place_groups(groups, Rect(0, 0, 900, 44), 1.0)
    assert all(each.has_label for each in labelled)
    assert labelled[-1].rect.right == 900 - 8, "the last group is on the right"


def test_frames_are_drawn_only_when_something_can_be_seen(hand, monkeypatch):
    hand, drawn = hand(SMALL, executor=Pretending()), []
    monkeypatch.setattr("viewer.window.draw", lambda surface, model: drawn.append(model))
    hand.click((0, 0))
    assert hand.model.play.game.is_under_way
    drawn.clear()
    hand.frames(60, seconds=0.05)
    assert len(drawn) == 3, "once for each second on the clock"
    hand.window.send(events.Motion((3, 3)))
    hand.frames(1, seconds=0.0)
    assert len(drawn) == 4


# Starting


@pytest.mark.parametrize(
    ("words", "shows_start", "mode"),
    [
        ([], True, Mode.PLAY),
        (["--level", "expert"], False, Mode.PLAY),
        (["--mode", "analyse"], False, Mode.ANALYSE),
        (["position.txt"], False, Mode.ANALYSE),
    ],
)
def test_it_opens_with_the_start_screen_unless_told_what_to_do(
    words, shows_start, mode, monkeypatch, tmp_path
):
    opened = []

    class Recorded:
        def __init__(self, model, engine, **kwargs):
            opened.append((model, kwargs))

        def run(self):
            pass

    monkeypatch.setattr("viewer.window.Window", Recorded)
    monkeypatch.setattr("viewer.engine_worker.EngineWorker", lambda: None)
    (tmp_path / "position.txt").write_text("3x1x1\nH1H\n")
    leaderboard.add(PersonGame.new(Level(4, 7, 3), Start.ZERO, 1).entry("Ada"))
    assert main([*words, "--scale", "1.5"]) == 0
    ((model, options),) = opened
    assert (model.shows_start, model.mode) == (shows_start, mode)
    assert options["scale"] == 1.5
    if shows_start:
        assert model.recent == (Level(4, 7, 3), Start.ZERO)


# The modes


def test_certain_cells_are_opened_until_a_guess_is_needed(hand):
    hand = hand(Settings(level=LEVELS["beginner"], seed=8))
    hand.click((0, 0))
    hand.press("a", frames=40)
    game = hand.model.play.game
    assert game.helped
    assert game.session.status is not GameStatus.LOST
    assert len(game.session.moves) >= 2
    assert not game.is_over
    found = analysed(hand.model.grid, hand.model.mines)
    assert not (found.safe & (hand.model.grid == HIDDEN)).any()
    assert "nothing is certainly safe" in hand.model.message
    hand.click(found.best)
    assert hand.model.play.opens_certain or hand.model.play.game.is_over, "it goes on"


def test_a_game_without_guesses_is_opened_to_its_end(hand):
    hand = hand(Settings(level=LEVELS["beginner"], seed=7))
    hand.click((0, 0))
    hand.press("a", frames=40)
    game = hand.model.play.game
    assert game.session.status is GameStatus.WON
    assert game.helped
    assert len(game.session.moves) > 10


def test_undo_stops_opening_what_is_certain(hand):
    hand = hand(Settings(level=LEVELS["beginner"], seed=8))
    hand.click((0, 0))
    hand.press("a", frames=40)
    opened = int(hand.model.play.game.session.board.opened.sum())
    hand.press("u", frames=10)
    assert not hand.model.play.opens_certain
    assert int(hand.model.play.game.session.board.opened.sum()) < opened


def test_brushes_set_cells(hand):
    hand = hand(SMALL, Mode.ANALYSE, SIZE, executor=Pretending())
    for name, value in (("brush 3", 3), ("brush flag", FLAGGED), ("brush hidden", HIDDEN)):
        hand.press(name)
        hand.click((2, 2))
        assert hand.model.grid[2, 2] == value
    hand.press("brush 0")
    hand.click((1, 1))
    hand.click((1, 1), events.RIGHT)
    assert hand.model.grid[1, 1] == HIDDEN
    hand.press("brush next")
    hand.click((1, 1))
    assert hand.model.grid[1, 1] == 0
    hand.press("+")
    assert hand.model.editor.mines == 6
    hand.press("delete")
    assert (hand.model.grid == HIDDEN).all()


def test_a_position_is_taken_to_analyse_mode(hand, game):
    hand = hand(mode=Mode.REPLAY, executor=Pretending())
    hand.window.model = replace(hand.model, replay=Playback.of(game).go(3))
    grid = hand.model.grid
    hand.press("l")
    assert hand.model.mode is Mode.ANALYSE
    np.testing.assert_array_equal(hand.model.grid, grid)


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


# The start screen


@pytest.mark.parametrize(
    ("name", "mode", "level"),
    [
        ("play beginner", Mode.PLAY, LEVELS["beginner"]),
        ("play expert", Mode.PLAY, LEVELS["expert"]),
        ("play recent", Mode.PLAY, Level(4, 7, 3)),
        ("card play", Mode.PLAY, Level(4, 7, 3)),
        ("card watch", Mode.WATCH, LEVELS["expert"]),
        ("watch intermediate", Mode.WATCH, LEVELS["intermediate"]),
        ("card analyse", Mode.ANALYSE, Level(4, 7, 3)),
        ("analyse expert", Mode.ANALYSE, LEVELS["expert"]),
    ],
)
def test_the_start_screen_leads_everywhere_by_one_click(name, mode, level):
    recent = (Level(4, 7, 3), Start.ZERO)
    model = replace(start(SMALL, Mode.PLAY, SIZE), shows_start=True, recent=recent)
    at = next(placed.rect for placed in controls(model) if placed.button.name == name)
    corner = (at.left + 3, at.top + 12)  # A card is clicked beside its buttons.
    model = update(update(model, events.Press(corner, 1)), events.Release(corner, 1))
    assert not model.shows_start
    assert model.mode is mode
    assert (*model.grid.shape, model.mines) == (level.rows, level.cols, level.mines)


def test_the_start_screen_opens_files_and_pastes(hand, game, tmp_path):
    (tmp_path / "game.json").write_text(json.dumps(replay.to_json(game)))
    hand = hand(SMALL, executor=Pretending())
    hand.press("f6")
    assert hand.model.shows_start
    hand.press("open file")
    entries = [entry.name for entry in hand.model.picker.entries]
    assert "game.json" in entries
    hand.press(f"row {entries.index('game.json')}")
    assert hand.model.mode is Mode.REPLAY
    assert not hand.model.shows_start
    assert len(hand.model.replay.moves) == len(game.moves)
    hand.press("control c")
    hand.press("f6")
    hand.press("analyse paste")
    assert hand.model.mode is Mode.ANALYSE
    assert not hand.model.shows_start


# Dialogs


def test_the_menu_by_mouse(hand):
    hand = hand(SMALL, executor=Pretending())
    hand.press("n")
    hand.press("Level 1")
    hand.press("Start -1")
    hand.press("Name")
    hand.key("backspace")
    draft = hand.model.menu.draft
    assert draft.level in LEVELS.values()
    assert draft.start is not SMALL.start
    assert draft.name == "Ad"
    hand.press("return")
    assert hand.model.menu is None
    assert hand.model.play.game.session.level == draft.level
    hand.press("n")
    hand.press("escape")
    assert hand.model.menu is None
    assert hand.model.settings == draft


def test_folders_are_walked_by_mouse_and_keys(hand, tmp_path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "position.txt").write_text("3x1x1\nH1H\n")
    hand = hand(SMALL, executor=Pretending())
    hand.press("control o")
    rows = [entry.name for entry in hand.model.picker.entries]
    hand.press(f"row {rows.index('games')}")
    assert Path(hand.model.picker.folder) == (tmp_path / "games").resolve()
    hand.press("backspace")
    assert Path(hand.model.picker.folder) == tmp_path.resolve()
    while hand.model.picker.entries[hand.model.picker.row].name != "games":
        hand.key("down")
    hand.key("return")
    hand.key("down")
    hand.key("return")
    assert hand.model.picker is None
    assert hand.model.mode is Mode.ANALYSE
    assert hand.model.grid.shape == (1, 3)
    hand.press("control o")
    assert Path(hand.model.folder) == (tmp_path / "games").resolve(), "it is remembered"
    hand.press("escape")
    assert hand.model.picker is None


def test_a_folder_that_cannot_be_read_is_reported(hand, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    hand = hand(SMALL, executor=Pretending())
    hand.press("control o")
    assert "dangling" not in [entry.name for entry in hand.model.picker.entries]
    row = [entry.name for entry in hand.model.picker.entries].index("gone")
    gone.rmdir()
    hand.window.send(events.Tick(0.0))
    hand.window.model = choose(hand.model, hand.model.picker, row)
    hand.window.send(events.Tick(0.0))
    assert "gone" in hand.model.picker.error
    assert hand.model.picker.entries, "the folder before stays"


def test_help_is_closed_by_its_button_or_a_click_beside_it(hand):
    hand = hand(SMALL, executor=Pretending())
    for closing in ("escape", None):
        hand.press("f1")
        assert hand.model.shows_help
        if closing is None:
            hand.press_at((3, hand.model.size[1] - 3))
        else:
            hand.press(closing)
        assert not hand.model.shows_help


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
            draw(pygame.Surface(shown.size), shown)


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


def test_opening_all_that_is_certain_leaves_flags_alone(hand):
    hand = hand(Settings(level=LEVELS["beginner"], seed=8))
    hand.click((0, 0))
    found = analysed(hand.model.grid, hand.model.mines)
    flagged = cells_of(found.safe)[0]
    hand.click(flagged, events.RIGHT)
    hand.press("a", frames=40)
    assert hand.model.grid[flagged] == FLAGGED
