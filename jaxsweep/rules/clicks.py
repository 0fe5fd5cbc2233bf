"""What a person did with the mouse, as far as the rules are concerned, and what came of it."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from jaxsweep.rules.board import Board, Cell, Mask, mask_of
from jaxsweep.rules.status import GameStatus


class Button(enum.Enum):
    """How a cell was clicked."""

    LEFT = "left"
    """Opens a cell."""
    RIGHT = "right"
    """Sets or removes a flag."""
    CHORD = "chord"
    """Opens the neighbours of a number, or of what was taken for one."""


class Click(NamedTuple):
    """One click, whether it had an effect or not."""

    button: Button
    cell: Cell
    seconds: float | None = None
    """When it was made, since the game began; None where that is unknown."""


@dataclass(frozen=True, eq=False)
class ClickedGame:
    """A game as its mines and the clicks of its player, in order: what most replays hold.

    Files that hold a board alone have no clicks.
    """

    mines: Mask
    clicks: tuple[Click, ...] = ()
    seconds: float | None = None
    """How long the game took; None where that is unknown."""
    player: str | None = None
    """The name of the player; None where the file has none."""


class PlayedClick(NamedTuple):
    """A click with the board before and after it."""

    click: Click
    cells: Mask
    """The cells that it opens, without the flood fill."""
    before: Board
    after: Board
    """The same object as `before` where the click had no effect."""


def play(board: Board, click: Click) -> PlayedClick:
    """Plays one click; on a game that is over, it has no effect."""
    cells, after, cell = np.zeros_like(board.mines), board, click.cell
    if board.status is GameStatus.PLAYING:
        if click.button is Button.RIGHT:
            if not board.opened[cell]:
                after = board.flag(mask_of([cell], board.mines))
        elif click.button is Button.CHORD:
            cells = board.chord_cells(cell)
        elif not (board.opened[cell] or board.flags[cell]):
            cells[cell] = True
    # A board that stays as it is need not be flooded again.
    return PlayedClick(click, cells, board, board.open(cells) if cells.any() else after)


def played(game: ClickedGame) -> Iterator[PlayedClick]:
    """Plays the clicks of a game, up to its end."""
    board = Board.all_hidden(game.mines)
    for click in game.clicks:
        if board.status is not GameStatus.PLAYING:
            return
        one = play(board, click)
        yield one
        board = one.after
