"""Moments of a player's games: positions in which a cell is to be opened, with their labels.

Either some cells are certainly safe, or the player guesses. All guesses of a game are moments. Most
clicks of a game are on certain cells, which are opened one after the other here, in random order;
of these clicks one more than there are guesses is drawn at random, each with equal probability.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int8, UInt64

from jaxsweep.native.board import UNKNOWN, Record, make_record
from jaxsweep.native.cell_values import WORDS
from jaxsweep.native.compiler import compiled
from jaxsweep.native.duels import begin_game
from jaxsweep.native.joining import EXACT
from jaxsweep.native.labels import (
    LabelRooms,
    Labels,
    label_position,
    make_label_rooms,
    make_labels,
    write_labels,
)
from jaxsweep.native.layout_sampling import next_uniform
from jaxsweep.native.players import LOOKAHEAD_GUESS, NO_LAYOUT, UNDECIDED, Settings
from jaxsweep.native.playouts import GAME, next_move, open_cell

CERTAIN, GUESS = range(2)
"""Kinds of moments: some cells are certainly safe, or none is."""

LOST, WON, NOT_FINISHED = 0, 1, -1
"""Outcomes of games; one is not finished if a position exceeds the capacity."""

MAX_GUESSES = 200
"""The most guesses of a game."""

MAX_DRAWN = 32
"""The most clicks on certain cells that are drawn of a game."""

NO_CELL = -1
"""Instead of a guess, where cells are certain."""

MOMENT = np.dtype([("kind", np.int8), ("cell", np.int32), ("score", np.float64)])
"""The kind of a moment, the cell that the player guesses, and its score, NaN if the player does not
look ahead there."""


class MomentRooms(NamedTuple):
    """The memory of one thread, and the moments of its last game."""

    rooms: LabelRooms
    game: Record
    """The game under way."""
    drawn: Int8[np.ndarray, "drawn cells"]
    """What is seen at clicks on certain cells."""
    moments: Record
    """An array of `MOMENT`."""
    labels: Labels
    """Of the moments."""


def make_moment_rooms(rows: int, cols: int, player: Settings) -> MomentRooms:
    """Makes room for a player's games on boards of this size."""
    count, cells = MAX_GUESSES + MAX_DRAWN, rows * cols
    return MomentRooms(
        make_label_rooms(rows, cols, player.endgame_layouts),
        make_record(GAME),
        np.zeros((MAX_DRAWN, cells), np.int8),
        np.zeros(count, MOMENT),
        make_labels(count, cells),
    )


def random_states(seed: int, game: int) -> UInt64[np.ndarray, " two"]:
    """Returns the generators of a game: of its guesses, and of the clicks that are drawn."""
    return np.random.SeedSequence([seed, game]).generate_state(2, np.uint64)


@compiled
@no_type_check
def list_moments(mines, first, layout, player, random, space):
    """Plays a game, and lists its moments: the guesses, then the clicks that are drawn.

    Args:
        mines: the mines on the board.
        first: the first cell.
        layout: where the mines are, by cell.
        player: the settings of the player.
        random: the states of two generators: what is drawn changes nothing in the game.
        space: the memory.

    Returns the number of moments, how many were left out since they exceed the capacity, and the
    outcome of the game.

    """
    rooms, game, moments, labels = space.rooms, space.game, space.moments, space.labels
    work = rooms.work
    board, position = work.solver.board, work.solver.position
    if layout[first]:
        return 0, 0, LOST
    begin_game(first, layout, board, game)
    count = clicks = left_out = 0
    outcome = LOST
    while True:
        word = np.int64(next_uniform(random[:1]) * WORDS)
        certain, reason, cell, _ = next_move(mines, word, player, work, game)
        if certain:
            clicks = _open_one_by_one(certain, clicks, layout, random[1:], space)
            continue
        if reason == NO_LAYOUT:
            outcome = WON
            break
        if reason == UNDECIDED or count == MAX_GUESSES:
            left_out += 1
            outcome = NOT_FINISHED
            break
        moments[count].kind, moments[count].cell, moments[count].score = GUESS, cell, np.nan
        if reason == LOOKAHEAD_GUESS:
            moments[count].score = _score_of(cell, work.here.ahead)
        write_labels(count, mines, game.seen[: position.cells], rooms, labels)
        count += 1
        if layout[cell]:
            break
        open_cell(cell, board, layout, game)
    kept = min(clicks, MAX_DRAWN)
    for i in range(min(count + 1, kept)):
        chosen = i + int(next_uniform(random[1:]) * (kept - i))
        if label_position(count, mines, space.drawn[chosen], rooms, labels) == EXACT:
            moments[count].kind, moments[count].cell = CERTAIN, NO_CELL
            moments[count].score = np.nan
            count += 1
        else:
            left_out += 1
        space.drawn[chosen] = space.drawn[i]
    return count, left_out, outcome


@compiled
@no_type_check
def _open_one_by_one(certain, clicks, layout, random, space):
    """Opens certain cells in random order, and notes clicks: each is kept with equal probability.

    There were so many clicks before; returns how many there are now (reservoir sampling).
    """
    solver, game, drawn = space.rooms.work.solver, space.game, space.drawn
    position = solver.position
    for left in range(certain, 0, -1):
        chosen = int(next_uniform(random) * left)
        cell = np.int64(position.decided[chosen])
        position.decided[chosen] = position.decided[left - 1]
        if game.seen[cell] != UNKNOWN:
            continue
        place = clicks
        if clicks >= MAX_DRAWN:
            place = int(next_uniform(random) * (clicks + 1))
        if place < MAX_DRAWN:
            drawn[place] = game.seen[: position.cells]
        clicks += 1
        open_cell(cell, solver.board, layout, game)
    return clicks


@compiled
@no_type_check
def _score_of(cell, ahead):
    """Returns the value of the candidate that was chosen."""
    for i in range(ahead.count):
        if ahead.cell[i] == cell:
            return ahead.value[i]
    return np.nan
