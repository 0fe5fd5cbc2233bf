"""How much of their chance to win known players lose by choices, as `jaxsweep grade` counts it.

    python experiments/grades.py [--games N] [--starts safe zero] [--quick]

Plays games of the standard levels, grades each with the look-ahead in machine code, on all cores,
and takes the mean loss of a game. Writes
`results/grades.json`, and the means to `jaxsweep/single/grading/reference.json`, with which people
are compared. What is done is kept in `results/grades.part.json` until all is: the same command goes
on.
"""

import hashlib
import itertools
import json
import multiprocessing
import os
import statistics
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

import reporting
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.players import BEST
from jaxsweep.scalar.win_probability import WEIGHTS
from jaxsweep.single.grading import Kind, grade
from jaxsweep.single.grading.reference import REFERENCE
from jaxsweep.single.native_candidates import prepared_shortcuts
from jaxsweep.single.replay import RecordedMove, Replay
from jaxsweep.single.watch import watch

PLAYERS = ("random", "knowledge", "exact", "endgame", "strongest")
BOARDS = ("beginner", "intermediate", "expert")
STARTS = ("safe", "zero")
SEED, GAMES, QUICK = 11, 400, 5

OF_THE_JUDGE = 5
"""The judge loses nothing by its own judgement: it plays this many times fewer games."""

PART = reporting.RESULTS / "grades.part.json"


def played(player: str, opening: Opening, number: int) -> Replay:
    """A game without the odds of its guesses, which grading does not read."""
    watched = list(watch(player, opening, SEED, number))
    moves = tuple(
        RecordedMove(tuple(m.cells), (), tuple(cells_of(m.new)), m.reason, m.risk) for m in watched
    )
    last = watched[-1]
    return Replay(opening, SEED, number, player, last.mines, moves, last.status)


def interval(values: list[float]) -> dict[str, Any]:
    """The mean with its 95 % interval."""
    middle = statistics.fmean(values)
    margin = 1.96 * statistics.stdev(values) / len(values) ** 0.5
    return {"mean": middle, "interval_95": [middle - margin, middle + margin]}


def measure(player: str, board: str, start: Start, games: int) -> dict[str, Any]:
    """Plays and grades the games of one player on one level."""
    opening, counter = Opening.of(LEVELS[board], start), Counter()
    shortcuts = prepared_shortcuts()
    grades, seconds = [], []
    for number in range(games):
        game = played(player, opening, number)
        began = time.process_time()
        grades.append(grade(game, counter=counter, shortcuts=shortcuts))
        seconds.append(time.process_time() - began)
    return {
        "player": player,
        "board": board,
        "start": start.value,
        "games": games,
        "won": sum(one.outcome is GameStatus.WON for one in grades),
        "chance_before": interval([one.win_before for one in grades]),
        "loss": interval([one.loss for one in grades]),
        "luck": interval([one.luck for one in grades]),
        "accuracy": interval([one.accuracy for one in grades]),
        "needless_guesses": statistics.fmean(one.count(Kind.NEEDLESS) for one in grades),
        "seconds": {
            "mean": statistics.fmean(seconds),
            "median": statistics.median(seconds),
            "longest": max(seconds),
        },
    }


def kept(settings: dict[str, Any]) -> list[dict[str, Any]]:
    """What an earlier run with these settings has done."""
    if not PART.exists():
        return []
    found = json.loads(PART.read_text("utf-8"))
    return found["entries"] if found["settings"] == settings else []


def write_reference(entries: list[dict[str, Any]], path: Path) -> None:
    """Writes the mean losses by level, start and player, and how often the judge wins."""
    losses: dict[str, dict[str, float]] = {}
    for entry in entries:
        known = losses.setdefault(f"{entry['board']} {entry['start']}", {})
        known[entry["player"]] = round(entry["loss"]["mean"], 4)
    names = {str(level): name for name, level in LEVELS.items()} | {"expert": "expert"}
    chances = {
        f"{names[entry['board']]} {entry['start']}": round(entry["win_rate"], 4)
        for entry in reporting.read("winrates")
        if entry["player"] == BEST and entry["board"] in names
    }
    text = json.dumps({"losses": losses, "chances": chances}, indent=1)
    path.write_text(text + "\n", "utf-8")


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = reporting.arguments(__doc__, f"{QUICK} games each")
    parser.add_argument("--games", type=int, default=GAMES, help=f"default: {GAMES}")
    parser.add_argument("--starts", nargs="+", choices=STARTS, default=STARTS)
    parsed = parser.parse_args()
    games = QUICK if parsed.quick else parsed.games
    model = hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()[:12]
    settings = {"seed": SEED, "games": games, "win_model": model}
    entries = [] if parsed.quick else kept(settings)
    done = {(entry["player"], entry["board"], entry["start"]) for entry in entries}
    wanted = [(p, b, Start(s)) for s in parsed.starts for b in BOARDS for p in PLAYERS]
    missing = [one for one in wanted if (one[0], one[1], one[2].value) not in done]
    pool = ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn"))
    with pool:
        running = []
        for player, board, start in missing:
            few = games // OF_THE_JUDGE if player == BEST and not parsed.quick else games
            running.append(pool.submit(measure, player, board, start, few))
        console = Console(stderr=True)
        for done_one in track(as_completed(running), "players", len(running), console=console):
            entry = done_one.result()
            entries.append(entry)
            print(
                f"{entry['board']:12} {entry['start']} {entry['player']:10} "
                f"lost {entry['loss']['mean']:.4f} of {entry['chance_before']['mean']:.3f}, "
                f"luck {entry['luck']['mean']:+.3f}, {entry['seconds']['mean']:.3f} s",
                flush=True,
            )
            if not parsed.quick:
                PART.write_text(json.dumps({"settings": settings, "entries": entries}), "utf-8")
    order = {(p, b, s): i for i, (s, b, p) in enumerate(itertools.product(STARTS, BOARDS, PLAYERS))}
    entries.sort(key=lambda entry: order[entry["player"], entry["board"], entry["start"]])
    if not parsed.quick:
        about = reporting.origin(
            about="Mean chance to win that choices lost in a game, by the judgement of strongest; "
            "processor time of grading on one core, the look-ahead in machine code.",
            **settings,
        )
        reporting.write("grades", about | {"players": entries})
        write_reference(entries, REFERENCE)
        PART.unlink()


if __name__ == "__main__":
    main()
