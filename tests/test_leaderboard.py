"""The file of finished games: what is added is read back, whatever else is in it."""

import getpass
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from jaxsweep.rules.level import LEVELS, Level, Start
from jaxsweep.single import leaderboard
from jaxsweep.single.leaderboard import Entry
from tests.waiting import PATIENCE

GAME = Entry("ana", "beginner", Start.SAFE, True, 12.5, False, datetime(2025, 3, 1, 8, tzinfo=UTC))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "jaxsweep"


def test_what_is_added_is_read(folder):
    assert leaderboard.read() == []
    lost = replace(GAME, name='José "x", y', level="12x12x10", start=Start.ZERO, won=False)
    leaderboard.add(GAME)
    leaderboard.add(lost)
    assert leaderboard.read() == [GAME, lost]
    assert leaderboard.path() == folder / "leaderboard.csv"
    assert leaderboard.path().read_text(encoding="utf-8").splitlines() == [
        "name,level,start,won,seconds,helped,date,3bv",
        "ana,beginner,safe,1,12.5,0,2025-03-01T08:00:00+00:00",
        '"José ""x"", y",12x12x10,zero,0,12.5,0,2025-03-01T08:00:00+00:00',
    ]


def test_a_game_that_ended_now():
    entry = Entry.now(" a\nb\x1b ", Level(12, 12, 10), Start.ANY, False, 1.23456, True)
    assert (entry.name, entry.level, entry.seconds) == ("a b", "12x12x10", 1.235)
    assert entry.date.tzinfo is not None
    leaderboard.add(entry)
    assert leaderboard.read() == [entry]
    assert Entry.now("\t", Level(2, 2, 1), Start.ANY, True, 1.0, False).name == "player"


def test_levels_have_names():
    assert [leaderboard.level_name(level) for level in LEVELS.values()] == list(LEVELS)
    assert leaderboard.level_name(Level(3, 4, 5)) == "3x4x5"


def test_the_standing_counts_all_and_ranks_fair_wins():
    times = [9.0, 3.0, 7.0, 3.0, 8.0, 5.0]
    fair = [replace(GAME, name=str(i), seconds=time) for i, time in enumerate(times)]
    others = [
        replace(GAME, seconds=1.0, helped=True),
        replace(GAME, seconds=1.0, won=False),
        replace(GAME, seconds=1.0, level="expert"),
        replace(GAME, seconds=1.0, start=Start.ZERO),
    ]
    standing = leaderboard.standing(fair + others, "beginner", Start.SAFE)
    assert (standing.games, standing.wins) == (8, 7)
    assert [entry.name for entry in standing.best] == ["1", "3", "5", "2", "4"]
    assert leaderboard.standing([], "beginner", Start.SAFE) == leaderboard.Standing(0, 0, ())


def test_the_3bv_is_kept_and_makes_the_speed():
    fast = replace(GAME, bbbv=42, seconds=20.0)
    leaderboard.add(GAME)
    leaderboard.add(fast)
    assert leaderboard.read() == [GAME, fast], "lines of older versions have none"
    assert fast.speed == ", 2.10 3BV/s"
    assert GAME.speed == replace(fast, won=False).speed == replace(fast, seconds=0.0).speed == ""
    lines = leaderboard.standing_lines([GAME, fast], LEVELS["beginner"], Start.SAFE)
    assert any(line.endswith(", 2.10 3BV/s") for line in lines)


def test_two_programs_may_add_at_once():
    program = """
import sys
from dataclasses import replace
from jaxsweep.single.leaderboard import Entry, add
from jaxsweep.rules.level import Level, Start
entry = Entry.now(sys.argv[1], Level(9, 9, 10), Start.SAFE, True, 1.0, False)
for i in range(100):
    add(replace(entry, seconds=float(i)))
"""
    names = ("ana", "bob")
    writers = [subprocess.Popen([sys.executable, "-c", program, name]) for name in names]
    assert [writer.wait(PATIENCE) for writer in writers] == [0, 0]
    entries = leaderboard.read()
    for name in names:
        assert [e.seconds for e in entries if e.name == name] == [float(i) for i in range(100)]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"half a li",
        b'"ana,beginner,safe,1,1.0,0,2025-03-01',
        b"ana,beginner,safe,1,1.0,0",
        b"ana,beginner,safe,1,1.0,0,2025-03-01,more",
        b"ana,beginner,never,1,1.0,0,2025-03-01",
        b"ana,beginner,safe,2,1.0,0,2025-03-01",
        b"ana,beginner,safe,1,fast,0,2025-03-01",
        b"ana,beginner,safe,1,nan,0,2025-03-01",
        b"ana,beginner,safe,1,-1,0,2025-03-01",
        b"ana,beginner,safe,1,1.0,0,yesterday",
        b"\xff\xfe\x00,\x00",
        b"x" * 200_000,
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_damaged_line_is_passed_over_and_stays(line, end):
    leaderboard.add(GAME)
    with leaderboard.path().open("ab") as file:
        file.write(line + end)
    before = leaderboard.path().read_bytes()
    leaderboard.add(GAME)
    assert leaderboard.read() == [GAME, GAME]
    assert leaderboard.path().read_bytes().startswith(before)


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(OSError, match="file"):
        leaderboard.add(GAME)


def test_the_name_of_the_user(monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: "ana")
    assert leaderboard.default_name() == "ana"

    def nobody():
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert leaderboard.default_name() == "player"
