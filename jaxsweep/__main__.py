"""The `jaxsweep` command: `jaxsweep play …` is `python -m jaxsweep.play …`, and so on."""

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from jaxsweep.commands import arguments
from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.version import __version__

COMMANDS = {
    "analyze": ("jaxsweep.analyze", "show the odds of a position, and the best move"),
    "play": ("jaxsweep.play", "watch a player, measure its win rate, or play yourself"),
    "view": ("viewer.__main__", "open the window: play, watch, step through replays, see odds"),
    "replay": ("jaxsweep.replay", "show, check or export a recorded game"),
    "grade": ("jaxsweep.grade", "grade the moves of recorded games: losses and luck"),
    "serve": ("jaxsweep.serve", "serve a web page, and a JSON API over HTTP"),
    "arena": ("jaxsweep.arena", "measure players over many games; runs can be resumed"),
    "boards": ("jaxsweep.boards", "make boards to order, no guess needed; judge any board"),
    "dataset": ("jaxsweep.dataset", "make data sets of positions with exact labels"),
    "bench": ("jaxsweep.bench", "time the kernels"),
}
"""The module of each command, imported only when it is run, and what it does."""


def main() -> None:
    """Runs the module of a command with the remaining arguments."""
    name, *rest = sys.argv[1:] or ["-h"]
    if name in COMMANDS:
        arguments.run(import_module(COMMANDS[name][0]).main, rest)
    arguments.run(about, [name])


def about(argv: Sequence[str] | None) -> int:
    """Prints the version, or which commands there are; returns the exit status."""
    name = argv[0] if argv else "-h"
    usage = "usage: jaxsweep COMMAND [ARGUMENTS], with -h for a command's own help\n\n"
    usage += "\n".join(f"  {command:8} {about}" for command, (_, about) in COMMANDS.items())
    if name == "--version":
        print(f"jaxsweep {__version__}")
    elif name in ("-h", "--help"):
        print(usage)
    else:
        near = get_close_matches(name, COMMANDS, 1)
        guess = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(COMMANDS)}"
        raise UserError(f"no command {name!r}{guess}")
    return 0


if __name__ == "__main__":
    main()
