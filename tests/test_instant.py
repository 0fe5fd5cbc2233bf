"""What a person asks for is answered without JAX: nothing is imported, nothing compiled."""

import json
import os
import subprocess
import sys

import jax
import pytest

from jaxsweep import STRATEGIES, infer, read_grid, read_position
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.rules.notation import GridPosition
from jaxsweep.single.replay import load, record, save
from jaxsweep.single.replay.checking import check
from jaxsweep.single.watch import watch
from tests.waiting import PATIENCE
from viewer.analysis_result import analyse_position

STUCK = "8x8x10\n2HHHHHHH\n" + "HHHHHHHH\n" * 7
"""Nothing is certain here, and there are far too many layouts to search."""

CERTAIN = "4x3x2\n01HH\n01HH\n011H\n"

RUN = """
import json, sys
from importlib import import_module
from jaxsweep.commands import arguments

try:
    arguments.run(import_module(sys.argv[1]).main, sys.argv[2:])
finally:
    heavy = [name for name in ("jax", "jaxlib", "equinox") if name in sys.modules]
    print(json.dumps(heavy), file=sys.stderr)
"""


def run(module, *arguments, text="", status=0):
    """Runs a command in a new process; it must not import JAX."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, module, *map(str, arguments)],
        input=text,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=os.environ | {"SDL_VIDEODRIVER": "dummy"},
    )
    assert done.returncode == status, done.stderr
    *said, heavy = done.stderr.splitlines()
    assert json.loads(heavy) == [], f"{module} {arguments} imports it"
    return done.stdout, said


@pytest.fixture(scope="module")
def replay(tmp_path_factory):
    path = tmp_path_factory.mktemp("replays") / "game.json"
    save(record("strongest", Opening.of(LEVELS["beginner"]), 4), path)
    return path


def test_an_analysis_needs_no_jax():
    out, _ = run("jaxsweep.analyze", text=STUCK)
    assert "best of" in out
    out, _ = run("jaxsweep.analyze", "--json", text=CERTAIN)
    assert json.loads(out)["best"]["reason"].startswith("certain")


def test_boards_to_order_need_no_jax(tmp_path):
    path = tmp_path / "boards.jsonl"
    run("jaxsweep.boards", "expert", "--no-guess", "--seed", 1, "--start", "zero", "--out", path)
    out, _ = run("jaxsweep.boards", "check", path)
    assert out.startswith("1 of 1 certificates verified")
    out, _ = run("jaxsweep.boards", "judge", path)
    assert "needs no guess" in out
    _, said = run("jaxsweep.boards", "expert", "--max-rule", "none", status=2)
    assert "invalid choice: 'none'" in said[-1]


def test_a_whole_game_needs_no_jax(tmp_path):
    path = tmp_path / "game.json.gz"
    out, _ = run("jaxsweep.play", "expert", "--seed", 3, "--delay", 0, "--save", path)
    assert out.splitlines()[-1].startswith(("won", "lost"))
    assert load(path).moves
    for player in ("linear", "random", "knowledge", "endgame"):
        run("jaxsweep.play", "--seed", 1, "--strategy", player, "--json")


def test_replays_need_no_jax(replay, tmp_path):
    out, _ = run("jaxsweep.replay", "check", replay)
    assert "no problems found" in out
    run("jaxsweep.replay", "show", replay)
    run("jaxsweep.replay", "convert", replay, tmp_path / "game.evf")
    out, _ = run("jaxsweep.replay", "info", tmp_path / "game.evf", "--json")
    assert json.loads(out)["format"] == "evf"
    run("jaxsweep.analyze", tmp_path / "game.evf")
    run("jaxsweep.replay", "export", replay, "--html", tmp_path / "game.html")
    out, _ = run("jaxsweep.grade", replay)
    assert "Accuracy" in out


@pytest.mark.parametrize(
    "module",
    [
        *(f"jaxsweep.{n}" for n in ("analyze", "play", "arena", "bench", "dataset")),
        *("jaxsweep.replay", "jaxsweep.grade", "jaxsweep.serve", "viewer"),
    ],
)
def test_help_and_bad_arguments_need_no_jax(module):
    module = "viewer.__main__" if module == "viewer" else module
    out, _ = run(module, "-h")
    assert out.startswith("usage")
    _, said = run(module, "--nonsense", status=2)
    assert "unrecognized arguments" in said[-1] or "required" in said[-1]


@pytest.mark.parametrize(
    ("module", "arguments", "text"),
    [
        ("jaxsweep.analyze", (), "4x3x2\n01HH\n01H\n011H\n"),
        ("jaxsweep.analyze", (), "2x2x9\nHH\nHH\n"),
        ("jaxsweep.analyze", (), "3x3x2\nH1H\n1H1\nH3H\n"),
        ("jaxsweep.analyze", ("no-such-file",), ""),
        ("jaxsweep.play", ("custom", 3, 3, 10), ""),
        ("jaxsweep.play", ("nowhere",), ""),
        ("jaxsweep.arena", ("custom", 3, 3, 9), ""),
        ("jaxsweep.dataset", ("custom", 200, 100, 9, "--out", "x"), ""),
        ("jaxsweep.replay", ("check", "no-such-file"), ""),
        ("jaxsweep.grade", ("no-such-file",), ""),
        ("viewer.__main__", ("no-such-file",), ""),
    ],
)
def test_bad_input_is_refused_without_jax(module, arguments, text):
    out, said = run(module, *arguments, text=text, status=2)
    assert out == ""
    assert len(said) == 1
    assert said[0].startswith("jaxsweep: ")


@pytest.fixture
def compilations():
    """Counts what JAX compiles during a test."""
    counted = []

    def listen(event: str, duration_secs: float, **_: object):
        if event == "/jax/core/compile/backend_compile_duration":
            counted.append(duration_secs)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield counted
    jax.monitoring.unregister_event_duration_listener(listen)


def test_compilations_are_counted(compilations):
    jax.jit(lambda x: x * 3 + len(compilations))(jax.numpy.arange(7.0))
    assert compilations


def test_nothing_is_compiled_for_one_position_or_one_game(compilations, replay):
    """Also where JAX is there: hints, games that are watched, replays, and `infer` itself."""
    analyse_position(*read_grid(STUCK))
    list(watch("strongest", Opening.of(LEVELS["intermediate"], Start.ZERO), 5))
    assert not check(load(replay))
    infer(read_position(STUCK))
    infer([read_position(STUCK), read_position(CERTAIN)])
    STRATEGIES["strongest"].advise(read_grid(STUCK), (0, 0))
    assert not compilations


def test_the_type_of_a_grid_position():
    position = read_grid(CERTAIN)
    assert isinstance(position, GridPosition)
    assert position.mines == 2
    assert position.grid.tolist()[0] == [0, 1, -1, -1]
