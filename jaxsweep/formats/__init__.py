"""Files and links that people already have: replays, boards and positions of other programs.

One file a format, each a class with the same few methods (`base`), and one registry of them. A file
is recognised by what it holds, never by its name; `read` returns games as clicks, positions, and
replays of our own, and `conversion` makes one of the other. `mouse` turns presses and releases of
buttons into clicks, `byte_reader` and `text` check every field against the end of the file.
"""

import os
from pathlib import Path

from jaxsweep.formats.base import (
    MAX_BYTES,
    AbstractFormat,
    AbstractWritableFormat,
    Content,
    FormatError,
)
from jaxsweep.formats.compression import unpacked, unpacked_start
from jaxsweep.formats.conversion import as_game, as_position, as_replay
from jaxsweep.formats.link import looks_like_link
from jaxsweep.formats.text import CLIPPED, clip, is_text, start_of, text_of
from jaxsweep.runtime.registry import LazyRegistry
from jaxsweep.single.replay.reading import MAX_BYTES as MAX_UNPACKED

FORMATS: LazyRegistry[AbstractFormat] = LazyRegistry(
    {
        "mbf": "jaxsweep.formats.mbf:Mbf",
        "mine": "jaxsweep.formats.mine:Mine",
        "rmv": "jaxsweep.formats.rmv:Rmv",
        "board": "jaxsweep.formats.board_text:BoardText",
        "msor": "jaxsweep.formats.msor:Msor",
        "replay": "jaxsweep.formats.json_files:ReplayJson",
        "position": "jaxsweep.formats.json_files:PositionJson",
        "jsminesweeper": "jaxsweep.formats.jsminesweeper:JSMinesweeper",
        "llamasweeper": "jaxsweep.formats.zini_link:Llamasweeper",
        "pttacg": "jaxsweep.formats.zini_link:Pttacg",
        "rawvf": "jaxsweep.formats.rawvf:Rawvf",
        "mvf": "jaxsweep.formats.mvf:Mvf",
        "avf": "jaxsweep.formats.avf:Avf",
        "evfs": "jaxsweep.formats.evfs:Evfs",
        "evf": "jaxsweep.formats.evf:Evf",
    }
)
"""All formats by name, in the order in which a file is offered to them: sure signs first."""

READ = (
    ".evf, .evfs, .avf, .rmv, .mvf, .rawvf, .mbf, .abf, .board, .mine and .msor files, replays and "
    "positions of jaxsweep, and links of JSMinesweeper, llamasweeper and PTTACGfans"
)
"""What can be read, in words."""


def recognise(data: bytes) -> str:
    """Returns the name of the format of a file; raises `FormatError` if it is none of them.

    Of a compressed file it is that of what is in it, as far as the beginning tells.
    """
    return _format_of(unpacked_start(data))


def _format_of(data: bytes) -> str:
    """Returns the name of the format of a file that is not compressed."""
    for name, known in FORMATS.items():
        if known.recognises(data):
            return name
    if not data.strip():
        raise FormatError("nothing is in it")
    if looks_like_link(start_of(data).partition("\n")[0]):
        raise FormatError(f"a link that holds no board or position; what can be read: {READ}")
    try:
        first = text_of(data).lstrip().partition("\n")[0]
    except FormatError:
        first = "\0"
    if not is_text(first[:CLIPPED]):
        raise FormatError(f"nothing that can be read; what can: {READ}")
    expected = f"line 1: expected COLSxROWSxMINES, such as 30x16x99, not {clip(first)}"
    raise FormatError(f"{expected}; what else can be read: {READ}")


def read(data: bytes, source: str = "", max_unpacked: int = MAX_UNPACKED) -> list[Content]:
    """Reads all that a file holds; errors begin with `source`, the name of the file.

    What is compressed with gzip may hold `max_unpacked` bytes.
    """
    try:
        if len(data) > MAX_BYTES:
            raise FormatError(f"more than {MAX_BYTES} bytes: no game is as long")
        data = unpacked(data, max_unpacked)
        known = FORMATS[_format_of(data)]
        if len(data) > known.max_bytes:
            raise FormatError(f"more than {known.max_bytes} bytes: no {known.title} is as long")
        contents = known.read(data)
        if not contents:
            raise FormatError("no game is in it")
        return contents
    except FormatError as error:
        raise FormatError(f"{source}: {error}" if source else str(error)) from None


def read_source(source: str) -> tuple[bytes, str]:
    """Returns the bytes of a file or of a link, and what to call it in messages.

    A file that is there is no link, whatever its name.
    """
    if looks_like_link(source) and not os.path.exists(source):
        return source.encode(), "the link"
    path = Path(source)
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1), path.name


def writable() -> dict[str, AbstractWritableFormat]:
    """Returns the formats that are written, by name."""
    return {
        name: known for name, known in FORMATS.items() if isinstance(known, AbstractWritableFormat)
    }


def write(name: str, content: Content) -> bytes:
    """Returns the bytes of a file of the named format."""
    known = FORMATS[name]
    if not isinstance(known, AbstractWritableFormat):
        raise FormatError(f"{name} is read but not written; written are {', '.join(writable())}")
    return known.write(content)


def format_of_ending(path: Path) -> str:
    """Returns the name of the format of files with such an ending; raises `FormatError` if none."""
    endings = {ending: name for name, known in writable().items() for ending in known.suffixes}
    for ending, name in endings.items():
        if path.name.lower().endswith(ending):
            return name
    raise FormatError(f"{path.name}: no format has this ending; there are {', '.join(endings)}")


__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "READ",
    "Content",
    "FormatError",
    "as_game",
    "as_position",
    "as_replay",
    "format_of_ending",
    "read",
    "read_source",
    "recognise",
    "writable",
    "write",
]
