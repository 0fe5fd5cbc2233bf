"""Positions as text (.mine of JSMinesweeper), the form that `rules.notation` defines."""

import re

from jaxsweep.formats.base import AbstractWritableFormat, Content, FormatError
from jaxsweep.formats.conversion import as_position
from jaxsweep.formats.text import is_text, start_of, text_of
from jaxsweep.rules.notation import PositionError, read_all, to_text

MAX_LINES = 2**22

_HEADER = re.compile(r"[0-9]+\s*[xX×]\s*[0-9]")


class Mine(AbstractWritableFormat):
    """The text form of positions."""

    title = "position as text"
    suffixes = (".mine", ".txt")
    max_bytes = 2**26  # A hundred thousand positions may be in one file.

    def recognises(self, data: bytes) -> bool:
        """Looks for a size such as 30x16 at the beginning of a text."""
        start = start_of(data, 64)
        return is_text(start) and _HEADER.match(start) is not None

    def read(self, data: bytes) -> list[Content]:
        """Reads one position, or several that follow one another."""
        try:
            return list(read_all(text_of(data, MAX_LINES)))
        except PositionError as error:
            raise FormatError(str(error)) from None

    def write(self, content: Content) -> bytes:
        """Writes a position; of a game, what was seen at its end."""
        return to_text(as_position(content)).encode()
