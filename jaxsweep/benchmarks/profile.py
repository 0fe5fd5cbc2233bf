"""Where the time of a player's games goes: `python -m jaxsweep.bench profile PLAYER`.

The workers of the arena keep the time that they wait for the device, guess on the host, and make
records. What the host does within a guess is timed on a sample of the same positions, with parts of
the player left out: at the least risk without an end game, with it, and as the player is.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import jax
import numpy as np
from jaxtyping import Array, Key

from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Rules
from jaxsweep.simulation.matches import play_and_report
from jaxsweep.simulation.worker import TimeSpent
from jaxsweep.strategies import STRATEGIES, AbstractStrategy, LeastRisk, Lookahead, Move

SEED = 2026

SAMPLE = 64
"""Batches of positions on which the parts of a guess are timed."""

REPEATS = 3


@dataclass(frozen=True)
class Profile:
    """How the time of a player's games divides, and how fast they are."""

    player: str
    games: int
    games_per_second: float
    busy: float
    """The mean number of busy cores."""
    shares: dict[str, float]
    """The share of the workers' time that each part takes; they sum to 1."""


class _Sampled(AbstractStrategy):
    """A strategy that keeps some of the questions that the host is asked."""

    strategy: AbstractStrategy
    kept: list[tuple[Position, Key[Array, " batch"]]]

    @property
    def rules(self) -> Rules:
        """Those of the strategy."""
        return self.strategy.rules

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Guesses as the strategy does."""
        if len(self.kept) < SAMPLE:
            self.kept.append((positions, keys))
        return self.strategy.guess(positions, keys)


def profile(player: str, opening: Opening, games: int) -> Profile:
    """Plays games of a player, after some that warm it up, and divides the time they took."""
    strategy = STRATEGIES[player]
    on_device = strategy.guesses_on(jax.local_devices()[0].platform)
    sampled = _Sampled(strategy, [])
    reports = play_and_report(strategy if on_device else sampled, opening, SEED, 2**31 - 1)
    warm = 0
    while warm < games // 4:
        warm += len(next(reports).record)
    sampled.kept.clear()
    began, worked, played, spent = time.perf_counter(), time.process_time(), 0, TimeSpent()
    while played < games:
        report = next(reports)
        played += len(report.record)
        spent += report.spent
    seconds = time.perf_counter() - began
    busy = (time.process_time() - worked) / seconds
    reports.close()
    device = "deduction and guesses on the device" if on_device else "deduction"
    times = {device: spent.device, "records": spent.records, "waiting": spent.waiting}
    times |= _parts_of_guesses(strategy, sampled.kept, spent.host)
    total = sum(times.values())
    return Profile(
        player, played, played / seconds, busy, {name: part / total for name, part in times.items()}
    )


def _parts_of_guesses(
    strategy: AbstractStrategy,
    kept: list[tuple[Position, Key[Array, " batch"]]],
    host: float,
) -> dict[str, float]:
    """Divides the time of the host among inference, end games and look-ahead."""
    stages: dict[str, AbstractStrategy] = {}
    exact = isinstance(strategy, LeastRisk) and strategy.engine is None
    if isinstance(strategy, LeastRisk | Lookahead) and (exact or isinstance(strategy, Lookahead)):
        stages["inference"] = LeastRisk()
        if strategy.endgame_layouts:
            stages["end games"] = LeastRisk(endgame_layouts=strategy.endgame_layouts)
        if isinstance(strategy, Lookahead):
            stages["look-ahead"] = strategy
    if not kept or not stages:
        return {"guesses on the host": host}
    seconds = {
        name: _seconds(lambda stage=stage: [stage.guess(*one) for one in kept])
        for name, stage in stages.items()
    }
    whole, before, parts = max(seconds.values()), 0.0, {}
    for name, taken in seconds.items():
        parts[name] = max(taken - before, 0.0) / whole * host
        before = max(taken, before)
    return parts


def _seconds(call: Callable[[], object]) -> float:
    """Returns the median time of some calls, after one that warms up."""
    call()
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return float(np.median(taken))
