"""Edges joined by the mine count: how much each mine count of an edge weighs in the position.

What the boundary leaves of the mines lies anywhere on the free cells, in (free cells choose mines
left) ways. All weights are tilted by the position's mine density to the power of the mine count,
which changes no probability, and keeps float32 far from its limits.

All arrays are of a batch of positions, last: every operation is one long vector over positions.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt32

BLOCK = 16
"""Terms that are added at once: a sum of some terms becomes vector code, a reduction does not."""


class Joined(eqx.Module):
    """The edges of positions, each seen with all the others of its position."""

    weights: Float[Array, "edges spread batch"]
    """Of each mine count of an edge, the weight of one layout; layouts' weights sum to 1."""
    possible: UInt32[Array, "edges batch"]
    """Bit k: the other edges and the free cells allow this edge `least + k` mines."""
    free_mine: Float[Array, " batch"]
    """The chance of a mine in a free cell."""
    free_can_mine: Bool[Array, " batch"]
    free_can_clear: Bool[Array, " batch"]
    consistent: Bool[Array, " batch"]
    log_scale: Float[Array, " batch"]
    """The logarithm of the number of layouts, above that of `free choose anchor`."""
    anchor: Int[Array, " batch"]
    fits: Bool[Array, " batch"]
    """False where the mine counts of all edges together need more room than `total`."""


def join(
    layouts: Float[Array, "edges spread batch"],
    least: Int[Array, "edges batch"],
    cells: Int[Array, " batch"],
    free: Int[Array, " batch"],
    mines: Int[Array, " batch"],
    total: int,
) -> Joined:
    """Weighs the edges of each position against each other.

    Absent edges have one layout without mines. `cells` and `free` are the numbers of boundary and
    of free cells, `mines` are the mines for both. Sums of mine counts above the least are told
    apart up to `total`, a multiple of `BLOCK`.
    """
    spread = layouts.shape[1]
    density = mines.astype(jnp.float32) + 0.5
    tilt = jnp.log(density / jnp.maximum((cells + free).astype(jnp.float32) + 1.0 - density, 0.5))
    to_lay = mines - jnp.sum(least, axis=0, dtype=jnp.int32)
    k = jnp.arange(spread, dtype=jnp.float32)
    lean = jnp.exp(k[:, None] * tilt[None, :])  # [spread, batch]
    tilted = layouts * lean[None]
    scales = jnp.maximum(jnp.max(tilted, axis=1), jnp.finfo(jnp.float32).tiny)
    tilted = tilted / scales[:, None]
    can = (layouts > 0).astype(jnp.float32)
    # Two channels go the same way: the weights, and whether there is any layout at all.
    steps = jnp.stack([tilted, can], axis=1)  # [edges, channel, spread, batch]

    # Mines left for the free cells.
    on_free = to_lay[None, :] - jnp.arange(total, dtype=jnp.int32)[:, None]
    valid = (on_free >= 0) & (on_free <= free[None, :])
    log_weight, start = _log_choose(on_free, valid, free, tilt)
    peak = jnp.max(jnp.where(valid, log_weight, -jnp.inf), axis=0)
    peak = jnp.where(jnp.any(valid, axis=0), peak, 0.0)
    last = jnp.stack(
        [
            jnp.where(valid, jnp.exp(log_weight - peak[None, :]), 0.0),
            valid.astype(jnp.float32),
        ]
    )  # [channel, total, batch]

    first = jnp.zeros_like(last).at[:, 0].set(1.0)
    nothing = jnp.zeros_like(tilt)
    (end, _), before = jax.lax.scan(
        lambda carry, step: (_rescale(_add(carry[0], step), carry[1]), carry[0]),
        (first, nothing),
        steps,
    )

    def back(carry, edge):
        (rows, log_scale), (step, so_far) = carry, edge
        return _rescale(_take(rows, step), log_scale), _meet(so_far, rows, spread)

    (whole, log_back), seen = jax.lax.scan(back, (last, nothing), (steps, before), reverse=True)
    weights = seen[:, 0] * lean[None]
    weights = weights / jnp.maximum(
        jnp.sum(weights * layouts, axis=1, keepdims=True), jnp.finfo(jnp.float32).tiny
    )
    bits = (jnp.uint32(1) << jnp.arange(spread, dtype=jnp.uint32))[None, :, None]
    possible = jnp.sum(jnp.where(seen[:, 1] > 0, bits, jnp.uint32(0)), axis=1, dtype=jnp.uint32)
    ending = end * last
    mass = jnp.maximum(jnp.sum(ending[0], axis=0), jnp.finfo(jnp.float32).tiny)
    share = on_free.astype(jnp.float32) / jnp.maximum(free, 1).astype(jnp.float32)[None, :]
    reach = jnp.arange(spread, dtype=jnp.int32)[None, :, None]
    top = jnp.max(jnp.where(layouts > 0, reach, 0), axis=1)
    return Joined(
        weights=weights,
        possible=possible,
        free_mine=jnp.sum(ending[0] * jnp.clip(share, 0.0, 1.0), axis=0) / mass,
        free_can_mine=jnp.any((ending[1] > 0) & (on_free >= 1), axis=0),
        free_can_clear=jnp.any((ending[1] > 0) & (on_free <= free[None, :] - 1), axis=0),
        consistent=whole[1, 0] > 0,
        log_scale=jnp.log(jnp.maximum(whole[0, 0], jnp.finfo(jnp.float32).tiny))
        + log_back
        + peak
        - start.astype(jnp.float32) * tilt
        + jnp.sum(jnp.log(scales), axis=0),
        anchor=to_lay - start,
        fits=jnp.sum(top, axis=0, dtype=jnp.int32) < total,
    )


def _log_choose(
    on_free: Int[Array, "total batch"],
    valid: Bool[Array, "total batch"],
    free: Int[Array, " batch"],
    tilt: Float[Array, " batch"],
) -> tuple[Float[Array, "total batch"], Int[Array, " batch"]]:
    """Logarithms of (free choose on_free) above that of the first valid one, and where that is.

    A sum of the logarithms of ratios of neighbours: with the tilt taken off, these are small.
    """
    gone = on_free[:-1].astype(jnp.float32) / (free[None, :] - on_free[:-1] + 1).astype(jnp.float32)
    both = valid[:-1] & valid[1:]
    growth = jnp.where(both, jnp.log(jnp.where(both, gone, 1.0)) - tilt[None, :], 0.0)
    total = on_free.shape[0]
    index = jnp.arange(total, dtype=jnp.int32)[:, None]
    start = jnp.min(jnp.where(valid, index, total - 1), axis=0)
    grown = jnp.concatenate([jnp.zeros_like(growth[:1]), growth])
    _, log_weight = jax.lax.scan(
        lambda so_far, row: (so_far + row, so_far + row), jnp.zeros_like(tilt), grown
    )
    return log_weight, start


def _add(
    sums: Float[Array, "channel total batch"], step: Float[Array, "channel spread batch"]
) -> Float[Array, "channel total batch"]:
    """The distribution of a sum, with one more edge in it."""
    spread = step.shape[1]
    padded = jnp.pad(sums, ((0, 0), (spread - 1, 0), (0, 0)))
    total = sums.shape[1]
    starts = range(spread - 1, -1, -1)
    parts = [padded[:, s : s + total] * step[:, k, None] for k, s in enumerate(starts)]
    return jax.tree.reduce(jnp.add, parts)


def _take(
    after: Float[Array, "channel total batch"], step: Float[Array, "channel spread batch"]
) -> Float[Array, "channel total batch"]:
    """What a sum weighs before an edge, given what it weighs after it."""
    parts = [_shift_left(after, k) * step[:, k, None] for k in range(step.shape[1])]
    return jax.tree.reduce(jnp.add, parts)


def _meet(
    before: Float[Array, "channel total batch"],
    after: Float[Array, "channel total batch"],
    spread: int,
) -> Float[Array, "channel spread batch"]:
    """What an edge's mine counts weigh, between the sums before and after it."""
    padded = jnp.pad(after, ((0, 0), (0, spread), (0, 0)))

    def block(i, seen):
        these = jax.lax.dynamic_slice_in_dim(before, i * BLOCK, BLOCK, 1)
        others = jax.lax.dynamic_slice_in_dim(padded, i * BLOCK, BLOCK + spread, 1)
        parts = [these[:, t, None] * others[:, t : t + spread] for t in range(BLOCK)]
        return jax.tree.reduce(jnp.add, [seen, *parts])

    nothing = jnp.zeros_like(padded[:, :spread])
    return jax.lax.fori_loop(0, before.shape[1] // BLOCK, block, nothing)


def _shift_left(
    rows: Float[Array, "*rows total batch"], k: int
) -> Float[Array, "*rows total batch"]:
    widths = [(0, 0)] * (rows.ndim - 2) + [(0, k), (0, 0)]
    return jnp.pad(rows, widths)[..., k:, :]


def _rescale(
    rows: Float[Array, "channel total batch"], log_scale: Float[Array, " batch"]
) -> tuple[Float[Array, "channel total batch"], Float[Array, " batch"]]:
    """Weights to at most 1, and possibilities to 0 or 1; the logarithm of the former's factor."""
    peak = jnp.max(rows[0], axis=0)
    peak = jnp.where(peak > 0, peak, 1.0)
    scaled = jnp.stack([rows[0] / peak[None, :], (rows[1] > 0).astype(jnp.float32)])
    return scaled, log_scale + jnp.log(peak)
