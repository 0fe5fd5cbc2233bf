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
    rows, cols = cells.shape[-2:]
    padded = np.zeros((*cells.shape[:-2], rows + 2, cols + 2), np.int8)
    padded[..., 1:-1, 1:-1] = cells
    lines = padded[..., :-2, :] + padded[..., 1:-1, :] + padded[..., 2:, :]
    return lines[..., :-2] + lines[..., 1:-1] + lines[..., 2:] - cells


def dilate(cells: Bool[np.ndarray, "*batch rows cols"]) -> Bool[np.ndarray, "*batch rows cols"]:
    """Returns the cells and their eight neighbours."""
    return cells | (neighbour_counts(cells) > 0)
