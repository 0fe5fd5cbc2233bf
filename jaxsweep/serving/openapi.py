"""The API in the OpenAPI form, for programs that make clients or tests of it."""

from jaxsweep.formats import READ, writable
from jaxsweep.rules.level import LEVELS, MAX_SIDE, Start
from jaxsweep.runtime.version import __version__
from jaxsweep.scalar.players import BEST, PLAYERS
from jaxsweep.serving.limits import Limits
from jaxsweep.serving.schemas import TEXT, WHOLE, Schema, ref, schemas

_ANY_FILE: Schema = {"type": "string", "format": "binary"}

_FILE_BODY: Schema = {
    "required": True,
    "description": f"What can be read: {READ}.",
    "content": {
        "application/json": {"schema": {"anyOf": [ref("Replay"), ref("Position")]}},
        "application/gzip": {"schema": _ANY_FILE},
        "application/octet-stream": {"schema": _ANY_FILE},
        "text/plain": {"schema": {"anyOf": [ref("PositionText"), ref("Link")]}},
    },
}


_ONE = ("Position", "PositionTiles")
"""What a position is in JSON."""

_WHICH: list[Schema] = [
    {
        "name": "game",
        "in": "query",
        "schema": {"type": "integer", "minimum": 1, "maximum": 2**32 - 1},
        "description": "which of the games in the file; not needed if there is one",
    },
    {
        "name": "move",
        "in": "query",
        "schema": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
        "description": "to a position: what was seen after so many moves",
    },
]


def description(limits: Limits) -> Schema:
    """Returns the whole description."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "jaxsweep",
            "version": __version__,
            "description": "Exact Minesweeper inference, players, and games of seeds.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {
            "/analyze": {"post": _analyze(limits)},
            "/deal": {"get": _deal(limits)},
            "/watch": {"get": _watch(limits)},
            "/analyze/cell": {"post": _numbers()},
            "/boards": {"post": _boards(limits)},
            "/convert": {"post": _convert()},
            "/replay/check": {"post": _check()},
            "/replay/grade": {"post": _grade()},
            "/replay/info": {"post": _info()},
            "/about": {"get": _about()},
        },
        "components": {"schemas": schemas()},
    }


def _answers(good: Schema, kind: str = "application/json", body: bool = False) -> Schema:
    """Returns the answers of a path, with those that say what is wrong."""
    refused = {
        "400": "Bad input, in a sentence that names what and where.",
        "403": "A page of another origin asks.",
        "413": "The body, a board, the number of positions or the answer is over its limit.",
        "421": "A host name that the server does not know.",
        "503": "Too many requests at once, or an answer that took too long.",
    }
    if body:
        refused["408"] = "The body did not arrive in time."
        refused["415"] = "The body is a form."
    errors = {
        status: {"description": text, "content": {"application/json": {"schema": ref("Error")}}}
        for status, text in sorted(refused.items())
    }
    return {"200": {"description": "The answer.", "content": {kind: {"schema": good}}}} | errors


def _analyze(limits: Limits) -> Schema:
    most = limits.positions
    array = {
        "type": "array",
        "minItems": 1,
        "maxItems": most,
        "items": {"anyOf": [ref(name) for name in (*_ONE, "PositionText", "Link")]},
    }
    one_of_several = {"anyOf": [ref("Analysis"), ref("Error")]}
    return {
        "operationId": "analyze",
        "summary": "Odds, certain cells, layouts, candidates and the best move of positions.",
        "description": "One position is answered by an object, several or an array by an array. "
        "Of several, one that is impossible is answered by what is wrong with it. "
        f"At most {most} positions, {limits.cells} cells each, {limits.body} bytes. Of files and "
        "links of games, the position before the last move is analysed, or after `move` moves.",
        "parameters": _WHICH,
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"anyOf": [*map(ref, _ONE), ref("PositionText"), array]}
                },
                "text/plain": {"schema": {"anyOf": [ref("PositionText"), ref("Link")]}},
                "application/octet-stream": {"schema": _ANY_FILE},
            },
        },
        "responses": _answers(
            {"anyOf": [ref("Analysis"), {"type": "array", "items": one_of_several}]}, body=True
        ),
    }


def _numbers() -> Schema:
    row = {"name": "row", "in": "query", "required": True, "schema": WHOLE}
    return {
        "operationId": "numbersOfCell",
        "summary": "What a hidden cell of a position would show: the chance of each number.",
        "parameters": [row, row | {"name": "col"}],
        "requestBody": _FILE_BODY,
        "responses": _answers(ref("CellNumbers"), body=True),
    }


def _boards(limits: Limits) -> Schema:
    answers = _answers(ref("Board"), body=True)
    rare = f"No such board was found within {limits.board_seconds:g} s; says how rare they are."
    return {
        "operationId": "makeBoard",
        "summary": "A board to order: without a guess, up to a rule, of some difficulty or 3BV.",
        "description": "The first board of the seed that is as asked for, as `boards --json`.",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": ref("Order")}},
        },
        "responses": answers | {"422": answers["400"] | {"description": rare}},
    }


def _convert() -> Schema:
    to = {"type": "string", "enum": list(writable())}
    answers = _answers(ref("Replay"), body=True)
    answers["200"] = {
        "description": "The file: text, JSON or bytes.",
        "content": {
            "text/plain": {"schema": TEXT},
            "application/json": {"schema": {"type": "object"}},
            "application/octet-stream": {"schema": _ANY_FILE},
        },
    }
    return {
        "operationId": "convert",
        "summary": "A game, a board or a position in another program's format.",
        "parameters": [{"name": "to", "in": "query", "required": True, "schema": to}, *_WHICH],
        "requestBody": _FILE_BODY,
        "responses": answers,
    }


def _info() -> Schema:
    return {
        "operationId": "replayInfo",
        "summary": "What a file or a link holds: board, clicks, 3BV, ZiNi, luck.",
        "requestBody": _FILE_BODY,
        "responses": _answers({"type": "array", "items": ref("FileFacts")}, body=True),
    }


def _deal(limits: Limits) -> Schema:
    return {
        "operationId": "deal",
        "summary": "The mines of a game of a seed: the same as in all of jaxsweep.",
        "parameters": _game_parameters(limits),
        "responses": _answers(ref("Game")),
    }


def _watch(limits: Limits) -> Schema:
    player = {"type": "string", "enum": list(PLAYERS), "default": BEST}
    return {
        "operationId": "watch",
        "summary": "A player plays a game, move by move.",
        "description": "Server-sent events, whose data are JSON: `game` (WatchedGame), a `move` "
        "(Move) for each, and `end` (WatchedEnd), or `error` (Error).",
        "parameters": [
            *_game_parameters(limits),
            {"name": "player", "in": "query", "schema": player},
        ],
        "responses": _answers(TEXT, "text/event-stream"),
    }


def _check() -> Schema:
    return {
        "operationId": "checkReplay",
        "summary": "Compares a replay with the rules, its seed and the exact odds.",
        "parameters": _WHICH[:1],
        "requestBody": _FILE_BODY,
        "responses": _answers(ref("CheckedReplay"), body=True),
    }


def _grade() -> Schema:
    return {
        "operationId": "gradeReplay",
        "summary": "What each move of a replay risked and lost, and what luck gave.",
        "parameters": _WHICH[:1],
        "requestBody": _FILE_BODY,
        "responses": _answers(ref("GradedGame"), body=True),
    }


def _about() -> Schema:
    answers = _answers(ref("About"))
    return {
        "operationId": "about",
        "summary": "Levels, start rules, players, limits, and the words of reasons.",
        "responses": {status: answers[status] for status in ("200", "403", "421")},
    }


def _game_parameters(limits: Limits) -> list[Schema]:
    seed = {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}
    side = {"type": "integer", "minimum": 1, "maximum": MAX_SIDE}
    fields = {
        "level": {"type": "string", "enum": list(LEVELS)},
        "rows": side,
        "cols": side,
        "mines": {"type": "integer", "minimum": 0, "maximum": limits.cells},
        "start": {"type": "string", "enum": [rule.value for rule in Start], "default": "safe"},
        "row": {"type": "integer", "minimum": 0, "maximum": MAX_SIDE},
        "col": {"type": "integer", "minimum": 0, "maximum": MAX_SIDE},
        "seed": seed,
        "game": seed | {"default": 0},
    }
    texts = {
        "level": "a named level; or rows, cols and mines",
        "start": "what the first cell is guaranteed to be",
        "row": "the first cell's row, from 0 at the top; its usual place without",
        "col": "the first cell's column, from 0 at the left",
        "seed": "the same seed gives the same game; a random one without",
        "game": "the number of the game among those of the seed",
    }
    return [
        {"name": name, "in": "query", "schema": schema}
        | ({"description": texts[name]} if name in texts else {})
        for name, schema in fields.items()
    ]
