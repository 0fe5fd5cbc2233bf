"""A graded game as plain data, and in words."""

from typing import Any

from jaxsweep.metrics.game import game_metrics, metrics_to_json
from jaxsweep.metrics.luck import luck
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.level import Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.lookahead import Shortcuts
from jaxsweep.single.grading.accounting import Grade, GradedMove, Kind, grade
from jaxsweep.single.replay.format import Replay
from jaxsweep.single.words import count

MISTAKE = 0.01
"""A loss from which on a move is marked."""

MATTERS = 0.1
"""Luck from which on a move is listed."""

SHOWN = 0.0005
"""Less is shown as 0.0%."""

_OUTCOMES = {GameStatus.WON: "Won", GameStatus.LOST: "Lost", GameStatus.PLAYING: "Not over"}


def grade_to_json(graded: Grade, replay: Replay) -> dict[str, Any]:
    """Returns a graded game as plain data; numbers of moves count from 1."""
    level = replay.opening.level
    return {
        "player": replay.strategy,
        "rows": level.rows,
        "cols": level.cols,
        "mines": level.mines,
        "start": graded.start.value,
        "seed": replay.seed,
        "game": replay.game,
        "outcome": graded.outcome.name.lower(),
        "win_before": graded.win_before,
        "win_after": graded.win_after,
        "loss": graded.loss,
        "luck": graded.luck,
        "accuracy": graded.accuracy,
        "forced_guesses": graded.count(Kind.FORCED),
        "needless_guesses": graded.count(Kind.NEEDLESS),
        "turning_points": [move.index for move in graded.turning_points],
        "totals": totals(graded),
        "moves": [move_to_json(move) for move in graded.moves],
    }


def graded_game(
    replay: Replay,
    game: ClickedGame,
    start: Start | None,
    counter: Counter | None = None,
    shortcuts: Shortcuts | None = None,
) -> dict[str, Any]:
    """Returns a game with its grades and metrics, as plain data.

    The counter and the shortcuts are those of `grade`.
    """
    figures = grade_to_json(grade(replay, start, counter, shortcuts), replay)
    if game.player is not None:
        figures["player"] = game.player
    return figures | {"metrics": metrics_to_json(game_metrics(game)) | {"luck": luck(game)}}


def move_to_json(move: GradedMove) -> dict[str, Any]:
    """Returns one graded move as plain data."""
    return {
        "index": move.index,
        "cells": [list(cell) for cell in move.cells],
        "chord": None if move.chord is None else list(move.chord),
        "kind": move.kind.value,
        "risk": move.risk,
        "least_risk": move.least_risk,
        "forced": move.kind is Kind.FORCED,
        "needless": move.kind is Kind.NEEDLESS,
        "win_before": move.win_before,
        "win_after": move.win_after,
        "loss": move.loss,
        "luck": move.luck,
        "exact": move.exact,
        "best_cell": None if move.best_cell is None else list(move.best_cell),
        "matters": matters(move),
        "text": sentence(move),
    }


def matters(move: GradedMove) -> bool:
    """Whether a move is listed where not all are: it lost, or was lucky or unlucky, or needless."""
    return (
        move.loss >= MISTAKE
        or abs(move.luck) >= MATTERS
        or move.kind is Kind.NEEDLESS
        or (move.kind is not Kind.CERTAIN and move.win_after == 0)
    )


def place(move: GradedMove) -> str:
    """Names the cell of a move, or the number that it chorded: "(3,4)", "chord at (3,4)"."""
    if move.chord is not None:
        return f"chord at {_cell(move.chord)}"
    first, *others = move.cells
    more = f" and {len(others)} more" if others else ""
    return _cell(first) + more


def sentence(move: GradedMove) -> str:
    """Says what a move did to the chance to win, and what would have been better."""
    parts = [f"Move {move.index}, {place(move)}: {_what(move)}"]
    if move.loss >= SHOWN:
        parts.append(_what_was_lost(move))
    died = move.win_after == 0 and move.value > 0
    if died:
        parts.append(f"it was a mine, which took {-move.luck:.1%}")
    elif move.kind is Kind.FIRST:
        verb = "raised" if move.luck >= 0 else "lowered"
        parts.append(f"what it showed {verb} the chance to {move.win_after:.1%}")
    elif abs(move.luck) >= SHOWN:
        held = "it held and" if move.luck > 0 else "it held, but"
        gave = "gave" if move.luck > 0 else "took"
        parts.append(f"{held} luck {gave} {abs(move.luck):.1%}")
    return "; ".join(parts) + "."


def _what(move: GradedMove) -> str:
    if move.kind is Kind.FIRST:
        return "the first cell" + (f", at {move.risk:.1%} risk" if move.risk else "")
    if move.kind is Kind.CERTAIN:
        return "certain"
    if move.risk is None:
        return "a guess at an unknown risk"
    at = f"at {move.risk:.1%} risk"
    if move.kind is Kind.NEEDLESS:
        return f"a needless guess {at}"
    return f"a forced guess {at}"


def _what_was_lost(move: GradedMove) -> str:
    if move.kind is Kind.NEEDLESS and move.best_cell is not None:
        return f"{_cell(move.best_cell)} was certain, and {move.loss:.1%} was lost"
    about = "" if move.exact else "about "
    other = "another cell" if move.best_cell is None else _cell(move.best_cell)
    return (
        f"{other} would have won {about}{move.win_before:.1%}, this wins {move.value:.1%}: "
        f"{move.loss:.1%} lost"
    )


def totals(graded: Grade) -> list[str]:
    """Sums a graded game up, in two lines."""
    forced, needless = graded.count(Kind.FORCED), graded.count(Kind.NEEDLESS)
    end = "" if graded.outcome is not GameStatus.PLAYING else f" now {graded.win_after:.1%};"
    luck = f"{'gave' if graded.luck >= 0 else 'took'} {abs(graded.luck):.1%}"
    guesses = "no guess"
    if forced + needless:
        guesses = f"{count(forced + needless, 'guess', 'guesses')}, {needless} of them needless"
    return [
        f"{_OUTCOMES[graded.outcome]}:{end} the chance to win was {graded.win_before:.1%}, "
        f"luck {luck}, choices lost {graded.loss:.1%}.",
        f"Accuracy {graded.accuracy:.1%}: {guesses}.",
    ]


def _cell(cell: tuple[int, int]) -> str:
    return f"({cell[0]},{cell[1]})"
