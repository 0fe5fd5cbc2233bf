"""Reads binary files: every field is checked against the end of the file, and errors say where."""

import re
from collections.abc import Iterable

import numpy as np

from jaxsweep.formats.base import MAX_CELLS, FormatError
from jaxsweep.rules.board import Cell, Mask

MAX_TEXT = 4096
"""The longest text of a header."""

_GB2312 = re.compile(rb"(?:[\x00-\x7f]|[\xb0-\xf7][\xa1-\xfe])*")
"""ASCII and the Chinese characters of GB 2312, which are two bytes each."""


class ByteReader:
    """A position in the bytes of a file; numbers are big-endian, as in all formats read here."""

    def __init__(self, data: bytes, offset: int = 0):
        self.data, self.offset = data, offset

    @property
    def is_at_end(self) -> bool:
        """Whether no bytes are left."""
        return self.offset >= len(self.data)

    def take(self, size: int, what: str) -> bytes:
        """Returns the next `size` bytes; `what` names them where the file ends before."""
        end = self.offset + size
        if end > len(self.data):
            raise self._cut(what)
        taken = self.data[self.offset : end]
        self.offset = end
        return taken

    def unsigned(self, size: int, what: str) -> int:
        """Returns an unsigned number of `size` bytes."""
        return int.from_bytes(self.take(size, what), "big")

    def signed(self, size: int, what: str) -> int:
        """Returns a signed number of `size` bytes."""
        return int.from_bytes(self.take(size, what), "big", signed=True)

    def terminated(self, what: str) -> bytes:
        """Returns the bytes before the next zero byte, and skips that."""
        end = self.data.find(b"\0", self.offset, self.offset + MAX_TEXT + 1)
        if end < 0 and len(self.data) - self.offset > MAX_TEXT:
            raise FormatError(f"byte {self.offset}: {what} has no end")
        if end < 0:
            raise self._cut(what)
        text = self.data[self.offset : end]
        self.offset = end + 1
        return text

    def _cut(self, what: str) -> FormatError:
        where = f"in {what} (from byte {self.offset})"
        return FormatError(f"byte {len(self.data)}: the file is cut off, {where}")

    def fail(self, what: str) -> FormatError:
        """Returns an error about the byte before the present one."""
        return FormatError(f"byte {self.offset - 1}: {what}")


def name_of(text: bytes) -> str | None:
    """Returns the name of a player as text without control characters; None if there is none.

    Old programs wrote names in the encoding of their system, which no file tells: what is not UTF-8
    is taken for GB 2312 where that is possible, and for Latin-1 elsewhere.
    """
    try:
        name = text.decode()
    except UnicodeDecodeError:
        name = text.decode("gb2312" if _GB2312.fullmatch(text) else "latin-1", "replace")
    name = "".join(letter for letter in name if letter.isprintable()).strip()
    return name[:100] or None


def check_size(rows: int, cols: int, mines: int, where: str) -> None:
    """Raises `FormatError` if there is no such board; `where` says where the size was read."""
    if not (rows and cols):
        raise FormatError(f"{where}: a board of {rows} rows and {cols} columns")
    if rows * cols > MAX_CELLS:
        raise FormatError(f"{where}: a board of {rows}×{cols} is too large: {MAX_CELLS} cells")
    if mines > rows * cols:
        raise FormatError(f"{where}: {mines} mines on a board of {rows}×{cols}")


def mask_of_mines(
    cells: Iterable[Cell], rows: int, cols: int, where: str, what: str = "mine"
) -> Mask:
    """Returns the mines as a mask; raises `FormatError` for one off the board or listed twice."""
    mines = np.zeros((rows, cols), bool)
    for number, (row, col) in enumerate(cells, start=1):
        if not (0 <= row < rows and 0 <= col < cols):
            raise FormatError(f"{where}: {what} {number}, ({row}, {col}), is not on the board")
        if mines[row, col]:
            raise FormatError(f"{where}: {what} {number}, ({row}, {col}), is listed twice")
        mines[row, col] = True
    return mines


def read_mine_pairs(reader: ByteReader, count: int, what: str = "the mines") -> list[Cell]:
    """Reads `count` mines of two bytes, column and row; returns them as rows and columns."""
    pairs = reader.take(2 * count, what)
    return list(zip(pairs[1::2], pairs[::2], strict=True))
