"""How boards are valued one by one and in batches: whether alike, and how fast.

    python experiments/metrics.py [--quick]

Deals random boards of the standard levels, and boards of many sizes and densities. Values each by
plain Python and all in machine code: 3BV, openings, islands, ZiNi and HZiNi. Any difference ends
the script. Times both on one core, those of the standard levels. Takes about ten minutes, and
writes `results/metrics.json`.
"""

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from rich.console import Console
from rich.progress import track

import reporting
from jaxsweep.metrics.board import BoardValue
from jaxsweep.metrics.boards import board_values, click_values
from jaxsweep.metrics.zini import hzini, zini
from jaxsweep.rules.level import LEVELS, Level

SEED, BOARDS, REPEATS = 20, 100_000, 5
SIZES, MAX_SIDE, MAX_DENSITY = 1000, 24, 0.5
"""How many sizes, and up to which, `BOARDS` boards have that are of no level."""

NAMES = ("bbbv", "openings", "islands", "zini", "hzini")

BATCHES = {
    "bbbv_and_openings": partial(board_values, islands=False, threads=1),
    "with_islands": partial(board_values, threads=1),
    "zini_and_hzini": partial(click_values, threads=1),
}
"""What is timed in batches."""


def deal(level: Level, count: int, rng: np.random.Generator) -> np.ndarray:
    """Boards with the mines of the level anywhere."""
    cells = np.zeros((count, level.cells), bool)
    cells[:, : level.mines] = True
    return rng.permuted(cells, axis=1).reshape(count, level.rows, level.cols)


def value_in_batch(boards: np.ndarray) -> np.ndarray:
    """The values of boards, in a column of each name."""
    return np.stack([*board_values(boards), *click_values(boards)], axis=1)


def value_by_flood_fill(board: np.ndarray) -> tuple[int, int, int]:
    """The first three values of one board."""
    value = BoardValue.of(board)
    return value.bbbv, value.opening_count, value.islands


def value_by_clicks(board: np.ndarray) -> tuple[int, int]:
    """The other two values of one board."""
    return zini(board), hzini(board)


def compare(what: str, found: np.ndarray, expected: np.ndarray) -> None:
    """Ends the script if boards are valued differently."""
    differences = int((found != expected).any(axis=1).sum())
    if differences:
        sys.exit(f"{what}: {differences} of {len(found)} boards are valued differently")


def seconds(function: Callable[[], object]) -> tuple[float, object]:
    """The processor time of a call, and its result."""
    began = time.process_time()
    result = function()
    return time.process_time() - began, result


def measure(name: str, count: int, rng: np.random.Generator, console: Console) -> dict:
    """Compares the boards of one level, and times them."""
    boards = deal(LEVELS[name], count, rng)
    values = value_in_batch(boards)  # It compiles.
    one_by_one, plain = {}, []
    for what, value in (("3bv", value_by_flood_fill), ("zini", value_by_clicks)):
        every = track(boards, f"{name}, {what}", console=console)
        spent, found = seconds(lambda value=value, every=every: [value(board) for board in every])
        one_by_one[what] = 1e6 * spent / count
        plain.append(found)
    compare(name, values, np.concatenate(plain, axis=1))
    times = {}
    for what, value in BATCHES.items():
        spent = [seconds(partial(value, boards))[0] for _ in range(REPEATS)]
        times[what] = [1e6 * one / count for one in statistics.quantiles(spent, n=4)]
    return {
        "level": name,
        "boards": count,
        "differences": 0,
        **{what: mean(column) for what, column in zip(NAMES, values.T, strict=True)},
        "microseconds_in_batch": {what: quartiles[1] for what, quartiles in times.items()},
        "microseconds_in_batch_quartiles": {what: [q[0], q[2]] for what, q in times.items()},
        "microseconds_one_by_one": one_by_one["3bv"],
        "microseconds_zini_and_hzini": one_by_one["zini"],
    }


def compare_sizes(count: int, rng: np.random.Generator, console: Console) -> dict:
    """Compares boards of many sizes and densities; returns how many."""
    each = count // SIZES
    for _ in track(range(SIZES), "other sizes", console=console):
        size = tuple(rng.integers(1, MAX_SIDE + 1, 2).tolist())
        boards = rng.random((each, *size)) < rng.uniform(0, MAX_DENSITY)
        plain = [value_by_flood_fill(board) + value_by_clicks(board) for board in boards]
        compare(f"{size[0]}×{size[1]}", value_in_batch(boards), np.array(plain))
    return {
        "boards": each * SIZES,
        "sizes": SIZES,
        "sides": [1, MAX_SIDE],
        "densities": [0, MAX_DENSITY],
        "differences": 0,
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
    console = Console(stderr=True)
    levels = [measure(name, count, rng, console) for name in ("beginner", "intermediate", "expert")]
    for one in levels:
        batch = one["microseconds_in_batch"]
        print(
            f"{one['level']:12} 3BV {one['bbbv']['mean']:6.1f}, ZiNi {one['zini']['mean']:6.1f}; "
            f"in a batch {batch['bbbv_and_openings']:.2f} µs, {batch['with_islands']:.2f} with "
            f"islands, one by one {one['microseconds_one_by_one']:.0f}; ZiNi and HZiNi "
            f"{batch['zini_and_hzini']:.2f}, one by one {one['microseconds_zini_and_hzini']:.0f}"
        )
    sizes = compare_sizes(count, rng, console)
    print(f"{sizes['boards']:,} boards of other sizes and densities: no difference")
    if not quick:
        about = reporting.origin(
            about="Processor time on one core: medians, in batches with quartiles. "
            "Boards are dealt without a start rule.",
            seed=SEED,
            repeats=REPEATS,
        )
        reporting.write("metrics", about | {"levels": levels, "other_sizes": sizes})


if __name__ == "__main__":
    main()
