"""How fast the arena and inference are, against an earlier version of the project.

    python experiments/speed.py --before REVISION [--repeats 5]

Both versions run in new processes that alternate on this machine, so that its noise hits both.
Games are counted after as many as are in progress have been played: nothing is compiled any more.
The games themselves are compared by their checksums. Writes `results/speed.json`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.progress import track

import reporting

ROOT = Path(__file__).parents[1]
SEED = 2026

GAMES = {
    ("exact", "beginner"): 200_000,
    ("exact", "intermediate"): 60_000,
    ("exact", "expert"): 24_000,
    ("endgame", "expert"): 12_000,
    ("strongest", "expert"): 3_000,
}
"""Games that are timed, by player and level."""

POSITIONS = {("expert", 64): 64, ("expert", 4096): 4096, ("large", 16): 16}
"""Stuck positions whose inference is timed on one core, by level and batch."""

COMPARED = {"exact": 20_000, "endgame": 20_000, "strongest": 20_000}
"""Games whose checksums are compared."""


def time_games(wanted: dict[str, int]) -> dict[str, dict[str, float]]:
    """Times games of players, named `player level`; run in a process of its own."""
    import time

    from jaxsweep.rules.level import LEVELS, Opening
    from jaxsweep.runtime import machine
    from jaxsweep.runtime.compilation import use_cache

    machine.use_devices()
    use_cache()
    from jaxsweep.simulation.matches import play_and_report
    from jaxsweep.strategies import STRATEGIES

    found = {}
    for name, games in wanted.items():
        player, level = name.split()
        reports = play_and_report(
            STRATEGIES[player], Opening.of(LEVELS[level]), SEED, 2**31 - 1, compare_losses=False
        )
        warm = 0
        while warm < 8192:
            warm += len(next(reports).record)
        played, began, worked = 0, time.perf_counter(), time.process_time()
        while played < games:
            played += len(next(reports).record)
        seconds = time.perf_counter() - began
        reports.close()
        found[name] = {
            "games_per_second": played / seconds,
            "busy": (time.process_time() - worked) / seconds,
        }
    return found


def time_inference(wanted: dict[str, int]) -> dict[str, dict[str, float]]:
    """Times inference on one core, in microseconds a position; run in a process of its own."""
    import time

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    from jaxsweep.runtime import machine
    from jaxsweep.runtime.compilation import use_cache

    machine.use_devices()
    use_cache()
    from jaxsweep.benchmarks.catalogue import OPENINGS
    from jaxsweep.inference import infer
    from jaxsweep.simulation.stuck_positions import stuck_positions

    found = {}
    for name, batch in wanted.items():
        positions = stuck_positions(OPENINGS[name.split()[0]], SEED, batch)
        infer(positions)
        taken = []
        for _ in range(5):
            began = time.perf_counter()
            infer(positions)
            taken.append((time.perf_counter() - began) / batch * 1e6)
        found[name] = {"microseconds": float(np.median(taken))}
    return found


def play_checked(wanted: dict[str, int]) -> dict[str, dict[str, object]]:
    """Plays games from the first on, and returns checksums and wins; in a process of its own."""
    from jaxsweep.rules.level import LEVELS, Opening
    from jaxsweep.runtime import machine
    from jaxsweep.runtime.compilation import use_cache

    machine.use_devices()
    use_cache()
    from jaxsweep.simulation import runs
    from jaxsweep.simulation.matches import merge, play_games
    from jaxsweep.strategies import LeastRisk, Lookahead

    opening = Opening.of(LEVELS["expert"])
    players = {
        "exact": LeastRisk(),
        "endgame": LeastRisk(endgame_layouts=200),
        "strongest": Lookahead(endgame_layouts=400),
    }
    found = {}
    for name, games in wanted.items():
        parts = list(play_games(players[name], opening, 1, games))
        record = merge(parts).ordered()
        found[name] = {
            "games": games,
            "checksum": runs.checksum([record]),
            "won": record.won.astype(int).tolist(),
            "moves": (record.clicks * 1000 + record.guesses).astype(int).tolist(),
        }
    return found


JOBS = {"games": time_games, "inference": time_inference, "checked": play_checked}


def run(root: Path, job: str, wanted: dict[str, int]) -> dict:
    """Runs a job with the version of the project in a folder, in a new process."""
    answer = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--job", job, json.dumps(wanted)],
        cwd=root,
        env=os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{ROOT / 'experiments'}"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    return json.loads(answer.splitlines()[-1])


def compare(before: Path, repeats: int) -> dict:
    """Times both versions in turn, and compares their games."""
    games = {" ".join(key): count for key, count in GAMES.items()}
    positions = {f"{level} {batch}": count for (level, batch), count in POSITIONS.items()}
    jobs = {"games": games, "inference": positions}
    versions = {"before": before, "after": ROOT}
    samples: dict[str, dict[str, list[dict]]] = {}
    # Once more than counted: the first round compiles what is kept on disk.
    for repeat in track(range(repeats + 1), "timing"):
        for version, root in versions.items():
            for job, wanted in jobs.items():
                for name, figures in run(root, job, wanted).items():
                    if repeat:
                        samples.setdefault(name, {}).setdefault(version, []).append(figures)
    checked = {version: run(root, "checked", COMPARED) for version, root in versions.items()}
    return {
        "timings": {name: summarise(by_version) for name, by_version in samples.items()},
        "same_games": {name: same_games(name, checked) for name in COMPARED},
    }


def summarise(by_version: dict[str, list[dict]]) -> dict:
    """Returns medians and quartiles of both versions, and how many times faster the second is."""
    result: dict = {}
    for version, samples in by_version.items():
        for figure in samples[0]:
            low, median, high = np.percentile([one[figure] for one in samples], [25, 50, 75])
            result.setdefault(version, {})[figure] = {
                "median": float(median),
                "quartiles": [float(low), float(high)],
            }
    figure = next(iter(by_version["before"][0]))
    pairs = zip(by_version["before"], by_version["after"], strict=True)
    ratios = [new[figure] / old[figure] for old, new in pairs]
    faster = np.array(ratios) if figure == "games_per_second" else 1 / np.array(ratios)
    result["times_faster"] = {
        "median": float(np.median(faster)),
        "quartiles": [float(x) for x in np.percentile(faster, [25, 75])],
        "repeats": len(faster),
    }
    return result


def same_games(name: str, checked: dict[str, dict]) -> dict:
    """Tells whether both versions played the same games, and how many results differ."""
    before, after = (checked[version][name] for version in ("before", "after"))
    won, moves = (np.array([before[key], after[key]]) for key in ("won", "moves"))
    return {
        "games": before["games"],
        "equal": before["checksum"] == after["checksum"],
        "other_moves": int((moves[0] != moves[1]).sum()),
        "other_results": int((won[0] != won[1]).sum()),
        "wins": won.sum(1).tolist(),
    }


def main() -> None:
    """Compares the version of this file with an earlier one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", metavar="REVISION", help="the earlier version, for git")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each version (default: 5)")
    parser.add_argument("--job", nargs=2, metavar=("NAME", "JSON"), help=argparse.SUPPRESS)
    parsed = parser.parse_args()
    if parsed.job:
        name, wanted = parsed.job
        print(json.dumps(JOBS[name](json.loads(wanted))))
        return
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before"
        git = ["git", "-C", str(ROOT)]
        subprocess.run([*git, "worktree", "add", "--detach", before, parsed.before], check=True)
        try:
            found = compare(before, parsed.repeats)
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", before], check=True)
    revision = subprocess.run(
        [*git, "rev-parse", parsed.before], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
    about = reporting.origin(seed=SEED, before=revision, repeats=parsed.repeats)
    reporting.write("speed", about | found)


if __name__ == "__main__":
    main()
