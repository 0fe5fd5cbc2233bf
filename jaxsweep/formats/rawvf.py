"""Replays as text (.rawvf): what the mouse did, line by line; read and written.

    Width: 8
    Height: 8
    Mines: 10
    Board:
    0*0*0*0*
    …
    Events:
    0.000 lc 1 1 (8 8)

An event is a time in seconds, a code, column and row from 1 (which may be missing), and x and y in
pixels, 16 a cell. Lines with other words, such as what the board showed, are passed over.
"""

import re
from collections.abc import Iterator

import numpy as np

from jaxsweep.formats.base import AbstractWritableFormat, Content, FormatError
from jaxsweep.formats.byte_reader import check_size, name_of
from jaxsweep.formats.conversion import as_game
from jaxsweep.formats.mouse import (
    Mouse,
    MouseEvent,
    cell_at,
    centre_of,
    clicks_of,
    milliseconds_of,
    timed_clicks,
    written_name,
)
from jaxsweep.formats.text import clip, lines_of, start_of, text_of, whole_number
from jaxsweep.rules.board import Mask
from jaxsweep.rules.clicks import ClickedGame

CELL_SIZE = 16
_KEYS = re.compile(r"(?im)^(rawvf_version|width)\s*:")
_EVENT = re.compile(
    r"(-?[0-9]{1,6}(?:\.[0-9]{1,6})?)\s+([a-z]{1,2})(?:\s+-?[0-9]{1,6}\s+-?[0-9]{1,6})?"
    r"\s*\(\s*(-?[0-9]{1,6})\s+(-?[0-9]{1,6})\s*\)"
)
_CODE = re.compile(r"-?[0-9.]{1,12}\s+(\w+)")
_MOUSE = {mouse.value: mouse for mouse in Mouse}


class Rawvf(AbstractWritableFormat):
    """The raw video format."""

    title = "raw video format"
    suffixes = (".rawvf",)

    def recognises(self, data: bytes) -> bool:
        """Looks for the width, or the version of the format, at the beginning of a line."""
        return _KEYS.search(start_of(data)) is not None

    def read(self, data: bytes) -> list[Content]:
        """Reads one game."""
        fields, board, events = _sections(lines_of(data))
        rows, cols = (_field(fields, key) for key in ("height", "width"))
        mines = _mines(board, rows, cols, fields)
        clicks = clicks_of(_events(events, mines.shape), mines)
        seconds = _seconds(fields)
        if seconds is None and clicks:
            seconds = clicks[-1].seconds
        player = fields.get("player", (0, b""))[1]
        return [ClickedGame(mines, clicks, seconds, name_of(player))]

    def write(self, content: Content) -> bytes:
        """Writes a game; times that are not known are made up, a second a click."""
        game = as_game(content)
        rows, cols = game.mines.shape
        name = written_name(game)
        player = [f"Player: {name}"] if name else []
        header = ["RawVF_Version: Rev6", "Program: jaxsweep", *player]
        header += [f"Time: {milliseconds_of(game) / 1000:.3f}"]
        header += [f"Width: {cols}", f"Height: {rows}", f"Mines: {int(game.mines.sum())}"]
        board = ["".join("0*"[int(mine)] for mine in row) for row in game.mines]
        lines = [*header, "Board:", *board, "Events:"]
        for timed in timed_clicks(game):
            row, col = timed.cell
            x, y = centre_of(timed.cell, CELL_SIZE)
            place = f"{col + 1} {row + 1} ({x} {y})"
            time = f"{timed.milliseconds / 1000:.3f}"
            lines += [f"{time} {mouse.value} {place}" for mouse in timed.mouse]
        return ("\n".join(lines) + "\n").encode()


Line = tuple[int, bytes]
"""The number of a line, from 1, and the line."""


def _sections(lines: list[bytes]) -> tuple[dict[str, Line], list[Line], list[Line]]:
    """Returns the fields of the header by name, the rows of the board, and the events."""
    fields: dict[str, Line] = {}
    parts: dict[str, list[Line]] = {"board": [], "events": []}
    part = None
    for number, line in enumerate(lines, start=1):
        key, colon, value = line.partition(b":")
        name = key.strip().decode(errors="replace").lower()
        if colon and name in parts and not value.strip():
            part = name
        elif part == "events" or (part == "board" and not colon):
            if line.strip():
                parts[part].append((number, line))
        elif colon and name not in fields:
            fields[name] = number, value.strip()
    return fields, parts["board"], parts["events"]


def _field(fields: dict[str, Line], key: str) -> int:
    if key not in fields:
        raise FormatError(f"line 1: no {key.title()} follows")
    number, value = fields[key]
    return whole_number(text_of(value), f"line {number}: {key.title()}")


def _seconds(fields: dict[str, Line]) -> float | None:
    """Returns the time of the game, where the header has one."""
    _, value = fields.get("time", (0, b""))
    text = value.decode(errors="replace").replace(",", ".")
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text):
        return None
    return round(float(text), 3)


def _mines(board: list[Line], rows: int, cols: int, fields: dict[str, Line]) -> Mask:
    height = fields["height"][0]
    check_size(rows, cols, 0, f"line {height}")
    if len(board) != rows:
        raise FormatError(f"line {height}: {rows} rows, but the board has {len(board)}")
    mines = np.zeros((rows, cols), bool)
    for row, (number, line) in enumerate(board):
        line = line.strip()
        if len(line) != cols or set(line) - set(b"*0123456789."):
            raise FormatError(f"line {number}: a row must be {cols} of * and 0 to 8")
        mines[row] = np.frombuffer(line, np.uint8) == ord("*")
    if "mines" in fields and (stated := _field(fields, "mines")) != mines.sum():
        where = f"line {fields['mines'][0]}"
        raise FormatError(f"{where}: {stated} mines, but the board has {int(mines.sum())}")
    return mines


def _events(lines: list[Line], shape: tuple[int, ...]) -> Iterator[MouseEvent]:
    for number, line in lines:
        text = line.decode(errors="replace").strip()
        code = _CODE.match(text)
        if code is None or code[1].lower() not in _MOUSE:
            continue
        event = _EVENT.match(text.lower())
        if event is None:
            raise FormatError(f"line {number}: an event without time and place: {clip(text)}")
        seconds = max(round(float(event[1]), 3), 0.0)
        at = cell_at(int(event[3]), int(event[4]), CELL_SIZE, shape)
        yield MouseEvent(_MOUSE[event[2]], seconds, at)
