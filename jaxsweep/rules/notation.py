"""Positions as grids of numbers on the host, with their text and JSON forms; without JAX.

The text form is a line `COLSxROWSxMINES`, then one line a row, with `H` for a hidden cell, `F` for
a flag and `0` to `8`. The reader also accepts `.` and `?` for hidden cells, spaces between cells
and blank lines. A flag is a mark of the player, never evidence.
"""

import json
import re
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.grid import FLAGGED, HIDDEN, neighbour_counts
from jaxsweep.rules.level import Level, LevelError
from jaxsweep.runtime.errors import UserError

_SYMBOLS = {"H": HIDDEN, "h": HIDDEN, ".": HIDDEN, "?": HIDDEN, "F": FLAGGED, "f": FLAGGED}
_SYMBOLS |= {str(n): n for n in range(9)}
_NO_CELL = -128
_VALUES = np.full(128, _NO_CELL, np.int8)
"""The cell of each ASCII character, or `_NO_CELL`."""
for _symbol, _value in _SYMBOLS.items():
    _VALUES[ord(_symbol)] = _value

_LETTERS = {HIDDEN: "H", FLAGGED: "F"} | {n: str(n) for n in range(9)}
_HEADER = re.compile(r"\s*([0-9]{1,9})\s*[xX×]\s*([0-9]{1,9})\s*[xX×]\s*([0-9]{1,9})\s*")

_TOO_LARGE = 10**9
"""Numbers of more digits than the text form has are not repeated in messages."""

_MAX_TILED = 2**16
"""The most cells of a board whose hidden cells a message leaves out."""


Lines = list[tuple[int, str]]
"""Lines of a text that are not blank, with their numbers from 1."""


class PositionError(UserError):
    """A malformed text, or a position that no game can reach; says what is wrong, and where."""


class GridPosition(NamedTuple):
    """What a player sees of one board, and the number of mines on it."""

    grid: Int8[np.ndarray, "rows cols"]
    """Numbers of open cells, `HIDDEN` and `FLAGGED`."""
    mines: int


def check(position: GridPosition) -> None:
    """Raises `PositionError` if a single number, or the mine count, exceeds its hidden cells."""
    grid, mines = position
    hidden_neighbours = neighbour_counts(grid < 0)
    for row, col in zip(*np.nonzero(grid > hidden_neighbours), strict=True):
        raise PositionError(
            f"row {row}, column {col} shows {grid[row, col]} but has "
            f"{hidden_neighbours[row, col]} hidden neighbours"
        )
    hidden = int((grid < 0).sum())
    if mines > hidden:
        raise PositionError(f"{mines} mines but only {hidden} hidden cells")


def to_text(position: GridPosition) -> str:
    """Returns the text form, which ends in a line break."""
    grid, mines = position
    rows, cols = grid.shape
    header = f"{cols}x{rows}x{mines}"
    return "\n".join([header, *_row_strings(grid)]) + "\n"


def to_json(position: GridPosition) -> str:
    """Returns the JSON form: `{"rows", "cols", "mines", "board": [one string a row]}`."""
    grid, mines = position
    rows, cols = grid.shape
    fields = {"rows": rows, "cols": cols, "mines": mines}
    return json.dumps(fields | {"board": _row_strings(grid)})


def from_text(text: str) -> GridPosition:
    """Reads one position in its text form; raises `PositionError` naming line and column."""
    return from_lines(_lines(text))


def read_all(text: str) -> list[GridPosition]:
    """Reads one position in either form, or several in text form."""
    if text.lstrip().startswith("{"):
        return [from_json(text)]
    return [from_lines(part) for part in split(text)]


def split(text: str) -> list[Lines]:
    """Splits a text at the first lines of positions; one without any is one part."""
    parts: list[Lines] = []
    for number, line in _lines(text):
        if not parts or _HEADER.fullmatch(line):
            parts.append([])
        parts[-1].append((number, line))
    return parts or [[]]


def _lines(text: str) -> Lines:
    return [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]


def from_lines(lines: Lines) -> GridPosition:
    """Reads one position from its lines, as `split` returns them."""
    if not lines:
        raise PositionError("line 1: no position here; expected a first line COLSxROWSxMINES")
    number, header = lines[0]
    match = _HEADER.fullmatch(header)
    if not match:
        raise PositionError(
            f"line {number}: expected COLSxROWSxMINES, such as 30x16x99, not {_clip(header)}"
        )
    cols, rows, mines = (int(group) for group in match.groups())
    level = _level(rows, cols, mines, f"line {number}")
    return _from_rows([(f"line {n}", line) for n, line in lines[1:]], level, f"line {number}")


def from_json(text: str) -> GridPosition:
    """Reads one position in its JSON form; raises `PositionError` naming what is wrong where."""
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        raise PositionError(
            f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
        ) from None
    except (RecursionError, ValueError):
        raise PositionError(
            "not a position in JSON: nested too deep or a number too long"
        ) from None
    return from_fields(fields)


def from_fields(fields: Any) -> GridPosition:
    """Reads one position from plain data, as its JSON form or a message of mspe.node holds it."""
    if not isinstance(fields, dict):
        raise PositionError("JSON: expected an object with rows, cols, mines and board")
    if "tiles" in fields:
        return _from_tiles(fields)
    sizes = [_whole(fields, name, "JSON") for name in ("rows", "cols", "mines")]
    board = fields.get("board")
    if not isinstance(board, list) or not all(isinstance(row, str) for row in board):
        raise PositionError('JSON: "board" must be a list of strings, one a row')
    level = _level(*sizes, where="JSON")
    return _from_rows([(f"board row {n}", row) for n, row in enumerate(board)], level, "JSON")


def _from_tiles(fields: dict[str, Any]) -> GridPosition:
    """Reads a message of mspe.node: the board's size, and the open cells with their numbers."""
    board, tiles = fields.get("board"), fields["tiles"]
    if not isinstance(board, dict):
        raise PositionError('JSON: beside "tiles", "board" must hold width, height and mines')
    if not isinstance(tiles, list):
        raise PositionError('JSON: "tiles" must be a list of objects with x, y and value')
    rows, cols, mines = (
        _whole(board, name, "JSON: board") for name in ("height", "width", "mines")
    )
    level = _level(rows, cols, mines, "JSON: board")
    if level.cells > _MAX_TILED:
        raise PositionError(f"JSON: a board of {level.cells:,} cells: {_MAX_TILED:,} at most")
    grid = np.full((rows, cols), HIDDEN, np.int8)
    for number, tile in enumerate(tiles):
        where = f"JSON: tile {number}"
        if not isinstance(tile, dict):
            raise PositionError(f"{where}: expected an object with x, y and value")
        col, row, value = (_whole(tile, name, where) for name in ("x", "y", "value"))
        if not (0 <= row < rows and 0 <= col < cols):
            raise PositionError(
                f"{where}: no cell x {col}, y {row} on a board {cols} wide, {rows} high"
            )
        if not 0 <= value <= 8:
            raise PositionError(f"{where}: a cell shows 0 to 8, not {value}")
        if grid[row, col] not in (HIDDEN, value):
            raise PositionError(
                f"{where}: x {col}, y {row} showed {grid[row, col]} before, now {value}"
            )
        grid[row, col] = value
    return GridPosition(grid, mines)


def _whole(fields: dict[str, Any], name: str, where: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise PositionError(f'{where}: "{name}" must be a whole number')
    if abs(value) >= _TOO_LARGE:
        raise PositionError(f'{where}: "{name}" is too large')
    return value


def read(text: str) -> GridPosition:
    """Reads one position in either form; a text that begins with a brace is JSON."""
    return from_json(text) if text.lstrip().startswith("{") else from_text(text)


def _row_strings(grid: Int8[np.ndarray, "rows cols"]) -> list[str]:
    return ["".join(_LETTERS[int(cell)] for cell in row) for row in grid]


def _level(rows: int, cols: int, mines: int, where: str) -> Level:
    try:
        return Level(rows, cols, mines)
    except LevelError as error:
        raise PositionError(f"{where}: {error}") from None


def _from_rows(lines: list[tuple[str, str]], level: Level, where: str) -> GridPosition:
    """Reads the rows of a board; `lines` pairs each row's name in error messages with its text."""
    if len(lines) < level.rows:
        raise PositionError(f"{where} promises {level.rows} rows, but only {len(lines)} follow")
    if len(lines) > level.rows:
        name, line = lines[level.rows]
        raise PositionError(f"{name}: a row too many; {where} promises {level.rows}: {_clip(line)}")
    stripped = [line.strip() for _, line in lines]
    if all(len(line) == level.cols and line.isascii() for line in stripped):
        values = _VALUES[np.frombuffer("".join(stripped).encode("ascii"), np.uint8)]
        if _NO_CELL not in values:
            return GridPosition(values.reshape(level.rows, level.cols), level.mines)
    # Cells with spaces between them, or something that is wrong, and where.
    grid = np.empty((level.rows, level.cols), np.int8)
    for row, (name, line) in enumerate(lines):
        cells = "".join(line.split())
        if wrong := set(cells) - _SYMBOLS.keys():
            col, symbol = next(
                (col, symbol) for col, symbol in enumerate(line, start=1) if symbol in wrong
            )
            raise PositionError(
                f"{name}, column {col}: {symbol!r} is no cell; expected H, F, ., ? or 0 to 8"
            )
        if len(cells) != level.cols:
            raise PositionError(f"{name}: {len(cells)} cells, but {where} promises {level.cols}")
        grid[row] = [_SYMBOLS[symbol] for symbol in cells]
    return GridPosition(grid, level.mines)


def _clip(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
