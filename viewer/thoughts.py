"""What the engine says of one position, as the window shows it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.position import PositionError, check, from_grid
from jaxsweep.single.analysis import Analysis, analyze
from jaxsweep.single.outlines import Outlines, outline

Key = tuple[bytes, int, int]
"""A position: its cells, its columns, its mines."""


@dataclass(frozen=True, eq=False)
class Thought:
    """An analysis and the outlines of edges; or what is wrong with the position."""

    key: Key
    analysis: Analysis | None
    outlines: Outlines | None
    wrong: str = ""


def key_of(grid: Int8[np.ndarray, "rows cols"], mines: int) -> Key:
    """What tells positions apart."""
    return grid.tobytes(), grid.shape[1], mines


def think(grid: Int8[np.ndarray, "rows cols"], mines: int) -> Thought:
    """The exact odds of a position, the best move, and its edges."""
    key = key_of(grid, mines)
    try:
        position = from_grid(grid, mines)
        check(position)
        return Thought(key, analyze([position])[0], outline(grid))
    except PositionError as error:
        return Thought(key, None, None, str(error))
