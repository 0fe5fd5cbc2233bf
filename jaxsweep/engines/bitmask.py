"""The bit-mask engine: all assignments of sections of a component, merged two by two.

The cells of a component, in elimination order, are cut into sections of eight. Of the 256
assignments of a section those stay that pass two tests against every number: no more mines among
its cells than it needs, and no more missing than cells outside the section could give. Neighbouring
sections are then merged, every assignment of one with every one of the other, and the tests
repeated, until one list of whole assignments is left. On a number that has all its cells assigned,
the two tests are the equation itself.

Elimination order makes lists as short as recursive bisection by farthest pairs does, with a far
better worst case (`experiments/orders.py`): a section shares few numbers with its neighbours, since
the order keeps the front narrow, and cells of different components share none.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines import residuals
from jaxsweep.engines.components import CellMarginals, Component, ComponentCounts
from jaxsweep.engines.solution_lists import (
    AbstractListEngine,
    AbstractSolutions,
    count_by_mines,
    weighted_sum,
)
from jaxsweep.rules import arrays, bitboard
from jaxsweep.rules.frontier import FAR

SECTION = 8
"""Cells of a section."""

MAX_PAIRS = 2**26
"""The most pairs of assignments that one merge tests."""


class MaskCapacity(NamedTuple):
    """The static capacities of a kernel."""

    cells: int
    numbers: int
    masks: int
    """Assignments of a section, merged or not."""
    block: int
    """Pairs that are tested at once."""
    mine_counts: int
    min_components: int = 0

    @property
    def bytes(self) -> int:
        """Memory for one component, while sections are merged and masks are summed."""
        words = self.numbers // residuals.SLOTS + self.cells // bitboard.WORD + 1
        merging = words * (self.cells // SECTION * 2**SECTION + 4 * self.masks + 4 * self.block)
        return 4 * (merging + 2 * self.masks * self.cells)


CAPACITIES = (
    MaskCapacity(cells=16, numbers=24, masks=256, block=512, mine_counts=8),
    MaskCapacity(cells=32, numbers=48, masks=1024, block=1024, mine_counts=16),
    MaskCapacity(cells=64, numbers=64, masks=8192, block=4096, mine_counts=16),
    MaskCapacity(cells=128, numbers=128, masks=65536, block=8192, mine_counts=32),
)


class Bitmask(AbstractListEngine[MaskCapacity]):
    """Exact beliefs from lists of all assignments of a component, where the longest list fits."""

    capacities: tuple[MaskCapacity, ...] = eqx.field(static=True, default=CAPACITIES)

    def count_components(
        self, components: Component, length: np.int32, capacity: MaskCapacity
    ) -> ComponentCounts:
        """Lists the assignments."""
        return list_batch(components, capacity)


class Assignments(AbstractSolutions):
    """All assignments of a component, as masks of its cells; or of a batch, first."""

    masks: UInt32[Array, "*batch masks words"]
    above: Int[Array, "*batch masks"]
    live: Bool[Array, "*batch masks"]

    def marginals(
        self, weights: Float[Array, " mine_counts"], possible: UInt32[Array, ""]
    ) -> CellMarginals:
        """Sums the weights of the masks in which each bit is set."""
        cells = self.masks.shape[1] * bitboard.WORD
        mined = jnp.asarray(bitboard.unpack(self.masks, cells))  # [masks, cells]
        weight, can = self.layout_weights(weights, possible)
        return CellMarginals(
            mine=weighted_sum(weight, mined.astype(jnp.float32)),
            can_mine=jnp.any(can[:, None] & mined, axis=0),
            can_clear=jnp.any(can[:, None] & ~mined, axis=0),
        )


class Section(eqx.Module):
    """The assignments of consecutive cells that pass the tests; or several sections, first."""

    masks: UInt32[Array, "*sections masks words"]
    residual: UInt32[Array, "*sections masks state_words"]
    """What each number still needs, four bits each."""
    size: Int[Array, "*sections"]
    inside: UInt32[Array, "*sections state_words"]
    """How many cells of each number are in the section."""
    fits: Bool[Array, "*sections"]


class _Numbers(NamedTuple):
    """The residual and the cells of each number of a component, four bits each."""

    residual: UInt32[Array, " state_words"]
    cells: UInt32[Array, " state_words"]

    def outside(self, inside: UInt32[Array, "*s state_words"]) -> UInt32[Array, "*s state_words"]:
        """Counts the cells outside of a section; 7 stands for 7 or 8."""
        outside = jnp.broadcast_to(self.cells, inside.shape) - inside
        return outside - ((outside & jnp.uint32(residuals.GUARD)) >> jnp.uint32(3))


@partial(jax.jit, static_argnames="capacity")
def list_batch(components: Component, capacity: MaskCapacity) -> ComponentCounts:
    """Lists all assignments of a batch of components, first."""
    whole = jax.vmap(partial(_list, capacity=capacity))(components)
    live = jnp.arange(capacity.masks, dtype=jnp.int32)[None, :] < whole.size[:, None]
    bits = jax.lax.population_count(whole.masks)
    mines = jnp.sum(bits, axis=-1, dtype=jnp.uint32).astype(jnp.int32)
    above, min_mines, layouts, enough = jax.vmap(
        partial(count_by_mines, mine_counts=capacity.mine_counts)
    )(mines, live.astype(jnp.float32), live)
    return ComponentCounts(
        min_mines=min_mines,
        layouts=layouts,
        fits=whole.fits & enough,
        messages=Assignments(whole.masks, above, live),
    )


def _list(component: Component, capacity: MaskCapacity) -> Section:
    """Lists all assignments of one component: its sections, merged two by two."""
    sections, numbers = _sections(component, capacity)
    while sections.size.shape[0] > 1:
        first, second = (jax.tree.map(lambda leaf, i=i: leaf[i::2], sections) for i in (0, 1))
        sections = jax.vmap(partial(_merge, numbers=numbers, capacity=capacity))(first, second)
    return jax.tree.map(lambda leaf: leaf[0], sections)


def _sections(component: Component, capacity: MaskCapacity) -> tuple[Section, _Numbers]:
    """Cuts one component into sections, and tests all assignments of each."""
    count = capacity.cells // SECTION
    adjacency = component.adjacency().astype(jnp.int32).reshape(capacity.numbers, count, SECTION)
    adjacent = residuals.pack_nibbles(
        jnp.moveaxis(adjacency, 0, -1)
    )  # [sections, cells, state_words]
    inside = jnp.sum(adjacent, axis=1, dtype=jnp.uint32)
    numbers = _Numbers(
        residuals.pack_nibbles(jnp.asarray(component.residual)),
        jnp.sum(inside, axis=0, dtype=jnp.uint32),
    )
    assignment = np.arange(2**SECTION, dtype=np.uint32)
    bits = jnp.asarray((assignment[:, None] >> np.arange(SECTION, dtype=np.uint32)) & np.uint32(1))
    mines = jnp.sum(bits[None, :, :, None] * adjacent[:, None], axis=2, dtype=jnp.uint32)
    residual, passed = residuals.subtract(jnp.broadcast_to(numbers.residual, mines.shape), mines)
    exists = jnp.asarray(component.cell_row != FAR).reshape(count, SECTION)
    passed &= ~jnp.any((bits != 0)[None] & ~exists[:, None, :], axis=-1)
    passed &= residuals.is_feasible(residual, numbers.outside(inside)[:, None, :])
    source, _ = jax.vmap(partial(arrays.compact, size=2**SECTION))(passed)
    first = jnp.arange(count, dtype=jnp.int32) * SECTION
    words = jnp.arange(-(-capacity.cells // bitboard.WORD), dtype=jnp.int32)
    here = words[None, None, :] == (first // bitboard.WORD)[:, None, None]
    placed = source.astype(jnp.uint32) << (first % bitboard.WORD).astype(jnp.uint32)[:, None]
    section = Section(
        masks=jnp.where(here, placed[:, :, None], jnp.uint32(0)),
        residual=jnp.take_along_axis(residual, source[:, :, None], axis=1),
        size=jnp.sum(passed, axis=1, dtype=jnp.int32),
        inside=inside,
        fits=jnp.ones((count,), bool),
    )
    return section, numbers


def _merge(a: Section, b: Section, numbers: _Numbers, capacity: MaskCapacity) -> Section:
    """Merges two neighbouring sections: each assignment of one with each of the other."""
    inside = a.inside + b.inside
    # As float32: as whole numbers, the product of two long lists would overflow.
    few = a.size.astype(jnp.float32) * b.size.astype(jnp.float32) <= MAX_PAIRS
    feasible = a.fits & b.fits & few
    pairs = jnp.where(feasible, a.size * b.size, 0)
    outside, of_b = numbers.outside(inside), jnp.maximum(b.size, 1)

    def combine(pair):
        mines_in_b = numbers.residual[None, :] - b.residual[pair % of_b]
        return residuals.subtract(a.residual[pair // of_b], mines_in_b)

    def test_block(state):
        start, found, passing = state
        pair = start + jnp.arange(capacity.block, dtype=jnp.int32)
        residual, passed = combine(pair)
        passed &= (pair < pairs) & residuals.is_feasible(residual, outside[None, :])
        rank = arrays.prefix_counts(passed)
        index = jnp.where(passed, found + rank - 1, capacity.masks)
        return start + capacity.block, found + rank[-1], passing.at[index].set(pair, mode="drop")

    # Once the list is full, the position is over capacity, and no further test is needed.
    start = (jnp.int32(0), jnp.int32(0), jnp.zeros((capacity.masks,), jnp.int32))
    _, found, passing = jax.lax.while_loop(
        lambda state: (state[0] < pairs) & (state[1] <= capacity.masks), test_block, start
    )
    return Section(
        masks=a.masks[passing // of_b] | b.masks[passing % of_b],
        residual=combine(passing)[0],
        size=jnp.minimum(found, capacity.masks),
        inside=inside,
        fits=feasible & (found <= capacity.masks),
    )
