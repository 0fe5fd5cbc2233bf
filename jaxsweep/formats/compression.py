"""Files that are compressed with gzip: what is in them."""

import zlib

from jaxsweep.formats.base import FormatError
from jaxsweep.single.replay.format import ReplayError
from jaxsweep.single.replay.reading import decompress

GZIP = b"\x1f\x8b\x08"
"""The sign of gzip, and its only method: without that, it may be a board of 31 columns (.mbf)."""

START = 2**16
"""The bytes by which the format of what is compressed is recognised."""


def unpacked(data: bytes, max_bytes: int) -> bytes:
    """Returns what is in a compressed file, at most so many bytes, or any other file as it is."""
    if not data.startswith(GZIP):
        return data
    try:
        return decompress(data, max_bytes)
    except ReplayError as error:
        raise FormatError(str(error)) from None


def unpacked_start(data: bytes) -> bytes:
    """Returns the beginning of what is in a compressed file, or any other file as it is."""
    if not data.startswith(GZIP):
        return data
    unzip = zlib.decompressobj(wbits=31)
    try:
        start = unzip.decompress(data, START)
    except zlib.error:
        raise FormatError("the compressed data is damaged") from None
    if not (start or unzip.eof):
        raise FormatError("the compressed data is cut off")
    return start
