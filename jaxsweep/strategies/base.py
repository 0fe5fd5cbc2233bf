"""What a strategy is, and what it answers."""

import abc
import enum
from dataclasses import dataclass

import equinox as eqx
import jax
from jaxtyping import Array, Float, Int, Key, UInt32

from jaxsweep.rules.deduction import Rule
from jaxsweep.rules.position import Position

UNKNOWN_RISK = -1.0
"""The risk of a guess by a strategy that has no probabilities."""


class Reason(enum.IntEnum):
    """Why a strategy, or a person, opens what it opens."""

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
        """The reason as a player would say it."""
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
    Reason.LOOKAHEAD: "guess: nearly the best, for what it leads to",
    Reason.BEST_ENDING: "guess: the best chance to win, by search through all layouts left",
}


class Move(eqx.Module):
    """Cells to open, all for one reason, and cells known to be mines; or a batch of moves, last."""

    opens: UInt32[Array, "rows words *batch"]
    flags: UInt32[Array, "rows words *batch"]
    reason: Int[Array, "*batch"]
    risk: Float[Array, "*batch"]
    """The chance that a guessed cell is a mine, 0 for certain cells, or `UNKNOWN_RISK`."""


@dataclass(frozen=True)
class Candidate:
    """A cell that a player weighed before a guess."""

    cell: tuple[int, int]
    risk: float
    progress: float | None
    """If it is safe, the chance that another cell is certainly safe then; None: not asked."""
    win: float
    """The chance to win with it, as far as the player can tell."""


@dataclass(frozen=True)
class Advice:
    """A move in one position, and what was weighed for it, the best first."""

    move: "Move"
    candidates: tuple[Candidate, ...] = ()

    @property
    def reason(self) -> str:
        """Why this move, with what it is worth."""
        reason = Reason(int(self.move.reason))
        if not self.candidates:
            return reason.text
        chance = self.candidates[0].win
        if reason is Reason.BEST_ENDING:
            return f"guess: the best by search, wins {chance:.1%}"
        return f"guess: best of {len(self.candidates)} weighed, wins about {chance:.0%}"


class Rules(enum.IntEnum):
    """How closely a player looks at the numbers before it guesses."""

    NONE = 0
    SINGLE = 1
    """One number at a time."""
    PAIR = 2
    """Two at a time, too, and the number of mines left."""


class AbstractStrategy(eqx.Module):
    """A way to choose what to open next: what rules prove safe at once, and else a guess.

    What a strategy does in a position depends on that position and the key alone.
    """

    @property
    @abc.abstractmethod
    def rules(self) -> Rules:
        """What the player sees before it has to guess."""

    @abc.abstractmethod
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Moves in a batch of positions, batch last, in which no rule finds a safe cell.

        Each opens at least one hidden cell. Called from the host with batches of few sizes.
        """

    def advise(self, position: Position, key: Key[Array, ""]) -> Advice:
        """As `guess` in one position, and what was weighed for it, if anything was."""
        batch = jax.tree.map(lambda leaf: leaf[..., None], position)
        moves = self.guess(batch, key[None])
        return Advice(jax.tree.map(lambda leaf: leaf[..., 0], moves))

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]] | None:
        """As `guess`, to be traced: moves, and whether each of them is `READY`.

        None of a player that can guess on the host alone.
        """
        return None


class Readiness(enum.IntEnum):
    """What became of a guess on the device."""

    READY = 0
    RETRY = 1
    """There was no room for it among the others: ask again."""
    NEEDS_HOST = 2
    """It is beyond what the device can do: `guess` can."""
