"""Replays of Metasweeper (.evf, versions 0 to 4): read, and written as version 4 without signature.

Numbers are big-endian, texts end in a zero byte. Versions 0 to 3 hold every event with its time
and place; version 4 holds differences, and pauses where these are too long. Official replays are
signed by a program that is not public, so what is written here says that it is neither official nor
fair, and that it was transcoded.
"""

from collections.abc import Iterator

import numpy as np

from jaxsweep.formats.base import AbstractWritableFormat, Content, FormatError, check_sides
from jaxsweep.formats.byte_reader import ByteReader, check_size, name_of
from jaxsweep.formats.conversion import as_game
from jaxsweep.formats.mouse import (
    Mouse,
    MouseEvent,
    cell_at,
    centre_of,
    clicks_of,
    milliseconds_of,
    timed_clicks,
    written_name,
)
from jaxsweep.metrics.board import BoardValue
from jaxsweep.rules.board import Mask
from jaxsweep.rules.clicks import Button, ClickedGame

_ORDER = ("mv", "lc", "lr", "rc", "rr", "mc", "mr", "pf", "cc", "l", "r", "m")
MOUSE = dict(enumerate(map(Mouse, _ORDER), start=1))
"""Events of the mouse by their codes."""

CODES = {mouse: code for code, mouse in MOUSE.items()}

END, END_UNSIGNED, PAUSE = 0, 255, 255
CHECKSUM = 32
"""The bytes of the checksum, which signed files of versions 0 to 3 end with."""

STATES, BOARD_EVENTS = (81, 82, 83, 92, 93, 94, 99), range(100, 122)
NUMBER_METRIC, TEXT_METRIC = 200, 201
OTHER_EVENTS = {*STATES, *BOARD_EVENTS, NUMBER_METRIC, TEXT_METRIC}
CELL_SIZE = 16
"""The size of cells in files that are written, in pixels."""

MAX_WAIT = 255
"""The longest time between events without a pause, in milliseconds."""
MAX_PAUSE = 2**16 - 1


class Evf(AbstractWritableFormat):
    """The replays of Metasweeper."""

    title = "Metasweeper replay"
    suffixes = (".evf",)
    is_text = False

    def recognises(self, data: bytes) -> bool:
        """Looks at the version, the reserved bits and the size of the board."""
        if len(data) < 16 or data[0] > 4:
            return False
        flags = 0x07 if data[0] == 4 else 0x0F
        at = 3 if data[0] >= 3 else 2
        rows, cols, mines = data[at], data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        size, mode = data[at + 4], int.from_bytes(data[at + 5 : at + 7], "big")
        return (
            not data[1] & flags
            and (at == 2 or not data[2] & 0x1F)
            and rows * cols > 0
            and mines <= rows * cols
            and size > 0
            and (mode <= 32 or mode == 0xFFFF)
        )

    def read(self, data: bytes) -> list[Content]:
        """Reads one game."""
        return [read_game(data)]

    def write(self, content: Content) -> bytes:
        """Writes version 4; times that are not known are made up, a second a click."""
        return write_game(as_game(content))


def read_game(data: bytes) -> ClickedGame:
    """Reads a game of any version."""
    reader = ByteReader(data)
    version = reader.unsigned(1, "the version")
    if version > 4:
        raise reader.fail(f"version {version} of this format; 0 to 4 are read")
    flags = reader.unsigned(1, "the flags")
    if version >= 3:
        reader.take(1, "the settings")
    at = f"byte {reader.offset}"
    rows, cols = (reader.unsigned(1, f"the number of {what}") for what in ("rows", "columns"))
    count = reader.unsigned(2, "the number of mines")
    check_size(rows, cols, count, at)
    size = reader.unsigned(1, "the size of a cell")
    if not size:
        raise reader.fail("cells of no size")
    reader.take(4, "the mode and the 3BV")
    milliseconds = reader.unsigned(4 if version == 4 else 3, "the time")
    player = (_read_texts_v4 if version == 4 else _read_texts)(reader, version, flags)
    mines = _read_mines(reader, rows, cols, count)
    if version == 4:
        for _ in range(reader.unsigned(2, "the number of metrics")):
            reader.terminated("the name of a metric")
        events = _events_v4(reader, size, mines.shape)
    else:
        events = _events(reader, size, mines.shape)
    clicks = clicks_of(events, mines)
    return ClickedGame(mines, clicks, milliseconds / 1000, name_of(player))


def _read_texts(reader: ByteReader, version: int, flags: int) -> bytes:
    """Skips the texts of a header before version 4, and returns the player's name."""
    names = ["the software", "the player", "the race", "the player's unique name", "the start"]
    names += ["the end", "the country"] + (["the device"] if version >= 2 else [])
    return [reader.terminated(name) for name in names][1]


def _read_texts_v4(reader: ByteReader, version: int, flags: int) -> bytes:
    """Skips the texts and times of a header of version 4, and returns the player's name."""
    reader.take(18, "the country and the times")
    reader.terminated("the software")
    if flags & 0x08:
        reader.terminated("the transcoding software")
        reader.terminated("the original encoding")
    player = reader.terminated("the player")
    reader.terminated("the race")
    reader.terminated("the player's unique name")
    reader.take(reader.unsigned(2, "the length of the device"), "the device")
    return player


def _read_mines(reader: ByteReader, rows: int, cols: int, count: int) -> Mask:
    bits = np.frombuffer(reader.take((rows * cols + 7) // 8, "the mines"), np.uint8)
    mines = np.unpackbits(bits)[: rows * cols].reshape(rows, cols).astype(bool)
    if mines.sum() != count:
        raise reader.fail(f"{count} mines, but the board has {int(mines.sum())}")
    return mines


def _events(reader: ByteReader, size: int, shape: tuple[int, ...]) -> Iterator[MouseEvent]:
    """Yields the events of versions 0 to 3: code, time, x and y."""
    while (code := reader.unsigned(1, "the events")) not in (END, END_UNSIGNED):
        if code not in MOUSE:
            raise reader.fail(f"no event has the code {code}")
        milliseconds = reader.unsigned(3, "an event")
        x, y = reader.unsigned(2, "an event"), reader.unsigned(2, "an event")
        yield MouseEvent(MOUSE[code], milliseconds / 1000, cell_at(x, y, size, shape))
    rest = len(reader.data) - reader.offset
    if rest != (CHECKSUM if code == END else 0):
        raise reader.fail(f"the events end, but {rest} bytes follow")


def _events_v4(reader: ByteReader, size: int, shape: tuple[int, ...]) -> Iterator[MouseEvent]:
    """Yields the mouse events of version 4, which are differences to those before."""
    now = x = y = 0
    while (code := reader.unsigned(1, "the events")) != END:
        if code == PAUSE:
            now += reader.unsigned(2, "a pause")
            continue
        if code not in MOUSE and code not in OTHER_EVENTS:
            raise reader.fail(f"no event has the code {code}")
        now += reader.unsigned(1, "an event")
        if code in MOUSE:
            x, y = x + reader.signed(2, "an event"), y + reader.signed(2, "an event")
            yield MouseEvent(MOUSE[code], now / 1000, cell_at(x, y, size, shape))
        elif code in BOARD_EVENTS:
            reader.take(2, "an event of the board")
        elif code == NUMBER_METRIC:
            reader.take(10, "a metric")
        elif code == TEXT_METRIC:
            reader.take(2, "a metric")
            reader.terminated("a metric")


def write_game(game: ClickedGame) -> bytes:
    """Returns a game as the bytes of a file of version 4."""
    check_sides(game.mines, ".evf")
    rows, cols = game.mines.shape
    milliseconds = milliseconds_of(game)
    if milliseconds >= 2**32:
        raise FormatError(f".evf holds no game of {game.seconds:.0f} s")
    is_no_flag = not any(click.button is Button.RIGHT for click in game.clicks)
    data = bytearray([4, 0x08 | (0x10 if is_no_flag else 0), 0, rows, cols])
    data += int(game.mines.sum()).to_bytes(2, "big") + bytes([CELL_SIZE])
    data += bytes(2) + BoardValue.of(game.mines).bbbv.to_bytes(2, "big")
    data += milliseconds.to_bytes(4, "big")
    data += b"XX" + bytes(16)
    texts = ("jaxsweep", "jaxsweep", "utf-8", written_name(game), "", "")
    data += b"".join(text.encode() + b"\0" for text in texts)
    data += bytes(2) + np.packbits(game.mines).tobytes() + bytes(2)
    return bytes(data + _event_bytes(game) + bytes([END, 0, 0]))


def _event_bytes(game: ClickedGame) -> bytes:
    data, now, at = bytearray(), 0, (0, 0)
    for timed in timed_clicks(game):
        place = centre_of(timed.cell, CELL_SIZE)
        for mouse in timed.mouse:
            wait = timed.milliseconds - now
            while wait > MAX_WAIT:
                pause = min(wait, MAX_PAUSE)
                data += bytes([PAUSE]) + pause.to_bytes(2, "big")
                wait -= pause
            data += bytes([CODES[mouse], wait])
            for after, before in zip(place, at, strict=True):
                data += (after - before).to_bytes(2, "big", signed=True)
            now, at = timed.milliseconds, place
    return bytes(data)
