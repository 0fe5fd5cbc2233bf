"""`python -m jaxsweep.bench`: how long the kernels take, warmed up and blocked on."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import jax
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table as TextTable

from jaxsweep import arguments, bitboard, game, machine
from jaxsweep.arena import Table, begin, play_batch
from jaxsweep.compilation import use_cache
from jaxsweep.deduction import nothing_certain, single_cell_round
from jaxsweep.level import LEVELS, Opening, Start
from jaxsweep.strategies import STRATEGIES

STANDARD = ("beginner", "intermediate", "expert")
SEED = np.uint32(2026)

batched = partial(jax.vmap, in_axes=-1, out_axes=-1)

Call = Callable[[], object]


@dataclass(frozen=True)
class Timing:
    """Microseconds a board: the median over the repeats, and the middle half of them."""

    benchmark: str
    level: str
    batch: int
    median: float
    quartiles: tuple[float, float]
    repeats: int


def deal(table: Table, numbers: np.ndarray) -> Call:
    """Lay the mines of new games."""

    def one(number):
        key = game.deal_key(game.game_key(SEED, number))
        return game.deal(key, table.cells, table.minable, table.mines)

    return partial(jax.jit(batched(one)), numbers)


def open_first(table: Table, numbers: np.ndarray) -> Call:
    """Open the first cell of dealt games, flood included."""
    dealt = deal(table, numbers)()
    first = bitboard.single(table.row, table.col, table.cells)
    return partial(jax.jit(batched(lambda dealt: game.open_cells(dealt, first))), dealt)


def single_cell(table: Table, numbers: np.ndarray) -> Call:
    """One round of both single-cell rules after the first cell."""
    games = jax.jit(batched(lambda number: begin(table, SEED, number)))(numbers)
    positions = jax.jit(batched(game.view))(games)
    known = jax.jit(batched(nothing_certain))(positions)
    return partial(jax.jit(batched(single_cell_round)), positions, known)


def random_games(table: Table, numbers: np.ndarray) -> Call:
    """Whole games of the player `random`."""
    return partial(play_batch, STRATEGIES["random"], table, SEED, numbers)


BENCHMARKS: dict[str, Callable[[Table, np.ndarray], Call]] = {
    "deal": deal,
    "open": open_first,
    "single-cell-round": single_cell,
    "random-games": random_games,
}


def measure(name: str, level: str, batch: int, repeats: int) -> Timing:
    """Times one benchmark; short calls are repeated within a sample so that the clock is fair."""
    table = Table.of(Opening.of(LEVELS[level], Start.ZERO))
    call = BENCHMARKS[name](table, np.arange(batch, dtype=np.uint32))
    jax.block_until_ready(call())
    once = _seconds(call, 1)
    loops = max(1, int(0.02 / max(once, 1e-6)))
    samples = np.array([_seconds(call, loops) for _ in range(repeats)]) / batch * 1e6
    low, median, high = np.percentile(samples, [25, 50, 75])
    return Timing(name, level, batch, float(median), (float(low), float(high)), repeats)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, checked."""
    parser = argparse.ArgumentParser(
        prog="python -m jaxsweep.bench",
        description="Time the kernels on the standard levels (ZERO start).",
        epilog="example: python -m jaxsweep.bench deal single-cell-round --cores 1",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="benchmarks to run (default: all): "
        + "; ".join(f"{name}: {_summary(make)}" for name, make in BENCHMARKS.items()),
    )
    parser.add_argument(
        "--level", choices=STANDARD, help="one level only (default: all three standard levels)"
    )
    parser.add_argument(
        "--batch",
        type=arguments.whole_number(1, 2**20),
        default=4096,
        metavar="N",
        help="boards a call (default: 4096)",
    )
    parser.add_argument(
        "--repeats",
        type=arguments.whole_number(1, 10_000),
        default=15,
        metavar="N",
        help="samples a benchmark (default: 15)",
    )
    parser.add_argument(
        "--cores",
        type=arguments.whole_number(1, 4096),
        metavar="N",
        help="use the first N processor cores only (Linux)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--out", metavar="FILE", help="also write the JSON to a file")
    parsed = parser.parse_args(argv)
    unknown = [name for name in parsed.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    return parsed


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    argv = list(sys.argv[1:] if argv is None else argv)
    parsed = parse(argv)
    if parsed.cores:
        _pin(parsed.cores)
    use_cache()
    jobs = [
        (name, level)
        for name in (parsed.names or BENCHMARKS)
        for level in ([parsed.level] if parsed.level else STANDARD)
    ]
    timings = [
        measure(name, level, parsed.batch, parsed.repeats)
        for name, level in track(
            jobs, "measuring", console=Console(stderr=True), transient=True, disable=parsed.json
        )
    ]
    result = {
        "command": "python -m jaxsweep.bench " + " ".join(argv),
        "unit": "microseconds a board",
        "machine": machine.facts(),
        "timings": [asdict(timing) for timing in timings],
    }
    text = json.dumps(result, indent=1)
    if parsed.out:
        with open(parsed.out, "w") as file:
            file.write(text + "\n")
    if parsed.json:
        print(text)
    else:
        report(timings)
    return 0


def report(timings: list[Timing]) -> None:
    """Prints the timings as a table."""
    where = machine.facts()
    table = TextTable(
        title="µs a board",
        caption=f"{where['cores']} cores of {where['cpu']}, {where['device']} device, "
        f"jax {where['jax']}, Python {where['python']}",
    )
    for column in ("benchmark", "level", "batch"):
        table.add_column(column)
    for column in ("median", "middle half"):
        table.add_column(column, justify="right")
    for timing in timings:
        low, high = timing.quartiles
        table.add_row(
            timing.benchmark,
            timing.level,
            str(timing.batch),
            f"{timing.median:.2f}",
            f"{low:.2f} – {high:.2f}",
        )
    Console(highlight=False).print(table)


def _seconds(call: Call, loops: int) -> float:
    began = time.perf_counter()
    for _ in range(loops):
        jax.block_until_ready(call())
    return (time.perf_counter() - began) / loops


def _pin(cores: int) -> None:
    """Before the first computation: the device's threads are made for the cores allowed then."""
    if not hasattr(os, "sched_setaffinity"):
        raise OSError("--cores needs Linux")
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:cores])


def _summary(make: Callable[..., Call]) -> str:
    return (make.__doc__ or "").strip().rstrip(".").lower()


if __name__ == "__main__":
    arguments.run(main)
