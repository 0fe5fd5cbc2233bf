"""What boards are asked for."""

from dataclasses import dataclass
from math import ceil, floor, inf, isfinite

from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.difficulty import is_possible
from jaxsweep.rules.level import Opening
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.view import MAX_CELLS

Limits = tuple[int | float, int | float]
"""The least and the largest of something."""

NO_LIMIT: Limits = (0.0, inf)


class WishError(UserError):
    """Wishes that no board can satisfy, or that would take too long; says why."""


@dataclass(frozen=True)
class Wishes:
    """What a board must be like; raises `WishError` where none can be."""

    opening: Opening
    no_guess: bool = True
    """Whether it must be solvable without a guess. The other wishes but 3BV need that."""
    max_rule: Tier = Tier.EXACT
    """The hardest rule that it may need."""
    difficulty: Limits = NO_LIMIT
    bbbv: Limits = NO_LIMIT

    def __post_init__(self):
        level = self.opening.level
        if level.cells > MAX_CELLS:
            raise WishError(
                f"a {level.rows}×{level.cols} board has {level.cells} cells; boards to order have "
                f"at most {MAX_CELLS}"
            )
        for name, (low, high) in (("difficulty", self.difficulty), ("3BV", self.bbbv)):
            if not 0 <= low <= high or not isfinite(low):
                raise WishError(f"no {name} is from {low:g} to {high:g}")
        if not self.no_guess and (self.max_rule < Tier.EXACT or self.difficulty != NO_LIMIT):
            raise WishError(
                "a hardest rule and a difficulty are those of boards that need no guess: say so"
            )
        if self.max_rule is Tier.SINGLE and self.difficulty[0] > 0:
            raise WishError("boards that single numbers solve have difficulty 0")
        if not is_possible(*self.difficulty, level.cells):
            low, high = self.difficulty
            raise WishError(f"no board of {level} has a difficulty from {low:g} to {high:g}")
        low, high = self.bbbv
        if isfinite(high) and ceil(low) > floor(high):
            raise WishError(f"a 3BV is a whole number: none is from {low:g} to {high:g}")
        safe = level.cells - level.mines
        if self.bbbv[0] > safe:
            raise WishError(
                f"a 3BV of {self.bbbv[0]:g} is out of reach: {level} has {safe} safe cells"
            )

    @property
    def text(self) -> str:
        """The wishes in words of the command line: equal if and only if they are equal."""
        opening, level = self.opening, self.opening.level
        row, col = opening.first
        words = [f"{level.rows}x{level.cols}/{level.mines}", f"{opening.start.value}@{row},{col}"]
        if self.no_guess:
            words.append("no-guess" if self.max_rule is Tier.EXACT else self.max_rule.word)
        for name, limits in (("difficulty", self.difficulty), ("bbbv", self.bbbv)):
            if limits != NO_LIMIT:
                words.append(f"{name}={limits[0]:g}..{limits[1]:g}")
        return " ".join(words)
