"""Boards and positions as text (.board, version 0.1): read and written.

    # MINESWEEPER-BOARD v0.1
    # Render: ascii
    rows: 2
    columns: 3
    mines: 1
    game_mode: classic
    [real]
    1*1
    111
    [view]
    UFU
    111

The section `real` holds mines and numbers, `view` what a player sees: U hidden, F a flag, ? a
question mark, X the mine that was opened, @ a mine and # a wrong flag shown after a loss.
"""

import re

import numpy as np

from jaxsweep.formats.base import AbstractWritableFormat, Content, FormatError
from jaxsweep.formats.byte_reader import check_size
from jaxsweep.formats.conversion import as_position, as_replay
from jaxsweep.formats.text import clip, start_of, text_of, whole_number
from jaxsweep.rules.board import Board, Mask, cells_of
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.grid import FLAGGED, HIDDEN
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.status import GameStatus

HEADER = "# MINESWEEPER-BOARD v0.1"
RENDERS = ("ascii", "emoji")
_RENDER = re.compile(r"(?i)#\s*render\s*:\s*(.*)")

_EMOJI = {"⬜": "U", "🚩": "F", "❓": "?", "💥": "X", "💣": "@", "❌": "#"}
_COMBINING = "\ufe0f\u20e3"
"""What turns a digit into an emoji, and selects its form: left out."""

_VIEW = {"U": HIDDEN, "?": HIDDEN, "X": HIDDEN, "@": HIDDEN, "F": FLAGGED, "#": FLAGGED}
_VIEW |= {str(number): number for number in range(9)}
_LETTERS = {HIDDEN: "U", FLAGGED: "F"} | {number: str(number) for number in range(9)}

Line = tuple[int, str]
"""The number of a line, from 1, and the line."""


class BoardText(AbstractWritableFormat):
    """The text format of ms_toollib for boards."""

    title = "MINESWEEPER-BOARD text"
    suffixes = (".board",)

    def recognises(self, data: bytes) -> bool:
        """Looks at the first line, whatever the version."""
        return start_of(data, 64).upper().startswith("# MINESWEEPER-BOARD")

    def read(self, data: bytes) -> list[Content]:
        """Reads the board, if its mines are there, and the position, if anything of it is open."""
        lines = list(enumerate(text_of(data).splitlines(), start=1))
        while not lines[0][1].strip():
            del lines[0]
        first, header = lines[0]
        if header.strip() != HEADER:
            raise FormatError(f"line {first}: version 0.1 is read, not {clip(header)}")
        fields, sections = _parts(lines)
        sizes = []
        for key in ("rows", "columns", "mines"):
            if key not in fields:
                raise FormatError(f"the field {key!r} is missing")
            number, value = fields[key]
            sizes.append(whole_number(value, f"line {number}: {key}"))
        rows, cols, count = sizes
        check_size(rows, cols, count, f"line {fields['rows'][0]}")
        grids = {name: _rows(name, part, rows, cols) for name, part in sections.items()}
        if not grids:
            raise FormatError("neither [real] nor [view] follows")
        contents: list[Content] = []
        if "real" in grids:
            contents.append(ClickedGame(_mines(grids["real"], count)))
        if "view" in grids:
            view = np.array([[_VIEW[sign] for sign in row] for _, row in grids["view"]], np.int8)
            if not contents or (view >= 0).any():
                contents.append(GridPosition(view, count))
        return contents

    def write(self, content: Content) -> bytes:
        """Writes the mines of a game and what was seen at its end, or a position."""
        grid, count = as_position(content)
        view = [[_LETTERS[int(cell)] for cell in row] for row in grid]
        rows, cols = grid.shape
        lines = [HEADER, "# Render: ascii", f"rows: {rows}", f"columns: {cols}"]
        lines += [f"mines: {count}", "game_mode: classic"]
        if not isinstance(content, GridPosition):
            replay = as_replay(content)
            mines = replay.mines
            numbers = Board.all_hidden(mines).numbers
            lines.append("[real]")
            lines += [
                "".join("*" if mines[row, col] else str(numbers[row, col]) for col in range(cols))
                for row in range(rows)
            ]
            if replay.outcome is GameStatus.LOST:
                _show_mines(view, replay.boards()[-1])
        lines += ["[view]", *map("".join, view)]
        return ("\n".join(lines) + "\n").encode()


def _show_mines(view: list[list[str]], board: Board) -> None:
    """Enters what is shown after a loss: mines, the one that was opened, and wrong flags."""
    signs = {
        "X": board.mines & board.opened,
        "@": board.mines & ~board.opened & ~board.flags,
        "#": ~board.mines & board.flags,
    }
    for sign, cells in signs.items():
        for row, col in cells_of(cells):
            view[row][col] = sign


def _parts(lines: list[Line]) -> tuple[dict[str, Line], dict[str, list[Line]]]:
    """Returns the fields by name, and the lines of the sections."""
    fields: dict[str, Line] = {}
    sections: dict[str, list[Line]] = {}
    rows: list[Line] | None = None
    for number, line in lines:
        text = line.strip()
        if text.lower() in ("[real]", "[view]"):
            name = text.lower()[1:-1]
            if name in sections:
                raise FormatError(f"line {number}: a second section {text}")
            rows = sections[name] = []
        elif rows is not None and text:
            rows.append((number, text))
        elif render := _RENDER.fullmatch(text):
            if render[1].strip().lower() not in RENDERS:
                raise FormatError(f"line {number}: the renders ascii and emoji are read")
        elif text and not text.startswith("#"):
            key, colon, value = text.partition(":")
            if not colon:
                raise FormatError(f"line {number}: expected a field `key: value`, not {clip(text)}")
            fields.setdefault(key.strip().lower(), (number, value.strip()))
    return fields, sections


def _rows(name: str, lines: list[Line], rows: int, cols: int) -> list[Line]:
    """Returns the rows of a section, without emoji."""
    if len(lines) != rows:
        raise FormatError(f"[{name}] has {len(lines)} rows, not {rows}")
    plain = []
    for number, line in lines:
        text = "".join(_EMOJI.get(sign, sign) for sign in line if sign not in _COMBINING)
        if len(text) != cols:
            raise FormatError(f"line {number}: {len(text)} cells, not {cols}")
        allowed = set("*012345678") if name == "real" else set(_VIEW)
        if wrong := [sign for sign in text if sign not in allowed]:
            raise FormatError(f"line {number}: {wrong[0]!r} is no cell of [{name}]")
        plain.append((number, text))
    return plain


def _mines(rows: list[Line], count: int) -> Mask:
    """Returns the mines of the section `real`, whose numbers must be those around them."""
    mines = np.array([[sign == "*" for sign in row] for _, row in rows])
    if mines.sum() != count:
        raise FormatError(f"{count} mines, but [real] has {int(mines.sum())}")
    numbers = Board.all_hidden(mines).numbers
    for (number, row), around, is_mine in zip(rows, numbers, mines, strict=True):
        for col, sign in enumerate(row):
            if not is_mine[col] and int(sign) != around[col]:
                where = f"line {number}, column {col + 1}"
                raise FormatError(f"{where}: {sign}, but {around[col]} mines are around it")
    return mines
