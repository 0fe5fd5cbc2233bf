"""3BV, openings and islands of a batch of boards, in machine code on all cores."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int32

CHUNK = 4096
"""Boards that a thread values at once."""


class BoardValues(NamedTuple):
    """Of each board."""

    bbbv: Int32[np.ndarray, " boards"]
    openings: Int32[np.ndarray, " boards"]
    islands: Int32[np.ndarray, " boards"]


def board_values(
    mines: Bool[np.ndarray, "boards rows cols"], islands: bool = True, threads: int | None = None
) -> BoardValues:
    """Values boards as `metrics.board` values one.

    Args:
        mines: the boards.
        islands: whether islands are counted; else they are 0, and it takes half the time.
        threads: how many threads value boards; by default one a core.

    """
    # Imported here: one board does not need machine code.
    from jaxsweep.native.board_values import make_planes, value_some

    count, rows, cols = mines.shape
    cells = np.ascontiguousarray(mines).reshape(count, rows * cols).view(np.uint8)
    values = np.zeros((count, 3), np.int32)

    def value_chunk(begin: int) -> None:
        planes, runs = make_planes(rows, cols), np.zeros((3, (rows + 2) * (cols + 2)), np.int32)
        end = min(begin + CHUNK, count)
        value_some(begin, end, cells, rows, cols, islands, planes, runs, values)

    begins = range(0, count, CHUNK)
    if len(begins) == 1 or threads == 1:
        for begin in begins:
            value_chunk(begin)
    else:
        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            list(pool.map(value_chunk, begins))
    return BoardValues(*values.T)
