"""What a file format is, and what files hold."""

import abc
from typing import ClassVar

from jaxsweep.rules.board import Mask
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.notation import GridPosition
from jaxsweep.runtime.errors import UserError
from jaxsweep.single.replay.format import Replay

Content = ClickedGame | GridPosition | Replay
"""A game or board with known mines, a position whose mines are unknown, or a replay of our own."""

MAX_BYTES = 2**26
"""The largest file that is read; that of most formats is smaller: `AbstractFormat.max_bytes`."""

MAX_CELLS = 2**16
"""The largest board that is read from other programs' files: theirs have sides of up to 255."""


class FormatError(UserError):
    """A file that cannot be read or written in a format; says what is wrong, and where."""


MAX_SIDE = 255
"""The longest side of a board in formats that have a byte for it."""


def check_sides(mines: Mask, ending: str) -> None:
    """Raises `FormatError` if a board is too large to be written with a byte for each side."""
    rows, cols = mines.shape
    if max(rows, cols) > MAX_SIDE:
        raise FormatError(f"{ending} holds boards of up to 255×255, not {rows}×{cols}")


class AbstractFormat(abc.ABC):
    """One file format: it is recognised by content, and read whole."""

    title: ClassVar[str]
    """What people know it as."""
    max_bytes: ClassVar[int] = 2**24
    """The largest file that is read: far larger than any game."""

    @abc.abstractmethod
    def recognises(self, data: bytes) -> bool:
        """Whether these are the bytes of such a file, perhaps a damaged one; at little cost."""

    @abc.abstractmethod
    def read(self, data: bytes) -> list[Content]:
        """Reads all that a file holds; raises `FormatError` for the first thing that is wrong."""


class AbstractWritableFormat(AbstractFormat):
    """A format that is written as well."""

    suffixes: ClassVar[tuple[str, ...]]
    """The endings of its files, the usual one first; none if it is not kept in files."""
    is_text: ClassVar[bool] = True
    """Whether it can be printed."""

    @abc.abstractmethod
    def write(self, content: Content) -> bytes:
        """Returns the bytes of a file; raises `FormatError` where the format has no room for it."""
