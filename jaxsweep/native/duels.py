"""What the choices of players are worth, decision by decision.

By the performance-difference lemma (Kakade and Langford 2002), the win rate of B less that of A is
the expected sum, over the decisions of B's own games, of Q(B's cell) − Q(A's cell), where Q is the
win probability after a cell if A plays on. Where both choose the same cell, nothing is added. Where
they do not, A plays both choices out on the same layouts, drawn from the posterior.
"""

from typing import no_type_check

import numpy as np

from jaxsweep.native.board import UNKNOWN
from jaxsweep.native.cell_values import WORDS, value_cells
from jaxsweep.native.compiler import compiled
from jaxsweep.native.layout_sampling import next_uniform
from jaxsweep.native.players import BEST_ENDING, LOOKAHEAD_GUESS, NO_LAYOUT, UNDECIDED, guess
from jaxsweep.native.playouts import BINS, NATS, TWO_LAYOUTS, next_guess, open_cell
from jaxsweep.native.rollouts import compare_close

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


@compiled
@no_type_check
def begin_game(first, layout, board, game):
    """Starts a game: opens its first cell."""
    game.seen[: board.rows * board.cols] = UNKNOWN
    game.open = 0
    open_cell(first, board, layout, game)


@compiled
@no_type_check
def play_duel(mines, first, layout, player_a, player_b, comparison, worth, random, rooms, found):
    """Plays a game of B, and lists in `found` where A would have done otherwise.

    Args:
        mines: the mines on the board.
        first: the first cell, which is safe.
        layout: where the mines are, by cell.
        player_a: the settings of the player that plays on.
        player_b: the settings of the player whose game this is.
        comparison: how B compares close candidates by playouts, if its limit is two or more.
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
        if reason == LOOKAHEAD_GUESS and comparison.limits.compared > 1:
            cell = compare_close(cell, mines, comparison, random)
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
