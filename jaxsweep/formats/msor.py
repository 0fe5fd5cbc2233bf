"""Replays as JSON that JSMinesweeper loads (.msor): what every click showed, but not the mines.

Where the mines are follows at the end of a game: of a won one, they are under the cells that never
opened, and a lost one shows them all. Other games are positions.
"""

import json
from typing import Any, NamedTuple

import numpy as np

from jaxsweep.formats.base import AbstractFormat, Content, FormatError
from jaxsweep.formats.byte_reader import check_size
from jaxsweep.formats.mouse import MAX_CLICKS
from jaxsweep.formats.text import start_of, text_of
from jaxsweep.rules.board import Board, Cell, Mask, mask_of
from jaxsweep.rules.clicks import Button, Click, ClickedGame
from jaxsweep.rules.grid import FLAGGED, HIDDEN
from jaxsweep.rules.notation import GridPosition

BUTTONS = {0: Button.LEFT, 1: Button.RIGHT, 3: Button.CHORD}
"""Clicks by their type."""

MARKED, BLAST, WRONG_FLAG = 10, 11, 12
"""What cells show beside numbers: a flag or, after the blast, a mine; the mine that was opened;
after the blast, a flag on no mine."""

VALUES = 5
"""The values for each touched cell: x, y, what it shows, and two that are not used here."""


class Msor(AbstractFormat):
    """The replays that JSMinesweeper loads."""

    title = "JSMinesweeper replay"

    def recognises(self, data: bytes) -> bool:
        """Looks for the two fields of the object."""
        start = start_of(data)
        return start.startswith("{") and '"header"' in start and '"replay"' in start

    def read(self, data: bytes) -> list[Content]:
        """Reads one game; a position where the mines cannot be known."""
        fields = _object(data)
        rows, cols, count = _sizes(fields)
        seen = _Seen(np.full((rows, cols), HIDDEN, np.int8), set(), [])
        steps = fields.get("replay")
        if not isinstance(steps, list):
            raise FormatError('"replay" must be a list')
        for number, step in enumerate(steps, start=1):
            _follow(step, seen, f"step {number}")
        mines = _known_mines(seen, count)
        if mines is None:
            return [GridPosition(seen.grid, count)]
        _check(seen.grid, mines)
        return [ClickedGame(mines, tuple(seen.clicks), _last_time(seen.clicks))]


class _Seen(NamedTuple):
    """What a replay has shown so far."""

    grid: np.ndarray
    """Numbers, `HIDDEN` and `FLAGGED`, `[rows, cols]`; changed in place."""
    mines: set[Cell]
    """The mines that were shown."""
    clicks: list[Click]


def _object(data: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(text_of(data))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise FormatError(f"{where}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise FormatError("not JSON: nested too deep or a number too long") from None
    if not isinstance(fields, dict):
        raise FormatError("expected an object with a header and a replay")
    return fields


def _sizes(fields: dict[str, Any]) -> tuple[int, int, int]:
    header = fields.get("header")
    if not isinstance(header, dict):
        raise FormatError('"header" must be an object')
    sizes: list[int] = []
    for name in ("height", "width", "mines"):
        value = header.get(name)
        if type(value) is not int or not 0 <= value < 2**31:
            raise FormatError(f'"header": "{name}" must be a whole number')
        sizes.append(value)
    rows, cols, count = sizes
    check_size(rows, cols, count, '"header"')
    return rows, cols, count


def _follow(step: Any, seen: _Seen, where: str) -> None:
    """Enters one step of a replay; a type that is not a click is passed over."""
    if not isinstance(step, dict):
        raise FormatError(f"{where} must be an object")
    button = BUTTONS.get(step["type"]) if type(step.get("type")) is int else None
    if button is None:
        return
    cell = _cell(step.get("x"), step.get("y"), seen.grid, where)
    if len(seen.clicks) == MAX_CLICKS:
        raise FormatError(f"{where}: more than {MAX_CLICKS} clicks")
    seen.clicks.append(Click(button, cell, _seconds(step)))
    if button is Button.RIGHT:
        if seen.grid[cell] < 0:
            seen.grid[cell] = HIDDEN if seen.grid[cell] == FLAGGED else FLAGGED
        return
    touched = step.get("touchCells", [])
    if not isinstance(touched, list) or len(touched) % VALUES:
        raise FormatError(f'{where}: "touchCells" must be a list of {VALUES} values for each cell')
    for start in range(0, len(touched), VALUES):
        x, y, value = touched[start : start + 3]
        _show(_cell(x, y, seen.grid, where), value, seen, where)


def _show(cell: Cell, value: Any, seen: _Seen, where: str) -> None:
    """Enters what a step shows of a cell."""
    if type(value) is not int or not 0 <= value <= WRONG_FLAG:
        raise FormatError(f"{where}: {str(value)[:20]} is no value of a cell")
    if value <= 8:
        seen.grid[cell] = value
    elif value == BLAST or (value == MARKED and seen.mines):
        seen.mines.add(cell)
    elif value == WRONG_FLAG:
        seen.grid[cell] = HIDDEN


def _cell(x: Any, y: Any, grid: np.ndarray, where: str) -> Cell:
    rows, cols = grid.shape
    if type(x) is not int or type(y) is not int or not (0 <= x < cols and 0 <= y < rows):
        raise FormatError(f"{where}: x and y are no cell of a board of {rows}×{cols}")
    return y, x


def _seconds(step: dict[str, Any]) -> float | None:
    """Returns the time of a click, which is in milliseconds where it is there."""
    value = step.get("time")
    if not isinstance(value, int | float) or not 0 <= value <= 10**9:
        return None
    return round(value / 1000, 3)


def _last_time(clicks: list[Click]) -> float | None:
    return clicks[-1].seconds if clicks else None


def _known_mines(seen: _Seen, count: int) -> Mask | None:
    """Returns the mines if they follow from what was shown; None otherwise."""
    hidden = seen.grid < 0
    if hidden.sum() == count:
        return hidden
    if not seen.mines:
        return None
    marked = mask_of(seen.mines, hidden) | (seen.grid == FLAGGED)
    return marked if marked.sum() == count else None


def _check(grid: np.ndarray, mines: Mask) -> None:
    """Raises `FormatError` if an open number is not that of the mines around it."""
    wrong = (grid >= 0) & (grid != Board.all_hidden(mines).numbers)
    for row, col in np.argwhere(wrong):
        raise FormatError(f"({row}, {col}) shows {grid[row, col]}, which the mines contradict")
