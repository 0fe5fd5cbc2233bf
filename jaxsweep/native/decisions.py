"""Decisions of a player's games, with what each of its candidates is worth.

A player that looks ahead is as good as its ranking of candidates. At each of its decisions, another
player (the judge) plays several candidates out on the same layouts, drawn from the posterior: a
table of such decisions tells what any other ranking would gain, without a game being played.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Float32, Int8, Int16

from jaxsweep.native.board import Record
from jaxsweep.native.cell_values import WORDS, value_cells
from jaxsweep.native.compiler import compiled
from jaxsweep.native.duels import begin_game
from jaxsweep.native.joining import EXACT
from jaxsweep.native.layout_sampling import next_uniform
from jaxsweep.native.lookahead import (
    evaluate_candidates,
    evaluate_listed,
    is_under_way,
    prepare,
    refine_candidates,
)
from jaxsweep.native.players import LOOKAHEAD_GUESS, NO_LAYOUT, UNDECIDED
from jaxsweep.native.playouts import next_guess, open_cell
from jaxsweep.native.solving import solve

NO_CELL = -1
"""Fills the lists of compared cells."""

NOTHING_PRUNED = 2.0
"""A margin by which no candidate is behind."""

ABOUT = np.dtype(
    [("game", np.int32), ("guess", np.int32), ("open", np.int32), ("log_layouts", np.float32)]
)
"""Where a decision was: the game, guesses before it, cells open, and layouts left."""


class Decisions(NamedTuple):
    """Decisions of games, one after the other."""

    about: Record
    """An array of `ABOUT`."""
    seen: Int8[np.ndarray, "decisions cells"]
    """What is seen of each cell."""
    cells: Int16[np.ndarray, "decisions compared"]
    """The cells that are compared, the player's own choice first; then `NO_CELL`."""
    values: Float32[np.ndarray, "decisions compared draws"]
    """What opening each was worth, on the same layouts."""


def make_decisions(count: int, cells: int, compared: int, draws: int) -> Decisions:
    """Makes room for decisions."""
    return Decisions(
        np.zeros(count, ABOUT),
        np.zeros((count, cells), np.int8),
        np.zeros((count, compared), np.int16),
        np.zeros((count, compared, draws), np.float32),
    )


@compiled
@no_type_check
def list_decisions(mines, first, layout, player, judge, wide, worth, random, rooms, found):
    """Plays a game, and lists its decisions by looking ahead in `found`.

    Args:
        mines: the mines on the board.
        first: the first cell, which is safe.
        layout: where the mines are, by cell.
        player: the settings of the player whose game this is.
        judge: the settings of the player that plays on.
        wide: the settings by which candidates are found.
        worth: the expected value of a game after a guess, as `play_on` takes it.
        random: the state of the generator, one word.
        rooms: the memory, that of the judge first.
        found: room for the decisions.

    Returns the number of decisions; −1 if a position exceeded the capacity.

    """
    work, game = rooms.other_work, rooms.game
    board, cells = work.solver.board, work.solver.position.cells
    begin_game(first, layout, board, game)
    count = guesses = 0
    while True:
        word = np.int64(next_uniform(random) * WORDS)
        reason, cell, _ = next_guess(mines, word, player, layout, work, game)
        if reason == NO_LAYOUT or count == len(found.about):
            return count
        if reason == UNDECIDED:
            return -1
        if reason == LOOKAHEAD_GUESS:
            rooms.work.solver.position.grid[:cells] = game.seen[:cells]
            compared = _list_compared(cell, mines, wide, rooms, found.cells[count])
            if compared < 1 or not value_cells(compared, mines, judge, worth, random, rooms):
                return -1
            about = found.about[count]
            about.guess, about.open = guesses, game.open
            about.log_layouts = work.solver.join.log_layouts
            found.seen[count] = game.seen[:cells]
            found.values[count] = rooms.values[: len(found.cells[count])]
            count += compared > 1
        if layout[cell]:
            return count
        open_cell(cell, board, layout, game)
        guesses += 1


@compiled
@no_type_check
def _list_compared(own, mines, wide, rooms, compared):
    """Lists the candidates of the highest value, and first of all the player's own choice.

    Writes them to `rooms.cells`, and to `compared`, which is filled up. Returns how many there are,
    and 0 if a position exceeds the capacity.
    """
    here = rooms.work.here
    ahead, most = here.ahead, wide.max_candidates
    if solve(mines, here.solver) != EXACT:
        return 0
    if evaluate_candidates(mines, wide, wide.fifty_fifties, most, NOTHING_PRUNED, here) < 0:
        return 0
    for i in range(ahead.count):
        if ahead.cell[i] == own:
            ahead.value[i] = 2.0
    compared[:] = NO_CELL
    count = min(ahead.count, len(compared))
    for i in range(count):
        best = 0
        for j in range(ahead.count):
            if ahead.value[j] > ahead.value[best]:
                best = j
        compared[i] = rooms.cells[i] = ahead.cell[best]
        ahead.value[best] = -1.0
    return count


@compiled
@no_type_check
def rank_cells(seen, cells, mines, settings, work, values):
    """Values the compared cells of decisions by looking ahead with these settings.

    Args:
        seen: what is seen of each cell, of each decision.
        cells: the compared cells of each decision, as in `Decisions`.
        mines: the mines on the board.
        settings: those of a player that looks ahead; all compared cells are its candidates.
        work: the memory.
        values: `[decisions, compared]`; the expected values are written, −1 where there is no cell,
            a cell is not refined as others are, or a position exceeds the capacity.

    """
    here = work.here
    ahead, position = here.ahead, here.solver.position
    values[:] = -1.0
    for which in range(len(seen)):
        position.grid[: position.cells] = seen[which]
        if solve(mines, here.solver) != EXACT:
            continue
        if not prepare(mines, settings, settings.fifty_fifties, here):
            continue
        ahead.count = 0
        while ahead.count < cells.shape[1] and cells[which, ahead.count] != NO_CELL:
            ahead.cell[ahead.count] = cells[which, ahead.count]
            ahead.count += 1
        highest = evaluate_listed(mines, NOTHING_PRUNED, here)
        if highest >= 0 and settings.refined > 1 and is_under_way(position):
            highest = refine_candidates(mines, settings, highest, NO_CELL, here, work.deeper)
        if highest >= 0:
            values[which, : ahead.count] = ahead.value[: ahead.count]
