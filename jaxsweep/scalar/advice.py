"""What a player advises in one position, and what that rests on."""

from dataclasses import dataclass
from functools import cached_property

from jaxsweep.beliefs import Beliefs
from jaxsweep.rules.board import Cell
from jaxsweep.rules.reasons import Reason
from jaxsweep.scalar.endgame import EndgameSearch
from jaxsweep.scalar.exact import Solution

UNKNOWN_RISK = -1.0
"""In arrays, the risk of a guess by a strategy that has no probabilities."""


@dataclass(frozen=True)
class Candidate:
    """A cell that a strategy evaluated before it guessed."""

    cell: Cell
    risk: float
    progress: float | None
    """If it is safe, the probability that another cell is certainly safe afterwards; None where
    that was not evaluated."""
    win: float
    """The win probability after opening it: exact in an end-game search, else estimated."""


@dataclass(frozen=True, eq=False)
class Advice:
    """A move in one position, and everything the player found out to choose it."""

    cells: tuple[Cell, ...]
    """The cells to open, all for one reason."""
    mines: tuple[Cell, ...]
    """Cells that the player knows to be mines."""
    reason: Reason
    risk: float | None
    """The mine probability of a guessed cell, 0 for certain cells, None where it is unknown."""
    solution: Solution | None = None
    """What the scalar path counted, if it did."""
    engine_beliefs: Beliefs | None = None
    """What another engine inferred, on the host."""
    layouts: int | None = None
    """The number of consistent layouts, where it was counted."""
    evaluated: tuple[Candidate, ...] = ()
    """The cells that a look-ahead evaluated, the chosen one first."""
    search: EndgameSearch | None = None
    """The end-game search that chose the move, if one did."""
    ties: int = 1
    """How many cells had the lowest risk, before ties were broken."""

    @property
    def beliefs(self) -> Beliefs | None:
        """About the position; None if neither the player nor its caller inferred any."""
        return self.engine_beliefs if self.solution is None else self.solution.beliefs

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The cells that were evaluated, the chosen one first.

        Those of an end-game search, with their exact win probabilities, are worked out when they
        are asked for: to choose a cell, bounds on the others suffice.
        """
        if self.search is None or self.beliefs is None:
            return self.evaluated
        risk, best = self.beliefs.mine_probability, self.cells[0]
        candidates = [
            Candidate(cell, float(risk[cell]), None, win)
            for cell, win in self.search.win_probabilities().items()
        ]
        return tuple(
            sorted(
                candidates, key=lambda each: (each.cell != best, -each.win, each.risk, each.cell)
            )
        )

    @property
    def win(self) -> float | None:
        """The win probability of the move: exact in an ending, estimated after a look-ahead."""
        if self.search is not None:
            return float(self.search.win_probability)
        if self.layouts == 2 and self.risk:
            return 1.0 - self.risk  # Whether or not it is a mine, it tells the two apart.
        return self.evaluated[0].win if self.evaluated else None

    @property
    def explanation(self) -> str:
        """Why this move, in words, with its win probability where candidates were evaluated."""
        if self.search is not None:
            return f"guess: the best by search, wins {self.search.win_probability:.1%}"
        if self.evaluated:
            win = self.evaluated[0].win
            return f"guess: best of {len(self.evaluated)} cells, wins about {win:.0%}"
        return self.reason.text
