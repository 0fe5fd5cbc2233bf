"""How long it takes to grade a game, in a process that runs, and a thousand of them by the command.

    python experiments/grading_speed.py [--games N] [--quick]

Expert games of `exact`, whose grades take longest: half of them with SAFE, half with ZERO starts.
One after the other, with what is in Python and with the look-ahead in machine code; then all files
by `jaxsweep grade`, on all cores, from its start to its end. Times are wall-clock: to be measured
where nothing else runs. Writes `results/grading-speed.json`.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.progress import track

import jaxsweep
import reporting
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.scalar.lookahead import Shortcuts
from jaxsweep.single.grading import grade
from jaxsweep.single.native_candidates import prepared_shortcuts
from jaxsweep.single.replay import Replay

PLAYER, SEED = "exact", 77
GAMES, QUICK = 1000, 20
STARTS = (Start.SAFE, Start.ZERO)
MOST = 300.0
"""Milliseconds that a game may take."""


def milliseconds(
    replays: Sequence[Replay], about: str, shortcuts: Shortcuts | None
) -> dict[str, Any]:
    """Grades games one after the other; returns how long each took."""
    taken = []
    for replay in track(replays, about, console=Console(stderr=True)):
        began = time.perf_counter()
        grade(replay, shortcuts=shortcuts)
        taken.append(1e3 * (time.perf_counter() - began))
    cuts = statistics.quantiles(taken, n=100, method="inclusive")
    return {
        "mean": statistics.fmean(taken),
        "median": cuts[49],
        "percentile_90": cuts[89],
        "percentile_99": cuts[98],
        "longest": max(taken),
        "longer_than_300": sum(one > MOST for one in taken),
    }


def by_command(replays: Sequence[Replay]) -> dict[str, Any]:
    """Grades the files of all games by one command; returns how many a minute."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.json.gz" for number in range(len(replays))]
        for replay, path in zip(replays, paths, strict=True):
            jaxsweep.save_replay(replay, path)
        began = time.perf_counter()
        command = [sys.executable, "-m", "jaxsweep.grade", *map(str, paths)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
    return {"files": len(replays), "seconds": seconds, "a_minute": 60 * len(replays) / seconds}


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = reporting.arguments(__doc__, f"{QUICK} games")
    parser.add_argument("--games", type=int, default=GAMES, help=f"default: {GAMES}")
    parsed = parser.parse_args()
    games = QUICK if parsed.quick else parsed.games
    openings = [Opening.of(LEVELS["expert"], start) for start in STARTS]
    replays = [jaxsweep.record_game(PLAYER, openings[n % 2], SEED, n) for n in range(games)]
    result = reporting.origin(player=PLAYER, level="expert", seed=SEED, games=games) | {
        "python_milliseconds": milliseconds(replays, "in Python", None),
        "native_milliseconds": milliseconds(replays, "in machine code", prepared_shortcuts()),
        "files": by_command(replays),
    }
    print(result)
    if not parsed.quick:
        reporting.write("grading-speed", result)


if __name__ == "__main__":
    reporting.run(main)
