"""What a strategy is, and what it answers."""

import abc
import enum

import equinox as eqx
from jaxtyping import Array, Float, Int, Key

from jaxsweep.bitboard import Bits
from jaxsweep.position import Position

UNKNOWN_RISK = -1.0
"""The risk of a guess by a strategy that has no probabilities."""


class Reason(enum.IntEnum):
    """Why a strategy opens what it opens."""

    FIRST = 0
    SINGLE_CELL = 1
    IN_ORDER = 2
    AT_RANDOM = 3

    @property
    def text(self) -> str:
        """The reason as a player would say it."""
        return _TEXTS[self]

    @property
    def is_guess(self) -> bool:
        """Whether the cell may be a mine for all the strategy knows."""
        return self in (Reason.IN_ORDER, Reason.AT_RANDOM)


_TEXTS = {
    Reason.FIRST: "first cell",
    Reason.SINGLE_CELL: "certain: a number next to it has all its mines found",
    Reason.IN_ORDER: "guess: next in order",
    Reason.AT_RANDOM: "guess: at random",
}


class Move(eqx.Module):
    """Cells to open, all for one reason, and cells found to be mines."""

    opens: Bits
    flags: Bits
    reason: Int[Array, ""]
    risk: Float[Array, ""]
    """The chance that a guessed cell is a mine, 0 for certain cells, or `UNKNOWN_RISK`."""


class AbstractStrategy(eqx.Module):
    """A way to choose what to open next."""

    @abc.abstractmethod
    def choose(self, position: Position, key: Key[Array, ""]) -> Move:
        """The next move in one position that is not finished.

        Opens at least one hidden cell. Depends on the position and the key alone, and can be
        jitted and vmapped.
        """
