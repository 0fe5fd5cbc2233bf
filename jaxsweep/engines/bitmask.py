"""The bit-mask engine: the boundary in sections, every assignment of each, merged two by two.

An edge's cells, in walking order, are cut into sections of eight. Of the 256 assignments of a
section those stay that pass both tests against every number: no more mines among its cells than it
needs, and no more missing than cells outside the section could give. Neighbouring sections are then
merged, every assignment of one with every one of the other, and the tests repeated, until one list
of whole assignments is left. On a number that has all its cells assigned, the two tests are the
equation itself.

Cells in walking order make lists as short as recursive bisection by farthest pairs does, and a far
better worst case (`experiments/orders.py`): a section meets its neighbours in few numbers, since
the walk's front is narrow, and cells of different edges never meet at all.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines import residuals
from jaxsweep.engines.component_engine import (
    AbstractComponentEngine,
    CellMarginals,
    Component,
    ComponentCounts,
)
from jaxsweep.engines.solution_lists import compact, tabulate, weigh, weighted_sum
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import FAR

SECTION = 8
"""Cells of a section."""

PAIRS = 2**26
"""The most pairs of assignments that one merge tests."""


class MaskCapacity(NamedTuple):
    """The static capacities of a kernel."""

    cells: int
    numbers: int
    masks: int
    """Assignments of a section, merged or not."""
    block: int
    """Pairs that are tested at once."""
    spread: int
    worth_from: int = 0

    @property
    def bytes(self) -> int:
        """What one edge takes, while sections are merged and masks weighed."""
        words = self.numbers // residuals.SLOTS + self.cells // bitboard.WORD + 1
        merging = words * (self.cells // SECTION * 2**SECTION + 4 * self.masks + 4 * self.block)
        return 4 * (merging + 2 * self.masks * self.cells)


CAPACITIES = (
    MaskCapacity(cells=16, numbers=24, masks=256, block=512, spread=8),
    MaskCapacity(cells=32, numbers=48, masks=1024, block=1024, spread=16),
    MaskCapacity(cells=64, numbers=64, masks=8192, block=4096, spread=16),
    MaskCapacity(cells=128, numbers=128, masks=65536, block=8192, spread=32),
)


class Bitmask(AbstractComponentEngine[MaskCapacity]):
    """Exact beliefs from lists of all assignments of an edge, where the longest list fits."""

    capacities: tuple[MaskCapacity, ...] = eqx.field(static=True, default=CAPACITIES)

    def count_components(
        self, edges: Component, length: np.int32, capacity: MaskCapacity
    ) -> ComponentCounts:
        """Lists the assignments."""
        return _list_batch(edges, capacity)

    def marginals(
        self,
        messages: "Assignments",
        weights: Float[np.ndarray, "batch spread"],
        possible: UInt32[np.ndarray, " batch"],
        length: np.int32,
    ) -> CellMarginals:
        """Counts how often each bit is set, by weight."""
        return _weigh_batch(messages, weights, possible)


class Assignments(eqx.Module):
    """All assignments of an edge; or a batch, first."""

    masks: UInt32[Array, "*batch masks words"]
    above: Int[Array, "*batch masks"]
    """Mines, above the least of any assignment."""
    live: Bool[Array, "*batch masks"]


class Section(eqx.Module):
    """The assignments of a stretch of cells that pass the tests; or several sections, first."""

    masks: UInt32[Array, "*sections masks words"]
    left: UInt32[Array, "*sections masks key_words"]
    """What each number still needs, four bits each."""
    size: Int[Array, "*sections"]
    inside: UInt32[Array, "*sections key_words"]
    """How many cells of each number are in the section."""
    fits: Bool[Array, "*sections"]


class _Numbers(NamedTuple):
    """What does not change for the numbers of an edge, four bits each."""

    need: UInt32[Array, " key_words"]
    cells: UInt32[Array, " key_words"]

    def room(self, inside: UInt32[Array, "*s key_words"]) -> UInt32[Array, "*s key_words"]:
        """How many cells are outside of a section; 7 stands for 7 or 8."""
        outside = jnp.broadcast_to(self.cells, inside.shape) - inside
        return outside - ((outside & jnp.uint32(residuals.GUARD)) >> jnp.uint32(3))


@partial(jax.jit, static_argnames="capacity")
def _list_batch(edges: Component, capacity: MaskCapacity) -> ComponentCounts:
    """All assignments of a batch of edges."""
    whole = jax.vmap(partial(_list, capacity=capacity))(edges)
    live = jnp.arange(capacity.masks, dtype=jnp.int32)[None, :] < whole.size[:, None]
    bits = jax.lax.population_count(whole.masks)
    mines = jnp.sum(bits, axis=-1, dtype=jnp.uint32).astype(jnp.int32)
    above, least, layouts, narrow = jax.vmap(partial(tabulate, spread=capacity.spread))(
        mines, live.astype(jnp.float32), live
    )
    return ComponentCounts(
        least=least,
        layouts=layouts,
        fits=whole.fits & narrow,
        messages=Assignments(whole.masks, above, live),
    )


def _list(edge: Component, capacity: MaskCapacity) -> Section:
    """All assignments of one edge: its sections, merged two by two."""
    sections, numbers = _sections(edge, capacity)
    while sections.size.shape[0] > 1:
        first, second = (jax.tree.map(lambda leaf, i=i: leaf[i::2], sections) for i in (0, 1))
        sections = jax.vmap(partial(_merge, numbers=numbers, capacity=capacity))(first, second)
    return jax.tree.map(lambda leaf: leaf[0], sections)


def _sections(edge: Component, capacity: MaskCapacity) -> tuple[Section, _Numbers]:
    """The sections of one edge, with all their assignments that pass the tests."""
    count = capacity.cells // SECTION
    near = edge.near().astype(jnp.int32).reshape(capacity.numbers, count, SECTION)
    touch = _pack(jnp.moveaxis(near, 0, -1))  # [sections, cells, key words]
    inside = jnp.sum(touch, axis=1, dtype=jnp.uint32)
    numbers = _Numbers(_pack(jnp.asarray(edge.need)), jnp.sum(inside, axis=0, dtype=jnp.uint32))
    assignment = np.arange(2**SECTION, dtype=np.uint32)
    bits = jnp.asarray((assignment[:, None] >> np.arange(SECTION, dtype=np.uint32)) & np.uint32(1))
    mines = jnp.sum(bits[None, :, :, None] * touch[:, None], axis=2, dtype=jnp.uint32)
    left, passed = residuals.take(jnp.broadcast_to(numbers.need, mines.shape), mines)
    exists = jnp.asarray(edge.cell_row != FAR).reshape(count, SECTION)
    passed &= ~jnp.any((bits != 0)[None] & ~exists[:, None, :], axis=-1)
    passed &= residuals.can_end(left, numbers.room(inside)[:, None, :])
    source, size = jax.vmap(partial(compact, places=2**SECTION))(passed)
    first = jnp.arange(count, dtype=jnp.int32) * SECTION
    words = jnp.arange(-(-capacity.cells // bitboard.WORD), dtype=jnp.int32)
    here = words[None, None, :] == (first // bitboard.WORD)[:, None, None]
    placed = source.astype(jnp.uint32) << (first % bitboard.WORD).astype(jnp.uint32)[:, None]
    section = Section(
        masks=jnp.where(here, placed[:, :, None], jnp.uint32(0)),
        left=jnp.take_along_axis(left, source[:, :, None], axis=1),
        size=size,
        inside=inside,
        fits=jnp.ones((count,), bool),
    )
    return section, numbers


def _pack(values: Int[Array, "*rows numbers"]) -> UInt32[Array, "*rows key_words"]:
    """Numbers from 0 to 15, four bits each."""
    *rows, numbers = values.shape
    digits = values.reshape(*rows, numbers // residuals.SLOTS, residuals.SLOTS).astype(jnp.uint32)
    places = jnp.arange(residuals.SLOTS, dtype=jnp.uint32) * jnp.uint32(4)
    return jnp.sum(digits << jnp.broadcast_to(places, digits.shape), axis=-1, dtype=jnp.uint32)


def _merge(a: Section, b: Section, numbers: _Numbers, capacity: MaskCapacity) -> Section:
    """Two neighbouring sections as one: each assignment of one with each of the other."""
    inside = a.inside + b.inside
    # As float32: as whole numbers, the product of two long lists would overflow.
    few = a.size.astype(jnp.float32) * b.size.astype(jnp.float32) <= PAIRS
    worth_it = a.fits & b.fits & few
    pairs = jnp.where(worth_it, a.size * b.size, 0)
    room, of_b = numbers.room(inside), jnp.maximum(b.size, 1)

    def join(pair):
        mines_in_b = numbers.need[None, :] - b.left[pair % of_b]
        return residuals.take(a.left[pair // of_b], mines_in_b)

    def test(state):
        start, found, kept = state
        pair = start + jnp.arange(capacity.block, dtype=jnp.int32)
        left, passed = join(pair)
        passed &= (pair < pairs) & residuals.can_end(left, room[None, :])
        rank = bitboard.running_count(passed)
        place = jnp.where(passed, found + rank - 1, capacity.masks)
        return start + capacity.block, found + rank[-1], kept.at[place].set(pair, mode="drop")

    # No list holds more than its places: once they are full, the rest is not worth a test.
    start = (jnp.int32(0), jnp.int32(0), jnp.zeros((capacity.masks,), jnp.int32))
    _, found, kept = jax.lax.while_loop(
        lambda state: (state[0] < pairs) & (state[1] <= capacity.masks), test, start
    )
    return Section(
        masks=a.masks[kept // of_b] | b.masks[kept % of_b],
        left=join(kept)[0],
        size=jnp.minimum(found, capacity.masks),
        inside=inside,
        fits=worth_it & (found <= capacity.masks),
    )


def _weigh(
    listed: Assignments, weights: Float[Array, " spread"], possible: UInt32[Array, ""]
) -> CellMarginals:
    """How often each bit is set, by weight."""
    cells = listed.masks.shape[1] * bitboard.WORD
    mined = jnp.asarray(bitboard.unpack(listed.masks, cells))  # [masks, cells]
    weight, can = weigh(listed.above, listed.live, weights, possible)
    return CellMarginals(
        mine=weighted_sum(weight, mined.astype(jnp.float32)),
        can_mine=jnp.any(can[:, None] & mined, axis=0),
        can_clear=jnp.any(can[:, None] & ~mined, axis=0),
    )


_weigh_batch = jax.jit(jax.vmap(_weigh))
