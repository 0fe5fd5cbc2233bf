"""What bodies hold that are files or links of this or other programs, read within the limits.

All of it takes the time that the file asks for: it is done in worker processes, which can be ended.
"""

from typing import NamedTuple

from jaxsweep import formats
from jaxsweep.formats import Content, FormatError
from jaxsweep.formats.choice import choose
from jaxsweep.formats.compression import GZIP
from jaxsweep.formats.conversion import as_game, as_position, as_replay, games_in, last_decision
from jaxsweep.formats.conversion import positions_in as positions_among
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.notation import GridPosition
from jaxsweep.serving.limits import Limits, RefusedError, check_size
from jaxsweep.single.replay.format import Replay

MAX_UNPACKED = 2**23
"""Bytes of what is compressed, when it is decompressed."""

OPTIONS = ("game=", "move=")
"""How queries ask for the number of a game, and of a move."""


class Which(NamedTuple):
    """Which of the games or positions in a body is meant, and after how many moves."""

    game: int | None = None
    """From 1; None where there is only one."""
    move: int | None = None


def contents_in(body: bytes, limits: Limits) -> list[Content]:
    """Reads all that a body holds; raises `UserError`, or `RefusedError` for what is too large."""
    contents = formats.read(body, max_unpacked=MAX_UNPACKED)
    if len(contents) > limits.positions:
        most = f"{limits.positions:,} at most"
        raise RefusedError(413, f"{len(contents):,} games in one request: {most}")
    for content in contents:
        is_position = isinstance(content, GridPosition)
        rows, cols = content.grid.shape if is_position else content.mines.shape
        check_size(rows, cols, limits)
    return contents


def game_in(body: bytes, which: Which, limits: Limits) -> tuple[Replay, ClickedGame]:
    """Reads a game; returns it as a replay, and as clicks, of which some may have no effect."""
    contents = contents_in(body, limits)
    content = choose(games_in(contents) or contents, which.game, OPTIONS[0])
    return as_replay(content), as_game(content)


def seen_in(body: bytes, which: Which, limits: Limits) -> list[GridPosition]:
    """Reads positions, and of games what was seen: as `analyze` does with files.

    That is the position after `which.move` moves, or else the one before the last move.
    """
    found = positions_among(contents_in(body, limits))
    if which.game is not None:
        found = [choose(found, which.game)]
    if which.move is None:
        return [last_decision(content) for content in found]
    return [as_position(content, which.move) for content in found]


def is_foreign(body: bytes) -> bool:
    """Whether a body is neither a position in text nor one in JSON, but a file or a link.

    What is compressed is a file.

    Text that nothing reads is no file, but bytes that are no text: raises `FormatError` for these.
    """
    if not body.strip() or body.lstrip().startswith(b"["):
        return False
    if body.startswith(GZIP):
        return True
    try:
        return formats.recognise(body) not in ("mine", "position")
    except FormatError:
        if is_text(body):
            return False
        raise


def is_text(body: bytes) -> bool:
    """Whether bytes are text."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
