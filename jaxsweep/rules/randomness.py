"""Whole numbers by lot, from random words."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key, UInt32


def random_words(keys: Key[Array, " batch"]) -> UInt32[Array, " batch"]:
    """A random word for each key."""
    return jax.vmap(lambda key: jax.random.bits(key, (), jnp.uint32))(keys)


def uniform_integer(
    draw: UInt32[Array, "*draws"], n: UInt32[Array, "*draws"]
) -> UInt32[Array, "*draws"]:
    """A number from 0 to n − 1, all but equally likely: the high word of draw · n.

    By halves of words, as on paper: `jax.lax.mulhi` does not survive `jax.shard_map`.
    """
    low, half = jnp.uint32(0xFFFF), jnp.uint32(16)
    a1, a0, b1, b0 = draw >> half, draw & low, n >> half, n & low
    middle = a1 * b0 + ((a0 * b0) >> half)
    carry = (middle & low) + a0 * b1
    return a1 * b1 + (middle >> half) + (carry >> half)
