"""What a strategy is, and what it answers."""

import abc
import enum
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key, UInt32

from jaxsweep.engines.beliefs import Beliefs
from jaxsweep.rules.deduction import Rule
from jaxsweep.rules.position import Position
from jaxsweep.strategies.endgame import Endgame

UNKNOWN_RISK = -1.0
"""The risk of a guess by a strategy that has no probabilities."""


class Reason(enum.IntEnum):
    """Why a strategy, or a person, opens a cell."""

    PLAYER = -1
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
    BEST_ENDING = 10
    LOOKAHEAD = 11

    @property
    def text(self) -> str:
        """The reason in words, for a person."""
        return _TEXTS[self]

    @property
    def is_guess(self) -> bool:
        """Whether the cell may be a mine for all the strategy knows."""
        return self >= Reason.IN_ORDER


_TEXTS = {
    Reason.PLAYER: "the player's choice",
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
    Reason.LOOKAHEAD: "guess: the best after looking one number ahead",
    Reason.BEST_ENDING: "guess: the best chance to win, by search through all layouts left",
}


class Move(eqx.Module):
    """Cells to open, all for one reason, and cells known to be mines; or a batch of moves, last."""

    opens: UInt32[Array, "rows words *batch"]
    flags: UInt32[Array, "rows words *batch"]
    reason: Int[Array, "*batch"]
    """A `Reason`."""
    risk: Float[Array, "*batch"]
    """The mine probability of a guessed cell, 0 for certain cells, or `UNKNOWN_RISK`."""


@dataclass(frozen=True)
class Candidate:
    """A cell that a strategy evaluated before it guessed."""

    cell: tuple[int, int]
    risk: float
    progress: float | None
    """If it is safe, the probability that another cell is certainly safe afterwards; None where
    that was not evaluated."""
    win: float
    """The win probability after opening it: exact in an end-game search, else estimated."""


@dataclass(frozen=True, eq=False)
class Advice:
    """A move in one position, and everything the strategy found out to choose it."""

    move: Move
    beliefs: Beliefs | None = None
    """About the position, on the host; None if neither the strategy nor its caller asked."""
    layouts: int | None = None
    """The number of consistent layouts, where it was counted."""
    candidates: tuple[Candidate, ...] = ()
    """The cells that were evaluated, the chosen one first."""
    search: Endgame | None = None
    """The end-game search that chose the move, if one did."""
    ties: int = 1
    """How many cells had the lowest risk, before ties were broken."""

    @property
    def explanation(self) -> str:
        """Why this move, in words, with its win probability where candidates were evaluated."""
        if not self.candidates:
            return Reason(int(self.move.reason)).text
        win = self.candidates[0].win
        if self.search is not None:
            return f"guess: the best by search, wins {win:.1%}"
        return f"guess: best of {len(self.candidates)} cells, wins about {win:.0%}"


class Rules(enum.IntEnum):
    """Which deduction rules a strategy applies before it guesses."""

    NONE = 0
    SINGLE = 1
    """The single-cell rules: one number at a time."""
    PAIR = 2
    """Also pairs of numbers that share cells, and the number of mines left."""


class AbstractStrategy(eqx.Module):
    """A way to choose the next cells: what its deduction rules prove safe, and else a guess.

    What a strategy does in a position depends on that position and the key alone.
    """

    @property
    @abc.abstractmethod
    def rules(self) -> Rules:
        """The deduction rules that are exhausted before the strategy has to guess."""

    @abc.abstractmethod
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Returns moves for a batch of positions, batch last, in which no rule finds a safe cell.

        Each move opens at least one hidden cell. Called on the host with few batch sizes.
        """

    def advise(
        self,
        position: Position,
        key: Key[Array, ""],
        beliefs: Beliefs | None = None,
        layouts: int | None = None,
    ) -> Advice:
        """Returns the guess in one position with everything that was found out on the way.

        `beliefs` and `layouts` are what the strategy's own engine inferred of this position, from
        callers that asked it already; a strategy that needs beliefs asks if it is given none.
        """
        moves = self.guess(batch_of_one(position), key[None])
        return Advice(first_of_batch(moves), beliefs, layouts)

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]] | None:
        """As `guess`, but to be traced into a device program: moves, and a `Readiness` for each.

        None from a strategy that can guess on the host only.
        """
        return None


class AbstractTraceableStrategy(AbstractStrategy):
    """A strategy whose guess is one JAX function: it runs unchanged on the host and the device."""

    @abc.abstractmethod
    def choose(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Returns the moves for a batch of positions, batch last; called under `jax.jit`."""

    @eqx.filter_jit
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Compiles and runs `choose`."""
        return self.choose(positions, keys)

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """Runs `choose`: every move is `READY`."""
        ready = jnp.full_like(positions.mines, Readiness.READY)
        return self.choose(positions, keys), ready


class Readiness(enum.IntEnum):
    """What became of a guess on the device."""

    READY = 0
    RETRY = 1
    """The batch had no room for the position: ask again in another one."""
    NEEDS_HOST = 2
    """The position is beyond the device's capacity: `AbstractStrategy.guess` can do it."""


def batch_of_one(tree):
    """Adds a batch axis of size 1 at the end of every leaf."""
    return jax.tree.map(lambda leaf: leaf[..., None], tree)


def first_of_batch(tree):
    """Takes the first entry of a batch, last, from every leaf."""
    return jax.tree.map(lambda leaf: leaf[..., 0], tree)
