"""The command line of `python -m jaxsweep.bench`: times the kernels."""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import track

from jaxsweep.benchmarks import rivals
from jaxsweep.benchmarks.catalogue import BENCHMARKS, LARGE_BATCH, OPENINGS
from jaxsweep.benchmarks.rivals import Duel, Rival
from jaxsweep.commands import arguments
from jaxsweep.commands.bench_report import (
    report_accelerator,
    report_peers,
    report_profile,
    report_rival,
    report_timings,
)
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.scalar.players import FAST, PLAYERS

_Item = TypeVar("_Item")

PROFILE = "profile"

PROFILE_GAMES = 40_000
"""Games of a profile, unless --batch says otherwise."""

REPEATS = 15
"""Samples per benchmark, and of each other library."""

RIVAL_LEVEL = "expert"
"""The level of games against a rival, unless another is asked for."""

ACCELERATOR_FILE = "jaxsweep-accelerator.json"
ACCELERATOR_REPEATS = 5
"""The file and the samples of `--accelerator`, unless others are asked for."""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = arguments.make_parser(
        "jaxsweep.bench",
        "Time the kernels, warmed up, on boards made from a fixed seed.",
        "examples:\n  python -m jaxsweep.bench deal single-cell-round --cores 1\n"
        "  python -m jaxsweep.bench --peers --rival './solver --games {games}'",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="benchmarks to run (default: all): "
        + "; ".join(f"{name}: {each.summary}" for name, each in BENCHMARKS.items())
        + f"; or {PROFILE} PLAYER: how the time of a player's games divides",
    )
    parser.add_argument(
        "--level",
        choices=list(OPENINGS),
        help="one level only (default: all levels of a benchmark; with --rival expert)",
    )
    parser.add_argument(
        "--batch",
        type=arguments.whole_number(1, 2**20),
        metavar="N",
        help="boards per call (default: the benchmark's own sizes); with --rival our games in "
        f"progress on each device (default: as the arena); with {PROFILE} the games to play; "
        "with --accelerator the games advanced together (default: 4096)",
    )
    parser.add_argument(
        "--repeats",
        type=arguments.whole_number(1, 10_000),
        metavar="N",
        help=f"samples per benchmark (default: {REPEATS}; of a rival {rivals.DEFAULT_REPEATS}; "
        f"with --accelerator {ACCELERATOR_REPEATS})",
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
    parser.add_argument(
        "--accelerator",
        action="store_true",
        help="instead, count what expert games ask of an accelerator, time it on this device, and "
        f"model it on others, --batch games at a time; writes {ACCELERATOR_FILE} unless --out says "
        "otherwise",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--out", metavar="FILE", type=arguments.new_file, help="also write the JSON to a file"
    )
    _add_rival(parser.add_argument_group("a program of your own, with --peers"))
    parsed = parser.parse_args(argv)
    parsed.profile = _profiled(parser, parsed)
    unknown = [name for name in parsed.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    if parsed.level == "large" and (parsed.batch or 1) > LARGE_BATCH:
        parser.error(f"--batch {parsed.batch}: the large level takes up to {LARGE_BATCH} boards")
    if parsed.accelerator and (parsed.names or parsed.profile or parsed.peers or parsed.level):
        parser.error("--accelerator goes without names, --level and --peers: it plays expert games")
    if parsed.rival is not None and not parsed.peers:
        parser.error("--rival goes with --peers")
    if parsed.rival is None:
        for option in ("rival_games", "rival_wins", "strategy"):
            if getattr(parsed, option) is not None:
                parser.error(f"--{option.replace('_', '-')} goes with --rival")
    return parsed


def _profiled(parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> str | None:
    """Returns the player that is to be profiled, if one is, and takes it from the names."""
    if parsed.names[:1] != [PROFILE]:
        return None
    names, parsed.names = parsed.names[1:], []
    if len(names) != 1:
        parser.error(f"{PROFILE} takes the name of one player: {', '.join(PLAYERS)}")
    if names[0] not in PLAYERS:
        parser.error(f"no player {names[0]!r}; there are {', '.join(PLAYERS)}")
    return names[0]


def _add_rival(group: argparse._ArgumentGroup) -> None:
    """Adds the command of a rival, and how it is compared."""
    group.add_argument(
        "--rival",
        metavar="CMD",
        help=f"also compare with a program: its command, with {rivals.GAMES} for the number of "
        "games; it is run without a shell, for many and for few games",
    )
    group.add_argument(
        "--rival-games",
        type=arguments.whole_number(rivals.SHORT, 10**9),
        metavar="N",
        help="games of the rival in its long runs, of which the short ones have a tenth "
        f"(default: {rivals.DEFAULT_GAMES})",
    )
    group.add_argument(
        "--rival-wins",
        metavar="REGEX",
        help="also compare win rates: a regular expression for the output of the rival, whose one "
        "group is the number of games won, or a percentage with its sign; the last match counts",
    )
    arguments.add_strategy(group, FAST, default_text=FAST)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    argv = list(sys.argv[1:] if argv is None else argv)
    parsed = parse(argv)
    rival = None if parsed.rival is None else Rival.of(parsed.rival, parsed.rival_wins)
    if parsed.cores:
        _pin(parsed.cores)
    if rival is not None:
        # A rival that fails is refused now: before JAX starts, and before other comparisons.
        rival.run(rivals.short_run(parsed.rival_games or rivals.DEFAULT_GAMES))
    machine.use_devices()
    use_cache()
    if parsed.peers:
        return _compare(parsed, argv, rival)
    if parsed.profile:
        return _profile(parsed, argv)
    if parsed.accelerator:
        return _accelerate(parsed, argv)
    jobs = [
        (name, level, batch)
        for name in (parsed.names or BENCHMARKS)
        for level in ([parsed.level] if parsed.level else BENCHMARKS[name].levels)
        for batch in ([parsed.batch] if parsed.batch else BENCHMARKS[name].batches)
        if level != "large" or batch <= LARGE_BATCH
    ]
    # Imported here, so that help and bad arguments do not wait for JAX.
    from jaxsweep.benchmarks.timing import measure

    repeats = parsed.repeats or REPEATS
    timings = [measure(*job, repeats) for job in _with_progress(parsed, jobs)]
    result = {
        "command": "python -m jaxsweep.bench " + shlex.join(argv),
        "unit": "microseconds a board",
        "machine": machine.facts(),
        "peak_memory_mib": machine.peak_memory(),
        "timings": [asdict(timing) for timing in timings],
    }
    if not _write_json(parsed, result):
        report_timings(timings)
    return 0


def _with_progress(parsed: argparse.Namespace, items: Sequence[_Item]) -> Iterable[_Item]:
    """Yields the items, and shows a bar on a terminal."""
    console = Console(stderr=True)
    return track(items, "measuring", transient=True, disable=parsed.json, console=console)


def _write_json(parsed: argparse.Namespace, result: dict) -> bool:
    """Writes a result to `--out` and prints it with `--json`; returns whether it was printed."""
    text = json.dumps(result, indent=1)
    if parsed.out:
        parsed.out.write_text(text + "\n", "utf-8")
    if parsed.json:
        print(text)
    return parsed.json


def _profile(parsed: argparse.Namespace, argv: list[str]) -> int:
    """Divides the time of a player's games."""
    from jaxsweep.benchmarks.profile import SEED, profile

    level = parsed.level or RIVAL_LEVEL
    found = profile(parsed.profile, OPENINGS[level], parsed.batch or PROFILE_GAMES)
    result = {
        "command": "python -m jaxsweep.bench " + shlex.join(argv),
        "seed": SEED,
        "level": level,
        "machine": machine.facts(),
        **asdict(found),
    }
    if _write_json(parsed, result):
        return 0
    report_profile(found, level)
    return 0


def _accelerate(parsed: argparse.Namespace, argv: list[str]) -> int:
    """Counts, times and models what games ask of an accelerator."""
    from jaxsweep.benchmarks import accelerator
    from jaxsweep.simulation.device_state import ACCELERATOR_BUCKET

    parsed.out = parsed.out or Path(ACCELERATOR_FILE)
    repeats, bucket = parsed.repeats or ACCELERATOR_REPEATS, parsed.batch or ACCELERATOR_BUCKET
    result = {
        "command": "python -m jaxsweep.bench " + shlex.join(argv),
        "level": RIVAL_LEVEL,
        "machine": machine.facts(),
        **accelerator.measure(OPENINGS[RIVAL_LEVEL], bucket, repeats),
        "peak_memory_mib": machine.peak_memory(),
    }
    if not _write_json(parsed, result):
        report_accelerator(result, parsed.out)
    return 0


def _compare(parsed: argparse.Namespace, argv: list[str], rival: Rival | None) -> int:
    """Compares with other libraries, and with a rival if there is one."""
    from jaxsweep.benchmarks import peers

    found, missing = peers.compare_all(parsed.repeats or REPEATS)
    duel = None if rival is None else _duel(parsed, rival)
    result = {
        "command": "python -m jaxsweep.bench " + shlex.join(argv),
        "unit": "a second",
        "machine": machine.facts(),
        "comparisons": [asdict(each) | {"ratio": each.ratio} for each in found],
        "missing": missing,
    }
    if duel is not None:
        result["rival"] = _rival_facts(parsed, duel)
    if _write_json(parsed, result):
        return 0
    report_peers(found, missing)
    if duel is not None:
        report_rival(duel, parsed.level or RIVAL_LEVEL)
    return 0


def _duel(parsed: argparse.Namespace, rival: Rival) -> Duel:
    """Times our player and a rival as the arguments say."""
    level = parsed.level or RIVAL_LEVEL
    return rivals.duel(
        rival,
        parsed.strategy or FAST,
        OPENINGS[level],
        parsed.batch or (LARGE_BATCH if level == "large" else None),
        parsed.rival_games or rivals.DEFAULT_GAMES,
        _with_progress(parsed, range(parsed.repeats or rivals.DEFAULT_REPEATS)),
    )


def _rival_facts(parsed: argparse.Namespace, duel: Duel) -> dict:
    """Returns the comparison with a rival, and the level of our games, for JSON."""
    level = parsed.level or RIVAL_LEVEL
    opening = OPENINGS[level]
    return {
        "level": level,
        "board": str(opening.level),
        "start": opening.start.value,
        **asdict(duel),
        "ratio": duel.ratio,
        "ratio_per_core": duel.ratio_per_core,
    }


def _pin(cores: int) -> None:
    """Restricts this process to `cores` cores; must be called before the first computation."""
    if not hasattr(os, "sched_setaffinity"):
        raise OSError("--cores needs Linux")
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:cores])
