"""Packed states: the residuals of the numbers of a component, four bits each.

While the cells of a component are assigned one after the other, the state is what each number met
so far still needs. After the single-cell rules that is at most 7 mines, so that one of its four
bits is a guard that a borrow clears: eight numbers are subtracted or compared in one operation.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Integer, Shaped, UInt32

from jaxsweep.engines.components import Component
from jaxsweep.rules import arrays
from jaxsweep.rules.frontier import FAR

SLOTS = 8
"""Numbers that one word of a packed state holds."""

GUARD = 0x88888888
"""The guard bit of each number's four."""


def pack_nibbles(values: Integer[Array, "*rows numbers"]) -> UInt32[Array, "*rows words"]:
    """Packs values from 0 to 15, four bits each; their number is a multiple of `SLOTS`."""
    *rows, numbers = values.shape
    digits = values.reshape(*rows, numbers // SLOTS, SLOTS).astype(jnp.uint32)
    return jnp.sum(digits << _shifts(digits.ndim), axis=-1, dtype=jnp.uint32)


def unpack_nibbles(words: UInt32[Array, "*rows words"]) -> UInt32[Array, "*rows numbers"]:
    """Unpacks values of four bits each: the inverse of `pack_nibbles`."""
    digits = (words[..., None] >> _shifts(words.ndim + 1)) & jnp.uint32(0xF)
    return digits.reshape(*words.shape[:-1], -1)


def _shifts(axes: int) -> UInt32[Array, "*ones slots"]:
    """Returns the first bit of each slot of a word, as the last of so many axes."""
    bits = jnp.arange(SLOTS, dtype=jnp.uint32) * jnp.uint32(4)
    return bits.reshape((1,) * (axes - 1) + (SLOTS,))


class Transition(eqx.Module):
    """What the assignment of one cell, or tile set, does to a packed state; or many of these."""

    enter: UInt32[Array, "*steps words"]
    """Residuals of the numbers that are first met at this step."""
    adjacent: UInt32[Array, "*steps words"]
    """A one for each number next to this step's cells."""
    remaining: UInt32[Array, "*steps words"]
    """For each number met, how many of its cells are still to come; 7 stands for 7 or more."""
    exists: Bool[Array, "*steps"]


def cell_transitions(component: Component, words: int) -> tuple[Transition, Bool[Array, ""]]:
    """Computes the transitions of a component's cells; see `transitions`."""
    adjacency = component.adjacency()
    so_far = arrays.prefix_counts_by_row(adjacency)
    exists = jnp.asarray(component.cell_row != FAR)
    return transitions(adjacency, so_far, jnp.asarray(component.residual), exists, words)


def transitions(
    adjacency: Bool[Array, "numbers steps"],
    so_far: Int[Array, "numbers steps"],
    residual: Int[Array, " numbers"],
    exists: Bool[Array, " steps"],
    words: int,
) -> tuple[Transition, Bool[Array, ""]]:
    """Computes the transitions of all steps, and whether two numbers need one slot at a time.

    `so_far` counts the cells of a number that are assigned after a step. Numbers take the slots of
    the state in turn: a slot is free again when all cells of its number are assigned.
    """
    met, ended = so_far > 0, so_far == so_far[:, -1:]
    before = jnp.pad(met[:, :-1], ((0, 0), (1, 0)))
    remaining = jnp.where(met, jnp.minimum(so_far[:, -1:] - so_far, 7), 0)
    enter = jnp.where(met & ~before, residual[:, None], 0)
    numbers, steps = adjacency.shape
    turns = -(-numbers // (words * SLOTS))

    def by_slot(
        values: Shaped[Array, "numbers steps"],
    ) -> Shaped[Array, "turns words slots steps"]:
        padded = jnp.pad(values, ((0, turns * words * SLOTS - numbers), (0, 0)))
        return padded.reshape(turns, words, SLOTS, steps)

    def pack(values: Int[Array, "numbers steps"]) -> UInt32[Array, "steps words"]:
        """Sums the values of each slot, and packs the slots into words."""
        shifted = by_slot(values).astype(jnp.uint32) << _shifts(3)[..., None]
        return jnp.sum(shifted, axis=(0, 2), dtype=jnp.uint32).T

    users = jnp.sum(by_slot(met & (~ended | adjacency)), axis=0, dtype=jnp.int32)
    step = Transition(pack(enter), pack(adjacency.astype(jnp.int32)), pack(remaining), exists)
    return step, jnp.any(users > 1)


def subtract(
    packed: UInt32[Array, "*states"], mines: UInt32[Array, "*mines"], axis: int = -1
) -> tuple[UInt32[Array, "*states"], Bool[Array, "*rest"]]:
    """Subtracts mines from residuals, and tells which states have no negative residual then.

    The words of a state are along `axis`.
    """
    guard = jnp.uint32(GUARD)
    left = (packed | guard) - mines
    return left & ~guard, jnp.all((left & guard) == guard, axis=axis)


def is_feasible(
    packed: UInt32[Array, "*states"], remaining: UInt32[Array, "*remaining"], axis: int = -1
) -> Bool[Array, "*rest"]:
    """Tells in which states no residual exceeds the number's remaining cells."""
    guard = jnp.uint32(GUARD)
    return jnp.all((((remaining | guard) - packed) & guard) == guard, axis=axis)
