"""Grids of cells on the host, as NumPy arrays: values of cells, and 3×3 neighbourhoods."""

import numpy as np
from jaxtyping import Bool, Int8

HIDDEN = -1
"""The value of a hidden cell in a grid of numbers."""

FLAGGED = -2
"""The value of a hidden cell with a flag in a grid of numbers."""


def neighbour_counts(
    cells: Bool[np.ndarray, "*batch rows cols"],
) -> Int8[np.ndarray, "*batch rows cols"]:
    """Counts the set cells among the eight neighbours of every cell."""
    margin = [(0, 0)] * (cells.ndim - 2) + [(1, 1), (1, 1)]
    padded = np.pad(cells.astype(np.int8), margin)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(-2, -1))
    return windows.sum((-2, -1), dtype=np.int8) - cells


def dilate(cells: Bool[np.ndarray, "*batch rows cols"]) -> Bool[np.ndarray, "*batch rows cols"]:
    """Returns the cells and their eight neighbours."""
    return cells | (neighbour_counts(cells) > 0)
