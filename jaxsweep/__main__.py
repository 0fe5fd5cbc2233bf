"""The `jaxsweep` command: `jaxsweep play …` is `python -m jaxsweep.play …`, and so on."""

import sys
from importlib import import_module

from jaxsweep.commands import arguments

COMMANDS = {
    "analyze": ("jaxsweep.analyze", "the exact odds of a position, and the best move"),
    "play": ("jaxsweep.play", "watch a strategy play, play yourself, or measure many games"),
    "view": ("viewer.__main__", "the window: play, watch, step through replays, see odds"),
    "replay": ("jaxsweep.replay", "show, check or share a recorded game"),
    "arena": ("jaxsweep.arena", "play hundreds of thousands of games, stop and go on"),
    "bench": ("jaxsweep.bench", "time the kernels"),
}
"""Modules and what they do; named, not imported: each is loaded when it is asked for."""


def main() -> None:
    """Hands over to the subcommand's module."""
    name, *rest = sys.argv[1:] or ["-h"]
    if name in COMMANDS:
        arguments.run(import_module(COMMANDS[name][0]).main, rest)
    usage = "usage: jaxsweep COMMAND [ARGUMENTS], with -h for a command's own help\n\n"
    usage += "\n".join(f"  {command:8} {about}" for command, (_, about) in COMMANDS.items())
    if name in ("-h", "--help"):
        print(usage)
        return
    print(f"jaxsweep: no command {name!r}; there are {', '.join(COMMANDS)}", file=sys.stderr)
    sys.exit(arguments.USAGE_ERROR)


if __name__ == "__main__":
    main()
