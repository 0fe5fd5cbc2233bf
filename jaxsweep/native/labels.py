"""What is known of a position exactly: the labels that learners are given.

Mine probabilities, certain cells and the number of layouts in every position; near the end also the
win probability of every cell, by exhaustive search.
"""

from math import log
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Float32, Int8, Int64

from jaxsweep.native.board import MINE, SAFE, UNKNOWN, Record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.endgame import FOUND, cell_wins
from jaxsweep.native.joining import EXACT
from jaxsweep.native.players import Workspace, make_workspace
from jaxsweep.native.solving import solve
from jaxsweep.scalar.endgame import LOG_ERROR

SEARCHED_LAYOUTS = 1000
"""With at most so many layouts left, the end game is searched; as the player `strongest` does."""

LABEL = np.dtype(
    [
        ("open", np.int32),
        # Cells that are not certain, and mines that are.
        ("uncertain", np.int32),
        ("known", np.int32),
        ("searched", np.int8),
        ("log_layouts", np.float64),
        ("least_risk", np.float64),
        # The win probability of the best play, if the end game was searched.
        ("win", np.float64),
    ]
)
"""What is known of a position as a whole."""


class Labels(NamedTuple):
    """Positions, and what is known of each."""

    about: Record
    """An array of `LABEL`."""
    seen: Int8[np.ndarray, "positions cells"]
    """What is seen of each cell."""
    risk: Float32[np.ndarray, "positions cells"]
    """The mine probability of each hidden cell, 0 in open cells."""
    certain: Int8[np.ndarray, "positions cells"]
    """`SAFE` or `MINE` in each hidden cell that is certain, else 0."""
    win: Float32[np.ndarray, "positions cells"]
    """If the end game was searched, the win probability of the best play after opening each hidden
    cell; else, and in open cells, NaN."""


class LabelRooms(NamedTuple):
    """The memory of one thread."""

    work: Workspace
    wins: Int64[np.ndarray, " cells"]


def make_labels(count: int, cells: int) -> Labels:
    """Makes room for so many positions."""
    return Labels(
        np.zeros(count, LABEL),
        np.zeros((count, cells), np.int8),
        np.zeros((count, cells), np.float32),
        np.zeros((count, cells), np.int8),
        np.zeros((count, cells), np.float32),
    )


def make_label_rooms(rows: int, cols: int, endgame_layouts: int = 0) -> LabelRooms:
    """Makes room to label positions, and for a player that searches such end games."""
    work = make_workspace(rows, cols, max(endgame_layouts, SEARCHED_LAYOUTS))
    return LabelRooms(work, np.zeros(rows * cols, np.int64))


@compiled
@no_type_check
def label_position(which, mines, seen, rooms, labels):
    """Solves a position and writes its labels; returns the status, `EXACT` if there are any."""
    position = rooms.work.solver.position
    position.grid[: position.cells] = seen
    status = solve(mines, rooms.work.solver)
    if status == EXACT:
        write_labels(which, mines, seen, rooms, labels)
    return status


@compiled
@no_type_check
def write_labels(which, mines, seen, rooms, labels):
    """Writes the labels of a position that `rooms.work.solver` has solved exactly."""
    solver = rooms.work.solver
    position, one = solver.position, labels.about[which]
    known = opened = 0
    least = 1.0
    for cell in range(position.cells):
        value = position.grid[cell]
        risk, certain = 0.0, 0
        if value == MINE:
            risk, certain = 1.0, MINE
            known += 1
        elif value == UNKNOWN:
            risk = position.risk[cell]
        elif value == SAFE:
            certain = SAFE
        if value < 0:
            least = min(least, risk)
        else:
            opened += 1
        labels.seen[which, cell] = seen[cell]
        labels.risk[which, cell] = risk
        labels.certain[which, cell] = certain
    one.open, one.uncertain, one.known = opened, position.uncertain, known
    one.log_layouts, one.least_risk = solver.join.log_layouts, least
    one.searched, one.win = 0, np.nan
    labels.win[which, :] = np.nan
    if solver.join.log_layouts <= log(SEARCHED_LAYOUTS) + LOG_ERROR:
        _write_wins(which, mines, rooms, labels)


@compiled
@no_type_check
def _write_wins(which, mines, rooms, labels):
    """Writes the win probability of every cell, if the search has room."""
    work, wins, one = rooms.work, rooms.wins, labels.about[which]
    position, most = work.solver.position, np.int64(SEARCHED_LAYOUTS)
    grid = position.grid[: position.cells]
    status, layouts = cell_wins(grid, work.solver.board.cols, mines, most, work.space, wins)
    if status != FOUND:
        return
    best = 0.0
    for cell in range(position.cells):
        if grid[cell] < 0:
            win = max(wins[cell], 0) / layouts
            labels.win[which, cell] = win
            best = max(best, win)
    one.searched, one.win = 1, best
