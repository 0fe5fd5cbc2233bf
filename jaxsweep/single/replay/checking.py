"""Checks a replay's layout, reasons and probabilities.

Reading a replay has already played its moves. This module checks the rest: that the mines are those
of its seed, and that reasons and odds are those of the exact engine. Positions over the capacity of
that engine are rare; their odds are not checked.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.rules.board import Board
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.reasons import Reason
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.exact import Counter, infer
from jaxsweep.single.replay.boards import Boards
from jaxsweep.single.replay.format import RecordedMove, Replay
from jaxsweep.single.replay.recording import stored_odds

RISK_TOLERANCE = 1e-4
ODDS_TOLERANCE = 2e-4
"""Larger than a rounding error: odds are stored in 10,000ths."""

CERTAIN = (Reason.SINGLE, Reason.PAIR, Reason.COUNT, Reason.NO_LAYOUT)

EXACT_RISK = (Reason.LEAST_RISK, Reason.BEST_ENDING, Reason.LOOKAHEAD)
"""Reasons of guesses whose risk is exact."""


def check(replay: Replay) -> list[str]:
    """Returns a sentence for each problem of a replay; none if it is correct."""
    problems = list(_layout_problems(replay))
    boards = replay.boards()
    exact = _exact_beliefs(replay, boards)
    for index, (move, before) in enumerate(zip(replay.moves, boards, strict=False)):
        found = list(_plain_problems(replay, move, before))
        if index in exact:
            found += _odds_problems(move, before, exact[index])
        problems += [f"move {index + 1} {problem}" for problem in found]
    return problems


def _exact_beliefs(replay: Replay, boards: Boards) -> dict[int, Beliefs]:
    """Returns exact beliefs before each move that depends on them, by the index of the move."""
    claims = [
        index
        for index, move in enumerate(replay.moves)
        if move.reason in (*CERTAIN, Reason.LEAST_RISK) or move.odds is not None
    ]
    mines, counter = replay.opening.level.mines, Counter()
    found = {index: infer(GridPosition(boards[index].grid, mines), counter)[0] for index in claims}
    return {index: one for index, one in found.items() if one.status == Status.EXACT}


def _layout_problems(replay: Replay) -> Iterator[str]:
    """Compares the layout with the one that the seed deals, if there is a seed."""
    if replay.seed is None or replay.game is None:
        return
    dealt = deal(replay.opening, replay.seed, replay.game)
    wrong = int((dealt != replay.mines).sum())
    if wrong:
        yield (
            f"the layout is not the one dealt for seed {replay.seed}, game {replay.game}: "
            f"{wrong} cells differ"
        )


def _plain_problems(replay: Replay, move: RecordedMove, before: Board) -> Iterator[str]:
    """Checks what needs no inference: the first cell, and the risk of certain cells."""
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
    """Compares a move with the exact beliefs before it."""
    safe, probability = exact.safe, exact.mine_probability
    if move.reason in CERTAIN:
        for cell in move.cells:
            if not safe[cell]:
                yield f"is called certain, but {cell} is a mine with {probability[cell]:.2%}"
    if move.reason in EXACT_RISK:
        for cell in move.cells:
            if move.risk is None or abs(move.risk - probability[cell]) > RISK_TOLERANCE:
                stated = "no risk" if move.risk is None else f"a risk of {move.risk:.2%}"
                yield f"has {stated}, but {cell} is a mine with {probability[cell]:.2%}"
    if move.reason is Reason.LEAST_RISK:
        least = float(probability[~before.opened].min())
        for cell in move.cells:
            if probability[cell] > least + RISK_TOLERANCE:
                yield f"is called the least likely mine, but another cell has {least:.2%}"
    if move.odds is not None:
        yield from _stored_problems(move.odds, before, exact)


def _stored_problems(
    odds: Float[np.ndarray, "rows cols"], before: Board, exact: Beliefs
) -> Iterator[str]:
    """Compares all stored odds of a position with the exact ones."""
    expected = stored_odds(exact, ~before.opened)
    assert expected is not None, "an exact position has odds"
    wrong = np.abs(odds - expected) > ODDS_TOLERANCE
    # 0 and 1 are only for certain cells.
    wrong |= np.isin(odds, (0, 1)) != np.isin(expected, (0, 1))
    if wrong.any():
        count = int(wrong.sum())
        row, col = (int(index) for index in np.argwhere(wrong)[0])
        values = f"{odds[row, col]:.2%}, not {expected[row, col]:.2%}"
        more = f", and {count - 1} more" if count > 1 else ""
        yield f"has wrong odds: ({row}, {col}) has {values}{more}"
