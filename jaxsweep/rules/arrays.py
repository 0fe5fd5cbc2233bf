"""Operations on flat arrays: prefix sums of flags, stream compaction, and the largest values."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from jaxsweep.rules.bitboard import WORD, pack


def prefix_counts_by_row(grid: Bool[Array, "rows cols"]) -> Int[Array, "rows cols"]:
    """Returns the inclusive prefix sums of each row.

    Uses population counts of packed rows: on a CPU far faster than a cumulative sum.
    """
    packed = jnp.asarray(pack(grid))[:, None, :]
    up_to = jnp.asarray(pack(np.tri(grid.shape[1], dtype=bool)))[None, :, :]
    counts = jax.lax.population_count(packed & up_to)
    return jnp.sum(counts, axis=2, dtype=jnp.uint32).astype(jnp.int32)


def prefix_counts(flags: Bool[Array, " many"]) -> Int[Array, " many"]:
    """Returns the inclusive prefix sums of a long list of flags.

    As `prefix_counts_by_row` within each word; only the words' totals need a cumulative sum.
    """
    words = jnp.asarray(pack(flags[None, :]))[0]
    up_to = np.asarray((2 ** (np.arange(WORD, dtype=np.uint64) + 1) - 1).astype(np.uint32))
    within = jax.lax.population_count(words[:, None] & up_to[None, :]).astype(jnp.int32)
    before = jnp.cumsum(within[:, -1], dtype=jnp.int32) - within[:, -1]
    return (before[:, None] + within).reshape(-1)[: flags.shape[0]]


def compact(
    flags: Bool[Array, " many"], size: int
) -> tuple[Int[Array, " size"], Bool[Array, " size"]]:
    """Stream compaction: the indices of the first `size` set flags, in order.

    The second array tells which entries are valid; where fewer flags are set, the others are 0.
    """
    rank = jnp.where(flags, prefix_counts(flags) - 1, size)
    every = jnp.arange(flags.shape[0], dtype=jnp.int32)
    index = jnp.full((size,), flags.shape[0], jnp.int32).at[rank].set(every, mode="drop")
    valid = index < flags.shape[0]
    return jnp.where(valid, index, 0), valid


def largest(
    values: Float[Array, "many batch"], count: int
) -> tuple[Int[Array, "count batch"], Float[Array, "count batch"]]:
    """Returns the indices and values of the `count` largest values; of equal ones the first.

    Assumes that values to be found are at least 0. If there are fewer than `count`, the rest of
    the returned values are below 0.
    """
    index = jnp.arange(values.shape[0], dtype=jnp.int32)[:, None]

    def take(left, _):
        first = jnp.argmax(left, axis=0).astype(jnp.int32)
        return jnp.where(index == first[None], -1.0, left), (first, jnp.max(left, axis=0))

    return jax.lax.scan(take, values, None, length=count)[1]
