"""Writes replays to files, and turns them into plain data."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from jaxsweep.rules.board import Board, Cell, Mask
from jaxsweep.rules.level import Opening
from jaxsweep.runtime.files import write_atomically
from jaxsweep.single.replay.format import FORMAT, SCALE, VERSION, RecordedMove, Replay


def to_json(replay: Replay) -> dict[str, Any]:
    """Returns a replay as plain data, as described in `format`."""
    boards = zip(replay.moves, replay.boards(), strict=False)
    return {
        "format": FORMAT,
        "version": VERSION,
        **game_to_json(replay.opening, replay.seed, replay.game, replay.mines, replay.strategy),
        "moves": [move_to_json(move, before) for move, before in boards],
        "outcome": replay.outcome.name.lower(),
        "seconds": replay.seconds,
    }


def game_to_json(
    opening: Opening, seed: int | None, game: int | None, mines: Mask, strategy: str | None = None
) -> dict[str, Any]:
    """Returns the fields of a replay that are known before the first move.

    There is no `strategy` of a game that nobody has played yet.
    """
    level = opening.level
    return {
        "rows": level.rows,
        "cols": level.cols,
        "mines": level.mines,
        "start": opening.start.value,
        "first": list(opening.first),
        "seed": seed,
        "game": game,
        **({} if strategy is None else {"strategy": strategy}),
        "layout": ["".join(".*"[int(mine)] for mine in row) for row in mines],
    }


def move_to_json(move: RecordedMove, before: Board) -> dict[str, Any]:
    """Returns a move, made on the board `before`, as plain data."""
    cols = before.mines.shape[1]

    def flat(cells: tuple[Cell, ...]) -> list[int]:
        return [row * cols + col for row, col in cells]

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


def to_bytes(replay: Replay) -> bytes:
    """Returns the bytes of a replay's file, not compressed."""
    return (json.dumps(to_json(replay), separators=(",", ":")) + "\n").encode()


def save(replay: Replay, path: Path) -> None:
    """Writes a replay atomically, compressed if the name ends in `.gz`."""
    data = to_bytes(replay)
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_atomically(path, lambda part: part.write_bytes(data))
