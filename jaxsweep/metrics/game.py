"""What the clicks of a game say of its player: efficiency and speed, as ranking sites count them.

Definitions are those of `docs/grading.md`. A game that was not won counts what it solved.
"""

from dataclasses import asdict, dataclass
from functools import cached_property
from math import sqrt
from typing import Any

from jaxsweep.metrics.board import BoardValue
from jaxsweep.metrics.zini import hzini, zini
from jaxsweep.rules.board import Board
from jaxsweep.rules.clicks import Button, ClickedGame, played
from jaxsweep.rules.level import Level
from jaxsweep.rules.status import GameStatus

STNB_LEVELS = {Level(8, 8, 10): 36, Level(16, 16, 40): 162, Level(16, 30, 99): 435}
"""The levels that have an STNB, and the factor that makes them comparable."""

SPEED_EXPONENT = 1.7
"""Of the time in STNB and QG: a fast second is worth more than a slow one."""


@dataclass(frozen=True)
class GameMetrics:
    """The counts of a game; ratios are None where they would divide by nothing."""

    status: GameStatus
    bbbv: int
    """The 3BV of the board."""
    openings: int
    islands: int
    zini: int
    hzini: int
    solved: int
    """The 3BV of the cells that were opened."""
    left: int
    right: int
    chords: int
    effective: int
    """Clicks that opened a safe cell, or flagged a mine for the first time."""
    seconds: float | None
    level: Level

    @property
    def clicks(self) -> int:
        """All clicks, those without effect included."""
        return self.left + self.right + self.chords

    @cached_property
    def efficiency(self) -> float | None:
        """Index of efficiency (IOE): the 3BV solved with one click."""
        return _ratio(self.solved, self.clicks)

    @cached_property
    def correctness(self) -> float | None:
        """The share of clicks that had an effect."""
        return _ratio(self.effective, self.clicks)

    @cached_property
    def throughput(self) -> float | None:
        """The 3BV solved with one effective click; efficiency is correctness times throughput."""
        return _ratio(self.solved, self.effective)

    @cached_property
    def bbbv_per_second(self) -> float | None:
        """The 3BV solved in a second."""
        return _ratio(self.solved, self.seconds)

    @cached_property
    def estimated_seconds(self) -> float | None:
        """The time for the whole board at the same pace; the time itself if it was won."""
        return None if self.seconds is None else _ratio(self.seconds * self.bbbv, self.solved)

    @cached_property
    def rqp(self) -> float | None:
        """Rapport qualité prix: estimated time over 3BV a second, in 1 s²; less is better."""
        return _ratio(self.estimated_seconds, self.bbbv_per_second)

    @cached_property
    def qg(self) -> float | None:
        """The estimated time to the power of 1.7, over 3BV; less is better."""
        seconds = self.estimated_seconds
        return None if seconds is None else _ratio(seconds**SPEED_EXPONENT, self.bbbv)

    @cached_property
    def stnb(self) -> float | None:
        """Speed that makes standard levels comparable; None on others, and without a time."""
        factor = STNB_LEVELS.get(self.level)
        if factor is None or not self.seconds or not self.bbbv:
            return None
        share = sqrt(self.solved / self.bbbv)
        return factor * self.solved / self.seconds**SPEED_EXPONENT * share


RATIOS = (
    "clicks",
    "efficiency",
    "correctness",
    "throughput",
    "bbbv_per_second",
    "estimated_seconds",
    "rqp",
    "qg",
    "stnb",
)
"""What is computed from the counts, in the order in which it is shown."""


def game_metrics(game: ClickedGame) -> GameMetrics:
    """Plays the clicks of a game, and counts them."""
    value, board = BoardValue.of(game.mines), Board.all_hidden(game.mines)
    counts = dict.fromkeys(Button, 0)
    effective, flagged = 0, set()
    for click, _, before, after in played(game):
        counts[click.button] += 1
        board = after
        if click.button is Button.RIGHT:
            is_first = before.mines[click.cell] and after.flags[click.cell]
            if is_first and click.cell not in flagged:
                flagged.add(click.cell)
                effective += 1
        elif (after.opened & ~before.opened & ~before.mines).any():
            effective += 1
    rows, cols = game.mines.shape
    return GameMetrics(
        status=board.status,
        bbbv=value.bbbv,
        openings=value.opening_count,
        islands=value.islands,
        zini=zini(game.mines),
        hzini=hzini(game.mines),
        solved=value.solved(board.opened),
        left=counts[Button.LEFT],
        right=counts[Button.RIGHT],
        chords=counts[Button.CHORD],
        effective=effective,
        seconds=game.seconds,
        level=Level(rows, cols, int(game.mines.sum())),
    )


def metrics_to_json(metrics: GameMetrics) -> dict[str, Any]:
    """Returns counts and ratios as plain data."""
    counts = asdict(metrics)
    del counts["level"]
    counts["status"] = metrics.status.name.lower()
    return counts | {name: getattr(metrics, name) for name in RATIOS}


def _ratio(count: float | int | None, by: float | int | None) -> float | None:
    return None if count is None or not by else count / by
