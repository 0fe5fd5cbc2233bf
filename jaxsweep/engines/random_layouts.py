"""Random layouts tested against a position: the kernel of the rejection sampler.

One sample places all mines but one uniformly on the hidden cells, and gives a layout for every
cell: the last mine is put there or, where there is a mine already, on another cell drawn once per
sample. Which of these layouts are valid is found at once. Let a number lack the mines it shows
beyond those around it. If a number lacks two or more, or has too many, no last mine makes the
layout valid. Else the last mine must be next to every number that lacks one, and next to no other.
"""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt32

from jaxsweep.engines.batching import map_batches
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.position import Position
from jaxsweep.rules.randomness import uniform_integer

SAMPLES = 4096
"""Samples of one position in one call."""

Sizes = tuple[Int[Array, ""] | np.int32, Int[Array, ""] | np.int32]
"""The most hidden cells, and the most numbers, of any position of a batch."""


class SampleSums(eqx.Module):
    """Sums over the samples of a position; or of a batch of positions, first."""

    valid: Float[Array | np.ndarray, "*batch cells"]
    """Samples whose layout for the cell is valid."""
    valid_by_total: Float[Array | np.ndarray, "*batch cells"]
    """The same, each sample times the number of cells for which it is valid."""
    total: Float[Array | np.ndarray, "*batch"]
    """The sum over samples of the number of cells for which they are valid."""
    total_squares: Float[Array | np.ndarray, "*batch"]
    accepted: Int[Array | np.ndarray, "*batch"]
    """Samples that are valid for at least one cell."""

    @classmethod
    def zeros(cls, batch: int, cells: int) -> "SampleSums":
        """Returns the sums over no samples, on the host."""
        return cls(
            np.zeros((batch, cells)),
            np.zeros((batch, cells)),
            np.zeros(batch),
            np.zeros(batch),
            np.zeros(batch, np.int32),
        )

    def add(self, which: Int[np.ndarray, " some"], new: "SampleSums") -> None:
        """Adds more samples of some positions, in place on the host."""
        for whole, part in zip(jax.tree.leaves(self), jax.tree.leaves(new), strict=True):
            whole[which] += part

    def effective(self, which: Int[np.ndarray, " some"]) -> Float[np.ndarray, " some"]:
        """Computes the effective number of valid samples: samples differ in weight."""
        total, squares = np.asarray(self.total)[which], np.asarray(self.total_squares)[which]
        return total**2 / np.maximum(squares, 1.0)

    def moments(
        self, which: Int[np.ndarray, " some"], mines: Int[np.ndarray, " some"]
    ) -> tuple[Float[np.ndarray, "some cells"], Float[np.ndarray, "some cells"]]:
        """Computes probabilities and standard errors: of a ratio of sums of independent samples."""
        valid, by_total, total, squares, _ = (leaf[which] for leaf in jax.tree.leaves(self))
        mines, total = mines[:, None], np.maximum(total, 1.0)[:, None]
        mean = mines * valid / total
        variance = mines**2 * valid - 2 * mines * mean * by_total + mean**2 * squares[:, None]
        # An event that n samples never showed can have a probability of about 1/n.
        unseen = 1.0 / np.maximum(self.effective(which), 1.0)[:, None]
        return np.minimum(mean, 1.0), np.sqrt(np.maximum(variance, 0.0) / total**2 + unseen**2)


def count_numbers(positions: Position) -> Int[np.ndarray, " batch"]:
    """Counts the open numbers next to hidden cells in each position of a batch, last."""
    return map_batches(_count_numbers_batch, positions)


@jax.jit
def _count_numbers_batch(positions: Position) -> Int[Array, " batch"]:
    def one(position: Position) -> Int[Array, ""]:
        return bitboard.count(position.opened & bitboard.dilate(position.hidden))

    return jax.vmap(one, in_axes=-1, out_axes=-1)(positions)


@partial(jax.jit, static_argnames="capacity")
def sample_batch(
    positions: Position,
    seeds: UInt32[Array, " batch"],
    call: Int[Array, ""] | np.int32,
    sizes: Sizes,
    capacity: int,
) -> SampleSums:
    """Draws `SAMPLES` samples of each position of a batch: batch last in, batch first out.

    `call` numbers the calls, for independent random streams.
    """

    def one(position: Position, seed: UInt32[Array, ""]) -> SampleSums:
        key = jax.random.fold_in(jax.random.key(seed), call)
        return _sample(position, key, sizes, capacity)

    first = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, -1, 0), positions)
    return jax.vmap(one)(first, seeds)


def _sample(position: Position, key: Key[Array, ""], sizes: Sizes, capacity: int) -> SampleSums:
    """Draws and tests the samples of one position; lists hold hidden cells in reading order."""
    cells = frontier.places(position.hidden, capacity)
    numbers = frontier.places(position.opened & bitboard.dilate(position.hidden), capacity)
    around = frontier.incidence(cells, numbers)  # [numbers, words]
    shown = frontier.read(position.numbers, numbers)
    shown = jnp.where(numbers[0] != frontier.FAR, shown, 0)
    mines, last = _place_mines(
        key, bitboard.count(position.hidden), position.mines, sizes[0], capacity
    )

    def test(j, state):
        """Tests number j: whether a last mine can satisfy it, and which ones do."""
        rejected, candidates = state
        present = jax.lax.population_count(mines & around[j][:, None])
        lacks = shown[j] - jnp.sum(present, axis=0, dtype=jnp.uint32).astype(jnp.int32)
        satisfying = jnp.where(lacks[None, :] == 1, around[j][:, None], ~around[j][:, None])
        return rejected | (lacks < 0) | (lacks > 1), candidates & satisfying

    start = (jnp.zeros((SAMPLES,), bool), ~mines)
    rejected, candidates = jax.lax.fori_loop(0, sizes[1], test, start)
    is_cell = jnp.asarray(bitboard.pack((cells[0] != frontier.FAR)[None, :]))[0]
    candidates = jnp.where(rejected[None, :], jnp.uint32(0), candidates & is_cell[:, None])
    # All cells that have a mine already share the layout with the last mine elsewhere.
    elsewhere = jnp.any((candidates & last) != 0, axis=0)
    valid = candidates | jnp.where(elsewhere[None, :], mines, jnp.uint32(0))
    total = jnp.sum(jax.lax.population_count(valid), axis=0, dtype=jnp.uint32).astype(jnp.float32)
    bits = jnp.arange(bitboard.WORD, dtype=jnp.uint32)[None, :, None]
    of_cells = ((valid[:, None, :] >> bits) & jnp.uint32(1)).reshape(capacity, SAMPLES)
    sums = jnp.matmul(
        of_cells.astype(jnp.float32),
        jnp.stack([jnp.ones_like(total), total], axis=1),
        precision=jax.lax.Precision.HIGHEST,
    )
    return SampleSums(
        valid=sums[:, 0],
        valid_by_total=sums[:, 1],
        total=jnp.sum(total),
        total_squares=jnp.sum(total**2),
        accepted=jnp.sum(total > 0, dtype=jnp.int32),
    )


def _place_mines(
    key: Key[Array, ""],
    cells: Int[Array, ""],
    mines: Int[Array, ""],
    max_cells: Int[Array, ""] | np.int32,
    capacity: int,
) -> tuple[UInt32[Array, "words samples"], UInt32[Array, "words samples"]]:
    """Places all mines but one on the first `cells` entries of a list, and the last one apart.

    Uses selection sampling (Knuth's algorithm S): a cell gets one of the mines left with
    probability mines left / cells left, and so for the last mine. `cells` is at most `max_cells`.
    """

    def visit(i, state):
        mines_left, last_left, placed, last = state
        draw = jax.random.bits(jax.random.fold_in(key, i), (SAMPLES,), jnp.uint32)
        cells_left = jnp.maximum(cells - i, 1).astype(jnp.uint32)
        rank = uniform_integer(draw, jnp.broadcast_to(cells_left, draw.shape))
        is_cell = i < cells
        is_mine = is_cell & (rank < mines_left)
        is_last = is_cell & ~is_mine & (rank < mines_left + last_left)
        word, bit = i // bitboard.WORD, (i % bitboard.WORD).astype(jnp.uint32)

        def set_bit(masks, these):
            row = jax.lax.dynamic_index_in_dim(masks, word, 0, False)
            row |= these.astype(jnp.uint32) << bit
            return jax.lax.dynamic_update_index_in_dim(masks, row, word, 0)

        return (
            mines_left - is_mine.astype(jnp.uint32),
            last_left - is_last.astype(jnp.uint32),
            set_bit(placed, is_mine),
            set_bit(last, is_last),
        )

    empty = jnp.zeros((capacity // bitboard.WORD, SAMPLES), jnp.uint32)
    start = (
        jnp.broadcast_to(mines.astype(jnp.uint32) - jnp.uint32(1), (SAMPLES,)),
        jnp.ones((SAMPLES,), jnp.uint32),
        empty,
        empty,
    )
    return jax.lax.fori_loop(0, max_cells, visit, start)[2:]
