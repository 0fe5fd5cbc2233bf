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
from jaxsweep.engines.component_engine import Edge, EdgeBeliefs, EdgeTable
from jaxsweep.engines.forward_backward import Tier
from jaxsweep.engines.isolated import lone_numbers
from jaxsweep.engines.patterns import SPREAD, Tallies
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.bitboard import WORD, Bits, Planes
from jaxsweep.rules.frontier import FAR, Settled
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import kept

EDGES = 4
"""Edges of a position that are told apart, with those of a lone number set aside."""

TOTAL = 32
"""Sums of the edges' mine counts, above the least, that are told apart."""

PATTERN_CHUNK, PATTERN_CHUNKS = 64, 8


class Walks(NamedTuple):
    """Edges that are walked: their capacities, how many go in step, and how often at most."""

    tier: Tier
    chunk: int
    chunks: int


WALKS = (
    Walks(Tier(cells=16, numbers=32, states=16, words=2, spread=SPREAD), 32, 6),
    Walks(Tier(cells=32, numbers=32, states=16, words=2, spread=SPREAD), 16, 8),
    Walks(Tier(cells=64, numbers=64, states=32, words=2, spread=SPREAD), 8, 4),
    # One edge in thousands has more states: with the host's help it would cost as much as they do.
    Walks(Tier(cells=64, numbers=64, states=64, words=2, spread=SPREAD), 4, 4),
)

NO_MINE, A_MINE = -1.0, 2.0
"""What stands for certain cells in a grid of chances."""


class Parts(eqx.Module):
    """The edges of one position, as boards."""

    boundary: Bits
    active: Bits
    needs: Planes
    ordinal: tuple[Bits, Bits]
    """Of the edge that each boundary cell belongs to, as binary digits."""


class Answers(eqx.Module):
    """Beliefs of a batch of positions, last."""

    marks: Float[Array, "rows cols batch"]
    """The chance of a mine in hidden cells, or `NO_MINE`, or `A_MINE`, where that is certain."""
    safe: UInt32[Array, "rows words batch"]
    mines: UInt32[Array, "rows words batch"]
    log_layouts: Float[Array, " batch"]
    """The logarithm of the number of layouts."""
    status: Int[Array, " batch"]
    served: Bool[Array, " batch"]
    """False where there was no room for a position's edges among those of the others: then its
    status is `OVER_CAPACITY`, and in another batch it may not be."""

    @classmethod
    def of(cls, beliefs: Beliefs) -> "Answers":
        """The beliefs of another engine, in this form."""
        safe, mines = np.asarray(beliefs.safe), np.asarray(beliefs.mines)
        marks = np.where(safe, NO_MINE, np.where(mines, A_MINE, beliefs.mine_probability))
        return cls(
            marks=jnp.asarray(np.moveaxis(marks, 0, -1), jnp.float32),
            safe=jnp.asarray(bitboard.pack_batch(safe)),
            mines=jnp.asarray(bitboard.pack_batch(mines)),
            log_layouts=jnp.asarray(beliefs.log_layouts, jnp.float32),
            status=jnp.asarray(beliefs.status, jnp.int32),
            served=jnp.ones(len(safe), bool),
        )

    @classmethod
    def nothing(cls, positions: Position) -> "Answers":
        """Before anything is asked: flags are known mines, and that is all."""
        rows, words, batch = positions.hidden.shape
        return cls(
            marks=jnp.zeros((rows, words * WORD, batch), jnp.float32),
            safe=jnp.zeros_like(positions.hidden),
            mines=positions.flags,
            log_layouts=jnp.zeros((batch,), jnp.float32),
            status=jnp.full((batch,), Status.OVER_CAPACITY, jnp.int32),
            served=jnp.zeros((batch,), bool),
        )


def believe(settled: Settled) -> Answers:
    """Exact beliefs of settled positions, batch last; `OVER_CAPACITY` where there is no room."""
    lone = lone_numbers(settled)
    parts = split(settled, lone.cells)
    edges = kept(_Edges.of(parts))
    batch = settled.mines_left.shape[0]
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
    free, mines = bitboard.count(settled.free), settled.mines_left - lone.mines
    joined = convolution.join(
        jnp.moveaxis(layouts.reshape(EDGES, batch, SPREAD), 2, 1),
        least.reshape(EDGES, batch),
        bitboard.count(parts.boundary),
        free,
        mines,
        TOTAL,
    )
    joined = kept(joined)
    fits &= joined.fits
    consistent = settled.consistent & (settled.mines_left >= 0)
    status = jnp.where(
        consistent & fits,
        jnp.where(joined.consistent, Status.EXACT, Status.INCONSISTENT),
        jnp.where(consistent, Status.OVER_CAPACITY, Status.INCONSISTENT),
    ).astype(jnp.int32)

    rows, words = settled.free.shape[:2]
    weights = jnp.moveaxis(joined.weights, 1, 2).reshape(EDGES * batch, SPREAD)
    possible = joined.possible.reshape(EDGES * batch)
    marks = jnp.zeros((rows * words * WORD * batch,), jnp.float32)
    for group in groups:
        index = group.choice.index.reshape(-1)
        own = jnp.minimum(index, EDGES * batch - 1)
        beliefs = group.believe(weights[own], possible[own])
        row, col = group.places
        place = (row * (words * WORD) + col) * batch + (own % batch)[:, None]
        there = (row != FAR) & (index < EDGES * batch)[:, None]
        place = jnp.where(there, place, marks.shape[0])
        mark = _mark(beliefs.mine, beliefs.can_mine, beliefs.can_clear)
        marks = marks.at[place].set(mark, mode="drop")
    on_free = _mark(joined.free_mine, joined.free_can_mine, joined.free_can_clear)

    def unpack(bits):
        return jnp.asarray(bitboard.unpack(bits, words * WORD))

    marks = marks.reshape(rows, words * WORD, batch) + lone.chance
    marks = jnp.where(unpack(settled.free), on_free[None, None, :], marks)
    # Of what was settled before, a position without exact beliefs keeps what it knows.
    held = (status != Status.INCONSISTENT)[None, None, :]
    marks = jnp.where((status == Status.EXACT)[None, None, :], marks, 0.0)
    marks = jnp.where(unpack(settled.certain.safe) & held, NO_MINE, marks)
    marks = kept(jnp.where(unpack(settled.certain.mines) & held, A_MINE, marks))
    return Answers(
        marks=marks,
        safe=jnp.asarray(bitboard.pack(marks == NO_MINE)),
        mines=jnp.asarray(bitboard.pack(marks == A_MINE)),
        log_layouts=joined.log_scale + lone.log_layouts + _log_choose(free, joined.anchor),
        status=status,
        served=~jnp.any(crowded.reshape(EDGES, batch), axis=0),
    )


def _log_choose(n: Int[Array, " batch"], k: Int[Array, " batch"]) -> Float[Array, " batch"]:
    def log_factorial(count: Int[Array, " batch"]) -> Float[Array, " batch"]:
        return jax.lax.lgamma(jnp.maximum(count, 0).astype(jnp.float32) + 1.0)

    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def _mark(
    chance: Float[Array, "*cells"],
    can_mine: Bool[Array, "*cells"],
    can_clear: Bool[Array, "*cells"],
) -> Float[Array, "*cells"]:
    marked = jnp.where(can_clear, jnp.clip(chance, 0.0, 1.0), A_MINE)
    return jnp.where(can_mine, marked, NO_MINE)


def split(settled: Settled, taken: Bits) -> Parts:
    """Finds the edges of what is left: each is grown from its first cell until it grows no more.

    If there are too many, the last ones count as one: they have nothing in common, which is no
    harm to a walk.
    """
    boundary = settled.boundary & ~taken
    active = settled.active & bitboard.dilate(boundary)

    def step(state):
        left, edge, digits, ordinal = state
        near = kept(bitboard.dilate(edge) & active)
        grown = kept(bitboard.dilate(near) & boundary)
        done = ~bitboard.any_set(grown ^ edge)
        ones, twos = (
            digit | bitboard.mask(done & ((jnp.minimum(ordinal, EDGES - 1) >> i) % 2 == 1), edge)
            for i, digit in enumerate(digits)
        )
        left = kept(left & ~bitboard.mask(done, edge))
        edge = bitboard.select(done, _first(left), grown)
        return left, edge, (ones, twos), ordinal + done.astype(jnp.int32)

    nothing = jnp.zeros_like(boundary)
    start = (boundary, _first(boundary), (nothing, nothing), jnp.zeros_like(settled.mines_left))
    _, _, ordinal, _ = jax.lax.while_loop(lambda state: jnp.any(state[0] != 0), step, start)
    return Parts(boundary, active, settled.needs, ordinal)


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
        ones, twos, fours, _ = parts.needs
        stacked = jnp.stack([parts.boundary, parts.active, *parts.ordinal, ones, twos, fours])

        def sizes(ordinal):
            cells = _edge_cells(parts.boundary, parts.ordinal, ordinal)
            return bitboard.count(cells), bitboard.count(parts.active & bitboard.dilate(cells))

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
        cells = jax.vmap(_edge_cells)(boundary, (low, high), index // batch)
        cells = jnp.where(there, cells, jnp.uint32(0))
        numbers = active & jax.vmap(bitboard.dilate)(cells)
        ones, twos, fours = needs
        return cells, numbers, (ones, twos, fours)


def _edge_cells(boundary: Bits, digits: tuple[Bits, Bits], ordinal: Int[Array, ""]) -> Bits:
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
    def table(self) -> EdgeTable:
        one = jnp.ones((self.tallies.layouts.shape[0],), jnp.int32)
        return EdgeTable(one, self.tallies.layouts, one == 1, trail=None)

    def believe(
        self, weights: Float[Array, "room spread"], possible: UInt32[Array, " room"]
    ) -> EdgeBeliefs:
        can = (possible[:, None] >> jnp.arange(SPREAD, dtype=jnp.uint32)[None, :]) % 2 == 1
        through = self.tallies.through
        clear = self.tallies.layouts[:, None] - through
        return EdgeBeliefs(
            mine=jnp.sum(through * weights[:, None], axis=2),
            can_mine=jnp.any((through > 0) & can[:, None], axis=2),
            can_clear=jnp.any((clear > 0) & can[:, None], axis=2),
        )


class _Walked(eqx.Module):
    """Longer edges, counted cell by cell; trail and lengths are by chunk."""

    choice: _Choice
    places: tuple[Int[Array, "room cells"], Int[Array, "room cells"]]
    table: EdgeTable
    length: Int[Array, " chunks"]

    @classmethod
    def of(cls, edges: _Edges, left: Bool[Array, "edges batch"], walks: Walks) -> "_Walked":
        tier, capacity = walks.tier, max(walks.tier.cells, walks.tier.numbers)
        which = left & (edges.cells <= tier.cells) & (edges.numbers <= tier.numbers)
        choice = _Choice.of(which, walks.chunk, walks.chunks)

        def work(chunk):
            cells, numbers, (ones, twos, fours) = edges.take(choice.part(chunk))
            needs = (ones, twos, fours, jnp.zeros_like(ones))
            built = kept(
                jax.vmap(partial(frontier.build, capacity=capacity))(cells, numbers, needs)
            )
            edge = Edge(
                cell_row=built.cell_row[:, : tier.cells],
                cell_col=built.cell_col[:, : tier.cells],
                number_row=built.number_row[:, : tier.numbers],
                number_col=built.number_col[:, : tier.numbers],
                need=built.number_need[:, : tier.numbers],
            )
            length = jnp.max(jnp.sum(edge.cell_row != FAR, axis=1, dtype=jnp.int32))
            table = forward_backward.count_layouts(edge, length, tier, residues=False)
            return (edge.cell_row, edge.cell_col), table, length

        places, table, length = _in_chunks(work, choice.used, walks.chunks)
        flat = EdgeTable(_flat(table.least), _flat(table.layouts), _flat(table.fits), table.trail)
        return cls(choice, _flat(places), flat, length)

    def believe(
        self, weights: Float[Array, "room spread"], possible: UInt32[Array, " room"]
    ) -> EdgeBeliefs:
        chunks = self.length.shape[0]
        parts = (
            self.table.trail,
            weights.reshape(chunks, -1, SPREAD),
            possible.reshape(chunks, -1),
            self.length,
        )

        def work(chunk):
            own = (jax.lax.dynamic_index_in_dim(leaf, chunk, 0, False) for leaf in parts[1:])
            trail = jax.tree.map(
                lambda leaf: jax.lax.dynamic_index_in_dim(leaf, chunk, 0, False), parts[0]
            )
            return forward_backward.believe(trail, *own)

        return _flat(_in_chunks(work, self.choice.used, chunks))
