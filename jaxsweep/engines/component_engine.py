"""Exact inference component by component: the host pipeline that the exact engines share.

`solve` reduces positions by the single-cell rules, finds the components of what is left, counts the
layouts of each component, joins the components of a position by its mine count, and fills in the
marginals of the cells. An engine defines only how a component is counted. Components go in batches
of a few fixed shapes; one that exceeds the capacity of a kernel goes to the next larger one.
"""

import abc
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Bool, Float, Int, PyTree, UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import (
    BYTES,
    is_possible,
    mask_of_indices,
    padded_batches,
    parallel_map,
    reduce_positions,
)
from jaxsweep.engines.component_index import ComponentIndex, find_components
from jaxsweep.engines.component_join import JoinedComponents, join_components
from jaxsweep.engines.components import (
    MAX_MINE_COUNTS,
    Capacity,
    CellMarginals,
    Component,
    ComponentCounts,
)
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.rules.position import Position

MESSAGE_BYTES = 2**30
"""Memory for the messages of all batches together, until the marginals are computed."""

CapacityT = TypeVar("CapacityT", bound=Capacity)


class AbstractComponentEngine(AbstractEngine, Generic[CapacityT]):
    """An engine that is defined by how it counts a component: exactly, or over capacity."""

    capacities: eqx.AbstractVar[tuple[CapacityT, ...]]
    """Capacities of the kernels, from the smallest to the largest."""

    @abc.abstractmethod
    def count_components(
        self, components: Component, length: np.int32, capacity: CapacityT
    ) -> ComponentCounts:
        """Counts the layouts of a batch of components, first, of at most `length` cells each."""

    @abc.abstractmethod
    def marginals(
        self,
        messages: PyTree,
        weights: Float[np.ndarray, "batch mine_counts"],
        possible: UInt32[np.ndarray, " batch"],
        length: np.int32,
    ) -> CellMarginals:
        """Computes the marginals of the cells, given the messages of `count_components`.

        `weights` are the weights of one layout with each mine count in the whole position,
        normalised over the layouts of the component. Bit k of `possible` tells whether the rest of
        the position allows `min_mines + k` mines at all.
        """

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Infers exact beliefs, or status `OVER_CAPACITY`; the seeds are not used."""
        return solve(self, positions).beliefs


class StageResults(NamedTuple):
    """The results of all stages of inference for a batch of positions."""

    reduced: ReducedPosition
    components: ComponentIndex
    counted: "CountedComponents"
    fits: Bool[np.ndarray, " positions"]
    """Which positions have all their components counted."""
    beliefs: Beliefs


def solve(engine: AbstractComponentEngine, positions: Position) -> StageResults:
    """Infers exact beliefs with an engine's way of counting, and returns every stage's results."""
    reduced = reduce_positions(positions)
    components, fits = find_components(reduced)
    counted = count_all_components(engine, components)
    fits &= ~mask_of_indices(len(fits), components.position[~counted.fits])
    wanted = fits & is_possible(reduced)
    joined = join_components(components, counted.min_mines, counted.layouts, reduced, wanted)
    beliefs = fill_beliefs(engine, reduced, components, counted, joined)
    return StageResults(reduced, components, counted, fits, beliefs)


@dataclass
class CountedBatch:
    """A batch of components counted in one call, with what their marginals are computed from."""

    components: Int[np.ndarray, " batch"]
    counted: Int[np.ndarray, " counted"]
    """The entries of the batch whose counts hold: neither padding nor over capacity."""
    capacity: Capacity
    length: np.int32
    messages: PyTree
    """None where memory ran out: then the components are counted again."""


@dataclass
class CountedComponents:
    """The counts of all components; fields as in `ComponentCounts`."""

    min_mines: Int[np.ndarray, " components"]
    layouts: Float[np.ndarray, "components mine_counts"]
    layouts_modulo: UInt32[np.ndarray, "components mine_counts"]
    fits: Bool[np.ndarray, " components"]
    batches: list[CountedBatch] = field(default_factory=list)
    message_bytes: int = 0


def count_all_components(
    engine: AbstractComponentEngine, components: ComponentIndex
) -> CountedComponents:
    """Counts all components, each in the smallest kernel that holds it."""
    total = len(components)
    counted = CountedComponents(
        min_mines=np.zeros(total, np.int32),
        layouts=np.zeros((total, MAX_MINE_COUNTS), np.float32),
        layouts_modulo=np.zeros((total, MAX_MINE_COUNTS), np.uint32),
        fits=np.zeros(total, bool),
    )
    for capacity in engine.capacities:
        small = (components.cells <= capacity.cells) & (components.numbers <= capacity.numbers)
        chosen = np.nonzero(small & ~counted.fits)[0]
        if len(chosen) < capacity.min_components:
            continue
        # Loops in a batch run as long as the longest one: components of like size go together.
        chosen = chosen[np.argsort(components.cells[chosen], kind="stable")]

        def work(
            job: tuple[np.ndarray, int, bool], capacity: Capacity = capacity
        ) -> tuple[ComponentCounts, CountedBatch]:
            which, real, keep = job
            length = np.int32(components.cells[which].max())
            padded = components.pad(which, capacity.cells, capacity.numbers)
            on_device = engine.count_components(padded, length, capacity)
            counts = jax.device_get(eqx.tree_at(lambda t: t.messages, on_device, None))
            fitting = np.nonzero(counts.fits[:real])[0]
            messages = on_device.messages if keep else None
            return counts, CountedBatch(which, fitting, capacity, length, messages)

        jobs = []
        for which, real in padded_batches(chosen, BYTES // capacity.bytes):
            jobs.append((which, real, counted.message_bytes < MESSAGE_BYTES))
            counted.message_bytes += capacity.bytes * len(which)
        max_bytes = max((capacity.bytes * len(which) for which, _, _ in jobs), default=0)
        results = parallel_map(work, jobs, max_bytes)
        for (which, real, _), (counts, batch) in zip(jobs, results, strict=True):
            own = which[:real]
            counted.min_mines[own], counted.fits[own] = counts.min_mines[:real], counts.fits[:real]
            counted.layouts[own, : capacity.mine_counts] = counts.layouts[:real]
            if counts.layouts_modulo is not None:
                counted.layouts_modulo[own, : capacity.mine_counts] = counts.layouts_modulo[:real]
            counted.batches.append(batch)
    return counted


def fill_beliefs(
    engine: AbstractComponentEngine,
    reduced: ReducedPosition,
    components: ComponentIndex,
    counted: CountedComponents,
    joined: JoinedComponents,
) -> Beliefs:
    """Computes the marginals of all cells, and writes them into the grids of the beliefs."""
    status = np.where(joined.consistent, Status.EXACT, Status.INCONSISTENT)
    status = np.where(joined.fits, status, Status.OVER_CAPACITY)
    status = np.where(is_possible(reduced), status, Status.INCONSISTENT)
    exact = status == Status.EXACT
    safe = bitboard.unpack_batch(reduced.certain.safe)
    mines = bitboard.unpack_batch(reduced.certain.mines)
    unconstrained = bitboard.unpack_batch(reduced.unconstrained) & exact[:, None, None]
    probability = np.where(
        unconstrained, joined.unconstrained_mine[:, None, None], mines.astype(np.float32)
    )
    safe |= unconstrained & ~joined.unconstrained_can_mine[:, None, None]
    mines |= unconstrained & ~joined.unconstrained_can_clear[:, None, None]
    results = cell_marginals(engine, components, counted, joined.weights, joined.possible)
    for batch, marginals in results:
        own = batch.counted[exact[components.position[batch.components[batch.counted]]]]
        at, is_cell = components.grid_index(batch.components[own], marginals.mine.shape[1])
        probability[at] = marginals.mine[own][is_cell]
        safe[at] |= ~marginals.can_mine[own][is_cell]
        mines[at] |= ~marginals.can_clear[own][is_cell]
    return Beliefs.build(
        status=status,
        mine_probability=probability,
        safe=safe,
        mines=mines,
        log_layouts=joined.log_layouts,
    )


def cell_marginals(
    engine: AbstractComponentEngine,
    components: ComponentIndex,
    counted: CountedComponents,
    weights: Float[np.ndarray, "components mine_counts"],
    possible: UInt32[np.ndarray, " components"],
) -> list[tuple[CountedBatch, CellMarginals]]:
    """Computes the marginals of the cells of all counted components, batch by batch, on the host.

    `weights` and `possible` are as in `AbstractComponentEngine.marginals`.
    """

    def work(batch: CountedBatch) -> CellMarginals:
        messages, capacity, which = batch.messages, batch.capacity, batch.components
        if messages is None:
            padded = components.pad(which, capacity.cells, capacity.numbers)
            messages = engine.count_components(padded, batch.length, capacity).messages
        own = weights[which, : capacity.mine_counts]
        return jax.device_get(engine.marginals(messages, own, possible[which], batch.length))

    batches = [batch for batch in counted.batches if len(batch.counted)]
    max_bytes = max((one.capacity.bytes * len(one.components) for one in batches), default=0)
    return list(zip(batches, parallel_map(work, batches, max_bytes), strict=True))
