"""What a person did with the mouse, as far as the rules are concerned."""

import enum
from dataclasses import dataclass
from typing import NamedTuple

from jaxsweep.rules.board import Cell, Mask


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
