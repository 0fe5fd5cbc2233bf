"""Reads text files: decoding, and lines with their numbers."""

import re

from jaxsweep.formats.base import FormatError

BOM = b"\xef\xbb\xbf"

NUMBER = re.compile(r"[0-9]{1,9}")


def text_of(data: bytes) -> str:
    """Decodes a file; raises `FormatError` naming the first byte that is no text."""
    try:
        return data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start} is not text") from None


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
    return repr(text if len(text) <= 40 else text[:37] + "...")
