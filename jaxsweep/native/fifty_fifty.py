"""50/50s in one position: pairs of neighbours that no number will separate.

`strategies.fifty_fifty` explains them; `scalar.fifty_fifty` is the same in Python.
"""

from math import exp, log1p
from typing import no_type_check

import numpy as np

from jaxsweep.native.board import MINE, OUTSIDE, SAFE, UNKNOWN
from jaxsweep.native.compiler import compiled
from jaxsweep.native.joining import EXACT, INCONSISTENT
from jaxsweep.native.solving import solve
from jaxsweep.scalar.fifty_fifty import CLOSE, MIN_LOSS, PAIRS
from jaxsweep.scalar.view import MAX_CELLS

FIFTY_FIFTIES = np.dtype(
    [
        ("count", np.int64),
        ("first", np.int64, PAIRS),
        ("second", np.int64, PAIRS),
        # Logarithms of the probability that the 50/50 of a pair is not lost, and of all of them.
        ("log_kept", np.float64, PAIRS),
        ("log_all_kept", np.float64),
        # Scratch: the mine probability of every cell, and the pairs that are likeliest so far.
        ("mine", np.float64, MAX_CELLS),
        ("rank", np.float64, PAIRS),
    ]
)
"""The likeliest pairs of a position."""


@compiled
@no_type_check
def find_fifty_fifties(mines, solver, other, pairs):
    """Finds the likeliest pairs of a solved position, with an upper bound on the loss of each.

    `other` solves the positions in which no cell separates a pair. Returns False where one of them
    exceeds the capacity.
    """
    _find_pairs(solver.board, solver.position, pairs)
    pairs.log_all_kept = 0.0
    for i in range(pairs.count):
        status, loss = _loss(pairs.first[i], pairs.second[i], mines, solver, other)
        if status != EXACT and status != INCONSISTENT:
            return False
        pairs.log_kept[i] = log1p(-loss)
        pairs.log_all_kept += pairs.log_kept[i]
    return True


@compiled
@no_type_check
def log_kept_by(cell, pairs):
    """Returns the logarithm of the probability that no 50/50 of this cell is lost."""
    own = 0.0
    for i in range(pairs.count):
        if pairs.first[i] == cell or pairs.second[i] == cell:
            own += pairs.log_kept[i]
    return own


@compiled
@no_type_check
def forced_guess_factor(cell, pairs):
    """Returns the probability that no 50/50 is lost but those that a cell is part of."""
    return exp(pairs.log_all_kept - log_kept_by(cell, pairs))


@compiled
@no_type_check
def _find_pairs(board, position, pairs):
    """Lists the pairs that are likeliest lost, as if cells were independent."""
    rows, cols = board.rows, board.cols
    for cell in range(rows * cols):
        value = position.grid[cell]
        # What is off the board separates no pair, as a mine does not.
        mine = 1.0 if value in (MINE, OUTSIDE) else 0.0
        pairs.mine[cell] = position.risk[cell] if value == UNKNOWN else mine
    pairs.count = 0
    for below in range(2):
        for cell in range(rows * cols):
            row, col = cell // cols, cell % cols
            if (row == rows - 1) if below else (col == cols - 1):
                continue
            partner = cell + (cols if below else 1)
            if position.grid[cell] != UNKNOWN or position.grid[partner] != UNKNOWN:
                continue
            chance = min(
                min(pairs.mine[cell], 1.0 - pairs.mine[cell]),
                min(pairs.mine[partner], 1.0 - pairs.mine[partner]),
            )
            if chance < MIN_LOSS - CLOSE:
                continue
            if below:
                chance *= _line(row - 1, col, 0, 1, rows, cols, pairs.mine)
                chance *= _line(row + 2, col, 0, 1, rows, cols, pairs.mine)
            else:
                chance *= _line(row, col - 1, 1, 0, rows, cols, pairs.mine)
                chance *= _line(row, col + 2, 1, 0, rows, cols, pairs.mine)
            rank = np.rint(chance / CLOSE)
            if rank * CLOSE >= MIN_LOSS:
                _insert(rank, cell, partner, pairs)


@compiled
@no_type_check
def _line(row, col, down, right, rows, cols, mine):
    """Returns the product of three cells' risks in a line, 1 for those off the board."""
    if row < 0 or row >= rows or col < 0 or col >= cols:
        return 1.0
    product = mine[row * cols + col]
    for sign in (-1, 1):
        r, c = row + sign * down, col + sign * right
        if 0 <= r < rows and 0 <= c < cols:
            product *= mine[r * cols + c]
    return product


@compiled
@no_type_check
def _insert(rank, first, second, pairs):
    """Inserts a pair after all others of at least its rank; the last one may drop out."""
    place = pairs.count
    while place > 0 and pairs.rank[place - 1] < rank:
        place -= 1
    if place == PAIRS:
        return
    pairs.count = min(pairs.count + 1, PAIRS)
    for i in range(pairs.count - 1, place, -1):
        pairs.rank[i] = pairs.rank[i - 1]
        pairs.first[i], pairs.second[i] = pairs.first[i - 1], pairs.second[i - 1]
    pairs.rank[place], pairs.first[place], pairs.second[place] = rank, first, second


@compiled
@no_type_check
def _loss(first, second, mines, solver, other):
    """Returns an upper bound on the probability that a pair becomes a 50/50 that is lost.

    All cells next to one of the two only are supposed to be mines. Also returns the status of that
    position; without layouts, nothing is lost.
    """
    board, grid = solver.board, other.position.grid
    for cell in range(solver.position.cells):
        grid[cell] = solver.position.grid[cell]
    for side in range(2):
        own, partner = (first, second) if side == 0 else (second, first)
        for i in range(board.degree[own]):
            cell = board.near[own, i]
            apart = abs(cell // board.cols - partner // board.cols) > 1
            apart = apart or abs(cell % board.cols - partner % board.cols) > 1
            if apart and (grid[cell] == UNKNOWN or grid[cell] == SAFE):
                grid[cell] = MINE
    status = solve(mines, other)
    if status != EXACT:
        return status, 0.0
    doubt = min(_doubt(first, other.position), _doubt(second, other.position))
    return status, exp(other.join.log_layouts - solver.join.log_layouts) * doubt


@compiled
@no_type_check
def _doubt(cell, position):
    """Returns the probability of the less likely content of a cell."""
    if position.grid[cell] == UNKNOWN:
        return min(position.risk[cell], 1.0 - position.risk[cell])
    return 0.0


@compiled
@no_type_check
def hidden_neighbours(cell, board, position):
    """Counts the hidden neighbours of a cell."""
    count = 0
    for i in range(board.degree[cell]):
        value = position.grid[board.near[cell, i]]
        count += value < 0 and value != OUTSIDE
    return count
