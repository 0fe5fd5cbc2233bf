"""Whole games, played by a strategy in batches on all devices, and their records.

A game is a function of the opening, the strategy, the seed and the game's number alone: it does not
depend on the batch and the device in which it is played.
"""

import time
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import ParamSpec

import equinox as eqx
import jax

from jaxsweep.engines.native import Native
from jaxsweep.engines.scalar import Scalar
from jaxsweep.native.compiler import is_on_disk
from jaxsweep.rules.level import Opening
from jaxsweep.runtime import machine
from jaxsweep.runtime.machine import Device
from jaxsweep.simulation import scheduler
from jaxsweep.simulation.device_state import (
    ProgramConfig,
    bucket_for,
    records_for,
    slots_for,
)
from jaxsweep.simulation.episode import OpeningArrays
from jaxsweep.simulation.records import Loss, Record, merge, record_of
from jaxsweep.simulation.worker import TimeSpent, Worker, play_all
from jaxsweep.strategies import AbstractStrategy

__all__ = ["Loss", "Record", "Report", "merge", "play_and_report", "play_games"]


FEW_GAMES = 2000
"""Expert games whose losses the scalar path compares before machine code is compiled."""


class Report(eqx.Module):
    """Games that a worker reported at once, and the time since the previous report."""

    record: Record
    seconds: float
    spent: TimeSpent
    """What the worker spent its time on since its own previous report."""


def play_and_report(
    strategy: AbstractStrategy,
    opening: Opening,
    seed: int,
    games: int,
    batch: int | None = None,
    first: int = 0,
    devices: Sequence[Device] | None = None,
    compare_losses: bool = True,
    guess_on_host: bool | None = None,
    bucket: int | None = None,
) -> Generator[Report, None, None]:
    """Plays games `first` to `first + games` − 1; yields records in the order of finishing.

    Args:
        strategy: the player.
        opening: the level, start rule and first cell.
        seed: the seed of all games.
        games: how many games to play.
        batch: how many games each worker has in progress, by default what suits the device; changes
            no result.
        first: the number of the first game.
        devices: the devices to play on, by default all local ones.
        compare_losses: whether lost guesses that the strategy did not compare with all other cells
            are compared with exact probabilities. For fast strategies this takes longer than play.
        guess_on_host: whether all guesses are made on the host; by default as the strategy wants
            it on these devices. The games are the same; risks, which are floating-point numbers,
            may differ in their last digit.
        bucket: how many games a device advances together, by default what suits it; changes no
            result.

    """
    used = tuple(devices or jax.local_devices())
    if guess_on_host is None:
        guess_on_host = not strategy.guesses_on(used[0].platform)
    slots, bucket = batch or slots_for(used[0]), bucket or bucket_for(used[0])
    config = ProgramConfig(
        rules=strategy.rules,
        strategy=None if guess_on_host else strategy,
        slots=slots,
        bucket=bucket,
        max_records=records_for(slots, bucket),
    )
    on_cpu = used[0].platform == "cpu"
    # The cores of a CPU share one program; one for each would take as many times longer to compile.
    places = [used[0]] * len(used) if on_cpu else [one for one in used for _ in range(2)]
    # The losses of few games are compared sooner than anything is compiled for that.
    compiled = games > FEW_GAMES or is_on_disk("inference.infer_some")
    engine = Native() if compiled else Scalar()
    threads = max(1, machine.cores() // len(places))
    workers = [
        Worker(
            strategy,
            config,
            OpeningArrays.of(opening),
            seed,
            device,
            first + i,
            first + games,
            len(places),
            threads,
            partial(record_of, opening, engine=engine if compare_losses else None),
        )
        for i, device in enumerate(places)
    ]
    for device in set(places):
        scheduler.compile_program(config, workers[0].opening, device)
    machine.trim_memory()
    began = time.perf_counter()
    for record, spent in play_all(workers):
        now = time.perf_counter()
        yield Report(record, now - began, spent)
        began = now


_Arguments = ParamSpec("_Arguments")


def _without_time(
    play: Callable[_Arguments, Generator[Report, None, None]],
) -> Callable[_Arguments, Generator[Record, None, None]]:
    def records(
        *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> Generator[Record, None, None]:
        for report in play(*args, **kwargs):
            yield report.record

    return records


play_games = _without_time(play_and_report)
"""As `play_and_report`, with the same arguments, but yields the records alone."""
