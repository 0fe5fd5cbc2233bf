"""The moves and boards of a person's game, immutable, so that every move can be undone.

Mines are dealt when the first cell is opened, by the start rule.
"""

from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from jaxsweep.puzzles.playing import deal_without_guess
from jaxsweep.rules.board import Board, Cell, Mask, cells_of, mask_of
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.rules.reasons import Reason
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.deal import deal, move_key
from jaxsweep.scalar.exact import Counter
from jaxsweep.single.bending import Judgement, bend, check_size
from jaxsweep.single.replay.format import HUMAN, RecordedMove, Replay


@dataclass(frozen=True, eq=False)
class Session:
    """A game in progress, or over."""

    level: Level
    start: Start
    seed: int
    board: Board
    opening: Opening | None = None
    """None before the first cell is opened: no mines are dealt yet, but there may be flags."""
    moves: tuple[RecordedMove, ...] = ()
    before: "Session | None" = None
    """The same game one move ago."""
    guesses: Guesses = Guesses.AS_DEALT
    """The mode: whether the board needs guesses, and what they lead to."""
    game: int | None = 0
    """The number of its deal among those of the seed; None if mines were moved after it."""
    judgement: Judgement | None = None
    """What the last move was; None where mines do not move, so that nothing is judged."""
    counter: Counter = field(default_factory=Counter, repr=False)
    """Remembers the components that were counted: most are the same after a move."""

    @classmethod
    def new(
        cls, level: Level, start: Start, seed: int, guesses: Guesses = Guesses.AS_DEALT
    ) -> "Session":
        """Returns a board with every cell hidden."""
        hidden = Board.all_hidden(np.zeros((level.rows, level.cols), bool))
        return cls(level, start, seed, hidden, guesses=guesses)

    @property
    def status(self) -> GameStatus:
        """Playing until a mine, or every safe cell, is open."""
        return GameStatus.PLAYING if self.opening is None else self.board.status

    @property
    def mines_left(self) -> int:
        """The mine counter: mines less flags."""
        return self.level.mines - int(self.board.flags.sum())

    def open(self, cell: Cell, dealt: tuple[Mask, int | None] | None = None) -> "Session":
        """Opens a hidden cell without a flag; mines are dealt if it is the first.

        What was `dealt` before for this first cell are the mines, and the number of their deal.

        Raises `LevelError` where the start rule leaves too few cells for the mines, where no board
        is found that needs no guess, if it is to need none, and where mines are to move on a board
        that is too large for it.
        """
        if self.status is not GameStatus.PLAYING or self.board.flags[cell]:
            return self
        if self.opening is None:
            check_size(self.level, self.guesses)
            opening = Opening(self.level, self.start, cell)
            if dealt is not None:
                mines, game = dealt
            elif self.guesses.are_needed:
                mines, game = deal(opening, self.seed), 0
            else:
                mines, game = deal_without_guess(opening, self.seed)
            board = Board(mines, self.board.opened, self.board.flags)
            begun = replace(self, board=board, opening=opening, game=game)
            # A board full of mines is won before it begins.
            over = board.status is not GameStatus.PLAYING
            return begun if over else replace(begun._played((cell,), ()), before=self)
        return self if self.board.opened[cell] else self._judged((cell,))

    def chord(self, cell: Cell) -> "Session":
        """Opens the neighbours of an open number that has all its flags."""
        cells = self.board.chord_cells(cell) if self.opening is not None else np.zeros((1, 1), bool)
        if self.status is not GameStatus.PLAYING or not cells.any():
            return self
        return self._judged(tuple(cells_of(cells)), cell)

    def flag(self, cell: Cell) -> "Session":
        """Sets a flag on a hidden cell, or takes it away."""
        if self.status is not GameStatus.PLAYING or self.board.opened[cell]:
            return self
        return self._played((), (cell,))

    def undo(self) -> "Session":
        """Returns the game before the last move; mines stay where they were dealt."""
        return self if self.before is None else self.before

    def replay(self, seconds: float | None = None) -> Replay | None:
        """Returns the game so far; None before the first cell is opened."""
        if self.opening is None:
            return None
        seed, mines = None if self.game is None else self.seed, self.board.mines
        return Replay(self.opening, seed, self.game, HUMAN, mines, self.moves, self.status, seconds)

    def at(self, seconds: float) -> "Session":
        """Returns the same game, its last move made at this time."""
        *earlier, last = self.moves
        return replace(self, moves=(*earlier, replace(last, seconds=seconds)))

    def _judged(self, cells: tuple[Cell, ...], chord: Cell | None = None) -> "Session":
        """Opens cells after the mines have moved as the mode wants it."""
        if not self.guesses.move_mines:
            return self._played(cells, (), chord)
        high, low = move_key(self.seed, 0, len(self.moves))
        which, random = mask_of(cells, self.board.mines), Random(high << 32 | low)
        board, judgement = bend(self.board, which, self.guesses, random, self.counter)
        game = self.game if (board.mines == self.board.mines).all() else None
        bent = replace(self, board=board, game=game)
        return replace(bent._played(cells, (), chord), judgement=judgement, before=self)

    def _played(
        self, cells: tuple[Cell, ...], flags: tuple[Cell, ...], chord: Cell | None = None
    ) -> "Session":
        board = self.board
        if flags:
            # Not `Board.flag`: before mines are dealt, a board without any would count as won.
            after = replace(board, flags=board.flags ^ mask_of(flags, board.flags))
        else:
            after = board.open(mask_of(cells, board.mines))
        opened = tuple(cells_of(after.opened & ~board.opened))
        move = RecordedMove(cells, flags, opened, Reason.PLAYER, None, chord=chord)
        moves = (*self.moves, move)
        return replace(self, board=after, moves=moves, judgement=None, before=self)
