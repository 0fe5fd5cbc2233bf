"""A win-probability model: logistic regression on the look-ahead's score and a few features.

The score looks one number ahead; the model adds how much of the game is still to come. The weights
were fitted to games of the look-ahead player by `experiments/win_probability.py`.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxsweep.engines.beliefs import Beliefs
from jaxsweep.rules import bitboard
from jaxsweep.rules.position import Position

WEIGHTS = {
    "bias": 0.75859,
    "log_odds_of_score": 0.52665,
    "log_layouts": -0.00433,
    "mines": -0.04818,
    "cells": 0.00982,
    "density": -4.73327,
}
"""One weight a feature; `experiments/results/win-probability.json` has the calibration."""


def features(
    score: Float[Array, "candidates batch"], positions: Position, beliefs: Beliefs
) -> Float[Array, "features candidates batch"]:
    """Returns the features of moves with these scores, in the order of `WEIGHTS`."""
    mines_found = jnp.sum(beliefs.mines, axis=(0, 1), dtype=jnp.int32)
    mines = (positions.mines - mines_found).astype(jnp.float32)
    certain = jnp.asarray(bitboard.pack(beliefs.mines | beliefs.safe))
    uncertain = bitboard.count(positions.hidden & ~certain).astype(jnp.float32)
    odds = jnp.maximum(score, 1e-6) / jnp.maximum(1.0 - score, 1e-3)
    of_position = (
        jnp.ones_like(mines),
        beliefs.log_layouts,
        mines,
        uncertain,
        mines / jnp.maximum(uncertain, 1.0),
    )
    bias, *rest = (jnp.broadcast_to(feature[None], score.shape) for feature in of_position)
    return jnp.stack([bias, jnp.log(odds), *rest])


def win_probability(
    score: Float[Array, "candidates batch"], positions: Position, beliefs: Beliefs
) -> Float[Array, "candidates batch"]:
    """Estimates the win probability of moves with these scores."""
    weights = jnp.array(list(WEIGHTS.values()), jnp.float32)
    return jax.nn.sigmoid(
        jnp.sum(weights[:, None, None] * features(score, positions, beliefs), axis=0)
    )
