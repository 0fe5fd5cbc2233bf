"""What `python -m jaxsweep.replay` does with files of any format: find the game, and convert it."""

import argparse
import gzip
import sys
from pathlib import Path

from jaxsweep.commands import arguments
from jaxsweep.formats import (
    READ,
    FormatError,
    format_of_ending,
    read,
    read_source,
    writable,
)
from jaxsweep.formats.choice import choose, converted
from jaxsweep.formats.conversion import as_game, as_replay, games_in
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.runtime.files import write_atomically
from jaxsweep.single.replay import Replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what is converted, and to what."""
    parser.add_argument("file", metavar="FILE", help=f"a file or a link: {READ}")
    parser.add_argument(
        "out", nargs="?", type=arguments.new_file, metavar="OUT", help="the file (default: print)"
    )
    parser.add_argument(
        "--to",
        choices=list(writable()),
        metavar="NAME",
        help=f"the format: {', '.join(writable())} (default: by the ending of OUT)",
    )
    add_game(parser)
    parser.add_argument(
        "--move",
        type=arguments.whole_number(0, 2**32 - 1),
        metavar="N",
        help="to a position: what was seen after N moves (default: at the end)",
    )


def add_game(parser: argparse.ArgumentParser) -> None:
    """Adds the choice of one of several games."""
    parser.add_argument(
        "--game",
        type=arguments.whole_number(1, 2**32 - 1),
        metavar="N",
        help="which of the games, or positions, in the file",
    )


def count_games(source: str) -> int:
    """Returns how many games a file or a link holds."""
    return len(games_in(read(*read_source(source))))


def load_game(source: str, number: int | None) -> tuple[Replay, ClickedGame]:
    """Reads a game from a file or a link; `number` says which, of several.

    Returns it as a replay, and as clicks, of which some may have had no effect.
    """
    data, name = read_source(source)
    contents = read(data, name)
    try:
        content = choose(games_in(contents) or contents, number)
        return as_replay(content), as_game(content)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None


def convert(parsed: argparse.Namespace) -> None:
    """Writes what a file holds in another format, to a file or to standard output."""
    data, name = read_source(parsed.file)
    contents = read(data, name)
    known = parsed.to
    if known is None:
        if parsed.out is None:
            raise FormatError(f"{name}: say where to, or what with --to NAME")
        known = format_of_ending(parsed.out)
        if known == "replay" and not games_in(contents):
            known = "position"
    try:
        made = converted(contents, known, parsed.game, parsed.move)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    _put(made, known, parsed.out)


def _put(data: bytes, known: str, out: Path | None) -> None:
    """Writes a file, or prints a text."""
    if out is None:
        if not writable()[known].is_text:
            raise FormatError(f"{known} is not text: name a file to write")
        sys.stdout.write(data.decode())
        return
    if out.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_atomically(out, lambda part: part.write_bytes(data))
