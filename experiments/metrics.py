"""How boards are valued one by one and in batches: whether alike, and how fast.

    python experiments/metrics.py [--quick]

Deals random boards of the standard levels, values each by a plain flood fill and all in machine
code, and times both on one core, with ZiNi and HZiNi. Any difference ends the script. Writes
`results/metrics.json`.
"""

import statistics
import sys
import time

import numpy as np
from rich.console import Console
from rich.progress import track

import reporting
from jaxsweep.metrics.board import BoardValue
from jaxsweep.metrics.boards import board_values
from jaxsweep.metrics.zini import hzini, zini
from jaxsweep.rules.level import LEVELS, Level

SEED, BOARDS, REPEATS = 20, 100_000, 5
SOLVED = 1000
"""Boards for which ZiNi is timed."""


def deal(level: Level, count: int, rng: np.random.Generator) -> np.ndarray:
    """Boards with the mines of the level anywhere."""
    cells = np.zeros((count, level.cells), bool)
    cells[:, : level.mines] = True
    return rng.permuted(cells, axis=1).reshape(count, level.rows, level.cols)


def measure(name: str, count: int, rng: np.random.Generator) -> dict:
    """Compares the boards of one level, and times them."""
    level = LEVELS[name]
    boards = deal(level, count, rng)
    values = board_values(boards, threads=1)  # It compiles.
    began = time.process_time()
    plain = [BoardValue.of(board) for board in boards]
    found = np.array([[one.bbbv, one.opening_count, one.islands] for one in plain])
    one_by_one = time.process_time() - began
    differences = int((found != np.stack(values, axis=1)).any(axis=1).sum())
    if differences:
        sys.exit(f"{name}: {differences} of {count} boards are valued differently")
    times = {}
    for islands in (False, True):
        spent = []
        for _ in range(REPEATS):
            began = time.process_time()
            board_values(boards, islands, threads=1)
            spent.append(1e6 * (time.process_time() - began) / count)
        times["with_islands" if islands else "bbbv_and_openings"] = statistics.median(spent)
    began = time.process_time()
    solved = [(zini(board), hzini(board)) for board in boards[:SOLVED]]
    return {
        "level": name,
        "boards": count,
        "differences": differences,
        "bbbv": mean(values.bbbv),
        "openings": mean(values.openings),
        "islands": mean(values.islands),
        "zini": mean(np.array(solved)[:, 0]),
        "hzini": mean(np.array(solved)[:, 1]),
        "microseconds_in_batch": times,
        "microseconds_one_by_one": 1e6 * one_by_one / count,
        "microseconds_zini_and_hzini": 1e6 * (time.process_time() - began) / len(solved),
    }


def mean(values: np.ndarray) -> dict:
    """The mean of a figure over boards, with its 95 % interval."""
    margin = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
    middle = float(values.mean())
    return {"mean": middle, "interval_95": [middle - margin, middle + margin]}


def main() -> None:
    """Measures, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "few boards").parse_args().quick
    rng, count = np.random.default_rng(SEED), 1000 if quick else BOARDS
    names = ("beginner", "intermediate", "expert")
    console = Console(stderr=True)
    levels = [measure(name, count, rng) for name in track(names, "levels", console=console)]
    for one in levels:
        batch = one["microseconds_in_batch"]
        print(
            f"{one['level']:12} 3BV {one['bbbv']['mean']:6.1f}, ZiNi {one['zini']['mean']:6.1f}; "
            f"{batch['bbbv_and_openings']:.2f} µs in a batch, {batch['with_islands']:.2f} with "
            f"islands, {one['microseconds_one_by_one']:.0f} one by one"
        )
    if not quick:
        about = reporting.origin(
            about="Processor time on one core. Boards are dealt without a start rule.",
            seed=SEED,
            repeats=REPEATS,
        )
        reporting.write("metrics", about | {"levels": levels})


if __name__ == "__main__":
    main()
