"""What the engine worker returns: an analysis with its outlines, and the numbers of a cell."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int8

from jaxsweep.rules.board import Cell
from jaxsweep.rules.notation import GridPosition, PositionError, check
from jaxsweep.scalar.number_odds import number_odds
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


@dataclass(frozen=True, eq=False)
class NumberResult:
    """What a hidden cell would show."""

    key: PositionKey
    cell: Cell
    odds: Float[np.ndarray, "9"] | None
    """The probability that it is safe and shows 0 to 8; None where that cannot be counted."""


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


def count_numbers(grid: Int8[np.ndarray, "rows cols"], mines: int, cell: Cell) -> NumberResult:
    """Computes what a hidden cell would show."""
    odds = number_odds(GridPosition(grid, mines), cell)
    return NumberResult(position_key(grid, mines), cell, odds)
