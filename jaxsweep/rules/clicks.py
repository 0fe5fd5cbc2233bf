"""What a person did with the mouse, as far as the rules are concerned."""

import enum
from dataclasses import dataclass
from typing import NamedTuple

from jaxsweep.rules.board import Board, Cell, Mask, cells_of, mask_of
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


class Effect(NamedTuple):
    """What a click did."""

    board: Board
    """The board after it; the same object where it had no effect."""
    cells: tuple[Cell, ...] = ()
    """The cells that it opened, without those of the flood fill."""
    flags: tuple[Cell, ...] = ()
    """The cell whose flag it set or removed."""


def after_click(board: Board, click: Click) -> Effect:
    """Plays one click; on a game that is over, and where the rules say so, it has no effect."""
    cell = click.cell
    if board.status is not GameStatus.PLAYING:
        return Effect(board)
    if click.button is Button.CHORD:
        cells = tuple(cells_of(board.chord_cells(cell)))
    elif board.opened[cell] or (click.button is Button.LEFT and board.flags[cell]):
        cells = ()
    elif click.button is Button.RIGHT:
        return Effect(board.flag(mask_of([cell], board.mines)), flags=(cell,))
    else:
        cells = (cell,)
    return Effect(board.open(mask_of(cells, board.mines)), cells) if cells else Effect(board)
