"""Replays of Vienna Minesweeper (.rmv, versions 1 and 2): read, and written as version 2.

Beside what the mouse did, the events say what every cell showed afterwards; `read_steps` returns
both, so that the rules can be checked against them.
"""

from typing import NamedTuple

from jaxsweep.formats.base import AbstractWritableFormat, Content, FormatError
from jaxsweep.formats.byte_reader import (
    ByteReader,
    check_size,
    mask_of_mines,
    name_of,
    read_mine_pairs,
)
from jaxsweep.formats.conversion import as_game
from jaxsweep.formats.mouse import Mouse, MouseEvent, cell_at, clicks_of
from jaxsweep.formats.rmv_codes import (
    BLAST,
    BOARD_EVENTS,
    MAGIC,
    MOUSE,
    OTHER_END,
    SHORT_MOVE,
    TIMESTAMP,
    WIN,
)
from jaxsweep.formats.rmv_writer import write_game
from jaxsweep.rules.board import Cell
from jaxsweep.rules.clicks import ClickedGame

V1_CORNER = 12, 56
"""Where the board's corner is in the window of version 1, in pixels."""

V1_CELL_SIZE = 16


class Shown(NamedTuple):
    """What a cell showed after an event of the mouse."""

    code: int
    cell: Cell


class Step(NamedTuple):
    """An event of the mouse, and what it changed on the board."""

    event: MouseEvent
    shown: list[Shown]


class RmvReplay(NamedTuple):
    """A file with all that its events say."""

    game: ClickedGame
    steps: list[Step]


class Rmv(AbstractWritableFormat):
    """The replays of Vienna Minesweeper."""

    title = "Vienna Minesweeper replay"
    suffixes = (".rmv",)
    is_text = False

    def recognises(self, data: bytes) -> bool:
        """Looks at the first bytes."""
        return data.startswith(MAGIC)

    def read(self, data: bytes) -> list[Content]:
        """Reads one game."""
        return [read_steps(data).game]

    def write(self, content: Content) -> bytes:
        """Writes version 2; times that are not known are made up, a second a click."""
        return write_game(as_game(content))


def read_steps(data: bytes) -> RmvReplay:
    """Reads a game and all that its events say."""
    reader = ByteReader(data)
    reader.take(len(MAGIC), "the signature")
    version = reader.unsigned(2, "the version")
    if version not in (1, 2):
        raise reader.fail(f"version {version} of this format; 1 and 2 are read")
    reader.take(4 if version == 1 else 6, "the size of the file")
    names = ["the result"] * (version == 1) + ["the version", "the player", "the board"]
    names += ["the flags", "the properties"] + ["the extensions"] * (version == 2)
    sizes = {name: reader.unsigned(2, f"the size of {name}") for name in names}
    reader.take(6, "the sizes of the events and of the checksum")
    reader.take(sizes.get("the result", 0), "the result")
    reader.take(sizes["the version"], "the version of the program")
    fields = [
        reader.take(reader.unsigned(1, "the player"), "the player")
        for _ in range(reader.unsigned(2, "the player"))
    ]
    reader.take(4, "the time of the deal")
    at = f"byte {reader.offset}"
    cols, rows = (reader.unsigned(1, "the size of the board") for _ in range(2))
    count = reader.unsigned(2, "the number of mines")
    check_size(rows, cols, count, at)
    cells = read_mine_pairs(reader, count)
    mines = mask_of_mines(cells, rows, cols, f"byte {reader.offset - 2 * count}")
    preflags = _read_preflags(reader, sizes["the flags"], rows, cols)
    properties = reader.take(sizes["the properties"], "the properties")
    size, corner = V1_CELL_SIZE, V1_CORNER
    is_utf8 = properties[4:5] == b"\1"
    if version == 2:
        _skip_extensions(reader)
        is_utf8, corner, size = True, (0, 0), properties[6] if len(properties) > 6 else 0
        if not size:
            raise reader.fail("the properties name no size of a cell")
    player = _player(fields, is_utf8)
    steps = [Step(MouseEvent(Mouse.FLAG_BEFORE, 0.0, cell), []) for cell in preflags]
    read, milliseconds = _read_events(reader, version, size, corner, (rows, cols))
    steps += _with_first_press(read)
    clicks = clicks_of((step.event for step in steps), mines)
    return RmvReplay(ClickedGame(mines, clicks, milliseconds / 1000, player), steps)


def _player(fields: list[bytes], is_utf8: bool) -> str | None:
    """Returns the name; where names are to be UTF-8, raises `FormatError` if one is not."""
    if is_utf8:
        for number, field in enumerate(fields, start=1):
            try:
                field.decode()
            except UnicodeDecodeError as error:
                what = f"field {number} of the player is not UTF-8: its byte {error.start}"
                raise FormatError(f"{what} is {field[error.start]:#04x}") from None
    return name_of(fields[0]) if fields else None


def _read_preflags(reader: ByteReader, size: int, rows: int, cols: int) -> list[Cell]:
    """Reads the flags that were set before the first click."""
    if not size:
        return []
    start, count = reader.offset, reader.unsigned(2, "the number of flags")
    cells = read_mine_pairs(reader, count, "the flags")
    mask_of_mines(cells, rows, cols, f"byte {start}, flags")
    return cells


def _skip_extensions(reader: ByteReader) -> None:
    for _ in range(reader.unsigned(2, "the number of extensions")):
        for _ in range(2):
            reader.take(reader.unsigned(1, "an extension"), "an extension")


def _with_first_press(steps: list[Step]) -> list[Step]:
    """Returns the events with the press that some programs leave out: that of the first click."""
    first = next((step.event for step in steps if step.event.what is not Mouse.MOVE), None)
    if first is None or first.what is not Mouse.LEFT_RELEASE:
        return steps
    return [Step(first._replace(what=Mouse.LEFT_PRESS), []), *steps]


def _read_events(
    reader: ByteReader,
    version: int,
    size: int,
    corner: tuple[int, int],
    shape: tuple[int, int],
) -> tuple[list[Step], int]:
    """Reads the events, until the game ends; returns them and when it did, in milliseconds."""
    steps, now, x, y = [], 0, 0, 0
    number = reader.signed if version == 2 else reader.unsigned
    while True:
        code = reader.unsigned(1, "the events")
        if code in MOUSE:
            now = reader.unsigned(3, "an event")
            reader.take(1, "an event")
            x, y = (number(2, "an event") - start for start in corner)
        elif code == SHORT_MOVE and version == 2:
            now += reader.unsigned(1, "a move")
            both = reader.unsigned(1, "a move")
            x, y = x + _nibble(both >> 4), y + _nibble(both & 15)
        elif code in BOARD_EVENTS:
            col, row = reader.take(2, "an event of the board")
            if not (row < shape[0] and col < shape[1]):
                raise reader.fail(f"the cell ({row}, {col}) is not on the board")
            if steps:
                steps[-1].shown.append(Shown(code, (row, col)))
            continue
        elif code in (BLAST, WIN, OTHER_END):
            return steps, reader.unsigned(3, "the end of the game")
        elif code == TIMESTAMP and version == 1:
            reader.take(4, "a time")
            continue
        else:
            raise reader.fail(f"no event has the code {code}")
        what = MOUSE.get(code, Mouse.MOVE)
        steps.append(Step(MouseEvent(what, now / 1000, cell_at(x, y, size, shape)), []))


def _nibble(bits: int) -> int:
    """Returns four bits as a signed number."""
    return bits - 16 if bits >= 8 else bits
