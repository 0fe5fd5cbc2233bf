"""The HTTP server: what it answers, and what it refuses."""

import contextlib
import gzip
import json
import random
import socket
import threading
from typing import Any

import pytest
from hypothesis import given, settings

from tests.needs import packages

packages("schemathesis", "starlette", "uvicorn", group="serving")

import schemathesis

from jaxsweep.commands.analyze import main as analyze_command
from jaxsweep.commands.serve import listen, main
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.rules.notation import read, read_all, to_json
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.players import PLAYERS
from jaxsweep.serving import site
from jaxsweep.serving.guard import Trust
from jaxsweep.serving.limits import Limits
from jaxsweep.single import replay as replays
from jaxsweep.single.analysis import analyze
from jaxsweep.single.grading import grade
from jaxsweep.single.grading.report import grade_to_json
from tests.agreement import same_analysis
from tests.oracle import PlainGame
from tests.serving import CERTAIN, STUCK, events, running
from tests.waiting import PATIENCE

FRIEND = "https://friend.example"


@pytest.fixture(scope="module")
def server():
    trust = Trust(frozenset({"mines.example"}), frozenset({FRIEND}))
    with running(Limits(board_seconds=0.2), trust, processes=2) as address:
        yield address


def expected(text):
    return [one.as_json() for one in analyze(read_all(text))]


# Answers.


@pytest.mark.parametrize("text", [CERTAIN, STUCK, "1x1x0\nH\n", "2x2x4\nHH\nHF\n"])
def test_one_position_is_answered_as_by_analyze(server, text):
    own = expected(text)[0]
    same_analysis(server.post("/analyze", text).data, own)
    same_analysis(server.post("/analyze", to_json(read(text))).data, own)


def test_several_positions_are_answered_by_an_array(server):
    many = (CERTAIN + STUCK) * 20  # more than one chunk
    reply = server.post("/analyze", many)
    assert reply.status == 200
    for answer, own in zip(reply.data, expected(many), strict=True):
        same_analysis(answer, own)
    one = json.loads(to_json(read(CERTAIN)))
    assert server.post("/analyze", [one]).data == expected(CERTAIN)
    first, second = server.post("/analyze", [one, STUCK]).data
    same_analysis(first, expected(CERTAIN)[0])
    same_analysis(second, expected(STUCK)[0])


def any_position(draw):
    """Numbers of a random board seen in a share of its cells, with flags, one perhaps wrong."""
    rows, cols = draw.randrange(1, 9), draw.randrange(1, 9)
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    board = PlainGame(rows, cols, draw.sample(cells, draw.randrange(len(cells) + 1)))
    share, lines = draw.random(), []
    for row in range(rows):
        line = ""
        for cell in ((row, col) for col in range(cols)):
            is_open = cell not in board.mines and draw.random() < share
            line += str(board.number(cell)) if is_open else draw.choice("HHHF")
        lines.append(line)
    if draw.random() < 0.2:
        lines[0] = str(draw.randrange(4)) + lines[0][1:]
    return f"{cols}x{rows}x{len(board.mines)}\n" + "\n".join(lines) + "\n"


def test_two_hundred_positions_are_answered_as_by_the_command(server, tmp_path, capsys):
    """Stuck and certain ones, finished and impossible ones, in one request and each in its own."""
    draw = random.Random(8)
    texts = [any_position(draw) for _ in range(200)]
    file = tmp_path / "positions.mine"
    file.write_text("".join(texts))
    assert analyze_command([str(file), "--json"]) == 2, "some are impossible"
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    answers = server.post("/analyze", "".join(texts)).data
    impossible = 0
    for i, (text, answer, own) in enumerate(zip(texts, answers, printed, strict=True)):
        alone = server.post("/analyze", text)
        if "error" in own:
            assert answer == own
            assert alone.status == 400
            assert own["error"] == f"position {i + 1}: {alone.error}"
            impossible += 1
        else:
            same_analysis(answer, own)
            same_analysis(alone.data, own)
    assert 5 < impossible < 100
    assert sum(own.get("best") is None for own in printed) > impossible, "finished ones"
    assert sum("candidates" in (own.get("best") or {}) for own in printed) > 20, "stuck ones"


def test_positions_are_taken_in_all_their_forms(server):
    own = expected(CERTAIN)[0]
    fields = json.loads(to_json(read(CERTAIN)))
    tiles = [
        {"x": col, "y": row, "value": int(cell)}
        for row, line in enumerate(CERTAIN.splitlines()[1:])
        for col, cell in enumerate(line)
        if cell != "H"
    ]
    message = {"board": {"width": 4, "height": 3, "mines": 2}, "tiles": tiles}
    marked = b"\xef\xbb\xbf" + CERTAIN.replace("\n", "\r\n").encode()
    for body in (json.dumps(CERTAIN), fields, message, marked):
        assert server.post("/analyze", body).data == own
    assert server.post("/analyze", [CERTAIN, fields, message]).data == [own] * 3
    link = server.post("/convert?to=jsminesweeper", CERTAIN).body.decode()
    for body in (link, json.dumps(link)):
        assert server.post("/analyze", body).data == own
    assert server.post("/analyze", json.dumps(CERTAIN + CERTAIN)).data == [own] * 2


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("", "line 1: no position here"),
        (["?b=1&m=\ud800"], "position 1: byte 7 is not text"),
        ("4x3x2\n01HH\n01H\n011H\n", "line 3: 3 cells, but line 1 promises 4"),
        ("3x3x2\nH1H\n1H1\nH3H\n", "inconsistent: "),
        (CERTAIN + "2x2x9\nHH\nHH\n", "position 2: line 5: a 2×2 board holds 0 to 4 mines, not 9"),
        ([CERTAIN, CERTAIN, "x"], "position 3: line 1: expected COLSxROWSxMINES"),
        ([CERTAIN, 5], "position 2: JSON: expected an object"),
        ([CERTAIN, [["a"]]], "position 2: JSON: expected an object"),
        ([], "an array without a position"),
        ("[" * 100_000, "nested too deep"),
        ('{"rows": 1', "line 1, column 11: not JSON"),
        ("[1, 2", "line 1, column 6: not JSON"),
        (b"\xff\xfe", "nothing that can be read; what can: .evf"),
        ('{"rows": 1' + "0" * 4000 + "}", '"rows" is too large'),
        ('{"rows": 1, "cols": 1, "mines": 0, "board": ["\\ud800"]}', "is no cell"),
        ('{"rows": 1, "cols": 1, "mines": 1e999, "board": ["H"]}', '"mines" must be a whole'),
    ],
)
def test_what_is_wrong_with_a_body_is_said(server, body, sentence):
    reply = server.post("/analyze", body)
    assert reply.status == 400
    assert sentence in reply.error
    assert len(reply.error) <= 500


def test_the_first_wrong_position_is_named(server):
    """Whichever process finds its own first."""
    many = [STUCK] * 20 + ["y"] + [CERTAIN] * 20 + ["x"]
    assert server.post("/analyze", many).error.startswith("position 21: ")


def test_a_game_is_dealt_as_everywhere(server):
    found = server.get("/deal?level=expert&start=zero&row=5&col=7&seed=11").data
    game = replays.to_json(
        replays.record("random", Opening(LEVELS["expert"], Start.ZERO, (5, 7)), 11)
    )
    assert found == {name: game[name] for name in found}
    custom = server.get("/deal?rows=3&cols=5&mines=4").data
    assert [len(row) for row in custom["layout"]] == [5] * 3
    assert sum(row.count("*") for row in custom["layout"]) == 4
    again = server.get(f"/deal?rows=3&cols=5&mines=4&seed={custom['seed']}").data
    assert again == custom


@pytest.mark.parametrize("player", ["strongest", "random"])
def test_a_watched_game_is_the_replay_of_the_player(server, player):
    reply = server.get(f"/watch?level=mini&seed=6&player={player}")
    assert reply.headers["content-type"].startswith("text/event-stream")
    (first, game), *moves, (last, end) = events(reply.body)
    own = replays.to_json(replays.record(player, Opening.of(LEVELS["mini"]), 6))
    assert (first, last) == ("game", "end")
    assert {name for name, _ in moves} == {"move"}
    assert [move for _, move in moves] == own.pop("moves")
    assert end["outcome"] == own["outcome"]
    assert len(end["survival"]) == len(moves) + 1
    assert game == {name: own[name] for name in game}


def test_a_board_full_of_mines_is_won_at_once(server):
    found = events(server.get("/watch?rows=2&cols=2&mines=4&start=any").body)
    assert [name for name, _ in found] == ["game", "end"]
    assert found[-1][1] == {"outcome": "won", "survival": [1.0]}


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/deal?level=nowhere", "no level 'nowhere'"),
        ("/deal?level=mini&rows=4", '"rows" does not go with "level"'),
        ("/deal?rows=4", '"cols" is missing'),
        ("/deal?rows=4&cols=4&mines=17", "holds 0 to 16 mines, not 17"),
        ("/deal?rows=4&cols=4&mines=16", "leaves 15 cells"),
        ("/deal?row=1", '"col" is missing'),
        ("/deal?row=9&col=0", "is not on a board"),
        ("/deal?seed=-1", '"seed" must be a whole number'),
        ("/deal?seed=²", '"seed" must be a whole number'),
        ("/deal?start=free", '"start" must be one of any, safe, zero'),
        ("/deal?player=exact", "no parameter 'player'"),
        ("/deal?level=mini&level=expert", "'level' is given twice"),
        ("/about?x=1", "no parameter 'x'"),
        ("/watch?player=nobody", '"player" must be one of linear'),
    ],
)
def test_what_is_wrong_with_a_query_is_said(server, path, sentence):
    reply = server.get(path.replace("²", "%C2%B2"))
    assert reply.status == 400
    assert sentence in reply.error


def test_a_replay_is_checked(server):
    replay = replays.record("strongest", Opening.of(LEVELS["mini"]), 6)
    data = replays.to_json(replay)
    for body in (json.dumps(data), gzip.compress(json.dumps(data).encode())):
        found = server.post("/replay/check", body).data
        assert found["problems"] == []
        assert found["replay"] == data
        assert found["survival"] == replay.survival
    wrong = data | {"seed": 7}
    assert (
        "the layout is not the one dealt" in server.post("/replay/check", wrong).data["problems"][0]
    )
    assert "not a replay" in server.post("/replay/check", '{"format": 1}').error
    bomb = gzip.compress(b" " * 2**24)
    assert "more than any game" in server.post("/replay/check", bomb).error


def test_a_replay_is_graded(server):
    replay = replays.record("random", Opening.of(LEVELS["mini"]), 6)
    found = server.post("/replay/grade", replays.to_json(replay)).data
    own = json.loads(json.dumps(grade_to_json(grade(replay), replay)))
    assert found == own | {"metrics": found["metrics"]}
    assert "expected COLSxROWSxMINES" in server.post("/replay/grade", "[]").error


def test_the_server_says_what_there_is(server):
    about = server.get("/about").data
    assert about["levels"]["expert"] == {"rows": 16, "cols": 30, "mines": 99}
    assert about["players"] == list(PLAYERS)
    assert about["reasons"]["lookahead"]["guess"] is True


@pytest.mark.parametrize(
    ("method", "path", "status", "sentence"),
    [
        ("GET", "/nothing", 404, "there is no '/nothing' here; /docs describes"),
        ("POST", "/analyze/", 404, "there is no '/analyze/' here"),
        ("GET", "/analyze", 405, "/analyze answers POST only, not GET"),
        ("PUT", "/about", 405, "/about answers GET, HEAD only, not PUT"),
    ],
)
def test_what_there_is_not_is_said(server, method, path, status, sentence):
    reply = server.ask(method, path)
    assert reply.status == status
    assert reply.error.startswith(sentence)
    if status == 405:
        assert all(f" {name}" in sentence for name in reply.headers["allow"].split(", "))


def test_a_form_is_no_position(server):
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    reply = server.ask("POST", "/analyze", "--x\r\n", form)
    assert (reply.status, reply.error.partition(":")[0]) == (415, "a form")


# Limits.


def test_too_much_is_refused_by_name(server):
    assert server.post("/analyze", b"x" * (2**20 + 1)).status == 413
    reply = server.post("/analyze", ["1x1x0\nH\n"] * 1025)
    assert (reply.status, reply.error) == (413, "1,025 positions in one request: 1,024 at most")
    wide = "129x128x1\n" + ("H" * 129 + "\n") * 128
    assert server.post("/analyze", wide).status == 413
    assert server.get("/deal?rows=129&cols=128&mines=1").status == 413
    assert server.get("/watch?rows=4096&cols=4096&mines=1").status == 413


def test_an_answer_is_bounded_too():
    """Large boards without open cells are short in some forms."""
    message = {"board": {"width": 64, "height": 64, "mines": 9}, "tiles": []}
    with running(Limits(answer=2**18), processes=2) as server:
        reply = server.post("/analyze", [message] * 99)
        assert reply.status == 413
        assert reply.error == "an answer of more than 262,144 bytes: send less at once"
        assert server.post("/analyze", message).status == 200


def test_a_body_of_unknown_length_is_bounded_too(server):
    with contextlib.closing(server.connect()) as connection:
        parts = (b"x" * 2**16 for _ in range(20))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", "/analyze", parts, encode_chunked=True)
        assert connection.getresponse().status == 413


def test_a_body_that_does_not_come_is_given_up():
    head = b"POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
    with (
        running(Limits(upload_seconds=0.2)) as server,
        contextlib.closing(socket.create_connection(("127.0.0.1", server.port))) as own,
    ):
        own.settimeout(PATIENCE)
        own.sendall(head + b"4x3")
        assert b" 408 " in own.recv(2**16)


def test_an_answer_that_takes_too_long_is_given_up_and_the_next_one_is_not():
    with running(Limits(seconds=0.0)) as server:
        reply = server.post("/analyze", STUCK)
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
    slow = "30x16x99\n" + ("H" * 30 + "\n") * 16
    with running(Limits(game_seconds=0.05)) as server:
        for _ in range(2):
            reply = server.get("/watch?level=expert&seed=5")
            # Given up before the first move, or within the game.
            assert reply.status == 503 or events(reply.body)[-1][0] in ("error", "end")
        assert server.post("/analyze", slow).status == 200


def test_too_many_requests_are_refused():
    with running(Limits(waiting=2)) as server:
        replies = []
        body = STUCK * 40

        def ask():
            replies.append(server.post("/analyze", body))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert {reply.status for reply in replies} == {200, 503}
        busy = next(reply for reply in replies if reply.status == 503)
        assert busy.error.startswith("too many requests")
        assert server.post("/analyze", CERTAIN).status == 200


def test_a_game_that_nobody_watches_any_more_is_dropped(server):
    for seed in range(6):
        with contextlib.closing(server.connect()) as connection:
            connection.request("GET", f"/watch?level=expert&seed={seed}")
            connection.getresponse().read(100)
    assert events(server.get("/watch?level=mini&seed=1").body)[-1][0] == "end"


# Who may ask.


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:1", 200),
        ("127.0.0.1", 200),
        ("[::1]:8270", 200),
        ("192.168.1.9:80", 200),
        ("mines.example", 200),
        ("MINES.example.:80", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:80", 421),
        ("", 421),
    ],
)
def test_only_known_hosts_are_served(server, host, status):
    assert server.get("/about", Host=host).status == status


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/about", {"Origin": "http://evil.example"}, 403),
        ("/about", {"Origin": "null"}, 403),
        ("/about", {"Origin": FRIEND}, 200),
        ("/about", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}, 403),
        ("/about", {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "cors"}, 403),
        ("/about", {"Sec_Fetch_Site": "same-origin"}, 200),
        ("/", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}, 200),
        ("/watch", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}, 403),
    ],
)
def test_pages_of_other_origins_are_refused(server, path, headers, status):
    reply = server.get(path, **headers)
    assert reply.status == status
    shared = reply.headers.get("access-control-allow-origin")
    assert shared == (FRIEND if headers.get("Origin") == FRIEND else None)


def test_its_own_page_may_ask(server):
    assert server.get("/about", Origin=server.url).status == 200


def test_a_browser_may_ask_first(server):
    asked = {"Access-Control-Request-Method": "POST"}
    reply = server.ask("OPTIONS", "/analyze", headers=asked | {"Origin": FRIEND})
    assert reply.status == 204
    assert "POST" in reply.headers["access-control-allow-methods"]
    assert server.ask("OPTIONS", "/analyze", headers=asked | {"Origin": "http://x"}).status == 403


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "//etc/passwd", "/%2e%2e/app.py", "/page/index.html", "/.env"]
)
def test_no_path_reaches_the_disk(server, path):
    assert server.get(path).status == 404


def test_answers_forbid_what_the_page_does_not_need(server):
    for path in ("/", "/about", "/nothing"):
        headers = server.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


# Any request.


def test_any_request_of_the_description_is_answered(server):
    schema = schemathesis.openapi.from_dict(server.get("/openapi.json").data)
    count = {
        "/analyze": 120,
        "/replay/check": 60,
        "/replay/grade": 30,
        "/deal": 60,
        "/analyze/cell": 40,
        "/boards": 25,
        "/convert": 60,
        "/replay/info": 40,
        "/about": 5,
        "/watch": 15,
    }
    tried = set()
    for result in schema.get_all_operations():
        operation: Any = result.ok()  # type: ignore[reportAttributeAccessIssue]
        tried.add(operation.path)

        @settings(max_examples=count[operation.path], deadline=None)
        @given(case=operation.as_strategy())
        def answers(case):
            reply = case.call(base_url=server.url, timeout=PATIENCE)
            assert reply.status_code < 500, reply.text

        answers()
    assert tried == set(count)


def test_damaged_bodies_are_answered(server):
    draw = random.Random(5)
    replay = json.dumps(replays.to_json(replays.record("random", Opening.of(LEVELS["mini"]), 6)))
    bodies = [("/analyze", b) for b in (CERTAIN, STUCK, to_json(read(STUCK)))]
    bodies.append(("/replay/check", replay))
    with contextlib.closing(server.connect()) as connection:
        for _ in range(300):
            path, text = draw.choice(bodies)
            data = bytearray(text.encode())
            for _ in range(draw.choice((1, 1, 2, 8))):
                place = draw.randrange(len(data))
                match draw.randrange(3):
                    case 0:
                        data[place] = draw.choice(b'0123456789HF{}[]",:x\n\x00\xff')
                    case 1:
                        del data[place : place + draw.randrange(1, 9)]
                    case 2:
                        data[place:place] = data[: draw.randrange(9)]
                data = data or bytearray(b"H")
            connection.request("POST", path, bytes(data))
            reply = connection.getresponse()
            assert reply.status in (200, 400, 413), (bytes(data), reply.read())
            reply.read()


# The command, and the page as files.


def test_the_page_is_exported_for_a_server(tmp_path, capsys):
    assert main(["--export", str(tmp_path / "site"), "--server", "https://mines.example/"]) == 0
    assert "for the server" in capsys.readouterr().out
    written = {path.name for path in (tmp_path / "site").iterdir()}
    assert written == {path.strip("/") or site.INDEX for path in site.load()}
    index = (tmp_path / "site" / site.INDEX).read_text("utf-8")
    assert '<meta name="server" content="https://mines.example">' in index
    assert "connect-src https://mines.example;" in index
    with pytest.raises(UserError, match="is not the address of a server"):
        main(["--export", str(tmp_path), "--server", "mines.example"])


def test_an_address_that_is_taken_is_refused_in_a_sentence():
    with contextlib.closing(listen("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        sentence = rf"cannot listen on 127\.0\.0\.1, port {port}: [\w ]+$"
        with pytest.raises(UserError, match=sentence):
            listen("127.0.0.1", port)
    with pytest.raises(UserError, match=r"cannot listen on 192\.0\.2\.1"):
        listen("192.0.2.1", 0)
