"""A win-probability model: what the look-ahead's score is worth, and what is still to come.

The score looks one or two numbers ahead. The chance to win after a move is modelled by

    −log p = later + factor · (−log score)^exponent,

where a small neural network computes `later` and `factor`, both positive, from features of the
position. So it is between 0 and 1, rises with the score, and orders candidates as the score does,
whatever the weights are. These are in `win_probability.json`, fitted to games of `strongest` by
`experiments/win_probability.py`.
"""

import json
from functools import lru_cache
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from jaxsweep.scalar.exact import Solution
from jaxsweep.scalar.view import View
from jaxsweep.scalar.win_features import WinFeatures, win_features

WEIGHTS = Path(__file__).with_suffix(".json")
"""The weights; `experiments/results/win-probability.json` has the calibration."""

SMALLEST = 1e-12
"""Scores below this count as this, and no win probability is nearer to 1."""

MOST = 100.0
"""The largest −log of a win probability."""

INPUTS = (
    "log_log_layouts",
    "log_uncertain",
    "density",
    "share_unconstrained",
    "log_opened",
    "adjacent_a_cell",
    "log_components",
    "root_of_component_risk",
)
"""What the network reads, made from `WinFeatures` by `inputs_of`."""


class WinCurve(NamedTuple):
    """The win probability of a move in one position, as a function of its score."""

    later: float
    """−log of the win probability of a move whose score is 1."""
    factor: float
    exponent: float

    def win_probability(self, score: float) -> float:
        """Estimates the win probability of a move with this score."""
        risk = -log(min(max(score, SMALLEST), 1.0))
        total = self.later + self.factor * risk**self.exponent
        return exp(-min(max(total, SMALLEST), MOST))


class WinModel(NamedTuple):
    """A multilayer perceptron with the activation function tanh, and the exponent."""

    low: Float[np.ndarray, " inputs"]
    high: Float[np.ndarray, " inputs"]
    """The range of the fitted games: what is beyond counts as its end."""
    center: Float[np.ndarray, " inputs"]
    scale: Float[np.ndarray, " inputs"]
    """What inputs are divided by, after `center` is subtracted."""
    layers: tuple[tuple[Float[np.ndarray, "outputs inputs"], Float[np.ndarray, " outputs"]], ...]
    """Weights and biases."""
    exponent: float

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "WinModel":
        """Reads the model from its JSON form."""
        names = ("low", "high", "center", "scale")
        ranges = (np.array([stored["inputs"][key][name] for key in INPUTS]) for name in names)
        layers = tuple(
            (np.array(layer["weights"]), np.array(layer["bias"])) for layer in stored["layers"]
        )
        return cls(*ranges, layers=layers, exponent=stored["exponent"])

    def log_coefficients(
        self, features: Float[np.ndarray, "*positions features"]
    ) -> Float[np.ndarray, "*positions two"]:
        """Returns the logarithms of `later` and `factor` of positions, from their `WinFeatures`."""
        inputs = np.clip(inputs_of(features), self.low, self.high)
        values = (inputs - self.center) / self.scale
        for weights, bias in self.layers[:-1]:
            values = np.tanh(values @ weights.T + bias)
        weights, bias = self.layers[-1]
        return values @ weights.T + bias


def inputs_of(
    features: Float[np.ndarray, "*positions features"],
) -> Float[np.ndarray, "*positions inputs"]:
    """Returns what the network reads, from the `WinFeatures` of positions."""
    found = WinFeatures(*np.moveaxis(features, -1, 0))
    inputs = (
        np.log(found.log_layouts),
        np.log1p(found.uncertain),
        found.mines / found.uncertain,
        found.unconstrained / found.uncertain,
        np.log1p(found.opened),
        found.adjacent / found.uncertain,
        np.log1p(found.components),
        np.sqrt(found.component_risk),
    )
    return np.stack(inputs, -1)


@lru_cache(maxsize=1)
def fitted_model() -> WinModel:
    """Returns the model with the fitted weights."""
    return WinModel.of(json.loads(WEIGHTS.read_text("utf-8")))


def curve_of(features: WinFeatures) -> WinCurve:
    """Returns the win curve of a position with these features."""
    model = fitted_model()
    later, factor = np.exp(model.log_coefficients(np.array(features, float))).tolist()
    return WinCurve(later, factor, model.exponent)


def win_curve(view: View, solution: Solution) -> WinCurve:
    """Returns the win curve of a position in which no cell is certainly safe."""
    return curve_of(win_features(view, solution))
