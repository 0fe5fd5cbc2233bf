"""The command line of `python -m jaxsweep.bench`: times the kernels."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table as TextTable

from jaxsweep.benchmarks.catalogue import BENCHMARKS, LARGE_BATCH, OPENINGS
from jaxsweep.commands import arguments
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache

if TYPE_CHECKING:
    from jaxsweep.benchmarks.timing import Timing


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
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
        "--level",
        choices=list(OPENINGS),
        help="one level only (default: all levels of a benchmark)",
    )
    parser.add_argument(
        "--batch",
        type=arguments.whole_number(1, 2**20),
        metavar="N",
        help="boards per call (default: the benchmark's own sizes)",
    )
    parser.add_argument(
        "--repeats",
        type=arguments.whole_number(1, 10_000),
        default=15,
        metavar="N",
        help="samples per benchmark (default: 15)",
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
    parser.add_argument(
        "--out", metavar="FILE", type=arguments.new_file, help="also write the JSON to a file"
    )
    parsed = parser.parse_args(argv)
    unknown = [name for name in parsed.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    if parsed.level == "large" and (parsed.batch or 1) > LARGE_BATCH:
        parser.error(f"--batch {parsed.batch}: the large level takes up to {LARGE_BATCH} boards")
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
    # Imported here, so that help and bad arguments do not wait for JAX.
    from jaxsweep.benchmarks.timing import measure

    bar = partial(track, description="measuring", transient=True, disable=parsed.json)
    timings = [measure(*job, parsed.repeats) for job in bar(jobs, console=Console(stderr=True))]
    result = {
        "command": "python -m jaxsweep.bench " + " ".join(argv),
        "unit": "microseconds a board",
        "machine": machine.facts(),
        "peak_memory_mib": machine.peak_memory(),
        "timings": [asdict(timing) for timing in timings],
    }
    if not _write_json(parsed, result):
        report(timings)
    return 0


def _write_json(parsed: argparse.Namespace, result: dict) -> bool:
    """Writes a result to `--out` and prints it with `--json`; returns whether it was printed."""
    text = json.dumps(result, indent=1)
    if parsed.out:
        parsed.out.write_text(text + "\n", "utf-8")
    if parsed.json:
        print(text)
    return parsed.json


def _compare(parsed: argparse.Namespace, argv: list[str]) -> int:
    """Compares with other libraries."""
    from jaxsweep.benchmarks import peers

    found, missing = peers.compare_all(parsed.repeats)
    result = {
        "command": "python -m jaxsweep.bench " + " ".join(argv),
        "unit": "a second",
        "machine": machine.facts(),
        "comparisons": [asdict(each) | {"ratio": each.ratio} for each in found],
        "missing": missing,
    }
    if _write_json(parsed, result):
        return 0
    for each in found:
        print(
            f"{each.what}: {each.ours:,.0f} a second, {each.peer} {each.theirs:,.0f}: "
            f"{each.ratio:.1f} times as many"
        )
    for name in missing:
        print(f"{name} is not installed: no comparison")
    return 0


def report(timings: "list[Timing]") -> None:
    """Prints the timings as a table."""
    where = machine.facts()
    # Seven columns within 80 characters: no frame, and only the first digits of the signature.
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


def _pin(cores: int) -> None:
    """Restricts this process to `cores` cores; must be called before the first computation."""
    if not hasattr(os, "sched_setaffinity"):
        raise OSError("--cores needs Linux")
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:cores])
