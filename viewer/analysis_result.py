"""The analysis of one position with its outlines, as the engine worker returns it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.notation import GridPosition, PositionError, check
from jaxsweep.single.analysis import Analysis, analyze
from jaxsweep.single.outlines import Outlines, outline

PositionKey = tuple[bytes, int, int]
"""Identifies a position: its cells, its columns, its mines."""


@dataclass(frozen=True, eq=False)
class AnalysisResult:
    """An analysis and the outlines of components; or what is wrong with the position."""

    key: PositionKey
    analysis: Analysis | None
    outlines: Outlines | None
    error: str = ""


def position_key(grid: Int8[np.ndarray, "rows cols"], mines: int) -> PositionKey:
    """Returns the key that identifies a position."""
    return grid.tobytes(), grid.shape[1], mines


def analyse_position(grid: Int8[np.ndarray, "rows cols"], mines: int) -> AnalysisResult:
    """Computes the exact odds of a position, the best move, and the outlines of components."""
    key = position_key(grid, mines)
    try:
        position = GridPosition(grid, mines)
        check(position)
        return AnalysisResult(key, analyze([position])[0], outline(grid))
    except PositionError as error:
        return AnalysisResult(key, None, None, str(error))
