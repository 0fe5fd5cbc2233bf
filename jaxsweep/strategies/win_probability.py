"""The features of the win-probability model in `scalar.win_probability`, for batches on devices."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxsweep.beliefs import Beliefs
from jaxsweep.rules import bitboard
from jaxsweep.rules.position import Position


def features(
    score: Float[Array, "candidates batch"], positions: Position, beliefs: Beliefs
) -> Float[Array, "features candidates batch"]:
    """Returns the features of moves with these scores, in the order of its `WEIGHTS`."""
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
