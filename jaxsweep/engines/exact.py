"""The exact engine: every edge counted by merging equal states, all edges joined by the mine count.

The arithmetic is in `edge_tables` and `joining`, the batching in `edgewise`.
"""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, UInt32

from jaxsweep.engines import component_engine, forward_backward
from jaxsweep.engines.batching import BATCHES, settle, settle_batch, sizes_of
from jaxsweep.engines.component_engine import Edge, EdgeBeliefs, EdgeTable
from jaxsweep.engines.forward_backward import Tier, Trail
from jaxsweep.rules.position import Position

TIERS = (
    # Most edges are this small; where there are many, they get a kernel of their own.
    Tier(cells=8, numbers=12, states=8, words=2, spread=8, worth_from=256),
    Tier(cells=16, numbers=24, states=16, words=2, spread=8),
    Tier(cells=64, numbers=64, states=16, words=2, spread=8),
    Tier(cells=128, numbers=128, states=64, words=3, spread=16),
    Tier(cells=512, numbers=512, states=64, words=3, spread=32),
    Tier(cells=512, numbers=512, states=512, words=5, spread=32),
    Tier(cells=1024, numbers=1024, states=4096, words=8, spread=32),
)

count_batch = jax.jit(forward_backward.count_layouts, static_argnames="tier")
believe_batch = jax.jit(forward_backward.believe)


class Exact(component_engine.AbstractEdgeEngine[Tier]):
    """Exact beliefs of every position that fits the largest capacity: nearly all there are."""

    tiers: tuple[Tier, ...] = eqx.field(static=True, default=TIERS)

    def count_edges(self, edges: Edge, length: np.int32, tier: Tier) -> EdgeTable:
        """Walks the edges forward."""
        return count_batch(edges, length, tier)

    def weigh_cells(
        self,
        trail: Trail,
        weights: Float[np.ndarray, "batch spread"],
        possible: UInt32[np.ndarray | Array, " batch"],
        length: np.int32,
    ) -> EdgeBeliefs:
        """Walks the edges back."""
        return believe_batch(trail, weights, possible, length)


def count_exactly(positions: Position) -> list[int | None]:
    """The number of layouts of each position, batch last, as a whole number.

    None where it is out of reach: over capacity, or an edge with 10¹⁵ layouts or more.
    """
    settled = settle(positions)
    possible, free = component_engine.is_possible(settled), sizes_of(settled.free)
    edges, fits = component_engine.find_edges(settled)
    counted = component_engine.count(Exact(), edges)
    lost = ~counted.fits | (counted.layouts >= 1e15).any(1)
    fits &= ~component_engine.any_of(len(fits), edges.position[lost])
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


def _exact_counts(counted: component_engine.Counted, edge: int) -> dict[int, int]:
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


def _lift(rounded: float, residue: int) -> int:
    """The whole number next to a rounded one that has this residue modulo 2³²."""
    return residue + round((rounded - residue) / 2**32) * 2**32


def warm_up(position: Position) -> None:
    """Compiles the smallest kernels side by side: those that a position of this size needs.

    Compiling is most of what a person waits for at first; the cores can share it.
    """
    batch, tier = BATCHES[0], TIERS[1]

    def to_edges() -> None:
        copies = jax.tree.map(lambda leaf: np.stack([leaf] * batch, axis=-1), position)
        component_engine.build_batch(settle_batch(copies), component_engine.FRONTIER_TIERS[0])

    def from_edges() -> None:
        cells, numbers = (np.zeros((batch, n), np.int32) for n in (tier.cells, tier.numbers))
        table = count_batch(Edge(cells, cells, numbers, numbers, numbers), np.int32(0), tier)
        believe_batch(table.trail, table.layouts, np.zeros(batch, np.uint32), np.int32(0))
        edges, spread, total = component_engine.JOIN_TIERS[0]
        none = np.zeros(batch, np.int32)
        layouts = np.zeros((edges, spread, batch), np.float32)
        component_engine.join_batch(
            layouts, np.zeros((edges, batch), np.int32), none, none, none, total
        )

    with ThreadPoolExecutor() as threads:
        for task in [threads.submit(to_edges), threads.submit(from_edges)]:
            task.result()
