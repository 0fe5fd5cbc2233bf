"""What opening each cell of a position is worth as a decision, whatever luck makes of it.

The reward of a cell is what it is worth divided by what the best cell is worth. Near the end that
is the win probability of the best play after opening it; before, the probability that it is safe.
Opening a cell that is certainly safe is always right: its reward is 1.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Float32, Int8

from jaxsweep.datasets.positions import LabelledPositions
from jaxsweep.rules.board import Cell
from jaxsweep.scalar.least_risk import TIE


class Rewards(NamedTuple):
    """The rewards of a position's cells."""

    reward: Float[np.ndarray, "rows cols"]
    """From 0 to 1; 0 in open cells."""
    worth: Float[np.ndarray, "rows cols"]
    """The probability to win after opening a hidden cell, or that it is safe."""
    hidden: Bool[np.ndarray, "rows cols"]
    safe: Bool[np.ndarray, "rows cols"]
    """The cells that are certainly safe."""
    of_winning: bool
    """Whether `worth` is the probability to win."""

    @property
    def best(self) -> Cell:
        """The first of the best cells, in reading order."""
        row, col = np.unravel_index(int(self.reward.argmax()), self.reward.shape)
        return int(row), int(col)


def rewards_of(
    seen: Int8[np.ndarray, "rows cols"],
    mine_probability: Float32[np.ndarray, "rows cols"],
    safe: Bool[np.ndarray, "rows cols"],
    cell_wins: Float32[np.ndarray, "rows cols"] | None,
) -> Rewards:
    """Returns the rewards in a position that is not won, by its labels."""
    hidden = seen < 0
    known = (1.0 - mine_probability) if cell_wins is None else np.nan_to_num(cell_wins)
    worth = np.where(hidden, known.astype(np.float64), 0.0)
    best = worth.max()
    reward = np.where(safe | (worth >= best - TIE), 1.0, worth / best)
    return Rewards(np.where(hidden, reward, 0.0), worth, hidden, safe, cell_wins is not None)


def rewards_at(positions: LabelledPositions, index: int) -> Rewards:
    """Returns the rewards in a position of a data set."""
    return rewards_of(
        positions.seen[index],
        positions.mine_probability[index],
        positions.safe[index],
        positions.cell_wins(index),
    )
