"""Links to the ZiNi calculators, of llamasweeper and of PTTACGfans: boards, read and written.

`b` is the size: 1, 2 or 3 for the usual levels, or the columns and the rows in as many decimal
digits each; `m` the mines in base 32, five cells a letter, the first in the highest bit.
"""

from typing import ClassVar

import numpy as np

from jaxsweep.formats.base import AbstractWritableFormat, Content, FormatError
from jaxsweep.formats.byte_reader import check_size
from jaxsweep.formats.conversion import as_game
from jaxsweep.formats.link import fields_of
from jaxsweep.formats.text import clip
from jaxsweep.rules.clicks import ClickedGame

DIGITS = "0123456789abcdefghijklmnopqrstuv"
BITS = 5
SIZES = {"1": (9, 9), "2": (16, 16), "3": (16, 30)}
"""Rows and columns of the levels that have a short name."""


class _ZiniLink(AbstractWritableFormat):
    """Links of the same form to one page or another."""

    suffixes = ()
    url: ClassVar[str]

    def recognises(self, data: bytes) -> bool:
        """Looks for the size of a board."""
        return "b" in fields_of(data)

    def read(self, data: bytes) -> list[Content]:
        """Reads one board."""
        fields = fields_of(data)
        rows, cols = _size(fields["b"])
        check_size(rows, cols, 0, "b")
        text = fields.get("m", "").lower()
        for place, letter in enumerate(text, start=1):
            if letter not in DIGITS:
                raise FormatError(f"letter {place} of m: {letter!r} is none of base 32")
        expected = -(-rows * cols // BITS)
        if text and len(text) != expected:
            raise FormatError(f"m has {len(text)} letters; {rows}×{cols} cells take {expected}")
        values = np.array([[DIGITS.index(letter)] for letter in text or "0" * expected], np.uint8)
        bits = np.unpackbits(values, axis=1)[:, -BITS:].ravel().astype(bool)
        if bits[rows * cols :].any():
            raise FormatError(f"letter {expected} of m: a mine after the last cell")
        return [ClickedGame(bits[: rows * cols].reshape(rows, cols))]

    def write(self, content: Content) -> bytes:
        """Writes the mines of a game."""
        mines = as_game(content).mines
        rows, cols = mines.shape
        width = len(str(max(rows, cols)))
        sizes = {shape: name for name, shape in SIZES.items()}
        size = sizes.get((rows, cols), f"{cols:0{width}}{rows:0{width}}")
        padded = np.append(mines.ravel(), np.zeros(-mines.size % BITS, bool)).reshape(-1, BITS)
        values = padded @ (1 << np.arange(BITS)[::-1])
        text = "".join(DIGITS[value] for value in values)
        return f"{self.url}?b={size}&m={text}\n".encode()


class Llamasweeper(_ZiniLink):
    """Links to llamasweeper; those to other pages of this form are read as well."""

    title = "llamasweeper link"
    url = "https://llamasweeper.com/#/game/zini-explorer"


class Pttacg(_ZiniLink):
    """Links to the calculator of PTTACGfans."""

    title = "PTTACGfans ZiNi calculator link"
    url = "https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/"


def _size(text: str) -> tuple[int, int]:
    """Returns rows and columns."""
    if text in SIZES:
        return SIZES[text]
    half = len(text) // 2
    if not (text.isascii() and text.isdigit() and 2 <= len(text) <= 8 and len(text) % 2 == 0):
        raise FormatError(f"b must be 1, 2, 3, or the columns and rows, not {clip(text)}")
    return int(text[half:]), int(text[:half])
