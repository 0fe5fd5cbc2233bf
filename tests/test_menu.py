"""The window's menu: sizes, modes and difficulty; boards that are waited for; small windows."""

from concurrent.futures import Executor, Future
from dataclasses import replace
from itertools import combinations

import pytest

from jaxsweep.puzzles.board import OrderedBoard
from jaxsweep.puzzles.difficulty import share_easier
from jaxsweep.puzzles.proofs import prove
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.single.dealing import Hardness, deal_board
from tests.window import SMALL, AtOnce, Pretending
from viewer import events
from viewer.controls import controls
from viewer.dealer import Dealer
from viewer.dialogs import menu_box, menu_note, menu_rows
from viewer.effects import DealBoard, StopDealing
from viewer.layout import Rect
from viewer.menu import MENU_ROWS, menu_values, note, problem
from viewer.model import Menu, Mode, Settings
from viewer.modes import play
from viewer.more_menu import more_box
from viewer.toolbars import ROWS
from viewer.update import start, update

pytestmark = pytest.mark.usefixtures("own_files")

BEGINNER = LEVELS["beginner"]

SMALL_SIZES = [(640, 400), (480, 360), (320, 240), (340, 900)]


def value(hand, row):
    return menu_values(hand.model.menu)[MENU_ROWS.index(row)]


# Sizes


def test_a_size_of_ones_own_by_mouse_and_keys(hand):
    hand = hand(Settings(level=BEGINNER, seed=4), executor=Pretending())
    hand.press("n")
    for name in ("Columns 1", "Columns 1", "Rows -1", "Mines 1"):
        hand.press(name)
    assert value(hand, "Level") == "custom, 8×11/11"
    hand.press("Rows")
    for key in ("backspace", "1", "2"):
        hand.key(key)
    hand.key("down")
    hand.key("right", shift=True)
    assert value(hand, "Level") == "custom, 12×11/21"
    hand.key("up")
    hand.key("up")
    hand.key("left", shift=True)
    assert value(hand, "Columns") == "1"
    hand.key("left")
    assert value(hand, "Columns") == "1", "no fewer"
    hand.press("Level 1")
    assert value(hand, "Level") == "beginner, 9×9/10", "the named levels begin anew"
    hand.press("Level -1")
    assert value(hand, "Level") == "hard, 32×16/80"
    assert value(hand, "Columns") == "16"
    hand.press("Mines -1")
    hand.press("return")
    assert hand.model.play.game.session.level == Level(32, 16, 79)


@pytest.mark.parametrize(
    ("size", "settings", "sentence"),
    [
        ((9, 9, 82), {}, "A 9×9 board holds 0 to 81 mines, not 82."),
        ((0, 9, 9), {}, "A board needs 1 to 4096 rows, not 0."),
        ((9, 5000, 9), {}, "A board needs 1 to 4096 columns, not 5000."),
        ((300, 300, 9), {}, "The window takes boards of up to 65536 cells, not 90000."),
        ((4, 4, 15), {"start": Start.ZERO}, "15 mines do not fit: a ZERO start at (0, 0) on 4×4"),
        ((150, 100, 9), {"guesses": Guesses.ONLY_IF_FORCED}, "boards have at most 10000."),
        ((150, 100, 9), {"guesses": Guesses.NOT_NEEDED}, "boards to order have at most 10000."),
    ],
)
def test_what_cannot_be_is_said_and_not_started(size, settings, sentence, hand):
    hand = hand(replace(SMALL, **settings), executor=Pretending())
    hand.press("n")
    menu = hand.model.menu
    for name, number in zip(("Rows", "Columns", "Mines"), size, strict=True):
        hand.press(name)
        for key in ["backspace"] * 5 + [digit for digit in str(number) if number]:
            hand.key(key)
    assert sentence in problem(hand.model.menu)
    assert not hand.button("return").button.enabled
    hand.key("return")
    hand.press("return")
    assert hand.model.menu is not None
    assert hand.model.settings == menu.draft
    hand.press("Level 1")
    assert problem(hand.model.menu) == ""
    hand.key("return")
    assert hand.model.menu is None


def test_every_row_says_what_it_is_about():
    settings = [replace(SMALL, guesses=g, start=s) for g in Guesses for s in Start]
    settings += [replace(SMALL, guesses=Guesses.FORBIDDEN, hardness=h) for h in Hardness]
    notes = {
        note(replace(Menu.of(one), row=row)) for one in settings for row in range(len(MENU_ROWS))
    }
    assert all(text[0].isupper() and text.endswith(".") for text in notes)
    assert len(notes) == 5 + len(Guesses) + len(Start) + len(Hardness) + 1


def test_a_difficulty_is_of_boards_that_need_no_guess(hand):
    hand = hand(SMALL, executor=Pretending())
    hand.press("n")
    assert value(hand, "Difficulty") == "–"
    assert not hand.button("Difficulty 1").button.enabled
    hand.press("Difficulty")
    hand.key("right")
    assert hand.model.menu.draft.hardness is Hardness.ANY
    hand.press("Guesses 1")
    assert value(hand, "Guesses") == "not needed"
    hand.press("Difficulty -1")
    assert value(hand, "Difficulty") == "hard"
    hand.press("return")
    assert hand.model.settings.guesses is Guesses.NOT_NEEDED
    assert hand.model.settings.hardness is Hardness.HARD


# Boards that are waited for


@pytest.mark.parametrize("hardness", Hardness)
def test_boards_have_the_difficulty_that_is_wished_for(hardness):
    opening = Opening(Level(9, 9, 16), Start.ZERO, (4, 4))
    *before, last = deal_board(opening, 2, hardness)
    assert all(one.mines is None for one in before)
    assert last.mines is not None
    assert prove(last.mines, (4, 4)).solved
    difficulty = OrderedBoard.proved(opening, last.mines, 0, None).difficulty
    assert difficulty is not None
    third = {Hardness.EASY: 0, Hardness.MIDDLE: 1, Hardness.HARD: 2}.get(hardness)
    if third is not None:
        assert third / 3 - 0.01 <= share_easier(difficulty.score) <= (third + 1) / 3 + 0.01


def no_guess(hardness=Hardness.ANY, guesses=Guesses.NOT_NEEDED, level=BEGINNER):
    return Settings(level=level, start=Start.ZERO, seed=3, guesses=guesses, hardness=hardness)


def test_a_board_of_a_mode_is_dealt_and_played(hand):
    hand = hand(no_guess(guesses=Guesses.FORBIDDEN))
    hand.click((4, 4))
    hand.frames(3)
    session = hand.model.play.game.session
    assert hand.model.play.dealing is None
    assert session.board.opened[4, 4]
    assert prove(session.board.mines, (4, 4)).solved
    hand.press("a", frames=60)
    assert hand.model.play.game.session.status.name == "WON"
    assert hand.model.leaderboard == ("beginner, zero start: 0 of 0 won",), "another game"


def test_where_there_is_no_board_a_message_says_so(hand):
    hand = hand(no_guess(level=Level(2, 2, 0)))
    hand.click((0, 0))
    hand.frames(3)
    assert hand.model.play.game.is_over
    none = replace(no_guess(level=Level(2, 2, 2)), start=Start.SAFE)
    hand.window.model = start(none)
    hand.click((0, 0))
    hand.frames(3)
    assert hand.model.message == "no board of 2×2/2 was found that needs no guess from (0, 0)"
    assert hand.model.play.dealing is None


class Never(Executor):
    """Begins tasks that take for ever, and counts the processes that were ended."""

    ended = 0

    def submit(self, function, /, *args, **kwargs):
        return Future()

    def shutdown(self, wait=True, *, cancel_futures=False):
        Never.ended += 1


@pytest.mark.parametrize("how", ["escape", "r", "u"])
def test_dealing_is_seen_and_can_be_cancelled(how, hand):
    hand = hand(no_guess(Hardness.HARD), executor=Never())
    hand.click((4, 4))
    about = hand.model.play.dealing
    assert about == DealBoard(Opening(BEGINNER, Start.ZERO, (4, 4)), 3, Hardness.HARD)
    assert "dealing" in hand.model.message
    hand.window.send(events.BoardDealt(about, next(deal_board(about.opening, 5, Hardness.HARD))))
    assert "boards tried; Esc cancels" in hand.model.message or not hand.model.play.dealing
    hand.window.model = replace(hand.model, play=replace(hand.model.play, dealing=about))
    before = hand.model.play.game
    hand.click((0, 0))
    assert hand.model.play.game is before, "the board is not there yet"
    ended = Never.ended
    if how == "escape":
        hand.press("escape")
    else:
        hand.key(how)
    assert hand.model.play.dealing is None
    assert Never.ended == ended + 1, "the process is ended"
    late = next(deal_board(about.opening, 3, Hardness.ANY))
    hand.window.send(events.BoardDealt(about, late))
    assert hand.model.play.game.session.opening is None, "too late"


def test_one_process_deals_one_board_after_the_other():
    begun = []

    def begin():
        begun.append(AtOnce())
        return begun[-1]

    dealer = Dealer(begin)
    assert dealer.poll() == []
    assert not begun, "none is begun before it is needed"
    for seed in (1, 2):
        dealer.deal(DealBoard(Opening(BEGINNER, Start.ZERO, (4, 4)), seed, Hardness.EASY))
        found = []
        while not found or found[-1].result.mines is None:
            found += dealer.poll()
        assert [event.about.seed for event in found] == [seed] * len(found)
    assert dealer.poll() == []
    assert len(begun) == 1


def test_the_board_is_opened_in_its_mode_whatever_is_shown():
    model = play.on_click(start(no_guess()), (4, 4), events.LEFT)
    about = model.play.dealing
    assert about in model.effects
    *_, dealt = deal_board(about.opening, about.seed, about.hardness)
    model = update(
        replace(model, mode=Mode.ANALYSE, message="still here"), events.BoardDealt(about, dealt)
    )
    assert model.play.game.session.opening == about.opening
    assert StopDealing() not in model.effects


# Small windows


def inside(rect, other):
    return rect.inset(0, 0) == Rect(
        max(rect.left, other.left),
        max(rect.top, other.top),
        min(rect.right, other.right) - max(rect.left, other.left),
        min(rect.bottom, other.bottom) - max(rect.top, other.top),
    )


@pytest.mark.parametrize("size", SMALL_SIZES)
@pytest.mark.parametrize("mode", Mode)
def test_no_button_is_lost_in_a_small_window(size, mode):
    window = Rect(0, 0, *size)
    for scale in (1.0, 1.5) if size[0] > 480 else (1.0,):
        model = replace(start(SMALL, mode, size), scale=scale, shows_panel=False)
        for row, (groups, place) in ROWS.items():
            if row == "brushes" and mode is not Mode.ANALYSE:
                continue
            opened = replace(model, more=row)
            wanted = {button.name for group in groups(opened) for button in group}
            shown = controls(opened)
            assert wanted <= {placed.button.name for placed in shown}
            box = more_box(opened)
            listed = [p for p in shown if box is not None and inside(p.rect, box)]
            assert all(inside(placed.rect, window) for placed in (*place(opened), *listed))
            assert (box is None) == ({p.button.name for p in place(opened)} == wanted)


def test_the_list_of_more_buttons_by_mouse(hand):
    hand = hand(SMALL, size=(320, 240), executor=Pretending())
    hand.press("more tools")
    hand.press("e")
    assert hand.model.overlay.outlines
    assert hand.model.more is None, "what is pressed closes it"
    hand.press("more tools")
    place = hand.model.layout.field.middle
    box = more_box(hand.model)
    assert box is not None
    away = (4, place[1]) if box.left > 4 else (box.right + 2, place[1])
    before = hand.model.play.game
    hand.press_at(away)
    assert hand.model.more is None
    assert hand.model.play.game is before, "the click only closes it"
    hand.press("more tools")
    hand.key("escape")
    assert hand.model.more is None
    hand.press("more tools")
    hand.window.send(events.Resize((1280, 800)))
    hand.frames(1)
    assert more_box(hand.model) is None, "there is room for all"


@pytest.mark.parametrize("size", [*SMALL_SIZES, (1280, 800), (3840, 2160)])
def test_the_menu_fits_and_scrolls(size):
    scale = 2.0 if size[0] > 2000 else 1.0
    model = replace(start(SMALL, Mode.PLAY, size), scale=scale)
    seen = set()
    for row in range(len(MENU_ROWS)):
        menu = replace(Menu.of(SMALL), row=row)
        one = replace(model, menu=menu)
        rows, box = dict(menu_rows(one, menu)), menu_box(one)
        assert row in rows
        seen |= rows.keys()
        places = [*rows.values(), menu_note(one)]
        places += [
            placed.rect for placed in controls(one) if placed.button.icon in ("check", "close")
        ]
        assert all(inside(place, box) for place in places)
        assert not any(
            a.top < b.bottom and b.top < a.bottom for a, b in combinations(places[:-2], 2)
        )
    assert seen == set(range(len(MENU_ROWS)))
    wheel = update(replace(model, menu=Menu.of(SMALL)), events.Wheel((5, 5), -1))
    assert wheel.menu is not None
    assert wheel.menu.row == 1


@pytest.mark.parametrize("size", [(640, 400), (480, 360), (1280, 800)])
def test_the_start_screen_keeps_its_buttons(size, hand):
    hand = hand(SMALL, size=size, executor=Pretending())
    hand.press("f6")
    names = {placed.button.name for placed in controls(hand.model)}
    assert {"play beginner", "play expert", "play more", "watch expert", "analyse paste"} <= names
    assert all(inside(p.rect, Rect(0, 0, *size)) for p in controls(hand.model))
    hand.press("play more")
    assert hand.model.menu is not None
    hand.press("escape")
    assert hand.model.shows_start
    hand.press("play more")
    hand.press("Guesses -1")
    hand.press("return")
    assert not hand.model.shows_start
    assert hand.model.play.game.session.guesses is Guesses.ONLY_IF_FORCED
