"""What a person did with the mouse, as far as the rules are concerned."""

import enum
from typing import NamedTuple

from jaxsweep.rules.board import Cell


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
