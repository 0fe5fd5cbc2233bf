"""Replays of Vienna Minesweeper (.rmv, versions 1 and 2): read, and written as version 2.

Beside what the mouse did, the events say what every cell showed afterwards; `read_steps` returns
both, so that the rules can be checked against them.
"""

from collections import deque
from collections.abc import Iterator
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
from jaxsweep.formats.mouse import MAX_EVENTS, Mouse, MouseEvent, cell_at, clicks_of
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
from jaxsweep.rules.board import Cell, Mask
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
        return [_game(_File(data))]

    def write(self, content: Content) -> bytes:
        """Writes version 2; times that are not known are made up, a second a click."""
        return write_game(as_game(content))


def read_steps(data: bytes) -> RmvReplay:
    """Reads a game and all that its events say."""
    file = _File(data)
    steps = list(file.steps)
    clicks = clicks_of((step.event for step in steps), file.mines)
    return RmvReplay(ClickedGame(file.mines, clicks, file.milliseconds / 1000, file.player), steps)


def _game(file: "_File") -> ClickedGame:
    """Makes clicks of the events as they are read, so that no more than one is kept."""
    steps = file.steps
    clicks = clicks_of((step.event for step in steps), file.mines)
    # The game may end before its events do, and only the last says how long it took.
    deque(steps, maxlen=0)
    return ClickedGame(file.mines, clicks, file.milliseconds / 1000, file.player)


class _File:
    """What a file says before its events, and `steps`, the events: read as they are asked for."""

    def __init__(self, data: bytes):
        self.reader = reader = ByteReader(data)
        reader.take(len(MAGIC), "the signature")
        self.version = reader.unsigned(2, "the version")
        if self.version not in (1, 2):
            raise reader.fail(f"version {self.version} of this format; 1 and 2 are read")
        reader.take(4 if self.version == 1 else 6, "the size of the file")
        sizes = self._read_sizes()
        reader.take(sizes.get("the result", 0), "the result")
        reader.take(sizes["the version"], "the version of the program")
        names = [
            reader.take(reader.unsigned(1, "the player"), "the player")
            for _ in range(reader.unsigned(2, "the player"))
        ]
        self.mines = self._read_mines()
        preflags = self._read_preflags(sizes["the flags"])
        properties = reader.take(sizes["the properties"], "the properties")
        self.size, self.corner = V1_CELL_SIZE, V1_CORNER
        is_utf8 = properties[4:5] == b"\1"
        if self.version == 2:
            self._skip_extensions()
            is_utf8, self.corner = True, (0, 0)
            self.size = properties[6] if len(properties) > 6 else 0
            if not self.size:
                raise reader.fail("the properties name no size of a cell")
        self.player = _player(names, is_utf8)
        self.milliseconds = 0
        """How long the game took, once all events are read."""
        self.steps = self._read_steps(preflags)

    def _read_sizes(self) -> dict[str, int]:
        """Reads the sizes of the parts before the events."""
        names = ["the result"] * (self.version == 1) + ["the version", "the player", "the board"]
        names += ["the flags", "the properties"] + ["the extensions"] * (self.version == 2)
        sizes = {name: self.reader.unsigned(2, f"the size of {name}") for name in names}
        self.reader.take(6, "the sizes of the events and of the checksum")
        return sizes

    def _read_mines(self) -> Mask:
        reader = self.reader
        reader.take(4, "the time of the deal")
        at = f"byte {reader.offset}"
        cols, rows = (reader.unsigned(1, "the size of the board") for _ in range(2))
        count = reader.unsigned(2, "the number of mines")
        check_size(rows, cols, count, at)
        cells = read_mine_pairs(reader, count)
        return mask_of_mines(cells, rows, cols, f"byte {reader.offset - 2 * count}")

    def _read_preflags(self, size: int) -> list[Cell]:
        """Reads the flags that were set before the first click."""
        if not size:
            return []
        reader, start = self.reader, self.reader.offset
        cells = read_mine_pairs(reader, reader.unsigned(2, "the number of flags"), "the flags")
        rows, cols = self.mines.shape
        mask_of_mines(cells, rows, cols, f"byte {start}", "flag")
        return cells

    def _skip_extensions(self) -> None:
        for _ in range(self.reader.unsigned(2, "the number of extensions")):
            for _ in range(2):
                self.reader.take(self.reader.unsigned(1, "an extension"), "an extension")

    def _read_steps(self, preflags: list[Cell]) -> Iterator[Step]:
        """Yields the flags that were set before, and the events of the mouse."""
        for cell in preflags:
            yield Step(MouseEvent(Mouse.FLAG_BEFORE, 0.0, cell), [])
        has_begun = False
        for step in self._read_events():
            # Some programs leave out the press of the first click.
            if not has_begun and step.event.what is Mouse.LEFT_RELEASE:
                yield Step(step.event._replace(what=Mouse.LEFT_PRESS), [])
            has_begun = has_begun or step.event.what is not Mouse.MOVE
            yield step

    def _read_events(self) -> Iterator[Step]:
        """Yields the events of the mouse in the file, and at its end sets `milliseconds`."""
        reader, step, now, x, y = self.reader, None, 0, 0, 0
        number = reader.signed if self.version == 2 else reader.unsigned
        rows, cols = self.mines.shape
        for _ in range(MAX_EVENTS):
            code = reader.unsigned(1, "the events")
            if code in MOUSE:
                now = reader.unsigned(3, "an event")
                reader.take(1, "an event")
                x, y = (number(2, "an event") - start for start in self.corner)
            elif code == SHORT_MOVE and self.version == 2:
                now += reader.unsigned(1, "a move")
                both = reader.unsigned(1, "a move")
                x, y = x + _nibble(both >> 4), y + _nibble(both & 15)
            elif code in BOARD_EVENTS:
                col, row = reader.take(2, "an event of the board")
                if not (row < rows and col < cols):
                    raise reader.fail(f"the cell ({row}, {col}) is not on the board")
                if step is not None:
                    step.shown.append(Shown(code, (row, col)))
                continue
            elif code in (BLAST, WIN, OTHER_END):
                if step is not None:
                    yield step
                self.milliseconds = reader.unsigned(3, "the end of the game")
                return
            elif code == TIMESTAMP and self.version == 1:
                reader.take(4, "a time")
                continue
            else:
                raise reader.fail(f"no event has the code {code}")
            if step is not None:
                yield step
            what, at = MOUSE.get(code, Mouse.MOVE), cell_at(x, y, self.size, (rows, cols))
            step = Step(MouseEvent(what, now / 1000, at), [])
        raise reader.fail(f"more than {MAX_EVENTS} events: no game has as many")


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


def _nibble(bits: int) -> int:
    """Returns four bits as a signed number."""
    return bits - 16 if bits >= 8 else bits
