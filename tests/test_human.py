"""A person's game: what keys do, and how the terminal is left."""

import fcntl
import io
import itertools
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from jaxsweep.commands import arguments, play
from jaxsweep.puzzles.proofs import prove
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.scalar.deal import deal
from jaxsweep.single import keyboard, leaderboard, terminal, terminal_play
from jaxsweep.single.person import PersonGame
from jaxsweep.single.replay import load
from jaxsweep.single.terminal_game import TerminalGame, press, work_out_odds
from jaxsweep.single.terminal_play import finish
from tests.waiting import PATIENCE

SMALL = Level(4, 4, 2)
MIDDLE = (2, 2)

ENTER_SCREEN, LEAVE_SCREEN = b"\x1b[?1049h", b"\x1b[?1049l"
HIDE_CURSOR, SHOW_CURSOR = b"\x1b[?25l", b"\x1b[?25h"


@pytest.fixture(autouse=True)
def data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def press_all(state, keys):
    for key in keys:
        state = press(state, key)
    return state


def opened():
    """A small game with its middle cell open, which is not over."""
    for seed in itertools.count():
        state = press(TerminalGame.new(SMALL, Start.SAFE, seed), " ")
        if not state.game.is_over and state.game.session.board.opened.sum() < 9:
            return state
    raise AssertionError


def way(start, end):
    """The keys from one cell to another."""
    rows, cols = end[0] - start[0], end[1] - start[1]
    return ("j" if rows > 0 else "k") * abs(rows) + ("l" if cols > 0 else "h") * abs(cols)


def clicks(cells, start=MIDDLE):
    """The keys that open some cells, one after the other."""
    keys = ""
    for cell in cells:
        keys, start = keys + way(start, cell) + " ", cell
    return keys


def safe_cells(state):
    board = state.game.session.board
    return cells_of(~board.mines & ~board.opened)


def win(state):
    state = at_nine_seconds(state)
    for cell in safe_cells(state):
        state = replace(state, cursor=cell)
        if not state.game.session.board.opened[cell]:
            state = press(state, " ")
    return state


def lose(state):
    mine = cells_of(state.game.session.board.mines)[0]
    return press(replace(at_nine_seconds(state), cursor=mine), " ")


def at_nine_seconds(state):
    return replace(state, game=replace(state.game, seconds=9.0))


@pytest.mark.parametrize(
    ("data", "keys", "rest"),
    [
        (b"hjKL f?", list("hjkl f?"), b""),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"], b""),
        (b"\x1bOA\x1bOB\x1bOC\x1bOD", ["up", "down", "right", "left"], b""),
        (b"\x1b[1;5Aq", ["up", "q"], b""),
        (b"\x1b[3~\x1b[H\x1bOP\x7f\x00\t\r\xc3\xa9u", ["u"], b""),
        (b"\x1bq", ["q"], b""),
        (b"\x1b\x1b[A", ["up"], b""),
        (b"f\x1b", ["f"], b"\x1b"),
        (b"f\x1b[", ["f"], b"\x1b["),
        (b"f\x1b[1;", ["f"], b"\x1b[1;"),
        (b"f\x1bO", ["f"], b"\x1bO"),
        (b"", [], b""),
    ],
)
def test_keys_are_decoded(data, keys, rest):
    assert keyboard.decode(data) == (keys, rest)


def test_the_cursor_moves_and_stops_at_the_edge():
    state = TerminalGame.new(Level(3, 5, 2), Start.SAFE, 0)
    assert state.cursor == (1, 2)
    assert press_all(state, ["up", "left"]).cursor == press_all(state, "kh").cursor == (0, 1)
    assert press_all(state, ["down", "right"]).cursor == press_all(state, "jl").cursor == (2, 3)
    assert press_all(state, "kkkkhhhh").cursor == (0, 0)
    assert press_all(state, "jjjjllll").cursor == (2, 4)
    assert press(state, "x") is state


def test_space_opens_and_chords():
    state = opened()
    board = state.game.session.board
    assert board.opened[MIDDLE]
    assert len(state.game.session.moves) == 1
    mines = cells_of(board.mines)
    number = next(cell for cell in cells_of(board.opened) if board.numbers[cell])
    there = replace(state, cursor=number)
    assert "as many flags" in press(there, " ").message
    for mine in mines:
        there = replace(press(replace(there, cursor=mine), "f"), cursor=number)
    assert there.game.session.mines_left == 0
    after = press(there, " ")
    assert after.game.session.board.opened.sum() > board.opened.sum()
    flagged = press(replace(there, cursor=mines[0]), " ")
    assert flagged.game.session is there.game.session
    assert "flag" in flagged.message


def test_an_impossible_first_cell_is_a_message():
    state = TerminalGame.new(Level(4, 4, 12), Start.ZERO, 0)
    refused = press(state, " ")
    assert "12 mines do not fit" in refused.message
    assert refused.game.session.opening is None
    assert press_all(refused, "jl ").game.session.opening is not None, (
        "the corner leaves room for them"
    )
    assert "do not fit" in press(TerminalGame.new(Level(4, 4, 15), Start.ZERO, 0), "?").message


def test_the_clock_runs_while_the_game_does():
    state = press(TerminalGame.new(SMALL, Start.SAFE, opened().game.session.seed), "f").tick(89.0)
    assert state.game.seconds == 0.0
    state = press_all(state, "f ").tick(3.0)
    assert state.game.seconds == 3.0
    mine = cells_of(state.game.session.board.mines)[0]
    lost = press(replace(state.tick(2.0), cursor=mine), " ").tick(894.0)
    assert lost.game.seconds == 5.0
    assert press(lost, "u").tick(1.0).game.seconds == 6.0


def test_odds_are_help_once_there_are_any():
    fresh = TerminalGame.new(SMALL, Start.SAFE, opened().game.session.seed)
    assert "once a cell is open" in press(fresh, "p").message
    assert not press_all(fresh, "pp ").game.helped
    state = press_all(fresh, "p ")
    assert state.game.helped
    assert state.needs_analysis
    state = work_out_odds(state)
    assert not state.needs_analysis
    assert state.sees_odds
    assert not press(state, "p").sees_odds
    # Flags are no evidence, but open cells are.
    mine = cells_of(state.game.session.board.mines)[0]
    assert not press(replace(state, cursor=mine), "f").needs_analysis
    cell = safe_cells(state)[0]
    assert press(replace(state, cursor=cell), " ").needs_analysis


def test_a_hint_moves_the_cursor_and_says_why():
    fresh = TerminalGame.new(SMALL, Start.SAFE, 0)
    early = press(fresh, "?")
    assert early.cursor == (0, 0)
    assert "never a mine" in early.message
    assert not early.game.helped
    state = press(opened(), "?")
    assert state.needs_analysis
    assert state.game.helped
    state = work_out_odds(state)
    assert state.analysis is not None
    assert state.cursor == state.analysis.best
    assert state.message.startswith(f"open ({state.cursor[0]},{state.cursor[1]}): ")
    assert not state.needs_analysis
    flagged = work_out_odds(press_all(state, "f?"))
    assert "f takes its flag away" in flagged.message


def test_undo_goes_back_even_from_a_loss():
    state = opened()
    assert not state.game.helped
    lost = lose(state)
    assert lost.game.session.status is GameStatus.LOST
    assert "u takes the last move back" in press(lost, " ").message
    assert press(lost, "f").game.session is press(lost, "p").game.session is lost.game.session
    back = press(lost, "u")
    assert back.game.session is state.game.session
    assert back.game.helped
    assert "nothing to undo" in press(TerminalGame.new(SMALL, Start.SAFE, 0), "u").message


def test_a_new_game_and_back_again():
    state = opened()
    state = replace(state, shows_odds=True, game=state.game.with_help())
    fresh = press(state.tick(5.0), "r")
    assert fresh.game.session.seed == state.game.session.seed + 1
    assert fresh.game.session.opening is None
    assert not (fresh.game.helped or fresh.shows_odds)
    assert fresh.cursor == state.cursor
    back = press(fresh.tick(2.0), "u")
    assert back.game.session is state.game.session
    assert back.shows_odds
    assert back.tick(1.0).game.seconds == 8.0, "the clock ran on"
    assert press(lose(state), "r").left is None
    last = TerminalGame.new(SMALL, Start.SAFE, 2**32 - 1)
    assert press(last, "r").game.session.seed == 0


@pytest.mark.parametrize("start", Start)
def test_a_board_without_a_guess_is_dealt(start):
    level = LEVELS["beginner"]
    for seed in range(3):
        game = PersonGame.new(level, start, seed, guesses=Guesses.NOT_NEEDED).open((4, 4))
        board, opening = game.session.board, Opening(level, start, (4, 4))
        assert board.mines.sum() == level.mines
        assert prove(board.mines, (4, 4)).solved
        replay = game.replay()
        assert replay is not None
        assert replay.game is not None
        # It is the first such board of the seed.
        assert (deal(opening, seed, replay.game) == board.mines).all()
        assert not any(prove(deal(opening, seed, n), (4, 4)).solved for n in range(replay.game))
        assert not game.is_ranked
        assert game.new_game(level, start, seed).is_ranked


def test_a_dense_board_without_a_guess_is_repaired():
    level = Level(9, 9, 35)
    game = PersonGame.new(level, Start.ZERO, 1, guesses=Guesses.NOT_NEEDED).open((4, 4))
    assert game.session.board.mines.sum() == 35
    assert prove(game.session.board.mines, (4, 4)).solved
    replay = game.replay()
    assert replay is not None
    assert replay.seed is replay.game is None


def test_where_every_board_needs_a_guess_a_message_says_so():
    state = press(TerminalGame.new(Level(2, 2, 2), Start.SAFE, 1, guesses=Guesses.NOT_NEEDED), " ")
    assert state.message == "no board of 2×2/2 was found that needs no guess from (1, 1)"
    assert press(state, "r").game.session.guesses is Guesses.NOT_NEEDED


def test_a_game_without_a_guess_is_not_in_the_leaderboard(tmp_path):
    state = TerminalGame.new(Level(3, 3, 0), Start.SAFE, 1, guesses=Guesses.NOT_NEEDED)
    state = finish(press(state, " "), "Ada", None)
    assert state.message == f"won in 0.0 s. {leaderboard.OTHER_MODES}"
    assert leaderboard.read() == []


def test_a_finished_game_is_entered_once(tmp_path):
    save = tmp_path / "game.json.gz"
    state = opened()
    lost = finish(lose(state), "Ana", save)
    assert lost.message.startswith("a mine, after 9.0 s. Ana won 0 of 1 on 4x4x2.")
    assert load(save).outcome is GameStatus.LOST
    won = finish(win(press(lost, "u")), "Ana", save)
    assert won.message.startswith("won in 9.0 s, with help. Ana won 0 of 1")
    assert load(save).outcome is GameStatus.WON
    assert load(save).seconds == 9.0
    (entry,) = leaderboard.read()
    assert (entry.name, entry.won, entry.helped) == ("Ana", False, False)

    finish(win(press_all(state, "fuu ")), "Ana", None)
    assert leaderboard.read()[-1].helped, "won after an undo"
    assert finish(win(state), "Ana", None).message.endswith("on 4x4x2; best time 9.0 s.")
    won = win(state)
    faster = replace(won, game=replace(won.game, seconds=4.0))
    assert finish(faster, "Ana", None).message.endswith("best time 4.0 s. A new best time!")
    assert finish(win(state), "Bob", None).message.endswith("best time 4.0 s by Ana.")


def test_what_cannot_be_written_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    state = finish(win(opened()), "Ana", tmp_path / "nowhere" / "game.json")
    assert state.message.startswith("won in 9.0 s. The leaderboard cannot be kept: ")
    assert "The replay cannot be saved: " in state.message


def drawn(state, width=80, height=24):
    console = Console(
        file=io.StringIO(), force_terminal=True, width=width, height=height, _environ={}
    )
    lines = console.render_lines(terminal_play.frame(state, "Ana", console), pad=False)
    return ["".join(segment.text for segment in line) for line in lines]


@pytest.mark.parametrize("name", LEVELS)
def test_the_screen_fits_a_terminal(name):
    state = press(TerminalGame.new(LEVELS[name], Start.SAFE, 1), " ")
    for one in (state, work_out_odds(replace(state, shows_odds=True))):
        lines = drawn(replace(one, message="x" * 80))
        assert terminal_play.KEYS in lines
        assert len(lines) <= 24
        assert max(len(line) for line in lines) <= 80
    assert drawn(state, 30, 8), "a window too small is no crash"


def test_the_screen_says_how_it_stands():
    state = opened()
    board = state.game.session.board
    text = "\n".join(drawn(state))
    assert "custom 4×4/2, safe start" in text
    assert "mines 2   time 0:00   playing" in text
    assert f"[{board.numbers[MIDDLE] or '·'}]" in text
    wrong = press(replace(state, cursor=safe_cells(state)[0]), "f")
    assert "mines 1 " in "\n".join(drawn(wrong))
    assert "[F]" in "\n".join(drawn(wrong))
    lost = "\n".join(drawn(lose(wrong)))
    assert "lost" in lost
    assert "[X]" in lost
    assert " *" in lost
    assert " x" in lost, "a wrong flag"
    assert "\n3BV " in lost, "what is counted of the clicks"
    assert "3BV" not in text
    odds = "\n".join(drawn(work_out_odds(press(state, "p"))))
    assert "mines in percent" in odds
    assert "with help" in odds


def test_the_cursor_is_drawn_in_a_gap_or_without():
    grid = np.full((3, 4), -1, np.int8)
    nothing = np.zeros_like(grid, bool)
    grid[0, 0] = -2

    def lines(draw, room, cursor):
        return draw(room, cursor).plain.splitlines()

    def board(room, cursor):
        return terminal.draw(grid, nothing, None, room, True, cursor)

    def odds(room, cursor):
        return terminal.draw_odds(grid, None, nothing, nothing, None, room, True, cursor)

    assert lines(board, (9, 20), (1, 3))[2] == "  1 # # #[#]"
    assert lines(board, (9, 20), (0, 0))[1] == "  0[F]# # #"
    assert lines(board, (9, 9), (1, 3))[2] == "  1 ####"
    assert lines(odds, (9, 20), (0, 1))[1] == "  0  F[??]?? ??"
    assert lines(odds, (9, 20), None)[1] == "  0 ?? ?? ?? ??"
    assert lines(odds, (9, 12), (0, 1))[1] == "  0  F??????"


def test_odds_that_would_run_together_get_the_gaps_there_is_room_for():
    grid = np.array([[-1, -1, 1, -1], [2, -1, -1, -1]], np.int8)
    odds = np.where(grid < 0, 0.25, 0.0)
    safe, mines = np.zeros_like(grid, bool), np.zeros_like(grid, bool)
    safe[1, 3] = True

    def lines(columns):
        return terminal.draw_odds(grid, odds, safe, mines, None, (9, columns)).plain.splitlines()

    assert lines(16) == ["     0", "  0 25 25  1 25", "  1  2 25 25 ok"]
    assert lines(15) == lines(16)
    assert lines(14) == ["     0", "  0 25 25 1 25", "  1  2 2525 ok"]
    assert lines(13) == ["     0", "  0 25 25 125", "  1  2 2525ok"]
    assert lines(12) == ["     0", "  0 2525 125", "  1  22525ok"]


class InATerminal:
    """A program in a pseudo-terminal of 80 columns and 24 lines, of which it is in control."""

    SETUP = """
import fcntl, runpy, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
# As a shell does for what it starts in front: the tests themselves may run with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
    PLAY = "runpy.run_module('jaxsweep.play', run_name='__main__', alter_sys=True)\n"

    def __init__(self, *argv, before=""):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(self.slave)
        unwanted = ("NO_COLOR", "COLUMNS", "LINES")
        env = {k: v for k, v in os.environ.items() if k not in unwanted} | {
            "TERM": "xterm",
            "PYTHON_COLORS": "0",
        }
        command = [sys.executable, "-c", self.SETUP + before + self.PLAY, "--human", *argv]
        end = self.slave
        self.process = subprocess.Popen(
            command, env=env, start_new_session=True, stdin=end, stdout=end, stderr=end
        )
        self.seen, self.looked = b"", 0

    def __enter__(self):
        self.expect("arrows/hjkl")
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def read(self, seconds=0.1):
        ready = select.select([self.master], [], [], seconds)[0]
        self.seen += os.read(self.master, 65536) if ready else b""
        return bool(ready)

    def expect(self, text):
        """Waits for a text after what was waited for before."""
        deadline = time.monotonic() + PATIENCE
        while (at := self.seen.find(text.encode(), self.looked)) < 0:
            assert time.monotonic() < deadline, self.seen[-5000:].decode(errors="replace")
            assert self.read() or self.process.poll() is None, self.seen[-5000:].decode()
        self.looked = at + len(text.encode())

    def left(self, interrupt=False):
        """Waits for the end; checks that the terminal is as it was; gives the exit status."""
        deadline, pressed = time.monotonic() + PATIENCE, -np.inf
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.seen[-5000:].decode(errors="replace")
            if interrupt and time.monotonic() > pressed + 3:
                # Again and again, as a person would: one that falls into a garbage collection,
                # where JAX has a callback, is dropped by Python.
                self.type("\x03")
                pressed = time.monotonic()
            self.read()
        while self.read(0.0):
            pass
        assert termios.tcgetattr(self.slave) == self.modes
        assert self.seen.count(ENTER_SCREEN) == self.seen.count(LEAVE_SCREEN) == 1
        assert self.seen.rindex(SHOW_CURSOR) > self.seen.rindex(HIDE_CURSOR)
        self.after = self.seen[self.seen.index(LEAVE_SCREEN) + len(LEAVE_SCREEN) :].decode()
        return self.process.returncode


def test_a_game_is_won_in_a_terminal(tmp_path):
    state, save = opened(), tmp_path / "game.json"
    argv = ("custom", "4", "4", "2", "--seed", str(state.game.session.seed), "--name", "Ana")
    with InATerminal(*argv, "--save", str(save)) as game:
        assert termios.tcgetattr(game.slave) != game.modes
        game.type(" ")
        game.expect("playing")
        game.type(clicks(safe_cells(state)))
        game.expect("won in ")
        game.expect("Ana won 1 of 1 on 4x4x2; best time")
        game.type("q")
        assert game.left() == 0
        assert not game.after
    (entry,) = leaderboard.read()
    assert (entry.name, entry.level, entry.won, entry.helped) == ("Ana", "4x4x2", True, False)
    replay = load(save)
    assert replay.outcome is GameStatus.WON
    assert (replay.mines == state.game.session.board.mines).all()


def test_a_game_is_lost_looked_at_and_left_in_a_terminal(tmp_path):
    state, save = opened(), tmp_path / "game.json.gz"
    mine = cells_of(state.game.session.board.mines)[0]
    argv = ("custom", "4", "4", "2", "--seed", str(state.game.session.seed), "--save", str(save))
    with InATerminal(*argv) as game:
        game.type(" " + clicks([mine]))
        game.expect("lost")
        game.expect("a mine, after ")
        game.type("\x1b[Au")
        game.expect(", with help")
        game.type("p")
        game.expect("thinking…")
        game.expect("mines in percent")
        game.type("?")
        game.expect("open (")
        game.type("q")
        assert game.left() == 0
        assert "Saved" not in game.after, "the finished game is not written over"
    assert [entry.won for entry in leaderboard.read()] == [False]
    replay = load(save)
    assert replay.outcome is GameStatus.LOST
    assert len(replay.moves) == 2


def test_ctrl_c_leaves_the_terminal_as_it_was(tmp_path):
    save = tmp_path / "game.json"
    with InATerminal("expert", "--save", str(save)) as game:
        game.type(" \x1b")
        game.expect("0:01")
        assert game.left(interrupt=True) == arguments.INTERRUPTED
        assert f"Saved in {save}." in game.after
        assert "stopped" in game.after
        assert b"Traceback" not in game.seen
    assert load(save).outcome is GameStatus.PLAYING
    assert leaderboard.read() == []


def test_a_crash_leaves_the_terminal_as_it_was():
    crash = """
import jaxsweep.single.terminal_play
def press(*_): raise RuntimeError("out of order")
jaxsweep.single.terminal_play.press = press
"""
    with InATerminal(before=crash) as game:
        game.type("f")
        assert game.left() == 1
        assert "RuntimeError: out of order" in game.after, "shown on the user's own screen"


def run(capsys, *argv):
    with pytest.raises(SystemExit) as left:
        arguments.run(play.main, argv)
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_without_a_terminal_there_is_a_sentence(capsys, monkeypatch):
    code, out, err = run(capsys, "--human")
    assert (code, out) == (2, "")
    assert err == "jaxsweep: playing needs a terminal for keys and board, not a file or a pipe\n"
    monkeypatch.setitem(sys.modules, "termios", None)
    code, _, err = run(capsys, "--human")
    assert code == 2
    assert "needs a Unix terminal" in err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--human", "--games", "3"], "--games does not go with --human"),
        (["--human", "--json"], "--json does not go with --human"),
        (["--human", "--delay", "0"], "--delay does not go with --human"),
        (["--human", "--first", "0", "0"], "--first does not go with --human"),
        (["--human", "--strategy", "random"], "--strategy does not go with --human"),
        (["--human", "nowhere"], "no level 'nowhere'"),
        (["--name", "Ana"], "--name is for the leaderboard, which needs --human"),
        (["--save", "x.json", "--games", "3"], "--save writes one game"),
        (["--save", "no/such/folder/x.json"], "there is no folder 'no/such/folder'"),
        (["--save", "."], "'.' is a folder"),
    ],
)
def test_options_that_do_not_go_together(argv, words, capsys):
    code, out, err = run(capsys, *argv)
    assert (code, out) == (2, "")
    assert words in err


def test_a_watched_game_is_saved(capsys, tmp_path):
    argv = ("--seed", "3", "--save", str(tmp_path / "game.json.gz"))
    code, out, _ = run(capsys, *argv)
    assert code == 0
    assert "won in 16 clicks" in out
    replay = load(tmp_path / "game.json.gz")
    assert (replay.outcome, replay.strategy, replay.seed) == (GameStatus.WON, "strongest", 3)
    code, _, _ = run(capsys, *argv, "--json")
    assert code == 0
    assert len(load(tmp_path / "game.json.gz").moves) == len(replay.moves)


def test_the_help_says_the_keys(capsys):
    code, out, _ = run(capsys, "-h")
    assert code == 0
    assert "keys with --human: arrows or h j k l move" in out
    for option in ("--human", "--name", "--save"):
        assert option in out
