"""One game on the host, advanced in the same rounds as an episode of the arena."""

from typing import NamedTuple

from jaxsweep.rules.board import Board, Mask, mask_of
from jaxsweep.rules.grid import dilate
from jaxsweep.rules.level import Opening
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.reasons import Reason, Rules
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.deduction import Certain, count_rule, pair_round, single_cell_round


class Deduced(NamedTuple):
    """The next move of a game, by deduction."""

    opens: Mask
    """The cells that are certainly safe; none if the player has to guess, or the game is over."""
    mines: Mask
    """The mines that the player knows after it."""
    reason: Reason
    """The rule that proves the cells safe."""


def dealt_game(opening: Opening, seed: int, game_number: int) -> Board:
    """Deals a game of a seed, and opens its first cell without the flood fill."""
    board = Board.all_hidden(deal(opening, seed, game_number))
    # A board without a safe cell is won before the first click.
    if board.status is not GameStatus.PLAYING:
        return board
    return opened_alone(board, mask_of([opening.first], board.mines))


def opened_alone(board: Board, cells: Mask) -> Board:
    """Opens cells without the flood fill around zeros, which `deduce` plays ring by ring."""
    return Board(board.mines, board.opened | cells, board.flags & ~cells)


def deduce(board: Board, rules: Rules) -> tuple[Board, Deduced]:
    """Plays rounds of flood fill and deduction until there are cells to open, or none are found.

    Flags are the mines that the player knows. Returns the board before the cells are opened.
    """
    mines = int(board.mines.sum())
    while board.status is GameStatus.PLAYING:
        grid, known = board.grid, Certain(board.mines & False, board.flags)
        single = single_cell_round(grid, known) if rules >= Rules.SINGLE else known
        flood = dilate(grid == 0) & ~board.opened
        if flood.any():
            board = Board(board.mines, board.opened | flood, single.mines)
        elif single.safe.any():
            return board, Deduced(single.safe, single.mines, Reason.SINGLE)
        elif (single.mines != board.flags).any():
            board = Board(board.mines, board.opened, single.mines)
        elif rules < Rules.PAIR:
            break
        else:
            by_pair = pair_round(grid, known)
            found = count_rule(GridPosition(grid, mines), by_pair)
            if by_pair.safe.any():
                return board, Deduced(by_pair.safe, found.mines, Reason.PAIR)
            if found.safe.any():
                return board, Deduced(found.safe, found.mines, Reason.COUNT)
            if (found.mines == board.flags).all():
                break
            board = Board(board.mines, board.opened, found.mines)
    return board, Deduced(board.mines & False, board.flags, Reason.SINGLE)
