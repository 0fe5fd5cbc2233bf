"""Guesses improved by playouts, in a batch of positions.

Where a look-ahead finds several cells of nearly the same value, a fast player plays each of them
out on the same layouts, drawn from the posterior (Tesauro and Galperin 1996 improve a policy by
such rollouts). Few playouts say little of differences so small: what they say is weighed against
the differences that the look-ahead sees by how far each is known to err.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Float

from jaxsweep.native.board import read_grid
from jaxsweep.native.cell_values import Rooms, value_cells
from jaxsweep.native.compiler import compiled
from jaxsweep.native.joining import EXACT
from jaxsweep.native.lookahead import is_under_way
from jaxsweep.native.players import LOOKAHEAD_GUESS, Settings, guess, write_move
from jaxsweep.native.playouts import BINS
from jaxsweep.native.solving import solve

STAKE = 0.6
"""The expected value of a game after a guess, for the control variate: any number will do, and one
that is about right takes out the most noise."""

SLOPE = 0.45
"""What a difference between values of a look-ahead amounts to in win probability, on average."""

SPREAD = 0.015
"""The standard deviation of the true difference in win probability about that."""

MIN_NOISE = 0.08
"""The least standard deviation of a playout's difference that is believed: a few playouts may agree
by chance."""


class Limits(NamedTuple):
    """Where cells are compared by playouts, and how many."""

    log_layouts: float
    """Positions with more layouts are left as they are."""
    compared: int
    """The most cells."""
    margin: float
    """Cells whose values are behind the best by more are not compared."""


class Comparison(NamedTuple):
    """How close candidates are compared."""

    playing_on: Settings
    """The player that plays on."""
    limits: Limits
    stakes: Float[np.ndarray, " bins"]
    """The expected values of games after guesses, as playouts take them."""
    rooms: Rooms
    """The memory, that of the player that plays on first."""


def stakes() -> Float[np.ndarray, " bins"]:
    """The expected values of games after guesses, as playouts take them."""
    return np.full(BINS, STAKE)


def no_comparison(player: Settings, rooms: Rooms) -> Comparison:
    """Returns how a player compares candidates that does not."""
    return Comparison(player, Limits(0.0, 0, 0.0), stakes(), rooms)


@compiled
@no_type_check
def guess_some_by_rollouts(
    hidden,
    opened,
    numbers,
    mines,
    words,
    player,
    comparison,
    random,
    opens,
    flags,
    reason,
    risk,
):
    """Makes the guesses in all positions of a batch, as `players.guess_some` does.

    The random numbers of a position are those that its word starts.
    """
    solver = comparison.rooms.other_work.solver
    for which in range(len(words)):
        read_grid(hidden, opened, numbers, which, solver.board, solver.position.grid)
        word = words[which]
        random[0] = word
        reason[which], cell = guess_by_rollouts(mines[which], word, player, comparison, random)
        write_move(which, cell, solver, opens, flags, reason, risk)


@compiled
@no_type_check
def guess_by_rollouts(mines, word, player, comparison, random):
    """Returns the reason and the cell of a guess.

    The position is in the grid of `comparison.rooms.other_work`.
    """
    own, game = comparison.rooms.other_work, comparison.rooms.game
    position = own.solver.position
    game.seen[: position.cells] = position.grid[: position.cells]
    reason, cell, _ = guess(mines, word, player, own)
    if reason != LOOKAHEAD_GUESS:
        return reason, cell
    game.open = 0
    for other in range(position.cells):
        game.open += game.seen[other] >= 0
    return reason, compare_close(cell, mines, comparison, random)


@compiled
@no_type_check
def compare_close(cell, mines, comparison, random):
    """Returns the best of the cell that a look-ahead chose and the others of nearly its value.

    `other_work` has looked ahead from the position, which is that of `game`. If it exceeds the
    capacity of playouts, or the limits, the cell is the given one.
    """
    playing_on, limits, worth, rooms = comparison
    own, game, solver = rooms.other_work, rooms.game, rooms.work.solver
    position = own.solver.position
    # Before a game is under way, the look-ahead prunes all candidates but the best.
    if own.solver.join.log_layouts > limits.log_layouts or not is_under_way(position):
        return cell
    count = _list_close(cell, limits, own.here.ahead, rooms)
    if count < 2:
        return cell
    solver.position.grid[: position.cells] = game.seen[: position.cells]
    if solve(mines, solver) != EXACT:
        return cell
    if not value_cells(count, mines, playing_on, worth, random, rooms):
        return cell
    return rooms.cells[best_of(count, own.here.ahead, rooms)]


@compiled
@no_type_check
def _list_close(cell, limits, ahead, rooms):
    """Lists the chosen cell, and others of nearly the same value, the best first.

    Their values are written to `ahead.value`, in this order. Returns how many there are.
    """
    chosen = 0
    while ahead.cell[chosen] != cell:
        chosen += 1
    ahead.cell[0], ahead.cell[chosen] = ahead.cell[chosen], ahead.cell[0]
    ahead.value[0], ahead.value[chosen] = ahead.value[chosen], ahead.value[0]
    rooms.cells[0], count = cell, 1
    while count < min(limits.compared, ahead.count):
        best = count
        for i in range(count + 1, ahead.count):
            if ahead.value[i] > ahead.value[best]:
                best = i
        if ahead.value[best] < ahead.value[0] - limits.margin:
            break
        ahead.cell[count], ahead.cell[best] = ahead.cell[best], ahead.cell[count]
        ahead.value[count], ahead.value[best] = ahead.value[best], ahead.value[count]
        rooms.cells[count] = ahead.cell[count]
        count += 1
    return count


@compiled
@no_type_check
def best_of(count, ahead, rooms):
    """Returns which of the compared cells is the best by its value and by playouts.

    The posterior mean of its difference to the first one: the prior is normal about `SLOPE` times
    the difference of their values, and so is the noise of the playouts.
    """
    best, highest, draws = 0, 0.0, len(rooms.layouts)
    for i in range(1, count):
        difference = rooms.values[i] - rooms.values[0]
        noise = max(difference.var() / (draws - 1), MIN_NOISE**2 / draws)
        prior = SLOPE * (ahead.value[i] - ahead.value[0])
        weight = SPREAD**2 / (SPREAD**2 + noise)
        value = prior + weight * (difference.mean() - prior)
        if value > highest:
            best, highest = i, value
    return best
