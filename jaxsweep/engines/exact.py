"""The exact engine: forward–backward over each component, and over the components of a position.

The arithmetic is in `forward_backward` and `convolution`, the batching in `component_engine`. The
device version, with fixed and smaller capacities, is `device_exact`.
"""

import itertools
import math

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, UInt32

from jaxsweep.beliefs import Beliefs
from jaxsweep.engines import component_engine, forward_backward
from jaxsweep.engines.batching import (
    is_possible,
    mask_of_indices,
    sizes_of,
)
from jaxsweep.engines.components import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.forward_backward import ForwardMessages, StateCapacity
from jaxsweep.rules.position import Position

CAPACITIES = (
    # Most components are this small; where there are many, they get a kernel of their own.
    StateCapacity(cells=8, numbers=12, states=8, words=2, mine_counts=8, min_components=256),
    StateCapacity(cells=16, numbers=24, states=16, words=2, mine_counts=8),
    StateCapacity(cells=64, numbers=64, states=16, words=2, mine_counts=8),
    StateCapacity(cells=128, numbers=128, states=64, words=3, mine_counts=16),
    StateCapacity(cells=512, numbers=512, states=64, words=3, mine_counts=32),
    StateCapacity(cells=512, numbers=512, states=512, words=5, mine_counts=32),
    StateCapacity(cells=1024, numbers=1024, states=4096, words=8, mine_counts=32),
)

MAX_EXACT_LAYOUTS = 1e15
"""Counts below this are recovered exactly from float32 and their residue modulo 2³²."""

forward_batch = jax.jit(forward_backward.forward_pass, static_argnames="capacity")
backward_batch = jax.jit(forward_backward.backward_pass)


class Exact(component_engine.AbstractComponentEngine[StateCapacity]):
    """Exact beliefs about every position that fits the largest capacity: nearly all there are."""

    capacities: tuple[StateCapacity, ...] = eqx.field(static=True, default=CAPACITIES)

    def count_components(
        self, components: Component, length: np.int32, capacity: StateCapacity
    ) -> ComponentCounts:
        """Runs the forward pass."""
        return forward_batch(components, length, capacity)

    def marginals(
        self,
        messages: ForwardMessages,
        weights: Float[np.ndarray, "batch mine_counts"],
        possible: UInt32[np.ndarray | Array, " batch"],
        length: np.int32,
    ) -> CellMarginals:
        """Runs the backward pass."""
        return backward_batch(messages, weights, possible, length)

    def infer_and_count(self, positions: Position) -> tuple[Beliefs, list[int | None]]:
        """Infers beliefs, and counts the layouts of each position as whole numbers; batch last.

        A count is None where the position is over capacity, or has a component with
        `MAX_EXACT_LAYOUTS` or more layouts of one mine count.
        """
        results = component_engine.solve(self, positions)
        return results.beliefs, _layout_counts(results)


def _layout_counts(results: component_engine.StageResults) -> list[int | None]:
    """Counts the layouts of each position; None where float32 and its residue do not suffice."""
    reduced, components, counted, fits, _ = results
    possible = is_possible(reduced)
    unconstrained = sizes_of(reduced.unconstrained)
    too_many = (counted.layouts >= MAX_EXACT_LAYOUTS).any(1)
    known = fits & ~mask_of_indices(len(fits), components.position[too_many])
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
            totals.append(_total([_exact_counts(counted, one) for one in own], mines, cells))
    return totals


def _exact_counts(counted: component_engine.CountedComponents, component: int) -> dict[int, int]:
    """Returns a component's layouts by mine count, as whole numbers."""
    rows = zip(counted.layouts[component], counted.layouts_modulo[component], strict=True)
    min_mines = int(counted.min_mines[component])
    layouts = [_recover(float(rounded), int(residue)) for rounded, residue in rows]
    return {min_mines + k: count for k, count in enumerate(layouts) if count}


def _total(components: list[dict[int, int]], mines: int, unconstrained: int) -> int:
    """Counts the layouts of components and unconstrained cells with so many mines in all."""
    sums = {0: 1}
    for component in components:
        after: dict[int, int] = {}
        for (so_far, layouts), (more, count) in itertools.product(sums.items(), component.items()):
            after[so_far + more] = after.get(so_far + more, 0) + layouts * count
        sums = after
    return sum(
        layouts * math.comb(unconstrained, mines - so_far)
        for so_far, layouts in sums.items()
        if so_far <= mines
    )


def _recover(rounded: float, residue: int) -> int:
    """Returns the whole number nearest to a rounded one that has this residue modulo 2³²."""
    return residue + round((rounded - residue) / 2**32) * 2**32
