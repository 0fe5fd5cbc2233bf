"""Real answers of the HTTP server are as `/openapi.json` describes them, on every path."""

import gzip
import json
import re
from typing import Any

import pytest

from tests.needs import packages

packages("jsonschema_rs", "starlette", "uvicorn", group="serving")

import jsonschema_rs

from jaxsweep.formats import writable, write
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.serving.limits import Limits
from jaxsweep.single import replay as replays
from tests.format_samples import evfs, made_up_game
from tests.serving import CERTAIN, STUCK, events, running

IMPOSSIBLE = "3x3x2\nH1H\n1H1\nH3H\n"
ENDING = "4x3x2\n1HHH\nHHHH\nHHHH\n"
FINISHED = "2x1x1\n1H\n"
TILES = {"board": {"width": 4, "height": 3, "mines": 2}, "tiles": [{"x": 0, "y": 0, "value": 0}]}
LINK = "https://davidnhill.github.io/JSMinesweeper/?analysis=aiagaaaiblXblSsVbnVdlVmblWlblV"

REPLAY = replays.to_json(replays.record("exact", Opening.of(LEVELS["mini"]), 6))
UNFINISHED = REPLAY | {"moves": REPLAY["moves"][:3], "outcome": "playing"}
GAME = made_up_game(0)
ORDER = {"level": "mini", "start": "zero", "seed": 3}

REQUESTS: list[tuple[str, str, Any]] = [
    *(("POST", "/analyze", body) for body in (CERTAIN, STUCK, ENDING, FINISHED, TILES, LINK)),
    ("POST", "/analyze", CERTAIN + STUCK),
    ("POST", "/analyze", [CERTAIN, IMPOSSIBLE, TILES, LINK]),
    ("POST", "/analyze", json.dumps(STUCK)),
    ("POST", "/analyze", IMPOSSIBLE),
    ("POST", "/analyze?move=1", gzip.compress(json.dumps(REPLAY).encode())),
    ("POST", "/analyze", b"x" * (2**20 + 1)),
    ("POST", "/analyze/cell?row=1&col=1", STUCK),
    ("POST", "/analyze/cell?row=0&col=3", CERTAIN),
    ("POST", "/analyze/cell?row=0&col=0", STUCK),
    ("POST", "/boards", ORDER | {"certificate": True}),
    ("POST", "/boards", ORDER | {"no_guess": False}),
    ("POST", "/boards", ORDER | {"max_rule": "magic"}),
    ("POST", "/boards", {"level": "beginner", "difficulty": [99, 100], "seed": 1}),
    *(("POST", f"/convert?to={name}", write("evf", GAME)) for name in writable()),
    ("POST", "/convert?to=evf", STUCK),
    *(("POST", "/replay/info", body) for body in (REPLAY, UNFINISHED, STUCK, LINK, CERTAIN * 2)),
    ("POST", "/replay/info", evfs([GAME, made_up_game(3)])),
    ("POST", "/replay/info", write("board", GAME)),
    *(("POST", "/replay/check", body) for body in (REPLAY, UNFINISHED, REPLAY | {"seed": 7})),
    ("POST", "/replay/check", write("evf", GAME)),
    *(("POST", "/replay/grade", body) for body in (REPLAY, UNFINISHED, write("evf", GAME))),
    ("POST", "/replay/grade", STUCK),
    ("GET", "/deal?level=expert", None),
    ("GET", "/deal?rows=1&cols=1&mines=0&start=any", None),
    ("GET", "/deal?rows=0", None),
    ("GET", "/watch?level=mini&seed=6", None),
    ("GET", "/watch?player=nobody", None),
    ("GET", "/about", None),
]


@pytest.fixture(scope="module")
def server():
    with running(Limits(board_seconds=1.0), processes=2) as address:
        yield address


@pytest.fixture(scope="module")
def description(server):
    return server.get("/openapi.json").data


def closed(schema: Any) -> Any:
    """A schema in which objects have no fields but those that are described."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: closed(part) for name, part in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


def check(data, schema, description):
    """Validates data by a schema of the description, which may refer to others."""
    whole = closed(schema | {"components": description["components"]})
    jsonschema_rs.Draft202012Validator(whole).validate(data)


def test_answers_are_as_described(server, description):
    answered = set()
    for method, path, body in REQUESTS:
        asked = server.get(path) if method == "GET" else server.post(path, body)
        name = path.partition("?")[0]
        operation = description["paths"][name][method.lower()]
        assert str(asked.status) in operation["responses"], (path, asked.status, asked.body[:200])
        content = operation["responses"][str(asked.status)]["content"]
        kind = asked.headers["content-type"].partition(";")[0]
        assert kind in content, (path, asked.status)
        answered.add((name, asked.status))
        if kind == "application/json":
            check(asked.data, content[kind]["schema"], description)
    assert {name for name, status in answered if status == 200} == set(description["paths"])


def test_events_are_as_described(server, description):
    """Of `/watch`, the description says in words which schemas the events have."""
    kinds = {"game": "WatchedGame", "move": "Move", "end": "WatchedEnd"}
    found = events(server.get("/watch?level=mini&seed=6").body)
    assert {name for name, _ in found} == set(kinds)
    for name, data in found:
        assert f"`{name}`" in description["paths"]["/watch"]["get"]["description"]
        check(data, {"$ref": f"#/components/schemas/{kinds[name]}"}, description)


def test_examples_of_the_description_are_answered(server, description):
    """What a reader would copy works."""
    tried = 0
    for name, schema in description["components"]["schemas"].items():
        for example in schema.get("examples", []):
            check(example, {"$ref": f"#/components/schemas/{name}"}, description)
            path = "/boards" if name == "Order" else "/analyze"
            assert server.post(path, example).status in (200, 422), name
            tried += 1
    assert tried >= 4


def test_the_description_can_be_read(server, description):
    """Every path, parameter, status and schema is on a page, whose links lead somewhere."""
    reply = server.get("/docs")
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    page = reply.body.decode()
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            assert f"<h2><code>{method.upper()} {path}</code></h2>" in page
            for field in operation.get("parameters", []):
                assert f"<code>{field['name']}</code>" in page
    for name in description["components"]["schemas"]:
        assert f'<h3 id="{name}">' in page
    anchors = set(re.findall(r'href="#(\w+)"', page))
    assert anchors == anchors & set(description["components"]["schemas"])
    # Nothing else is loaded than what is served, and nothing of a request is markup.
    for target in set(re.findall(r'(?:href|src)="([^"#]+)"', page)):
        assert server.get(f"/{target.removeprefix('./')}").status == 200
    assert f"curl {server.url}/about" in page
    assert "<b>" not in server.get("/docs", Host="127.0.0.1:<b>").body.decode()
