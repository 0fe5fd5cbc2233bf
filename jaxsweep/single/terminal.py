"""Draws a position in the terminal, or as large a part of it as fits."""

import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int8, UInt8
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from jaxsweep.rules.grid import FLAGGED, HIDDEN, dilate
from jaxsweep.single.words import whole_percent

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
_CURSOR_STYLE = "bold reverse"
_LABEL = 4  # Columns taken by the row numbers.


def show_frames(frames: Iterable[Group], console: Console, pause: float) -> None:
    """Draws frames one after the other: in place in a terminal, below each other elsewhere."""
    if not console.is_terminal:
        for frame in frames:
            console.print(frame)
            time.sleep(pause)
        return
    with Live(console=console, auto_refresh=False) as live:
        for frame in frames:
            live.update(frame, refresh=True)
            time.sleep(pause)


def draw(
    grid: Int8[np.ndarray, "rows cols"],
    new: Bool[np.ndarray, "rows cols"],
    mines: Bool[np.ndarray, "rows cols"] | None,
    room: tuple[int, int],
    ascii_only: bool = False,
    cursor: tuple[int, int] | None = None,
) -> Text:
    """Returns the board as styled text of at most `room` = (lines, columns).

    `new` are the cells that the last move opened, `mines` the mines, once the game is over; a wrong
    flag is then an `x`. A board that does not fit is cut to a window around the cursor, or
    else the new cells, and the last line says so.
    """
    focus = cursor or (np.argwhere(new).mean(0).astype(int) if new.any() else (0, 0))
    gaps = _gaps_everywhere(grid.shape[1], 1, room[1])

    def cell(row: int, col: int) -> tuple[str, str]:
        mined = mines is not None and bool(mines[row, col])
        if mines is not None and not mined and grid[row, col] == FLAGGED:
            return "x", "bold yellow"
        return _cell(int(grid[row, col]), mined, bool(new[row, col]), ascii_only)

    return _lay_out(grid.shape, (int(focus[0]), int(focus[1])), gaps, 1, room, cell, cursor)


def draw_marks(marks: UInt8[np.ndarray, "rows cols"], symbols: str, room: tuple[int, int]) -> Text:
    """Returns a board that shows one of the symbols in each cell: that of the number there."""

    def cell(row: int, col: int) -> tuple[str, str]:
        return symbols[marks[row, col]], "default"

    gaps = _gaps_everywhere(marks.shape[1], 1, room[1])
    return _lay_out(marks.shape, (0, 0), gaps, 1, room, cell, None)


def draw_odds(
    grid: Int8[np.ndarray, "rows cols"],
    odds: Float[np.ndarray, "rows cols"] | None,
    safe: Bool[np.ndarray, "rows cols"],
    mines: Bool[np.ndarray, "rows cols"],
    best: tuple[int, int] | None,
    room: tuple[int, int],
    ascii_only: bool = False,
    cursor: tuple[int, int] | None = None,
) -> Text:
    """Returns the board with the mine probability of each hidden cell in percent, or `??`.

    `ok` marks certainly safe cells, `**` certain mines, `--` those next to no number, which are
    all alike, and the best cell stands out. With a cursor, in a game, flags are drawn too. Where
    there is no room for a gap between all columns, gaps are where numbers would run together.
    """
    unconstrained = unconstrained_cells(grid)
    percents = None if odds is None else whole_percent(odds)

    def cell(row: int, col: int) -> tuple[str, str]:
        if grid[row, col] >= 0:
            symbol, style = _cell(int(grid[row, col]), False, False, ascii_only)
            return symbol.rjust(2), style
        if safe[row, col]:
            text, style = "ok", "black on green"
        elif mines[row, col]:
            text, style = "**", "white on red"
        elif odds is None or percents is None:
            text, style = "??", "default"
        else:
            chance = float(odds[row, col])
            text = "--" if unconstrained[row, col] else f"{percents[row, col]:02d}"
            style = next(style for limit, style in _RISK_STYLES if chance <= limit)
        if cursor is not None and grid[row, col] == FLAGGED:
            text = " F"  # On the colour of its odds: a wrong flag is seen.
        return text, style + (" bold underline" if (row, col) == best else "")

    rows, cols = grid.shape
    gaps = _gaps_everywhere(cols, 2, room[1])
    spare = room[1] - _LABEL - 2 * cols
    if not any(gaps) and spare > 0:
        texts = [[cell(row, col)[0] for col in range(cols)] for row in range(rows)]
        gaps = _gaps_where_needed(texts, spare)
    return _lay_out(grid.shape, cursor or best or (0, 0), gaps, 2, room, cell, cursor)


def unconstrained_cells(grid: Int8[np.ndarray, "rows cols"]) -> Bool[np.ndarray, "rows cols"]:
    """Returns the unconstrained cells: hidden, and next to no open cell; drawn as `--`."""
    return (grid < 0) & ~dilate(grid >= 0)


_RISK_STYLES = (
    (0.1, "black on cyan"),
    (0.2, "black on bright_cyan"),
    (0.35, "black on bright_yellow"),
    (0.5, "black on yellow"),
    (0.75, "white on magenta"),
    (1.0, "white on bright_red"),
)


def _gaps_everywhere(cols: int, width: int, room: int) -> list[int]:
    """Returns a blank between all columns of cells of a `width`, if that fits, or else none."""
    return [int(_LABEL + cols * (width + 1) <= room)] * cols


def _gaps_where_needed(texts: Sequence[Sequence[str]], most: int) -> list[int]:
    """Returns blanks before at most so many columns: first where digits follow upon digits."""
    clashes: dict[int, tuple[int, int]] = {}
    for col in range(1, len(texts[0])):
        pairs = [(row[col - 1][-1], row[col][0]) for row in texts]
        digits = sum(one.isdigit() and other.isdigit() for one, other in pairs)
        signs = sum(" " not in pair and pair != ("-", "-") for pair in pairs)
        if signs:
            clashes[col] = digits, signs
    worst = sorted(clashes, key=clashes.__getitem__, reverse=True)[:most]
    return [int(col in worst) for col in range(len(texts[0]))]


def _lay_out(
    shape: tuple[int, ...],
    focus: tuple[int, int],
    gaps: Sequence[int],
    width: int,
    room: tuple[int, int],
    cell: Callable[[int, int], tuple[str, str]],
    cursor: tuple[int, int] | None,
) -> Text:
    """Lays out cells of a `width`, as many as fit near `focus`, with blanks before columns.

    The cursor is drawn in brackets where there is a gap for them before every column.
    """
    rows, cols = shape
    lines, columns = room
    has_brackets = all(gaps)
    top, bottom = _window(rows, max(lines - 2, 1), focus[0])
    left, right = 0, cols
    if _LABEL + width * cols + sum(gaps) > columns:
        fits = max((columns - _LABEL) // (width + min(gaps)), 1)
        left, right = _window(cols, fits, focus[1])
    # What is before the first column belongs to the label.
    gaps = [0, *gaps[left + 1 : right]]
    places = [width * i + sum(gaps[: i + 1]) for i in range(right - left)]
    text = Text(no_wrap=True)
    end = places[-1] + (width + 1 if has_brackets else 1)
    text.append(" " * (_LABEL + width - 1) + _ruler(left, places, end) + "\n", _RULER_STYLE)
    for row in range(top, bottom):
        text.append(f"{row:>{_LABEL - 1}}", _RULER_STYLE)
        for col in range(left, right):
            if col == left or gaps[col - left]:
                text.append(*(_gap((row, col), cursor) if has_brackets else (" ", "")))
            symbol, style = cell(row, col)
            text.append(symbol, _CURSOR_STYLE if (row, col) == cursor else style)
        if has_brackets and (row, right - 1) == cursor:
            text.append(*_gap((row, right), cursor))
        text.append("\n")
    if (bottom - top, right - left) != (rows, cols):
        text.append(
            f"    rows {top}-{bottom - 1} of {rows}, columns {left}-{right - 1} of {cols}\n",
            _RULER_STYLE,
        )
    text.rstrip()
    return text


def _gap(after: tuple[int, int], cursor: tuple[int, int] | None) -> tuple[str, str]:
    """Returns the character in the column before a cell: a bracket of the cursor, or a blank."""
    row, col = after
    if cursor in ((row, col), (row, col - 1)):
        return "[" if cursor == after else "]", "bold"
    return " ", ""


def _ruler(left: int, places: Sequence[int], end: int) -> str:
    """Returns the number of every fifth column at its place; `left` is the first one's number."""
    marks = [" "] * (end + 5)
    for col, place in enumerate(places, left):
        if col % 5 == 0:
            marks[place : place + len(str(col))] = str(col)
    return "".join(marks[:end]).rstrip()


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
