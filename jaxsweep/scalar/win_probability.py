"""A win-probability model: logistic regression on the look-ahead's score and a few features.

The score looks one or two numbers ahead; the model adds how much of the game is still to come. The
weights were fitted to games of `strongest` by `experiments/win_probability.py`.
"""

from math import exp, log, sqrt

from jaxsweep.scalar.exact import Solution
from jaxsweep.scalar.view import View

WEIGHTS = {
    "bias": 0.76612,
    "log_odds_of_score": 1.37656,
    "square_of_log_odds": -0.08224,
    "log_layouts": -0.00763,
    "root_of_log_layouts": -0.1165,
    "mines": -0.02036,
    "cells": 0.00938,
    "density": -3.93234,
    "square_of_density": 0.17472,
    "log_odds_by_density": -1.83057,
    "log_odds_by_root": -0.0208,
}
"""One weight a feature; `experiments/results/win-probability.json` has the calibration."""


def win_probability(score: float, view: View, solution: Solution) -> float:
    """Estimates the win probability of a move with this score."""
    mines = view.mines - solution.mines.bit_count()
    return estimate(score, log(solution.layouts), mines, solution.uncertain.bit_count())


def estimate(score: float, log_layouts: float, mines: int, uncertain: int) -> float:
    """As `win_probability`; the arguments are those of `features`."""
    known = features(score, log_layouts, mines, uncertain)
    total = sum(w * x for w, x in zip(WEIGHTS.values(), known, strict=True))
    return 1.0 / (1.0 + exp(-total))


def features(score: float, log_layouts: float, mines: int, uncertain: int) -> tuple[float, ...]:
    """Returns the features of a move with this score, in the order of `WEIGHTS`.

    They are about mines that are not certain, and cells that are not.
    """
    odds = log(max(score, 1e-6) / max(1.0 - score, 1e-3))
    density, root = mines / max(uncertain, 1), sqrt(log_layouts)
    return (
        1.0,
        odds,
        odds**2,
        log_layouts,
        root,
        float(mines),
        float(uncertain),
        density,
        density**2,
        odds * density,
        odds * root,
    )
