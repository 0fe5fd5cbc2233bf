"""Edges joined by the mine count: how much each mine count of an edge weighs in the position.

What the boundary leaves of the mines lies anywhere on the free cells, in (free cells choose mines
left) ways. All weights are tilted by the position's mine density to the power of the mine count,
which changes no probability, and keeps float32 far from its limits.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt32


class Joined(eqx.Module):
    """A position's edges, each seen with all the others."""

    weights: Float[Array, "edges spread"]
    """Of each mine count of an edge, the weight of one layout; layouts' weights sum to 1."""
    possible: UInt32[Array, " edges"]
    """Bit k: the other edges and the free cells allow this edge `least + k` mines."""
    free_mine: Float[Array, ""]
    """The chance of a mine in a free cell."""
    free_can_mine: Bool[Array, ""]
    free_can_clear: Bool[Array, ""]
    consistent: Bool[Array, ""]
    log_scale: Float[Array, ""]
    """The logarithm of the number of layouts, above that of `free choose anchor`."""
    anchor: Int[Array, ""]
    fits: Bool[Array, ""]
    """False where the mine counts of all edges together need more room than `total`."""


def join(
    layouts: Float[Array, "edges spread"],
    least: Int[Array, " edges"],
    cells: Int[Array, ""],
    free: Int[Array, ""],
    mines: Int[Array, ""],
    total: int,
) -> Joined:
    """Weighs the edges of one position against each other.

    Absent edges have one layout without mines. `cells` and `free` are the numbers of boundary and
    of free cells, `mines` are the mines for both. Sums of mine counts above the least are told
    apart up to `total`. Batch first under `vmap`.
    """
    spread = layouts.shape[1]
    density = mines.astype(jnp.float32) + 0.5
    tilt = jnp.log(density / jnp.maximum((cells + free).astype(jnp.float32) + 1.0 - density, 0.5))
    to_lay = mines - jnp.sum(least, dtype=jnp.int32)
    k = jnp.arange(spread, dtype=jnp.float32)
    tilted = layouts * jnp.exp(k * tilt)[None, :]
    scales = jnp.maximum(jnp.max(tilted, axis=1), jnp.finfo(jnp.float32).tiny)
    tilted = tilted / scales[:, None]
    can = (layouts > 0).astype(jnp.float32)
    # Two channels go the same way: the weights, and whether there is any layout at all.
    steps = jnp.stack([tilted, can], axis=1)  # [edges, channel, spread]

    on_free = to_lay - jnp.arange(total, dtype=jnp.int32)  # Mines left for the free cells.
    valid = (on_free >= 0) & (on_free <= free)
    log_weight, start = _log_choose(on_free, valid, free, tilt)
    peak = jnp.max(jnp.where(valid, log_weight, -jnp.inf))
    peak = jnp.where(jnp.any(valid), peak, 0.0)
    last = jnp.stack(
        [
            jnp.where(valid, jnp.exp(log_weight - peak), 0.0),
            valid.astype(jnp.float32),
        ]
    )

    first = jnp.zeros((2, total), jnp.float32).at[:, 0].set(1.0)
    (end, _), before = jax.lax.scan(
        lambda carry, step: (_rescale(_add(carry[0], step), carry[1]), carry[0]),
        (first, jnp.float32(0)),
        steps,
    )
    (whole, log_back), after = jax.lax.scan(
        lambda carry, step: (_rescale(_take(carry[0], step), carry[1]), carry[0]),
        (last, jnp.float32(0)),
        steps,
        reverse=True,
    )
    seen = jnp.stack(
        [jnp.sum(before * _shift_left(after, k), axis=-1) for k in range(spread)], axis=-1
    )  # [edges, channel, spread]
    weights = seen[:, 0] * jnp.exp(k * tilt)[None, :]
    weights = weights / jnp.maximum(
        jnp.sum(weights * layouts, axis=1, keepdims=True), jnp.finfo(jnp.float32).tiny
    )
    bits = jnp.uint32(1) << jnp.arange(spread, dtype=jnp.uint32)
    possible = jnp.sum(
        jnp.where(seen[:, 1] > 0, bits[None, :], jnp.uint32(0)), axis=1, dtype=jnp.uint32
    )
    ending = end * last
    mass = jnp.maximum(jnp.sum(ending[0]), jnp.finfo(jnp.float32).tiny)
    share = on_free.astype(jnp.float32) / jnp.maximum(free, 1).astype(jnp.float32)
    top = jnp.max(jnp.where(layouts > 0, jnp.arange(spread, dtype=jnp.int32)[None, :], 0), axis=1)
    return Joined(
        weights=weights,
        possible=possible,
        free_mine=jnp.sum(ending[0] * jnp.clip(share, 0.0, 1.0)) / mass,
        free_can_mine=jnp.any((ending[1] > 0) & (on_free >= 1)),
        free_can_clear=jnp.any((ending[1] > 0) & (on_free <= free - 1)),
        consistent=whole[1, 0] > 0,
        log_scale=jnp.log(jnp.maximum(whole[0, 0], jnp.finfo(jnp.float32).tiny))
        + log_back
        + peak
        - start.astype(jnp.float32) * tilt
        + jnp.sum(jnp.log(scales)),
        anchor=on_free[start],
        fits=jnp.sum(top, dtype=jnp.int32) < total,
    )


def _log_choose(
    on_free: Int[Array, " total"],
    valid: Bool[Array, " total"],
    free: Int[Array, ""],
    tilt: Float[Array, ""],
) -> tuple[Float[Array, " total"], Int[Array, ""]]:
    """Logarithms of (free choose on_free) above that of the first valid one, and where that is.

    A sum of the logarithms of ratios of neighbours: with the tilt taken off, these are small.
    """
    gone = (on_free[:-1].astype(jnp.float32)) / (free - on_free[:-1] + 1).astype(jnp.float32)
    both = valid[:-1] & valid[1:]
    growth = jnp.where(both, jnp.log(jnp.where(both, gone, 1.0)) - tilt, 0.0)
    total = on_free.shape[0]
    index = jnp.arange(total, dtype=jnp.int32)
    start = jnp.min(jnp.where(valid, index, total - 1))
    log_weight = jnp.concatenate([jnp.zeros((1,), jnp.float32), jnp.cumsum(growth)])
    return log_weight, start


def _add(
    sums: Float[Array, "channel total"], step: Float[Array, "channel spread"]
) -> Float[Array, "channel total"]:
    """The distribution of a sum, with one more edge in it."""
    spread = step.shape[1]
    padded = jnp.pad(sums, ((0, 0), (spread - 1, 0)))
    total = sums.shape[1]
    starts = range(spread - 1, -1, -1)
    parts = [padded[:, s : s + total] * step[:, k, None] for k, s in enumerate(starts)]
    return jax.tree.reduce(jnp.add, parts)


def _take(
    after: Float[Array, "channel total"], step: Float[Array, "channel spread"]
) -> Float[Array, "channel total"]:
    """What a sum weighs before an edge, given what it weighs after it."""
    parts = [_shift_left(after, k) * step[:, k, None] for k in range(step.shape[1])]
    return jax.tree.reduce(jnp.add, parts)


def _shift_left(rows: Float[Array, "*rows total"], k: int) -> Float[Array, "*rows total"]:
    widths = [(0, 0)] * (rows.ndim - 1) + [(0, k)]
    return jnp.pad(rows, widths)[..., k:]


def _rescale(
    rows: Float[Array, "channel total"], log_scale: Float[Array, ""]
) -> tuple[Float[Array, "channel total"], Float[Array, ""]]:
    """Weights to at most 1, and possibilities to 0 or 1; the logarithm of the former's factor."""
    peak = jnp.max(rows[0])
    peak = jnp.where(peak > 0, peak, 1.0)
    scaled = jnp.stack([rows[0] / peak, (rows[1] > 0).astype(jnp.float32)])
    return scaled, log_scale + jnp.log(peak)
