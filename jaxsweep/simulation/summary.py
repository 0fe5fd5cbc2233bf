"""What a run of games amounts to: win rate with its interval, losses, times; and comparisons."""

from dataclasses import dataclass, replace

from jaxsweep.runtime import machine
from jaxsweep.simulation.matches import Loss, Record
from jaxsweep.simulation.runs import RunError, RunSettings, checksum
from jaxsweep.simulation.statistics import paired_difference, wilson


@dataclass(frozen=True, eq=False)
class Measurement:
    """The records of all games of a run, by number, and how long they took."""

    settings: RunSettings
    record: Record
    seconds: float
    longest: float
    """Seconds of the longest batch."""

    def summary(self) -> dict:
        """Returns the figures of the run as plain data."""
        settings, record = self.settings, self.record
        games, won = len(record), int(record.won.sum())
        safe = settings.opening.level.cells - settings.opening.level.mines
        losses = {loss.name.lower(): int((record.loss == loss).sum()) for loss in list(Loss)[1:]}
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
            "unknown_risk_guesses": int(record.unknown_risks.sum()),
            "wrong_certainties": int(record.wrong_certainties.sum()),
            "losses": losses,
            "seconds": self.seconds,
            "longest_batch_seconds": self.longest,
            "checksum": checksum([record]),
            "peak_memory_mib": machine.peak_memory(),
        }


def compare(first: Measurement, second: Measurement) -> dict:
    """Returns the paired difference of the win rates of two players on the same boards.

    Raises `RunError` where the boards are not the same.
    """
    one, two = first.settings, second.settings
    if replace(one, strategy=two.strategy) != two:
        raise RunError("only runs on the same boards can be compared")
    a, b = first.record.won, second.record.won
    only_first, only_second = int((a & ~b).sum()), int((b & ~a).sum())
    difference, low, high = paired_difference(only_first, only_second, len(a))
    return {
        "games": len(a),
        "win_rates": {one.strategy: float(a.mean()), two.strategy: float(b.mean())},
        "only_first_won": only_first,
        "only_second_won": only_second,
        "difference": difference,
        "interval_95": [low, high],
    }
