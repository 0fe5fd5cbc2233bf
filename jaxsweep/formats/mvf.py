"""Replays of Minesweeper Clone (.mvf): of 0.97, 2006 and 2007.

The bits of every event are scrambled by a permutation, which follows from a number in the file: the
decimal digits of sines and cosines say in which order the bits come. Older versions have no header.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from jaxsweep.formats.base import AbstractFormat, Content, FormatError
from jaxsweep.formats.byte_reader import (
    ByteReader,
    check_size,
    mask_of_mines,
    name_of,
    read_mine_pairs,
)
from jaxsweep.formats.mouse import MAX_EVENTS, Mouse, MouseEvent, cell_at, clicks_of
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

BUTTON_BITS = 2, 0, 1
"""The bits of an event that say whether the left, the right and the middle button are down."""


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
        clicks = clicks_of(_events(reader, version, mines.shape), mines)
        return [ClickedGame(mines, clicks, round(seconds, 3), player)]


def _events(reader: ByteReader, version: _Version, shape: tuple[int, ...]) -> Iterator[MouseEvent]:
    """Yields an event for every button that changes."""
    samples = _samples(reader, version)
    buttons = samples.buttons
    was = np.vstack([np.zeros((1, buttons.shape[1]), bool), buttons[:-1]])
    for number, button in np.argwhere(buttons != was).tolist():
        press, release = _BUTTONS[button]
        at = cell_at(int(samples.x[number]), int(samples.y[number]), CELL_SIZE, shape)
        what = press if buttons[number, button] else release
        yield MouseEvent(what, int(samples.milliseconds[number]) / 1000, at)


class _Samples(NamedTuple):
    """Where the mouse was, and when, at each event."""

    buttons: Bool[np.ndarray, "events 3"]
    """Whether each button is down: left, right, middle."""
    x: Int64[np.ndarray, " events"]
    y: Int64[np.ndarray, " events"]
    milliseconds: Int64[np.ndarray, " events"]


def _samples(reader: ByteReader, version: _Version) -> _Samples:
    """Puts the bits of all events in order."""
    size = version.event_bytes
    order = _permutation(reader.unsigned(2, "the key of the events"), 8 * size)
    count = reader.unsigned(3, "the number of events")
    if count > MAX_EVENTS:
        raise reader.fail(f"{count} events: no game has more than {MAX_EVENTS}")
    scrambled = np.frombuffer(reader.take(size * count, "the events"), np.uint8)
    bits = np.unpackbits(scrambled.reshape(count, size), axis=1, bitorder="little")[:, order]

    def number(first: int, digits: int) -> Int64[np.ndarray, " events"]:
        return bits[:, first : first + digits] @ (1 << np.arange(digits))

    milliseconds = number(25, 22) if size == 6 else 1000 * number(28, 10) + 10 * number(21, 7)
    x, y = (number(*place) - version.margin for place in (version.x, version.y))
    return _Samples(bits[:, list(BUTTON_BITS)].astype(bool), x, y, milliseconds)


_BUTTONS = (
    (Mouse.LEFT_PRESS, Mouse.LEFT_RELEASE),
    (Mouse.RIGHT_PRESS, Mouse.RIGHT_RELEASE),
    (Mouse.MIDDLE_PRESS, Mouse.MIDDLE_RELEASE),
)
"""What happens when a button changes, in the order of `BUTTON_BITS`."""


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
