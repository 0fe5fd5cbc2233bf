"""Reads replays from files: checks every field, and plays every move."""

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from jaxsweep.rules.board import Board, Cell, Mask, cells_of, mask_of
from jaxsweep.rules.level import Level, LevelError, Opening, Start
from jaxsweep.rules.reasons import Reason
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.replay.format import (
    FORMAT,
    SCALE,
    VERSION,
    RecordedMove,
    Replay,
    ReplayError,
    after_move,
)

MAX_CELLS = 2**20
"""The largest board that is read, so that a small file cannot claim all memory."""

MAX_BYTES = 2**27
"""The largest size of a decompressed file, for the same reason."""

MAX_CONTAINERS = 2**22
"""The most lists and objects in a file: empty ones take twenty times the memory of their text."""

MAX_PLAYED = 2**33
"""The most cells of a replay's boards, all moves together: playing them takes about a minute."""

_NAME = re.compile(r"(?!\.)[\w .+-]{1,100}")
"""Names from a file appear in titles and file names: no control characters, no path separators."""


def load(path: Path) -> Replay:
    """Reads a replay from a file and plays its moves; raises `ReplayError` if anything is wrong."""
    data = path.read_bytes()
    try:
        return from_bytes(data)
    except ReplayError as error:
        raise ReplayError(f"{path.name}: {error}") from None


def from_bytes(
    data: bytes,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
    max_played: int = MAX_PLAYED,
) -> Replay:
    """Reads a replay from the bytes of a file, as `load` does.

    What holds more than `max_bytes` when it is decompressed, has more cells, or more moves times
    cells than `max_played`, is refused.
    """
    if data[:2] == b"\x1f\x8b":
        data = decompress(data, max_bytes)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ReplayError(f"not a replay: byte {error.start} is not text") from None
    if text.count("{") + text.count("[") > MAX_CONTAINERS:
        raise ReplayError(f"not a replay: more than {MAX_CONTAINERS} lists and objects")
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        cut = " (the file may be cut off)" if error.pos >= len(text.rstrip()) - 1 else ""
        raise ReplayError(f"not a replay: {where}: {error.msg}{cut}") from None
    except (RecursionError, ValueError):
        raise ReplayError("not a replay: nested too deep or a number too long") from None
    return _Reader(fields, max_cells, max_played).replay()


def decompress(data: bytes, max_bytes: int = MAX_BYTES) -> bytes:
    """Decompresses gzip data of at most so many bytes; raises `ReplayError` for others."""
    unzip = zlib.decompressobj(wbits=31)
    try:
        text = unzip.decompress(data, max_bytes)
    except zlib.error:
        raise ReplayError("the compressed data is damaged") from None
    if unzip.unconsumed_tail:
        raise ReplayError("the compressed data holds more than any game")
    if not unzip.eof:
        raise ReplayError("the compressed data is cut off")
    return text


class _Reader:
    """Turns plain data into a replay; raises `ReplayError` for the first field that is wrong."""

    def __init__(self, fields: Any, max_cells: int, max_played: int):
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise ReplayError(f'not a replay: expected an object with "format": "{FORMAT}"')
        if fields.get("version") != VERSION:
            version = json.dumps(fields.get("version"))[:40]
            raise ReplayError(f"version {version} of a replay; this program reads {VERSION}")
        self.fields, self.max_cells, self.max_played = fields, max_cells, max_played

    def replay(self) -> Replay:
        """Reads all fields; the outcome must be that of the moves."""
        opening = self._opening()
        level = opening.level
        mines = self._layout(level)
        strategy = self.fields.get("strategy")
        if not isinstance(strategy, str) or not _NAME.fullmatch(strategy):
            raise ReplayError('"strategy" must be a name: letters, digits, spaces and . + -')
        outcome = self.fields.get("outcome")
        if outcome not in [status.name.lower() for status in GameStatus]:
            raise ReplayError('"outcome" must be won, lost or playing')
        seconds = _seconds(self.fields)
        seed = game = None
        if self.fields.get("seed") is not None:
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
            seconds,
        )
        reached = replay.boards()[-1].status
        if reached is not replay.outcome:
            raise ReplayError(f"the outcome is {outcome}, but the moves end {reached.name.lower()}")
        return replay

    def _whole(self, name: str, low: int, high: int) -> int:
        value = self.fields.get(name)
        if type(value) is not int or not low <= value <= high:
            raise ReplayError(f'"{name}" must be a whole number, {low} to {high}')
        return value

    def _opening(self) -> Opening:
        most = self.max_cells
        rows, cols = (self._whole(name, 1, most) for name in ("rows", "cols"))
        if rows * cols > most:
            raise ReplayError(f"a board of {rows}×{cols} is too large: {most} cells at most")
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
        if len(moves) * board.mines.size > self.max_played:
            size = f"{opening.level.rows}×{opening.level.cols}"
            raise ReplayError(f"{len(moves)} moves on a board of {size} are too many to be played")
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
            hidden = ~board.opened
            for cell in (*cells, *flags):
                if not hidden[cell]:
                    raise ReplayError(f"{where} touches {cell}, which is open already")
            if not cells and not flags:
                raise ReplayError(f"{where} does nothing")
            if cells and not board.opened.any() and opening.first not in cells:
                raise ReplayError(f"{where} does not open the first cell {opening.first}")
            after = after_move(board, flags, cells)
            if not (after.opened[mask_of(cells, hidden)]).all():
                raise ReplayError(f"{where} opens a flagged cell")
            if (mask_of(opened, hidden) != (after.opened & hidden)).any():
                raise ReplayError(f"{where} contradicts the board: other cells open than it says")
            reason, risk = self._reason_and_risk(fields, where)
            yield RecordedMove(
                cells,
                flags,
                opened,
                reason,
                risk,
                self._odds(fields, board, where),
                self._chord(fields, board, cells, where),
                _seconds(fields, f"{where}: "),
            )
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

    def _chord(
        self, fields: dict, board: Board, cells: tuple[Cell, ...], where: str
    ) -> Cell | None:
        value = fields.get("chord")
        if value is None:
            return None
        rows, cols = board.mines.shape
        if type(value) is not int or not 0 <= value < rows * cols:
            raise ReplayError(f'{where}: "chord" must be a cell, or null')
        chord = divmod(value, cols)
        if not cells or set(cells) != set(cells_of(board.chord_cells(chord))):
            raise ReplayError(f"{where}: chording {chord} does not open these cells")
        return chord

    def _reason_and_risk(self, fields: dict, where: str) -> tuple[Reason, float | None]:
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
        hidden = ~board.opened
        if not isinstance(odds, list) or len(odds) != hidden.sum():
            raise ReplayError(f'{where}: "odds" must be one for each of {int(hidden.sum())} cells')
        if any(type(x) is not int or not 0 <= x <= SCALE for x in odds):
            raise ReplayError(f"{where}: odds must be whole numbers, 0 to {SCALE}")
        grid = np.zeros(hidden.shape, np.float32)
        grid[hidden] = np.array(odds, np.float32) / SCALE
        return grid


def _seconds(fields: dict, where: str = "") -> float | None:
    value = fields.get("seconds")
    if value is None:
        return None
    if not _is_number(value, 0, 10**9):
        raise ReplayError(f'{where}"seconds" must be a number or null')
    return float(value)


def _is_number(value: Any, low: int, high: int) -> bool:
    return type(value) in (int, float) and low <= value <= high
