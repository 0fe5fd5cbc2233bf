"""The command line of `python -m jaxsweep.arena`: measures the win rate of players."""

import sys
from collections.abc import Sequence

from jaxsweep.commands import arguments
from jaxsweep.commands.arena_arguments import parse


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    argv = list(sys.argv[1:] if argv is None else argv)
    parsed = parse(argv)
    opening = arguments.read_opening(parsed)
    # Imported here, so that help and bad arguments do not wait for JAX.
    from jaxsweep.commands.arena_run import run

    return run(parsed, opening, argv)
