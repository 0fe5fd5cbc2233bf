"""The package root: its names, and what importing it loads."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import jaxsweep
from tests.waiting import PATIENCE


def test_every_public_name_exists():
    assert len(set(jaxsweep.__all__)) == len(jaxsweep.__all__)
    for name in jaxsweep.__all__:
        assert getattr(jaxsweep, name) is not None
    assert sorted(jaxsweep._MODULE_OF) == sorted(jaxsweep.__all__)
    assert dir(jaxsweep) == sorted(jaxsweep.__all__)
    with pytest.raises(AttributeError, match="module 'jaxsweep' has no attribute 'nothing'"):
        jaxsweep.nothing  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    "name",
    [
        "adapters",
        "analyze",
        "arena",
        "bench",
        "dataset",
        "environment",
        "exact_answers",
        "inference",
        "play",
        "replay",
    ],
)
def test_no_public_name_hides_a_module(name):
    assert name not in jaxsweep.__all__
    assert importlib.import_module(f"jaxsweep.{name}") is getattr(jaxsweep, name)


def test_importing_the_package_loads_no_user_interface():
    code = (
        "import sys, jaxsweep; "
        "print([m for m in ('pygame', 'PIL', 'rich', 'jaxsweep.single') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == "[]"


def test_the_extras_are_in_the_groups_that_test_them():
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(text)
    extras = project["project"]["optional-dependencies"]
    groups = project["dependency-groups"]
    only_tests = ("jsonschema-rs", "mctx", "schemathesis", "websockets")
    tested = {*groups["adapters"], *groups["serving"]}
    tested -= {each for each in tested if each.startswith(only_tests)}
    assert {each for extra in extras.values() for each in extra} == tested
    for name in ("adapters", "serving"):
        assert {"include-group": name} in groups["dev"]


def test_a_position_is_read_and_inferred():
    position = jaxsweep.read_position("4x3x2\n01HH\n01HH\n011H\n")
    beliefs = jaxsweep.infer(position)
    assert jaxsweep.Status(int(beliefs.status)) is jaxsweep.Status.EXACT
    assert beliefs.mines.sum() == 2


def test_a_game_is_recorded_saved_and_loaded(tmp_path):
    opening = jaxsweep.Opening.of(jaxsweep.Level(5, 5, 3))
    game = jaxsweep.record_game("linear", opening, seed=1)
    jaxsweep.save_replay(game, tmp_path / "game.json")
    loaded = jaxsweep.load_replay(tmp_path / "game.json")
    assert isinstance(loaded, jaxsweep.Replay)
    assert loaded.outcome is game.outcome
    assert len(loaded.moves) == len(game.moves)
