"""How hard a puzzle is for a person, from the steps that solve it.

What makes a step hard is what must be held in mind at once: the hidden cells around its numbers,
and how many facts about them are combined. A step that looks at one number costs nothing. Any other
costs, for each fact beyond the first, as much as there are cells: facts are its numbers and, if it
uses it, the number of mines left. The sum over all steps is the *effort* of a puzzle. People feel
ratios rather than differences, so that its *difficulty* is 10 · log₂(1 + effort): 10 points more
are twice the effort, and 0 is a board that single numbers solve.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import log2
from typing import Any

from jaxsweep.puzzles.certificate import Step, Tier


@dataclass(frozen=True)
class Difficulty:
    """The difficulty of a puzzle, and what it is made of."""

    score: float
    """10 · log₂(1 + effort), to one decimal."""
    effort: int
    """Cells times facts beyond the first, over all steps."""
    single_steps: int
    """Steps with one number."""
    pair_steps: int
    """Steps with two numbers."""
    larger_steps: int
    """Steps with three or more numbers, and without the mine count."""
    mine_count_steps: int
    """Steps that need the number of mines left."""
    most_numbers: int
    """The most numbers of a step."""
    most_cells: int
    """The most hidden cells that must be held in mind at once, in steps of more than one fact."""

    def to_json(self) -> dict[str, Any]:
        """Returns the parts without the score."""
        parts = asdict(self)
        del parts["score"]
        return parts


def score_of(effort: int) -> float:
    """Returns the difficulty of an effort, to one decimal."""
    return round(10 * log2(1 + effort), 1)


def is_possible(low: int | float, high: int | float, cells: int) -> bool:
    """Returns whether whole efforts have a difficulty from `low` to `high`, on so many cells.

    A step holds in mind at most all cells, and has at most as many facts beyond the first; and each
    step decides a cell.
    """
    if low > score_of(cells**3):
        return False
    # The score of the least effort may be rounded up to the limit.
    least = max(int(2 ** (low / 10)) - 2, 0)
    return any(low <= score_of(effort) <= high for effort in range(least, least + 4))


def difficulty_of(steps: Iterable[Step]) -> Difficulty:
    """Returns the difficulty of the steps that solve a board."""
    steps = tuple(steps)
    hard = [step for step in steps if len(step.numbers) + step.mine_count > 1]
    tiers = [step.tier for step in steps]
    effort = sum(step.cells * (len(step.numbers) + step.mine_count - 1) for step in hard)
    return Difficulty(
        score=score_of(effort),
        effort=effort,
        single_steps=tiers.count(Tier.SINGLE),
        pair_steps=tiers.count(Tier.PAIR),
        larger_steps=sum(step.tier is Tier.EXACT and not step.mine_count for step in steps),
        mine_count_steps=sum(step.mine_count for step in steps),
        most_numbers=max((len(step.numbers) for step in steps), default=0),
        most_cells=max((step.cells for step in hard), default=0),
    )


QUANTILES = (0.0, 30.0, 37.0, 40.0, 42.5, 43.9, 45.8, 47.0, 48.6, 49.5, 50.9)
QUANTILES += (52.1, 53.2, 54.3, 55.5, 56.7, 58.3, 60.0, 61.9, 64.8, 88.8)
"""Of the difficulty of expert boards that need no guess, on a zero start at (3, 3): the least one,
that which a twentieth of them do not exceed, and so on (`experiments/results/boards.json`)."""


def share_easier(score: float) -> float:
    """Returns which share of expert boards that need no guess is easier, by their quantiles."""
    parts = len(QUANTILES) - 1
    above = bisect_left(QUANTILES, score)
    if above == 0 or above > parts:
        return float(above > 0)
    low, high = QUANTILES[above - 1], QUANTILES[above]
    return (above - 1 + (score - low) / (high - low)) / parts
