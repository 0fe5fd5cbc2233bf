"""`python -m jaxsweep.bench`: how long the kernels take, warmed up and blocked on."""

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module

import jax
import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table as TextTable

from jaxsweep.commands import arguments, peers
from jaxsweep.engines import random_layouts, rejection
from jaxsweep.engines.batching import parallel_map, reduce_positions, sizes_of
from jaxsweep.engines.beliefs import Beliefs
from jaxsweep.engines.component_index import find_components
from jaxsweep.environment import Environment, EnvState, random_cells
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard, game
from jaxsweep.rules.bitboard import vmap_last
from jaxsweep.rules.deduction import deduce, nothing_certain, single_cell_round
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.position import Position
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.episode import OpeningArrays
from jaxsweep.simulation.matches import GAMES_PER_DEVICE, play_batches, play_games
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import STRATEGIES

SEED = 2026

OPENINGS = {
    "beginner": Opening.of(LEVELS["beginner"]),
    "intermediate": Opening.of(LEVELS["intermediate"]),
    "expert": Opening.of(LEVELS["expert"]),
    "expert-zero": Opening.of(LEVELS["expert"], Start.ZERO),
    "dense": Opening.of(Level(16, 30, 130)),
    "large": Opening.of(Level(100, 100, 2200), Start.ZERO),
}
"""What boards are played on: safe starts in the corner, zero starts at (3, 3)."""

STANDARD = ("beginner", "intermediate", "expert")

LARGE_BATCH = 64
"""The most boards of the large level in a batch: each is as many cells as twenty of expert."""

Call = Callable[[], object]


@dataclass(frozen=True)
class Benchmark:
    """A kernel, and the boards and batch sizes it is timed on."""

    make: Callable[[Opening, int], Call]
    levels: tuple[str, ...] = STANDARD
    batches: tuple[int, ...] = (4096,)
    rate: tuple[str, Callable[[Opening], int]] | None = None
    """What is done to an entry of the batch, and how often, where it is that that counts."""
    about: str | None = None
    """One line; None: what `make` says of itself."""

    @property
    def summary(self) -> str:
        """What is done, in one line."""
        return (self.about or self.make.__doc__ or "").strip().rstrip(".").lower()


@dataclass(frozen=True)
class Timing:
    """Microseconds a board: the median over the repeats, and the middle half of them."""

    benchmark: str
    level: str
    batch: int
    median: float
    quartiles: tuple[float, float]
    repeats: int
    busy: float
    """Cores kept busy: processor time over time."""
    signature: str | None
    """A checksum of the answers, for benchmarks that have some: it must not move."""
    unit: str | None
    """Of `per_second`."""
    per_second: float | None


def deal(opening: Opening, batch: int) -> Call:
    """Lay the mines of new games."""
    table = OpeningArrays.of(opening)

    def one(number):
        key = game.deal_key(game.game_key(np.uint32(SEED), number))
        return game.deal(key, table.cells, table.allowed_mines, table.mines)

    return partial(jax.jit(vmap_last(one)), np.arange(batch, dtype=np.uint32))


def open_first(opening: Opening, batch: int) -> Call:
    """Open the first cell of dealt games, flood included."""
    table, dealt = OpeningArrays.of(opening), deal(opening, batch)()
    tables = table.broadcast(batch)
    first = bitboard.single(tables.row, tables.col, tables.cells)
    return partial(jax.jit(game.open_cells), dealt, first)


def single_round(opening: Opening, batch: int) -> Call:
    """One round of both single-cell rules on stuck positions."""
    positions = stuck_positions(opening, SEED, batch)
    return partial(jax.jit(single_cell_round), positions, nothing_certain(positions))


def whole_deduction(opening: Opening, batch: int) -> Call:
    """All rules to a fixpoint on stuck positions."""
    return partial(jax.jit(deduce), stuck_positions(opening, SEED, batch))


def frontiers(opening: Opening, batch: int) -> Call:
    """The single-cell rules and the constraint arrays of stuck positions."""
    positions = stuck_positions(opening, SEED, batch)
    return lambda: find_components(reduce_positions(positions))


def inference(opening: Opening, batch: int) -> Call:
    """Exact beliefs of stuck positions, from position to probabilities."""
    return partial(infer, stuck_positions(opening, SEED, batch))


def random_games(opening: Opening, batch: int) -> Call:
    """Whole games of the player `random`."""
    return lambda: list(
        play_games(STRATEGIES["random"], opening, SEED, batch, compare_losses=False)
    )


def half_open(opening: Opening) -> Position:
    """A stuck position, one of a batch of one, with about half of the board open."""
    positions = jax.device_get(stuck_positions(opening, SEED, 512))
    hidden = sizes_of(positions.hidden)
    nearest = np.argmin(np.abs(hidden - opening.level.cells / 2))
    return jax.tree.map(lambda leaf: leaf[..., nearest : nearest + 1], positions)


def placements(opening: Opening, batch: int) -> Call:
    """Random layouts of a half-open board, each with every cell in turn, by the plain sampler."""
    position = half_open(opening)
    a_call = min(32, -(-batch // random_layouts.SAMPLES))
    copies = jax.tree.map(lambda leaf: np.repeat(leaf, a_call, axis=-1), position)
    seeds = np.arange(a_call, dtype=np.uint32)
    most = (
        np.int32(sizes_of(position.hidden)[0]),
        np.int32(random_layouts.count_numbers(position)[0]),
    )
    capacity = next(tier for tier in rejection.CAPACITIES if tier >= max(most))

    def sample(i: int) -> random_layouts.SampleSums:
        return jax.block_until_ready(
            random_layouts.sample_batch(copies, seeds, np.int32(i), most, capacity)
        )

    calls = -(-batch // (a_call * random_layouts.SAMPLES))
    return lambda: parallel_map(sample, range(calls))


def environment_steps(opening: Opening, batch: int) -> Call:
    """One step of the environment, any cells, with automatic reset."""
    level, seed = opening.level, np.uint32(SEED)
    environment = Environment(level, opening.start)
    row, col = random_cells(level, jax.random.key(SEED), batch)

    @jax.jit
    def step(state: EnvState) -> EnvState:
        # The same cells every time: the games are new ones.
        return environment.step_and_reset(state, row, col, seed)[0]

    state = environment.reset(batch)

    def call() -> EnvState:
        nonlocal state
        state = step(state)
        return state

    return call


def arena_games(opening: Opening, batch: int) -> Call:
    """Whole games of the player `exact`; games in progress carry over from call to call."""
    in_progress = min(GAMES_PER_DEVICE, max(batch, 64))
    batches = play_batches(STRATEGIES["exact"], opening, SEED, 2**31 - 1, in_progress)
    surplus = 0

    def call() -> int:
        nonlocal surplus
        while surplus < batch:
            surplus += len(next(batches).record)
        surplus -= batch
        return surplus

    return call


def of_the_window(name: str) -> Callable[[Opening, int], Call]:
    """A benchmark of the window, loaded when it is asked for: nothing else here needs a screen."""

    def make(opening: Opening, batch: int) -> Call:
        return getattr(import_module("viewer.benchmarks"), name)(opening, batch)

    return make


BENCHMARKS = {
    "deal": Benchmark(deal),
    "open": Benchmark(open_first),
    "single-cell-round": Benchmark(single_round),
    "random-games": Benchmark(random_games),
    "deduction": Benchmark(whole_deduction),
    "frontier": Benchmark(frontiers),
    "inference": Benchmark(inference, tuple(OPENINGS), (1, 64, 1024, 8192)),
    "placements": Benchmark(
        placements,
        ("beginner",),
        (2**20,),
        rate=("checks", lambda opening: int(sizes_of(half_open(opening).hidden)[0])),
    ),
    "environment-steps": Benchmark(environment_steps, rate=("steps", lambda opening: 1)),
    "arena": Benchmark(
        arena_games, (*STANDARD, "expert-zero"), (32768,), rate=("games", lambda opening: 1)
    ),
    "frame": Benchmark(of_the_window("frame"), ("expert",), (1,), about="Draw the window once."),
    "hint": Benchmark(of_the_window("hint"), ("expert",), (1,), about="What a hint takes."),
}


def measure(name: str, level: str, batch: int, repeats: int) -> Timing:
    """Times one benchmark; short calls are repeated within a sample so that the clock is fair."""
    call = BENCHMARKS[name].make(OPENINGS[level], batch)
    answer = jax.block_until_ready(call())
    once = _seconds(call, 1)
    loops = max(1, int(0.02 / max(once, 1e-6)))
    began, worked = time.perf_counter(), time.process_time()
    samples = np.array([_seconds(call, loops) for _ in range(repeats)]) / batch * 1e6
    busy = (time.process_time() - worked) / (time.perf_counter() - began)
    low, median, high = (float(x) for x in np.percentile(samples, [25, 50, 75]))
    unit, times = BENCHMARKS[name].rate or (None, None)
    return Timing(
        benchmark=name,
        level=level,
        batch=batch,
        median=median,
        quartiles=(low, high),
        repeats=repeats,
        busy=busy,
        signature=_signature(answer) if isinstance(answer, Beliefs) else None,
        unit=unit,
        per_second=times(OPENINGS[level]) / median * 1e6 if times else None,
    )


def _signature(beliefs: Beliefs) -> str:
    """A checksum of statuses, certain cells and probabilities to four digits."""
    rounded = np.round(np.asarray(beliefs.mine_probability, np.float64) * 10_000).astype(np.int32)
    parts = (beliefs.status, beliefs.safe, beliefs.mines, rounded)
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
    return digest.hexdigest()[:12]


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, checked."""
    parser = argparse.ArgumentParser(
        prog="python -m jaxsweep.bench",
        description="Time the kernels, warmed up, on boards made from a fixed seed.",
        epilog="example: python -m jaxsweep.bench deal single-cell-round --cores 1",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="benchmarks to run (default: all): "
        + "; ".join(f"{name}: {each.summary}" for name, each in BENCHMARKS.items()),
    )
    parser.add_argument(
        "--level", choices=list(OPENINGS), help="one level only (default: all of a benchmark's)"
    )
    parser.add_argument(
        "--batch",
        type=arguments.whole_number(1, 2**20),
        metavar="N",
        help="boards a call (default: the benchmark's own, 4096 or several)",
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
    parser.add_argument(
        "--peers",
        action="store_true",
        help="instead, compare with jumanji and ms_toollib, where they are installed",
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
    machine.use_devices()
    use_cache()
    if parsed.peers:
        return _compare(parsed, argv)
    jobs = [
        (name, level, batch)
        for name in (parsed.names or BENCHMARKS)
        for level in ([parsed.level] if parsed.level else BENCHMARKS[name].levels)
        for batch in ([parsed.batch] if parsed.batch else BENCHMARKS[name].batches)
        if level != "large" or batch <= LARGE_BATCH
    ]
    bar = partial(track, description="measuring", transient=True, disable=parsed.json)
    timings = [measure(*job, parsed.repeats) for job in bar(jobs, console=Console(stderr=True))]
    result = {
        "command": "python -m jaxsweep.bench " + " ".join(argv),
        "unit": "microseconds a board",
        "machine": machine.facts(),
        "peak_memory_mib": machine.peak_memory(),
        "timings": [asdict(timing) for timing in timings],
    }
    if not _keep(parsed, result):
        report(timings)
    return 0


def _keep(parsed: argparse.Namespace, result: dict) -> bool:
    """Writes and prints a result as JSON, where that is asked for; whether it was printed."""
    text = json.dumps(result, indent=1)
    if parsed.out:
        with open(parsed.out, "w") as file:
            file.write(text + "\n")
    if parsed.json:
        print(text)
    return parsed.json


def _compare(parsed: argparse.Namespace, argv: list[str]) -> int:
    """Compares with other people's software."""
    found, missing = peers.compare_all(parsed.repeats)
    result = {
        "command": "python -m jaxsweep.bench " + " ".join(argv),
        "unit": "a second",
        "machine": machine.facts(),
        "comparisons": [asdict(one) | {"ratio": one.ratio} for one in found],
        "missing": missing,
    }
    if _keep(parsed, result):
        return 0
    for one in found:
        print(
            f"{one.what}: {one.ours:,.0f} a second, {one.peer} {one.theirs:,.0f}: "
            f"{one.ratio:.1f} times as many"
        )
    for name in missing:
        print(f"{name} is not installed: nothing to compare with")
    return 0


def report(timings: list[Timing]) -> None:
    """Prints the timings as a table."""
    where = machine.facts()
    # Six columns within 80: no frame, and the head of the signature.
    table = TextTable(
        box=box.SIMPLE_HEAD,
        padding=0,
        title="µs a board",
        caption=f"{where['cores']} cores of {where['cpu']}, {where['device']} device, "
        f"jax {where['jax']}, Python {where['python']}",
    )
    for column in ("benchmark", "level", "batch"):
        table.add_column(column, no_wrap=True)
    for column in ("median", "middle half", "busy"):
        table.add_column(column, justify="right", no_wrap=True)
    signed = any(timing.signature for timing in timings)
    if signed:
        table.add_column("signature")
    for timing in timings:
        low, high = timing.quartiles
        table.add_row(
            timing.benchmark,
            timing.level,
            str(timing.batch),
            f"{timing.median:.2f}",
            f"{low:.2f} – {high:.2f}",
            f"{timing.busy:.2f}",
            *([(timing.signature or "")[:8]] if signed else []),
        )
    console = Console(highlight=False)
    console.print(table)
    for timing in timings:
        if timing.per_second:
            rate = f"{timing.per_second:,.0f} {timing.unit} a second"
            console.print(f"{timing.benchmark}, {timing.level}: {rate}")


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
