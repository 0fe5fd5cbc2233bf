"""The HTTP server and files of other programs; boards to order; what a cell would show."""

import contextlib
import gzip
import json
import random
from dataclasses import replace

import numpy as np
import pytest

from tests.needs import packages

packages("starlette", "uvicorn", group="serving")

from jaxsweep.beliefs import Status
from jaxsweep.commands.grade_files import grade_source
from jaxsweep.commands.replay_info import describe
from jaxsweep.formats import read, writable, write
from jaxsweep.formats.conversion import as_position, as_replay, positions_in
from jaxsweep.puzzles.board import read_board
from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.checking import check_board
from jaxsweep.puzzles.ordering import Order, make
from jaxsweep.puzzles.wishes import Wishes
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.rules.notation import from_text, to_text
from jaxsweep.scalar import exact
from jaxsweep.serving import tasks
from jaxsweep.serving.limits import Limits
from jaxsweep.serving.orders import DIFFICULTIES
from jaxsweep.single import replay as replays
from jaxsweep.single.analysis import analyze
from tests.agreement import same_analysis
from tests.format_samples import damaged, evfs, made_up_game, read_one, samples
from tests.oracle import layouts
from tests.serving import CERTAIN, STUCK, running
from tests.waiting import PATIENCE

LINK = "https://davidnhill.github.io/JSMinesweeper/?analysis=aiagaaaiblXblSsVbnVdlVmblWlblV"


@pytest.fixture(scope="module")
def server():
    with running(Limits(board_seconds=1.0), processes=2) as address:
        yield address


@pytest.fixture(scope="module")
def patient():
    """A server that looks for boards as long as it takes, on machines however busy."""
    with running(Limits(board_seconds=1.0 * PATIENCE, seconds=1.0 * PATIENCE)) as address:
        yield address


@pytest.fixture(scope="module")
def game():
    """A game with clicks, short enough for every format."""
    return made_up_game(0)


def plain(data):
    """Data as it is after a way through JSON."""
    return json.loads(json.dumps(data))


# Files and links.


@pytest.mark.parametrize("name", list(writable()))
def test_a_game_is_converted_as_by_the_command(server, game, name):
    reply = server.post(f"/convert?to={name}", write("evf", game))
    (held,) = read(write("evf", game))
    assert (reply.status, reply.body) == (200, write(name, held))
    assert reply.headers["content-disposition"].startswith('attachment; filename="game.')
    kind = reply.headers["content-type"]
    assert (kind == "application/octet-stream") == (not writable()[name].is_text)


def test_files_of_every_format_are_read(server):
    for data in samples(0).values():
        found = server.post("/replay/info", data)
        assert found.status == 200, found.body
        position = server.post("/convert?to=mine&game=1", data)
        assert position.status == 200
        seen = positions_in(read(data))
        assert position.body.decode() == to_text(as_position(seen[0]))


def test_what_a_file_says_is_what_the_command_says(server, game, tmp_path):
    bodies = {"three.evfs": evfs([game] * 3), "a.json": write("replay", game), "b.mine": STUCK}
    bodies["c.mbf"] = write("mbf", game)
    for name, body in bodies.items():
        data = body.encode() if isinstance(body, str) else body
        (tmp_path / name).write_bytes(data)
        own = [plain(facts) for facts in describe(str(tmp_path / name))]
        for facts in own:
            del facts["file"]
        assert server.post("/replay/info", data).data == own


@pytest.mark.parametrize("seed", [0, 3])
def test_grades_are_those_of_the_command(server, seed):
    data = write("evf", made_up_game(seed))
    (own,) = grade_source(data, "", "", None)
    found = server.post("/replay/grade", data).data
    assert found == {name: value for name, value in plain(own).items() if name in found}
    assert set(own) - set(found) == {"file", "number"}


def test_one_of_several_games_is_chosen(server, game):
    other = made_up_game(7)
    body = evfs([game, other])
    for path in ("/replay/check", "/replay/grade", "/convert?to=replay"):
        assert server.post(path, body).error == "2 games: choose one with game=1 to 2"
    assert server.post("/replay/check?game=3", body).error == "there is no game 3: it holds 2"
    found = server.post("/replay/check?game=2", body).data
    (held,) = read(write("evf", other))
    assert found["replay"] == replays.to_json(as_replay(held))
    assert found["problems"] == []
    assert len(server.post("/analyze", body).data) == 2


def test_links_and_games_are_analysed_as_by_the_command(server):
    position = read_one(LINK.encode())
    own = analyze([position])[0].as_json()
    same_analysis(server.post("/analyze", LINK).data, own)
    first, second = server.post("/analyze", [LINK, CERTAIN]).data
    same_analysis(first, own)
    assert second == analyze([from_text(CERTAIN)])[0].as_json()
    replay = replays.record("exact", Opening.of(LEVELS["mini"]), 6)
    body = gzip.compress(replays.to_bytes(replay))
    seen = as_position(replay, 1)
    same_analysis(server.post("/analyze?move=1", body).data, analyze([seen])[0].as_json())


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/convert", STUCK, '"to" is missing; it is one of '),
        ("/convert?to=avf", STUCK, '"to" must be one of '),
        ("/convert?to=evf", STUCK, "a position does not say where the mines are"),
        ("/convert?to=evf&move=1", "?b=1&m=" + "0" * 17, "move is for positions"),
        ("/convert?to=mine&move=9", "?b=1&m=" + "0" * 17, "the game has 0 moves, not 9"),
        ("/convert?to=mine&file=x", STUCK, "no parameter 'file'"),
        ("/convert?to=mine&game=0", STUCK, '"game" must be a whole number, 1 to'),
        ("/replay/info", b"\xff\xfe\x00", "nothing that can be read; what can: .evf"),
        ("/replay/info", "/etc/passwd", "line 1: expected COLSxROWSxMINES"),
        ("/replay/info", "https://example.org/game.evf", "a link that holds no board"),
        ("/replay/grade", "?b=1&m=" + "0" * 17, "a board without clicks"),
        ("/replay/grade", STUCK, "a position, not a game"),
        ("/replay/grade?move=1", "?b=1&m=" + "0" * 17, "no parameter 'move'; there are game"),
        ("/replay/info?game=1", STUCK, "no parameter 'game'; there are none"),
        ("/analyze", b"\x04\xff\xfe", "nothing that can be read"),
        ("/analyze?move=1", STUCK, '"game" and "move" are for files of games'),
        ("/analyze", "?analysis=aiagaaai!", "is none of base 62"),
        ("/analyze", ["?b=1&m=x"], "position 1: letter 1 of m"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(server, path, body, sentence):
    reply = server.post(path, body)
    assert reply.status == 400
    assert sentence in reply.error
    assert len(reply.error) <= 500


def test_files_have_the_limits_of_other_bodies(server, game):
    for path in ("/convert?to=mine", "/replay/info", "/replay/grade", "/boards"):
        assert server.post(path, b"x" * (2**20 + 1)).status == 413
    wide = write("mbf", made_up_game(0, (129, 128, 1)))
    assert "16,384 cells at most" in server.post("/replay/info", wide).error
    bomb = gzip.compress(b" " * 2**24)
    for path in ("/convert?to=evf", "/replay/info", "/replay/grade", "/analyze"):
        assert "more than any game" in server.post(path, bomb).error
    with running(Limits(positions=2)) as other:
        assert other.post("/replay/info", evfs([game] * 3)).status == 413


def test_damaged_files_are_answered(server):
    rng = np.random.default_rng(3)
    draw = random.Random(4)
    files = [data for seed in range(2) for data in samples(seed).values() if len(data) < 20_000]
    files.append(json.dumps({"level": "mini", "start": "zero", "difficulty": [1, 2]}).encode())
    paths = [
        *("/convert?to=evf", "/convert?to=position", "/replay/info", "/replay/check"),
        *("/analyze", "/analyze/cell?row=0&col=0", "/replay/grade", "/boards"),
    ]
    with contextlib.closing(server.connect()) as connection:
        for number in range(240):
            body = bytes(damaged(draw.choice(files), rng))
            connection.request("POST", paths[number % len(paths)], body)
            reply = connection.getresponse()
            assert reply.status in (200, 400, 413, 422), (body, reply.read())
            reply.read()


# Boards to order.


def ordered(order):
    """The first board of an order, as the command makes it."""
    return next(board for progress in make(order) for board in progress.boards)


@pytest.mark.parametrize(
    ("asked", "wishes"),
    [
        ({}, {}),
        ({"max_rule": "single", "certificate": True}, {"max_rule": Tier.SINGLE}),
        ({"difficulty": "middle"}, {"difficulty": DIFFICULTIES["middle"]}),
        ({"difficulty": [30, 45], "bbbv": [9, None]}, {"difficulty": (30, 45), "bbbv": (9, 1e9)}),
        ({"no_guess": False, "bbbv": [10, 12]}, {"no_guess": False, "bbbv": (10, 12)}),
    ],
)
def test_a_board_is_that_of_the_command(patient, asked, wishes):
    order = {"level": "mini", "start": "zero", "row": 2, "col": 1, "seed": 3}
    found = patient.post("/boards", order | asked).data
    opening = Opening(LEVELS["mini"], Start.ZERO, (2, 1))
    own = plain(ordered(Order(Wishes(opening, **wishes), 3)).to_json())
    if "certificate" in asked:
        assert check_board(read_board(found))
    else:
        assert found.pop("certificate") is None
        del own["certificate"]
    for data in (own, found):
        assert data.pop("wishes").startswith("8x8/10 zero@2,1")
    assert found == own


def test_mines_are_moved_where_hardly_a_board_needs_no_guess(patient):
    order = {"rows": 16, "cols": 16, "mines": 99, "start": "zero", "seed": 4, "certificate": True}
    always = patient.post("/boards", order | {"repair": "always"}).data
    check_board(read_board(always))
    # Deals are judged first, for a share of the time.
    with running(Limits(board_seconds=5.0)) as other:
        reply = other.post("/boards", order | {"repair": "if-rare"})
    assert reply.data["repaired"]
    check_board(read_board(reply.data))


def test_what_is_rare_is_said_in_time(server):
    reply = server.post("/boards", {"level": "beginner", "difficulty": [99, 100], "seed": 1})
    assert reply.status == 422
    assert reply.error.startswith("no such board in ")
    assert 'let mines be moved: "repair": "if-rare"' in reply.error


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        ("[]", "expected an object"),
        ("{", "not JSON"),
        (b"\xff", "byte 0 is not text"),
        ({"size": 4}, "no parameter 'size'"),
        ({"level": "vast"}, "no level 'vast'"),
        ({"level": ["mini"]}, '"level" must be a number or a word'),
        ({"rows": 4}, '"cols" is missing'),
        ({"rows": 10**4000, "cols": 4, "mines": 1}, '"rows" must be a whole number'),
        ({"seed": -1}, '"seed" must be a whole number'),
        ({"seed": 1.5}, '"seed" must be a number or a word'),
        ({"max_rule": "magic"}, '"max_rule" must be one of single, pair, count, exact'),
        ({"difficulty": "vile"}, '"difficulty" must be one of easy, middle, hard, or two numbers'),
        ({"difficulty": [50, 10]}, "no difficulty is from 50 to 10"),
        ({"difficulty": [1, 2, 3]}, '"difficulty" must be'),
        ({"bbbv": [1, True]}, '"bbbv" must be two numbers'),
        ({"bbbv": [10**400, None]}, "out of reach"),
        ('{"bbbv": [NaN, 3]}', '"bbbv" must be two numbers'),
        ({"bbbv": [1000, None]}, "a 3BV of 1000 is out of reach"),
        ({"certificate": 1}, '"certificate" must be true or false'),
        ({"no_guess": False, "max_rule": "pair"}, "those of boards that need no guess"),
        ({"no_guess": False, "repair": "always"}, "only boards that are to need no guess"),
        ({"rows": 128, "cols": 128, "mines": 9}, "boards to order have at most 10000"),
    ],
)
def test_what_is_wrong_with_an_order_is_said(server, order, sentence):
    reply = server.post("/boards", order)
    assert reply.status == 400
    assert sentence in reply.error


# What a cell would show.


def test_the_numbers_of_a_cell_are_those_of_all_layouts(server):
    position = from_text(CERTAIN)
    every = list(layouts(*position))
    for row, col in np.argwhere(position.grid < 0).tolist():
        found = server.post(f"/analyze/cell?row={row}&col={col}", CERTAIN).data
        counts = np.zeros(10)
        for mines in every:
            around = sum(abs(r - row) <= 1 and abs(c - col) <= 1 for r, c in mines)
            counts[9 if (row, col) in mines else around] += 1
        shares = counts / len(every)
        np.testing.assert_allclose(found["numbers"], shares[:9], atol=1e-12)
        assert found["mine_probability"] == pytest.approx(shares[9], abs=1e-6)


def test_no_risk_is_said_of_a_cell_beyond_counting(monkeypatch):
    """Only what single numbers prove is known then."""
    position = from_text(CERTAIN)
    monkeypatch.setattr(exact, "MAX_CELLS", 3)
    beliefs, _ = exact.infer(position)
    assert beliefs.status == Status.OVER_CAPACITY
    safe, mines = beliefs.safe.copy(), beliefs.mines.copy()
    safe[0, 2] = mines[0, 3] = True
    known = replace(beliefs, safe=safe, mines=mines)
    monkeypatch.setattr(tasks, "infer", lambda *asked: (known, None))
    risks = [
        json.loads(tasks.numbers_of_cell(CERTAIN, cell, Limits()))["mine_probability"]
        for cell in ((0, 2), (0, 3), (1, 2))
    ]
    assert risks == [0.0, 1.0, None]


@pytest.mark.parametrize(
    ("query", "body", "sentence"),
    [
        ("row=0&col=0", STUCK, "row 0, column 0 is open"),
        ("row=8&col=0", STUCK, "row 8, column 0 is not on a board of 8×8"),
        ("row=1", STUCK, '"col" is missing'),
        ("row=1&col=x", STUCK, '"col" must be a whole number'),
        ("row=0&col=0", STUCK + CERTAIN, "several positions"),
        ("row=0&col=0", "3x3x2\nH1H\n1H1\nH3H\n", "inconsistent: "),
    ],
)
def test_what_is_wrong_with_a_cell_is_said(server, query, body, sentence):
    reply = server.post(f"/analyze/cell?{query}", body)
    assert reply.status == 400
    assert sentence in reply.error
