"""What `python -m jaxsweep.grade` prints: a game's moves as a table, and the games of players."""

from collections.abc import Sequence
from math import isfinite

from rich.console import Console
from rich.table import Table
from rich.text import Text

from jaxsweep.metrics.game import game_metrics
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.single.grading import Grade, GradedMove, Kind
from jaxsweep.single.grading.report import MISTAKE, matters, place, sentence, totals
from jaxsweep.single.grading.summary import Summary
from jaxsweep.single.leaderboard import level_name
from jaxsweep.single.replay import Replay
from jaxsweep.single.words import count, metrics_in_words, seed_in_words


def print_game(
    console: Console, replay: Replay, graded: Grade, game: ClickedGame, every_move: bool
) -> None:
    """Prints the moves that matter, or all, the turning points in words, and the totals."""
    level = replay.opening.level
    about = f"{game.player or replay.strategy} on {level}, {graded.start.value} start"
    console.print(Text(about + seed_in_words(replay.seed, replay.game), "bold"))
    moves = [move for move in graded.moves if every_move or matters(move)]
    if moves:
        console.print(_table(moves))
    hidden = len(graded.moves) - len(moves)
    if hidden:
        console.print(f"{count(hidden, 'other move')} changed little: --all lists them.\n")
    for move in graded.turning_points:
        console.print(Text(sentence(move)))
    for line in totals(graded):
        console.print(Text(line, "bold"))
    console.print(metrics_in_words(game_metrics(game)))


def _table(moves: Sequence[GradedMove]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("move", justify="right")
    table.add_column("cell", no_wrap=True)
    table.add_column("kind")
    for name in ("risk", "least", "chance", "lost", "luck", "then"):
        table.add_column(name, justify="right", no_wrap=True)
    for move in moves:
        table.add_row(
            str(move.index),
            place(move),
            move.kind.value,
            "?" if move.risk is None else f"{move.risk:.1%}",
            "?" if move.least_risk is None else f"{move.least_risk:.1%}",
            f"{move.win_before:.1%}",
            Text(_share(move.loss, ""), "bold red" if move.loss >= MISTAKE else ""),
            Text(_share(move.luck, "+"), "green" if move.luck > 0 else ""),
            f"{move.win_after:.1%}",
            style="dim" if move.kind is Kind.CERTAIN else "",
        )
    return table


def _share(value: float, sign: str) -> str:
    """Returns a percentage, and nothing where it is 0 when rounded."""
    text = f"{value:{sign}.1%}"
    return "" if text.strip("+-") == "0.0%" else text


def print_summary(console: Console, players: Sequence[Summary]) -> None:
    """Prints a line for each player and level."""
    table = Table(box=None, pad_edge=False)
    table.add_column("player", no_wrap=True, max_width=16)
    table.add_column("level", no_wrap=True)
    for name in ("games", "won", "lost a game", "luck", "accuracy", "needless"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in players:
        margin = f" ± {one.margin:.1%}" if isfinite(one.margin) else ""
        table.add_row(
            one.player,
            level_name(one.level),
            str(one.games),
            str(one.won),
            f"{one.loss:.1%}{margin}",
            f"{one.luck:+.1%}",
            f"{one.accuracy:.1%}",
            f"{one.needless:.1f}",
        )
    console.print(table)
    for one in players:
        if one.comparison is not None:
            console.print(Text(one.comparison))
