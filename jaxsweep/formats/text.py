"""Reads text files: decoding, and lines with their numbers."""

import re

from jaxsweep.formats.base import FormatError

CLIPPED = 40
"""The most characters of a file in a message."""

BOM = b"\xef\xbb\xbf"

NUMBER = re.compile(r"[0-9]{1,9}")

MAX_LINES = 2**21
"""The most lines that a file is split into: more take much memory, and no game has them."""

_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""All that `str.splitlines` takes for the end of a line."""


def text_of(data: bytes, max_lines: int = MAX_LINES) -> str:
    """Decodes a file; raises `FormatError` naming the first byte that is no text."""
    try:
        text = data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start} is not text") from None
    if sum(map(text.count, _BREAKS)) > max_lines:
        raise FormatError(f"more than {max_lines} lines: no game is as long")
    return text


def lines_of(data: bytes) -> list[bytes]:
    """Splits a file of any encoding into lines."""
    if data.count(b"\n") + data.count(b"\r") > MAX_LINES:
        raise FormatError(f"more than {MAX_LINES} lines: no game is as long")
    return data.removeprefix(BOM).splitlines()


def is_text(start: str) -> bool:
    """Whether the beginning of a file has no control characters but blanks and ends of lines."""
    return all(letter.isprintable() or letter.isspace() or letter == "\ufffd" for letter in start)


def start_of(data: bytes, size: int = 4096) -> str:
    """Returns the beginning of a file as text, without leading blanks, to recognise it by."""
    return data[:size].removeprefix(BOM).decode(errors="replace").lstrip()


def whole_number(text: str, what: str) -> int:
    """Reads a whole number; `what` says which one, and in which line."""
    if not NUMBER.fullmatch(text.strip()):
        raise FormatError(f"{what} must be a whole number, not {clip(text)}")
    return int(text)


def clip(text: str) -> str:
    """Returns a text in quotes, shortened to fit into an error message."""
    text = text.strip()
    return repr(text if len(text) <= CLIPPED else text[: CLIPPED - 3] + "...")
