"""The exact engine: every edge counted by merging equal states, all edges joined by the mine count.

This file is the host's part: it sorts positions and edges into batches of a few fixed shapes, and
sends what exceeds a kernel's capacity to the next larger one. The arithmetic is in the kernels.
"""

import itertools
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import jax
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep import bitboard, frontier
from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.deduction import Certain
from jaxsweep.engines import edge_tables, joining
from jaxsweep.engines.edge_tables import Edge, Tier, Trail
from jaxsweep.frontier import FAR, Frontier, Settled
from jaxsweep.position import Position

FRONTIER_TIERS = (32, 64, 128, 512, 2048)
"""Boundary cells, and numbers, that a frontier kernel has places for."""

TINY_EDGES = Tier(cells=8, numbers=12, states=8, words=2, spread=8)
"""Most edges are this small; they get a kernel of their own where there are many of them."""

EDGE_TIERS = (
    Tier(cells=16, numbers=24, states=16, words=2, spread=8),
    Tier(cells=64, numbers=64, states=16, words=2, spread=8),
    Tier(cells=128, numbers=128, states=64, words=3, spread=16),
    Tier(cells=512, numbers=512, states=64, words=3, spread=32),
    Tier(cells=512, numbers=512, states=512, words=5, spread=32),
    Tier(cells=1024, numbers=1024, states=4096, words=8, spread=32),
)

JOIN_TIERS = ((8, 8, 32), (32, 8, 128), (64, 16, 256), (64, 32, 512), (1024, 32, 4096))
"""Edges, mine counts of an edge, and sums of mine counts that a joining kernel has room for."""

BATCHES = (4, 32, 256)
"""The batch sizes that kernels are compiled for."""

BYTES_KEPT = 2**30
"""What all calls together may keep of their walks."""

BYTES = 2**28
"""What one call of an edge kernel may keep of its walk: larger tiers get smaller batches."""


SPREAD = max(tier.spread for tier in EDGE_TIERS)


@jax.jit
def settle_batch(positions: Position) -> Settled:
    """`frontier.settle`, batch last."""
    return jax.vmap(frontier.settle, in_axes=-1, out_axes=-1)(positions)


@partial(jax.jit, static_argnames="capacity")
def build_batch(settled: Settled, capacity: int) -> Frontier:
    """`frontier.build`, batch last in and batch first out."""

    def one(part: Settled) -> Frontier:
        return frontier.build(part.boundary, part.active, part.needs, capacity)

    first = jax.tree.map(lambda leaf: jax.numpy.moveaxis(leaf, -1, 0), settled)
    return jax.vmap(one)(first)


count_batch = jax.jit(edge_tables.count_layouts, static_argnames="tier")
believe_batch = jax.jit(edge_tables.believe)


@partial(jax.jit, static_argnames="total")
def join_batch(
    layouts: Float[Array, "batch edges spread"],
    least: Int[Array, "batch edges"],
    cells: Int[Array, " batch"],
    free: Int[Array, " batch"],
    mines: Int[Array, " batch"],
    total: int,
) -> joining.Joined:
    """`joining.join`, batch first."""
    return jax.vmap(partial(joining.join, total=total))(layouts, least, cells, free, mines)


@dataclass
class Edges:
    """All edges of a batch of positions: entry i of each array is of edge i.

    An edge's cells and numbers are a stretch of the flat lists, which hold all positions'.
    """

    position: Int[np.ndarray, " edges"]
    ordinal: Int[np.ndarray, " edges"]
    cell_start: Int[np.ndarray, " edges"]
    cells: Int[np.ndarray, " edges"]
    number_start: Int[np.ndarray, " edges"]
    numbers: Int[np.ndarray, " edges"]
    cell_row: Int[np.ndarray, " flat"]
    cell_col: Int[np.ndarray, " flat"]
    number_row: Int[np.ndarray, " flat"]
    number_col: Int[np.ndarray, " flat"]
    need: Int[np.ndarray, " flat"]

    def __len__(self) -> int:
        return len(self.position)

    def pad(self, which: Int[np.ndarray, " batch"], tier: Tier) -> Edge:
        """These edges as dense arrays."""

        def take(flat, start, size, capacity, filler):
            step = np.arange(capacity)
            place = np.minimum(start[which, None] + step, len(flat) - 1)
            return np.where(step < size[which, None], flat[place], filler).astype(np.int32)

        cells = (self.cell_start, self.cells, tier.cells)
        numbers = (self.number_start, self.numbers, tier.numbers)
        return Edge(
            cell_row=take(self.cell_row, *cells, FAR),
            cell_col=take(self.cell_col, *cells, FAR),
            number_row=take(self.number_row, *numbers, FAR),
            number_col=take(self.number_col, *numbers, FAR),
            need=take(self.need, *numbers, 0),
        )


@dataclass
class Walk:
    """A batch of edges walked forward in one call, to be walked back."""

    edges: Int[np.ndarray, " batch"]
    kept: Int[np.ndarray, " kept"]
    """The places in the batch whose tables hold: neither padding nor over capacity."""
    tier: Tier
    length: np.int32
    trail: Trail | None
    """None where it was too much to keep: then it is walked once more."""


@dataclass
class Counted:
    """The tables of all edges."""

    least: Int[np.ndarray, " edges"]
    layouts: Float[np.ndarray, "edges spread"]
    residue: UInt32[np.ndarray, "edges spread"]
    fits: Bool[np.ndarray, " edges"]
    walks: list[Walk] = field(default_factory=list)
    bytes_kept: int = 0


@dataclass
class Joint:
    """What joining the edges gave: for each edge, and for each position."""

    weights: Float[np.ndarray, "edges spread"]
    possible: UInt32[np.ndarray, " edges"]
    free_mine: Float[np.ndarray, " positions"]
    free_can_mine: Bool[np.ndarray, " positions"]
    free_can_clear: Bool[np.ndarray, " positions"]
    consistent: Bool[np.ndarray, " positions"]
    log_layouts: Float[np.ndarray, " positions"]
    fits: Bool[np.ndarray, " positions"]


def believe(positions: Position) -> Beliefs:
    """Beliefs of a batch of positions, batch last in and first out.

    Assumes that all of them fit into memory at once; `jaxsweep.infer` cuts larger batches.
    """
    settled = settle(positions)
    cells, free = (_sizes(m) for m in (settled.boundary, settled.free))
    edges, fits = find_edges(settled)
    counted = _count(edges)
    fits &= ~_any_of(len(fits), edges.position[~counted.fits])
    possible = settled.consistent & (settled.mines_left >= 0)
    joint = _join(edges, counted, np.stack([cells, free, settled.mines_left]), fits & possible)
    status = np.where(joint.consistent, Status.EXACT, Status.INCONSISTENT)
    status = np.where(joint.fits, status, Status.OVER_CAPACITY)
    status = np.where(possible, status, Status.INCONSISTENT)
    return _fill(settled, edges, counted, joint, status)


def count_exactly(positions: Position) -> list[int | None]:
    """The number of layouts of each position, batch last, as a whole number.

    None where it is out of reach: over capacity, or an edge with 10¹⁵ layouts or more.
    """
    settled = settle(positions)
    possible = settled.consistent & (settled.mines_left >= 0)
    free = _sizes(settled.free)
    edges, fits = find_edges(settled)
    counted = _count(edges)
    lost = ~counted.fits | (counted.layouts >= 1e15).any(1)
    fits &= ~_any_of(len(fits), edges.position[lost])
    of_position: list[list[int]] = [[] for _ in fits]
    for edge, position in enumerate(edges.position):
        of_position[position].append(edge)
    totals: list[int | None] = []
    for position, own in enumerate(of_position):
        if not possible[position]:
            totals.append(0)
        elif not fits[position]:
            totals.append(None)
        else:
            mines, cells = int(settled.mines_left[position]), int(free[position])
            totals.append(_close([_exact_counts(counted, edge) for edge in own], mines, cells))
    return totals


def _exact_counts(counted: Counted, edge: int) -> dict[int, int]:
    """An edge's layouts by number of mines, as whole numbers."""
    rows = zip(counted.layouts[edge], counted.residue[edge], strict=True)
    least = int(counted.least[edge])
    lifted = [_lift(float(rounded), int(residue)) for rounded, residue in rows]
    return {least + k: ways for k, ways in enumerate(lifted) if ways}


def _close(edges: list[dict[int, int]], mines: int, free: int) -> int:
    """Layouts of edges and free cells with so many mines in all."""
    sums = {0: 1}
    for edge in edges:
        after: dict[int, int] = {}
        for (laid, so_far), (more, ways) in itertools.product(sums.items(), edge.items()):
            after[laid + more] = after.get(laid + more, 0) + so_far * ways
        sums = after
    return sum(ways * math.comb(free, mines - laid) for laid, ways in sums.items() if laid <= mines)


def warm_up(position: Position) -> None:
    """Compiles the smallest kernels side by side: those that a position of this size needs.

    Compiling is most of what a person waits for at first; the cores can share it.
    """
    batch, tier = BATCHES[0], EDGE_TIERS[0]

    def to_edges() -> None:
        copies = jax.tree.map(lambda leaf: np.stack([leaf] * batch, axis=-1), position)
        build_batch(settle_batch(copies), FRONTIER_TIERS[0])

    def from_edges() -> None:
        cells, numbers = (np.zeros((batch, n), np.int32) for n in (tier.cells, tier.numbers))
        table = count_batch(Edge(cells, cells, numbers, numbers, numbers), np.int32(0), tier)
        believe_batch(table.trail, table.layouts, table.residue[:, 0], np.int32(0))
        edges, spread, total = JOIN_TIERS[0]
        none = np.zeros(batch, np.int32)
        layouts = np.zeros((batch, edges, spread), np.float32)
        join_batch(layouts, np.zeros((batch, edges), np.int32), none, none, none, total)

    with ThreadPoolExecutor() as threads:
        for task in [threads.submit(to_edges), threads.submit(from_edges)]:
            task.result()


def _lift(rounded: float, residue: int) -> int:
    """The whole number next to a rounded one that has this residue modulo 2³²."""
    return residue + round((rounded - residue) / 2**32) * 2**32


def certain_by_single(position: Position) -> Certain:
    """What the single-cell rules settle of one position; by a kernel that inference has anyway."""
    settled = settle(jax.tree.map(lambda leaf: leaf[..., None], position))
    return jax.tree.map(lambda leaf: jax.numpy.asarray(leaf[..., 0]), settled.certain)


def _batches(which: Int[np.ndarray, " many"], most: int) -> Iterator[tuple[np.ndarray, int]]:
    """Cuts a list into batches of few sizes, padded by repetition, and tells how many are real."""
    # What is so large that few fit into a batch goes one at a time.
    sizes = [size for size in BATCHES if size <= most] if most >= BATCHES[1] else [1]
    start = 0
    while start < len(which):
        left = len(which) - start
        # Some batches of a smaller size rather than one that is mostly padding.
        size = next((size for size in reversed(sizes) if 2 * left >= size), sizes[0])
        part = which[start : start + size]
        yield np.concatenate([part, np.full(size - len(part), part[-1])]), len(part)
        start += size


def settle(positions: Position) -> Settled:
    """Settles a batch; the result is on the host."""
    host = jax.device_get(positions)
    parts = []
    for which, real in _batches(np.arange(len(host.mines)), BATCHES[-1]):
        batch = jax.tree.map(lambda leaf, which=which: leaf[..., which], host)
        settled = jax.device_get(settle_batch(batch))
        parts.append(jax.tree.map(lambda leaf, real=real: leaf[..., :real], settled))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=-1), *parts)


def find_edges(settled: Settled) -> tuple[Edges, Bool[np.ndarray, " positions"]]:
    """The edges of all positions, and which positions fitted a frontier kernel."""
    sizes = np.maximum(*(_sizes(m) for m in (settled.boundary, settled.active)))
    wanted = settled.consistent & (settled.mines_left >= 0) & (sizes > 0)
    found, lists, offset, below = [], [], 0, 0
    for capacity in FRONTIER_TIERS:
        chosen = np.nonzero(wanted & (sizes > below) & (sizes <= capacity))[0]
        # Positions of like size walk in step.
        chosen = chosen[np.argsort(sizes[chosen], kind="stable")]
        for which, real in _batches(chosen, BYTES // (64 * capacity * capacity)):
            part = jax.tree.map(lambda leaf, which=which: leaf[..., which], settled)
            built = jax.device_get(build_batch(part, capacity))
            found.append(_edges_of(built, which[:real], offset))
            lists.append(built)
            offset += built.cell_row.size
        below = capacity
    merged = [np.concatenate(column) for column in zip(*found, strict=True)]
    if not found:
        merged = [np.zeros(0, np.int64)] * 6
    flat = [
        np.concatenate([getattr(built, name).ravel() for built in lists] or [np.zeros(1, np.int32)])
        for name in ("cell_row", "cell_col", "number_row", "number_col", "number_need")
    ]
    return Edges(*merged, *flat), sizes <= FRONTIER_TIERS[-1]


def _edges_of(
    built: Frontier, which: Int[np.ndarray, " real"], offset: int
) -> tuple[np.ndarray, ...]:
    """The edges of one batch of frontiers, as stretches of the flat lists from `offset` on."""
    capacity = built.cell_edge.shape[1]
    columns = []
    for labels in (built.cell_edge[: len(which)], built.number_edge[: len(which)]):
        starts = np.diff(labels, axis=1, prepend=-2) != 0
        ends = np.diff(labels, axis=1, append=-2) != 0
        row, start = np.nonzero(starts & (labels >= 0))
        _, end = np.nonzero(ends & (labels >= 0))
        columns += [row, labels[row, start], offset + row * capacity + start, end - start + 1]
    row, ordinal, cell_start, cells, number_row, number_ordinal, number_start, numbers = columns
    assert np.array_equal(row, number_row)
    assert np.array_equal(ordinal, number_ordinal)
    return which[row], ordinal, cell_start, cells, number_start, numbers


def _count(edges: Edges) -> Counted:
    """Walks all edges forward, each in the smallest kernel that holds it."""
    total = len(edges)
    counted = Counted(
        least=np.zeros(total, np.int32),
        layouts=np.zeros((total, SPREAD), np.float32),
        residue=np.zeros((total, SPREAD), np.uint32),
        fits=np.zeros(total, bool),
    )
    for tier in (TINY_EDGES, *EDGE_TIERS):
        small = (edges.cells <= tier.cells) & (edges.numbers <= tier.numbers)
        chosen = np.nonzero(small & ~counted.fits)[0]
        if tier is TINY_EDGES and len(chosen) < BATCHES[-1]:
            continue
        # Edges of like length walk in step.
        chosen = chosen[np.argsort(edges.cells[chosen], kind="stable")]
        room = BYTES // (4 * tier.cells * tier.states * tier.spread)
        for which, real in _batches(chosen, room):
            length = np.int32(edges.cells[which].max())
            table = count_batch(edges.pad(which, tier), length, tier)
            host = jax.device_get((table.least, table.layouts, table.residue, table.fits))
            least, layouts, residue, fits = (part[:real] for part in host)
            own = which[:real]
            counted.least[own], counted.fits[own] = least, fits
            counted.layouts[own, : tier.spread] = layouts
            counted.residue[own, : tier.spread] = residue
            keep = counted.bytes_kept < BYTES_KEPT
            counted.bytes_kept += table.trail.counts.nbytes if keep else 0
            walk = Walk(which, np.nonzero(fits)[0], tier, length, table.trail if keep else None)
            counted.walks.append(walk)
    return counted


def _join(
    edges: Edges,
    counted: Counted,
    sizes: Int[np.ndarray, "3 positions"],
    wanted: Bool[np.ndarray, " positions"],
) -> Joint:
    """Joins the edges of all wanted positions; `sizes` are boundary cells, free cells, mines."""
    positions = sizes.shape[1]
    joint = Joint(
        weights=np.zeros((len(edges), SPREAD), np.float32),
        possible=np.zeros(len(edges), np.uint32),
        free_mine=np.zeros(positions, np.float32),
        free_can_mine=np.zeros(positions, bool),
        free_can_clear=np.zeros(positions, bool),
        consistent=np.zeros(positions, bool),
        log_layouts=np.full(positions, -np.inf),
        fits=np.zeros(positions, bool),
    )
    number = np.bincount(edges.position, minlength=positions)
    widest = np.zeros(positions, np.int64)
    reach = (counted.layouts > 0) * np.arange(1, SPREAD + 1)
    np.maximum.at(widest, edges.position, reach.max(1, initial=0))
    for most, spread, total in JOIN_TIERS:
        chosen = np.nonzero(wanted & ~joint.fits & (number <= most) & (widest <= spread))[0]
        for which, real in _batches(chosen, BYTES // (16 * most * total)):
            place = np.full(positions, -1)
            place[which[:real]] = np.arange(real)
            own = np.nonzero(place[edges.position] >= 0)[0]
            at = (place[edges.position[own]], edges.ordinal[own])
            layouts = np.zeros((len(which), most, spread), np.float32)
            layouts[..., 0] = 1.0
            layouts[at] = counted.layouts[own, :spread]
            least = np.zeros((len(which), most), np.int32)
            least[at] = counted.least[own]
            cells, free, mines = sizes[:, which].astype(np.int32)
            got = jax.device_get(join_batch(layouts, least, cells, free, mines, total))
            joint.weights[own, :spread] = got.weights[at]
            joint.possible[own] = got.possible[at]
            for name in ("free_mine", "free_can_mine", "free_can_clear", "consistent", "fits"):
                getattr(joint, name)[which[:real]] = getattr(got, name)[:real]
            exponents = got.log_scale + _log_choose(free, got.anchor)
            joint.log_layouts[which[:real]] = np.where(got.consistent, exponents, -np.inf)[:real]
    return joint


def _log_choose(n: Int[np.ndarray, " batch"], k: Int[np.ndarray, " batch"]) -> np.ndarray:
    """Logarithms of n choose k; of no meaning where there is no such number."""
    log_factorial = np.vectorize(math.lgamma, otypes=[np.float64])
    k = np.clip(k, 0, n)
    return log_factorial(n + 1.0) - log_factorial(k + 1.0) - log_factorial(n - k + 1.0)


def _fill(
    settled: Settled, edges: Edges, counted: Counted, joint: Joint, status: Int[np.ndarray, " p"]
) -> Beliefs:
    """Walks the edges back, and writes what is known of every cell into grids."""
    exact = status == Status.EXACT
    safe = bitboard.unpack_batch(settled.certain.safe)
    mines = bitboard.unpack_batch(settled.certain.mines)
    free = bitboard.unpack_batch(settled.free) & exact[:, None, None]
    chance = np.where(free, joint.free_mine[:, None, None], mines.astype(np.float32))
    safe |= free & ~joint.free_can_mine[:, None, None]
    mines |= free & ~joint.free_can_clear[:, None, None]
    for walk in counted.walks:
        trail, spread = walk.trail, walk.tier.spread
        if trail is None:
            trail = count_batch(edges.pad(walk.edges, walk.tier), walk.length, walk.tier).trail
        believed = jax.device_get(
            believe_batch(
                trail,
                joint.weights[walk.edges, :spread],
                joint.possible[walk.edges],
                walk.length,
            )
        )
        kept = walk.kept[exact[edges.position[walk.edges[walk.kept]]]]
        own = walk.edges[kept]
        step = np.arange(believed.mine.shape[1])
        there = step < edges.cells[own, None]
        flat = (edges.cell_start[own, None] + step)[there]
        at = (
            np.broadcast_to(edges.position[own, None], there.shape)[there],
            edges.cell_row[flat],
            edges.cell_col[flat],
        )
        chance[at] = believed.mine[kept][there]
        safe[at] |= ~believed.can_mine[kept][there]
        mines[at] |= ~believed.can_clear[kept][there]
    inconsistent = (status == Status.INCONSISTENT)[:, None, None]
    safe, mines = safe & ~inconsistent, mines & ~inconsistent
    chance = np.clip(np.where(safe, 0.0, np.where(mines, 1.0, chance)), 0.0, 1.0)
    return Beliefs(
        mine_probability=np.where(exact[:, None, None], chance, 0.0).astype(np.float32),
        safe=safe,
        mines=mines,
        log_layouts=np.where(exact, joint.log_layouts, -np.inf),
        status=status.astype(np.int32),
    )


def _sizes(
    boards: UInt32[np.ndarray | Array, "rows words positions"],
) -> Int[np.ndarray, " positions"]:
    """How many cells of each board are set."""
    return np.bitwise_count(np.asarray(boards)).sum((0, 1), dtype=np.int32)


def _any_of(size: int, which: Int[np.ndarray, " some"]) -> Bool[np.ndarray, " size"]:
    """A mask with these places set."""
    mask = np.zeros(size, bool)
    mask[which] = True
    return mask
