"""The loop of a person's game in the terminal: reads keys, draws the screen, writes files."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console, Group
from rich.text import Text

from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, Level, Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.single import leaderboard, terminal
from jaxsweep.single.keyboard import presses, whole_screen
from jaxsweep.single.person import PersonGame
from jaxsweep.single.replay.writing import save as save_replay
from jaxsweep.single.terminal_game import TerminalGame, press, work_out_odds
from jaxsweep.single.words import metrics_in_words

KEYS = "arrows/hjkl move  space open  f flag  ? hint  p odds  u undo  r new  q quit"

QUIT = "q"

TICK = 0.1
"""Seconds between two updates of the clock."""

LINES_AROUND = 6
"""Lines of the screen that are not the board: three above it, and three below for messages."""


def finish(state: TerminalGame, name: str, save: Path | None) -> TerminalGame:
    """Enters a game that has just ended in the leaderboard, once, saves it, and says so."""
    game, entry = state.game, state.game.entry(name)
    message = game.result
    try:
        if not game.is_ranked:
            message += " " + leaderboard.OTHER_MODES
        else:
            if not game.entered:
                leaderboard.add(entry)
            message += " " + leaderboard.standing_after(leaderboard.read(), entry)
    except OSError as error:
        message += f" The leaderboard cannot be kept: {error}."
    try:
        message += " " + save_game(game, save)
    except OSError as error:
        message += f" The replay cannot be saved: {error}."
    return replace(state, game=replace(game, entered=True), message=message.rstrip())


def save_game(game: PersonGame, path: Path | None) -> str:
    """Writes the replay if a path is given and a cell was opened; returns a sentence if so."""
    replay = game.replay()
    if path is None or replay is None:
        return ""
    save_replay(replay, path)
    return f"Saved in {path}."


def frame(state: TerminalGame, name: str, console: Console) -> Group:
    """Returns the whole screen."""
    session = state.game.session
    known = leaderboard.level_name(session.level)
    level = f"{known if known in LEVELS else 'custom'} {session.level}"
    mode = "" if session.guesses is Guesses.AS_DEALT else f", {session.guesses.text}"
    title = f"{level}, {session.start.value} start{mode}, seed {session.seed}, {name}"
    return Group(
        Text(title, "bold", no_wrap=True, overflow="ellipsis"),
        Text(KEYS, "bright_black", no_wrap=True, overflow="ellipsis"),
        _status(state.game),
        _board(state, console),
        Text("\n" + (state.message or _legend(state)), "bold"),
        *_metrics(state.game),
    )


def _metrics(game: PersonGame) -> Iterator[Text]:
    """Says of a game that is over what is counted of its clicks."""
    if game.metrics is not None:
        yield Text(metrics_in_words(game.metrics), no_wrap=True, overflow="ellipsis")


def _status(game: PersonGame) -> Text:
    minutes, seconds = divmod(int(game.seconds), 60)
    status = game.session.status
    style = {GameStatus.WON: "bold green", GameStatus.LOST: "bold red"}.get(status, "default")
    return Text.assemble(
        f"mines {game.session.mines_left}   time {minutes}:{seconds:02d}   ",
        (status.name.lower(), style),
        (", with help" if game.helped else ""),
        no_wrap=True,
    )


def _board(state: TerminalGame, console: Console) -> Text:
    board, analysis, cursor = state.game.session.board, state.analysis, state.cursor
    room = (max(console.height - LINES_AROUND, 3), console.width)
    ascii_only = console.options.ascii_only
    if state.sees_odds and analysis is not None:
        odds = analysis.odds if analysis.has_odds else None
        safe, mines = analysis.safe, analysis.certain_mines
        return terminal.draw_odds(
            board.grid, odds, safe, mines, analysis.best, room, ascii_only, cursor
        )
    exploded = board.opened & board.mines
    mines = board.mines if state.game.is_over else None
    return terminal.draw(board.grid, exploded, mines, room, ascii_only, cursor)


def _legend(state: TerminalGame) -> str:
    """Explains the odds on the board."""
    analysis = state.analysis
    if not state.sees_odds or analysis is None:
        return ""
    alike = terminal.unconstrained_cells(analysis.grid) & ~analysis.safe & ~analysis.certain_mines
    chance = f", -- {analysis.odds[alike].mean():.1%}" if alike.any() and analysis.has_odds else ""
    return f"mines in percent; ok is safe, ** a mine{chance}"


class _Screen:
    """The terminal; drawn on only when something visible has changed."""

    def __init__(self, console: Console, name: str):
        self._console, self._name = console, name
        self._shown: object = None

    def show(self, state: TerminalGame) -> None:
        game = state.game
        flags = (game.helped, state.sees_odds, int(game.seconds))
        visible = (game.session, state.cursor, state.message, *flags, self._console.size)
        if visible != self._shown:
            self._console.update_screen(frame(state, self._name, self._console))
            self._shown = visible


def play(
    level: Level,
    start: Start,
    seed: int,
    name: str,
    save: Path | None,
    guesses: Guesses = Guesses.AS_DEALT,
) -> int:
    """Plays in the terminal until the person quits; returns the exit status.

    Raises `TerminalError` where there is no terminal.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    screen, state = _Screen(console, name), TerminalGame.new(level, start, seed, guesses)
    finished = False
    try:
        with whole_screen(console):
            screen.show(state)
            before = time.monotonic()
            for key in presses(TICK):
                now = time.monotonic()
                state, before = state.tick(now - before), now
                if key == QUIT:
                    break
                if key is not None:
                    state = _act(state, key, screen, name, save)
                    finished |= state.game.is_over
                screen.show(state)
    finally:
        if state.game.is_under_way and save is not None and not finished:
            print(save_game(state.game, save))
    return 0


def _act(
    state: TerminalGame, key: str, screen: _Screen, name: str, save: Path | None
) -> TerminalGame:
    """Returns the game after a key and all that follows from it."""
    after = press(state, key)
    if after.needs_analysis:
        screen.show(replace(state, message="thinking…"))
        after = work_out_odds(after)
    just_over = after.game.is_over and not state.game.is_over
    return finish(after, name, save) if just_over else after
