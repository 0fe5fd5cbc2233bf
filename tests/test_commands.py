"""The command lines: output, errors and exit status."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from importlib import import_module

import numpy as np
import pytest

from jaxsweep import __main__ as jaxsweep_command
from jaxsweep.commands import arguments, bench, play
from jaxsweep.rules.level import LEVELS, Level
from jaxsweep.single import terminal
from jaxsweep.single.replay import from_bytes
from jaxsweep.strategies import Reason
from tests.waiting import PATIENCE


def run(main, capsys, *argv):
    with pytest.raises(SystemExit) as left:
        arguments.run(main, argv)
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_one_game_is_drawn_move_by_move(capsys):
    code, out, err = run(play.main, capsys, "--seed", "3")
    assert code == 0
    assert not err
    assert "move 1, (0,0): first cell" in out
    assert "certain: a number has all its mines found" in out
    assert out.count("strongest on 9×9/10, safe start, seed 3") >= 2
    assert out.rstrip().splitlines()[-1].startswith("won in 16 clicks, 0 of them guesses, 100.0%")
    assert "\x1b" not in out, "no colour in a pipe"


def test_expert_fits_eighty_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(play.main, capsys, "expert", "--start", "ZERO", "--seed", "1")
    assert code == 0
    assert max(len(line) for line in out.splitlines()) <= 80
    assert " of them guesses" in out


@pytest.mark.smoke
def test_one_game_as_json_is_a_replay(capsys, tmp_path):
    file = tmp_path / "game.json"
    argv = ("custom", "5", "6", "4", "--seed", "1", "--json", "--save", str(file))
    code, out, _ = run(play.main, capsys, *argv)
    assert code == 0
    printed = json.loads(out)
    assert printed.pop("metrics")["left"] == sum(len(move["cells"]) for move in printed["moves"])
    assert printed == json.loads(file.read_text())
    game = from_bytes(out.encode())
    assert (game.opening.level, game.seed) == (Level(5, 6, 4), 1)
    assert game.moves[0].cells == ((0, 0),)
    assert game.moves[0].reason is Reason.FIRST


def test_many_games_give_a_win_rate(capsys):
    argv = ("beginner", "--strategy", "knowledge", "--games", "50", "--seed", "1")
    code, out, _ = run(play.main, capsys, *argv, "--json")
    data = json.loads(out)
    low, high = data["interval_95"]
    assert code == 0
    assert data["games"] == 50
    assert data["win_rate"] == data["wins"] / 50
    assert low < data["win_rate"] < high
    assert 0 < data["share_cleared"] <= 1
    code, out, _ = run(play.main, capsys, *argv)
    assert f"won {data['win_rate']:.3%} ({low:.3%} to {high:.3%})" in out
    assert f"{data['wins']}–{50 - data['wins']} (" in out.splitlines()[-1]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["nowhere"], "no level 'nowhere'; there are beginner,"),
        (["custom", "3", "3"], "custom takes ROWS COLS MINES, not 2 values"),
        (["custom", "3", "x", "1"], "custom takes whole numbers from 0, not 'x'"),
        (["9x9x10"], "no level '9x9x10'; there are beginner, intermediate,"),
        (["3x3/10"], "a 3×3 board holds 0 to 9 mines, not 10"),
        (["3x3/1", "2"], "level 3x3/1 takes no sizes"),
        (["custom", "0", "3", "1"], "1 to 4096 rows, not 0"),
        (["custom", "3", "3", "9"], "9 mines do not fit: a SAFE start"),
        (["expert", "3", "3", "9"], "level expert takes no sizes; say custom 3 3 9"),
        (["--strategy", "psychic"], "invalid choice: 'psychic'"),
        (["--start", "never"], "invalid choice: 'never'"),
        (["--first", "9", "0"], "the first cell (9, 0) is not on a board of 9 rows"),
        (["--games", "0"], "'0' is not a whole number, 1 to"),
        (["--seed", "-1"], "argument --seed"),
        (["--delay", "nan"], "'nan' is not a number of seconds"),
    ],
)
def test_bad_arguments_get_a_sentence_and_status_2(argv, words, capsys):
    code, out, err = run(play.main, capsys, *argv)
    assert code == 2
    assert not out
    assert words in err
    assert err.startswith("jaxsweep: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["16x30/99", "16×30/99"])
def test_a_level_can_be_named_as_it_is_shown(name):
    assert arguments.read_level([name]) == LEVELS["expert"]


@pytest.mark.smoke
def test_help_explains_every_option(capsys):
    code, out, _ = run(play.main, capsys, "-h")
    assert code == 0
    assert "examples:" in out
    for option in ("--strategy", "--start", "--first", "--seed", "--games", "--delay", "--json"):
        assert option in out


def test_the_jaxsweep_command_runs_subcommands(capsys, monkeypatch):
    def call(*argv):
        monkeypatch.setattr(sys, "argv", ["jaxsweep", *argv])
        return jaxsweep_command.main()

    with pytest.raises(SystemExit) as left:
        call("-h")
    assert left.value.code == 0
    assert "play" in capsys.readouterr().out
    with pytest.raises(SystemExit) as left:
        call("dance")
    assert left.value.code == 2
    message = "no command 'dance'; there are "
    message += ", ".join(jaxsweep_command.COMMANDS)
    assert message in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        call("analyse")
    assert left.value.code == 2
    assert "no command 'analyse'; did you mean analyze?" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        call("play", "nowhere")
    assert left.value.code == 2


def start(*argv, **environment):
    """Starts `jaxsweep` with its output in a pipe."""
    return subprocess.Popen(
        [sys.executable, "-m", "jaxsweep", *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | environment,
    )


@pytest.mark.parametrize(
    "argv", [["play", "mini", "--seed", "1"], ["play", "-h"], ["play", "nowhere"]]
)
def test_any_encoding_of_the_output_will_do(argv):
    process = start(*argv, PYTHONIOENCODING="ascii")
    out, err = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in err, err
    said = (err if argv[-1] == "nowhere" else out).decode("ascii")
    assert "8x8/10" in said or "ROWSxCOLS" in said


@pytest.mark.parametrize(
    "argv",
    [["-h"], ["play", "expert", "--json", "--seed", "1"], ["boards", "mini", "--count", "99"]],
)
def test_who_stops_reading_gets_no_complaint(argv):
    process = start(*argv)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(PATIENCE) == arguments.UNREAD


@pytest.mark.parametrize("name", [name for name in jaxsweep_command.COMMANDS if name != "view"])
def test_help_fits_eighty_columns(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    module = import_module(jaxsweep_command.COMMANDS[name][0])
    _, out, _ = run(module.main, capsys, "-h")
    words = [line for line in out.splitlines() if " [--level {" not in line]
    assert max(map(len, words)) <= 80


def test_bench_reports_each_benchmark(capsys, tmp_path):
    out_file = tmp_path / "bench.json"
    argv = ("--level", "beginner", "--batch", "4", "--repeats", "3", "--out", str(out_file))
    code, out, _ = run(bench.main, capsys, *argv, "--json")
    data = json.loads(out)
    assert code == 0
    assert json.loads(out_file.read_text()) == data
    assert [timing["benchmark"] for timing in data["timings"]] == list(bench.BENCHMARKS)
    assert all(timing["median"] > 0 for timing in data["timings"])
    by_name = {timing["benchmark"]: timing for timing in data["timings"]}
    assert by_name["inference"]["signature"]
    assert by_name["placements"]["per_second"] > 0
    assert all(timing["busy"] > 0 for timing in data["timings"])
    assert data["machine"]["jax"]
    code, out, _ = run(bench.main, capsys, "deal", "--level", "beginner", "--batch", "4")
    assert code == 0
    assert "µs a board" in out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["nothing"], "no benchmark 'nothing'; there are deal"),
        (["deal", "--level", "large", "--batch", "65"], "the large level takes up to 64 boards"),
        (["deal", "--out", "/nowhere/x.json"], "there is no folder '/nowhere'"),
    ],
)
def test_bad_arguments_of_bench_get_a_sentence_and_status_2(argv, words, capsys):
    code, out, err = run(bench.main, capsys, *argv)
    assert (code, out) == (2, "")
    assert words in err


def test_a_large_board_is_cropped_to_the_terminal():
    grid = np.full((100, 100), -1, np.int8)
    new = np.zeros_like(grid, bool)
    new[60, 70] = True
    lines = terminal.draw(grid, new, None, room=(24, 80)).plain.splitlines()
    assert len(lines) <= 24
    assert max(len(line) for line in lines) <= 80
    assert "of 100" in lines[-1]
    shown = lines[-1].replace(",", "").split()
    (top, bottom), (left, right) = (map(int, shown[i].split("-")) for i in (1, 5))
    assert top <= 60 <= bottom
    assert left <= 70 <= right


def in_a_terminal(*argv, until, **environment):
    """Runs `play` in a pseudo-terminal, with Ctrl-C after `until`; returns status and output."""
    master, slave = pty.openpty()
    # As a shell does in the foreground: the tests themselves may run with Ctrl-C ignored.
    listen = "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    play = "runpy.run_module('jaxsweep.play', run_name='__main__', alter_sys=True)"
    command = [sys.executable, "-c", listen + play, *argv]
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    env |= {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"} | environment
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    seen, deadline = b"", time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if select.select([master], [], [], 1.0)[0]:
                piece = os.read(master, 4096)
                if not piece:
                    break
                seen += piece
            elif until in seen:
                # Once a second: Python drops a signal that arrives in a garbage collection, where
                # JAX has a callback.
                process.send_signal(signal.SIGINT)
        except OSError:  # The other end is closed.
            break
    os.close(master)
    return process.wait(PATIENCE), seen.decode()


@pytest.mark.smoke
def test_ctrl_c_leaves_the_terminal_clean():
    code, seen = in_a_terminal("--seed", "3", "--delay", "30", until=b"first cell")
    assert code == 130, seen
    assert "\x1b[?25l" in seen, "the cursor was hidden"
    assert seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l"), "and is shown again"
    assert "Traceback" not in seen
    assert "stopped" in seen


def test_a_terminal_gets_colour_unless_no_color_is_set():
    _, seen = in_a_terminal("--seed", "3", "--delay", "0", until=b"never")
    assert "\x1b[94m" in seen
    _, seen = in_a_terminal("--seed", "3", "--delay", "0", until=b"never", NO_COLOR="1")
    assert "\x1b[94m" not in seen
    assert " in 16 clicks" in seen
