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
from jaxsweep.engines.batching import BATCHES, reduce_batch, sizes_of
from jaxsweep.engines.beliefs import Beliefs
from jaxsweep.engines.component_engine import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.forward_backward import ForwardMessages, WalkCapacity
from jaxsweep.rules.position import Position

CAPACITIES = (
    # Most edges are this small; where there are many, they get a kernel of their own.
    WalkCapacity(cells=8, numbers=12, states=8, words=2, spread=8, worth_from=256),
    WalkCapacity(cells=16, numbers=24, states=16, words=2, spread=8),
    WalkCapacity(cells=64, numbers=64, states=16, words=2, spread=8),
    WalkCapacity(cells=128, numbers=128, states=64, words=3, spread=16),
    WalkCapacity(cells=512, numbers=512, states=64, words=3, spread=32),
    WalkCapacity(cells=512, numbers=512, states=512, words=5, spread=32),
    WalkCapacity(cells=1024, numbers=1024, states=4096, words=8, spread=32),
)

count_batch = jax.jit(forward_backward.count_layouts, static_argnames="capacity")
believe_batch = jax.jit(forward_backward.believe)


class Exact(component_engine.AbstractComponentEngine[WalkCapacity]):
    """Exact beliefs of every position that fits the largest capacity: nearly all there are."""

    capacities: tuple[WalkCapacity, ...] = eqx.field(static=True, default=CAPACITIES)

    def count_components(
        self, edges: Component, length: np.int32, capacity: WalkCapacity
    ) -> ComponentCounts:
        """Walks the edges forward."""
        return count_batch(edges, length, capacity)

    def marginals(
        self,
        messages: ForwardMessages,
        weights: Float[np.ndarray, "batch spread"],
        possible: UInt32[np.ndarray | Array, " batch"],
        length: np.int32,
    ) -> CellMarginals:
        """Walks the edges back."""
        return believe_batch(messages, weights, possible, length)

    def infer_and_count(self, positions: Position) -> tuple[Beliefs, list[int | None]]:
        """As `infer`, and the number of layouts of each position as a whole number.

        Batch last. A number is None where it is out of reach: over capacity, or a component with
        10¹⁵ layouts or more.
        """
        solution = component_engine.solve(self, positions)
        return solution.beliefs, _layout_counts(solution)


def _layout_counts(solution: component_engine.Solution) -> list[int | None]:
    """The number of layouts of each position; None where float32 and its residue cannot tell."""
    reduced, components, counted, fits, _ = solution
    possible = component_engine.is_possible(reduced)
    unconstrained = sizes_of(reduced.unconstrained)
    lost = (counted.layouts >= 1e15).any(1)
    known = fits & ~component_engine.mask_of_indices(len(fits), components.position[lost])
    of_position: list[list[int]] = [[] for _ in fits]
    for component, position in enumerate(components.position):
        of_position[position].append(component)
    totals: list[int | None] = []
    for position, own in enumerate(of_position):
        if not possible[position]:
            totals.append(0)
        elif not known[position]:
            totals.append(None)
        else:
            mines, cells = int(reduced.mines_left[position]), int(unconstrained[position])
            totals.append(_close([_exact_counts(counted, one) for one in own], mines, cells))
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
    batch, capacity = BATCHES[0], CAPACITIES[1]

    def to_edges() -> None:
        copies = jax.tree.map(lambda leaf: np.stack([leaf] * batch, axis=-1), position)
        component_engine.build_batch(reduce_batch(copies), component_engine.FRONTIER_CAPACITIES[0])

    def from_edges() -> None:
        cells, numbers = (
            np.zeros((batch, n), np.int32) for n in (capacity.cells, capacity.numbers)
        )
        table = count_batch(
            Component(cells, cells, numbers, numbers, numbers), np.int32(0), capacity
        )
        believe_batch(table.messages, table.layouts, np.zeros(batch, np.uint32), np.int32(0))
        edges, spread, total = component_engine.JOIN_CAPACITIES[0]
        none = np.zeros(batch, np.int32)
        layouts = np.zeros((edges, spread, batch), np.float32)
        component_engine.join_batch(
            layouts, np.zeros((edges, batch), np.int32), none, none, none, total
        )

    with ThreadPoolExecutor() as threads:
        for task in [threads.submit(to_edges), threads.submit(from_edges)]:
            task.result()
