"""The games of `python -m jaxsweep.arena`: played, resumed and reported."""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import jax
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from jaxsweep.native.compiler import is_on_disk
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation import runs
from jaxsweep.simulation.board_metrics import board_metrics
from jaxsweep.simulation.matches import Report, merge, play_and_report
from jaxsweep.simulation.runs import Run
from jaxsweep.simulation.settings import RunSettings
from jaxsweep.simulation.statistics import wilson
from jaxsweep.simulation.summary import Measurement, compare
from jaxsweep.single.replay import record as record_game
from jaxsweep.single.replay import save
from jaxsweep.single.words import count
from jaxsweep.strategies import STRATEGIES, LeastRisk, Lookahead
from jaxsweep.strategies.uncompiled import Uncompiled


def run(parsed: argparse.Namespace, opening: Opening, argv: Sequence[str]) -> int:
    """Plays the games that the arguments ask for, and reports; returns the exit status."""
    _start_devices(parsed.devices)
    if parsed.coordinator:
        jax.distributed.initialize(parsed.coordinator, parsed.processes, parsed.process_id)
    elif parsed.distributed:
        jax.distributed.initialize()
    about = _about("arena", argv)
    measured = []
    for name in parsed.compare or [parsed.strategy]:
        settings = RunSettings.of(opening, name, parsed.seed, parsed.games)
        folder = parsed.out / name if parsed.out and parsed.compare else parsed.out
        measurement = measure(settings, folder, parsed.batch, about)
        if measurement is None:
            return 0
        measured.append(measurement)
        if not parsed.compare or not parsed.json:
            extra = board_metrics(settings, measurement.record) if parsed.metrics else {}
            report(measurement, parsed.json, about, extra)
        for number in parsed.moves:
            save(record_game(name, opening, parsed.seed, number), folder / f"game-{number}.json")
    if parsed.compare:
        first, second = measured
        _report_comparison(first, second, parsed.json)
    return 0


def measure_and_report(
    settings: RunSettings, as_json: bool, command: str, argv: Sequence[str] | None
) -> None:
    """Plays games without storing their records, and prints the results.

    `command` and `argv` are stated in the JSON output.
    """
    _start_devices(None)
    about = _about(command, list(sys.argv[1:] if argv is None else argv))
    measurement = measure(settings, None, None, about)
    assert measurement is not None, "there is one process"
    report(measurement, as_json, about)


def _start_devices(number: int | None) -> None:
    """Sets the number of devices and the compilation cache, before the first computation."""
    machine.use_devices(number)
    use_cache()


def _about(command: str, argv: Sequence[str]) -> dict:
    """Returns how results are made: the command, and the machine."""
    return {
        "command": f"python -m jaxsweep.{command} " + " ".join(argv),
        "machine": machine.facts(),
    }


def measure(
    settings: RunSettings, folder: Path | None, batch: int | None, about: dict
) -> Measurement | None:
    """Plays the games of a run that its folder does not have yet; without a folder, all games.

    Of several processes, the first returns the measurement of the whole run, the others None.
    """
    if folder is None:
        began = time.perf_counter()
        strategy = STRATEGIES[settings.strategy]
        cells = settings.games * settings.rows * settings.cols
        few = cells <= strategy.few_games * LEVELS["expert"].cells
        if few and not is_on_disk("players.guess_some"):
            assert isinstance(strategy, LeastRisk | Lookahead), "other players compile no guesses"
            strategy = Uncompiled(strategy)
        reports = play_and_report(strategy, settings.opening, settings.seed, settings.games, batch)
        parts = list(_with_progress(reports, settings, settings.games))
        record = merge([part.record for part in parts]).ordered()
        seconds = time.perf_counter() - began
        return Measurement(settings, record, seconds, max(part.seconds for part in parts))
    run = Run(folder, settings, about)
    index, processes = jax.process_index(), jax.process_count()
    # Ranges of shards rather than every n-th: slots stay full from one shard to the next.
    first, end = (settings.shards * i // processes for i in (index, index + 1))
    own = range(first, end)
    left = sum(len(settings.games_of(shard)) for shard in run.missing(own))
    try:
        for _ in _with_progress(runs.play(run, own, batch), settings, left):
            pass
    except KeyboardInterrupt:
        finished = len(own) - len(run.missing(own))
        shards = f"{finished} of {count(len(own), 'shard')} {'is' if finished == 1 else 'are'}"
        print(f"\n{shards} in {folder}; the same command resumes the run.")
        raise
    if processes > 1:
        # All processes end together: when one ends, JAX ends the others.
        while not all(run.path(shard).exists() for shard in range(settings.shards)):
            time.sleep(0.2)
        if index:
            return None
    return Measurement(settings, run.records(), *run.seconds())


def _with_progress(
    reports: Iterator[Report], settings: RunSettings, games: int
) -> Iterator[Report]:
    """Yields reports, and shows a bar: games per second, cores busy, win rate, and time left."""
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
    began, worked = time.perf_counter(), time.process_time()
    with bar:
        task = bar.add_task(settings.strategy, total=games, speed="compiling", wins="")
        for latest in reports:
            yield latest
            won, played = won + int(latest.record.won.sum()), played + len(latest.record)
            low, high = wilson(won, played)
            seconds = time.perf_counter() - began
            busy = (time.process_time() - worked) / seconds
            speed = f"{played / seconds:,.0f}/s on {busy:.1f} cores"
            wins = f"{won / played:.2%} ± {(high - low) / 2:.2%}"
            bar.update(task, completed=played, speed=speed, wins=wins)


def report(
    measurement: Measurement, as_json: bool, about: dict, metrics: dict | None = None
) -> None:
    """Prints the results of a run, and the metrics of its boards; the last line has the wins."""
    figures, settings = measurement.summary(), measurement.settings
    if as_json:
        print(json.dumps(figures | (metrics or {}) | about))
        return
    low, high = figures["interval_95"]
    lost = figures["games"] - figures["wins"]
    print(
        f"{settings.strategy} on {figures['level']}, {settings.start} start at "
        f"{settings.first}, seed {settings.seed}: won {figures['win_rate']:.3%} "
        f"({low:.3%} to {high:.3%})"
    )
    reasons = ", ".join(f"{n:,} {_LOSSES[name]}" for name, n in figures["losses"].items() if n)
    print(
        f"{figures['clicks']:.1f} clicks and {figures['guesses']:.2f} guesses a game"
        + (f"; lost {reasons}" if reasons else "")
    )
    if metrics:
        of_won = (
            ""
            if not figures["wins"]
            else (
                f"; 3BV of won games {metrics['bbbv_of_won']:.1f}, "
                f"{metrics['efficiency_of_won']:.2f} solved with a click"
            )
        )
        means = f"ZiNi {metrics['zini']:.1f}, HZiNi {metrics['hzini']:.1f}"
        means += f", openings {metrics['openings']:.1f}, islands {metrics['islands']:.1f}"
        print(f"mean 3BV {metrics['bbbv']:.1f}, {means}{of_won}")
    print(f"checksum {figures['checksum'][:16]}")
    print(
        f"{figures['wins']:,}–{lost:,} ({figures['win_rate']:.2%}), {figures['share_cleared']:.2%} "
        f"cleared, {figures['seconds'] / figures['games'] * 1e3:.3f} ms a game, "
        f"longest batch {figures['longest_batch_seconds']:.2f} s"
    )


_LOSSES = {
    "least_risk": "at the lowest risk",
    "not_best": "at more than the lowest risk",
    "wrong_certainty": "by a wrong certainty",
    "not_compared": "at a risk that was not compared",
}


def _report_comparison(first: Measurement, second: Measurement, as_json: bool) -> None:
    """Prints the paired difference of two players on the same boards."""
    figures = compare(first, second)
    if as_json:
        print(json.dumps(figures))
        return
    low, high = figures["interval_95"]
    only_first = figures["only_first_won"]
    print(
        f"{first.settings.strategy} − {second.settings.strategy}: {figures['difference']:+.3%} "
        f"({low:+.3%} to {high:+.3%}); of {count(figures['games'], 'board')} "
        f"{only_first:,} {'was' if only_first == 1 else 'were'} won by the first alone, "
        f"{figures['only_second_won']:,} by the second alone"
    )
