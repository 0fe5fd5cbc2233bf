"""`python -m jaxsweep.arena`: measure players over many games, on all devices, on several hosts."""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import jax
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from jaxsweep.commands import arguments
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation import runs
from jaxsweep.simulation.matches import (
    GAMES_PER_DEVICE,
    Batch,
    Loss,
    Record,
    merge,
    play_batches,
    play_games,
)
from jaxsweep.simulation.runs import Run, RunError, Settings
from jaxsweep.simulation.statistics import paired_difference, wilson
from jaxsweep.single import words
from jaxsweep.single.replay import record as record_game
from jaxsweep.single.replay import save
from jaxsweep.strategies import FAST, STRATEGIES

__all__ = ["Batch", "Loss", "Record", "merge", "play_batches", "play_games"]

EXAMPLES = """examples:
  python -m jaxsweep.arena expert --games 200000 --out runs/expert
  python -m jaxsweep.arena expert --games 200000 --out runs/expert   (again: it goes on, or reports)
  python -m jaxsweep.arena beginner --compare exact exact-random-ties --games 100000
  python -m jaxsweep.arena expert --games 1000000 --out runs/big \\
      --coordinator 10.0.0.1:1234 --processes 2 --process-id 0       (and 1 on the other host)"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, checked."""
    parser = argparse.ArgumentParser(
        prog="python -m jaxsweep.arena",
        description="Play many games, and report how many were won, with an interval.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_opening(parser, "expert")
    players = parser.add_mutually_exclusive_group()
    players.add_argument(
        "--strategy",
        choices=list(STRATEGIES),
        default=FAST,
        metavar="NAME",
        help=f"the player: {', '.join(STRATEGIES)} (default: {FAST})",
    )
    players.add_argument(
        "--compare",
        nargs=2,
        choices=list(STRATEGIES),
        metavar=("A", "B"),
        help="two players on the same boards, and the difference of their win rates",
    )
    parser.add_argument(
        "--games",
        type=arguments.whole_number(1, 2**31),
        default=10_000,
        metavar="N",
        help="(default: 10000)",
    )
    parser.add_argument(
        "--seed",
        type=arguments.whole_number(0, 2**32 - 1),
        default=0,
        metavar="S",
        help="which boards (default: 0)",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="keep records there, and go on")
    parser.add_argument(
        "--batch",
        type=arguments.whole_number(1, 2**20),
        default=GAMES_PER_DEVICE,
        metavar="N",
        help=f"games under way on each device (default: {GAMES_PER_DEVICE}); changes no result",
    )
    parser.add_argument(
        "--devices",
        type=arguments.whole_number(1, 4096),
        metavar="N",
        help="use so many local devices (default: all; of a CPU, one a core)",
    )
    parser.add_argument(
        "--moves",
        nargs="+",
        type=arguments.whole_number(0, 2**31),
        default=[],
        metavar="GAME",
        help="also write every move of these games to --out",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    hosts = parser.add_argument_group("several hosts")
    hosts.add_argument("--coordinator", metavar="HOST:PORT", help="where process 0 listens")
    hosts.add_argument(
        "--processes", type=arguments.whole_number(1, 2**16), metavar="N", help="how many in all"
    )
    hosts.add_argument(
        "--process-id", type=arguments.whole_number(0, 2**16), metavar="I", help="from 0"
    )
    hosts.add_argument(
        "--distributed",
        action="store_true",
        help="take these three from the cluster (SLURM, Open MPI, cloud TPU)",
    )
    parsed = parser.parse_args(argv)
    given = (parsed.coordinator, parsed.processes, parsed.process_id)
    if any(x is not None for x in given) and any(x is None for x in given):
        parser.error("--coordinator, --processes and --process-id go together")
    if parsed.processes is not None and parsed.process_id >= parsed.processes:
        parser.error(f"--process-id {parsed.process_id} of --processes {parsed.processes}")
    if parsed.coordinator and ":" not in parsed.coordinator:
        parser.error(f"--coordinator takes HOST:PORT, not {parsed.coordinator!r}")
    if (parsed.coordinator or parsed.distributed) and not parsed.out:
        parser.error("several processes need --out: each writes its own shards there")
    if parsed.moves and not parsed.out:
        parser.error("--moves needs --out, a folder to write to")
    if parsed.moves and max(parsed.moves) >= parsed.games:
        parser.error(f"--moves {max(parsed.moves)}: there are games 0 to {parsed.games - 1}")
    return parsed


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    argv = list(sys.argv[1:] if argv is None else argv)
    parsed = parse(argv)
    opening = arguments.read_opening(parsed)
    machine.use_devices(parsed.devices)
    if parsed.coordinator:
        jax.distributed.initialize(parsed.coordinator, parsed.processes, parsed.process_id)
    elif parsed.distributed:
        jax.distributed.initialize()
    use_cache()
    names = parsed.compare or [parsed.strategy]
    about = {"command": "python -m jaxsweep.arena " + " ".join(argv), "machine": machine.facts()}
    results = []
    for name in names:
        settings = Settings.of(opening, name, parsed.seed, parsed.games)
        folder = parsed.out / name if parsed.out and parsed.compare else parsed.out
        record, seconds, longest = measure(settings, folder, parsed.batch, about)
        if record is None:
            return 0
        results.append((settings, record))
        if not parsed.compare or not parsed.json:
            facts = summary(settings, record, seconds, longest)
            print(json.dumps(facts | about)) if parsed.json else report(settings, facts)
        for number in parsed.moves:
            save(record_game(name, opening, parsed.seed, number), folder / f"game-{number}.json")
    if parsed.compare:
        first, second = results
        compare(first, second, parsed.json)
    return 0


def measure(
    settings: Settings, folder: Path | None, batch: int, about: dict
) -> tuple[Record | None, float, float]:
    """Plays what is missing; all records, the time they took, and the longest batch.

    No records in a process that is not the first of several: that one reports.
    """
    if folder is None:
        began, reports = time.perf_counter(), []
        batches = play_batches(
            STRATEGIES[settings.strategy],
            settings.opening,
            settings.seed,
            settings.games,
            batch,
        )
        for part in shown(batches, settings, settings.games):
            reports.append(part)
        record = merge([part.record for part in reports]).ordered()
        longest = max(part.seconds for part in reports)
        return record, time.perf_counter() - began, longest
    run = Run(folder, settings, about)
    index, count = jax.process_index(), jax.process_count()
    # Consecutive shards rather than every n-th: slots stay full from one shard to the next.
    own = range(settings.shards * index // count, settings.shards * (index + 1) // count)
    left = sum(len(settings.games_of(shard)) for shard in run.missing(own))
    try:
        for _ in shown(runs.play(run, own, batch), settings, left):
            pass
    except KeyboardInterrupt:
        have = len(own) - len(run.missing(own))
        shards = f"{have} of {words.count(len(own), 'shard')} {'is' if have == 1 else 'are'}"
        print(f"\n{shards} in {folder}; the same command goes on.")
        raise
    if count > 1:
        # All leave together, or the first to leave would end the others.
        while not all(run.path(shard).exists() for shard in range(settings.shards)):
            time.sleep(0.2)
        if index:
            return None, 0.0, 0.0
    return run.records(), *run.seconds()


def shown(batches: Iterator[Batch], settings: Settings, games: int) -> Iterator[Batch]:
    """The same batches, under a bar with games a second, wins so far, and the time left."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TextColumn("{task.fields[wins]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    won = played = 0
    began = time.perf_counter()
    with bar:
        task = bar.add_task(settings.strategy, total=games, speed="compiling", wins="")
        for batch in batches:
            yield batch
            won, played = won + int(batch.record.won.sum()), played + len(batch.record)
            low, high = wilson(won, played)
            speed = f"{played / (time.perf_counter() - began):,.0f}/s"
            wins = f"{won / played:.2%} ± {(high - low) / 2:.2%}"
            bar.update(task, completed=played, speed=speed, wins=wins)


def summary(settings: Settings, record: Record, seconds: float, longest: float) -> dict:
    """What there is to say of a run."""
    games, won = len(record), int(record.won.sum())
    safe = settings.opening.level.cells - settings.opening.level.mines
    lost = {loss.name.lower(): int((record.loss == loss).sum()) for loss in list(Loss)[1:]}
    return {
        "level": str(settings.opening.level),
        "start": settings.start,
        "first_cell": settings.first,
        "strategy": settings.strategy,
        "seed": settings.seed,
        "games": games,
        "wins": won,
        "win_rate": won / games,
        "interval_95": wilson(won, games),
        "share_cleared": float(record.opened.mean()) / safe if safe else 1.0,
        "clicks": float(record.clicks.mean()),
        "guesses": float(record.guesses.mean()),
        "blind_guesses": int(record.unknown_risks.sum()),
        "wrong_certainties": int(record.wrong_certainties.sum()),
        "losses": lost,
        "seconds": seconds,
        "longest_batch_seconds": longest,
        "checksum": runs.checksum([record]),
        "peak_memory_mib": machine.peak_memory(),
    }


def report(settings: Settings, facts: dict) -> None:
    """Prints what came of a run; its last line is the record, as players of old kept it."""
    low, high = facts["interval_95"]
    lost = facts["games"] - facts["wins"]
    print(
        f"{settings.strategy} on {facts['level']}, {settings.start} start at "
        f"{settings.first}, seed {settings.seed}: won {facts['win_rate']:.3%} "
        f"({low:.3%} to {high:.3%})"
    )
    reasons = ", ".join(f"{n:,} {_LOSSES[name]}" for name, n in facts["losses"].items() if n)
    print(
        f"{facts['clicks']:.1f} clicks and {facts['guesses']:.2f} guesses a game"
        + (f"; lost {reasons}" if reasons else "")
    )
    print(f"checksum {facts['checksum'][:16]}")
    print(
        f"{facts['wins']:,}–{lost:,} ({facts['win_rate']:.2%}), {facts['share_cleared']:.2%} "
        f"cleared, {facts['seconds'] / facts['games'] * 1e3:.3f} ms a game, "
        f"longest batch {facts['longest_batch_seconds']:.2f} s"
    )


_LOSSES = {
    "unavoidable": "at the least risk there was",
    "not_best": "at a greater risk than need be",
    "wrong_certainty": "by a false certainty",
    "not_compared": "at a risk that was not compared",
}


def compare(first: tuple[Settings, Record], second: tuple[Settings, Record], as_json: bool) -> None:
    """Prints the paired difference of two players on the same boards."""
    (one, a), (two, b) = first, second
    if replace(one, strategy=two.strategy) != two:
        raise RunError("only runs on the same boards can be compared")
    only_a, only_b = int((a.won & ~b.won).sum()), int((b.won & ~a.won).sum())
    difference, low, high = paired_difference(only_a, only_b, len(a))
    if as_json:
        facts = {
            "games": len(a),
            "win_rates": {s.strategy: float(r.won.mean()) for s, r in (first, second)},
            "only_first_won": only_a,
            "only_second_won": only_b,
            "difference": difference,
            "interval_95": [low, high],
        }
        print(json.dumps(facts))
        return
    print(
        f"{one.strategy} − {two.strategy}: {difference:+.3%} ({low:+.3%} to {high:+.3%}); of "
        f"{words.count(len(a), 'board')} {only_a:,} {'was' if only_a == 1 else 'were'} won by the "
        f"first alone, {only_b:,} by the second alone"
    )
