"""Arguments that several command lines share, and how a command line ends."""

import argparse
import os
import re
import signal
import sys
import textwrap
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import NoReturn

from jaxsweep.commands.output import forget_output, write_plainly_if_need_be
from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.players import PLAYERS

USAGE_ERROR = 2
UNREAD = 1
"""The status where nobody reads the output to its end, as with `| head -1`: no error to tell of."""
INTERRUPTED = 130

Parser = argparse.ArgumentParser | argparse._ArgumentGroup
"""What an argument can be added to."""


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in a sentence, without the usage of every argument."""

    def error(self, message: str) -> NoReturn:
        """Ends the command."""
        self.exit(USAGE_ERROR, f"jaxsweep: {message} ({self.prog} -h explains)\n")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Fills paragraphs; of indented lines, such as examples, it keeps the line breaks.

    Where an example and the words behind it do not fit into a line, the words go under it.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        filled: list[str] = []
        for is_text, group in groupby(text.splitlines(), lambda line: line[:1].strip() != ""):
            lines = list(group)
            if is_text:
                filled += textwrap.wrap(" ".join(lines), width)
            elif max(map(len, lines)) > width:
                filled += [re.sub(r"(?<=\S) {2,}(?=\S)", "\n        ", line) for line in lines]
            else:
                filled += lines
        return "\n".join(indent + line for line in filled)


def make_parser(command: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """Makes the parser of `python -m command`; `epilog` keeps its line breaks."""
    return _Parser(
        prog=f"python -m {command}",
        description=description,
        epilog=epilog,
        formatter_class=_Formatter,
    )


def add_opening(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds the level, the start rule and the first cell."""
    known = ", ".join(f"{name} {level}" for name, level in LEVELS.items())
    parser.add_argument(
        "level",
        nargs="*",
        default=[default],
        metavar="LEVEL",
        help=f"a named level: {known}; or any, as ROWSxCOLS/MINES or custom ROWS COLS MINES "
        f"(default: {default})",
    )
    add_start(parser)
    parser.add_argument(
        "--first",
        nargs=2,
        type=int,
        metavar=("ROW", "COL"),
        help="the first cell to open, from 0 at the top left "
        "(default: the corner; farther in for a zero start)",
    )


def add_start(parser: argparse.ArgumentParser) -> None:
    """Adds the start rule."""
    parser.add_argument(
        "--start",
        type=str.lower,
        choices=[start.value for start in Start],
        default=Start.SAFE.value,
        help="what the first cell is guaranteed to be: any (nothing), safe (no mine), "
        "zero (shows 0); default: safe",
    )


def add_strategy(parser: Parser, default: str, default_text: str | None = None) -> None:
    """Adds the strategy; it is None if not given and `default_text` explains the default."""
    parser.add_argument(
        "--strategy",
        choices=list(PLAYERS),
        default=default if default_text is None else None,
        metavar="NAME",
        help=f"the player: {', '.join(PLAYERS)} (default: {default_text or default})",
    )


def add_seed(
    parser: argparse.ArgumentParser, default: int | None = None, default_text: str | None = None
) -> None:
    """Adds the seed; it is None if not given, and the command chooses one, as the text says."""
    shown = default_text or ("a new one each time; it is shown" if default is None else default)
    parser.add_argument(
        "--seed",
        type=whole_number(0, 2**32 - 1),
        default=default,
        metavar="N",
        help=f"the same seed gives the same games (default: {shown})",
    )


def add_json(parser: Parser) -> None:
    """Adds the choice of JSON as output."""
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def read_opening(parsed: argparse.Namespace) -> Opening:
    """Returns the opening that the arguments name; raises `LevelError` if there is none."""
    first = tuple(parsed.first) if parsed.first else None
    return Opening.of(read_level(parsed.level), Start(parsed.start), first)


def read_level(words: Sequence[str]) -> Level:
    """Reads `NAME`, `ROWSxCOLS/MINES` or `custom ROWS COLS MINES`; raises `LevelError`."""
    name, *sizes = words
    if shown := re.fullmatch(r"(\d{1,9})[x×](\d{1,9})/(\d{1,9})", name, re.ASCII):
        if sizes:
            raise LevelError(f"level {name} takes no sizes")
        rows, cols, mines = (int(size) for size in shown.groups())
        return Level(rows, cols, mines)
    if name == "custom":
        if len(sizes) != 3:
            raise LevelError(f"custom takes ROWS COLS MINES, not {len(sizes)} values")
        for size in sizes:
            if not (size.isascii() and size.isdigit() and len(size) < 10):
                raise LevelError(f"custom takes whole numbers from 0, not {size!r}")
        rows, cols, mines = (int(size) for size in sizes)
        return Level(rows, cols, mines)
    if name not in LEVELS:
        raise LevelError(
            f"no level {name!r}; there are {', '.join(LEVELS)}, and any ROWSxCOLS/MINES, such as "
            "16x30/99"
        )
    if sizes:
        raise LevelError(f"level {name} takes no sizes; say custom {' '.join(sizes)}")
    return LEVELS[name]


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Returns an argument type: a whole number from `low` to `high`."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, {low} to {high}")
        return int(text)

    return convert


def seconds(text: str) -> float:
    """Argument type: a number of seconds, up to an hour."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, 0 to 3600")
    return value


def new_file(text: str) -> Path:
    """Argument type: a file to write, checked before the work whose result it is to hold."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}")
    if not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"the folder {str(path.parent)!r} cannot be written")
    return path


def sentence(error: UserError | OSError) -> str:
    """Says what an error is about, in a sentence."""
    if isinstance(error, UserError):
        return str(error)
    file = "" if error.filename is None else f"{error.filename}: "
    return f"{file}{error.strerror or error}"


def run(main: Callable[[Sequence[str] | None], int], argv: Sequence[str] | None = None) -> None:
    """Runs a command and exits: status 2 and a sentence for bad input, 130 for Ctrl-C."""
    write_plainly_if_need_be()
    try:
        status = main(argv)
        sys.stdout.flush()  # Here an error is a sentence; while the interpreter ends, a trace.
    except BrokenPipeError:
        forget_output()
        status = UNREAD
    except (UserError, OSError) as error:
        print(f"jaxsweep: {sentence(error)}", file=sys.stderr)
        status = USAGE_ERROR
    except KeyboardInterrupt:
        # A second Ctrl-C while the interpreter ends would print a stack trace.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("\nstopped", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)
