"""What a strategy is, and what it answers."""

import abc
import enum
from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key, UInt32

from jaxsweep import bitboard
from jaxsweep.bitboard import Bits
from jaxsweep.deduction import Certain, Rule, nothing_certain
from jaxsweep.position import Position

UNKNOWN_RISK = -1.0
"""The risk of a guess by a strategy that has no probabilities."""


class Reason(enum.IntEnum):
    """Why a strategy opens what it opens."""

    SINGLE = Rule.SINGLE
    PAIR = Rule.PAIR
    COUNT = Rule.COUNT
    FIRST = 3
    NO_LAYOUT = 4
    IN_ORDER = 5
    AT_RANDOM = 6
    LEAST_RISK = 7
    LEAST_ESTIMATE = 8
    LEAST_SCORE = 9

    @property
    def text(self) -> str:
        """The reason as a player would say it."""
        return _TEXTS[self]

    @property
    def is_guess(self) -> bool:
        """Whether the cell may be a mine for all the strategy knows."""
        return self >= Reason.IN_ORDER


_TEXTS = {
    Reason.SINGLE: "certain: a number has all its mines found",
    Reason.PAIR: "certain: two numbers that share cells prove it",
    Reason.COUNT: "certain: all mines are found",
    Reason.FIRST: "first cell",
    Reason.NO_LAYOUT: "certain: a mine in none of the layouts left",
    Reason.IN_ORDER: "guess: next in order",
    Reason.AT_RANDOM: "guess: at random",
    Reason.LEAST_RISK: "guess: the least likely mine",
    Reason.LEAST_ESTIMATE: "guess: the least likely mine, by an estimate",
    Reason.LEAST_SCORE: "guess: the lowest score",
}


Deduction = Callable[[Position], Certain]
"""Finds certain cells of one position; to be jitted and vmapped."""


class Move(eqx.Module):
    """Cells to open, all for one reason, and cells known to be mines; or a batch of moves, last."""

    opens: UInt32[Array, "rows words *batch"]
    flags: UInt32[Array, "rows words *batch"]
    reason: Int[Array, "*batch"]
    risk: Float[Array, "*batch"]
    """The chance that a guessed cell is a mine, 0 for certain cells, or `UNKNOWN_RISK`."""


class AbstractStrategy(eqx.Module):
    """A way to choose what to open next: what is certain at once, and else a guess.

    What a strategy does in a position depends on that position and the key alone.
    """

    @property
    @abc.abstractmethod
    def deductions(self) -> tuple[Deduction, ...]:
        """What finds certain cells, from the quickest to the most thorough.

        Each is tried only where those before it find no safe cell.
        """

    @abc.abstractmethod
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Moves in a batch of positions, batch last, in which nothing is certainly safe.

        Each opens at least one hidden cell. Called from the host with batches of few sizes.
        """


def best_deduction(strategy: AbstractStrategy, position: Position) -> Move:
    """The move of the quickest deduction that finds a safe cell; it opens none if none does."""
    move = certain_move(nothing_certain(position))
    for deduction in reversed(strategy.deductions):
        earlier = certain_move(deduction(position))
        found = bitboard.any_set(earlier.opens)
        move = jax.tree.map(partial(jnp.where, found), earlier, move)
    return move


def certain_move(certain: Certain) -> Move:
    """Opens the safe cells that the simplest rule has found; none if there are none."""
    single = certain.safe & ~certain.by_pair & ~certain.by_count
    pair = certain.safe & certain.by_pair
    opens, reason = certain.safe & certain.by_count, Rule.COUNT
    opens, reason = _first(pair, Rule.PAIR, opens, jnp.int32(reason))
    opens, reason = _first(single, Rule.SINGLE, opens, reason)
    return Move(opens=opens, flags=certain.mines, reason=reason, risk=jnp.float32(0.0))


def _first(
    cells: Bits, rule: Rule, other_cells: Bits, other: Int[Array, ""]
) -> tuple[Bits, Int[Array, ""]]:
    """These cells and their rule if there are any, else the others."""
    any_here = bitboard.any_set(cells)
    return jnp.where(any_here, cells, other_cells), jnp.where(any_here, jnp.int32(rule), other)
