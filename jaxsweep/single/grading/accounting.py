"""The accounts of a game: its chance to win, move by move, and what choices and luck did to it.

With w the chance to win before a move by the best play, q the value of the move that was made, and
w' the chance when the next one has to be decided, the move lost w − q ≥ 0, and luck gave w' − q. So
the result of a game is its first chance, plus all luck, less all losses.

Certain cells cost nothing: what they show counts as the luck of the guess before them.
"""

import enum
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from jaxsweep.rules.board import Board, Cell, mask_of
from jaxsweep.rules.level import Opening, Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.counting import OverBudgetError
from jaxsweep.scalar.exact import Counter, reduce
from jaxsweep.scalar.geometry import CellSet, from_mask
from jaxsweep.scalar.joint_safety import joint_safety
from jaxsweep.scalar.lookahead import Shortcuts
from jaxsweep.scalar.move_values import (
    MoveValue,
    value_first_cell,
    value_move,
    value_position,
)
from jaxsweep.scalar.view import MAX_CELLS, View
from jaxsweep.single.grading.chances import chance_to_win
from jaxsweep.single.grading.reference import chance_before
from jaxsweep.single.replay.format import RecordedMove, Replay, ReplayError, after_move

TURNING_POINTS = 3


class Kind(enum.Enum):
    """What kind of a decision a move was."""

    FIRST = "first"
    """The first cell: the start rule says what it risks, and it is not judged."""
    CERTAIN = "certain"
    """All its cells were certainly safe."""
    FORCED = "forced"
    """A guess where no cell was certainly safe."""
    NEEDLESS = "needless"
    """A guess while a cell was certainly safe."""


@dataclass(frozen=True)
class GradedMove:
    """A move that opened cells, and what it did to the chance to win."""

    index: int
    """The number of the move in its replay, from 1."""
    cells: tuple[Cell, ...]
    """The cells that it opened, without those of a flood fill."""
    chord: Cell | None
    """The number that was chorded; None for other moves."""
    kind: Kind
    risk: float | None
    """The probability that any of its cells was a mine; None beyond the budget of counting."""
    least_risk: float | None
    """The least risk of a single cell."""
    win_before: float
    """The chance to win by the best play."""
    value: float
    """The chance to win by this move, and the best play from then on."""
    win_after: float
    """The chance to win when the next move has to be decided; at the end 0 or 1."""
    exact: bool
    """Whether `win_before` and `value` were found by search through all layouts."""
    best_cell: Cell | None
    """A cell of the best move, where that was looked for."""

    @property
    def loss(self) -> float:
        """What the choice lost against the best one."""
        return self.win_before - self.value

    @property
    def luck(self) -> float:
        """What luck gave, or took if it is negative."""
        return self.win_after - self.value

    @property
    def is_guess(self) -> bool:
        """Whether it could have hit a mine for all the player knew, and was not the first."""
        return self.kind in (Kind.FORCED, Kind.NEEDLESS)


@dataclass(frozen=True)
class Grade:
    """A graded game."""

    moves: tuple[GradedMove, ...]
    outcome: GameStatus
    start: Start
    """The start rule by which the first move was graded."""
    win_before: float
    """The chance to win before the first move."""
    win_after: float
    """1 or 0; of a game that is not over, the chance to win."""

    @cached_property
    def loss(self) -> float:
        """The chance to win that choices lost."""
        return sum(move.loss for move in self.moves)

    @cached_property
    def luck(self) -> float:
        """The chance to win that luck gave, or took."""
        return sum(move.luck for move in self.moves)

    @cached_property
    def accuracy(self) -> float:
        """The share of the chance to win that choices kept: the product of value by best value."""
        return prod(move.value / move.win_before for move in self.moves if move.win_before)

    def count(self, kind: Kind) -> int:
        """Counts the moves of a kind."""
        return sum(move.kind is kind for move in self.moves)

    @property
    def turning_points(self) -> tuple[GradedMove, ...]:
        """The moves that changed most, by loss or by luck, in the order of the game."""
        by_weight = sorted(self.moves, key=lambda move: -max(move.loss, abs(move.luck)))
        chosen = [m for m in by_weight[:TURNING_POINTS] if max(m.loss, abs(m.luck)) > 0]
        return tuple(sorted(chosen, key=lambda move: move.index))


def grade(
    replay: Replay,
    start: Start | None = None,
    counter: Counter | None = None,
    shortcuts: Shortcuts | None = None,
) -> Grade:
    """Grades every move of a game.

    Args:
        replay: the game.
        start: the start rule; by default that of the replay, but SAFE for a game that was not dealt
            here: files of others do not say it, and hardly any game lets the first cell be a mine.
        counter: remembers components from one game to the next.
        shortcuts: what evaluates candidates faster, with the same results but for rounding.

    Raises `ReplayError` for a board of too many cells.

    """
    level = replay.opening.level
    if level.cells > MAX_CELLS:
        raise ReplayError(
            f"a board of {level.rows}×{level.cols} is too large to be graded: {MAX_CELLS} cells at "
            f"most"
        )
    rule = _start_rule(replay, start)
    return _Grading(replay, rule, counter or Counter(), shortcuts).run()


def _start_rule(replay: Replay, start: Start | None) -> Start:
    opening = replay.opening
    if replay.seed is not None:
        return opening.start
    rule = Start.SAFE if start is None else start
    first = next((move.cells for move in replay.moves if move.cells), (opening.first,))[0]
    allowed = Opening(replace(opening.level, mines=0), rule, first).allowed_mines()
    # A rule that the game itself breaks was none.
    return rule if not (replay.mines & ~allowed).any() else Start.ANY


class _Grading:
    """A game under way, and what is known about its moves so far."""

    def __init__(self, replay: Replay, start: Start, counter: Counter, shortcuts: Shortcuts | None):
        self.replay, self.start, self.counter = replay, start, counter
        self.shortcuts = shortcuts
        self.mines = replay.opening.level.mines
        self.expected = 1.0
        """The chance to win that the last valued move left."""
        self.moves: list[GradedMove] = []

    def run(self) -> Grade:
        """Values all moves, then looks back: a move leads to where the next is to be decided."""
        board = Board.all_hidden(self.replay.mines)
        for index, move in enumerate(self.replay.moves, start=1):
            if move.cells:
                self.moves.append(self._grade_move(index, move, board))
            board = after_move(board, move.flags, move.cells)
        win, exact = self._final(board)
        end, moves = win, []
        for move in reversed(self.moves):
            if move.kind is Kind.CERTAIN:
                move = replace(move, win_before=win, value=win, exact=exact)
            moves.append(replace(move, win_after=win))
            win, exact = move.win_before, move.exact
        return Grade(tuple(reversed(moves)), board.status, self.start, win, end)

    def _final(self, board: Board) -> tuple[float, bool]:
        """Returns the chance to win at the end, and whether it is exact."""
        if board.status is not GameStatus.PLAYING:
            return float(board.status is GameStatus.WON), True
        if not board.opened.any():
            first = self._first_value(self.replay.opening.first)
            return first, False
        view = View.of(board.grid, self.mines)
        try:
            solution = self.counter.solve(view)
            assert solution is not None, "the layout of the game is consistent"
            return value_position(view, solution, self.counter, self.expected, self.shortcuts)
        except OverBudgetError:
            return self.expected, False

    def _grade_move(self, index: int, move: RecordedMove, board: Board) -> GradedMove:
        graded = GradedMove(
            index=index,
            cells=move.cells,
            chord=move.chord,
            kind=Kind.CERTAIN,
            risk=0.0,
            least_risk=0.0,
            win_before=0.0,
            value=0.0,
            win_after=0.0,
            exact=False,
            best_cell=None,
        )
        if not board.opened.any():
            value = self._first_value(move.cells[0])
            level = self.replay.opening.level
            risk = level.mines / level.cells if self.start is Start.ANY else 0.0
            self._expect(value, 1.0 - risk)
            return replace(
                graded, kind=Kind.FIRST, risk=risk, least_risk=risk, win_before=value, value=value
            )
        view = View.of(board.grid, self.mines)
        chosen = from_mask(mask_of(move.cells, board.mines))
        reduced = reduce(view, 0)
        assert reduced is not None, "the layout of the game is consistent"
        return graded if not chosen & ~reduced[0] else self._grade_guess(graded, view, chosen)

    def _grade_guess(self, graded: GradedMove, view: View, chosen: CellSet) -> GradedMove:
        """Grades a move that the single-cell rules do not prove safe."""
        expected = self.expected
        unknown = replace(
            graded,
            kind=Kind.FORCED,
            risk=None,
            least_risk=None,
            win_before=expected,
            value=expected,
        )
        try:
            solution = self.counter.solve(view)
        except OverBudgetError:
            return unknown
        assert solution is not None, "the layout of the game is consistent"
        if not chosen & ~solution.safe:
            return graded
        kind = Kind.NEEDLESS if solution.safe else Kind.FORCED
        try:
            safety = float(joint_safety(view, solution, chosen, self.counter))
            valued = value_move(view, solution, self.counter, chosen, expected, self.shortcuts)
        except OverBudgetError:
            return replace(unknown, kind=kind)
        # Of integers, which may be beyond what a floating-point number holds.
        least = 0 if solution.safe else min(found for _, found in solution.undecided)
        self._expect(valued.chosen, safety)
        return self._with_value(graded, kind, 1.0 - safety, least / solution.layouts, valued)

    def _with_value(
        self, graded: GradedMove, kind: Kind, risk: float, least: float, valued: MoveValue
    ) -> GradedMove:
        return replace(
            graded,
            kind=kind,
            risk=risk,
            least_risk=least,
            win_before=valued.best,
            value=valued.chosen,
            exact=valued.exact,
            best_cell=valued.best_cell,
        )

    def _expect(self, value: float, safety: float) -> None:
        """Notes the chance to win after a move, if it survives."""
        self.expected = min(1.0, value / safety) if safety else 0.0

    def _first_value(self, first: Cell) -> float:
        level = self.replay.opening.level
        known = chance_before(level, self.start)
        known = chance_to_win(level, self.start) if known is None else known
        if known is not None:
            return known
        board = Board.all_hidden(self.replay.mines)
        if not 0 < level.mines < level.cells:
            return 1.0
        view, cell = View.of(board.grid, level.mines), first[0] * level.cols + first[1]
        is_zero = self.start is Start.ZERO
        is_safe = self.start is not Start.ANY
        return value_first_cell(view, cell, self.counter, is_safe, is_zero)
