"""Games graded move by move: what each choice risked and lost, and what luck gave or took.

`accounting` grades a replay, `report` says it in words, as tables and as plain data, and `summary`
sums up the games of a player. `docs/grading.md` has the formulas.
"""

from jaxsweep.single.grading.accounting import Grade, GradedMove, Kind, grade

__all__ = ["Grade", "GradedMove", "Kind", "grade"]
