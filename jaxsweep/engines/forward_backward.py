"""Forward–backward over the cells of one component, merging equal states.

A dynamic program over the frontier: cells are assigned in elimination order, and the state is the
packed residuals of the numbers that have assigned and unassigned cells (`residuals`). A forward
message holds, for each state, the number of partial layouts by mine count. Equal states are merged,
so that their number stays small however long the component is. The backward pass gives the marginal
of each cell. Counts are whole numbers in float32: they may round, but never to zero, so that what
is possible is decided exactly.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines import residuals
from jaxsweep.engines.components import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.residuals import Transition
from jaxsweep.rules import arrays


class StateCapacity(NamedTuple):
    """The static capacities of a kernel."""

    cells: int
    numbers: int
    states: int
    """Distinct states between two cells."""
    words: int
    """Words of a packed state."""
    mine_counts: int
    """Distinct mine counts at any time."""
    min_components: int = 0

    @property
    def bytes(self) -> int:
        """Memory for the messages of one component, about."""
        return 4 * self.cells * self.states * (self.mine_counts + 2)


class ForwardMessages(eqx.Module):
    """The states before a cell, and the successor of each; or of many cells, `[cells, batch]`."""

    counts: Float[Array, "*cells states mine_counts"]
    """Partial layouts that lead to a state, by mine count above the minimum of all states."""
    to_clear: Int[Array, "*cells states"]
    to_mine: Int[Array, "*cells states"]
    """The state after the cell, without and with a mine in it; `states` where there is none."""
    shifted: Bool[Array, "*cells"]
    """Whether the minimum of the mine counts grew at this cell."""


class _States(NamedTuple):
    """The states between two cells."""

    packed: UInt32[Array, "states words"]
    live: Bool[Array, " states"]
    counts: Float[Array, "states mine_counts"]
    counts_modulo: UInt32[Array, "states mine_counts"] | None
    min_mines: Int[Array, ""]
    fits: Bool[Array, ""]


def forward_pass(
    components: Component,
    length: Int[Array, ""] | np.int32,
    capacity: StateCapacity,
    modulo: bool = True,
) -> ComponentCounts:
    """Counts the layouts of a batch of components, first, of at most `length` cells each.

    With `modulo`, also computes the counts modulo 2³².
    """
    steps, collides = jax.vmap(partial(residuals.cell_transitions, words=capacity.words))(
        components
    )
    by_cell = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 1, 0), steps)
    batch, cells, states = components.residual.shape[0], capacity.cells, capacity.states

    # The loop over cells is outside of the `vmap` over components: inside, each write of a message
    # would copy all messages.
    def advance(cell, carry):
        current, messages = carry
        step = jax.tree.map(
            lambda leaf: jax.lax.dynamic_index_in_dim(leaf, cell, 0, False), by_cell
        )
        current, message = jax.vmap(_forward_step)(current, step)
        return current, jax.tree.map(
            lambda whole, new: jax.lax.dynamic_update_index_in_dim(whole, new, cell, 0),
            messages,
            message,
        )

    empty_layout = jnp.zeros((batch, states, capacity.mine_counts), jnp.float32)
    empty_layout = empty_layout.at[:, 0, 0].set(1.0)
    start = _States(
        packed=jnp.zeros((batch, states, capacity.words), jnp.uint32),
        live=jnp.zeros((batch, states), bool).at[:, 0].set(True),
        counts=empty_layout,
        counts_modulo=empty_layout.astype(jnp.uint32) if modulo else None,
        min_mines=jnp.zeros((batch,), jnp.int32),
        fits=~collides,
    )
    messages = ForwardMessages(
        counts=jnp.zeros((cells, batch, states, capacity.mine_counts), jnp.float32),
        to_clear=jnp.zeros((cells, batch, states), jnp.int32),
        to_mine=jnp.zeros((cells, batch, states), jnp.int32),
        shifted=jnp.zeros((cells, batch), bool),
    )
    end, messages = jax.lax.fori_loop(0, length, advance, (start, messages))
    layouts = end.counts[:, 0]  # All layouts end in the one state without residuals.
    return ComponentCounts(
        min_mines=end.min_mines,
        layouts=layouts,
        layouts_modulo=None if end.counts_modulo is None else end.counts_modulo[:, 0],
        fits=end.fits & jnp.all(jnp.isfinite(layouts), axis=1),
        messages=messages,
    )


def _forward_step(current: _States, step: Transition) -> tuple[_States, ForwardMessages]:
    """Assigns one cell of one component; returns the next states and the message of this cell."""
    states = current.live.shape[0]
    clear = current.packed + step.enter[None, :]
    mined, nonnegative = residuals.subtract(clear, step.adjacent[None, :])
    both = jnp.concatenate([clear, mined])  # [candidates, words]
    ok = jnp.concatenate([current.live, current.live & step.exists & nonnegative])
    ok &= residuals.is_feasible(both, step.remaining[None, :])

    target, size = _merge(both, ok)
    target = jnp.where(ok, target, states)

    def move(rows):
        moved = jnp.concatenate([rows, jnp.pad(rows[:, :-1], ((0, 0), (1, 0)))])
        return jnp.zeros_like(rows).at[target].add(moved, mode="drop")

    counts, counts_modulo = move(current.counts), jax.tree.map(move, current.counts_modulo)
    # The first column is the minimum of all states, or will be after some more steps.
    shifted = ~jnp.any(counts[:, 0] > 0)

    def shift(rows):
        return jnp.where(shifted, jnp.pad(rows[:, 1:], ((0, 0), (0, 1))), rows)

    overflow = jnp.any(ok[states:] & (current.counts[:, -1] > 0))
    after = _States(
        packed=jnp.zeros_like(clear).at[target].set(both, mode="drop"),
        live=jnp.arange(states, dtype=jnp.int32) < size,
        counts=shift(counts),
        counts_modulo=jax.tree.map(shift, counts_modulo),
        min_mines=current.min_mines + shifted.astype(jnp.int32),
        fits=current.fits & (size <= states) & ~overflow,
    )
    return after, ForwardMessages(current.counts, target[:states], target[states:], shifted)


def backward_pass(
    messages: ForwardMessages,
    weights: Float[Array, "batch mine_counts"],
    possible: UInt32[Array, " batch"],
    length: Int[Array, ""] | np.int32,
) -> CellMarginals:
    """Computes the marginals of the cells of a batch of components, first.

    `weights` are the weights of one layout with each mine count in the whole position, normalised
    over the layouts of the component. Bit k of `possible` tells whether the rest of the position
    allows `min_mines + k` mines at all.
    """
    cells, batch, states, mine_counts = messages.counts.shape

    def retreat(back, carry):
        after, reachable, marginals = carry
        cell = length - 1 - back
        message = jax.tree.map(
            lambda leaf: jax.lax.dynamic_index_in_dim(leaf, cell, 0, False), messages
        )
        after, reachable, new = jax.vmap(_backward_step)(after, reachable, message)
        return (
            after,
            reachable,
            jax.tree.map(
                lambda whole, new: jax.lax.dynamic_update_index_in_dim(whole, new, cell, 0),
                marginals,
                new,
            ),
        )

    start = (
        jnp.zeros((batch, states, mine_counts), jnp.float32).at[:, 0].set(weights),
        jnp.zeros((batch, states), jnp.uint32).at[:, 0].set(possible),
        CellMarginals(
            mine=jnp.zeros((cells, batch), jnp.float32),
            can_mine=jnp.zeros((cells, batch), bool),
            can_clear=jnp.zeros((cells, batch), bool),
        ),
    )
    marginals = jax.lax.fori_loop(0, length, retreat, start)[2]
    return jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, 1), marginals)


def _backward_step(
    after: Float[Array, "states mine_counts"],
    reachable: UInt32[Array, " states"],
    message: ForwardMessages,
) -> tuple[Float[Array, "states mine_counts"], UInt32[Array, " states"], CellMarginals]:
    """Computes the backward message before a cell from the one after it, and the cell's marginal.

    Bits of `reachable` tell which mine counts can be completed from a state.
    """
    # In the columns before this cell: its mine moves a layout one on, the shift one back.
    after = jnp.where(message.shifted, jnp.pad(after[:, :-1], ((0, 0), (1, 0))), after)
    reachable = jnp.where(message.shifted, reachable << jnp.uint32(1), reachable)
    after, reachable = jnp.pad(after, ((0, 1), (0, 0))), jnp.pad(reachable, (0, 1))
    clear = after[message.to_clear]
    mine = jnp.pad(after[message.to_mine][:, 1:], ((0, 0), (0, 1)))
    clear_reachable = reachable[message.to_clear]
    mine_reachable = reachable[message.to_mine] >> jnp.uint32(1)
    bits = jnp.uint32(1) << jnp.arange(after.shape[1], dtype=jnp.uint32)[None, :]
    present = jnp.where(message.counts > 0, bits, jnp.uint32(0))
    present = jnp.sum(present, axis=1, dtype=jnp.uint32)
    marginals = CellMarginals(
        mine=jnp.sum(message.counts * mine),
        can_mine=jnp.any((present & mine_reachable) != 0),
        can_clear=jnp.any((present & clear_reachable) != 0),
    )
    return clear + mine, clear_reachable | mine_reachable, marginals


def _merge(
    packed: UInt32[Array, "candidates words"], ok: Bool[Array, " candidates"]
) -> tuple[Int[Array, " candidates"], Int[Array, ""]]:
    """Numbers the distinct states, equal ones alike; returns the numbers, and how many there are.

    Uses a small hash table. Where different states collide in it, equal ones may get two numbers:
    that takes room for one more state, and changes no sum.
    """
    candidates, words = packed.shape
    table_bits = (4 * candidates - 1).bit_length()
    mixed = packed[:, 0] * jnp.uint32(0x9E3779B1)
    for word in range(1, words):
        mixed = (mixed ^ (mixed >> jnp.uint32(15))) * jnp.uint32(0x85EBCA77) + packed[:, word]
        mixed = mixed * jnp.uint32(0xC2B2AE3D)
    slot = (mixed >> jnp.uint32(32 - table_bits)).astype(jnp.int32)
    index = jnp.arange(candidates, dtype=jnp.int32)
    slot = jnp.where(ok, slot, 1 << table_bits)
    table = jnp.full((1 << table_bits,), candidates, index.dtype)
    table = table.at[slot].min(index, mode="drop")
    owner = jnp.minimum(table.at[slot].get(mode="clip"), candidates - 1)
    same = jnp.all(packed[owner] == packed, axis=1)
    owner = jnp.where(same, owner, index)
    is_owner = ok & (owner == index)
    number = arrays.prefix_counts_by_row(is_owner[None, :])[0]
    return (number - 1)[owner], number[-1]
