"""The exact engine as one program on the device: a batch of positions in, beliefs out, no host.

Edges of a few cells are counted by trying every pattern of mines at once; longer ones are walked as
the `exact` engine walks them. A number that shares no cell with another is an edge by itself, and
needs no counting. Room is fixed and small, for what real games have: what does not fit says so, and
goes to `exact`.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun
from jaxtyping import Array, Bool, Float, Int, PyTree, UInt32

from jaxsweep.engines import convolution, forward_backward, patterns
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.engines.component_engine import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.forward_backward import WalkCapacity
from jaxsweep.engines.isolated import isolated_constraints
from jaxsweep.engines.patterns import SPREAD, Tallies
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.bitboard import WORD, Bits, Planes
from jaxsweep.rules.frontier import FAR, ReducedPosition
from jaxsweep.runtime.materialize import materialize

EDGES = 4
"""Edges of a position that are told apart, with those of a lone number set aside."""

TOTAL = 32
"""Sums of the edges' mine counts, above the least, that are told apart."""

PATTERN_CHUNK, PATTERN_CHUNKS = 64, 8


class Walks(NamedTuple):
    """Edges that are walked: their capacities, how many go in step, and how often at most."""

    tier: WalkCapacity
    chunk: int
    chunks: int


WALKS = (
    Walks(WalkCapacity(cells=16, numbers=32, states=16, words=2, spread=SPREAD), 32, 6),
    Walks(WalkCapacity(cells=32, numbers=32, states=16, words=2, spread=SPREAD), 16, 8),
    Walks(WalkCapacity(cells=64, numbers=64, states=32, words=2, spread=SPREAD), 8, 4),
    # One edge in thousands has more states: with the host's help it would cost as much as they do.
    Walks(WalkCapacity(cells=64, numbers=64, states=64, words=2, spread=SPREAD), 4, 4),
)

CAN_MINE, CAN_CLEAR = np.uint8(1), np.uint8(2)
EITHER = np.uint8(CAN_MINE | CAN_CLEAR)
"""What a cell can be: bits of one small number, so that one scatter writes both."""


class Parts(eqx.Module):
    """The edges of one position, as boards."""

    boundary: Bits
    constraints: Bits
    residuals: Planes
    ordinal: tuple[Bits, Bits]
    """Of the edge that each boundary cell belongs to, as binary digits."""


def infer(reduced: ReducedPosition) -> Beliefs:
    """Exact beliefs about a batch of reduced positions, batch last.

    A position that exceeds the fixed capacity has status `OVER_CAPACITY`; one for whose components
    the others of the batch left no room, `BATCH_FULL`.
    """
    isolated = isolated_constraints(reduced)
    parts = split(reduced, isolated.cells)
    edges = materialize(_Edges.of(parts))
    batch = reduced.mines_left.shape[0]
    counted = ~edges.there.reshape(-1)
    crowded = jnp.zeros_like(counted)
    layouts = jnp.zeros((EDGES * batch, SPREAD), jnp.float32)
    layouts = layouts.at[:, 0].set(counted.astype(jnp.float32))
    least = jnp.zeros((EDGES * batch,), jnp.int32)
    groups = []
    # What a smaller kernel could not count, a larger one may.
    for count in (_Patterns.of, *(partial(_Walked.of, walks=walks) for walks in WALKS)):
        group = count(edges, (~counted & ~crowded).reshape(EDGES, batch))
        groups.append(group)
        index = group.choice.index.reshape(-1)
        layouts = layouts.at[index].set(group.table.layouts, mode="drop")
        least = least.at[index].set(group.table.least, mode="drop")
        counted = counted.at[index].set(group.table.fits, mode="drop")
        chosen = jnp.zeros_like(counted).at[index].set(True, mode="drop")
        crowded |= group.choice.wanted.reshape(-1) & ~chosen
    fits = jnp.all(counted.reshape(EDGES, batch), axis=0)
    unconstrained = bitboard.count(reduced.unconstrained)
    mines_left = reduced.mines_left - isolated.mines
    joined = convolution.join(
        jnp.moveaxis(layouts.reshape(EDGES, batch, SPREAD), 2, 1),
        least.reshape(EDGES, batch),
        bitboard.count(parts.boundary),
        unconstrained,
        mines_left,
        TOTAL,
    )
    joined = materialize(joined)
    fits &= joined.fits
    overflow = jnp.any(crowded.reshape(EDGES, batch), axis=0)
    consistent = reduced.consistent & (reduced.mines_left >= 0)
    status = jnp.select(
        [overflow, ~consistent, ~fits, ~joined.consistent],
        [
            jnp.int32(status)
            for status in (
                Status.BATCH_FULL,
                Status.INCONSISTENT,
                Status.OVER_CAPACITY,
                Status.INCONSISTENT,
            )
        ],
        jnp.int32(Status.EXACT),
    )

    rows, words = reduced.unconstrained.shape[:2]
    weights = jnp.moveaxis(joined.weights, 1, 2).reshape(EDGES * batch, SPREAD)
    possible = joined.possible.reshape(EDGES * batch)
    probability = jnp.zeros((rows * words * WORD * batch,), jnp.float32)
    values = jnp.full(probability.shape, EITHER, jnp.uint8)
    for group in groups:
        index = group.choice.index.reshape(-1)
        own = jnp.minimum(index, EDGES * batch - 1)
        marginals = group.marginals(weights[own], possible[own])
        row, col = group.places
        place = (row * (words * WORD) + col) * batch + (own % batch)[:, None]
        there = (row != FAR) & (index < EDGES * batch)[:, None]
        place = jnp.where(there, place, probability.shape[0])
        probability = probability.at[place].set(marginals.mine, mode="drop")
        can_mine, can_clear = (
            can.astype(jnp.uint8) for can in (marginals.can_mine, marginals.can_clear)
        )
        values = values.at[place].set(can_mine * CAN_MINE + can_clear * CAN_CLEAR, mode="drop")

    def unpack(bits):
        return jnp.asarray(bitboard.unpack(bits, words * WORD))

    def each(flags: Bool[Array, " batch"]) -> Bool[Array, "1 1 batch"]:
        return flags[None, None, :]

    free = unpack(reduced.unconstrained)
    probability = probability.reshape(rows, words * WORD, batch) + isolated.chance
    probability = jnp.where(free, joined.free_mine[None, None, :], probability)
    values = values.reshape(probability.shape)
    can_mine = jnp.where(free, each(joined.free_can_mine), (values & CAN_MINE) != 0)
    can_clear = jnp.where(free, each(joined.free_can_clear), (values & CAN_CLEAR) != 0)
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
        log_layouts=joined.log_scale
        + isolated.log_layouts
        + _log_choose(unconstrained, joined.anchor),
        status=status,
    )


def _log_choose(n: Int[Array, " batch"], k: Int[Array, " batch"]) -> Float[Array, " batch"]:
    def log_factorial(count: Int[Array, " batch"]) -> Float[Array, " batch"]:
        return jax.lax.lgamma(jnp.maximum(count, 0).astype(jnp.float32) + 1.0)

    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def split(reduced: ReducedPosition, taken: Bits) -> Parts:
    """Finds the edges of what is left: each is grown from its first cell until it grows no more.

    If there are too many, the last ones count as one: they have nothing in common, which is no
    harm to a walk.
    """
    boundary = reduced.boundary & ~taken
    active = reduced.constraints & bitboard.dilate(boundary)

    def step(state):
        left, edge, digits, ordinal = state
        near = materialize(bitboard.dilate(edge) & active)
        grown = materialize(bitboard.dilate(near) & boundary)
        done = ~bitboard.any_set(grown ^ edge)
        ones, twos = (
            digit | bitboard.mask(done & ((jnp.minimum(ordinal, EDGES - 1) >> i) % 2 == 1), edge)
            for i, digit in enumerate(digits)
        )
        left = materialize(left & ~bitboard.mask(done, edge))
        edge = bitboard.select(done, _first(left), grown)
        return left, edge, (ones, twos), ordinal + done.astype(jnp.int32)

    nothing = jnp.zeros_like(boundary)
    start = (boundary, _first(boundary), (nothing, nothing), jnp.zeros_like(reduced.mines_left))
    _, _, ordinal, _ = jax.lax.while_loop(lambda state: jnp.any(state[0] != 0), step, start)
    return Parts(boundary, active, reduced.residuals, ordinal)


def _first(bits: Bits) -> Bits:
    """The first set cell in reading order, alone."""
    rows, words, *batch = bits.shape
    index = jnp.arange(rows * words, dtype=jnp.int32).reshape(rows, words, *(1 for _ in batch))
    first = jnp.min(jnp.where(bits != 0, index, rows * words), axis=(0, 1))
    lowest = bits & (~bits + jnp.uint32(1))
    return jnp.where(index == first[None, None], lowest, jnp.uint32(0))


class _Edges(eqx.Module):
    """All edges of a batch: entry (ordinal, position), flat, of each list of sizes."""

    boards: UInt32[Array, "batch planes rows words"]
    there: Bool[Array, "edges batch"]
    cells: Int[Array, "edges batch"]
    numbers: Int[Array, "edges batch"]

    @classmethod
    def of(cls, parts: Parts) -> "_Edges":
        ones, twos, fours, _ = parts.residuals
        stacked = jnp.stack([parts.boundary, parts.constraints, *parts.ordinal, ones, twos, fours])

        def sizes(ordinal):
            cells = _component_cells(parts.boundary, parts.ordinal, ordinal)
            return bitboard.count(cells), bitboard.count(parts.constraints & bitboard.dilate(cells))

        found = [sizes(jnp.int32(ordinal)) for ordinal in range(EDGES)]
        cells, numbers = (jnp.stack(column) for column in zip(*found, strict=True))
        return cls(
            boards=jnp.moveaxis(stacked, -1, 0),
            there=cells > 0,
            cells=cells,
            numbers=numbers,
        )

    @property
    def few(self) -> Bool[Array, "edges batch"]:
        """Which edges are counted by trying all patterns."""
        return (self.cells <= patterns.CELLS) & (self.numbers <= patterns.NUMBERS)

    def take(self, index: Int[Array, " some"]) -> tuple[Array, Array, tuple[Array, Array, Array]]:
        """Cells, numbers and needs of these edges as boards, batch first."""
        batch = self.there.shape[1]
        there = (index < self.there.size)[:, None, None]
        boards = self.boards[jnp.minimum(index, self.there.size - 1) % batch]
        boundary, active, low, high, *needs = (boards[:, i] for i in range(7))
        cells = jax.vmap(_component_cells)(boundary, (low, high), index // batch)
        cells = jnp.where(there, cells, jnp.uint32(0))
        numbers = active & jax.vmap(bitboard.dilate)(cells)
        ones, twos, fours = needs
        return cells, numbers, (ones, twos, fours)


def _component_cells(boundary: Bits, digits: tuple[Bits, Bits], ordinal: Int[Array, ""]) -> Bits:
    every, nothing = jnp.uint32(0xFFFFFFFF), jnp.uint32(0)
    wanted = [jnp.where((ordinal >> i) % 2 == 1, every, nothing) for i in range(2)]
    return boundary & ~(digits[0] ^ wanted[0]) & ~(digits[1] ^ wanted[1])


def _in_chunks(work: Callable[[Int[Array, ""]], PyTree], used: Int[Array, ""], most: int) -> PyTree:
    """What `work` says of chunks 0 to `used` − 1, stacked in `most` places; zeros in the rest."""
    # Traced once, for its shapes and for the loop: tracing is a good part of a start.
    traced, shapes = jax.make_jaxpr(work, return_shape=True)(jnp.int32(0))
    again = jaxpr_as_fun(traced)
    nothing = jax.tree.map(lambda leaf: jnp.zeros((most, *leaf.shape), leaf.dtype), shapes)

    def step(chunk, so_far):
        return jax.tree.map(
            lambda whole, new: jax.lax.dynamic_update_index_in_dim(whole, new, chunk, 0),
            so_far,
            jax.tree.unflatten(jax.tree.structure(shapes), again(chunk)),
        )

    return jax.lax.fori_loop(0, used, step, nothing)


def _flat(tree: PyTree) -> PyTree:
    """Chunks one after the other, in one."""
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), tree)


class _Choice(eqx.Module):
    """Edges to be counted in one way, in chunks, and how many chunks there are."""

    wanted: Bool[Array, "edges batch"]
    index: Int[Array, "chunks chunk"]
    """The first of the wanted ones, as many as there is room for; past the end otherwise."""
    used: Int[Array, ""]

    @classmethod
    def of(cls, which: Bool[Array, "edges batch"], chunk: int, chunks: int) -> "_Choice":
        """The first of these edges that there is room for."""
        # Position by position, so that the first ones have all their edges served.
        (edges, batch), room = which.shape, chunk * chunks
        flat = which.T.reshape(-1)
        rank = jnp.where(flat, bitboard.running_count(flat) - 1, room)
        places = jnp.arange(edges * batch, dtype=jnp.int32).reshape(edges, batch).T.reshape(-1)
        index = jnp.full((room,), edges * batch, jnp.int32).at[rank].set(places, mode="drop")
        used = -(-jnp.sum(flat, dtype=jnp.int32) // chunk)
        return cls(which, index.reshape(chunks, chunk), jnp.minimum(used, chunks))

    def part(self, chunk: Int[Array, ""]) -> Int[Array, " chunk"]:
        return jax.lax.dynamic_index_in_dim(self.index, chunk, 0, False)


class _Patterns(eqx.Module):
    """Edges of few cells, counted."""

    choice: _Choice
    tallies: Tallies

    @classmethod
    def of(cls, edges: _Edges, left: Bool[Array, "edges batch"]) -> "_Patterns":
        choice = _Choice.of(left & edges.few, PATTERN_CHUNK, PATTERN_CHUNKS)

        def work(chunk):
            return jax.vmap(patterns.try_patterns)(*edges.take(choice.part(chunk)))

        return cls(choice, _flat(_in_chunks(work, choice.used, PATTERN_CHUNKS)))

    @property
    def places(self) -> tuple[Int[Array, "room cells"], Int[Array, "room cells"]]:
        return self.tallies.places

    @property
    def table(self) -> ComponentCounts:
        one = jnp.ones((self.tallies.layouts.shape[0],), jnp.int32)
        return ComponentCounts(one, self.tallies.layouts, one == 1, messages=None)

    def marginals(
        self, weights: Float[Array, "room spread"], possible: UInt32[Array, " room"]
    ) -> CellMarginals:
        can = (possible[:, None] >> jnp.arange(SPREAD, dtype=jnp.uint32)[None, :]) % 2 == 1
        through = self.tallies.through
        clear = self.tallies.layouts[:, None] - through
        return CellMarginals(
            mine=jnp.sum(through * weights[:, None], axis=2),
            can_mine=jnp.any((through > 0) & can[:, None], axis=2),
            can_clear=jnp.any((clear > 0) & can[:, None], axis=2),
        )


class _Walked(eqx.Module):
    """Longer edges, counted cell by cell; messages and lengths are by chunk."""

    choice: _Choice
    places: tuple[Int[Array, "room cells"], Int[Array, "room cells"]]
    table: ComponentCounts
    length: Int[Array, " chunks"]

    @classmethod
    def of(cls, edges: _Edges, left: Bool[Array, "edges batch"], walks: Walks) -> "_Walked":
        tier, capacity = walks.tier, max(walks.tier.cells, walks.tier.numbers)
        which = left & (edges.cells <= tier.cells) & (edges.numbers <= tier.numbers)
        choice = _Choice.of(which, walks.chunk, walks.chunks)

        def work(chunk):
            cells, numbers, (ones, twos, fours) = edges.take(choice.part(chunk))
            needs = (ones, twos, fours, jnp.zeros_like(ones))
            built = materialize(
                jax.vmap(partial(frontier.build, capacity=capacity))(cells, numbers, needs)
            )
            edge = Component(
                cell_row=built.cell_row[:, : tier.cells],
                cell_col=built.cell_col[:, : tier.cells],
                number_row=built.number_row[:, : tier.numbers],
                number_col=built.number_col[:, : tier.numbers],
                need=built.number_residual[:, : tier.numbers],
            )
            length = jnp.max(jnp.sum(edge.cell_row != FAR, axis=1, dtype=jnp.int32))
            table = forward_backward.count_layouts(edge, length, tier, residues=False)
            return (edge.cell_row, edge.cell_col), table, length

        places, table, length = _in_chunks(work, choice.used, walks.chunks)
        flat = ComponentCounts(
            _flat(table.least), _flat(table.layouts), _flat(table.fits), table.messages
        )
        return cls(choice, _flat(places), flat, length)

    def marginals(
        self, weights: Float[Array, "room spread"], possible: UInt32[Array, " room"]
    ) -> CellMarginals:
        chunks = self.length.shape[0]
        parts = (
            self.table.messages,
            weights.reshape(chunks, -1, SPREAD),
            possible.reshape(chunks, -1),
            self.length,
        )

        def work(chunk):
            own = (jax.lax.dynamic_index_in_dim(leaf, chunk, 0, False) for leaf in parts[1:])
            messages = jax.tree.map(
                lambda leaf: jax.lax.dynamic_index_in_dim(leaf, chunk, 0, False), parts[0]
            )
            return forward_backward.believe(messages, *own)

        return _flat(_in_chunks(work, self.choice.used, chunks))
