"""Counts the components of a batch of positions on the device, in chunks of a fixed size.

Small components are counted by `patterns`, longer ones by `forward_backward`. Each kernel has a
fixed number of chunks; only the used ones are computed.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.extend.core import jaxpr_as_fun
from jaxtyping import Array, Bool, Float, Int, PyTree, UInt32

from jaxsweep.engines import forward_backward, patterns
from jaxsweep.engines.components import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.device_components import ComponentBoards
from jaxsweep.engines.forward_backward import StateCapacity
from jaxsweep.engines.patterns import MINE_COUNTS, PatternCounts
from jaxsweep.rules import arrays, frontier
from jaxsweep.rules.frontier import FAR
from jaxsweep.runtime.materialize import materialize

BATCH = 256
"""The number of positions that the sizes of chunks below are for."""

PATTERN_CHUNK, PATTERN_CHUNKS = 64, 8


class Chunks(NamedTuple):
    """A forward–backward kernel: its capacities, the size of a chunk, and the most chunks."""

    capacity: StateCapacity
    size: int
    number: int


def scaled(size: int, batch: int) -> int:
    """Returns the size of chunks for a larger batch, as accelerators have them.

    Chunks are counted one after the other: where more can be done at once, they are larger.
    """
    return size * max(1, batch // BATCH)


FORWARD_CHUNKS = (
    Chunks(StateCapacity(16, 32, states=16, words=2, mine_counts=MINE_COUNTS), 32, 6),
    Chunks(StateCapacity(32, 32, states=16, words=2, mine_counts=MINE_COUNTS), 16, 8),
    Chunks(StateCapacity(64, 64, states=32, words=2, mine_counts=MINE_COUNTS), 8, 4),
    # One component in thousands has more states: on the host it would cost as much as they do.
    Chunks(StateCapacity(64, 64, states=64, words=2, mine_counts=MINE_COUNTS), 4, 4),
)


class Selection(eqx.Module):
    """The components that one kernel counts, in chunks."""

    wanted: Bool[Array, "components batch"]
    index: Int[Array, "chunks chunk"]
    """The first of the wanted components, as many as there is room for; else past the end."""
    used: Int[Array, ""]
    """Chunks that are not empty."""

    @classmethod
    def of(cls, wanted: Bool[Array, "components batch"], chunk: int, chunks: int) -> "Selection":
        """Selects the first wanted components, as many as there is room for."""
        # Position by position, so that the first positions have all their components counted.
        components, batch = wanted.shape
        flat = wanted.T.reshape(-1)
        flat_index, valid = arrays.compact(flat, chunk * chunks)
        index = jnp.where(
            valid, flat_index % components * batch + flat_index // components, components * batch
        )
        used = -(-jnp.sum(flat, dtype=jnp.int32) // chunk)
        return cls(wanted, index.reshape(chunks, chunk), jnp.minimum(used, chunks))

    def chunk(self, i: Int[Array, ""]) -> Int[Array, " chunk"]:
        """Returns the indices of one chunk."""
        return jax.lax.dynamic_index_in_dim(self.index, i, 0, False)


class CountedPatterns(eqx.Module):
    """Components of few cells, counted by `patterns`."""

    selection: Selection
    patterns: PatternCounts

    @classmethod
    def of(
        cls, components: ComponentBoards, uncounted: Bool[Array, "components batch"]
    ) -> "CountedPatterns":
        """Counts those of the uncounted components that are small enough."""
        size = scaled(PATTERN_CHUNK, uncounted.shape[1])
        selection = Selection.of(uncounted & components.fits_patterns, size, PATTERN_CHUNKS)

        def work(i):
            return jax.vmap(patterns.count_patterns)(*components.take(selection.chunk(i)))

        return cls(selection, flatten_chunks(map_chunks(work, selection.used, PATTERN_CHUNKS)))

    @property
    def places(self) -> tuple[Int[Array, "room cells"], Int[Array, "room cells"]]:
        """Rows and columns of the cells."""
        return self.patterns.places

    @property
    def counts(self) -> ComponentCounts:
        """The layouts by mine count."""
        one = jnp.ones((self.patterns.layouts.shape[0],), jnp.int32)
        return ComponentCounts(one, self.patterns.layouts, one == 1, messages=None)

    def marginals(
        self, weights: Float[Array, "room mine_counts"], possible: UInt32[Array, " room"]
    ) -> CellMarginals:
        """Computes the marginals of the cells; arguments as in `AbstractComponentEngine`."""
        bits = possible[:, None] >> jnp.arange(MINE_COUNTS, dtype=jnp.uint32)[None, :]
        can = bits % 2 == 1
        with_mine = self.patterns.layouts_with_mine
        without = self.patterns.layouts[:, None] - with_mine
        return CellMarginals(
            mine=jnp.sum(with_mine * weights[:, None], axis=2),
            can_mine=jnp.any((with_mine > 0) & can[:, None], axis=2),
            can_clear=jnp.any((without > 0) & can[:, None], axis=2),
        )


class CountedForward(eqx.Module):
    """Longer components, counted by `forward_backward`; messages and lengths are by chunk."""

    selection: Selection
    places: tuple[Int[Array, "room cells"], Int[Array, "room cells"]]
    counts: ComponentCounts
    length: Int[Array, " chunks"]

    @classmethod
    def of(
        cls,
        components: ComponentBoards,
        uncounted: Bool[Array, "components batch"],
        chunks: Chunks,
    ) -> "CountedForward":
        """Counts those of the uncounted components that fit the capacity."""
        capacity = chunks.capacity
        small = (components.cells <= capacity.cells) & (components.numbers <= capacity.numbers)
        size = scaled(chunks.size, uncounted.shape[1])
        selection = Selection.of(uncounted & small, size, chunks.number)
        build = partial(frontier.build, capacity=max(capacity.cells, capacity.numbers))

        def work(i):
            cells, numbers, (ones, twos, fours) = components.take(selection.chunk(i))
            residuals = (ones, twos, fours, jnp.zeros_like(ones))
            built = materialize(jax.vmap(build)(cells, numbers, residuals))
            component = Component(
                cell_row=built.cell_row[:, : capacity.cells],
                cell_col=built.cell_col[:, : capacity.cells],
                number_row=built.number_row[:, : capacity.numbers],
                number_col=built.number_col[:, : capacity.numbers],
                residual=built.number_residual[:, : capacity.numbers],
            )
            length = jnp.max(jnp.sum(component.cell_row != FAR, axis=1, dtype=jnp.int32))
            counts = forward_backward.forward_pass(component, length, capacity, modulo=False)
            return (component.cell_row, component.cell_col), counts, length

        places, counts, length = map_chunks(work, selection.used, chunks.number)
        flat = ComponentCounts(
            flatten_chunks(counts.min_mines),
            flatten_chunks(counts.layouts),
            flatten_chunks(counts.fits),
            counts.messages,
        )
        return cls(selection, flatten_chunks(places), flat, length)

    def marginals(
        self, weights: Float[Array, "room mine_counts"], possible: UInt32[Array, " room"]
    ) -> CellMarginals:
        """Computes the marginals of the cells; arguments as in `AbstractComponentEngine`."""
        chunks = self.length.shape[0]
        by_chunk = (
            self.counts.messages,
            weights.reshape(chunks, -1, MINE_COUNTS),
            possible.reshape(chunks, -1),
            self.length,
        )

        def work(i):
            given = jax.tree.map(
                lambda leaf: jax.lax.dynamic_index_in_dim(leaf, i, 0, False), by_chunk
            )
            return forward_backward.backward_pass(*given)

        return flatten_chunks(map_chunks(work, self.selection.used, chunks))


def map_chunks(
    work: Callable[[Int[Array, ""]], PyTree], used: Int[Array, ""], chunks: int
) -> PyTree:
    """Stacks the results of `work` for chunks 0 to `used` − 1; zeros for the other `chunks`."""
    # Traced once, for its shapes and for the loop: tracing takes a good part of the start-up time.
    traced, shapes = jax.make_jaxpr(work, return_shape=True)(jnp.int32(0))
    again = jaxpr_as_fun(traced)
    zeros = jax.tree.map(lambda leaf: jnp.zeros((chunks, *leaf.shape), leaf.dtype), shapes)

    def step(chunk, so_far):
        return jax.tree.map(
            lambda whole, new: jax.lax.dynamic_update_index_in_dim(whole, new, chunk, 0),
            so_far,
            jax.tree.unflatten(jax.tree.structure(shapes), again(chunk)),
        )

    return jax.lax.fori_loop(0, used, step, zeros)


def flatten_chunks(tree: PyTree) -> PyTree:
    """Concatenates the chunks of each leaf."""
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), tree)
