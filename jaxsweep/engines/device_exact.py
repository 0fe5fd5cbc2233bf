"""The exact engine as one device program: a batch of positions in, beliefs out, without the host.

Isolated constraints are solved in closed form, components of a few cells by testing every pattern,
and longer ones by forward–backward, as in `exact`. Capacities are fixed and small, for what real
games have: a position that exceeds them gets status `OVER_CAPACITY`, for `exact` on the host.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt8

import jaxsweep.engines.device_beliefs  # noqa: F401, makes `Beliefs` a pytree
from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines import convolution
from jaxsweep.engines.binomials import log_binomial
from jaxsweep.engines.convolution import Joined
from jaxsweep.engines.device_components import MAX_COMPONENTS, ComponentBoards, label_components
from jaxsweep.engines.device_counting import FORWARD_CHUNKS, CountedForward, CountedPatterns
from jaxsweep.engines.isolated import Isolated, isolated_constraints
from jaxsweep.engines.patterns import MINE_COUNTS
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import WORD
from jaxsweep.rules.frontier import FAR, ReducedPosition
from jaxsweep.runtime.materialize import materialize

MAX_SUMS = 32
"""Distinct sums of the components' mine counts, above the sum of the minima."""

CountingKernel = Callable[
    [ComponentBoards, Bool[Array, "components batch"]], CountedPatterns | CountedForward
]
"""Counts those of the uncounted components that it has room for."""

KERNELS: tuple[CountingKernel, ...] = (
    CountedPatterns.of,
    *(partial(CountedForward.of, chunks=chunks) for chunks in FORWARD_CHUNKS),
)
"""The smaller ones first."""

CAN_MINE, CAN_CLEAR = np.uint8(1), np.uint8(2)
EITHER = np.uint8(CAN_MINE | CAN_CLEAR)
"""The possible values of a cell, as bits of one number, so that one scatter writes both."""


def infer(reduced: ReducedPosition) -> Beliefs:
    """Infers exact beliefs about a batch of reduced positions, batch last.

    A position that exceeds the fixed capacity has status `OVER_CAPACITY`; one for whose components
    the others of the batch left no room, `BATCH_FULL`.
    """
    isolated = isolated_constraints(reduced)
    labels = label_components(reduced, isolated.cells)
    counted = count_components(materialize(ComponentBoards.of(labels)), KERNELS)
    unconstrained = bitboard.count(reduced.unconstrained)
    joined = convolution.join(
        counted.layouts,
        counted.min_mines,
        bitboard.count(labels.boundary),
        unconstrained,
        reduced.mines_left - isolated.mines,
        MAX_SUMS,
    )
    joined = materialize(joined)
    status = status_of(reduced, counted, joined)
    probability, values = _marginals(reduced, counted.groups, joined)
    log_layouts = joined.log_scale + isolated.log_layouts
    log_layouts = log_layouts + log_binomial(unconstrained, joined.anchor)
    return _beliefs(reduced, isolated, joined, probability, values, status, log_layouts)


class CountedComponents(NamedTuple):
    """The counts of all components of a batch."""

    layouts: Float[Array, "components mine_counts batch"]
    min_mines: Int[Array, "components batch"]
    fits: Bool[Array, " batch"]
    overflow: Bool[Array, " batch"]
    """Where the other positions of the batch left no room."""
    groups: list[CountedPatterns | CountedForward]


def count_components(
    components: ComponentBoards, kernels: Sequence[CountingKernel]
) -> CountedComponents:
    """Counts all components, each in the first kernel that can."""
    batch = components.exists.shape[1]
    counted = ~components.exists.reshape(-1)
    overflow = jnp.zeros_like(counted)
    layouts = jnp.zeros((MAX_COMPONENTS * batch, MINE_COUNTS), jnp.float32)
    layouts = layouts.at[:, 0].set(counted.astype(jnp.float32))
    min_mines = jnp.zeros((MAX_COMPONENTS * batch,), jnp.int32)
    groups = []
    # A component that one kernel cannot count goes to the next, larger one.
    for count in kernels:
        group = count(components, (~counted & ~overflow).reshape(MAX_COMPONENTS, batch))
        groups.append(group)
        index = group.selection.index.reshape(-1)
        layouts = layouts.at[index].set(group.counts.layouts, mode="drop")
        min_mines = min_mines.at[index].set(group.counts.min_mines, mode="drop")
        counted = counted.at[index].set(group.counts.fits, mode="drop")
        chosen = jnp.zeros_like(counted).at[index].set(True, mode="drop")
        overflow |= group.selection.wanted.reshape(-1) & ~chosen
    return CountedComponents(
        layouts=jnp.moveaxis(layouts.reshape(MAX_COMPONENTS, batch, MINE_COUNTS), 2, 1),
        min_mines=min_mines.reshape(MAX_COMPONENTS, batch),
        fits=jnp.all(counted.reshape(MAX_COMPONENTS, batch), axis=0),
        overflow=jnp.any(overflow.reshape(MAX_COMPONENTS, batch), axis=0),
        groups=groups,
    )


def status_of(
    reduced: ReducedPosition, counted: CountedComponents, joined: Joined
) -> Int[Array, " batch"]:
    """Returns the `Status` of each position."""
    fits = counted.fits & joined.fits
    cases = (
        (counted.overflow, Status.BATCH_FULL),
        (~reduced.is_possible, Status.INCONSISTENT),
        (~fits, Status.OVER_CAPACITY),
        (~joined.consistent, Status.INCONSISTENT),
    )
    return jnp.select(
        [condition for condition, _ in cases],
        [jnp.int32(status) for _, status in cases],
        jnp.int32(Status.EXACT),
    )


def _marginals(
    reduced: ReducedPosition, groups: Sequence[CountedPatterns | CountedForward], joined: Joined
) -> tuple[Float[Array, "rows cols batch"], UInt8[Array, "rows cols batch"]]:
    """Computes the mine probabilities and the possible values of the components' cells."""
    rows, words, batch = reduced.unconstrained.shape
    weights = jnp.moveaxis(joined.weights, 1, 2).reshape(MAX_COMPONENTS * batch, MINE_COUNTS)
    possible = joined.possible.reshape(MAX_COMPONENTS * batch)
    probability = jnp.zeros((rows * words * WORD * batch,), jnp.float32)
    values = jnp.full(probability.shape, EITHER, jnp.uint8)
    for group in groups:
        index = group.selection.index.reshape(-1)
        own = jnp.minimum(index, MAX_COMPONENTS * batch - 1)
        marginals = group.marginals(weights[own], possible[own])
        row, col = group.places
        cell_index = (row * (words * WORD) + col) * batch + (own % batch)[:, None]
        is_cell = (row != FAR) & (index < MAX_COMPONENTS * batch)[:, None]
        cell_index = jnp.where(is_cell, cell_index, probability.shape[0])
        probability = probability.at[cell_index].set(marginals.mine, mode="drop")
        can_mine, can_clear = (
            can.astype(jnp.uint8) for can in (marginals.can_mine, marginals.can_clear)
        )
        values = values.at[cell_index].set(can_mine * CAN_MINE + can_clear * CAN_CLEAR, mode="drop")
    shape = (rows, words * WORD, batch)
    return probability.reshape(shape), values.reshape(shape)


def _beliefs(
    reduced: ReducedPosition,
    isolated: Isolated,
    joined: Joined,
    probability: Float[Array, "rows cols batch"],
    values: UInt8[Array, "rows cols batch"],
    status: Int[Array, " batch"],
    log_layouts: Float[Array, " batch"],
) -> Beliefs:
    """Assembles the beliefs from the marginals of all kinds of cells."""

    def unpack(bits):
        return jnp.asarray(bitboard.unpack(bits, probability.shape[1]))

    def each(flags: Bool[Array, " batch"]) -> Bool[Array, "1 1 batch"]:
        return flags[None, None, :]

    unconstrained = unpack(reduced.unconstrained)
    probability = probability + isolated.mine_probability
    probability = jnp.where(unconstrained, joined.unconstrained_mine[None, None, :], probability)
    can_mine = jnp.where(
        unconstrained, each(joined.unconstrained_can_mine), (values & CAN_MINE) != 0
    )
    can_clear = jnp.where(
        unconstrained, each(joined.unconstrained_can_clear), (values & CAN_CLEAR) != 0
    )
    exact, known = each(status == Status.EXACT), each(status != Status.INCONSISTENT)
    # A position without exact beliefs keeps what reduction has proved.
    safe = (exact & ~can_mine) | (known & unpack(reduced.certain.safe))
    mines = (exact & can_mine & ~can_clear) | (known & unpack(reduced.certain.mines))
    safe, mines = materialize((safe, mines & ~safe))
    probability = jnp.where(exact & ~safe, jnp.clip(probability, 0.0, 1.0), 0.0)
    return Beliefs(
        mine_probability=jnp.where(mines, 1.0, probability),
        error=jnp.zeros_like(probability),
        safe=safe,
        mines=mines,
        log_layouts=log_layouts,
        status=status,
    )
