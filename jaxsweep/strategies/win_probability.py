"""About how likely a game is won from a position: a player's score, made a chance.

The score looks one number ahead; how much more there is to come, it does not know. The weights were
fitted to games of the player that looks ahead, by `experiments/win_probability.py`.
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
"""Of the signs of a chance to win; `results/win-probability.json` says how far it is calibrated."""


def signs(
    score: Float[Array, "most batch"], positions: Position, beliefs: Beliefs
) -> Float[Array, "signs most batch"]:
    """What the chance to win with moves of these scores is told by, in the order of `WEIGHTS`."""
    mines_found = jnp.sum(beliefs.mines, axis=(0, 1), dtype=jnp.int32)
    mines = (positions.mines - mines_found).astype(jnp.float32)
    certain = jnp.asarray(bitboard.pack(beliefs.mines | beliefs.safe))
    doubt = bitboard.count(positions.hidden & ~certain).astype(jnp.float32)
    odds = jnp.maximum(score, 1e-6) / jnp.maximum(1.0 - score, 1e-3)
    of_position = (
        jnp.ones_like(mines),
        beliefs.log_layouts,
        mines,
        doubt,
        mines / jnp.maximum(doubt, 1.0),
    )
    bias, *rest = (jnp.broadcast_to(sign[None], score.shape) for sign in of_position)
    return jnp.stack([bias, jnp.log(odds), *rest])


def win_probability(
    score: Float[Array, "most batch"], positions: Position, beliefs: Beliefs
) -> Float[Array, "most batch"]:
    """About the chance to win with moves of these scores."""
    weights = jnp.array(list(WEIGHTS.values()), jnp.float32)
    return jax.nn.sigmoid(
        jnp.sum(weights[:, None, None] * signs(score, positions, beliefs), axis=0)
    )
