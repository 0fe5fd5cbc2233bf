"""Beliefs on devices: as a pytree, and moved from the host, where they are plain arrays."""

from dataclasses import fields, replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.rules.bitboard import WORD, unpack
from jaxsweep.rules.position import Position

_NAMES = tuple(item.name for item in fields(Beliefs))


def _unflatten(_: None, leaves) -> Beliefs:
    # Not by the constructor: JAX also builds trees of things that are no arrays.
    beliefs = object.__new__(Beliefs)
    for name, leaf in zip(_NAMES, leaves, strict=True):
        object.__setattr__(beliefs, name, leaf)
    return beliefs


jax.tree_util.register_pytree_with_keys(
    Beliefs,
    lambda beliefs: (
        [(jax.tree_util.GetAttrKey(name), getattr(beliefs, name)) for name in _NAMES],
        None,
    ),
    _unflatten,
)


def unknown(positions: Position) -> Beliefs:
    """Returns beliefs about a batch on the device before inference: flags are known mines."""
    _, words, batch = positions.hidden.shape
    mines = jnp.asarray(unpack(positions.flags, words * WORD))
    return Beliefs(
        mine_probability=jnp.zeros(mines.shape, jnp.float32),
        error=jnp.zeros(mines.shape, jnp.float32),
        safe=jnp.zeros(mines.shape, bool),
        mines=mines,
        log_layouts=jnp.zeros((batch,), jnp.float32),
        status=jnp.full((batch,), Status.BATCH_FULL, jnp.int32),
    )


def to_device(beliefs: Beliefs) -> Beliefs:
    """Moves a batch on the host to the device: the batch becomes the last axis."""

    def move(leaf: Array | np.ndarray) -> Array:
        return jnp.asarray(np.moveaxis(np.asarray(leaf), 0, -1))

    rounded = replace(beliefs, log_layouts=np.float32(beliefs.log_layouts))
    return jax.tree.map(move, rounded)


def in_container(beliefs: Beliefs, positions: Position) -> Beliefs:
    """Pads a batch of beliefs on the host to the size of the container of its positions."""
    rows, words, _ = positions.hidden.shape

    def pad(leaf: np.ndarray) -> np.ndarray:
        if leaf.ndim < 3:
            return leaf
        more = (rows - leaf.shape[1], words * WORD - leaf.shape[2])
        return np.pad(leaf, ((0, 0), (0, more[0]), (0, more[1])))

    return jax.tree.map(pad, jax.tree.map(np.asarray, beliefs))
