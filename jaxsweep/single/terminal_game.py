"""A person's game in the terminal as pure state: what each key makes of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from jaxsweep.rules.board import Cell
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import Level, LevelError, Start
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.analysis import Analysis, analyze
from jaxsweep.single.keyboard import DOWN, LEFT, RIGHT, UP
from jaxsweep.single.person import PersonGame

STEPS = {
    UP: (-1, 0),
    DOWN: (1, 0),
    LEFT: (0, -1),
    RIGHT: (0, 1),
    "k": (-1, 0),
    "j": (1, 0),
    "h": (0, -1),
    "l": (0, 1),
}


@dataclass(frozen=True, eq=False)
class TerminalGame:
    """A person's game with what only a terminal has: a cursor, messages, and odds on the board."""

    game: PersonGame
    cursor: Cell
    message: str = ""
    shows_odds: bool = False
    wants_hint: bool = False
    analysis: Analysis | None = None
    """The analysis of the board as it is; None until it is needed."""
    left: "TerminalGame | None" = None
    """The same for the game that `game.left` holds: undo restores its cursor and odds."""

    @classmethod
    def new(
        cls, level: Level, start: Start, seed: int, guesses: Guesses = Guesses.AS_DEALT
    ) -> "TerminalGame":
        """Returns a game with no cell open, and the cursor in the middle of the board."""
        middle = (level.rows // 2, level.cols // 2)
        return cls(PersonGame.new(level, start, seed, guesses), middle)

    @property
    def sees_odds(self) -> bool:
        """Whether odds are drawn on the board."""
        return self.game.is_under_way and self.shows_odds and self.analysis is not None

    @property
    def needs_analysis(self) -> bool:
        """Whether `work_out_odds` has something to do."""
        wanted = self.wants_hint or (self.shows_odds and not self.analysis)
        return self.game.is_under_way and wanted

    def tick(self, seconds: float) -> "TerminalGame":
        """Advances the clock."""
        return replace(self, game=self.game.tick(seconds))


def press(state: TerminalGame, key: str) -> TerminalGame:
    """Returns the game after a key; keys without a meaning do nothing."""
    if key in STEPS:
        after = _move_cursor(state, STEPS[key])
    elif key in _ACTIONS:
        after = _ACTIONS[key](replace(state, message=""))
    else:
        return state
    helped = after.game.is_under_way and after.shows_odds
    return replace(after, game=after.game.with_help()) if helped else after


def work_out_odds(state: TerminalGame) -> TerminalGame:
    """Adds the analysis of the board, and a hint if one was asked for; this may take seconds."""
    session, analysis = state.game.session, state.analysis
    if analysis is None:
        (analysis,) = analyze([GridPosition(session.board.grid, session.level.mines)])
    state = replace(state, analysis=analysis)
    return _show_hint(state, analysis) if state.wants_hint else state


def _move_cursor(state: TerminalGame, step: tuple[int, int]) -> TerminalGame:
    level, (row, col) = state.game.session.level, state.cursor
    row = min(max(row + step[0], 0), level.rows - 1)
    col = min(max(col + step[1], 0), level.cols - 1)
    # The message that says how the game ended stays.
    return replace(state, cursor=(row, col), message=state.message if state.game.is_over else "")


def _open(state: TerminalGame) -> TerminalGame:
    game, cell = state.game, state.cursor
    board = game.session.board
    if game.is_over:
        return _say_over(state)
    if board.flags[cell]:
        return replace(state, message="there is a flag here: f takes it away")
    try:
        after = game.chord(cell) if board.opened[cell] else game.open(cell)
    except LevelError as error:
        return replace(state, message=str(error))
    if after is game:
        return replace(
            state, message="nothing opens: a number needs as many flags around it as it says"
        )
    return _with_game(state, after)


def _flag(state: TerminalGame) -> TerminalGame:
    game = state.game
    return _say_over(state) if game.is_over else _with_game(state, game.flag(state.cursor))


def _ask_for_hint(state: TerminalGame) -> TerminalGame:
    if state.game.is_over:
        return _say_over(state)
    if state.game.is_under_way:
        return replace(state, wants_hint=True, game=state.game.with_help())
    try:
        cell, message = state.game.first_cell()
    except LevelError as error:
        return replace(state, message=str(error))
    return replace(state, cursor=cell, message=message)


def _toggle_odds(state: TerminalGame) -> TerminalGame:
    if state.game.is_over:
        return _say_over(state)
    early = not state.shows_odds and not state.game.is_under_way
    message = "odds are shown once a cell is open" if early else ""
    return replace(state, shows_odds=not state.shows_odds, message=message)


def _undo(state: TerminalGame) -> TerminalGame:
    before = state.game.undo()
    if before is state.game:
        return replace(state, message="there is nothing to undo")
    if before is state.game.left:
        view = state if state.left is None else state.left
        return replace(view, game=before, left=None, message="back in the game you left")
    return _with_game(state, before)


def _new_game(state: TerminalGame) -> TerminalGame:
    session = state.game.session
    seed = (session.seed + 1) % 2**32
    game = state.game.new_game(session.level, session.start, seed, session.guesses)
    if game.left is None:
        return TerminalGame(game, state.cursor)
    view = replace(state, left=None)
    return TerminalGame(game, state.cursor, message="a new game; u takes you back", left=view)


_ACTIONS: dict[str, Callable[[TerminalGame], TerminalGame]] = {
    " ": _open,
    "f": _flag,
    "?": _ask_for_hint,
    "p": _toggle_odds,
    "u": _undo,
    "r": _new_game,
}


def _say_over(state: TerminalGame) -> TerminalGame:
    lost = state.game.session.status is GameStatus.LOST
    undo = "; u takes the last move back" if lost else ""
    return replace(state, message=f"the game is over: r deals a new one{undo}")


def _with_game(state: TerminalGame, game: PersonGame) -> TerminalGame:
    """Returns the state with this game.

    Keeps the analysis while no cell opened, since flags are no evidence.
    """
    opened, before = game.session.board.opened, state.game.session.board.opened
    analysis = state.analysis if np.array_equal(opened, before) else None
    return replace(state, game=game, analysis=analysis)


def _show_hint(state: TerminalGame, analysis: Analysis) -> TerminalGame:
    state = replace(state, wants_hint=False)
    if analysis.best is None:
        return replace(state, message=f"no move: {analysis.reason}")
    row, col = analysis.best
    flag = " (f takes its flag away)" if state.game.session.board.flags[row, col] else ""
    return replace(state, cursor=(row, col), message=f"open ({row},{col}){flag}: {analysis.reason}")
