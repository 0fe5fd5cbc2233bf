"""Random words, and uniform random integers from them."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key, UInt32

from jaxsweep.rules.threefry import PARITY, ROTATIONS


def random_words(keys: Key[Array, " batch"]) -> UInt32[Array, " batch"]:
    """Draws a random 32-bit word for each key."""
    return jax.vmap(lambda key: jax.random.bits(key, (), jnp.uint32))(keys)


def words_of_cells(key: Key[Array, "*batch"], cells: int) -> UInt32[Array, " cells *batch"]:
    """Draws a word for each cell: for each key the same as `jax.random.bits(key, (cells,))`.

    Assumes Threefry keys. JAX's own function puts the batch first, and on a CPU runs its rounds as
    a loop of passes over memory; this is one pass, with the batch last.
    """
    key_words = jax.random.key_data(key)
    first, second = key_words[..., 0], key_words[..., 1]
    schedule = (first, second, first ^ second ^ jnp.uint32(PARITY))
    counter = jnp.arange(cells, dtype=jnp.uint32).reshape(cells, *(1,) * key.ndim)
    x = jnp.broadcast_to(first[None], (cells, *key.shape))
    y = second[None] + counter
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x = x + y
            y = (y << jnp.uint32(rotation) | y >> jnp.uint32(32 - rotation)) ^ x
        x = x + schedule[(group + 1) % 3][None]
        y = y + schedule[(group + 2) % 3][None] + jnp.uint32(group + 1)
    return x ^ y


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
