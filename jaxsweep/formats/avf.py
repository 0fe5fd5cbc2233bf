"""Replays of Minesweeper Arbiter (.avf).

The format has no public specification. A file holds the level and its mines; after bytes whose
meaning is not known, the dates, the 3BV and the time as text in brackets; events of eight bytes;
and texts such as the name of the player.
"""

import re
from collections.abc import Iterator

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

LEVELS = {3: (8, 8, 10), 4: (16, 16, 40), 5: (16, 30, 99)}
"""Rows, columns and mines by the number of the level."""

CUSTOM = 6
CELL_SIZE = 16
HEADER = 6
"""The bytes before the mines, or before the size of a custom board."""

_BRACKET = re.compile(rb"\[[0-3]\|[^\]]{0,400}B([0-9]{1,5})T([0-9]{1,7})[.,]([0-9]{1,3})\]")
"""What the game was: mode, dates, 3BV and time, such as `[0|…|…|B28T4.07]`."""

_FIRST_EVENT = re.compile(
    rb"[\x01\x03\x05\x09\x0b\x11\x15\x21\x41\x91\xc1][\x00-\x0f]\x01.[\x00-\x63][\x00-\x0f]\x00.",
    re.DOTALL,
)
"""The first event, which is in the first second: a usual code, and high bytes of x and y that are
on a board. How many bytes come before it is not known."""

MAX_HEADER = 2**18
"""The brackets are within so many bytes: the mines before them take half of these at most."""

_NAME = re.compile(rb"Skin:[^\r]{0,200}\r\n?([^\r\n]{0,200})\r")

_BUTTONS = {
    2: Mouse.LEFT_PRESS,
    4: Mouse.LEFT_RELEASE,
    8: Mouse.RIGHT_PRESS,
    16: Mouse.RIGHT_RELEASE,
    32: Mouse.MIDDLE_PRESS,
    64: Mouse.MIDDLE_RELEASE,
}
"""The bits of an event's code; bit 1 is set in all of them."""


class Avf(AbstractFormat):
    """The replays of Arbiter."""

    title = "Minesweeper Arbiter replay"

    def recognises(self, data: bytes) -> bool:
        """Looks for the number of the level, and the text in brackets."""
        is_level = len(data) > HEADER and (data[5] in LEVELS or data[5] == CUSTOM)
        return is_level and _BRACKET.search(data, HEADER, MAX_HEADER) is not None

    def read(self, data: bytes) -> list[Content]:
        """Reads one game."""
        reader = ByteReader(data)
        level = reader.take(HEADER, "the header")[5]
        if level == CUSTOM:
            cols, rows = (reader.unsigned(1, "the size of the board") + 1 for _ in range(2))
            count = reader.unsigned(2, "the number of mines")
        elif level in LEVELS:
            rows, cols, count = LEVELS[level]
        else:
            raise reader.fail(f"no level has the number {level}")
        check_size(rows, cols, count, f"byte {HEADER}")
        cells = read_mine_pairs(reader, count)
        # Counted from 1, the row first.
        pairs = [(row - 1, col - 1) for col, row in cells]
        mines = mask_of_mines(pairs, rows, cols, f"byte {reader.offset - 2 * count}")
        about = _BRACKET.search(data, reader.offset, MAX_HEADER)
        if about is None:
            raise FormatError(f"byte {reader.offset}: no dates and time in brackets follow")
        # The time is a second more than it was, as those of the events are.
        seconds = round(float(b"%b.%b" % (about[2], about[3])) - 1.0, 3)
        if seconds < 0:
            raise FormatError(f"byte {about.start(2)}: the game took less than no time")
        first = _FIRST_EVENT.search(data, about.end())
        if first is None:
            raise FormatError(f"byte {about.end()}: no events follow")
        reader.offset = first.start()
        clicks = clicks_of(_events(reader, mines.shape), mines)
        name = _NAME.search(data, reader.offset)
        player = None if name is None else name_of(name[1])
        return [ClickedGame(mines, clicks, seconds, player)]


def _events(reader: ByteReader, shape: tuple[int, ...]) -> Iterator[MouseEvent]:
    """Yields the events, until one in no second."""
    while True:
        code, x_high, s_low, x_low, hundredths, y_high, s_high, y_low = reader.take(8, "an event")
        second = 256 * s_high + s_low
        if not second:
            return
        if not code & 1:
            raise FormatError(f"byte {reader.offset - 8}: no event has the code {code}")
        at = cell_at(256 * x_high + x_low, 256 * y_high + y_low, CELL_SIZE, shape)
        milliseconds = 1000 * (second - 1) + 10 * hundredths
        for bit, what in _BUTTONS.items():
            if code & bit:
                yield MouseEvent(what, milliseconds / 1000, at)
