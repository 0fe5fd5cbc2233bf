"""Uniform random integers from random words."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key, UInt32


def random_words(keys: Key[Array, " batch"]) -> UInt32[Array, " batch"]:
    """Draws a random 32-bit word for each key."""
    return jax.vmap(lambda key: jax.random.bits(key, (), jnp.uint32))(keys)


def uniform_integer(
    draw: UInt32[Array, "*draws"], n: UInt32[Array, "*draws"]
) -> UInt32[Array, "*draws"]:
    """Maps random words to integers from 0 to n − 1: the high word of draw · n (Lemire 2019).

    The integers are uniform up to a bias of n / 2³². The product is computed from 16-bit halves,
    because `jax.lax.mulhi` does not work inside `jax.shard_map`.
    """
    low, half = jnp.uint32(0xFFFF), jnp.uint32(16)
    a1, a0, b1, b0 = draw >> half, draw & low, n >> half, n & low
    middle = a1 * b0 + ((a0 * b0) >> half)
    carry = (middle & low) + a0 * b1
    return a1 * b1 + (middle >> half) + (carry >> half)
