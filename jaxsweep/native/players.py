"""The guesses of the exact players in a batch of positions, on all cores.

The players are those of `scalar.players` that count layouts themselves: at the least risk, by
looking ahead, and by searching the end game. Their moves are the same.
"""

from math import log
from typing import NamedTuple, no_type_check

import numpy as np

from jaxsweep.native.board import MINE, SAFE, UNKNOWN, WORD, read_grid
from jaxsweep.native.compiler import compiled
from jaxsweep.native.endgame import FOUND, SearchSpace, search, search_space
from jaxsweep.native.fifty_fifty import hidden_neighbours
from jaxsweep.native.joining import EXACT
from jaxsweep.native.lookahead import LookaheadSpace, look_ahead, lookahead_space
from jaxsweep.native.solving import Solver, solve
from jaxsweep.rules.reasons import Reason
from jaxsweep.scalar.advice import UNKNOWN_RISK
from jaxsweep.scalar.endgame import LOG_ERROR
from jaxsweep.scalar.least_risk import TIE
from jaxsweep.scalar.players import LeastRiskPlayer, LookaheadPlayer

NO_LAYOUT, LEAST_RISK = int(Reason.NO_LAYOUT), int(Reason.LEAST_RISK)
BEST_ENDING, LOOKAHEAD_GUESS = int(Reason.BEST_ENDING), int(Reason.LOOKAHEAD)

UNDECIDED = -1
"""The reason of a position that exceeds the capacity, or is inconsistent."""


class Settings(NamedTuple):
    """The parameters of a player, as in `scalar.players`."""

    looks_ahead: bool
    random_ties: bool
    endgame_layouts: int
    candidate_ratio: float
    max_candidates: int
    fifty_fifties: bool
    second_weight: float
    refined: int
    refined_margin: float
    deeper_candidates: int


def settings_of(player: LeastRiskPlayer | LookaheadPlayer) -> Settings:
    """Returns the parameters of a player."""
    if isinstance(player, LeastRiskPlayer):
        return Settings(
            False, player.random_ties, player.endgame_layouts, 0.0, 1, False, 0.0, 0, 0.0, 1
        )
    return Settings(
        True,
        False,
        player.endgame_layouts,
        player.candidate_ratio,
        player.max_candidates,
        player.fifty_fifties,
        player.second_weight,
        player.refined,
        player.refined_margin,
        player.deeper_candidates,
    )


class Workspace(NamedTuple):
    """The memory in which one thread makes guesses."""

    solver: Solver
    """That of `here`."""
    here: LookaheadSpace
    deeper: LookaheadSpace
    """For afterstates that are looked ahead from."""
    space: SearchSpace


def make_workspace(rows: int, cols: int, endgame_layouts: int) -> Workspace:
    """Makes room for positions on boards of this size, of at most `MAX_CELLS` cells."""
    here, deeper = (lookahead_space(rows, cols) for _ in range(2))
    space = search_space(max(endgame_layouts, 3), rows * cols)
    return Workspace(here.solver, here, deeper, space)


@compiled
@no_type_check
def guess_some(
    begin,
    end,
    hidden,
    opened,
    numbers,
    mines,
    words,
    settings,
    work,
    opens,
    flags,
    reason,
    risk,
):
    """Makes the guesses in positions `begin` to `end` − 1 of a batch, last.

    Arguments as in `jaxsweep.rules.position.Position` with the digits of `numbers` stacked, a
    random word for each position, and the fields of `jaxsweep.strategies.base.Move`, of which the
    boards are expected to be 0. Flags of the positions are no evidence. A position without a guess
    gets the reason `UNDECIDED`.
    """
    solver = work.solver
    board, grid = solver.board, solver.position.grid
    for which in range(begin, end):
        read_grid(hidden, opened, numbers, which, board, grid)
        reason[which], cell, _ = guess(mines[which], words[which], settings, work)
        write_move(which, cell, solver, opens, flags, reason, risk)


@compiled
@no_type_check
def write_move(which, cell, solver, opens, flags, reason, risk):
    """Writes the move in a position of a batch, last, as `solver` has solved it."""
    board, position = solver.board, solver.position
    if reason[which] == UNDECIDED:
        risk[which] = UNKNOWN_RISK
        return
    risk[which] = 0.0 if cell < 0 else position.risk[cell]
    for other in range(position.cells):
        bit = np.uint32(1) << np.uint32(other % board.cols % WORD)
        row, word = other // board.cols, other % board.cols // WORD
        if position.grid[other] == MINE:
            flags[row, word, which] |= bit
        if other == cell or (cell < 0 and position.grid[other] == SAFE):
            opens[row, word, which] |= bit


@compiled
@no_type_check
def guess(mines, word, settings, work):
    """Returns the reason and the cell of a guess, and its win probability.

    The cell is −1 for all cells that are certainly safe, and the win probability is −1 unless the
    end game was searched. The position is in `work.solver.position.grid`.
    """
    solver = work.solver
    position = solver.position
    if solve(mines, solver) != EXACT:
        return UNDECIDED, -1, -1.0
    if position.uncertain == 0:
        return NO_LAYOUT, -1, -1.0
    for cell in range(position.cells):
        if position.grid[cell] == SAFE:
            return NO_LAYOUT, -1, -1.0
    log_layouts, most = solver.join.log_layouts, settings.endgame_layouts
    if log(2) + LOG_ERROR < log_layouts:
        if most and log_layouts <= log(most) + LOG_ERROR:
            grid = position.grid[: position.cells]
            status, cell, won, layouts = search(grid, solver.board.cols, mines, most, work.space)
            if status != FOUND:
                return UNDECIDED, -1, -1.0
            return BEST_ENDING, cell, won / layouts
        if settings.looks_ahead:
            cell = look_ahead(mines, settings, work.here, work.deeper)
            return (LOOKAHEAD_GUESS if cell >= 0 else UNDECIDED), cell, -1.0
    cell = _least_risk(word, settings.random_ties, solver.board, position)
    return LEAST_RISK, cell, -1.0


@compiled
@no_type_check
def _least_risk(word, random_ties, board, position):
    """Returns a cell of least risk: with the fewest hidden neighbours, then by a random word."""
    least = 2.0
    for cell in range(position.cells):
        if position.grid[cell] == UNKNOWN:
            least = min(least, position.risk[cell])
    fewest, count = 8 if random_ties else 9, 0
    for cell in range(position.cells):
        if position.grid[cell] == UNKNOWN and position.risk[cell] <= least + TIE:
            hidden = fewest if random_ties else hidden_neighbours(cell, board, position)
            if hidden < fewest:
                fewest, count = hidden, 0
            count += hidden == fewest
    chosen = np.int64(np.uint64(word) * np.uint64(count) >> np.uint64(32))
    for cell in range(position.cells):
        tied = position.grid[cell] == UNKNOWN and position.risk[cell] <= least + TIE
        if tied and (random_ties or hidden_neighbours(cell, board, position) == fewest):
            if chosen == 0:
                return cell
            chosen -= 1
    return -1
