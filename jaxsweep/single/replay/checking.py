"""A replay checked against the rules of chance: the deal, what was certain, and every risk.

Reading a replay has already played it over. What is checked here is what playing cannot tell: that
the mines are those of its seed, and that the reasons and odds are what the exact engine finds.
Positions beyond that engine's capacity are rare, and nothing is said of their odds.
"""

from collections.abc import Iterator

import jax
import numpy as np

from jaxsweep.engines import Exact
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.inference import infer
from jaxsweep.rules.board import Board
from jaxsweep.rules.position import from_grid
from jaxsweep.single.replay.format import RecordedMove, Replay
from jaxsweep.single.replay.recording import stored_odds
from jaxsweep.single.session import deal
from jaxsweep.strategies import Reason

RISK_TOLERANCE = 1e-4
ODDS_TOLERANCE = 2e-4
"""Odds are stored as whole 10,000ths."""

CERTAIN = (Reason.SINGLE, Reason.PAIR, Reason.COUNT, Reason.NO_LAYOUT)

KNOWING = (Reason.LEAST_RISK, Reason.BEST_ENDING, Reason.LOOKAHEAD)
"""Guesses whose risk is exact."""


def check(replay: Replay) -> list[str]:
    """What is wrong with a replay, each in one sentence; nothing if all is well."""
    problems = list(_layout_problems(replay))
    boards = replay.boards()
    exact = _exact_beliefs(replay, boards)
    for index, (move, before) in enumerate(zip(replay.moves, boards, strict=False)):
        told = list(_plain_problems(replay, move, before))
        if index in exact:
            told += _odds_problems(move, before, exact[index])
        problems += [f"move {index + 1} {one}" for one in told]
    return problems


def _exact_beliefs(replay: Replay, boards: list[Board]) -> dict[int, Beliefs]:
    """By the index of a move, what is known before it; of moves that claim to know something."""
    claims = [
        index
        for index, move in enumerate(replay.moves)
        if move.reason in (*CERTAIN, Reason.LEAST_RISK) or move.odds is not None
    ]
    if not claims:
        return {}
    mines = replay.opening.level.mines
    beliefs = infer([from_grid(boards[index].grid, mines) for index in claims], Exact())
    found = {
        index: jax.tree.map(lambda leaf, i=i: leaf[i], beliefs) for i, index in enumerate(claims)
    }
    return {index: one for index, one in found.items() if one.status == Status.EXACT}


def _layout_problems(replay: Replay) -> Iterator[str]:
    dealt = deal(replay.opening, replay.seed, replay.game)
    wrong = int((dealt != replay.mines).sum())
    if wrong:
        yield (
            f"the layout is not the one dealt for seed {replay.seed}, game {replay.game}: "
            f"{wrong} cells differ"
        )


def _plain_problems(replay: Replay, move: RecordedMove, before: Board) -> Iterator[str]:
    """What needs no odds of a position."""
    risk = move.risk or 0.0
    if move.reason is Reason.FIRST:
        if before.opened.any():
            yield "is called the first cell, but cells were open before it"
        expected = replay.opening.first_risk
        if abs(risk - expected) > RISK_TOLERANCE:
            yield f"has a risk of {risk:.2%}, but a first cell's is {expected:.2%}"
    if move.reason in CERTAIN and risk > RISK_TOLERANCE:
        yield f"is called certain, but with a risk of {risk:.2%}"


def _odds_problems(move: RecordedMove, before: Board, exact: Beliefs) -> Iterator[str]:
    """What the odds of the position before the move say of it."""
    rows, cols = before.mines.shape
    safe = np.asarray(exact.safe)[:rows, :cols]
    chance = np.asarray(exact.mine_probability)[:rows, :cols]
    if move.reason in CERTAIN:
        for cell in move.cells:
            if not safe[cell]:
                yield f"is called certain, but {cell} is a mine with {chance[cell]:.2%}"
    if move.reason in KNOWING:
        for cell in move.cells:
            if move.risk is None or abs(move.risk - chance[cell]) > RISK_TOLERANCE:
                told = "no risk" if move.risk is None else f"a risk of {move.risk:.2%}"
                yield f"has {told}, but {cell} is a mine with {chance[cell]:.2%}"
    if move.reason is Reason.LEAST_RISK:
        least = float(chance[~before.opened].min())
        for cell in move.cells:
            if chance[cell] > least + RISK_TOLERANCE:
                yield f"is called the least likely mine, but another cell has {least:.2%}"
    if move.odds is not None:
        yield from _stored_problems(move.odds, before, exact)


def _stored_problems(odds: np.ndarray, before: Board, exact: Beliefs) -> Iterator[str]:
    expected = stored_odds(exact, ~before.opened)
    assert expected is not None, "an exact position has odds"
    wrong = np.abs(odds - expected) > ODDS_TOLERANCE
    # 0 and 1 stand for certainty alone.
    wrong |= np.isin(odds, (0, 1)) != np.isin(expected, (0, 1))
    if wrong.any():
        count = int(wrong.sum())
        row, col = (int(index) for index in np.argwhere(wrong)[0])
        told = f"{odds[row, col]:.2%}, not {expected[row, col]:.2%}"
        more = f", and {count - 1} more" if count > 1 else ""
        yield f"has wrong odds: ({row}, {col}) has {told}{more}"
