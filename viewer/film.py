"""A game seen move by move: a replay, or one that is being played while it is watched."""

import math
from dataclasses import dataclass, replace

import numpy as np

from jaxsweep.rules.board import Board
from jaxsweep.rules.level import Opening
from jaxsweep.single.replay import RecordedMove, Replay, played

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Moves a second."""

LARGE_STEP = 10


@dataclass(frozen=True, eq=False)
class Film:
    """Moves and boards, which of them is shown, and whether it runs."""

    opening: Opening
    seed: int
    strategy: str
    game: int = 0
    seconds: float | None = None
    moves: tuple[RecordedMove, ...] = ()
    boards: tuple[Board, ...] = ()
    """Before the first move, and after each."""
    at: int = 0
    running: bool = False
    speed: int = 1
    waited: float = 0.0
    """Seconds since the last move."""
    complete: bool = True
    """False while more moves may come."""

    @classmethod
    def of(cls, replay: Replay) -> "Film":
        """A replay from its beginning."""
        about = (replay.opening, replay.seed, replay.strategy, replay.game, replay.seconds)
        return cls(*about, replay.moves, tuple(replay.boards()))

    @classmethod
    def live(cls, opening: Opening, seed: int, strategy: str) -> "Film":
        """A game whose moves are still to come."""
        covered = Board.covered(np.zeros((opening.level.rows, opening.level.cols), bool))
        return cls(
            opening, seed, strategy, boards=(covered,), running=True, speed=2, complete=False
        )

    @property
    def board(self) -> Board:
        """The board that is shown."""
        return self.boards[self.at]

    @property
    def last(self) -> RecordedMove | None:
        """The move that led to it."""
        return self.moves[self.at - 1] if self.at else None

    @property
    def survival(self) -> float | None:
        """The chance to have come so far; None where the risk of a guess was not known."""
        risks = [move.risk for move in self.moves[: self.at] if move.cells]
        return None if None in risks else math.prod(1.0 - (risk or 0.0) for risk in risks)

    @property
    def is_over(self) -> bool:
        """Whether the last board is shown, and none comes after it."""
        return self.complete and self.at == len(self.moves)

    def go(self, at: int) -> "Film":
        """Shows another move."""
        return replace(self, at=min(max(at, 0), len(self.moves)), waited=0.0)

    def toggled(self) -> "Film":
        """Runs, or stands still; from the end, it begins anew."""
        if self.is_over and not self.running:
            return replace(self.go(0), running=True)
        return replace(self, running=not self.running, waited=0.0)

    def next_guess(self) -> "Film":
        """Just before the next guess, so that its odds can be seen; or the end."""
        for at in range(self.at + 1, len(self.moves)):
            if self.moves[at].reason.is_guess:
                return self.go(at)
        return self.go(len(self.moves))

    def faster(self, steps: int) -> "Film":
        """Another speed."""
        return replace(self, speed=min(max(self.speed + steps, 0), len(SPEEDS) - 1))

    def after(self, seconds: float, ready: bool) -> "Film":
        """As time goes by: the next move, if it is due and `ready`."""
        if not self.running or self.is_over:
            return replace(self, running=False) if self.running else self
        waited = self.waited + seconds
        if waited >= 1.0 / SPEEDS[self.speed] and ready and self.at < len(self.moves):
            return self.go(self.at + 1)
        return replace(self, waited=waited)

    def with_move(self, move: RecordedMove | None, mines: np.ndarray | None) -> "Film":
        """One move more at the end; None: there are no more."""
        if move is None:
            return replace(self, complete=True)
        boards = self.boards if mines is None else (Board.covered(mines),)
        after = played(boards[-1], move.flags, move.cells)
        return replace(self, moves=(*self.moves, move), boards=(*boards, after))
