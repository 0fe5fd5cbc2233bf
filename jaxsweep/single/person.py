"""A person's game in progress, as the terminal and the window both play it.

`PersonGame` is immutable: every action returns the game after it, or the same object where the
action changes nothing.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from jaxsweep.metrics.board import BoardValue
from jaxsweep.metrics.game import GameMetrics, game_metrics
from jaxsweep.rules.board import Cell, Mask
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.leaderboard import Entry
from jaxsweep.single.replay.clicks import clicked_game
from jaxsweep.single.replay.format import Replay
from jaxsweep.single.session import Session

_FIRST_CELL = {
    Start.ANY: "the first cell may be a mine, and all are alike",
    Start.SAFE: "the first cell is never a mine: open any",
    Start.ZERO: "the first cell always shows 0: open one away from the border",
}


@dataclass(frozen=True, eq=False)
class PersonGame:
    """A session, its clock, and what the leaderboard must know about it."""

    session: Session
    seconds: float = 0.0
    """The time from the first cell to the end, including time spent away from the game."""
    helped: bool = False
    """Whether hints, odds or undo were used."""
    entered: bool = False
    """Whether the game is in the leaderboard; it stays there when its end is undone."""
    left: "PersonGame | None" = None
    """The unfinished game that this one replaced: undo returns to it, so that a key hit by
    mistake loses nothing."""

    @classmethod
    def new(
        cls, level: Level, start: Start, seed: int, guesses: Guesses = Guesses.AS_DEALT
    ) -> "PersonGame":
        """Returns a game with no cell open."""
        return cls(Session.new(level, start, seed, guesses))

    @property
    def is_ranked(self) -> bool:
        """Whether it belongs in the leaderboard: the other modes are other games."""
        return self.session.guesses is Guesses.AS_DEALT

    @property
    def is_over(self) -> bool:
        """Whether the game is won or lost."""
        return self.session.status is not GameStatus.PLAYING

    @property
    def is_under_way(self) -> bool:
        """Whether a cell is open and the game not over."""
        return self.session.opening is not None and not self.is_over

    def open(self, cell: Cell, dealt: tuple[Mask, int | None] | None = None) -> "PersonGame":
        """Opens a cell, the first one on the board that was `dealt` for it, as `Session.open`."""
        return self._with(self.session.open(cell, dealt))

    def chord(self, cell: Cell) -> "PersonGame":
        """Opens the neighbours of a number that has all its flags."""
        return self._with(self.session.chord(cell))

    def flag(self, cell: Cell) -> "PersonGame":
        """Sets a flag, or takes it away."""
        return self._with(self.session.flag(cell))

    def undo(self) -> "PersonGame":
        """Takes the last move back, which counts as help, or returns to the game that was left."""
        before = self._with(self.session.undo())
        if before is not self:
            return before.with_help()
        return self if self.left is None else self.left

    def new_game(
        self, level: Level, start: Start, seed: int, guesses: Guesses = Guesses.AS_DEALT
    ) -> "PersonGame":
        """Starts another game; one that is under way can be returned to by undo."""
        left = replace(self, left=None) if self.is_under_way else None
        return replace(PersonGame.new(level, start, seed, guesses), left=left)

    def tick(self, seconds: float) -> "PersonGame":
        """Advances the clock, which runs while the game is under way, and also after it is left."""
        left = None if self.left is None else self.left.tick(seconds)
        if self.is_under_way:
            return replace(self, seconds=self.seconds + seconds, left=left)
        return self if left is self.left else replace(self, left=left)

    def with_help(self) -> "PersonGame":
        """Notes that help was used."""
        return self if self.helped else replace(self, helped=True)

    def first_cell(self) -> tuple[Cell, str]:
        """Returns the usual first cell, and what the start rule says about first cells.

        Raises `LevelError` where the level has no first cell.
        """
        opening = Opening.of(self.session.level, self.session.start)
        return opening.first, _FIRST_CELL[self.session.start]

    def entry(self, name: str) -> Entry:
        """Returns the leaderboard's entry for a game that has just ended."""
        session, won = self.session, self.session.status is GameStatus.WON
        bbbv = BoardValue.of(session.board.mines).bbbv
        return Entry.now(name, session.level, session.start, won, self.seconds, self.helped, bbbv)

    @property
    def result(self) -> str:
        """How a finished game ended, in a sentence."""
        if self.session.status is GameStatus.WON:
            return f"won in {self.seconds:.1f} s{', with help' if self.helped else ''}."
        judgement = self.session.judgement
        why = "" if judgement is None else judgement.text
        return f"a mine, after {self.seconds:.1f} s{f': {why}' if why else ''}."

    @cached_property
    def metrics(self) -> GameMetrics | None:
        """What is counted of the clicks of a finished game; None before its end."""
        replay = self.replay() if self.is_over else None
        return None if replay is None else game_metrics(clicked_game(replay))

    def replay(self) -> Replay | None:
        """Returns the game so far; None before the first cell is opened."""
        return self.session.replay(round(self.seconds, 3))

    def _with(self, session: Session) -> "PersonGame":
        if session is self.session:
            return self
        if len(session.moves) > len(self.session.moves):
            session = session.at(round(self.seconds, 3))
        return replace(self, session=session)
