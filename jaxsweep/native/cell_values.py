"""What opening each of several cells of a position is worth, by playouts.

A player plays every choice out on the same layouts, drawn from the posterior: the differences
between cells are less noisy than their values (common random numbers).
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Float, Int8, Int32, Int64

from jaxsweep.native.board import Record, make_record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.layout_sampling import draw_layouts, next_uniform
from jaxsweep.native.players import Settings, Workspace, make_workspace
from jaxsweep.native.playouts import BINS, GAME, NATS, open_cell, play_on

MAX_COMPARED = 64
"""The most cells that are compared at once."""

WORDS = 2.0**32
"""Random words are below this."""


class Rooms(NamedTuple):
    """The memory of one thread."""

    work: Workspace
    """Of the player that plays on."""
    other_work: Workspace
    """Of the player whose choices are compared."""
    game: Record
    """The game under way."""
    playout: Record
    layouts: Int8[np.ndarray, "draws cells"]
    drawn: Int32[np.ndarray, "draws cells"]
    cells: Int64[np.ndarray, " compared"]
    """The cells that are compared."""
    values: Float[np.ndarray, "compared draws"]


def make_rooms(rows: int, cols: int, players: tuple[Settings, ...], draws: int) -> Rooms:
    """Makes room for playouts on boards of this size, with so many draws for each comparison."""
    work, other = (make_workspace(rows, cols, player.endgame_layouts) for player in players)
    return Rooms(
        work,
        other,
        make_record(GAME),
        make_record(GAME),
        np.zeros((draws, rows * cols), np.int8),
        np.zeros((draws, rows * cols), np.int32),
        np.zeros(MAX_COMPARED, np.int64),
        np.zeros((MAX_COMPARED, draws)),
    )


@compiled
@no_type_check
def value_cells(count, mines, player, worth, random, rooms):
    """Values the first `count` of `rooms.cells`: the player plays each out on the same layouts.

    The position is that of `rooms.game`, as `rooms.work` has solved it. Writes a value for each
    cell and draw, with the luck of guesses taken out; returns False if a position exceeded the
    capacity.
    """
    work, game, playout = rooms.work, rooms.game, rooms.playout
    solver, cells = work.solver, work.solver.position.cells
    draws = len(rooms.layouts)
    stake = worth[min(int(solver.join.log_layouts / NATS), BINS - 1)]
    for i in range(count):
        # Written for all draws now: playouts solve other positions.
        rooms.values[i, :] = stake * (1.0 - solver.position.risk[rooms.cells[i]])
    if not draw_layouts(draws, mines, solver, random, rooms.layouts, rooms.drawn):
        return False
    for k in range(draws):
        word = np.int64(next_uniform(random) * WORDS)
        layout = rooms.layouts[k]
        for i in range(count):
            if layout[rooms.cells[i]]:
                continue
            playout.seen[:cells] = game.seen[:cells]
            playout.open = game.open
            open_cell(rooms.cells[i], solver.board, layout, playout)
            value, luck = play_on(mines, word, player, layout, worth, work, playout)
            if np.isnan(value):
                return False
            rooms.values[i, k] += value - luck - stake
    return True
