"""Whether a board needs a guess, where first, and from which first cells it needs none."""

from dataclasses import dataclass

import numpy as np

from jaxsweep.metrics.board import BoardValue
from jaxsweep.puzzles.board import OrderedBoard
from jaxsweep.puzzles.proofs import Proof, flood_fills, prove
from jaxsweep.rules.board import Cell, Mask
from jaxsweep.rules.grid import HIDDEN, neighbour_counts
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.rules.notation import GridPosition
from jaxsweep.scalar.exact import infer
from jaxsweep.scalar.geometry import CellSet, geometry
from jaxsweep.scalar.view import MAX_CELLS

LARGE = 2_000
"""Boards of more cells are solved from all first cells in machine code."""


@dataclass(frozen=True, eq=False)
class FirstGuess:
    """Where a board cannot be solved any further without a guess."""

    position: GridPosition
    opened: int
    """How many of its safe cells are open."""
    safest: Cell | None
    """A hidden cell of least risk; None where there are too many layouts to count."""
    risk: float | None


@dataclass(frozen=True, eq=False)
class Judgement:
    """A board, judged from one first cell and from all."""

    board: OrderedBoard
    """With a certificate if it needs no guess."""
    guess: FirstGuess | None
    """None if it needs no guess, or its first cell is a mine."""
    guess_free: Mask
    """The first cells from which it needs no guess."""


def judge(mines: Mask, first: Cell | None = None, start: Start = Start.ANY) -> Judgement:
    """Judges a board; without a first cell, from the first in reading order that needs no guess.

    Raises `LevelError` where a first cell is not on the board.
    """
    guess_free = guess_free_first_cells(mines)
    if first is None:
        first = _usual_first_cell(mines, guess_free)
    opening = Opening(_level(mines), start, first)
    proof = prove(mines, first)
    hardest, steps = (proof.hardest, proof.steps) if proof.solved else (None, None)
    board = OrderedBoard(opening, mines, BoardValue.of(mines).bbbv, hardest, steps)
    guess = None if proof.solved or mines[first] else _first_guess(mines, proof)
    return Judgement(board, guess, guess_free)


def _level(mines: Mask) -> Level:
    rows, cols = mines.shape
    return Level(rows, cols, int(mines.sum()))


def _usual_first_cell(mines: Mask, guess_free: Mask) -> Cell:
    """Returns a first cell: one that needs no guess, or at least shows 0, or at least is safe."""
    zeros = (neighbour_counts(mines) == 0) & ~mines
    for cells in (guess_free & zeros, guess_free, zeros, ~mines):
        if cells.any():
            row, col = np.argwhere(cells)[0].tolist()
            return row, col
    return 0, 0


def guess_free_first_cells(mines: Mask) -> Mask:
    """Returns the first cells from which a board can be solved without a guess."""
    if MAX_CELLS >= mines.size > LARGE:
        return _guess_free_in_machine_code(mines)
    known: dict[CellSet, bool] = {}
    found = np.zeros(mines.shape, bool)
    for first, opened in flood_fills(mines):
        # Cells of one opening show the same.
        if opened not in known:
            known[opened] = prove(mines, first).solved
        found[first] = known[opened]
    return found


def _guess_free_in_machine_code(mines: Mask) -> Mask:
    from jaxsweep.native.deductions import EXACT, hardest_rule, make_room

    room, layout = make_room(*mines.shape), mines.astype(np.int8).ravel()
    found = [hardest_rule(layout, cell, EXACT, room) >= 0 for cell in range(mines.size)]
    return np.array(found).reshape(mines.shape)


def _first_guess(mines: Mask, proof: Proof) -> FirstGuess:
    """Returns the position in which a proof is stuck."""
    opened = geometry(*mines.shape).to_mask(proof.opened)
    grid = np.where(opened, neighbour_counts(mines), np.int8(HIDDEN))
    position = GridPosition(grid, int(mines.sum()))
    beliefs, layouts = infer(position)
    safest = risk = None
    if layouts:
        odds = np.where(opened, 2.0, beliefs.mine_probability)
        row, col = divmod(int(odds.argmin()), mines.shape[1])
        safest, risk = (row, col), float(odds[row, col])
    return FirstGuess(position, int(opened.sum()), safest, risk)
