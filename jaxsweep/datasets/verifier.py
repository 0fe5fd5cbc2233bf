"""How good an answer to a prompt is: a reward for the decision, not for its luck."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from jaxsweep.datasets.prompts import cell_in, position_in
from jaxsweep.datasets.rewards import Rewards, rewards_of
from jaxsweep.rules.board import Cell
from jaxsweep.rules.notation import GridPosition, PositionError
from jaxsweep.scalar.view import MAX_CELLS

REMEMBERED = 1024
"""Positions whose rewards are kept: a prompt has many answers when a model learns."""


class Verdict(NamedTuple):
    """What an answer is worth."""

    reward: float
    """From 0 to 1."""
    reason: str
    """Why, in one sentence."""


def verify(position: GridPosition | str, answer: str) -> Verdict:
    """Judges an answer to a prompt.

    An answer is 1 if its cell is a best one: certainly safe, or else of the highest win probability
    near the end, or of the least risk before. The reward of other cells is what they are worth
    divided by what the best cell is worth. An answer without a cell that can be opened gets 0. Only
    the end of the text is read, as one line of a fixed form.

    Args:
        position: a prompt, or another text with a position in it, or a position.
        answer: what a model answered.

    Raises `PositionError`, a `ValueError`, for a position that is not one, has no layout or no safe
    cell left, or exceeds the capacity of exact inference.

    """
    rewards = judge(position_in(position) if isinstance(position, str) else position)
    cell = cell_in(answer)
    if cell is None:
        return Verdict(0.0, 'the last line is not "open ROW COLUMN"')
    rows, cols = rewards.reward.shape
    row, col = cell
    if row >= rows or col >= cols:
        return Verdict(0.0, f"{cell} is not on a board of {rows} rows and {cols} columns")
    if not rewards.hidden[cell]:
        return Verdict(0.0, f"{cell} is open already")
    return Verdict(float(rewards.reward[cell]), _reason(cell, rewards))


def judge(position: GridPosition) -> Rewards:
    """Returns the rewards of all cells of a position, by exact inference; raises as `verify`."""
    grid, mines = position
    # Flags are marks of a player, no evidence.
    seen = np.maximum(grid, -1).astype(np.int8)
    return _judge(seen.tobytes(), grid.shape, mines)


@lru_cache(REMEMBERED)
def _judge(seen: bytes, shape: tuple[int, int], mines: int) -> Rewards:
    """As `judge`; the cells as bytes."""
    # Imported here: loading machine code takes a moment, and reading prompts needs none.
    from jaxsweep.native.board import SAFE
    from jaxsweep.native.joining import EXACT, INCONSISTENT
    from jaxsweep.native.labels import label_position, make_label_rooms, make_labels
    from jaxsweep.native.thread_memory import thread_memory

    rows, cols = shape
    if rows * cols > MAX_CELLS:
        raise PositionError(f"a board of {rows * cols:,} cells; at most {MAX_CELLS:,} are judged")
    flat, labels = np.frombuffer(seen, np.int8).copy(), make_labels(1, rows * cols)
    status = label_position(0, mines, flat, thread_memory(make_label_rooms, rows, cols), labels)
    if status == INCONSISTENT:
        raise PositionError("no placement of the mines agrees with the digits")
    if status != EXACT:
        raise PositionError("the position exceeds the capacity of exact inference")
    if labels.about["least_risk"][0] == 1.0:
        raise PositionError("the game is won: every hidden cell is a mine")
    return rewards_of(
        flat.reshape(shape),
        labels.risk.reshape(shape),
        labels.certain.reshape(shape) == np.int8(SAFE),
        labels.win.reshape(shape) if labels.about["searched"][0] else None,
    )


def _reason(cell: Cell, rewards: Rewards) -> str:
    """Says what the decision for a hidden cell is worth, and what the best one is."""
    worth, best = rewards.worth[cell], rewards.worth.max()
    if rewards.safe[cell]:
        return f"{cell} is certainly safe"
    if rewards.of_winning:
        return f"{cell} wins with probability {worth:.1%}, the best cell with {best:.1%}"
    if rewards.safe.any():
        return f"{cell} is safe with probability {worth:.1%}, others certainly"
    return f"{cell} is safe with probability {worth:.1%}, the safest cell with {best:.1%}"
