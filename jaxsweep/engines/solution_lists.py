"""Lists of solutions in places of a fixed number: what engines share that list instead of merge."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.rules import bitboard


def compact(
    chosen: Bool[Array, " many"], places: int
) -> tuple[Int[Array, " places"], Int[Array, ""]]:
    """The indices of the chosen ones, in order, and how many there are: maybe more than places."""
    rank = bitboard.running_count(chosen)
    place = jnp.where(chosen, rank - 1, places)
    index = jnp.arange(chosen.shape[0], dtype=jnp.int32)
    source = jnp.zeros((places,), jnp.int32).at[place].set(index, mode="drop")
    return source, rank[-1]


def tabulate(
    mines: Int[Array, " places"],
    ways: Float[Array, " places"],
    live: Bool[Array, " places"],
    spread: int,
) -> tuple[Int[Array, " places"], Int[Array, ""], Float[Array, " spread"], Bool[Array, ""]]:
    """Solutions by their number of mines.

    Returns the mines of each above the least of any, that least, the ways for each number of mines
    from it on, and whether the spread was wide enough.
    """
    least = jnp.min(jnp.where(live, mines, jnp.int32(2**30)))
    least = jnp.where(jnp.any(live), least, 0)
    above = jnp.where(live, mines - least, 0)
    by_mines = (above[:, None] == jnp.arange(spread, dtype=jnp.int32)[None, :]) & live[:, None]
    layouts = weighted_sum(jnp.where(live, ways, 0.0), by_mines.astype(jnp.float32))
    return above, least, layouts, jnp.max(above) < spread


def weigh(
    above: Int[Array, " places"],
    live: Bool[Array, " places"],
    weights: Float[Array, " spread"],
    possible: UInt32[Array, ""],
) -> tuple[Float[Array, " places"], Bool[Array, " places"]]:
    """What one layout of each solution weighs in the position, and which can be at all."""
    weight = weights[jnp.clip(above, 0, weights.shape[0] - 1)]
    allowed = ((possible >> above.astype(jnp.uint32)) & jnp.uint32(1)) != 0
    return jnp.where(live, weight, 0.0), live & allowed


def weighted_sum(
    weight: Float[Array, " places"], values: Float[Array, "places cells"]
) -> Float[Array, " cells"]:
    """The sum over all solutions, in two steps: one long sum in float32 would round too much."""
    step = min(128, weight.shape[0])
    parts = jnp.matmul(
        weight.reshape(-1, 1, step),
        values.reshape(-1, step, values.shape[1]),
        precision=jax.lax.Precision.HIGHEST,
    )
    return jnp.sum(parts, axis=(0, 1))
