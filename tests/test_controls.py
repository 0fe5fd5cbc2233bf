"""Every button of the window, by mouse, by Tab, and by the key that it names."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pygame
import pytest

from jaxsweep.rules.board import cells_of
from jaxsweep.rules.grid import FLAGGED, HIDDEN
from jaxsweep.rules.level import LEVELS
from jaxsweep.rules.status import GameStatus
from tests.window import MODE_KEYS, SIZE, SMALL, Pretending, analysed, prepared
from viewer import events
from viewer.buttons import Button, place_groups
from viewer.controls import REST, controls
from viewer.layout import SCALES, Rect
from viewer.model import Mode, Settings
from viewer.playback import Playback
from viewer.update import update

pytestmark = pytest.mark.usefixtures("own_files")


# Every button


@pytest.mark.parametrize("mode", list(Mode))
def test_every_button_of_a_mode_does_something_when_clicked(mode, game):
    model = prepared(mode, game)
    seen = {placed.button.name for placed in controls(model) if placed.button.enabled}
    assert len(seen) >= 20
    for placed in controls(model):
        name, at = placed.button.name, placed.rect.middle
        if name == MODE_KEYS[mode] or not placed.button.enabled:
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


def test_opening_all_that_is_certain_leaves_flags_alone(hand):
    hand = hand(Settings(level=LEVELS["beginner"], seed=8))
    hand.click((0, 0))
    found = analysed(hand.model.grid, hand.model.mines)
    flagged = cells_of(found.safe)[0]
    hand.click(flagged, events.RIGHT)
    hand.press("a", frames=40)
    assert hand.model.grid[flagged] == FLAGGED
