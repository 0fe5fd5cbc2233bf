"""Splits boards into components on the device, without lists.

Every boundary cell is labelled with the ordinal of its component, as two bit planes: at most
`MAX_COMPONENTS` components per position are distinguished.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt32

from jaxsweep.engines import patterns
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits, Planes
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.runtime.materialize import materialize

MAX_COMPONENTS = 4
"""Components of a position that are distinguished, isolated constraints not counted."""

Boards = UInt32[Array, "some rows words"]
"""Boards of some components, batch first."""


class ComponentLabels(eqx.Module):
    """The boundary of a position, labelled by component; or of a batch of positions, last."""

    boundary: Bits
    constraints: Bits
    residuals: Planes
    ordinal: tuple[Bits, Bits]
    """The component of each boundary cell, as binary digits."""


def label_components(reduced: ReducedPosition, excluded: Bits) -> ComponentLabels:
    """Labels the components of a batch of positions, last, without the `excluded` cells.

    Each component is grown from its first cell until it grows no more. If there are more than
    `MAX_COMPONENTS`, the last ones get one label: they are independent, and counting them together
    gives the same layouts.
    """
    boundary = reduced.boundary & ~excluded
    constraints = reduced.constraints & bitboard.dilate(boundary)

    def step(state):
        left, component, digits, ordinal = state
        adjacent = materialize(bitboard.dilate(component) & constraints)
        grown = materialize(bitboard.dilate(adjacent) & boundary)
        done = ~bitboard.any_set(grown ^ component)
        label = jnp.minimum(ordinal, MAX_COMPONENTS - 1)
        ones, twos = (
            digit | bitboard.mask(done & ((label >> i) % 2 == 1), component)
            for i, digit in enumerate(digits)
        )
        left = materialize(left & ~bitboard.mask(done, component))
        component = bitboard.select(done, _first(left), grown)
        return left, component, (ones, twos), ordinal + done.astype(jnp.int32)

    empty = jnp.zeros_like(boundary)
    start = (boundary, _first(boundary), (empty, empty), jnp.zeros_like(reduced.mines_left))
    _, _, ordinal, _ = jax.lax.while_loop(lambda state: jnp.any(state[0] != 0), step, start)
    return ComponentLabels(boundary, constraints, reduced.residuals, ordinal)


def _first(bits: Bits) -> Bits:
    """Returns the first set cell in reading order, alone."""
    # `bitboard.nth(bits, 0)` is the same cell, but makes the labelling loop twice as slow on a CPU.
    rows, words, *batch = bits.shape
    index = jnp.arange(rows * words, dtype=jnp.int32).reshape(rows, words, *(1 for _ in batch))
    first = jnp.min(jnp.where(bits != 0, index, rows * words), axis=(0, 1))
    lowest = bits & (~bits + jnp.uint32(1))
    return jnp.where(index == first[None, None], lowest, jnp.uint32(0))


class ComponentBoards(eqx.Module):
    """All components of a batch of positions, and their sizes.

    A component has the flat index `ordinal * batch + position`.
    """

    boards: UInt32[Array, "batch planes rows words"]
    exists: Bool[Array, "components batch"]
    cells: Int[Array, "components batch"]
    numbers: Int[Array, "components batch"]

    @classmethod
    def of(cls, labels: ComponentLabels) -> "ComponentBoards":
        """Measures the labelled components."""
        ones, twos, fours, _ = labels.residuals
        stacked = jnp.stack(
            [labels.boundary, labels.constraints, *labels.ordinal, ones, twos, fours]
        )

        def sizes(ordinal):
            cells = _component_cells(labels.boundary, labels.ordinal, ordinal)
            numbers = labels.constraints & bitboard.dilate(cells)
            return bitboard.count(cells), bitboard.count(numbers)

        found = [sizes(jnp.int32(ordinal)) for ordinal in range(MAX_COMPONENTS)]
        cells, numbers = (jnp.stack(column) for column in zip(*found, strict=True))
        return cls(
            boards=jnp.moveaxis(stacked, -1, 0),
            exists=cells > 0,
            cells=cells,
            numbers=numbers,
        )

    @property
    def fits_patterns(self) -> Bool[Array, "components batch"]:
        """Which components are small enough for `patterns`."""
        return (self.cells <= patterns.CELLS) & (self.numbers <= patterns.NUMBERS)

    def take(
        self, index: Int[Array, " some"]
    ) -> tuple[Boards, Boards, tuple[Boards, Boards, Boards]]:
        """Returns the cells, the numbers, and the digits of the residuals of these components.

        An index past the end gives an empty component.
        """
        batch = self.exists.shape[1]
        valid = (index < self.exists.size)[:, None, None]
        boards = self.boards[jnp.minimum(index, self.exists.size - 1) % batch]
        boundary, constraints, low, high, *residuals = (boards[:, i] for i in range(7))
        cells = jax.vmap(_component_cells)(boundary, (low, high), index // batch)
        cells = jnp.where(valid, cells, jnp.uint32(0))
        numbers = constraints & jax.vmap(bitboard.dilate)(cells)
        ones, twos, fours = residuals
        return cells, numbers, (ones, twos, fours)


def _component_cells(boundary: Bits, digits: tuple[Bits, Bits], ordinal: Int[Array, ""]) -> Bits:
    ones, zeros = jnp.uint32(0xFFFFFFFF), jnp.uint32(0)
    wanted = [jnp.where((ordinal >> i) % 2 == 1, ones, zeros) for i in range(2)]
    return boundary & ~(digits[0] ^ wanted[0]) & ~(digits[1] ^ wanted[1])
