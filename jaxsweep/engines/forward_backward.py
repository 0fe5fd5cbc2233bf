"""One edge counted exactly: how many ways to lay k mines on it, in all and through each cell.

The cells are walked in order. A state is what the numbers met so far still need, four bits each in
a few words, and carries one count a number of mines laid. Equal states are merged, so that the
number of states stays small however long the edge is. The counts are whole numbers in float32:
they may round, but never to zero, so that what can be and what cannot is told exactly.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines import residuals
from jaxsweep.engines.component_engine import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.residuals import Transition
from jaxsweep.rules import bitboard


class WalkCapacity(NamedTuple):
    """The static capacities of a kernel."""

    cells: int
    numbers: int
    states: int
    words: int
    spread: int
    """How many different mine counts are told apart at once."""
    worth_from: int = 0

    @property
    def bytes(self) -> int:
        """What the messages of one edge takes, about."""
        return 4 * self.cells * self.states * (self.spread + 2)


class ForwardMessages(eqx.Module):
    """The states before a cell, and where each of them goes; or [cells, batch] of these."""

    counts: Float[Array, "*walk states spread"]
    """Ways to reach a state, by mines laid so far above the fewest of any state."""
    to_clear: Int[Array, "*walk states"]
    to_mine: Int[Array, "*walk states"]
    """The state after the cell, without and with a mine in it; `states` where there is none."""
    slid: Bool[Array, "*walk"]
    """Whether the fewest mines of any state grew with this cell."""


class _Front(NamedTuple):
    """The states between two cells."""

    keys: UInt32[Array, "states words"]
    live: Bool[Array, " states"]
    counts: Float[Array, "states spread"]
    residue: UInt32[Array, "states spread"] | None
    least: Int[Array, ""]
    fits: Bool[Array, ""]


def count_layouts(
    edges: Component,
    length: Int[Array, ""] | np.int32,
    capacity: WalkCapacity,
    residues: bool = True,
) -> ComponentCounts:
    """Walks a batch of edges forward, batch first; none has more than `length` cells.

    The loop over cells is around the `vmap` over edges: inside of it, what is written at each cell
    would be a copy of the whole messages.
    """
    steps, collides = jax.vmap(partial(residuals.cell_by_cell, words=capacity.words))(edges)
    by_cell = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 1, 0), steps)
    batch, cells, states = edges.need.shape[0], capacity.cells, capacity.states

    def walk(cell, carry):
        front, messages = carry
        step = jax.tree.map(
            lambda leaf: jax.lax.dynamic_index_in_dim(leaf, cell, 0, False), by_cell
        )
        front, trodden = jax.vmap(_step)(front, step)
        return front, jax.tree.map(
            lambda whole, new: jax.lax.dynamic_update_index_in_dim(whole, new, cell, 0),
            messages,
            trodden,
        )

    one_way = jnp.zeros((batch, states, capacity.spread), jnp.float32).at[:, 0, 0].set(1.0)
    front = _Front(
        keys=jnp.zeros((batch, states, capacity.words), jnp.uint32),
        live=jnp.zeros((batch, states), bool).at[:, 0].set(True),
        counts=one_way,
        residue=one_way.astype(jnp.uint32) if residues else None,
        least=jnp.zeros((batch,), jnp.int32),
        fits=~collides,
    )
    messages = ForwardMessages(
        counts=jnp.zeros((cells, batch, states, capacity.spread), jnp.float32),
        to_clear=jnp.zeros((cells, batch, states), jnp.int32),
        to_mine=jnp.zeros((cells, batch, states), jnp.int32),
        slid=jnp.zeros((cells, batch), bool),
    )
    front, messages = jax.lax.fori_loop(0, length, walk, (front, messages))
    layouts = front.counts[:, 0]  # All end in the one state in which no number needs anything.
    return ComponentCounts(
        least=front.least,
        layouts=layouts,
        residue=None if front.residue is None else front.residue[:, 0],
        fits=front.fits & jnp.all(jnp.isfinite(layouts), axis=1),
        messages=messages,
    )


def _step(front: _Front, step: Transition) -> tuple[_Front, ForwardMessages]:
    """Takes one edge past one cell; the messages is of this cell alone."""
    states = front.live.shape[0]
    keys = front.keys + step.enter[None, :]
    taken, can_take = residuals.take(keys, step.touch[None, :])
    both = jnp.concatenate([keys, taken])  # [candidates, words]
    ok = jnp.concatenate([front.live, front.live & step.exists & can_take])
    ok &= residuals.can_end(both, step.room[None, :])

    target, size = _merge(both, ok)
    target = jnp.where(ok, target, states)

    def move(rows):
        moved = jnp.concatenate([rows, jnp.pad(rows[:, :-1], ((0, 0), (1, 0)))])
        return jnp.zeros_like(rows).at[target].add(moved, mode="drop")

    counts, residue = move(front.counts), jax.tree.map(move, front.residue)
    # Keep the fewest mines of any state in the first column, or soon so.
    slid = ~jnp.any(counts[:, 0] > 0)

    def slide(rows):
        return jnp.where(slid, jnp.pad(rows[:, 1:], ((0, 0), (0, 1))), rows)

    lost = jnp.any(ok[states:] & (front.counts[:, -1] > 0))
    after = _Front(
        keys=jnp.zeros_like(keys).at[target].set(both, mode="drop"),
        live=jnp.arange(states, dtype=jnp.int32) < size,
        counts=slide(counts),
        residue=jax.tree.map(slide, residue),
        least=front.least + slid.astype(jnp.int32),
        fits=front.fits & (size <= states) & ~lost,
    )
    return after, ForwardMessages(front.counts, target[:states], target[states:], slid)


def believe(
    messages: ForwardMessages,
    weights: Float[Array, "batch spread"],
    possible: UInt32[Array, " batch"],
    length: Int[Array, ""] | np.int32,
) -> CellMarginals:
    """Walks edges back, given how much each of their mine counts weighs in the whole position.

    `weights` are such that the layouts' weights sum to 1; bit k of `possible` tells whether the
    rest of the position allows `least + k` mines at all. Batch first.
    """
    cells, batch, states, spread = messages.counts.shape

    def walk(back, carry):
        after, reach, beliefs = carry
        cell = length - 1 - back
        here = jax.tree.map(
            lambda leaf: jax.lax.dynamic_index_in_dim(leaf, cell, 0, False), messages
        )
        after, reach, new = jax.vmap(_step_back)(after, reach, here)
        return (
            after,
            reach,
            jax.tree.map(
                lambda whole, new: jax.lax.dynamic_update_index_in_dim(whole, new, cell, 0),
                beliefs,
                new,
            ),
        )

    start = (
        jnp.zeros((batch, states, spread), jnp.float32).at[:, 0].set(weights),
        jnp.zeros((batch, states), jnp.uint32).at[:, 0].set(possible),
        CellMarginals(
            mine=jnp.zeros((cells, batch), jnp.float32),
            can_mine=jnp.zeros((cells, batch), bool),
            can_clear=jnp.zeros((cells, batch), bool),
        ),
    )
    beliefs = jax.lax.fori_loop(0, length, walk, start)[2]
    return jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, 1), beliefs)


def _step_back(
    after: Float[Array, "states spread"], reach: UInt32[Array, " states"], here: ForwardMessages
) -> tuple[Float[Array, "states spread"], UInt32[Array, " states"], CellMarginals]:
    """Takes one edge back before one cell: what each state weighs, and which counts can be."""
    # In the columns before this cell: its mine moves a layout one on, its slide one back.
    after = jnp.where(here.slid, jnp.pad(after[:, :-1], ((0, 0), (1, 0))), after)
    reach = jnp.where(here.slid, reach << jnp.uint32(1), reach)
    after, reach = jnp.pad(after, ((0, 1), (0, 0))), jnp.pad(reach, (0, 1))
    clear = after[here.to_clear]
    mine = jnp.pad(after[here.to_mine][:, 1:], ((0, 0), (0, 1)))
    clear_reach = reach[here.to_clear]
    mine_reach = reach[here.to_mine] >> jnp.uint32(1)
    places = jnp.uint32(1) << jnp.arange(after.shape[1], dtype=jnp.uint32)[None, :]
    seen = jnp.where(here.counts > 0, places, jnp.uint32(0))
    seen = jnp.sum(seen, axis=1, dtype=jnp.uint32)
    beliefs = CellMarginals(
        mine=jnp.sum(here.counts * mine),
        can_mine=jnp.any((seen & mine_reach) != 0),
        can_clear=jnp.any((seen & clear_reach) != 0),
    )
    return clear + mine, clear_reach | mine_reach, beliefs


def _merge(
    keys: UInt32[Array, "candidates words"], ok: Bool[Array, " candidates"]
) -> tuple[Int[Array, " candidates"], Int[Array, ""]]:
    """Numbers the distinct keys: equal ones get one number, and how many there are.

    By a small hash table. Where different keys meet in it, equal ones may stay apart: that costs
    a place, and changes no sum.
    """
    candidates, words = keys.shape
    table_bits = (4 * candidates - 1).bit_length()
    mixed = keys[:, 0] * jnp.uint32(0x9E3779B1)
    for word in range(1, words):
        mixed = (mixed ^ (mixed >> jnp.uint32(15))) * jnp.uint32(0x85EBCA77) + keys[:, word]
        mixed = mixed * jnp.uint32(0xC2B2AE3D)
    place = (mixed >> jnp.uint32(32 - table_bits)).astype(jnp.int32)
    index = jnp.arange(candidates, dtype=jnp.int32)
    place = jnp.where(ok, place, 1 << table_bits)
    table = jnp.full((1 << table_bits,), candidates, index.dtype)
    table = table.at[place].min(index, mode="drop")
    owner = jnp.minimum(table.at[place].get(mode="clip"), candidates - 1)
    same = jnp.all(keys[owner] == keys, axis=1)
    owner = jnp.where(same, owner, index)
    is_owner = ok & (owner == index)
    number = bitboard.running_counts(is_owner[None, :])[0]
    return (number - 1)[owner], number[-1]
