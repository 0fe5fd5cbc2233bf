import json
import multiprocessing.connection
import random
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import numpy as np
import pygame
import pytest

from jaxsweep.rules.board import cells_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import LEVELS, Level, Start
from jaxsweep.rules.position import FLAGGED, HIDDEN, from_text, to_text
from jaxsweep.single import leaderboard, replay
from jaxsweep.single.grading import grade
from jaxsweep.single.session import Session
from tests.waiting import PATIENCE
from tests.window import MODE_KEYS, SMALL, AtOnce, Hand, Pretending, Still
from viewer import events
from viewer.analysis_result import analyse_position
from viewer.effects import Analyse, GradeGame
from viewer.engine_worker import EngineWorker
from viewer.events import LEFT, MIDDLE, RIGHT
from viewer.help import HELP
from viewer.model import Mode, Settings
from viewer.playback import Playback
from viewer.theme import DARK, LIGHT
from viewer.update import start, update
from viewer.window import ScreenError, translate

pytestmark = pytest.mark.usefixtures("own_files")


def shown(hand, game):
    hand.window.send(events.Dropped("game.json", replay_bytes(game)))
    hand.frames(2)


def replay_bytes(game):
    return json.dumps(replay.to_json(game)).encode()


def mines_of(settings, first):
    return Session.new(settings.level, settings.start, settings.seed).open(first).board.mines


# Play


def test_a_game_is_played_with_the_mouse_and_won(hand):
    hand = hand(SMALL)
    mines = mines_of(SMALL, (0, 0))
    hand.click((0, 0))
    assert hand.model.play.game.session.board.opened[0, 0]
    mined = cells_of(mines)[0]
    hand.click(mined, RIGHT)
    assert hand.model.grid[mined] == FLAGGED
    assert hand.model.play.game.session.mines_left == 4
    for cell in cells_of(~mines):
        hand.click(cell)
    assert hand.model.play.game.session.status is GameStatus.WON
    assert "won" in hand.model.message
    (entry,) = leaderboard.read()
    assert (entry.name, entry.won, entry.helped) == ("Ada", True, False)
    assert "1 of 1 won" in hand.model.leaderboard[0]
    assert "Ada" in hand.model.leaderboard[1]


def test_a_loss_can_be_undone_to_see_the_odds_and_is_entered_once(hand):
    hand = hand(SMALL)
    hand.click((0, 0))
    mines = hand.model.play.game.session.board.mines
    hand.click(cells_of(mines)[0])
    assert hand.model.play.game.session.status is GameStatus.LOST
    assert hand.colour(cells_of(mines)[0], 0.12, 0.5) == LIGHT.exploded
    hand.key("u")
    assert hand.model.play.game.session.status is GameStatus.PLAYING
    hand.key("o")
    assert hand.model.result is not None
    for cell in cells_of(~mines):
        hand.click(cell)
    assert hand.model.play.game.session.status is GameStatus.WON
    assert [entry.won for entry in leaderboard.read()] == [False]


@pytest.mark.parametrize("buttons", [(LEFT, RIGHT), (RIGHT, LEFT), (MIDDLE,)])
def test_both_buttons_or_the_middle_one_chord(hand, buttons):
    hand = hand(SMALL)
    hand.click((0, 0))
    board = hand.model.play.game.session.board
    number = next(
        cell for cell in cells_of(board.opened & ~board.mines) if board.numbers[cell] == 1
    )
    near = [
        cell
        for cell in cells_of(board.mines)
        if max(abs(cell[0] - number[0]), abs(cell[1] - number[1])) == 1
    ]
    hand.click(number, *buttons)
    assert hand.model.play.game.session.board.opened.sum() == board.opened.sum(), "no flag yet"
    hand.click(near[0], RIGHT)
    hand.click(number, *buttons)
    after = hand.model.play.game.session.board
    around = np.abs(np.indices(board.mines.shape) - np.array(number)[:, None, None]).max(0) <= 1
    assert (after.opened | after.flags)[around].all()
    assert after.status is not GameStatus.LOST


def test_a_hint_names_the_best_cell_and_why(hand):
    hand = hand(SMALL)
    hand.click((0, 0))
    hand.key("h")
    hand.frames(3)
    session = hand.model.play.game.session
    assert hand.model.play.hint is not None
    assert hand.model.grid[hand.model.play.hint] == HIDDEN
    assert "certain" in hand.model.message or "guess" in hand.model.message
    assert hand.model.play.game.helped
    hand.click(hand.model.play.hint)
    assert hand.model.play.game.session.board.opened.sum() > session.board.opened.sum()


def test_without_help_the_engine_is_not_even_asked(hand):
    hand = hand(SMALL)
    hand.click((0, 0))
    assert hand.model.latest_result is None


def test_a_start_rule_that_does_not_fit_says_so(hand):
    hand = hand(Settings(level=Level(3, 3, 5), start=Start.ZERO))
    hand.click((1, 1))
    assert "5 mines do not fit" in hand.model.message
    assert hand.model.play.game.session.opening is None


# Replay and watch


def test_a_replay_is_stepped_scrubbed_and_run(hand, game):
    hand = hand(mode=Mode.REPLAY)
    shown(hand, game)
    boards, last = game.boards(), len(game.moves)
    assert hand.model.mode is Mode.REPLAY
    assert hand.model.replay.at == 0
    hand.key("right")
    np.testing.assert_array_equal(hand.model.grid, boards[1].grid)
    hand.key("end")
    assert hand.model.replay.at == last
    hand.key("left", shift=True)
    assert hand.model.replay.at == max(last - 10, 0)
    hand.key("home")
    hand.key("g")
    at = hand.model.replay.at
    assert at == last or game.moves[at].reason.is_guess
    timeline = hand.model.layout.timeline
    middle = (timeline.left + timeline.width // 2, timeline.top + 20)
    hand.window.send(events.Press(middle, LEFT))
    assert hand.model.replay.at == round(last / 2)
    hand.window.send(events.Motion((timeline.left + timeline.width - 1, timeline.top + 300)))
    assert hand.model.replay.at == last
    hand.window.send(events.Release(middle, LEFT))
    hand.key("home")
    hand.key("up")
    hand.key("space")
    assert hand.model.replay.running
    hand.frames(10 * last, seconds=0.2)
    assert hand.model.replay.at == last
    assert not hand.model.replay.running


def test_a_watched_game_is_the_one_the_arena_plays(hand, game):
    hand = hand(Settings(strategy="exact", seed=8), Mode.WATCH)
    hand.frames(400, seconds=1.0)
    watched = hand.model.watched
    assert watched.complete
    assert watched.at == len(watched.moves)
    assert [m.cells for m in watched.moves] == [m.cells for m in game.moves]
    hand.key("s", control=True)
    (file,) = list(Path().glob("exact-*.json.gz"))
    assert replay.to_json(replay.load(file)) == replay.to_json(game)
    hand.key("r")
    assert hand.model.settings.seed != 8
    assert hand.model.watched is not watched


def test_what_is_certain_is_seen_before_the_player_acts(hand):
    class Never(AtOnce):
        def submit(self, function, /, *args, **kwargs):
            return Future() if function is analyse_position else super().submit(function, *args)

    hand = hand(Settings(seed=8), Mode.WATCH, executor=Never())
    hand.frames(50, seconds=1.0)
    assert hand.model.watched.at == 0, "no analysis of the board, no move"
    hand.key("o")
    hand.key("m")
    hand.frames(50, seconds=1.0)
    assert not hand.model.overlay.any
    assert hand.model.watched.at >= 0


# Analyse


def test_cells_are_edited_and_the_odds_follow(hand):
    hand = hand(SMALL, Mode.ANALYSE)
    hand.window.send(events.Pasted("3x1x1\nH1H\n"))
    hand.frames(3)
    assert hand.model.mode is Mode.ANALYSE
    assert hand.model.result.analysis.odds[0, 0] == pytest.approx(0.5)
    hand.key("+")
    assert hand.model.editor.mines == 2
    hand.frames(3)
    assert "1" in hand.model.result.error, "two mines do not fit beside a 1"
    hand.key("-", "-")
    hand.click((0, 0))
    hand.frames(3)
    assert hand.model.grid[0, 0] == 0
    assert hand.model.result.analysis.certain_mines[0, 2]
    hand.key("3")
    hand.frames(3)
    assert "row 0, column 0 shows 3" in hand.model.result.error
    hand.key("1")
    hand.click((0, 0), RIGHT)
    hand.click((0, 0), RIGHT)
    assert hand.model.grid[0, 0] == HIDDEN
    hand.key("right")
    hand.key("right")
    hand.key("f")
    assert hand.model.grid[0, 2] == FLAGGED
    hand.key("h")
    assert hand.model.grid[0, 2] == HIDDEN
    hand.frames(3)
    assert hand.model.result.analysis is not None


def test_positions_are_copied_and_pasted(hand):
    text = to_text(from_text("4x3x2\n01HH\n01HH\n011H\n"))
    hand = hand(SMALL, Mode.ANALYSE)
    hand.window.send(events.Pasted(text))
    hand.key("c", control=True)
    hand.key("f4")
    hand.key("v", control=True)
    assert hand.model.mode is Mode.ANALYSE
    assert hand.model.grid.shape == (3, 4)
    assert hand.model.editor.mines == 2


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("cut.json", b'{"format": "jaxsweep-replay", "version": 1, "rows', "not a replay"),
        ("cut.json.gz", b"\x1f\x8b\x08\x00", "cut off"),
        ("old.json", b'{"format": "jaxsweep-replay", "version": 7}', "version 7"),
        ("bad.txt", b"3x1x1\nHxH\n", "line 2"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\xff\xfe", "nothing that can be read"),
        ("big.txt", b"4000x4000x1\n", "line"),
    ],
)
def test_a_dropped_file_that_is_bad_changes_nothing_and_says_why(hand, name, data, said):
    hand = hand(SMALL)
    hand.click((0, 0))
    before = hand.model
    hand.window.send(events.Dropped(name, data))
    hand.frames(2)
    assert name in hand.model.message
    assert said in hand.model.message
    assert hand.model.mode is Mode.PLAY
    assert hand.model.play.game.session is before.play.game.session


def test_a_file_that_is_not_there_is_reported(hand, tmp_path):
    hand = hand(SMALL)
    pygame.event.post(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "gone.json")))
    hand.frames(2)
    assert "gone.json" in hand.model.message


# Keys, sizes, colours

KEYS = {
    "F2 F3 F4 F5": ["f2", "f3", "f4", "f5"],
    "F6": ["f6"],
    "N": ["n"],
    "O  P": ["o", "p"],
    "M  E": ["m", "e"],
    "T  B": ["t", "b"],
    "L": ["l"],
    "Tab, Enter": ["tab"],
    "wheel, drag, Z": [],
    "Ctrl O  S": [],
    "Ctrl C  V": [],
    "Ctrl +  −": [],
    "F1  Esc  Ctrl Q": [],
    "Space": ["space"],
    "Left Right": ["right", "left"],
    "G": ["g"],
    "Home End": ["end", "home"],
    "Up Down": ["up", "down"],
    "R": ["r"],
    "click, right click": [],
    "both, middle": [],
    "H": ["h"],
    "A": ["a"],
    "U  R": ["u", "r"],
    "V": ["v"],
    "0 to 8  H  F": [*"012345678", "f", "h"],
    "arrows": ["right", "down", "left", "up"],
    "+  −": ["+", "-"],
    "Delete": ["delete"],
}
"""Every line of the help: the keys pressed here; mouse and Ctrl are tested elsewhere."""


def test_every_key_of_the_help_does_something(hand, game):
    assert {keys for _, lines in HELP for keys, _ in lines} == set(KEYS)
    hand = hand(SMALL, executor=Pretending())
    for title, lines in HELP:
        for line, _ in lines:
            for key in KEYS[line]:
                hand.window.model = _prepared(hand, title, key, game)
                before = hand.model
                hand.window.send(events.Key(key, key if len(key) == 1 else ""))
                assert hand.model is not before, f"{title}: {key} does nothing"
                hand.window.model = replace(hand.model, shows_help=False, menu=None)


def _prepared(hand, title, key, game):
    """A window in which the key has something to do."""
    model = start(SMALL, Mode.PLAY, (960, 640))
    if title == "Everywhere" and key == "f4":
        return update(model, events.Key("f5"))
    if title == "Replay and watch":
        model = start(SMALL, Mode.WATCH, (960, 640))
        playback = replace(Playback.of(game).go(2), running=False)
        if key == "end":
            playback = playback.go(0)
        return replace(model, watched=playback)
    if title == "Play":
        game = model.play.game.open((0, 0))
        if key == "v":
            game = game.open(cells_of(game.session.board.mines)[0])
        return replace(model, play=replace(model.play, game=game))
    if title == "Analyse":
        model = start(SMALL, Mode.ANALYSE, (960, 640))
        grid = model.editor.grid.copy()
        if key == "h":
            grid[2, 2] = 3
        return replace(model, editor=replace(model.editor, grid=grid, cursor=(2, 2)))
    return model


def test_help_menu_and_quit(hand):
    hand = hand(SMALL)
    hand.key("f1")
    assert hand.model.shows_help
    hand.key("escape")
    assert not hand.model.shows_help
    hand.key("n")
    for _ in ("Level", "Columns", "Rows", "Mines", "Start", "Guesses", "Difficulty", "Player"):
        hand.key("right")
        hand.key("down")
    hand.key("backspace")
    hand.key("7")
    hand.key("down")
    hand.key("backspace")
    hand.key("q")
    assert hand.model.menu.draft.name == "Adq"
    hand.key("return")
    assert hand.model.menu is None
    assert hand.model.settings.seed == 7
    assert hand.model.settings.level not in LEVELS.values(), "a size of one's own"
    assert hand.model.play.game.session.level == hand.model.settings.level
    hand.key("q", control=True)
    assert not hand.window.is_open


@pytest.mark.parametrize("level", [Level(1, 1, 0), Level(100, 100, 1500), Level(1, 60, 9)])
@pytest.mark.parametrize("size", [(200, 100), (960, 640), (2400, 1500)])
def test_any_board_is_drawn_in_any_window_and_every_cell_can_be_clicked(hand, level, size):
    hand = hand(Settings(level=level), size=size, executor=Still())
    for mode in Mode:
        hand.key(MODE_KEYS[mode])
        hand.window.send(events.Resize(size))
        hand.frames(1)
    hand.key("f4")
    hand.key("e")
    hand.key("p")
    for _ in range(24):
        hand.window.send(events.Wheel(hand.at((level.rows - 1, level.cols - 1)), 1))
    assert hand.model.layout.cell >= 40
    last = (level.rows - 1, level.cols - 1)
    hand.window.send(events.Press((100, 150), LEFT))
    hand.window.send(events.Motion((-9000, -9000)))
    hand.window.send(events.Release((-9000, -9000), LEFT))
    hand.frames(1)
    place = hand.at(last)
    assert hand.model.layout.cell_at(place) == last, "moved as far as it goes, the corner is seen"
    hand.key("z")
    assert hand.model.zoom == 1.0


def test_zoom_keeps_what_is_under_the_mouse(hand):
    hand = hand(Settings(level=LEVELS["expert"]), size=(1200, 800))
    place = hand.at((8, 15))
    for _ in range(6):
        hand.window.send(events.Wheel(place, 1))
        row, col = hand.model.layout.cell_at(place)
        assert abs(row - 8) <= 1
        assert abs(col - 15) <= 1


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_differ_in_lightness_too(theme):
    def lightness(colour):
        return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]

    assert lightness(theme.unlikely) - lightness(theme.likely) > 100
    assert abs(lightness(theme.text) - lightness(theme.panel)) > 150
    for number in theme.numbers:
        assert abs(lightness(number) - lightness(theme.opened)) > 60


def test_odds_are_darkness(hand):
    hand = hand(SMALL, Mode.ANALYSE)
    hand.window.send(events.Pasted("4x2x2\nH1HH\nH1HH\n"))
    hand.key("p")
    hand.frames(3)
    odds = hand.model.result.analysis.odds
    dark = {
        cell: sum(hand.colour(cell, 0.2, 0.5))
        for cell in cells_of(hand.model.grid < 0)
        if cell != hand.model.result.analysis.best
    }
    order = sorted(dark, key=lambda cell: float(odds[cell]))
    assert float(odds[order[0]]) < float(odds[order[-1]])
    assert dark[order[0]] > dark[order[-1]], "the likelier a mine, the darker"


def test_pygame_events_reach_the_model(hand):
    hand = hand(SMALL)
    place = hand.at((2, 2))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=place, button=1))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=place, button=1))
    pygame.event.post(
        pygame.event.Event(pygame.KEYDOWN, key=pygame.K_t, mod=0, unicode="t", scancode=0)
    )
    hand.frames(2)
    assert hand.model.play.game.session.board.opened[2, 2]
    assert hand.model.dark
    number_pad = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_KP7, mod=0, unicode="7")
    assert list(translate(number_pad)) == [events.Key("7", "7")]
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    hand.frames(1)
    assert not hand.window.is_open


@pytest.mark.parametrize("mode", list(Mode))
def test_ten_thousand_random_events_raise_nothing(hand, mode, game):
    rng = random.Random(mode.value)
    hand = hand(SMALL, mode, executor=Pretending())
    shown_bytes = replay_bytes(game)
    if mode is Mode.REPLAY:
        shown(hand, game)
    names = [*"abcdefghijklmnopqrstuvwxyz0123456789", "space", "left", "right", "up", "down"]
    names += ["home", "end", "f1", "n", "return", "escape", "backspace", "+", "-", "", "ü"]
    names = [name for name in names if name not in ("f2", "f3", "f4", "f5")]

    def point():
        return rng.randint(-50, hand.model.size[0] + 50), rng.randint(-50, hand.model.size[1] + 50)

    makers = [
        lambda: events.Key(rng.choice(names), rng.choice(["", "a", "7", "+", "-"])),
        lambda: events.Key(rng.choice(names), "", shift=True),
        lambda: events.Key(rng.choice("cvsx"), "", control=True),
        lambda: events.Press(point(), rng.choice((LEFT, MIDDLE, RIGHT))),
        lambda: events.Release(point(), rng.choice((LEFT, MIDDLE, RIGHT))),
        lambda: events.Motion(point()),
        lambda: events.Wheel(point(), rng.randint(-3, 3)),
        lambda: events.Resize((rng.randint(1, 1500), rng.randint(1, 900))),
        lambda: events.Tick(rng.random()),
        lambda: events.Pasted(rng.choice(["", "3x1x1\nH1H\n", "1x1x1\nH", "9x9x9\n"])),
        lambda: events.Notice("something"),
        lambda: events.Dropped("x", shown_bytes[: rng.randint(0, len(shown_bytes))]),
    ]
    weights = [30, 5, 2, 20, 20, 10, 4, 1, 6, 0.2, 0.5, 0.2]
    for i in range(10_000):
        hand.window.send(rng.choices(makers, weights)[0]())
        if hand.model.mode is not mode and i % 20 == 0:
            hand.window.model = replace(hand.model, shows_help=False, menu=None)
            hand.window.send(events.Key(MODE_KEYS[mode]))
        if i % 100 == 0:
            hand.frames(1)
    assert hand.window.is_open


def test_an_engine_that_dies_is_reported_and_replaced(hand):
    class Dying(AtOnce):
        broken = True

        def submit(self, function, /, *args, **kwargs):
            if Dying.broken:
                Dying.broken = False
                raise BrokenProcessPool("gone")
            return super().submit(function, *args, **kwargs)

    hand = hand(SMALL, Mode.ANALYSE, executor=Dying())
    hand.frames(3)
    assert "the engine ended: gone" in hand.model.message
    hand.window.send(events.Pasted("3x1x1\nH1H\n"))
    hand.frames(3)
    assert hand.model.result.analysis is not None


def test_closing_ends_the_engines_process():
    worker = EngineWorker()
    worker.analyse(Analyse(np.full((9, 9), HIDDEN, np.int8), 10))
    worker.poll()
    (process,) = worker._executor._processes.values()  # type: ignore[attr-defined]
    assert process.is_alive()
    worker.close()
    # Not `join`: the executor waits for the process as well, and only one of both learns its end.
    assert multiprocessing.connection.wait([process.sentinel], PATIENCE)


def test_odds_seen_are_help_in_the_next_game_too(hand):
    hand = hand(SMALL, executor=Pretending())
    hand.key("o")
    hand.key("r")
    assert hand.model.play.game.helped
    hand.key("o")
    hand.key("r")
    assert not hand.model.play.game.helped


def test_a_game_under_way_that_is_analysed_is_helped_and_its_clock_goes_on(hand):
    hand = hand(SMALL, executor=Pretending())
    hand.click((0, 0))
    before = hand.model.play.game.seconds
    hand.key("c", control=True)
    hand.key("v", control=True)
    hand.frames(5, seconds=1.0)
    hand.key("f4")
    assert hand.model.play.game.helped
    assert hand.model.play.game.seconds >= before + 5


def test_before_the_first_cell_a_hint_says_what_the_start_rule_does(hand):
    hand = hand(SMALL)
    hand.key("h")
    assert "never a mine" in hand.model.message
    assert not hand.model.play.game.helped


def test_undo_returns_to_the_game_that_a_new_one_replaced(hand):
    hand = hand(SMALL, executor=Pretending())
    hand.click((0, 0))
    left = hand.model.play.game
    hand.key("n")
    hand.key("right")
    hand.key("return")
    assert "U takes you back" in hand.model.message
    assert hand.model.play.game.session.level != SMALL.level
    hand.frames(5, seconds=1.0)
    hand.key("u")
    game = hand.model.play.game
    assert game.session is left.session
    assert game.seconds >= left.seconds + 5, "its clock ran on"
    assert not game.helped
    assert hand.model.settings == SMALL
    assert "5x6x5" in hand.model.leaderboard[0]


def test_the_probability_to_have_survived_is_not_known_after_an_unknown_risk(game):
    playback = Playback.of(game).go(len(game.moves))
    assert playback.survival == game.survival[-1]
    unknown = tuple(replace(move, risk=None) for move in game.moves)
    assert replace(playback, moves=unknown).survival is None
    assert replace(playback, moves=unknown).go(0).survival == 1.0


def test_a_replay_is_saved_as_it_was_read_and_nothing_is_written_over(hand, game):
    hand = hand(mode=Mode.REPLAY)
    shown(hand, replace(game, game=3))
    hand.key("s", control=True)
    hand.key("s", control=True)
    files = sorted(Path().glob("exact-*.json.gz"))
    assert len(files) == 2
    for file in files:
        assert replay.to_json(replay.load(file)) == replay.to_json(game) | {"game": 3}


def test_without_a_screen_it_is_said_in_one_sentence(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "nothing")
    with pytest.raises(ScreenError, match="no window can be opened here"):
        Hand(SMALL)
    # SDL would draw where nobody sees it.
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    monkeypatch.delenv("SDL_VIDEODRIVER")
    with pytest.raises(ScreenError, match=r"there is no display; .*in the terminal"):
        Hand(SMALL)


def test_a_replay_is_graded_while_it_is_shown(hand, game):
    hand = hand(mode=Mode.REPLAY)
    person = replace(game, strategy="human")
    shown(hand, person)
    hand.frames(2)
    playback = hand.model.replay
    graded = grade(person)
    assert playback is not None
    assert playback.grade == graded
    assert playback.chances[0] == graded.win_before
    assert playback.chances[-1] == graded.win_after == 1
    place = hand.model.layout.timeline
    before = hand.window.surface.subsurface(
        (place.left, place.top, place.width, place.height)
    ).copy()
    hand.window.send(events.Graded(replace(person, moves=person.moves[:1]), graded))
    assert hand.model.replay is playback, "these are the grades of another replay"
    plain = replace(hand.model, replay=replace(playback, grade=None))
    assert plain.replay.chances == []
    hand.window.model = plain
    hand.frames(1)
    after = hand.window.surface.subsurface((place.left, place.top, place.width, place.height))
    assert pygame.image.tobytes(before, "RGB") != pygame.image.tobytes(after, "RGB")


def test_a_replay_too_large_to_be_graded_is_shown_all_the_same(hand):
    session = Session.new(Level(60, 60, 10), Start.SAFE, 1).open((0, 0))
    hand = hand(mode=Mode.REPLAY, executor=Still())
    shown(hand, session.replay())
    assert hand.model.replay.grade is None
    assert not hand.model.message


def test_grades_that_fail_are_said_to_fail(game):
    class Failing(AtOnce):
        def submit(self, function, /, *args, **kwargs):
            return super().submit(lambda: 1 // 0)

    engine = EngineWorker(Failing)
    engine.grade(GradeGame(game))
    assert engine.poll() == []
    (failed,) = engine.poll()
    assert isinstance(failed, events.EngineFailed)
