"""What the numbers of an edge still need while its cells are walked: four bits each, in key words.

After the single-cell rules a number needs at most 7 mines, so that of its four bits one is spare: a
guard that a borrow clears. Subtraction and comparison of eight numbers are one operation each.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Shaped, UInt32

from jaxsweep.engines.component_engine import Component
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import FAR

SLOTS = 8
"""Numbers that one key word holds."""

GUARD = 0x88888888
"""The spare bit of each number's four."""


class Transition(eqx.Module):
    """What one step of a walk does to the keys; or many steps, first."""

    enter: UInt32[Array, "*steps words"]
    """Needs of the numbers met first at this step."""
    touch: UInt32[Array, "*steps words"]
    """A one for each number next to this step's cells."""
    room: UInt32[Array, "*steps words"]
    """For each number met, how many of its cells are still to come; 7 stands for 7 or more."""
    exists: Bool[Array, "*steps"]


def cell_by_cell(edge: Component, words: int) -> tuple[Transition, Bool[Array, ""]]:
    """The steps of one edge's cells, and whether two numbers need one place at the same time."""
    near = edge.near()
    so_far = bitboard.running_counts(near)
    exists = jnp.asarray(edge.cell_row != FAR)
    return line_up(near, so_far, jnp.asarray(edge.need), exists, words)


def line_up(
    near: Bool[Array, "numbers steps"],
    so_far: Int[Array, "numbers steps"],
    need: Int[Array, " numbers"],
    exists: Bool[Array, " steps"],
    words: int,
) -> tuple[Transition, Bool[Array, ""]]:
    """The steps of one walk, and whether two numbers need one place in the keys at the same time.

    `near` tells which steps touch which numbers, and `so_far` how many cells of a number are behind
    after a step. Numbers take the places in turn: one is free again when its number is done.
    """
    met, ended = so_far > 0, so_far == so_far[:, -1:]
    before = jnp.pad(met[:, :-1], ((0, 0), (1, 0)))
    room = jnp.where(met, jnp.minimum(so_far[:, -1:] - so_far, 7), 0)
    enter = jnp.where(met & ~before, need[:, None], 0)
    numbers, cells = near.shape
    turns = -(-numbers // (words * SLOTS))

    def by_place(
        values: Shaped[Array, "numbers steps"],
    ) -> Shaped[Array, "turns words slots steps"]:
        padded = jnp.pad(values, ((0, turns * words * SLOTS - numbers), (0, 0)))
        return padded.reshape(turns, words, SLOTS, cells)

    def pack(values: Int[Array, "numbers steps"]) -> UInt32[Array, "steps words"]:
        """Sums each place's values, and lines the places up in words."""
        bits = (jnp.arange(SLOTS, dtype=jnp.uint32) * jnp.uint32(4)).reshape(1, 1, SLOTS, 1)
        shifted = by_place(values).astype(jnp.uint32) << bits
        return jnp.sum(shifted, axis=(0, 2), dtype=jnp.uint32).T

    users = jnp.sum(by_place(met & (~ended | near)), axis=0, dtype=jnp.int32)
    step = Transition(pack(enter), pack(near.astype(jnp.int32)), pack(room), exists)
    return step, jnp.any(users > 1)


def take(
    keys: UInt32[Array, "*keys"], mines: UInt32[Array, "*mines"], axis: int = -1
) -> tuple[UInt32[Array, "*keys"], Bool[Array, "*rest"]]:
    """Needs after mines were laid, and where no number got more than it needs.

    Key words are along `axis`.
    """
    guard = jnp.uint32(GUARD)
    left = (keys | guard) - mines
    return left & ~guard, jnp.all((left & guard) == guard, axis=axis)


def can_end(
    keys: UInt32[Array, "*keys"], room: UInt32[Array, "*room"], axis: int = -1
) -> Bool[Array, "*rest"]:
    """Where every number has cells enough to come for what it still needs."""
    guard = jnp.uint32(GUARD)
    return jnp.all((((room | guard) - keys) & guard) == guard, axis=axis)
