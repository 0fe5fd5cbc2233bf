"""A win-probability model: logistic regression on the look-ahead's score and a few features.

The score looks one number ahead; the model adds how much of the game is still to come. The weights
were fitted to games of the look-ahead player by `experiments/win_probability.py`.
"""

from math import exp, log

from jaxsweep.scalar.exact import Solution
from jaxsweep.scalar.view import View

WEIGHTS = {
    "bias": 0.75859,
    "log_odds_of_score": 0.52665,
    "log_layouts": -0.00433,
    "mines": -0.04818,
    "cells": 0.00982,
    "density": -4.73327,
}
"""One weight a feature; `experiments/results/win-probability.json` has the calibration."""


def win_probability(score: float, view: View, solution: Solution) -> float:
    """Estimates the win probability of a move with this score."""
    mines = view.mines - solution.mines.bit_count()
    uncertain = solution.uncertain.bit_count()
    features = (
        1.0,
        log(max(score, 1e-6) / max(1.0 - score, 1e-3)),
        log(solution.layouts),
        mines,
        uncertain,
        mines / max(uncertain, 1),
    )
    total = sum(w * x for w, x in zip(WEIGHTS.values(), features, strict=True))
    return 1.0 / (1.0 + exp(-total))
