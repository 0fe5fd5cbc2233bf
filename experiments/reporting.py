"""What experiments share: the option `--quick`, and result files with their origin."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from jaxsweep.commands import arguments as arguments_of_commands
from jaxsweep.runtime import machine

RESULTS = Path(__file__).parent / "results"
"""Where result files and pictures are."""


def arguments(doc: str | None, quick: str) -> argparse.ArgumentParser:
    """A parser with `--quick`: an experiment in short, as `quick` says, without a result file."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=f"{quick}, and no result file")
    return parser


def command() -> str:
    """The command that runs the same experiment again."""
    return " ".join(["python", f"experiments/{Path(sys.argv[0]).name}", *sys.argv[1:]])


def origin(**settings: Any) -> dict[str, Any]:
    """How a result was made: the command, the settings, the machine and the versions."""
    return {"command": command(), **settings, "machine": machine.facts()}


def write(name: str, result: dict[str, Any] | list[dict[str, Any]]) -> None:
    """Writes `results/NAME.json`."""
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")


def read(name: str) -> Any:
    """What `results/NAME.json` holds."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def players(level: str, start: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """Win rates of players, from `results/winrates.json`."""
    wanted = ("player", "games", "win_rate", "interval_95")
    there = {(e["level"], e["start"], e["player"]): e for e in read("winrates")}
    return [{key: there[level, start, name][key] for key in wanted} for name in names]


def run(main: Callable[[], None]) -> None:
    """Runs an experiment: what a user did wrong, or Ctrl-C, ends it with a sentence."""

    def command(_: Sequence[str] | None) -> int:
        main()
        return 0

    arguments_of_commands.run(command)
