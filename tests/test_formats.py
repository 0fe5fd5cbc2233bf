"""Every format: what is written is read again, what is damaged gets a sentence."""

import gzip
import itertools
import json
import re
from typing import Any

import numpy as np
import pytest

from jaxsweep.formats import FORMATS, FormatError, read, recognise, writable, write
from jaxsweep.formats.conversion import (
    as_game,
    as_position,
    as_replay,
    games_in,
    last_decision,
    positions_in,
)
from jaxsweep.formats.mouse import Mouse, MouseEvent, clicks_of
from jaxsweep.rules.board import Board
from jaxsweep.rules.clicks import Button, Click, ClickedGame, play
from jaxsweep.rules.level import LEVELS, Level, Opening
from jaxsweep.rules.notation import GridPosition, from_text
from jaxsweep.single.replay import ReplayError, from_bytes, record, to_bytes, to_json
from jaxsweep.single.replay.clicks import clicked_game, replay_of
from tests import format_samples
from tests.format_samples import made_up_game, read_one

GAMES = [made_up_game(seed) for seed in range(28)]

README = "8x6x8\n01HHHHHH\n01H2HHHH\n0111HHHH\n0001HHHH\n1101HHHH\nH101HHHH\n"

HOLDS_CLICKS = ("evf", "rmv", "rawvf")
HOLDS_MINES = ("mbf", "board", "llamasweeper", "pttacg")
HOLDS_POSITIONS = ("mine", "position", "jsminesweeper")


def same_clicks(found, game, tolerance=0.0):
    """Whether two games have the same mines, clicks, times and player."""
    np.testing.assert_array_equal(found.mines, game.mines)
    assert [click[:2] for click in found.clicks] == [click[:2] for click in game.clicks]
    times = [click.seconds for click in game.clicks]
    assert [click.seconds for click in found.clicks] == pytest.approx(times, abs=tolerance + 1e-9)
    assert found.seconds == pytest.approx(game.seconds, abs=tolerance + 1e-9)
    assert found.player == game.player


def test_every_written_format_is_in_one_of_the_kinds():
    assert set(writable()) == {*HOLDS_CLICKS, *HOLDS_MINES, *HOLDS_POSITIONS, "replay"}


@pytest.mark.parametrize("name", HOLDS_CLICKS)
def test_clicks_are_written_and_read(name):
    for game in GAMES:
        data = write(name, game)
        assert recognise(data) == name
        found = read_one(data)
        same_clicks(found, game)


@pytest.mark.parametrize("name", HOLDS_MINES)
def test_boards_are_written_and_read(name):
    for game in GAMES:
        data = write(name, game)
        assert recognise(data) == ("llamasweeper" if name == "pttacg" else name)
        found: Any = read(data)[0]
        np.testing.assert_array_equal(found.mines, game.mines)
        assert found.clicks == ()


@pytest.mark.parametrize("name", HOLDS_POSITIONS)
def test_positions_are_written_and_read(name):
    for game in GAMES:
        position = as_position(game)
        for content in (game, position):
            data = write(name, content)
            assert recognise(data) == name
            found = read_one(data)
            np.testing.assert_array_equal(found.grid, position.grid)
            assert found.mines == position.mines


def test_a_replay_holds_the_clicks_that_have_an_effect():
    for game in GAMES:
        board, effective = Board.all_hidden(game.mines), []
        for click in game.clicks:
            before, board = board, play(board, click).after
            effective += [click] * (board is not before)
        replay = read_one(write("replay", game))
        again = as_game(replay)
        np.testing.assert_array_equal(again.mines, game.mines)
        assert list(again.clicks) == effective
        assert again.seconds == game.seconds
        last = replay.boards()[-1]
        np.testing.assert_array_equal(last.opened, board.opened)
        np.testing.assert_array_equal(last.flags, board.flags)
        # The reader of replays plays every move again.
        assert to_json(from_bytes(to_bytes(replay))) == to_json(replay)


@pytest.mark.parametrize("name", HOLDS_CLICKS)
def test_a_player_s_game_is_written_and_read(name):
    """Times that are not known are made up, a second a click."""
    for seed in range(3):
        replay = record("linear", Opening.of(LEVELS["beginner"]), seed)
        clicks = clicked_game(replay)
        assert clicks.seconds is None and clicks.player == "linear"
        found = read_one(write(name, replay))
        assert [click[:2] for click in found.clicks] == [click[:2] for click in clicks.clicks]
        assert [click.seconds for click in found.clicks] == [*range(len(found.clicks))]
        again = as_replay(found)
        assert again.outcome is replay.outcome
        np.testing.assert_array_equal(again.boards()[-1].opened, replay.boards()[-1].opened)


@pytest.mark.parametrize("version", range(4))
def test_older_versions_of_evf(version):
    for game in GAMES[:7]:
        data = format_samples.evf(game, version)
        assert recognise(data) == "evf"
        same_clicks(read_one(data), game)


def test_sets_of_evf():
    data = format_samples.evfs(GAMES[:3])
    assert recognise(data) == "evfs"
    for found, game in zip(read(data), GAMES[:3], strict=True):
        same_clicks(found, game)
    with pytest.raises(FormatError, match=r"^set.evfs: replay 3, from byte \d+: byte \d+: "):
        damaged = bytearray(data)
        damaged[data.rindex(b"jaxsweep\0jaxsweep") - 30] = 9
        read(bytes(damaged), "set.evfs")


def test_avf():
    for game in [game for game in GAMES[:14] if game.clicks]:
        data = format_samples.avf(game)
        assert recognise(data) == "avf"
        same_clicks(read_one(data), game, tolerance=0.01)


@pytest.mark.parametrize("year", ["2005", "2006", "2007", "2008"])
def test_mvf(year):
    for seed in range(6):
        game = made_up_game(seed, (16, 30, 99) if seed % 2 else (9, 9, 10))
        data = format_samples.mvf(game, year, key=977 * seed)
        assert recognise(data) == "mvf"
        same_clicks(read_one(data), game, tolerance=0.01)


def test_rmv_of_version_1():
    for game in GAMES[:14]:
        data = format_samples.rmv1(game)
        assert recognise(data) == "rmv"
        same_clicks(read_one(data), game)


def test_msor():
    kinds = set()
    for game in GAMES:
        data = format_samples.msor(game)
        assert recognise(data) == "msor"
        found = read_one(data)
        kinds.add(type(found))
        expected = as_position(game)
        if isinstance(found, GridPosition):
            np.testing.assert_array_equal(found.grid, expected.grid)
        else:
            np.testing.assert_array_equal(found.mines, game.mines)
            assert found.clicks == game.clicks
    assert kinds == {GridPosition, ClickedGame}


def test_a_link_to_jsminesweeper_is_the_one_that_it_makes():
    link = write("jsminesweeper", from_text(README)).decode().strip()
    assert link.endswith("?analysis=aiagaaaiblXblSsVbnVdlVmblWlblV")
    for text in (link, link[link.index("?") :], link[link.index("analysis") :]):
        found = read_one(text.encode())
        np.testing.assert_array_equal(found.grid, from_text(README).grid)


def test_mines_in_a_link_raise_the_numbers_around_them():
    # 3×2/2: I 1 H and 0 O F; the 1 has both mines around it, the 0 one of them.
    found = read_one(b"?analysis=adacaaacOlSb9 2".replace(b" ", b""))
    np.testing.assert_array_equal(found.grid, [[-1, 3, -1], [1, -2, -2]])


@pytest.mark.parametrize(
    ("link", "shape", "mines"),
    [
        ("https://llamasweeper.com/#/game/zini-explorer?b=1&m=" + "0" * 17, (9, 9), []),
        ("https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/?b=2", (16, 16), []),
        ("https://example.org/page?b=0302&m=h0#top", (2, 3), [(0, 0), (1, 1)]),
        ("b=32&m=h0\r\n", (2, 3), [(0, 0), (1, 1)]),
        ("llamasweeper.com/#/game/zini-explorer?b=32&m=h0", (2, 3), [(0, 0), (1, 1)]),
    ],
)
def test_links_with_boards(link, shape, mines):
    found = read_one(link.encode())
    assert found.mines.shape == shape
    assert [tuple(cell) for cell in np.argwhere(found.mines).tolist()] == mines


def test_a_board_file_with_what_was_seen():
    game = next(game for game in GAMES if as_position(game).grid.max() >= 0)
    contents = read(write("board", game))
    assert [type(content) for content in contents] == [ClickedGame, GridPosition]
    assert len(games_in(contents)) == len(positions_in(contents)) == 1
    np.testing.assert_array_equal(last_decision(contents[1]).grid, as_position(game).grid)
    text = (
        "# MINESWEEPER-BOARD v0.1\n# Render: emoji\nauthor: a: b\nrows: 2\ncolumns: 3\nmines: 2\n"
    )
    text += "game_mode: classic\n[view]\n⬜2\ufe0f\u20e3🚩\n💥1\ufe0f\u20e3❓\n"
    found = read_one(text.encode())
    assert found.mines == 2
    np.testing.assert_array_equal(found.grid, [[-1, 2, -2], [-1, 1, -1]])


MINES = np.array([[False, False, False], [False, False, True], [False, False, False]])


@pytest.mark.parametrize(
    ("codes", "clicks"),
    [
        ("lc lr", "left"),
        ("rc rr", "right"),
        ("lc rc lr rr", "chord"),
        ("rc lc rr lr", "right chord"),
        ("lc rc rr lr", "chord"),
        ("lc rc rr rc rr lr", "chord chord"),
        ("mc mr", "chord"),
        ("m m", "chord"),
        ("l l", "left"),
        ("r r", "right"),
        ("lc cc lr rr", "chord"),
        ("sc lr lc lr", "chord left"),
        ("pf", "right"),
        ("lr rr mv", ""),
    ],
)
def test_what_the_buttons_do(codes, clicks):
    events = [MouseEvent(Mouse(code), 0.0, (0, 2)) for code in codes.split()]
    assert [click.button.value for click in clicks_of(events, MINES)] == clicks.split()


def test_a_right_press_on_an_open_cell_is_part_of_a_chord():
    pressed = [(Mouse.LEFT_PRESS, (0, 1)), (Mouse.LEFT_RELEASE, (0, 1))]
    chord = [(Mouse.RIGHT_PRESS, (0, 1)), (Mouse.LEFT_PRESS, (0, 1)), (Mouse.LEFT_RELEASE, (0, 1))]
    events = [MouseEvent(what, 0.0, cell) for what, cell in pressed + chord]
    assert [click.button.value for click in clicks_of(events, MINES)] == ["left", "chord"]
    released = [(Mouse.RIGHT_PRESS, (0, 1)), (Mouse.RIGHT_RELEASE, (0, 1))]
    events = [MouseEvent(what, 0.0, cell) for what, cell in pressed + released]
    assert [click.button.value for click in clicks_of(events, MINES)] == ["left", "right"]


def test_clicks_off_the_board_and_after_the_end_are_left_out():
    lost = [MouseEvent(what, 0.0, (1, 2)) for what in (Mouse.LEFT_PRESS, Mouse.LEFT_RELEASE)]
    off = [event._replace(cell=None) for event in lost]
    assert len(clicks_of([*off, *lost, *lost], MINES)) == 1


GAME = GAMES[0]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "nothing is in it"),
        (b" \r\n", "nothing is in it"),
        (bytes(100), "nothing that can be read; what can: .evf, .evfs, .avf"),
        (b"https://example.org/a?x=1", "a link that holds no board or position; what can be read"),
        (b"hello", "line 1: expected COLSxROWSxMINES, such as 30x16x99, not 'hello'; what else"),
        (b"\xff\xfe\0", "nothing that can be read; what can: .evf, .evfs, .avf"),
        (write("evf", GAME)[:40], "byte 40: the file is cut off, in the software (from byte 34)"),
        (b"\4\0\0\3\3\0\1\x10" + bytes(12) + b"XX" + bytes(30), "1 mines, but the board has 0"),
        (write("evf", GAME)[:90], "byte 90: the file is cut off, in an event"),
        (write("rmv", GAME)[:-6], "the file is cut off"),
        (b"*rmv\0\3", "byte 5: version 3 of this format; 1 and 2 are read"),
        (b"\x08\x08\x00\x0a" + bytes(2000), "Minesweeper Clone 0.96 or before"),
        (b"\x11\x4d" + bytes(100), "byte 27: an unknown version of Minesweeper Clone"),
        (b"\3\2\0\2\0\0\0\0", "mine 2, (0, 0), is listed twice"),
        (b"Width: 3\nHeight: 2\nBoard:\n000\n", "line 2: 2 rows, but the board has 1"),
        (b"Width: 3\nHeight: 1\nBoard:\n000\nEvents:\n1.0 lc\n", "line 6: an event without time"),
        (b"Width: 99999\nHeight: 99999\n", "too large: 65536 cells"),
        (b"# MINESWEEPER-BOARD v2", "line 1: version 0.1 is read"),
        (b"\n\n# MINESWEEPER-BOARD v2", "line 3: version 0.1 is read"),
        (b"# MINESWEEPER-BOARD v0.1\nrows: 1\ncolumns: 2\n", "the field 'mines' is missing"),
        (
            b"# MINESWEEPER-BOARD v0.1\nrows: 1\ncolumns: 2\nmines: 1\n[real]\n*2\n",
            "line 6, column 2: 2, but 1 mines are around it",
        ),
        (b'{"header": {"width": 2}, "replay": []}', '"height" must be a whole number'),
        (
            b'{"header": {"width": 2, "height": 1, "mines": 1}, "replay": [{"type": 0}]}',
            "step 1: x",
        ),
        (b'{"rows": "x"}', '"rows" must be a whole number'),
        (b'{"rows": 1, "cols": 1, "mines": %s}' % (b"9" * 999), 'JSON: "mines" is too large'),
        (b'{"format": "jaxsweep-replay", "version": 2}', "version 2 of a replay"),
        (b"\x1f\x8b\x08xxxxxxxxx", "the compressed data is damaged"),
        (gzip.compress(b"hello", mtime=0), "such as 30x16x99, not 'hello'; what else"),
        (b"?analysis=aiag", "letter 1 of the position: too short"),
        (b"?analysis=aaaaaaaa", "a board of 0 rows"),
        (b"?analysis=acacaaabbX", "letter 10 of the position: 6 cells of a board of 4"),
        (b"?analysis=acacaaabT", "2 cells, but the board 4"),
        (b"?board=9x9x10&seed=3", "a game from a seed, which only JSMinesweeper deals"),
        (b"?b=123&m=0", "b must be 1, 2, 3, or the columns and rows"),
        (b"?b=22&m=z", "letter 1 of m: 'z' is none of base 32"),
        (b"?b=0302&m=g2", "letter 2 of m: a mine after the last cell"),
        (b"2x2x1\nHH\n", "line 1 promises 2 rows, but only 1 follow"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(data, words):
    with pytest.raises(FormatError, match=re.escape(words)) as caught:
        read(data, "a.file")
    assert str(caught.value).startswith("a.file: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", HOLDS_CLICKS + HOLDS_MINES)
def test_a_position_is_no_game(name):
    if name == "board":
        return
    with pytest.raises(FormatError, match="a position does not say where the mines are"):
        write(name, from_text(README))


def test_what_has_no_room_gets_a_sentence():
    large = ClickedGame(np.zeros((2, 300), bool))
    for name in ("evf", "rmv", "mbf"):
        with pytest.raises(FormatError, match="holds boards of up to 255×255, not 2×300"):
            write(name, large)
    late = ClickedGame(MINES, (Click(Button.LEFT, (0, 0), 20_000.0),))
    with pytest.raises(FormatError, match=r"\.rmv holds games of up to 16777 s"):
        write("rmv", late)
    long = ClickedGame(np.zeros((250, 250), bool), (Click(Button.RIGHT, (0, 0), 0.0),) * 9000)
    with pytest.raises(FormatError, match="9000 clicks on 250×250 cells are too many for a replay"):
        as_replay(long)
    with pytest.raises(FormatError, match="avf is read but not written; written are mbf, mine, "):
        write("avf", late)


def test_damaged_files_are_a_game_or_a_sentence():
    rng = np.random.default_rng(5)
    outcomes = dict.fromkeys(["read", "sentence"], 0)
    for name, data in [item for seed in (1, 3) for item in format_samples.samples(seed).items()]:
        for _ in range(14):
            damaged = format_samples.damaged(data, rng)
            try:
                contents = read(damaged, name)
            except FormatError as error:
                assert len(str(error)) < 400 and "\n" not in str(error)
                outcomes["sentence"] += 1
                continue
            for content in contents:
                assert last_decision(content).grid.size <= 2**16
            outcomes["read"] += 1
    assert min(outcomes.values()) > 50, outcomes


def repeated(head, unit, size, tail=b""):
    """A file of so many bytes: a beginning, the same over and over, an end."""
    return head + unit * ((size - len(head) - len(tail)) // len(unit)) + tail


EMPTY = ClickedGame(np.zeros((9, 9), bool))
EVF, RMV = write("evf", EMPTY), write("rmv", EMPTY)
RAWVF = b"Width: 3\nHeight: 1\nBoard:\n000\nEvents:\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (repeated(EVF[:-3], b"\1\0\0\0\0\0", 2**12), "more than 300 events"),
        (repeated(RMV[:-4], b"\x1c\1\x11", 2**12, RMV[-4:]), "more than 300 events"),
        (repeated(RMV[:-4], b"\x0b\1\1", 2**12, RMV[-4:]), "more than 300 events"),
        (format_samples.mvf(made_up_game(2, (9, 9, 10))), "305 events: no game has more than 300"),
        (format_samples.msor(made_up_game(2, (9, 9, 10))), "step 31: more than 30 clicks"),
        (repeated(RAWVF, b"\n", 2**22), "more than 2097152 lines"),
        (repeated(b"# MINESWEEPER-BOARD v0.1", b"\r", 2**22), "more than 2097152 lines"),
        (repeated(b"1x1x1\nH", b"\n", 2**23), "more than 4194304 lines"),
        (repeated(EVF[:-3], b"\1\0\0\0\0\0", 2**25), "more than 16777216 bytes: no Metasweeper"),
        (bytes(2**26 + 1), "more than 67108864 bytes"),
        (repeated(b"?b=", b"%41", 2**20), "a link that holds no board or position"),
        (gzip.compress(bytes(2**27 + 1), 1), "the compressed data holds more than any game"),
        (
            b'{"format": "jaxsweep-replay", "moves": [' + b"{}," * 2**22,
            "more than 4194304 lists and objects",
        ),
    ],
    ids=itertools.count(),
)
def test_what_is_too_long_for_a_game_is_not_read(data, words, monkeypatch):
    """Fewer events and clicks than elsewhere: types are checked here at each of them."""
    for module in ("mouse", "rmv", "mvf"):
        monkeypatch.setattr(f"jaxsweep.formats.{module}.MAX_EVENTS", 300)
    monkeypatch.setattr("jaxsweep.formats.msor.MAX_CLICKS", 30)
    with pytest.raises(FormatError, match=re.escape(words)):
        read(data)


@pytest.mark.parametrize("shape", [(4, 123), (123, 9), (139, 31), (48, 32), (120, 57), (255, 63)])
def test_boards_whose_sides_are_signs_of_other_formats(shape):
    """A file begins with its sides: 123 is a brace, 9 a blank, and 31×139 the sign of gzip."""
    rng = np.random.default_rng(2)
    for share in (0.0, 0.2):
        board = ClickedGame(rng.random(shape) < share)
        data = write("mbf", board)
        assert recognise(data) == "mbf"
        np.testing.assert_array_equal(read_one(data).mines, board.mines)


def test_replays_of_arbiter_are_no_text_whatever_they_begin_with():
    """The four bytes behind the version are of no meaning here."""
    game = next(game for game in GAMES if game.clicks)
    data = b"9x9x1" + format_samples.avf(game)[5:]
    assert recognise(data) == "avf"
    same_clicks(read_one(data), game, tolerance=0.01)


def test_every_format_is_read_when_it_is_compressed():
    for name, data in format_samples.samples(1).items():
        packed = gzip.compress(data)
        if name not in HOLDS_MINES:  # Some of these are recognised by their length.
            assert recognise(packed) == recognise(data)
        assert [type(content) for content in read(packed)] == [type(one) for one in read(data)]
        with pytest.raises(FormatError, match="the compressed data is cut off"):
            read(packed[:-9])


@pytest.mark.parametrize("name", HOLDS_CLICKS)
@pytest.mark.parametrize(
    ("player", "read_as"),
    [
        ("\N{GRINNING FACE}" * 100, "\N{GRINNING FACE}" * 63),
        ("a" + "嘉" * 99, "a" + "嘉" * 84),
        ("x\ny: z\0", "xy: z"),
        ("Events:", "Events:"),
        ("\ud800!", "?!"),
    ],
)
def test_any_name_of_a_player_can_be_read_again(name, player, read_as):
    """In .rmv files, names have 255 bytes; in the others, 100 characters."""
    game = ClickedGame(MINES, (Click(Button.LEFT, (0, 0), 0.0),), 0.0, player)
    found = read_one(write(name, game)).player
    assert found == (player if name != "rmv" and len(player) >= 100 else read_as)


def test_a_board_file_of_a_lost_game_shows_its_mines():
    clicks = ((Button.RIGHT, (0, 0)), (Button.LEFT, (2, 1)), (Button.LEFT, (1, 2)))
    mines = MINES.copy()
    mines[0, 1] = True
    game = ClickedGame(mines, tuple(Click(*click) for click in clicks))
    data = write("board", game)
    assert data.decode().endswith("[view]\n#@U\nUUX\nU1U\n")
    position = read(data)[1]
    assert isinstance(position, GridPosition)
    np.testing.assert_array_equal(position.grid, as_position(game).grid)


def test_wrong_numbers_in_a_header_are_a_game_or_a_sentence():
    rng = np.random.default_rng(6)
    for data in format_samples.samples(1).values():
        for size in (0, 0, 0, 0, 0, 0, 4000):
            wrong = format_samples.with_a_wrong_number(data, rng)
            if size:
                wrong = format_samples.stretched(wrong, rng, size)
            try:
                read(wrong)
            except FormatError as error:
                assert len(str(error)) < 400 and "\n" not in str(error)


def test_every_prefix_of_a_file_is_a_game_or_a_sentence():
    for data in format_samples.samples(3).values():
        for size in range(0, len(data), max(len(data) // 20, 1)):
            try:
                read(data[:size])
            except FormatError as error:
                assert str(error)


def test_a_replay_of_a_level_too_large_to_be_real_is_refused():
    with pytest.raises(FormatError):
        read(json.dumps({"format": "jaxsweep-replay", "version": 1, "rows": 2**20}).encode())
    with pytest.raises(ReplayError):
        from_bytes(b'{"format": "jaxsweep-replay", "version": 1}')


def test_a_game_without_an_opening_is_a_replay():
    replay = replay_of(ClickedGame(MINES, (Click(Button.RIGHT, (1, 2)),)))
    assert replay.opening == Opening(Level(3, 3, 1), replay.opening.start, (0, 0))
    assert to_json(from_bytes(to_bytes(replay))) == to_json(replay)


def test_formats_have_titles():
    titles = [known.title for known in FORMATS.values()]
    assert len(set(titles)) == len(titles)
