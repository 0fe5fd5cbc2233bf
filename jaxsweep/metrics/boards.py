"""3BV, openings, islands, ZiNi and HZiNi of a batch of boards, in machine code on all cores."""

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int32, UInt8

CHUNK = 4096
"""Boards that a thread values at once."""


Cells = UInt8[np.ndarray, "boards cells"]
"""1 where a mine is."""


class BoardValues(NamedTuple):
    """Of each board."""

    bbbv: Int32[np.ndarray, " boards"]
    openings: Int32[np.ndarray, " boards"]
    islands: Int32[np.ndarray, " boards"]


class ClickValues(NamedTuple):
    """Of each board, the clicks of greedy algorithms with flags and chords."""

    zini: Int32[np.ndarray, " boards"]
    hzini: Int32[np.ndarray, " boards"]


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
    from jaxsweep.native.board_values import LANES, make_room, value_some

    count, rows, cols = mines.shape
    values = np.zeros((count, 3), np.int32)

    def value_chunk(begin: int, end: int, cells: Cells) -> None:
        room = make_room(rows, cols, min(LANES, end - begin))
        value_some(begin, end, cells, islands, room, values)

    _in_chunks(mines, value_chunk, threads)
    return BoardValues(*values.T)


def click_values(
    mines: Bool[np.ndarray, "boards rows cols"], threads: int | None = None
) -> ClickValues:
    """Counts the clicks that boards take, as `metrics.zini` does of one.

    Args:
        mines: the boards.
        threads: how many threads value boards; by default one a core.

    """
    from jaxsweep.native.click_values import make_room, value_clicks

    count, rows, cols = mines.shape
    values = np.zeros((count, 2), np.int32)

    def value_chunk(begin: int, end: int, cells: Cells) -> None:
        value_clicks(begin, end, cells, make_room(rows, cols), values)

    _in_chunks(mines, value_chunk, threads)
    return ClickValues(*values.T)


def _in_chunks(
    mines: Bool[np.ndarray, "boards rows cols"],
    value_chunk: Callable[[int, int, Cells], None],
    threads: int | None,
) -> None:
    """Calls a function for chunks of boards, on threads: from which board, to which, and all."""
    count = len(mines)
    cells = np.ascontiguousarray(mines).reshape(count, math.prod(mines.shape[1:])).view(np.uint8)

    def value(begin: int) -> None:
        value_chunk(begin, min(begin + CHUNK, count), cells)

    begins = range(0, count, CHUNK)
    if len(begins) <= 1 or threads == 1:
        for begin in begins:
            value(begin)
    else:
        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            list(pool.map(value, begins))
