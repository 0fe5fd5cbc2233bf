"""The `jaxsweep` command: `jaxsweep play …` is `python -m jaxsweep.play …`, and so on."""

import sys
from importlib import import_module

from jaxsweep import arguments

COMMANDS = {
    "analyze": "the exact odds of a position, and the best move",
    "play": "watch a strategy play, or measure it over many games",
    "arena": "play hundreds of thousands of games, stop and go on",
    "bench": "time the kernels",
}


def main() -> None:
    """Hands over to the subcommand's module."""
    name, *rest = sys.argv[1:] or ["-h"]
    if name in COMMANDS:
        arguments.run(import_module(f"jaxsweep.{name}").main, rest)
    usage = "usage: jaxsweep COMMAND [ARGUMENTS], with -h for a command's own help\n\n"
    usage += "\n".join(f"  {command:8} {about}" for command, about in COMMANDS.items())
    if name in ("-h", "--help"):
        print(usage)
        return
    print(f"jaxsweep: no command {name!r}; there are {', '.join(COMMANDS)}", file=sys.stderr)
    sys.exit(arguments.USAGE_ERROR)


if __name__ == "__main__":
    main()
