"""The start screen, the dialogs, and what the command opens with."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pygame
import pytest

from jaxsweep.rules.level import LEVELS, Level, Start
from jaxsweep.single import leaderboard, replay
from jaxsweep.single.person import PersonGame
from tests.window import SIZE, SMALL, Pretending
from viewer import events
from viewer.__main__ import main
from viewer.controls import controls
from viewer.model import Mode
from viewer.picker import choose
from viewer.update import start, update

pytestmark = pytest.mark.usefixtures("own_files")


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


def test_the_start_screen_says_why_a_file_cannot_be_opened(hand):
    hand = hand(SMALL, executor=Pretending())
    hand.press("f6")
    hand.frames(1)
    before = pygame.image.tobytes(hand.window.surface, "RGB")
    hand.window.send(events.Dropped("game.json", b"{"))
    hand.frames(1)
    assert hand.model.shows_start
    assert pygame.image.tobytes(hand.window.surface, "RGB") != before
    hand.press("t")
    assert hand.model.dark
    hand.press("f1")
    assert hand.model.shows_help


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


def test_a_long_list_of_files_is_scrolled_and_any_name_is_shown(hand, tmp_path):
    for i in range(60):
        (tmp_path / f"{i}.json").write_text("")
    (tmp_path / os.fsdecode(b"\xff\xfe.txt")).write_text("")
    hand = hand(SMALL, executor=Pretending())
    hand.press("control o")
    last = len(hand.model.picker.entries) - 1
    assert f"row {last}" not in [placed.button.name for placed in controls(hand.model)]
    hand.window.send(events.Wheel((300, 300), -last))
    hand.frames(1)
    assert hand.model.picker.row == last
    assert hand.button(f"row {last}").button.chosen
    hand.window.send(events.Wheel((300, 300), last + 5))
    assert hand.model.picker.row == 0


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
