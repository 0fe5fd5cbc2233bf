"""What the command lines share: naming a level, and leaving with one clear sentence."""

import argparse
import signal
import sys
from collections.abc import Callable, Sequence

from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.runtime.errors import UserError

USAGE_ERROR = 2
INTERRUPTED = 130


def add_opening(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds the level, the start rule and the first cell."""
    known = ", ".join(f"{name} {level}" for name, level in LEVELS.items())
    parser.add_argument(
        "level",
        nargs="*",
        default=[default],
        metavar="LEVEL",
        help=f"a named level (rows×columns/mines): {known}; "
        f"or custom ROWS COLS MINES (default: {default})",
    )
    parser.add_argument(
        "--start",
        type=str.lower,
        choices=[start.value for start in Start],
        default=Start.SAFE.value,
        help="what the first cell is sure to be: any (nothing), safe (no mine), zero (shows 0); "
        "default: safe",
    )
    parser.add_argument(
        "--first",
        nargs=2,
        type=int,
        metavar=("ROW", "COL"),
        help="the first cell to open, from 0 at the top left "
        "(default: the corner; farther in for a zero start)",
    )


def read_opening(parsed: argparse.Namespace) -> Opening:
    """The opening that the arguments name; raises `LevelError` if there is none."""
    first = tuple(parsed.first) if parsed.first else None
    return Opening.of(read_level(parsed.level), Start(parsed.start), first)


def read_level(words: Sequence[str]) -> Level:
    """`NAME`, or `custom ROWS COLS MINES`."""
    name, *sizes = words
    if name == "custom":
        if len(sizes) != 3:
            raise LevelError(f"custom takes ROWS COLS MINES, not {len(sizes)} values")
        for size in sizes:
            if not (size.isascii() and size.isdigit() and len(size) < 10):
                raise LevelError(f"custom takes whole numbers, not {size!r}")
        rows, cols, mines = (int(size) for size in sizes)
        return Level(rows, cols, mines)
    if name not in LEVELS:
        raise LevelError(f"no level {name!r}; there are {', '.join(LEVELS)} and custom")
    if sizes:
        raise LevelError(f"level {name} takes no sizes; say custom {' '.join(sizes)}")
    return LEVELS[name]


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """An argument type: a whole number from `low` to `high`."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, {low} to {high}")
        return int(text)

    return convert


def seconds(text: str) -> float:
    """An argument type: seconds, up to an hour."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, 0 to 3600")
    return value


def run(main: Callable[[Sequence[str] | None], int], argv: Sequence[str] | None = None) -> None:
    """Runs a command line to its exit status: 2 and a sentence for bad input, 130 for Ctrl-C."""
    try:
        status = main(argv)
    except UserError as error:
        print(f"jaxsweep: {error}", file=sys.stderr)
        status = USAGE_ERROR
    except OSError as error:
        named = error.filename is not None and error.strerror
        said = f"{error.filename}: {error.strerror}" if named else str(error)
        print(f"jaxsweep: {said}", file=sys.stderr)
        status = USAGE_ERROR
    except KeyboardInterrupt:
        # A second one, while the interpreter ends, would turn into a stack trace.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("\nstopped", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)
