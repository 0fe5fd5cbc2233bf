"""What the choices of players are worth, decision by decision.

By the performance-difference lemma (Kakade and Langford 2002), the win rate of B less that of A is
the expected sum, over the decisions of B's own games, of Q(B's cell) − Q(A's cell), where Q is the
win probability after a cell if A plays on. Where both choose the same cell, nothing is added. Where
they do not, A plays both choices out on the same layouts, drawn from the posterior.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Float, Int8, Int32, Int64

from jaxsweep.native.board import UNKNOWN, Record, make_record
from jaxsweep.native.compiler import compiled
from jaxsweep.native.layout_sampling import draw_layouts, next_uniform
from jaxsweep.native.players import (
    BEST_ENDING,
    NO_LAYOUT,
    UNDECIDED,
    Settings,
    Workspace,
    guess,
    make_workspace,
)
from jaxsweep.native.playouts import (
    BINS,
    GAME,
    NATS,
    TWO_LAYOUTS,
    next_guess,
    open_cell,
    play_on,
)

MAX_COMPARED = 64
"""The most cells that are compared at once."""

WORDS = 2.0**32
"""Random words are below this."""

DISAGREEMENT = np.dtype(
    [
        ("game", np.int64),
        # How many guesses there were before, and cells open.
        ("guess", np.int64),
        ("open", np.int64),
        ("log_layouts", np.float64),
        # Of the cells of A and B: the mine probability, the reason, and whether it is next to an
        # open cell.
        ("risk", np.float64, 2),
        ("reason", np.int64, 2),
        ("on_frontier", np.int8, 2),
        # The win probability after B's cell less that after A's, if A plays on, and the variance of
        # this estimate.
        ("difference", np.float64),
        ("variance", np.float64),
    ]
)
"""A position in which two players choose different cells, and what that changes."""


class Rooms(NamedTuple):
    """The memory of one thread."""

    work: Workspace
    """Of the player that plays on."""
    other_work: Workspace
    game: Record
    """The game under way."""
    playout: Record
    layouts: Int8[np.ndarray, "draws cells"]
    drawn: Int32[np.ndarray, "draws cells"]
    cells: Int64[np.ndarray, " compared"]
    """The cells that are compared."""
    values: Float[np.ndarray, "compared draws"]


def make_rooms(rows: int, cols: int, players: tuple[Settings, Settings], draws: int) -> Rooms:
    """Makes room for duels on boards of this size, with so many draws for each comparison."""
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


@compiled
@no_type_check
def begin_game(first, layout, board, game):
    """Starts a game: opens its first cell."""
    game.seen[: board.rows * board.cols] = UNKNOWN
    game.open = 0
    open_cell(first, board, layout, game)


@compiled
@no_type_check
def play_duel(mines, first, layout, player_a, player_b, worth, random, rooms, found):
    """Plays a game of B, and lists in `found` where A would have done otherwise.

    Args:
        mines: the mines on the board.
        first: the first cell, which is safe.
        layout: where the mines are, by cell.
        player_a: the settings of the player that plays on.
        player_b: the settings of the player whose game this is.
        worth: the expected value of a game after a guess, as `play_on` takes it.
        random: the state of the generator, one word.
        rooms: the memory, that of A first.
        found: room for the disagreements.

    Returns the number of disagreements, and whether the game was won; −1 if a position exceeded the
    capacity, and the game does not count.

    """
    work_a, work_b, game = rooms.work, rooms.other_work, rooms.game
    board, cells = work_b.solver.board, work_b.solver.position.cells
    begin_game(first, layout, board, game)
    count = guesses = 0
    while True:
        word = np.int64(next_uniform(random) * WORDS)
        reason, cell, _ = next_guess(mines, word, player_b, layout, work_b, game)
        if reason == NO_LAYOUT:
            return count, 1
        if reason == UNDECIDED:
            return count, -1
        if work_b.solver.join.log_layouts > TWO_LAYOUTS:
            work_a.solver.position.grid[:cells] = game.seen[:cells]
            reason_a, cell_a, _ = guess(mines, word, player_a, work_a)
            if reason_a == UNDECIDED or count == len(found):
                return count, -1
            if cell_a != cell:
                one = found[count]
                one.guess, one.open = guesses, game.open
                one.reason[0], one.reason[1] = reason_a, reason
                rooms.cells[0], rooms.cells[1] = cell_a, cell
                if not _compare_pair(mines, player_a, worth, random, rooms, one):
                    return count, -1
                count += 1
        if layout[cell]:
            return count, 0
        open_cell(cell, board, layout, game)
        guesses += 1


@compiled
@no_type_check
def _compare_pair(mines, player, worth, random, rooms, one):
    """Estimates how much the second of two cells is worth more than the first."""
    solver = rooms.work.solver
    one.log_layouts = solver.join.log_layouts
    for i in range(2):
        one.risk[i] = solver.position.risk[rooms.cells[i]]
        one.on_frontier[i] = _is_on_frontier(rooms.cells[i], solver.board, rooms.game)
    if not value_cells(2, mines, player, worth, random, rooms):
        return False
    difference = rooms.values[1] - rooms.values[0]
    one.difference = difference.mean()
    one.variance = difference.var() / (len(difference) - 1)
    return True


@compiled
@no_type_check
def _is_on_frontier(cell, board, game):
    """Returns whether a cell is next to an open one."""
    for i in range(board.degree[cell]):
        if game.seen[board.near[cell, i]] >= 0:
            return True
    return False


@compiled
@no_type_check
def observe_worth(mines, first, layout, player, random, rooms, path, sums, counts):
    """Plays a game, and adds what it was worth to the bins of all guesses that it survived.

    `path` is room for the bins of a game's guesses.
    """
    work, game = rooms.work, rooms.game
    begin_game(first, layout, work.solver.board, game)
    guesses = 0
    while True:
        word = np.int64(next_uniform(random) * WORDS)
        reason, cell, value = next_guess(mines, word, player, layout, work, game)
        log_layouts = work.solver.join.log_layouts
        if reason == UNDECIDED:
            return
        if reason == NO_LAYOUT:
            value = 1.0
        elif reason != BEST_ENDING:
            if log_layouts <= TWO_LAYOUTS:
                value = 0.5
            elif layout[cell]:
                value = 0.0
            else:
                path[guesses] = min(int(log_layouts / NATS), BINS - 1)
                guesses += 1
                open_cell(cell, work.solver.board, layout, game)
                continue
        for i in range(guesses):
            sums[path[i]] += value
            counts[path[i]] += 1
        return
