"""The JSON of the commands has the fields that `docs/json.md` lists."""

import io
import json
import re
from pathlib import Path

import pytest

from jaxsweep.commands import analyze, boards, grade, play, replay

PAGE = Path(__file__).parents[1] / "docs" / "json.md"


def documented():
    """The fields of each table of the page, by its mark."""
    tables = {}
    for part in PAGE.read_text(encoding="utf-8").split("<!-- fields: ")[1:]:
        mark, rest = part.split(" -->\n", 1)
        table = rest.split("\n\n", 1)[0]
        firsts = [line.split("|")[1] for line in table.splitlines()[2:]]
        tables[mark] = {name for cell in firsts for name in re.findall(r"`([^`]+)`", cell)}
    return tables


def fields(found, within=""):
    """The names of all fields, those of objects within by their path."""
    names = set()
    for name, value in found.items():
        path = within + name
        names.add(path)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            names |= fields(value[0], f"{path}[].")
        elif isinstance(value, dict):
            names |= fields(value, f"{path}.")
    return names


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("json")


@pytest.fixture
def printed(place, monkeypatch, capsys):
    """Runs a command in a folder with a game and a board, and reads the object it prints."""
    monkeypatch.chdir(place)
    if not (place / "game.json").exists():
        assert play.main(["beginner", "--seed", "3", "--delay", "0", "--save", "game.json"]) == 0
        assert boards.main(["beginner", "--no-guess", "--seed", "3", "--out", "made.jsonl"]) == 0
        capsys.readouterr()

    def run(main, *argv):
        assert main([*argv, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_the_odds(printed, monkeypatch):
    text = "5x4x4\nHH1HH\nHH2HH\n12HHH\nHHHHH\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert fields(printed(analyze.main)) == documented()["analyze"]


def test_games(printed):
    found = printed(play.main, "beginner", "--games", "3", "--strategy", "exact")
    # The machine is described by whatever is known of it.
    found["machine"] = None
    assert fields(found) == documented()["games"]


def test_a_graded_game(printed):
    found = printed(grade.main, "game.json")
    assert found.pop("metrics")
    assert fields(found) == documented()["grade"] - {"metrics"}


def test_a_game_in_a_file(printed):
    assert fields(printed(replay.main, "info", "game.json")) == documented()["info"]


def test_boards(printed):
    whole = set(printed(boards.main, "beginner", "--no-guess", "--seed", "3"))
    assert whole == documented()["boards"]
    judged = set(printed(boards.main, "judge", "made.jsonl"))
    assert judged == (whole - {"seed", "game", "repaired", "wishes"}) | documented()["judge"]
    assert set(printed(boards.main, "check", "made.jsonl")) == documented()["check"]
