"""Writes replays to files, and turns them into plain data."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from jaxsweep.rules.board import Board, Cell
from jaxsweep.runtime.files import write_atomically
from jaxsweep.single.replay.format import FORMAT, SCALE, VERSION, RecordedMove, Replay


def to_json(replay: Replay) -> dict[str, Any]:
    """Returns a replay as plain data, as described in `format`."""
    level = replay.opening.level

    def flat(cells: tuple[Cell, ...]) -> list[int]:
        return [row * level.cols + col for row, col in cells]

    def move_to_json(move: RecordedMove, before: Board) -> dict[str, Any]:
        data: dict[str, Any] = {"cells": flat(move.cells)}
        if move.flags:
            data["flags"] = flat(move.flags)
        if move.chord is not None:
            data["chord"] = flat((move.chord,))[0]
        data["opened"] = flat(move.opened)
        data["reason"] = move.reason.name.lower()
        data["risk"] = None if move.risk is None else round(move.risk, 6)
        if move.seconds is not None:
            data["seconds"] = move.seconds
        if move.odds is not None:
            data["odds"] = np.rint(move.odds[~before.opened] * SCALE).astype(int).tolist()
        return data

    return {
        "format": FORMAT,
        "version": VERSION,
        "rows": level.rows,
        "cols": level.cols,
        "mines": level.mines,
        "start": replay.opening.start.value,
        "first": list(replay.opening.first),
        "seed": replay.seed,
        "game": replay.game,
        "strategy": replay.strategy,
        "layout": ["".join(".*"[int(mine)] for mine in row) for row in replay.mines],
        "moves": [
            move_to_json(move, before)
            for move, before in zip(replay.moves, replay.boards(), strict=False)
        ],
        "outcome": replay.outcome.name.lower(),
        "seconds": replay.seconds,
    }


def to_bytes(replay: Replay) -> bytes:
    """Returns the bytes of a replay's file, not compressed."""
    return (json.dumps(to_json(replay), separators=(",", ":")) + "\n").encode()


def save(replay: Replay, path: Path) -> None:
    """Writes a replay atomically, compressed if the name ends in `.gz`."""
    data = to_bytes(replay)
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_atomically(path, lambda part: part.write_bytes(data))
