"""The playback of a game: a replay, or a game that is still being played while it is watched."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from jaxsweep.rules.board import Board
from jaxsweep.rules.level import Opening
from jaxsweep.single.grading import Grade, GradedMove
from jaxsweep.single.replay import RecordedMove, Replay, after_move, survival

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Moves a second."""

LARGE_STEP = 10


@dataclass(frozen=True, eq=False)
class Playback:
    """The moves and boards of a game, which of them is shown, and whether it runs."""

    opening: Opening
    seed: int | None
    strategy: str
    game: int | None = 0
    seconds: float | None = None
    moves: tuple[RecordedMove, ...] = ()
    boards: Sequence[Board] = ()
    """Before the first move, and after each."""
    wins: tuple[float | None, ...] = ()
    """The win probability before each move, where the player has estimated it."""
    at: int = 0
    """The number of moves before the board that is shown."""
    running: bool = False
    speed: int = 1
    waited: float = 0.0
    """Seconds since the last move."""
    complete: bool = True
    """False while more moves may arrive."""
    grade: Grade | None = None
    """What each move did to the chance to win, once that is known."""

    @classmethod
    def of(cls, replay: Replay) -> "Playback":
        """Returns the playback of a replay, at its beginning."""
        about = (replay.opening, replay.seed, replay.strategy, replay.game, replay.seconds)
        return cls(*about, replay.moves, replay.boards())

    @classmethod
    def live(cls, opening: Opening, seed: int, strategy: str) -> "Playback":
        """Returns the playback of a game whose moves are yet to arrive."""
        hidden = Board.all_hidden(np.zeros((opening.level.rows, opening.level.cols), bool))
        return cls(opening, seed, strategy, boards=(hidden,), running=True, speed=2, complete=False)

    @property
    def board(self) -> Board:
        """The board that is shown."""
        return self.boards[self.at]

    @property
    def last(self) -> RecordedMove | None:
        """The move that led to the board that is shown."""
        return self.moves[self.at - 1] if self.at else None

    @cached_property
    def graded(self) -> dict[int, GradedMove]:
        """The graded moves by their number, from 1."""
        return {} if self.grade is None else {move.index: move for move in self.grade.moves}

    @cached_property
    def chances(self) -> list[float]:
        """The chance to win before the first move, and after each; none while it is not known."""
        chances = [] if self.grade is None else [self.grade.win_before]
        for number in range(1, len(self.moves) + 1) if chances else ():
            graded = self.graded.get(number)
            chances.append(chances[-1] if graded is None else graded.win_after)
        return chances

    def is_guess(self, index: int) -> bool:
        """Whether a move was a guess: a person's are known once they are graded."""
        graded = self.graded.get(index + 1)
        return self.moves[index].reason.is_guess or (graded is not None and graded.is_guess)

    def risk(self, index: int) -> float | None:
        """The risk of a move, as recorded or graded."""
        graded, recorded = self.graded.get(index + 1), self.moves[index].risk
        return graded.risk if recorded is None and graded is not None else recorded

    @property
    def survival(self) -> float | None:
        """The probability of having survived so far; None where a risk is unknown."""
        return survival(self.moves[: self.at])[-1]

    @property
    def is_over(self) -> bool:
        """Whether the last board is shown, and no move follows it."""
        return self.complete and self.at == len(self.moves)

    @property
    def is_fastest(self) -> bool:
        """Whether it cannot run faster."""
        return self.speed == len(SPEEDS) - 1

    def go(self, at: int) -> "Playback":
        """Shows the board after `at` moves, or the nearest there is."""
        return replace(self, at=min(max(at, 0), len(self.moves)), waited=0.0)

    def toggled(self) -> "Playback":
        """Runs or pauses; at the end, starts again."""
        if self.is_over and not self.running:
            return replace(self.go(0), running=True)
        return replace(self, running=not self.running, waited=0.0)

    def next_guess(self) -> "Playback":
        """Goes to the board just before the next guess, where its odds can be seen, or the end."""
        for at in range(self.at + 1, len(self.moves)):
            if self.is_guess(at):
                return self.go(at)
        return self.go(len(self.moves))

    def faster(self, steps: int) -> "Playback":
        """Changes the speed; negative steps are slower."""
        return replace(self, speed=min(max(self.speed + steps, 0), len(SPEEDS) - 1))

    def tick(self, seconds: float, ready: bool) -> "Playback":
        """Lets time pass: shows the next move if it is due and `ready`."""
        if not self.running or self.is_over:
            return replace(self, running=False) if self.running else self
        waited = self.waited + seconds
        if waited >= 1.0 / SPEEDS[self.speed] and ready and self.at < len(self.moves):
            return self.go(self.at + 1)
        return replace(self, waited=waited)

    def with_move(
        self, move: RecordedMove | None, mines: np.ndarray | None, win: float | None = None
    ) -> "Playback":
        """Appends a move; None completes the game. `mines` come with the first move."""
        if move is None:
            return replace(self, complete=True)
        boards = self.boards if mines is None else (Board.all_hidden(mines),)
        after = after_move(boards[-1], move.flags, move.cells)
        moves, wins = (*self.moves, move), (*self.wins, win)
        return replace(self, moves=moves, boards=(*boards, after), wins=wins)
