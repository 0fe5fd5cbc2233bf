"""Forward–backward over the components of a position and the mine count.

Given the mine count, the layouts of the components are independent. The sum of their mine counts is
a chain: each component adds its own count, a convolution, and the remaining mines lie anywhere on
the unconstrained cells, in (unconstrained cells choose mines) ways. Sum-product along this chain
gives the weight of each mine count of each component in the whole position. The engines call this
*joining* the components.

All weights are tilted by the mine odds of the position to the power of the mine count. This changes
no probability, and keeps float32 far from its limits. Arrays are of a batch of positions, last:
every operation is one long vector over positions.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines.binomials import log_binomial_decrement, mine_odds

BLOCK = 16
"""Terms that are added at once: XLA makes vector code of a sum of terms, but not of a reduction."""

Message = Float[Array, "channel total batch"]
"""A function of the sum of mine counts. Channel 0 holds weights; channel 1 holds 1 where a sum is
possible, else 0."""

Step = Float[Array, "channel mine_counts batch"]
"""The same two channels, as functions of the mine count of one component."""


class Joined(eqx.Module):
    """The components of each position, weighted by all others of the position."""

    weights: Float[Array, "components mine_counts batch"]
    """The weight of one layout with this mine count, normalised over the component's layouts."""
    possible: UInt32[Array, "components batch"]
    """Bit k: the rest of the position allows the component `min_mines + k` mines."""
    unconstrained_mine: Float[Array, " batch"]
    """The mine probability of an unconstrained cell."""
    unconstrained_can_mine: Bool[Array, " batch"]
    unconstrained_can_clear: Bool[Array, " batch"]
    consistent: Bool[Array, " batch"]
    log_scale: Float[Array, " batch"]
    """The logarithm of the number of layouts, minus that of `unconstrained choose anchor`."""
    anchor: Int[Array, " batch"]
    fits: Bool[Array, " batch"]
    """False where the sums of mine counts exceed the capacity `total`."""


class Chain(NamedTuple):
    """What the sum-product over the components of each position starts from."""

    tilt: Float[Array, " batch"]
    """The logarithm of what each mine is weighted by."""
    tilts: Float[Array, "mine_counts batch"]
    """What mine counts of a component are weighted by, above their minimum."""
    scales: Float[Array, "components batch"]
    """What the tilted layouts of each component are divided by."""
    steps: Float[Array, "components channel mine_counts batch"]
    rest: Int[Array, "total batch"]
    """The mines on unconstrained cells, for each sum of the components' mine counts."""
    last: Message
    """The backward message after the last component: the ways to place the rest."""
    peak: Float[Array, " batch"]
    """The logarithm of the scale of `last`, relative to the first valid sum."""
    start: Int[Array, " batch"]
    """The first valid sum."""


def join(
    layouts: Float[Array, "components mine_counts batch"],
    min_mines: Int[Array, "components batch"],
    boundary: Int[Array, " batch"],
    unconstrained: Int[Array, " batch"],
    mines: Int[Array, " batch"],
    total: int,
) -> Joined:
    """Weights the mine counts of each component by the rest of its position.

    Absent components have one layout without mines. `boundary` and `unconstrained` are numbers of
    cells, `mines` the mines on both. Sums of mine counts, above the sum of `min_mines`, are
    distinguished up to `total`, a multiple of `BLOCK`.
    """
    chain = chain_of(layouts, min_mines, boundary, unconstrained, mines, total)
    mine_counts, tilt, steps, last = layouts.shape[1], chain.tilt, chain.steps, chain.last
    first = jnp.zeros_like(last).at[:, 0].set(1.0)
    zeros = jnp.zeros_like(tilt)
    (end, _), forward = jax.lax.scan(
        lambda carry, step: (_rescale(_convolve(carry[0], step), carry[1]), carry[0]),
        (first, zeros),
        steps,
    )

    def backward_step(carry, component):
        (after, log_scale), (step, before) = carry, component
        return (
            retreat(after, step, log_scale),
            _combine(before, after, mine_counts),
        )

    (whole, log_backward), combined = jax.lax.scan(
        backward_step, (last, zeros), (steps, forward), reverse=True
    )
    weights = combined[:, 0] * chain.tilts[None]
    weights = weights / jnp.maximum(
        jnp.sum(weights * layouts, axis=1, keepdims=True), jnp.finfo(jnp.float32).tiny
    )
    bits = (jnp.uint32(1) << jnp.arange(mine_counts, dtype=jnp.uint32))[None, :, None]
    possible = jnp.sum(jnp.where(combined[:, 1] > 0, bits, jnp.uint32(0)), axis=1, dtype=jnp.uint32)
    by_sum = end * last
    mass = jnp.maximum(jnp.sum(by_sum[0], axis=0), jnp.finfo(jnp.float32).tiny)
    rest = chain.rest
    density = rest.astype(jnp.float32) / jnp.maximum(unconstrained, 1).astype(jnp.float32)[None, :]
    index = jnp.arange(mine_counts, dtype=jnp.int32)[None, :, None]
    top = jnp.max(jnp.where(layouts > 0, index, 0), axis=1)
    return Joined(
        weights=weights,
        possible=possible,
        unconstrained_mine=jnp.sum(by_sum[0] * jnp.clip(density, 0.0, 1.0), axis=0) / mass,
        unconstrained_can_mine=jnp.any((by_sum[1] > 0) & (rest >= 1), axis=0),
        unconstrained_can_clear=jnp.any(
            (by_sum[1] > 0) & (rest <= unconstrained[None, :] - 1), axis=0
        ),
        consistent=whole[1, 0] > 0,
        log_scale=jnp.log(jnp.maximum(whole[0, 0], jnp.finfo(jnp.float32).tiny))
        + log_backward
        + chain.peak
        - chain.start.astype(jnp.float32) * tilt
        + jnp.sum(jnp.log(chain.scales), axis=0),
        anchor=rest[0] - chain.start,
        fits=jnp.sum(top, axis=0, dtype=jnp.int32) < total,
    )


def chain_of(
    layouts: Float[Array, "components mine_counts batch"],
    min_mines: Int[Array, "components batch"],
    boundary: Int[Array, " batch"],
    unconstrained: Int[Array, " batch"],
    mines: Int[Array, " batch"],
    total: int,
) -> Chain:
    """Makes the chain of the components of each position; arguments as of `join`."""
    tilt = jnp.log(mine_odds(mines, boundary + unconstrained))
    above_min = mines - jnp.sum(min_mines, axis=0, dtype=jnp.int32)
    k = jnp.arange(layouts.shape[1], dtype=jnp.float32)
    tilts = jnp.exp(k[:, None] * tilt[None, :])  # [mine_counts, batch]
    tilted = layouts * tilts[None]
    scales = jnp.maximum(jnp.max(tilted, axis=1), jnp.finfo(jnp.float32).tiny)
    tilted = tilted / scales[:, None]
    can = (layouts > 0).astype(jnp.float32)
    steps = jnp.stack([tilted, can], axis=1)  # [components, channel, mine_counts, batch]

    # The mines on unconstrained cells, for each sum of the components' mine counts.
    rest = above_min[None, :] - jnp.arange(total, dtype=jnp.int32)[:, None]
    last, peak, start = _unconstrained_message(rest, unconstrained, tilt)
    return Chain(tilt, tilts, scales, steps, rest, last, peak, start)


def _unconstrained_message(
    rest: Int[Array, "total batch"],
    unconstrained: Int[Array, " batch"],
    tilt: Float[Array, " batch"],
) -> tuple[Message, Float[Array, " batch"], Int[Array, " batch"]]:
    """Computes the last backward message: the ways to place the rest on unconstrained cells.

    Also returns the logarithm of its scale, relative to the first valid sum, and that sum.
    """
    valid = (rest >= 0) & (rest <= unconstrained[None, :])
    log_weight, start = _tilted_log_binomials(rest, valid, unconstrained, tilt)
    peak = jnp.max(jnp.where(valid, log_weight, -jnp.inf), axis=0)
    peak = jnp.where(jnp.any(valid, axis=0), peak, 0.0)
    weights = jnp.where(valid, jnp.exp(log_weight - peak[None, :]), 0.0)
    return jnp.stack([weights, valid.astype(jnp.float32)]), peak, start


def _tilted_log_binomials(
    rest: Int[Array, "total batch"],
    valid: Bool[Array, "total batch"],
    unconstrained: Int[Array, " batch"],
    tilt: Float[Array, " batch"],
) -> tuple[Float[Array, "total batch"], Int[Array, " batch"]]:
    """Computes tilted log(unconstrained choose rest), minus the first valid one; and its index."""
    both = valid[:-1] & valid[1:]
    decrement = log_binomial_decrement(unconstrained[None, :], rest[:-1], both)
    growth = jnp.where(both, decrement - tilt[None, :], 0.0)
    total = rest.shape[0]
    index = jnp.arange(total, dtype=jnp.int32)[:, None]
    start = jnp.min(jnp.where(valid, index, total - 1), axis=0)
    steps = jnp.concatenate([jnp.zeros_like(growth[:1]), growth])
    _, log_weight = jax.lax.scan(
        lambda so_far, step: (so_far + step, so_far + step), jnp.zeros_like(tilt), steps
    )
    return log_weight, start


def _convolve(before: Message, step: Step) -> Message:
    """Computes the forward message after a component from the one before it."""
    mine_counts = step.shape[1]
    padded = jnp.pad(before, ((0, 0), (mine_counts - 1, 0), (0, 0)))
    total = before.shape[1]
    starts = range(mine_counts - 1, -1, -1)
    parts = [padded[:, s : s + total] * step[:, k, None] for k, s in enumerate(starts)]
    return jax.tree.reduce(jnp.add, parts)


def _correlate(after: Message, step: Step) -> Message:
    """Computes the backward message before a component from the one after it."""
    parts = [_shift_left(after, k) * step[:, k, None] for k in range(step.shape[1])]
    return jax.tree.reduce(jnp.add, parts)


def retreat(
    after: Message, step: Step, log_scale: Float[Array, " batch"]
) -> tuple[Message, Float[Array, " batch"]]:
    """Computes the backward message before a component, scaled, from the one after it."""
    return _rescale(_correlate(after, step), log_scale)


def _combine(before: Message, after: Message, mine_counts: int) -> Step:
    """Computes the weights of a component's mine counts from the messages on both sides."""
    padded = jnp.pad(after, ((0, 0), (0, mine_counts), (0, 0)))

    def add_block(i, so_far):
        these = jax.lax.dynamic_slice_in_dim(before, i * BLOCK, BLOCK, 1)
        others = jax.lax.dynamic_slice_in_dim(padded, i * BLOCK, BLOCK + mine_counts, 1)
        parts = [these[:, t, None] * others[:, t : t + mine_counts] for t in range(BLOCK)]
        return jax.tree.reduce(jnp.add, [so_far, *parts])

    zeros = jnp.zeros_like(padded[:, :mine_counts])
    return jax.lax.fori_loop(0, before.shape[1] // BLOCK, add_block, zeros)


def _shift_left(rows: Message, k: int) -> Message:
    return jnp.pad(rows, ((0, 0), (0, k), (0, 0)))[:, k:, :]


def _rescale(rows: Message, log_scale: Float[Array, " batch"]) -> tuple[Message, Array]:
    """Scales weights to at most 1 and possibilities to 0 or 1; updates the weights' log factor."""
    peak = jnp.max(rows[0], axis=0)
    peak = jnp.where(peak > 0, peak, 1.0)
    scaled = jnp.stack([rows[0] / peak[None, :], (rows[1] > 0).astype(jnp.float32)])
    return scaled, log_scale + jnp.log(peak)
