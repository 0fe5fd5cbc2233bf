"""A person's game in the terminal: keys in, the board redrawn in place.

`press` says what a key does, and `think` what a hint or odds take; neither knows of a terminal.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from rich.console import Console, Group
from rich.text import Text

from jaxsweep.rules.board import Cell
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.rules.position import from_grid
from jaxsweep.single import leaderboard, terminal
from jaxsweep.single.analysis import Analysis, analyze
from jaxsweep.single.keyboard import DOWN, LEFT, RIGHT, UP, presses, whole_screen
from jaxsweep.single.leaderboard import Entry
from jaxsweep.single.replay.format import save as save_replay
from jaxsweep.single.session import Session, warm_up

KEYS = "arrows/hjkl move  space open  f flag  ? hint  p odds  u undo  r new  q quit"

QUIT = "q"

TICK = 0.1
"""Seconds between two looks at the clock."""

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

LINES_AROUND = 6
"""Lines of the screen that are not the board: three above it, and three for what is said below."""


@dataclass(frozen=True)
class Clock:
    """The time from a game's first cell to its end, also while another was looked at."""

    stopped_at: float = 0.0
    since: float | None = None

    def seconds(self, now: float) -> float:
        """What the clock shows."""
        return self.stopped_at + (0.0 if self.since is None else now - self.since)

    def turned(self, on: bool, now: float) -> "Clock":
        """The clock running, or stopped."""
        if on == (self.since is not None):
            return self
        return Clock(self.seconds(now), now if on else None)


@dataclass(frozen=True, eq=False)
class Table:
    """A game and the person at it; nothing is changed in place."""

    session: Session
    cursor: Cell
    clock: Clock = field(default_factory=Clock)
    message: str = ""
    shows_odds: bool = False
    wants_hint: bool = False
    analysis: Analysis | None = None
    """Of the cells as they are; None until it is asked for."""
    helped: bool = False
    entered: bool = False
    """Whether the game is in the leaderboard; it stays there when the end is undone."""
    left: "Table | None" = None
    """The game that was left unfinished for this one: a key hit by mistake loses nothing."""

    @classmethod
    def new(cls, level: Level, start: Start, seed: int) -> "Table":
        """A covered board, the cursor in its middle."""
        return cls(Session.new(level, start, seed), (level.rows // 2, level.cols // 2))

    @property
    def is_over(self) -> bool:
        """Whether the game is won or lost."""
        return self.session.status is not GameStatus.PLAYING

    @property
    def is_under_way(self) -> bool:
        """Whether a cell is open and the game not over."""
        return self.session.opening is not None and not self.is_over

    @property
    def sees_odds(self) -> bool:
        """Whether odds stand on the board."""
        return self.is_under_way and self.shows_odds and self.analysis is not None

    @property
    def must_think(self) -> bool:
        """Whether `think` has something to work out."""
        return self.is_under_way and (self.wants_hint or (self.shows_odds and not self.analysis))


def press(table: Table, key: str, now: float) -> Table:
    """The table after a key, at a time of some clock in seconds; other keys do nothing."""
    if key in STEPS:
        after = _step(table, STEPS[key])
    elif key in _ACTIONS:
        after = _ACTIONS[key](replace(table, message=""))
    else:
        return table
    under_way = after.is_under_way
    helped = after.helped or (under_way and after.shows_odds)
    return replace(after, helped=helped, clock=after.clock.turned(under_way, now))


def think(table: Table) -> Table:
    """The table with its odds worked out, and a hint if one is asked for; this may take seconds."""
    session, analysis = table.session, table.analysis
    if analysis is None:
        (analysis,) = analyze([from_grid(session.board.grid, session.level.mines)])
    table = replace(table, analysis=analysis)
    return _hint(table, analysis) if table.wants_hint else table


def _step(table: Table, step: tuple[int, int]) -> Table:
    level, (row, col) = table.session.level, table.cursor
    row = min(max(row + step[0], 0), level.rows - 1)
    col = min(max(col + step[1], 0), level.cols - 1)
    # How the game ended stays to be read.
    return replace(table, cursor=(row, col), message=table.message if table.is_over else "")


def _open(table: Table) -> Table:
    session, cell = table.session, table.cursor
    if table.is_over:
        return _say_over(table)
    if session.board.flags[cell]:
        return replace(table, message="there is a flag here: f takes it away")
    try:
        after = session.chord(cell) if session.board.opened[cell] else session.open(cell)
    except LevelError as error:
        return replace(table, message=str(error))
    if after is session:
        return replace(
            table, message="nothing opens: a number needs as many flags around it as it says"
        )
    return _turn_to(table, after)


def _flag(table: Table) -> Table:
    return _say_over(table) if table.is_over else _turn_to(table, table.session.flag(table.cursor))


def _ask(table: Table) -> Table:
    session = table.session
    if table.is_over:
        return _say_over(table)
    if session.opening is not None:
        return replace(table, wants_hint=True, helped=True)
    try:
        opening = Opening.of(session.level, session.start)
    except LevelError as error:
        return replace(table, message=str(error))
    return replace(table, cursor=opening.first, message=_FIRST_CELL[session.start])


_FIRST_CELL = {
    Start.ANY: "the first cell may be a mine, and all are alike",
    Start.SAFE: "the first cell is never a mine: open any",
    Start.ZERO: "the first cell always shows 0: open one away from the edge",
}


def _toggle_odds(table: Table) -> Table:
    if table.is_over:
        return _say_over(table)
    early = not table.shows_odds and table.session.opening is None
    message = "odds are shown once a cell is open" if early else ""
    return replace(table, shows_odds=not table.shows_odds, message=message)


def _undo(table: Table) -> Table:
    before = table.session.undo()
    if before is not table.session:
        return replace(_turn_to(table, before), helped=True)
    if table.left is not None:
        return replace(table.left, message="back in the game you left")
    return replace(table, message="there is nothing to undo")


def _new_game(table: Table) -> Table:
    session = table.session
    fresh = Session.new(session.level, session.start, (session.seed + 1) % 2**32)
    if not table.is_under_way:
        return Table(fresh, table.cursor)
    left = replace(table, left=None)
    return Table(fresh, table.cursor, message="a new game; u takes you back", left=left)


_ACTIONS: dict[str, Callable[[Table], Table]] = {
    " ": _open,
    "f": _flag,
    "?": _ask,
    "p": _toggle_odds,
    "u": _undo,
    "r": _new_game,
}


def _say_over(table: Table) -> Table:
    undo = "; u takes the last move back" if table.session.status is GameStatus.LOST else ""
    return replace(table, message=f"the game is over: r deals a new one{undo}")


def _turn_to(table: Table, session: Session) -> Table:
    """Flags are no evidence: what was thought of a board holds until a cell opens."""
    same = np.array_equal(session.board.opened, table.session.board.opened)
    return replace(table, session=session, analysis=table.analysis if same else None)


def _hint(table: Table, analysis: Analysis) -> Table:
    table = replace(table, wants_hint=False)
    if analysis.best is None:
        return replace(table, message=f"no move: {analysis.reason}")
    row, col = analysis.best
    flag = " (f takes its flag away)" if table.session.board.flags[row, col] else ""
    return replace(table, cursor=(row, col), message=f"open ({row},{col}){flag}: {analysis.reason}")


def finish(table: Table, name: str, save: Path | None) -> Table:
    """A game that is just over: entered in the leaderboard, once; saved; and put into words."""
    session, seconds = table.session, table.clock.stopped_at
    won = session.status is GameStatus.WON
    entry = Entry.now(name, session.level, session.start, won, seconds, table.helped)
    if won:
        said = f"won in {seconds:.1f} s{', with help' if table.helped else ''}."
    else:
        said = f"a mine, after {seconds:.1f} s."
    try:
        if not table.entered:
            leaderboard.add(entry)
        said += " " + _standing(entry)
    except OSError as error:
        said += f" The leaderboard cannot be kept: {error}."
    try:
        said += " " + keep(table, save, seconds)
    except OSError as error:
        said += f" The replay cannot be saved: {error}."
    return replace(table, entered=True, message=said.rstrip())


def keep(table: Table, save: Path | None, seconds: float) -> str:
    """Writes the replay if one is wanted and a cell was opened; says so."""
    replay = table.session.replay(round(seconds, 3))
    if save is None or replay is None:
        return ""
    save_replay(replay, save)
    return f"Saved in {save}."


def _standing(entry: Entry) -> str:
    """How the player of a game stands on its level, and the best time of all."""
    entries = leaderboard.read()
    own = [other for other in entries if other.name == entry.name]
    mine = leaderboard.standing(own, entry.level, entry.start)
    everyone = leaderboard.standing(entries, entry.level, entry.start)
    said = f"{entry.name} won {mine.wins} of {mine.games} on {entry.level}"
    if not everyone.best:
        return f"{said}."
    best = everyone.best[0]
    whose = "" if best.name == entry.name else f" by {best.name}"
    record = " A new best time!" if best == entry and len(everyone.best) > 1 else ""
    return f"{said}; best time {best.seconds:.1f} s{whose}.{record}"


def frame(table: Table, name: str, now: float, console: Console) -> Group:
    """The whole screen."""
    session = table.session
    known = leaderboard.level_name(session.level)
    level = f"{known if known in LEVELS else 'custom'} {session.level}"
    title = f"{level}, {session.start.value} start, seed {session.seed}, {name}"
    return Group(
        Text(title, "bold", no_wrap=True, overflow="ellipsis"),
        Text(KEYS, "bright_black", no_wrap=True, overflow="ellipsis"),
        _status(table, now),
        _board(table, console),
        Text("\n" + (table.message or _legend(table)), "bold"),
    )


def _status(table: Table, now: float) -> Text:
    minutes, seconds = divmod(int(table.clock.seconds(now)), 60)
    status = table.session.status
    style = {GameStatus.WON: "bold green", GameStatus.LOST: "bold red"}.get(status, "default")
    return Text.assemble(
        f"mines {table.session.mines_left}   time {minutes}:{seconds:02d}   ",
        (status.name.lower(), style),
        (", with help" if table.helped else ""),
        no_wrap=True,
    )


def _board(table: Table, console: Console) -> Text:
    board, analysis, cursor = table.session.board, table.analysis, table.cursor
    room = (max(console.height - LINES_AROUND, 3), console.width)
    ascii_only = console.options.ascii_only
    if table.sees_odds and analysis is not None:
        odds = analysis.odds if analysis.has_odds else None
        safe, mines = analysis.safe, analysis.certain_mines
        return terminal.draw_odds(
            board.grid, odds, safe, mines, analysis.best, room, ascii_only, cursor
        )
    exploded = board.opened & board.mines
    mines = board.mines if table.is_over else None
    return terminal.draw(board.grid, exploded, mines, room, ascii_only, cursor)


def _legend(table: Table) -> str:
    """What the odds on the board mean."""
    analysis = table.analysis
    if not table.sees_odds or analysis is None:
        return ""
    free = terminal.free_cells(analysis.grid) & ~analysis.safe & ~analysis.certain_mines
    chance = f", -- {analysis.odds[free].mean():.1%}" if free.any() and analysis.has_odds else ""
    return f"mines in percent; ok is safe, ** a mine{chance}"


class _Screen:
    """The terminal; drawn on only where something has changed."""

    def __init__(self, console: Console, name: str):
        self._console, self._name = console, name
        self._shown: object = None

    def show(self, table: Table, now: float) -> None:
        shown = (table, int(table.clock.seconds(now)), self._console.size)
        if shown != self._shown:
            self._console.update_screen(frame(table, self._name, now, self._console))
            self._shown = shown


def play(level: Level, start: Start, seed: int, name: str, save: Path | None) -> int:
    """Plays in the terminal until the person quits; returns the exit status.

    Raises `TerminalError` where there is no terminal.
    """
    console = Console(highlight=False)
    screen, table = _Screen(console, name), Table.new(level, start, seed)
    warm_up(level)  # The clock begins with the first cell: no compiling is to fall into it.
    kept = False
    try:
        with whole_screen(console):
            screen.show(table, time.monotonic())
            for key in presses(TICK):
                if key == QUIT:
                    break
                if key is not None:
                    table = _turn(table, key, screen, name, save)
                    kept |= table.is_over
                screen.show(table, time.monotonic())
    finally:
        if table.is_under_way and save is not None and not kept:
            print(keep(table, save, table.clock.seconds(time.monotonic())))
    return 0


def _turn(table: Table, key: str, screen: _Screen, name: str, save: Path | None) -> Table:
    """The table after a key and all that comes of it."""
    after = press(table, key, time.monotonic())
    if after.must_think:
        screen.show(replace(table, message="thinking…"), time.monotonic())
        after = think(after)
    return finish(after, name, save) if after.is_over and not table.is_over else after
