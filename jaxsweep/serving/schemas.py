"""The parts of the OpenAPI description that several paths share: the schemas of what is sent."""

from typing import Any

from jaxsweep.puzzles.certificate import Tier
from jaxsweep.rules.level import LEVELS, MAX_SIDE, Start
from jaxsweep.serving.orders import DIFFICULTIES, REPAIRS

Schema = dict[str, Any]

WHOLE = {"type": "integer", "minimum": 0}
NUMBER = {"type": "number"}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
TEXT = {"type": "string"}
CELL = {"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2}
OUTCOME = {"enum": ["won", "lost", "playing"]}
CELLS = {"type": "array", "items": CELL, "description": "rows and columns from 0, top left"}


def ref(name: str) -> Schema:
    """Returns a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def nullable(schema: Schema) -> Schema:
    """Returns the schema of what may be null as well."""
    return {"anyOf": [schema, {"type": "null"}]}


def grid(schema: Schema) -> Schema:
    """Returns the schema of an array of rows."""
    return {"type": "array", "items": {"type": "array", "items": schema}}


def object_of(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Returns the schema of an object with fields by name."""
    return {
        "type": "object",
        "required": list(required),
        "properties": required | (optional or {}),
    }


def schemas() -> Schema:
    """Returns all components by name."""
    side = {"type": "integer", "minimum": 1, "maximum": MAX_SIDE}
    rows = {"type": "array", "items": TEXT}
    game = {
        "rows": side,
        "cols": side,
        "mines": WHOLE,
        "start": TEXT,
        "first": CELL,
        "seed": nullable(WHOLE),
        "game": nullable(WHOLE),
        "layout": rows | {"description": "one string a row: * a mine, . none"},
    }
    move = object_of(
        {
            "cells": {"type": "array", "items": WHOLE},
            "opened": {"type": "array", "items": WHOLE},
            "reason": TEXT,
            "risk": nullable(SHARE),
        },
        {
            "flags": {"type": "array", "items": WHOLE},
            "chord": nullable(WHOLE),
            "seconds": nullable(NUMBER),
            "odds": {"type": "array", "items": {"type": "integer", "maximum": 10000}},
        },
    )
    replay = game | {
        "format": {"const": "jaxsweep-replay"},
        "version": {"const": 1},
        "strategy": TEXT,
        "moves": {"type": "array", "items": ref("Move")},
        "outcome": OUTCOME,
        "seconds": nullable(NUMBER),
    }
    survival = {"type": "array", "items": nullable(SHARE)}
    survival |= {"description": "the chance to have survived, before the first move and after each"}
    return {
        "Error": object_of({"error": TEXT}),
        "Position": object_of(
            {
                "rows": side,
                "cols": side,
                "mines": WHOLE,
                "board": rows | {"description": "a string a row: H hidden, F flag, 0 to 8 open"},
            }
        )
        | {"examples": [{"rows": 3, "cols": 4, "mines": 2, "board": ["01HH", "01HH", "011H"]}]},
        "PositionTiles": object_of(
            {
                "board": object_of({"width": side, "height": side, "mines": WHOLE}),
                "tiles": {
                    "type": "array",
                    "items": object_of({"x": WHOLE, "y": WHOLE, "value": WHOLE}),
                },
            }
        )
        | {"description": "a message of mspe.node: the cells that are open"},
        "PositionText": TEXT
        | {
            "description": "a line COLSxROWSxMINES, then a line a row; several may follow",
            "examples": ["4x3x2\n01HH\n01HH\n011H\n"],
        },
        "Link": TEXT
        | {
            "description": "a link of JSMinesweeper, llamasweeper or PTTACGfans",
            "examples": ["https://davidnhill.github.io/JSMinesweeper/?analysis=aeadaaacblTblTbmS"],
        },
        "Order": _order(side),
        "Candidate": _candidate(),
        "Best": object_of(
            {"row": WHOLE, "col": WHOLE, "mine_probability": nullable(SHARE), "reason": TEXT},
            {
                "candidates": {"type": "array", "items": ref("Candidate")},
                "win_is_exact": {"type": "boolean"},
            },
        ),
        "Analysis": _analysis(side),
        "Game": object_of(game),
        "WatchedGame": object_of(game | {"strategy": TEXT | {"description": "the player"}}),
        "WatchedEnd": object_of({"outcome": OUTCOME, "survival": survival}),
        "Move": move,
        "Replay": object_of(replay),
        "CheckedReplay": object_of(
            {
                "moves": WHOLE,
                "outcome": OUTCOME,
                "problems": {"type": "array", "items": TEXT},
                "survival": survival,
                "replay": ref("Replay"),
            }
        ),
        "CellNumbers": object_of(
            {
                "row": WHOLE,
                "col": WHOLE,
                "mine_probability": nullable(SHARE),
                "numbers": nullable(
                    {"type": "array", "items": SHARE, "minItems": 9, "maxItems": 9}
                    | {"description": "the probability to show 0, 1, … 8; null if beyond counting"}
                ),
            }
        ),
        "GradedGame": _graded(side),
        "FileFacts": _facts(side),
        "Board": _board(side),
        "About": object_of(
            {
                "version": TEXT,
                "levels": {"type": "object"},
                "starts": {"type": "array", "items": TEXT},
                "players": {"type": "array", "items": TEXT},
                "best": TEXT,
                "reasons": {"type": "object"},
                "rules": {"type": "array", "items": TEXT},
                "difficulties": {"type": "array", "items": TEXT},
                "formats": {"type": "object"},
                "limits": {"type": "object"},
            }
        ),
    }


def _candidate() -> Schema:
    return object_of(
        {
            "row": WHOLE,
            "col": WHOLE,
            "mine_probability": SHARE,
            "progress": nullable(SHARE),
            "win": SHARE,
        }
    )


def _analysis(side: Schema) -> Schema:
    return object_of(
        {
            "rows": side,
            "cols": side,
            "mines": WHOLE,
            "status": TEXT,
            "log10_layouts": nullable(NUMBER),
            "layouts": nullable(TEXT | {"description": "a whole number of any length"}),
            "mine_probability": grid(nullable(SHARE)),
            "safe": CELLS,
            "certain_mines": CELLS,
            "best": nullable(ref("Best")),
        },
        {
            "error": grid(nullable(NUMBER)),
            "effective_samples": grid(nullable(NUMBER)),
        },
    )


def _order(side: Schema) -> Schema:
    end = nullable({"type": "number", "minimum": 0})
    limits = {"type": "array", "items": end, "minItems": 2, "maxItems": 2}
    both = "the least and the largest; null is no limit"
    word = {"enum": list(DIFFICULTIES)}
    return object_of(
        {},
        {
            "level": {"enum": list(LEVELS)},
            "rows": side,
            "cols": side,
            "mines": WHOLE,
            "start": {"enum": [rule.value for rule in Start]},
            "row": WHOLE,
            "col": WHOLE,
            "seed": WHOLE | {"maximum": 2**32 - 1},
            "no_guess": {"type": "boolean", "default": True},
            "max_rule": {"enum": [tier.word for tier in Tier], "default": Tier.EXACT.word},
            "difficulty": {"anyOf": [word, limits], "description": both},
            "bbbv": limits | {"description": both},
            "repair": {"enum": list(REPAIRS), "default": REPAIRS[0]},
            "certificate": {"type": "boolean", "default": False},
        },
    ) | {"additionalProperties": False, "examples": [{"level": "expert", "start": "zero"}]}


def _graded(side: Schema) -> Schema:
    move = object_of(
        {
            "index": WHOLE | {"description": "the number of the move in its replay, from 1"},
            "cells": CELLS,
            "chord": nullable(CELL),
            "kind": {"enum": ["first", "certain", "forced", "needless"]},
            "forced": {"type": "boolean"},
            "needless": {"type": "boolean"},
            "risk": nullable(SHARE),
            "least_risk": nullable(SHARE),
            "win_before": SHARE,
            "win_after": SHARE,
            "loss": NUMBER,
            "luck": NUMBER,
            "exact": {"type": "boolean"},
            "best_cell": nullable(CELL),
            "matters": {"type": "boolean"},
            "text": TEXT | {"description": "what the move did, in a sentence"},
        }
    )
    return object_of(
        {
            "player": TEXT,
            "rows": side,
            "cols": side,
            "mines": WHOLE,
            "start": TEXT,
            "seed": nullable(WHOLE),
            "game": nullable(WHOLE),
            "outcome": OUTCOME,
            "win_before": SHARE,
            "win_after": SHARE,
            "loss": NUMBER,
            "luck": NUMBER,
            "accuracy": SHARE,
            "forced_guesses": WHOLE,
            "needless_guesses": WHOLE,
            "turning_points": {"type": "array", "items": WHOLE},
            "totals": {"type": "array", "items": TEXT},
            "moves": {"type": "array", "items": move},
            "metrics": {"type": "object"},
        }
    )


def _facts(side: Schema) -> Schema:
    whole = {name: nullable(WHOLE) for name in ("bbbv", "openings", "islands", "zini", "hzini")}
    clicks = {name: nullable(WHOLE) for name in ("left", "right", "chords", "flags")}
    return object_of(
        {
            "format": TEXT,
            "rows": side,
            "cols": side,
            "mines": WHOLE,
            "mine_cells": nullable(CELLS),
            **whole,
            "seconds": nullable(NUMBER),
            "won": nullable({"type": "boolean"}),
            **clicks,
            "pluck": nullable(NUMBER | {"description": "-log10 of the chance to survive"}),
        }
    )


def _board(side: Schema) -> Schema:
    step = {"type": "object", "description": "one deduction of the certificate"}
    return object_of(
        {
            "rows": side,
            "cols": side,
            "mine_cells": CELLS,
            "start": TEXT,
            "first": CELL,
            "bbbv": WHOLE,
            "difficulty": nullable(NUMBER),
            "difficulty_parts": nullable({"type": "object"}),
            "hardest_rule": nullable(TEXT),
            "certificate": nullable({"type": "array", "items": step}),
            "seed": WHOLE,
            "game": WHOLE,
            "repaired": {"type": "boolean"},
            "wishes": TEXT,
        }
    )
