"""The API in the OpenAPI form, for programs that make clients or tests of it."""

from typing import Any

from jaxsweep.rules.level import LEVELS, MAX_SIDE, Start
from jaxsweep.runtime.version import __version__
from jaxsweep.scalar.players import BEST, PLAYERS
from jaxsweep.serving.limits import Limits

Schema = dict[str, Any]

_WHOLE = {"type": "integer", "minimum": 0}
_NUMBER = {"type": "number"}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_TEXT = {"type": "string"}
_CELLS = {
    "type": "array",
    "items": {"type": "array", "items": _WHOLE, "minItems": 2, "maxItems": 2},
    "description": "rows and columns from 0, top left",
}

_REPLAY_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/Replay"}},
        "application/gzip": {"schema": {"type": "string", "format": "binary"}},
    },
}


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
            "/replay/check": {"post": _check()},
            "/replay/grade": {"post": _grade()},
            "/about": {"get": _about()},
        },
        "components": {"schemas": _schemas(limits)},
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _grid(schema: Schema) -> Schema:
    return {"type": "array", "items": {"type": "array", "items": schema}}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "required": list(required),
        "properties": required | (optional or {}),
    }


def _answers(good: Schema, kind: str = "application/json", body: bool = False) -> Schema:
    """Returns the answers of a path, with those that say what is wrong."""
    refused = {
        "400": "Bad input, in a sentence that names what and where.",
        "403": "A page of another origin asks.",
        "413": "The body, a board or the number of positions is over its limit.",
        "421": "A host name that the server does not know.",
        "503": "Too many requests at once, or an answer that took too long.",
    }
    if body:
        refused["408"] = "The body did not arrive in time."
    errors = {
        status: {"description": text, "content": {"application/json": {"schema": _ref("Error")}}}
        for status, text in sorted(refused.items())
    }
    return {"200": {"description": "The answer.", "content": {kind: {"schema": good}}}} | errors


def _analyze(limits: Limits) -> Schema:
    most = limits.positions
    array = {
        "type": "array",
        "minItems": 1,
        "maxItems": most,
        "items": {"anyOf": [_ref("Position"), _ref("PositionText"), _ref("PositionTiles")]},
    }
    return {
        "operationId": "analyze",
        "summary": "Odds, certain cells, layouts, candidates and the best move of positions.",
        "description": "One position is answered by an object, several or an array by an array. "
        f"At most {most} positions, {limits.cells} cells each, {limits.body} bytes.",
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"anyOf": [_ref("Position"), _ref("PositionTiles"), array]}
                },
                "text/plain": {"schema": _ref("PositionText")},
            },
        },
        "responses": _answers(
            {"anyOf": [_ref("Analysis"), {"type": "array", "items": _ref("Analysis")}]}, body=True
        ),
    }


def _deal(limits: Limits) -> Schema:
    return {
        "operationId": "deal",
        "summary": "The mines of a game of a seed: the same as in all of jaxsweep.",
        "parameters": _game_parameters(limits),
        "responses": _answers(_ref("Game")),
    }


def _watch(limits: Limits) -> Schema:
    player = {"type": "string", "enum": list(PLAYERS), "default": BEST}
    return {
        "operationId": "watch",
        "summary": "A player plays a game, move by move.",
        "description": "Server-sent events: `game` as from /deal with the player as `strategy`, a "
        "`move` as in replays for each, `end` with the outcome, or `error` with a sentence.",
        "parameters": [
            *_game_parameters(limits),
            {"name": "player", "in": "query", "schema": player},
        ],
        "responses": _answers(_TEXT, "text/event-stream"),
    }


def _check() -> Schema:
    return {
        "operationId": "checkReplay",
        "summary": "Compares a replay with the rules, its seed and the exact odds.",
        "requestBody": _REPLAY_BODY,
        "responses": _answers(_ref("CheckedReplay"), body=True),
    }


def _grade() -> Schema:
    return {
        "operationId": "gradeReplay",
        "summary": "What each move of a replay risked and lost, and what luck gave.",
        "requestBody": _REPLAY_BODY,
        "responses": _answers({"type": "object"}, body=True),
    }


def _about() -> Schema:
    answers = _answers(_ref("About"))
    return {
        "operationId": "about",
        "summary": "Levels, start rules, players, limits, and the words of reasons.",
        "responses": {status: answers[status] for status in ("200", "403", "421")},
    }


def _game_parameters(limits: Limits) -> list[Schema]:
    seed = {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}
    side = {"type": "integer", "minimum": 1, "maximum": MAX_SIDE}
    schemas = {
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
        for name, schema in schemas.items()
    ]


def _schemas(limits: Limits) -> Schema:
    side = {"type": "integer", "minimum": 1, "maximum": MAX_SIDE}
    rows = {"type": "array", "items": _TEXT}
    game = {
        "rows": side,
        "cols": side,
        "mines": _WHOLE,
        "start": _TEXT,
        "first": {"type": "array", "items": _WHOLE, "minItems": 2, "maxItems": 2},
        "seed": _nullable(_WHOLE),
        "game": _nullable(_WHOLE),
        "layout": rows | {"description": "one string a row: * a mine, . none"},
    }
    move = _object(
        {
            "cells": {"type": "array", "items": _WHOLE},
            "opened": {"type": "array", "items": _WHOLE},
            "reason": _TEXT,
            "risk": _nullable(_SHARE),
        },
        {
            "flags": {"type": "array", "items": _WHOLE},
            "chord": _nullable(_WHOLE),
            "seconds": _nullable(_NUMBER),
            "odds": {"type": "array", "items": {"type": "integer", "maximum": 10000}},
        },
    )
    replay = game | {
        "format": {"const": "jaxsweep-replay"},
        "version": {"const": 1},
        "strategy": _TEXT,
        "moves": {"type": "array", "items": _ref("Move")},
        "outcome": {"enum": ["won", "lost", "playing"]},
        "seconds": _nullable(_NUMBER),
    }
    return {
        "Error": _object({"error": _TEXT}),
        "Position": _object(
            {
                "rows": side,
                "cols": side,
                "mines": _WHOLE,
                "board": rows | {"description": "a string a row: H hidden, F flag, 0 to 8 open"},
            }
        )
        | {"examples": [{"rows": 3, "cols": 4, "mines": 2, "board": ["01HH", "01HH", "011H"]}]},
        "PositionTiles": _object(
            {
                "board": _object({"width": side, "height": side, "mines": _WHOLE}),
                "tiles": {
                    "type": "array",
                    "items": _object({"x": _WHOLE, "y": _WHOLE, "value": _WHOLE}),
                },
            }
        )
        | {"description": "a message of mspe.node: the cells that are open"},
        "PositionText": _TEXT
        | {
            "description": "a line COLSxROWSxMINES, then a line a row; several may follow",
            "examples": ["4x3x2\n01HH\n01HH\n011H\n"],
        },
        "Candidate": _candidate(),
        "Best": _object(
            {"row": _WHOLE, "col": _WHOLE, "mine_probability": _nullable(_SHARE), "reason": _TEXT},
            {
                "candidates": {"type": "array", "items": _ref("Candidate")},
                "win_is_exact": {"type": "boolean"},
            },
        ),
        "Analysis": _analysis(side),
        "Game": _object(game),
        "Move": move,
        "Replay": _object(replay),
        "CheckedReplay": _object(
            {
                "moves": _WHOLE,
                "outcome": _TEXT,
                "problems": {"type": "array", "items": _TEXT},
                "survival": {"type": "array", "items": _nullable(_SHARE)},
                "replay": _ref("Replay"),
            }
        ),
        "About": _object(
            {
                "version": _TEXT,
                "levels": {"type": "object"},
                "starts": {"type": "array", "items": _TEXT},
                "players": {"type": "array", "items": _TEXT},
                "best": _TEXT,
                "reasons": {"type": "object"},
                "limits": {"type": "object"},
            }
        ),
    }


def _candidate() -> Schema:
    return _object(
        {
            "row": _WHOLE,
            "col": _WHOLE,
            "mine_probability": _SHARE,
            "progress": _nullable(_SHARE),
            "win": _SHARE,
        }
    )


def _analysis(side: Schema) -> Schema:
    return _object(
        {
            "rows": side,
            "cols": side,
            "mines": _WHOLE,
            "status": _TEXT,
            "log10_layouts": _nullable(_NUMBER),
            "layouts": _nullable(_TEXT | {"description": "a whole number of any length"}),
            "mine_probability": _grid(_nullable(_SHARE)),
            "safe": _CELLS,
            "certain_mines": _CELLS,
            "best": _nullable(_ref("Best")),
        },
        {
            "error": _grid(_nullable(_NUMBER)),
            "effective_samples": _grid(_nullable(_NUMBER)),
        },
    )
