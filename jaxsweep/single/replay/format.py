"""The record of one game, move by move: how it is made, written, read and checked.

A replay is one JSON object, compressed if its file is named `.gz`:

    format, version   "jaxsweep-replay", 1
    rows, cols, mines, start, first, seed, game, strategy
    layout            one string a row: * a mine, . none
    moves             one object a move:
      cells           the cells the player opened; none where it only flagged
      flags           cells whose flag changed with it, if any
      opened          all cells that opened, by themselves too
      reason, risk    why, and the chance of a mine; null where it was not known
      odds            before a guess: of each covered cell in reading order, 10,000ths;
                      0 and 10,000 are certain
    outcome           "won", "lost" or "playing"
    seconds           a person's time, or null

Cells are numbers, row · cols + col. Reading a replay plays it over: what it says that moves opened
must be what they open.
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from jaxsweep.rules.board import Board, Cell, Mask, mask_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import Level, LevelError, Opening, Start
from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.files import write_atomically
from jaxsweep.strategies import Reason

FORMAT, VERSION = "jaxsweep-replay", 1

HUMAN = "human"
"""The strategy of a person's game."""

MAX_CELLS = 2**20
"""The largest board that is read: a file must not exhaust memory by one number."""

MAX_BYTES = 2**28
"""The most that a compressed file may hold."""

SCALE = 10_000

_NAME = re.compile(r"(?!\.)[\w .+-]{1,100}")
"""A name from a file goes into titles and file names: nothing in it may steer either."""


class ReplayError(UserError):
    """A file that is no replay, or one that contradicts itself; says what and where."""


@dataclass(frozen=True, eq=False)
class RecordedMove:
    """One move: flags changed, cells opened on purpose, and all that opened."""

    cells: tuple[Cell, ...]
    flags: tuple[Cell, ...]
    opened: tuple[Cell, ...]
    reason: Reason
    risk: float | None
    odds: Float[np.ndarray, "rows cols"] | None = None
    """Before a guess: the chance of a mine in covered cells, 0 elsewhere."""


@dataclass(frozen=True, eq=False)
class Replay:
    """A game from the first cell to the last."""

    opening: Opening
    seed: int
    game: int
    strategy: str
    mines: Mask
    moves: tuple[RecordedMove, ...]
    outcome: GameStatus
    seconds: float | None = None

    def boards(self) -> list[Board]:
        """The board before the first move, and after each."""
        boards = [Board.all_hidden(self.mines)]
        for move in self.moves:
            boards.append(played(boards[-1], move.flags, move.cells))
        return boards

    @property
    def survival(self) -> list[float | None]:
        """The probability to have survived so far: see `survival`."""
        return survival(self.moves)


def survival(moves: Iterable[RecordedMove]) -> list[float | None]:
    """Returns the probability to have survived, before the first move and after each.

    It is None from the first move on that opened cells at an unknown risk.
    """
    probabilities: list[float | None] = [1.0]
    for move in moves:
        before, risk = probabilities[-1], move.risk if move.cells else 0.0
        after = None if before is None or risk is None else before * (1.0 - risk)
        probabilities.append(after)
    return probabilities


def played(board: Board, flags: tuple[Cell, ...], cells: tuple[Cell, ...]) -> Board:
    """The board after one move."""
    return board.flag(mask_of(flags, board.mines)).open(mask_of(cells, board.mines))


def to_json(replay: Replay) -> dict[str, Any]:
    """A replay as plain data."""
    level = replay.opening.level

    def flat(cells: tuple[Cell, ...]) -> list[int]:
        return [row * level.cols + col for row, col in cells]

    def describe(move: RecordedMove, before: Board) -> dict[str, Any]:
        told: dict[str, Any] = {"cells": flat(move.cells)}
        if move.flags:
            told["flags"] = flat(move.flags)
        told["opened"] = flat(move.opened)
        told["reason"] = move.reason.name.lower()
        told["risk"] = None if move.risk is None else round(move.risk, 6)
        if move.odds is not None:
            told["odds"] = np.rint(move.odds[~before.opened] * SCALE).astype(int).tolist()
        return told

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
            describe(move, before)
            for move, before in zip(replay.moves, replay.boards(), strict=False)
        ],
        "outcome": replay.outcome.name.lower(),
        "seconds": replay.seconds,
    }


def save(replay: Replay, path: Path) -> None:
    """Writes a replay, whole or not at all; compressed if the name ends in `.gz`."""
    data = (json.dumps(to_json(replay), separators=(",", ":")) + "\n").encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_atomically(path, lambda part: part.write_bytes(data))


def load(path: Path) -> Replay:
    """Reads a replay and plays it over; raises `ReplayError` for anything that is not one."""
    data = path.read_bytes()
    try:
        return from_bytes(data)
    except ReplayError as error:
        raise ReplayError(f"{path.name}: {error}") from None


def from_bytes(data: bytes) -> Replay:
    """As `load`, from what a file holds."""
    if data[:2] == b"\x1f\x8b":
        data = _decompress(data)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ReplayError(f"not a replay: byte {error.start} is not text") from None
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        cut = " (the file may be cut off)" if error.pos >= len(text.rstrip()) - 1 else ""
        raise ReplayError(f"not a replay: {where}: {error.msg}{cut}") from None
    except (RecursionError, ValueError):
        raise ReplayError("not a replay: nested too deep or a number too long") from None
    return _Reader(fields).replay()


def _decompress(data: bytes) -> bytes:
    unzip = zlib.decompressobj(wbits=31)
    try:
        text = unzip.decompress(data, MAX_BYTES)
    except zlib.error:
        raise ReplayError("not a replay: the compressed data is damaged") from None
    if unzip.unconsumed_tail:
        raise ReplayError("not a replay: the compressed data holds more than any game")
    if not unzip.eof:
        raise ReplayError("the compressed data is cut off")
    return text


class _Reader:
    """Checks plain data field by field, and move by move."""

    def __init__(self, fields: Any):
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise ReplayError(f'not a replay: expected an object with "format": "{FORMAT}"')
        if fields.get("version") != VERSION:
            told = json.dumps(fields.get("version"))[:40]
            raise ReplayError(f"version {told} of a replay; this program reads {VERSION}")
        self.fields = fields

    def replay(self) -> Replay:
        opening = self._opening()
        level = opening.level
        mines = self._layout(level)
        strategy = self.fields.get("strategy")
        if not isinstance(strategy, str) or not _NAME.fullmatch(strategy):
            raise ReplayError('"strategy" must be a name: letters, digits, spaces and . + -')
        outcome = self.fields.get("outcome")
        if outcome not in [status.name.lower() for status in GameStatus]:
            raise ReplayError('"outcome" must be won, lost or playing')
        seconds = self.fields.get("seconds")
        if seconds is not None and not _is_number(seconds, 0, 10**9):
            raise ReplayError('"seconds" must be a number or null')
        seed, game = (self._whole(name, 0, 2**32 - 1) for name in ("seed", "game"))
        moves = tuple(self._moves(opening, Board.all_hidden(mines)))
        replay = Replay(
            opening,
            seed,
            game,
            strategy,
            mines,
            moves,
            GameStatus[outcome.upper()],
            None if seconds is None else float(seconds),
        )
        found = replay.boards()[-1].status
        if found is not replay.outcome:
            raise ReplayError(f"the outcome is {outcome}, but the moves end {found.name.lower()}")
        return replay

    def _whole(self, name: str, low: int, high: int) -> int:
        value = self.fields.get(name)
        if type(value) is not int or not low <= value <= high:
            raise ReplayError(f'"{name}" must be a whole number, {low} to {high}')
        return value

    def _opening(self) -> Opening:
        rows, cols = (self._whole(name, 1, MAX_CELLS) for name in ("rows", "cols"))
        if rows * cols > MAX_CELLS:
            raise ReplayError(f"a board of {rows}×{cols} is too large: {MAX_CELLS} cells at most")
        mines, first = self._whole("mines", 0, rows * cols), self.fields.get("first")
        start = self.fields.get("start")
        if start not in [rule.value for rule in Start]:
            raise ReplayError('"start" must be any, safe or zero')
        if not isinstance(first, list) or [type(x) for x in first] != [int, int]:
            raise ReplayError('"first" must be a row and a column')
        try:
            return Opening(Level(rows, cols, mines), Start(start), (first[0], first[1]))
        except LevelError as error:
            raise ReplayError(str(error)) from None

    def _layout(self, level: Level) -> Mask:
        layout = self.fields.get("layout")
        if not isinstance(layout, list) or len(layout) != level.rows:
            raise ReplayError(f'"layout" must be {level.rows} rows')
        for row, text in enumerate(layout):
            if not isinstance(text, str) or len(text) != level.cols or set(text) - set(".*"):
                raise ReplayError(f"row {row} of the layout must be {level.cols} of . and *")
        mines = np.array([[char == "*" for char in text] for text in layout])
        if mines.sum() != level.mines:
            raise ReplayError(f"{level.mines} mines, but the layout has {int(mines.sum())}")
        return mines

    def _moves(self, opening: Opening, board: Board) -> Iterator[RecordedMove]:
        moves = self.fields.get("moves")
        if not isinstance(moves, list):
            raise ReplayError('"moves" must be a list')
        for number, fields in enumerate(moves, start=1):
            where = f"move {number}"
            if not isinstance(fields, dict):
                raise ReplayError(f"{where} must be an object")
            if board.status is not GameStatus.PLAYING:
                raise ReplayError(f"{where} comes after the end of the game")
            cells, flags, opened = (
                self._cells(fields, name, opening.level, where)
                for name in ("cells", "flags", "opened")
            )
            closed = ~board.opened
            for cell in (*cells, *flags):
                if not closed[cell]:
                    raise ReplayError(f"{where} touches {cell}, which is open already")
            if not cells and not flags:
                raise ReplayError(f"{where} does nothing")
            if cells and not board.opened.any() and opening.first not in cells:
                raise ReplayError(f"{where} does not open the first cell {opening.first}")
            after = played(board, flags, cells)
            if not (after.opened[mask_of(cells, closed)]).all():
                raise ReplayError(f"{where} opens a flagged cell")
            if (mask_of(opened, closed) != (after.opened & closed)).any():
                raise ReplayError(f"{where} contradicts the board: other cells open than it says")
            why = self._why(fields, where)
            yield RecordedMove(cells, flags, opened, *why, self._odds(fields, board, where))
            board = after

    def _cells(self, fields: dict, name: str, level: Level, where: str) -> tuple[Cell, ...]:
        value = fields.get(name, [])
        if not isinstance(value, list) or any(type(cell) is not int for cell in value):
            raise ReplayError(f'{where}: "{name}" must be a list of cells')
        for cell in value:
            if not 0 <= cell < level.cells:
                raise ReplayError(f"{where}: cell {cell} is not on the board")
        if len(set(value)) != len(value):
            raise ReplayError(f'{where}: "{name}" names a cell twice')
        return tuple(divmod(cell, level.cols) for cell in value)

    def _why(self, fields: dict, where: str) -> tuple[Reason, float | None]:
        reason, risk = fields.get("reason"), fields.get("risk")
        if not isinstance(reason, str) or reason.upper() not in Reason.__members__:
            raise ReplayError(f"{where}: no reason {json.dumps(reason)[:40]}")
        if risk is not None and not _is_number(risk, 0, 1):
            raise ReplayError(f'{where}: "risk" must be a number from 0 to 1, or null')
        return Reason[reason.upper()], None if risk is None else float(risk)

    def _odds(
        self, fields: dict, board: Board, where: str
    ) -> Float[np.ndarray, "rows cols"] | None:
        odds = fields.get("odds")
        if odds is None:
            return None
        closed = ~board.opened
        if not isinstance(odds, list) or len(odds) != closed.sum():
            raise ReplayError(f'{where}: "odds" must be one for each of {int(closed.sum())} cells')
        if any(type(x) is not int or not 0 <= x <= SCALE for x in odds):
            raise ReplayError(f"{where}: odds must be whole numbers, 0 to {SCALE}")
        grid = np.zeros(closed.shape, np.float32)
        grid[closed] = np.array(odds, np.float32) / SCALE
        return grid


def _is_number(value: Any, low: int, high: int) -> bool:
    return type(value) in (int, float) and low <= value <= high
