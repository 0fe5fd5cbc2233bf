"""Files and links of every format where people use them: commands, and the window."""

import gzip
import itertools
import json

import pytest

from jaxsweep.commands import analyze, arguments, replay
from jaxsweep.formats import read, write
from jaxsweep.formats.conversion import as_position, as_replay, last_decision
from jaxsweep.metrics.game import game_metrics
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.notation import from_text
from jaxsweep.single.replay import load, to_json
from tests import format_samples
from tests.format_samples import made_up_game
from viewer import events
from viewer.model import Mode, Settings
from viewer.update import start, update

GAME = made_up_game(7, (9, 9, 10))
LINK = "https://davidnhill.github.io/JSMinesweeper/?analysis=aiagaaaiblXblSsVbnVdlVmblWlblV"


def run(capsys, main, *argv):
    """The status, the output and the errors of a command."""
    with pytest.raises(SystemExit) as left:
        arguments.run(main, [str(argument) for argument in argv])
    out, err = capsys.readouterr()
    return left.value.code, out, err


@pytest.fixture
def files(tmp_path):
    """Files of a few formats."""
    for name in ("evf", "rmv", "mbf", "rawvf", "board"):
        (tmp_path / f"game.{name}").write_bytes(write(name, GAME))
    (tmp_path / "three.evfs").write_bytes(format_samples.evfs([GAME] * 3))
    return tmp_path


def test_files_are_converted_by_their_endings(capsys, files):
    steps = ("game.evf", "a.rmv", "b.rawvf", "c.json.gz", "d.evf", "e.json")
    for source, out in itertools.pairwise(steps):
        assert run(capsys, replay.main, "convert", files / source, files / out) == (0, "", "")
    assert (files / "c.json.gz").read_bytes().startswith(b"\x1f\x8b")
    assert gzip.decompress((files / "c.json.gz").read_bytes()).startswith(b"{")
    # The player's name and clicks without effect are not in our replays.
    assert to_json(load(files / "e.json")) == to_json(as_replay(GAME))


def test_texts_are_printed(capsys, files):
    code, out, _ = run(capsys, replay.main, "convert", files / "game.mbf", "--to", "pttacg")
    assert code == 0 and out.startswith("https://pttacgfans.github.io/") and "?b=1&m=" in out
    argv = ("convert", files / "game.evf", "--to", "mine", "--move", 1)
    code, out, _ = run(capsys, replay.main, *argv)
    assert code == 0
    assert (from_text(out).grid == as_position(GAME, 1).grid).all()
    code, out, _ = run(capsys, replay.main, "convert", LINK, files / "position.json")
    assert (code, out) == (0, "")
    assert json.loads((files / "position.json").read_text())["mines"] == 8
    assert run(capsys, replay.main, "convert", LINK, files / "small.json.gz")[0] == 0
    code, out, _ = run(capsys, analyze.main, files / "small.json.gz")
    assert code == 0 and "open (0,2): certain" in out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("convert", "game.evf"), "game.evf: say where to, or what with --to NAME"),
        (("convert", "game.evf", "--to", "rmv"), "rmv is not text: name a file to write"),
        (
            ("convert", "game.evf", "x.avf"),
            "x.avf: no format has this ending; there are .mbf, .abf, .mine, ",
        ),
        (("convert", "game.evf", "x.rmv", "--move", "3"), "--move is for positions: mine, "),
        (("convert", "game.evf", "--to", "mine", "--move", "999"), "moves, not 999"),
        (("convert", LINK, "x.evf"), "the link: a position does not say where the mines are"),
        (("convert", "three.evfs", "x.evf"), "3 games: choose one with --game 1 to 3"),
        (("show", "three.evfs", "--game", "4"), "there is no game 4: it holds 3"),
        (("check", LINK), "the link: a position, not a game"),
        (("show", "none.evf"), "none.evf: No such file or directory"),
        (("info", "none.evf"), "none.evf: No such file or directory"),
    ],
)
def test_what_cannot_be_done_gets_a_sentence(capsys, files, argv, words, monkeypatch):
    monkeypatch.chdir(files)
    code, out, err = run(capsys, replay.main, *argv)
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("jaxsweep: ") and err.count("\n") == 1
    assert not list(files.glob("x.*"))


def test_games_of_other_programs_are_shown_checked_and_exported(capsys, files):
    code, out, _ = run(capsys, replay.main, "show", files / "game.rmv")
    assert code == 0 and "human on 9×9/10, any start" in out
    # No file says which moves of a person were guesses.
    assert "guess" not in out
    ending, clicks, details = out.splitlines()[-3:]
    assert " moves" in ending and clicks.startswith("3BV ")
    metrics = game_metrics(GAME)
    assert f"{metrics.islands} island" in details and f"HZiNi {metrics.hzini}, " in details
    assert f"correctness {metrics.correctness:.2f}, throughput" in details
    code, out, _ = run(capsys, replay.main, "check", files / "three.evfs", "--game", 2)
    assert code == 0 and "no problems found" in out
    page = files / "game.html"
    assert run(capsys, replay.main, "export", files / "game.rawvf", "--html", page)[0] == 0
    assert "<html" in page.read_text()


def test_info_of_files_as_json(capsys, files):
    bad = files / "bad.evf"
    bad.write_bytes((files / "game.evf").read_bytes()[:50])
    names = [files / name for name in ("game.evf", "bad.evf", "game.mbf", "three.evfs")]
    code, out, err = run(capsys, replay.main, "info", *names, LINK, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 2 and "bad.evf: byte 50: the file is cut off" in err
    assert [line["format"] for line in lines] == ["evf", "mbf", *["evfs"] * 3, "jsminesweeper"]
    game, board, *three, position = lines
    assert len({tuple(line) for line in lines}) == 1, "the same fields in the same order"
    assert three == [{**game, "file": str(files / "three.evfs"), "format": "evfs"}] * 3
    counts = [game[key] for key in ("left", "right", "chords")]
    assert sum(counts) == len(GAME.clicks) and game["seconds"] == GAME.seconds
    assert board["mine_cells"] == game["mine_cells"] and board["bbbv"] == game["bbbv"]
    unknown = ("seconds", "won", "left", "right", "chords", "flags", "pluck")
    assert all(board[key] is None and position[key] is None for key in unknown)
    assert (position["rows"], position["cols"], position["mine_cells"]) == (6, 8, None)


def test_info_of_files_as_a_table(capsys, files):
    code, out, _ = run(capsys, replay.main, "info", files / "game.evf", files / "game.mbf", LINK)
    header, *rows = out.splitlines()
    assert code == 0
    assert header.split()[:6] == ["file", "format", "level", "won", "seconds", "3BV"]
    assert [row.split()[:3] for row in rows] == [
        ["game.evf", "evf", "9×9/10"],
        ["game.mbf", "mbf", "9×9/10"],
        ["link", "jsminesweeper", "6×8/8"],
    ]


def test_names_of_files_are_printed_as_they_are(capsys, files):
    odd = files / "[bold]:smile:.evf"
    odd.write_bytes(write("evf", GAME))
    code, out, _ = run(capsys, replay.main, "info", odd)
    assert code == 0
    assert "[bold]:smile:.evf" in out


def test_analyses_of_files_and_links(capsys, files):
    code, out, _ = run(capsys, analyze.main, LINK)
    assert code == 0 and "open (0,2): certain" in out
    code, out, _ = run(capsys, analyze.main, files / "game.evf", "--move", 1, "--json")
    hidden = (as_position(GAME, 1).grid < 0).tolist()
    shown = [[value is not None for value in row] for row in json.loads(out)["mine_probability"]]
    assert code == 0 and shown == hidden
    code, out, _ = run(capsys, analyze.main, files / "game.evf", "--json")
    assert code == 0
    shown = [[value is not None for value in row] for row in json.loads(out)["mine_probability"]]
    assert shown == (last_decision(GAME).grid < 0).tolist()


def opened(event):
    """The window's model after an event."""
    return update(start(SETTINGS), event)


SETTINGS = Settings(
    level=as_replay(GAME).opening.level,
    start=as_replay(GAME).opening.start,
    strategy="exact",
    seed=1,
    name="somebody",
)


@pytest.mark.parametrize("name", ["evf", "rmv", "rawvf", "mbf"])
def test_games_are_dropped_on_the_window(name):
    model = opened(events.Dropped(f"game.{name}", write(name, GAME)))
    assert model.mode is Mode.REPLAY and not model.message
    playback = model.playback
    assert playback is not None
    assert (playback.boards[-1].mines == GAME.mines).all()
    assert len(playback.moves) == (0 if name == "mbf" else len(as_replay(GAME).moves))


def test_links_are_pasted_into_the_window():
    model = opened(events.Pasted(LINK))
    assert model.mode is Mode.ANALYSE and not model.message
    assert model.grid.shape == (6, 8) and model.mines == 8
    model = opened(events.Pasted(write("llamasweeper", GAME).decode()))
    assert model.mode is Mode.REPLAY
    model = opened(events.Pasted("nothing"))
    assert model.mode is Mode.PLAY and model.message.startswith("the clipboard: line 1: expected")


def test_a_board_that_was_seen_is_analysed():
    board = write("board", GAME)
    assert isinstance(read(board)[0], ClickedGame)
    model = opened(events.Dropped("game.board", board))
    assert model.mode is Mode.ANALYSE
    assert (model.grid == as_position(GAME).grid).all()
