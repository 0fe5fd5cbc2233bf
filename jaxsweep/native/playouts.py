"""A game played on from a position by a player, on a given layout, and what that is worth.

A playout is worth 1 if it wins and 0 if it loses, or, as soon as the player searches the end game,
the win probability that the search finds: the expectation over all layouts that are left, of which
the given one is a random draw.

The luck of its guesses is a control variate. Each guess adds 1 if it survived, else 0, less the
probability of surviving, times the expected value of the game if it does: the sum has mean 0, and
is most of what the outcome differs from its own mean.
"""

from math import log
from typing import no_type_check

import numpy as np

from jaxsweep.native.board import SAFE, UNKNOWN
from jaxsweep.native.compiler import compiled
from jaxsweep.native.constraints import read_constraints, reduce
from jaxsweep.native.players import BEST_ENDING, NO_LAYOUT, UNDECIDED, guess
from jaxsweep.rules.reasons import Reason
from jaxsweep.scalar.endgame import LOG_ERROR
from jaxsweep.scalar.view import MAX_CELLS

GAME = np.dtype(
    [
        # What is seen of each cell, and cells whose neighbours a flood fill has still to open.
        ("seen", np.int8, MAX_CELLS),
        ("flooded", np.int32, MAX_CELLS),
        ("open", np.int64),
    ]
)
"""A game under way."""

NATS = 4.0
"""The width of a bin of `worth`, in nats of layouts left."""

BINS = 96

TWO_LAYOUTS = log(2) + LOG_ERROR

SINGLE = int(Reason.SINGLE)


@compiled
@no_type_check
def open_cell(cell, board, layout, game):
    """Opens a safe cell, and those around it if it shows 0, and so on."""
    waiting = 0
    if game.seen[cell] == UNKNOWN:
        waiting = _show(cell, waiting, board, layout, game)
    while waiting:
        waiting -= 1
        other = game.flooded[waiting]
        for i in range(board.degree[other]):
            if game.seen[board.near[other, i]] == UNKNOWN:
                waiting = _show(board.near[other, i], waiting, board, layout, game)


@compiled
@no_type_check
def _show(cell, waiting, board, layout, game):
    """Shows the number of a cell; if it is 0, its neighbours are to be opened."""
    number = 0
    for i in range(board.degree[cell]):
        number += layout[board.near[cell, i]]
    game.seen[cell] = number
    game.open += 1
    if number == 0:
        game.flooded[waiting] = cell
        waiting += 1
    return waiting


@compiled
@no_type_check
def next_move(mines, word, settings, work, game):
    """Finds cells of a game that are certainly safe, or else makes the player's guess.

    Returns the number of certain cells, which are listed in `position.decided`: those that the
    single-cell rules find if they find any, else all of them. Also returns the reason and the cell
    of the guess, and its win probability if that is known, else −1. Where no cell is certain and
    the reason is `NO_LAYOUT`, the game is won.
    """
    solver = work.solver
    position = solver.position
    position.grid[: position.cells] = game.seen[: position.cells]
    read_constraints(solver.board, position.grid, solver.constraints)
    _, count = reduce(solver.constraints, position.grid, position.decided)
    certain = 0
    for i in range(count):
        if position.grid[position.decided[i]] == SAFE:
            position.decided[certain] = position.decided[i]
            certain += 1
    if certain:
        return certain, SINGLE, np.int64(-1), -1.0
    reason, cell, value = guess(mines, word, settings, work)
    if reason == NO_LAYOUT:
        for other in range(position.cells):
            if position.grid[other] == SAFE:
                position.decided[certain] = other
                certain += 1
    return certain, reason, cell, value


@compiled
@no_type_check
def next_guess(mines, word, settings, layout, work, game):
    """Opens all cells that are certain, until the player has to guess.

    Returns the reason and the cell of the guess, and its win probability if that is known, else −1.
    Where nothing is left to be guessed, the reason is `NO_LAYOUT`: the game is won.
    """
    position = work.solver.position
    while True:
        certain, reason, cell, value = next_move(mines, word, settings, work, game)
        if certain == 0 or (reason == NO_LAYOUT and position.uncertain == 0):
            return reason, cell, value
        for i in range(certain):
            open_cell(np.int64(position.decided[i]), work.solver.board, layout, game)


@compiled
@no_type_check
def play_on(mines, word, settings, layout, worth, work, game):
    """Plays a game to its end; returns what it is worth, and its luck.

    `worth[i]` is the expected value of a game after a guess with i · `NATS` nats of layouts left or
    somewhat more. The value is NaN if a position exceeds the capacity.
    """
    position, luck = work.solver.position, 0.0
    while True:
        reason, cell, value = next_guess(mines, word, settings, layout, work, game)
        if reason == NO_LAYOUT:
            return 1.0, luck
        if reason == UNDECIDED:
            return np.nan, luck
        if reason == BEST_ENDING:
            return value, luck
        log_layouts = work.solver.join.log_layouts
        if log_layouts <= TWO_LAYOUTS:
            return 0.5, luck
        survived = 1.0 - layout[cell]
        stake = worth[min(int(log_layouts / NATS), BINS - 1)]
        luck += stake * (survived - (1.0 - position.risk[cell]))
        if survived == 0.0:
            return 0.0, luck
        open_cell(cell, work.solver.board, layout, game)
