"""A position drawn in the terminal, as large a part of it as fits."""

import numpy as np
from jaxtyping import Bool, Int8
from rich.text import Text

from jaxsweep.position import FLAGGED, HIDDEN

_NUMBER_STYLES = {
    0: "bright_black",
    1: "bright_blue",
    2: "green",
    3: "red",
    4: "magenta",
    5: "yellow",
    6: "cyan",
    7: "bright_white",
    8: "bright_white",
}

_RULER_STYLE = "bright_black"
_LABEL = 4  # Columns taken by the row numbers.


def draw(
    grid: Int8[np.ndarray, "rows cols"],
    new: Bool[np.ndarray, "rows cols"],
    mines: Bool[np.ndarray, "rows cols"] | None,
    room: tuple[int, int],
    ascii_only: bool = False,
) -> Text:
    """The board as styled text of at most `room` = (lines, columns).

    `new` marks what the last move opened, `mines` where the mines were, once that may be seen. A
    board that does not fit is cut to a window around the new cells, and the last line says so.
    """
    lines, columns = room
    rows, cols = grid.shape
    pitch = 2 if _LABEL + 2 * cols <= columns else 1
    focus = np.argwhere(new).mean(0).astype(int) if new.any() else (0, 0)
    top, bottom = _window(rows, max(lines - 2, 1), int(focus[0]))
    left, right = _window(cols, max((columns - _LABEL) // pitch, 1), int(focus[1]))
    text = Text(no_wrap=True)
    text.append(" " * _LABEL + _ruler(left, right, pitch) + "\n", _RULER_STYLE)
    for row in range(top, bottom):
        text.append(f"{row:>{_LABEL - 1}} ", _RULER_STYLE)
        for col in range(left, right):
            mined = mines is not None and bool(mines[row, col])
            symbol, style = _cell(int(grid[row, col]), mined, bool(new[row, col]), ascii_only)
            text.append(symbol, style)
            if col < right - 1:
                text.append(" " * (pitch - 1))
        text.append("\n")
    if (bottom - top, right - left) != (rows, cols):
        text.append(
            f"    rows {top}-{bottom - 1} of {rows}, columns {left}-{right - 1} of {cols}\n",
            _RULER_STYLE,
        )
    text.rstrip()
    return text


def _cell(number: int, mined: bool, new: bool, ascii_only: bool) -> tuple[str, str]:
    if number >= 0:
        symbol = str(number) if number else (" " if ascii_only else "·")
        return symbol, _NUMBER_STYLES[number] + (" reverse" if new else "")
    if mined and new:
        return "X", "bold white on red"
    if number == FLAGGED:
        return "F", "bold red"
    if mined:
        return "*", "bold bright_red"
    assert number == HIDDEN
    return "#" if ascii_only else "■", "default"


def _window(size: int, fits: int, focus: int) -> tuple[int, int]:
    start = min(max(focus - fits // 2, 0), max(size - fits, 0))
    return start, min(start + fits, size)


def _ruler(left: int, right: int, pitch: int) -> str:
    """Column numbers over every fifth column."""
    marks = [" "] * ((right - left) * pitch + 3)
    for col in range(-(-left // 5) * 5, right, 5):
        place = (col - left) * pitch
        marks[place : place + len(str(col))] = str(col)
    return "".join(marks[: (right - left) * pitch]).rstrip()
