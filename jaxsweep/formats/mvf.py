"""Replays of Minesweeper Clone (.mvf): of 0.97, 2006 and 2007.

The bits of every event are scrambled by a permutation, which follows from a number in the file: the
decimal digits of sines and cosines say in which order the bits come. Older versions have no header.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from jaxsweep.formats.base import AbstractFormat, Content, FormatError
from jaxsweep.formats.byte_reader import (
    ByteReader,
    check_size,
    mask_of_mines,
    name_of,
    read_mine_pairs,
)
from jaxsweep.formats.mouse import Mouse, MouseEvent, cell_at, clicks_of
from jaxsweep.rules.clicks import ClickedGame

MAGIC = b"\x11\x4d"
YEAR = 27
"""The place of the last digit of the year, which tells the versions apart."""

CELL_SIZE = 16
OLD_LEVELS = (bytes([8, 8, 0, 10]), bytes([16, 16, 0, 40]), bytes([30, 16, 0, 99]))
"""What files of 0.96 and before begin with; boards alone (.mbf) do as well, but end sooner."""


class _Version(NamedTuple):
    """Where a version has what. Fields of an event are the first bit and the number of bits."""

    start: int
    """Where the header begins."""
    time_bytes: int
    """The bytes between the mode and the size of the board: the time first."""
    event_bytes: int
    x: tuple[int, int]
    y: tuple[int, int]
    margin: int
    """What is added to x and y."""


_VERSIONS = {
    "5": _Version(74, 14, 5, (12, 9), (3, 9), 0),
    "6": _Version(71, 4, 6, (14, 11), (3, 11), 32),
    "7": _Version(71, 4, 6, (14, 11), (3, 11), 32),
    "8": _Version(74, 14, 5, (12, 9), (3, 9), 0),
}
"""0.97, 2006, 2007, and a variant of 0.97 from 2008, by the last digit of the year."""

RIGHT, MIDDLE, LEFT = 0, 1, 2
"""The bits of the buttons."""


class Mvf(AbstractFormat):
    """The replays of Minesweeper Clone."""

    title = "Minesweeper Clone replay"

    def recognises(self, data: bytes) -> bool:
        """Looks at the first bytes, also for versions that are not read."""
        is_old = data[:4] in OLD_LEVELS and len(data) > 4 + 2 * data[3]
        return data[:2] == MAGIC or is_old

    def read(self, data: bytes) -> list[Content]:
        """Reads one game."""
        if data[:2] != MAGIC:
            raise FormatError("byte 0: Minesweeper Clone 0.96 or before; 0.97 to 2007 are read")
        ByteReader(data).take(YEAR + 1, "the header")
        version = _VERSIONS.get(chr(data[YEAR]))
        if version is None:
            raise FormatError(f"byte {YEAR}: an unknown version of Minesweeper Clone")
        reader = ByteReader(data, version.start)
        reader.take(9, "the date, the level and the mode")
        time = reader.take(version.time_bytes, "the time")
        if version.event_bytes == 5:
            seconds = int.from_bytes(time[:2], "big") + time[2] / 100
        else:
            seconds = int.from_bytes(time[:3], "big") / 1000
        at = f"byte {reader.offset}"
        cols, rows = (reader.unsigned(1, "the size of the board") for _ in range(2))
        count = reader.unsigned(2, "the number of mines")
        check_size(rows, cols, count, at)
        cells = [(row - 1, col - 1) for row, col in read_mine_pairs(reader, count)]
        mines = mask_of_mines(cells, rows, cols, f"byte {reader.offset - 2 * count}")
        player = name_of(reader.take(reader.unsigned(1, "the length of the name"), "the name"))
        events = list(_events(reader, version, mines.shape))
        return [ClickedGame(mines, clicks_of(events, mines), round(seconds, 3), player)]


def _events(reader: ByteReader, version: _Version, shape: tuple[int, ...]) -> Iterator[MouseEvent]:
    """Yields an event for every button that changes."""
    size = version.event_bytes
    order = _permutation(reader.unsigned(2, "the key of the events"), 8 * size)
    count = reader.unsigned(3, "the number of events")
    was = dict.fromkeys(_BUTTONS, False)
    for _ in range(count):
        scrambled = int.from_bytes(reader.take(size, "the events"), "little")
        plain = sum((scrambled >> place & 1) << bit for bit, place in enumerate(order))
        x, y = (_bits(plain, *place) - version.margin for place in (version.x, version.y))
        if size == 5:
            milliseconds = 1000 * _bits(plain, 28, 10) + 10 * _bits(plain, 21, 7)
        else:
            milliseconds = _bits(plain, 25, 22)
        for button, (press, release) in _BUTTONS.items():
            is_down = bool(plain >> button & 1)
            if is_down is not was[button]:
                what, was[button] = press if is_down else release, is_down
                yield MouseEvent(what, milliseconds / 1000, cell_at(x, y, CELL_SIZE, shape))


def _bits(value: int, first: int, count: int) -> int:
    """Returns a field of so many bits."""
    return value >> first & (1 << count) - 1


_BUTTONS = {
    LEFT: (Mouse.LEFT_PRESS, Mouse.LEFT_RELEASE),
    RIGHT: (Mouse.RIGHT_PRESS, Mouse.RIGHT_RELEASE),
    MIDDLE: (Mouse.MIDDLE_PRESS, Mouse.MIDDLE_RELEASE),
}


def _permutation(key: int, bits: int) -> list[int]:
    """Returns the place of every bit: those of digit 0 first, each digit's in order."""
    first = math.sqrt(key)
    second, third = math.sqrt(key + 1000.0), math.sqrt(first + 1000.0)
    fourth = math.sqrt(second + 1000.0)
    values = [
        math.cos(third + 1000.0),
        math.sin(math.sqrt(second)),
        math.cos(third),
        math.sin(math.sqrt(first) + 1000.0),
        math.cos(fourth),
        math.sin(fourth),
    ]
    digits = "".join(f"{round(abs(value) * 1e8):08d}"[:8] for value in values)[:bits]
    return sorted(range(bits), key=lambda place: digits[place])
