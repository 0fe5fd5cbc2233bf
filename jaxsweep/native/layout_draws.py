"""Random layouts of a batch of positions, packed, on all cores."""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int8, Int32, UInt64

from jaxsweep.native.board import WORD, read_grid
from jaxsweep.native.compiler import compiled
from jaxsweep.native.joining import EXACT, OVER_CAPACITY
from jaxsweep.native.layout_sampling import INCREMENT, draw_layouts, mix
from jaxsweep.native.solving import Solver, make_solver, solve

BLOCK = 512
"""Layouts of one position that are drawn at once, by a random stream of their own: the layouts of
one position can be drawn by several threads."""


class DrawSpace(NamedTuple):
    """The memory of one thread."""

    solver: Solver
    random: UInt64[np.ndarray, " one"]
    """The state of the generator."""
    layouts: Int8[np.ndarray, "draws cells"]
    drawn: Int32[np.ndarray, "draws components"]


def make_draw_space(rows: int, cols: int) -> DrawSpace:
    """Makes room to draw layouts of positions on boards of this size."""
    return DrawSpace(
        make_solver(rows, cols),
        np.zeros(1, np.uint64),
        np.zeros((BLOCK, rows * cols), np.int8),
        np.zeros((BLOCK, rows * cols), np.int32),
    )


@compiled
@no_type_check
def draw_blocks(begin, end, hidden, opened, numbers, mines, seeds, streams, space, layouts, status):
    """Draws blocks `begin` to `end` − 1 of the layouts of a batch of positions.

    The blocks of one position follow each other. Positions have the batch last, with the digits of
    `numbers` stacked.

    Args:
        begin: the first block.
        end: the block after the last one.
        hidden: packed boards of the hidden cells.
        opened: of the open cells.
        numbers: the binary digits of the numbers.
        mines: the mines on each board.
        seeds: a word for each position.
        streams: which stream of its seed a position has.
        space: the memory of the thread.
        layouts: `[batch, draws, rows, words]`, expected to be 0, where mines are set.
        status: what became of each position; layouts have a meaning where it is `EXACT`.

    """
    solver, draws = space.solver, layouts.shape[1]
    blocks, solved = (draws + BLOCK - 1) // BLOCK, -1
    for item in range(begin, end):
        which, block = item // blocks, item % blocks
        if which != solved:
            read_grid(hidden, opened, numbers, which, solver.board, solver.position.grid)
            status[which] = solve(mines[which], solver)
            solved = which
        if status[which] != EXACT:
            continue
        stream = mix(mix(seeds[which] + INCREMENT) + streams[which] + INCREMENT)
        space.random[0] = mix(stream + np.uint64(block) + INCREMENT)
        first = block * BLOCK
        count = min(BLOCK, draws - first)
        if draw_layouts(count, mines[which], solver, space.random, space.layouts, space.drawn):
            _pack(count, solver.board, space.layouts, layouts[which, first : first + count])
        else:
            status[which] = OVER_CAPACITY


@compiled
@no_type_check
def _pack(count, board, layouts, packed):
    """Writes the first `count` layouts as packed boards."""
    for draw in range(count):
        for row in range(board.rows):
            for col in range(board.cols):
                mine = np.uint32(layouts[draw, row * board.cols + col])
                packed[draw, row, col // WORD] |= mine << np.uint32(col % WORD)
