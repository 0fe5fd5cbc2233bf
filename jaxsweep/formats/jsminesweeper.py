"""Links to JSMinesweeper's analyser: positions, read and written.

The board is text in letters of base 62: two for the width, two for the height, four for the number
of mines, and then runs of equal cells in reading order. Each kind of cell has letters of its own,
which are the digits of the run's length, so that a change of letters begins the next run.

Beside hidden cells (H) there are cells that are certainly mines: flagged (F) and not (I). The
numbers around these are smaller by one for each; flags that do not change numbers are O.
"""

import itertools
import string
from collections.abc import Iterator

import numpy as np

from jaxsweep.formats.base import AbstractWritableFormat, Content, FormatError
from jaxsweep.formats.byte_reader import check_size
from jaxsweep.formats.conversion import as_position
from jaxsweep.formats.link import fields_of
from jaxsweep.rules.grid import FLAGGED, HIDDEN, neighbour_counts
from jaxsweep.rules.notation import GridPosition

URL = "https://davidnhill.github.io/JSMinesweeper/?analysis="

DIGITS = string.ascii_lowercase + string.ascii_uppercase + string.digits
"""The digits of base 62, from 0."""

KINDS = {
    "0": 10,
    "1": 7,
    "2": 5,
    "3": 5,
    "4": 4,
    "5": 3,
    "6": 3,
    "7": 1,
    "8": 1,
    "I": 4,
    "H": 10,
    "F": 8,
    "O": 1,
}
"""How many letters each kind of cell has, in the order of the letters."""

VALUES = {"I": HIDDEN, "H": HIDDEN, "F": FLAGGED, "O": FLAGGED}
"""The kinds of cells that are not numbers, as they are seen."""

MAX_DIGITS = 10
"""More digits than any run has."""

_STARTS = dict(zip(KINDS, itertools.accumulate(KINDS.values(), initial=0), strict=False))
_LETTERS = {
    kind: DIGITS[_STARTS[kind] : _STARTS[kind] + letters] for kind, letters in KINDS.items()
}
_KIND_OF = {letter: kind for kind, letters in _LETTERS.items() for letter in letters}


class JSMinesweeper(AbstractWritableFormat):
    """Links to JSMinesweeper."""

    title = "JSMinesweeper link"
    suffixes = ()

    def recognises(self, data: bytes) -> bool:
        """Looks for a position, or for a game that is dealt from a seed, which is not read."""
        fields = fields_of(data)
        return "analysis" in fields or "board" in fields

    def read(self, data: bytes) -> list[Content]:
        """Reads one position."""
        fields = fields_of(data)
        if "analysis" not in fields:
            raise FormatError("a game from a seed, which only JSMinesweeper deals")
        text = fields["analysis"]
        for place, letter in enumerate(text, start=1):
            if letter not in _KIND_OF:
                raise FormatError(f"letter {place} of the position: {letter!r} is none of base 62")
        if len(text) < 8:
            raise FormatError("letter 1 of the position: too short for the size of a board")
        cols, rows, count = (_number(part, DIGITS) for part in (text[:2], text[2:4], text[4:8]))
        check_size(rows, cols, count, "letter 1 of the position")
        kinds = _cells(text[8:], rows * cols).reshape(rows, cols)
        deflating = (kinds == "I") | (kinds == "F")
        grid = np.zeros((rows, cols), np.int8)
        for kind in KINDS:
            grid[kinds == kind] = VALUES[kind] if kind in VALUES else int(kind)
        around = neighbour_counts(deflating)
        grid = np.where(grid >= 0, grid + around, grid).astype(np.int8)
        for row, col in np.argwhere(grid > 8):
            raise FormatError(f"({row}, {col}) shows {grid[row, col]}: more than 8")
        return [GridPosition(grid, count)]

    def write(self, content: Content) -> bytes:
        """Writes a position; of a game, what was seen at its end."""
        grid, count = as_position(content)
        rows, cols = grid.shape
        names = {HIDDEN: "H", FLAGGED: "O"} | {number: str(number) for number in range(9)}
        sizes = _digits(cols, DIGITS, 2) + _digits(rows, DIGITS, 2) + _digits(count, DIGITS, 4)
        runs = itertools.groupby(names[int(cell)] for cell in grid.ravel())
        return f"{URL}{sizes}{''.join(_run(kind, len(list(run))) for kind, run in runs)}\n".encode()


def _cells(text: str, cells: int) -> np.ndarray:
    """Returns the kinds of all cells in reading order."""
    kinds, lengths = [], []
    for place, kind, run in _runs(text):
        kinds.append(kind)
        lengths.append(run)
        if run > cells:
            raise FormatError(f"letter {place} of the position: {run} cells of a board of {cells}")
    if sum(lengths) != cells:
        raise FormatError(f"the position has {sum(lengths)} cells, but the board {cells}")
    return np.repeat(np.array(kinds, "<U1"), lengths)


def _runs(text: str) -> Iterator[tuple[int, str, int]]:
    """Yields the place of each run in the text, its kind and its length."""
    for kind, places in itertools.groupby(range(len(text)), lambda place: _KIND_OF[text[place]]):
        first, *others = places
        letters = text[first : first + 1 + len(others)]
        if KINDS[kind] == 1:
            yield first + 9, kind, len(letters)
        elif len(letters) > MAX_DIGITS:
            raise FormatError(f"letter {first + 9} of the position: a run of too many cells")
        else:
            yield first + 9, kind, _number(letters, _LETTERS[kind])


def _number(text: str, digits: str) -> int:
    """Reads a whole number, the digit of most weight first."""
    value = 0
    for letter in text:
        value = value * len(digits) + digits.index(letter)
    return value


def _run(kind: str, length: int) -> str:
    letters = _LETTERS[kind]
    return letters * length if len(letters) == 1 else _digits(length, letters, 1)


def _digits(value: int, digits: str, least: int) -> str:
    """Writes a whole number with at least so many digits; raises `FormatError` for a long size."""
    text = ""
    while value:
        value, digit = divmod(value, len(digits))
        text = digits[digit] + text
    return text.rjust(least, digits[0])
