"""The frontier of a position: the constraint arrays that the engines read.

`reduce` removes what the single-cell rules determine. It leaves *boundary* cells, which are hidden
and next to an open number, and *unconstrained* cells, which are hidden and next to none. Boundary
cells that share numbers, directly or through others, form a *connected component*. Components
depend on each other only through the total number of mines.

All arrays are dense, padded and built on the device. `reduce` takes boards with the batch last;
`build` takes one board, to be batched with `jax.vmap`.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import WORD, Bits, Planes
from jaxsweep.rules.deduction import Certain, contradicted, residual_numbers, single_cell
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize

FAR = 2**15
"""The row and column of padding in a list: adjacent to no cell."""


class Frontier(eqx.Module):
    """The boundary cells and constraints of one position, as lists ordered by component.

    The cells of a component are in breadth-first order from one of its ends, which keeps the set
    of partly assigned numbers small (as in Cuthill and McKee 1969). Its numbers are in the
    order in which that search reaches them. Padding at the end of a list has component −1.
    """

    cell_row: Int[Array, " cells"]
    cell_col: Int[Array, " cells"]
    cell_component: Int[Array, " cells"]
    number_row: Int[Array, " numbers"]
    number_col: Int[Array, " numbers"]
    number_residual: Int[Array, " numbers"]
    """The mines among the boundary cells around the number: 1 to 7."""
    number_component: Int[Array, " numbers"]
    fits: Bool[Array, ""]
    """False if there are more cells or numbers than the capacity; all else is then invalid."""


class ReducedPosition(eqx.Module):
    """What the single-cell rules leave of a position, on packed rows."""

    certain: Certain
    boundary: Bits
    """Hidden cells, not determined, next to an open number."""
    unconstrained: Bits
    """Hidden cells, not determined, next to no open number."""
    constraints: Bits
    """Open numbers next to boundary cells."""
    residuals: Planes
    """Each constraint's number less the mines known around it."""
    mines_left: Int[Array, "*batch"]
    """The mines among boundary and unconstrained cells; negative if too many are known."""
    consistent: Bool[Array, "*batch"]
    """False if an open number is contradicted already."""

    @property
    def is_possible(self) -> Bool[Array | np.ndarray, "*batch"]:
        """Whether neither a number nor the mine count is contradicted already."""
        return self.consistent & (self.mines_left >= 0)


def reduce(position: Position, trust_flags: bool = False) -> ReducedPosition:
    """Removes the cells that the single-cell rules determine, from a position or a batch of them.

    Flags are ignored, unless `trust_flags` says that all of them are known mines.
    """
    nothing = jnp.zeros_like(position.hidden)
    known = Certain(nothing, position.flags, nothing, nothing) if trust_flags else None
    certain = single_cell(position, known)
    unknown = position.hidden & ~certain.safe & ~certain.mines
    constraints = materialize(position.opened & bitboard.dilate(unknown))
    boundary = unknown & bitboard.dilate(constraints)
    ones, twos, fours, eights = (
        plane & constraints for plane in residual_numbers(position, certain)
    )
    return ReducedPosition(
        certain=certain,
        boundary=boundary,
        unconstrained=unknown & ~boundary,
        constraints=constraints,
        residuals=(ones, twos, fours, eights),
        mines_left=position.mines - bitboard.count(certain.mines),
        consistent=~bitboard.any_set(contradicted(position, certain)),
    )


def build(boundary: Bits, constraints: Bits, residuals: Planes, capacity: int) -> Frontier:
    """Builds the lists of a reduced position, with room for `capacity` cells and numbers each.

    Under `vmap` the batch is first: unlike packed boards, lists are read entry by entry.
    """
    cells, numbers = places(boundary, capacity), places(constraints, capacity)
    # The last cell reached is a pseudo-peripheral one: the second search starts there.
    rank, _, _ = _breadth_first(incidence(cells, numbers))
    size = bitboard.count(boundary)
    cells = _permute(cells, jnp.where(rank < size, size - 1 - rank, rank))
    rank, component, number_rank = _breadth_first(incidence(cells, numbers))
    row, col, component = _permute((*cells, component), rank)
    first = _lowest(incidence((row, col), numbers))
    number_component = component[jnp.minimum(first, capacity - 1)]
    numbers = _permute((*numbers, read(residuals, numbers), number_component), number_rank)
    return Frontier(
        cell_row=row,
        cell_col=col,
        cell_component=jnp.where(row == FAR, -1, component),
        number_row=numbers[0],
        number_col=numbers[1],
        number_residual=numbers[2],
        number_component=jnp.where(numbers[0] == FAR, -1, numbers[3]),
        fits=(bitboard.count(boundary) <= capacity) & (bitboard.count(constraints) <= capacity),
    )


Places = tuple[Int[Array, " places"], Int[Array, " places"]]
"""The rows and columns of a list of cells."""


def places(bits: Bits, capacity: int) -> Places:
    """Lists the first `capacity` set cells in reading order, padded with `FAR`."""
    rows, words = bits.shape
    flat = bits.reshape(-1)
    sizes = jax.lax.population_count(flat).astype(jnp.int32)
    after = jnp.cumsum(sizes)
    wanted = jnp.arange(capacity, dtype=jnp.int32)
    word = jnp.sum(after[None, :] <= wanted[:, None], axis=1, dtype=jnp.int32)
    there = word < rows * words
    word = jnp.minimum(word, rows * words - 1)
    rank = wanted - (after - sizes)[word]
    bit = bitboard.nth_bit(flat[word], rank)
    return (
        jnp.where(there, word // words, FAR),
        jnp.where(there, (word % words) * WORD + bit.astype(jnp.int32), FAR),
    )


def adjacency(
    cells: tuple[Int[Array | np.ndarray, " cells"], Int[Array | np.ndarray, " cells"]],
    numbers: tuple[Int[Array | np.ndarray, " numbers"], Int[Array | np.ndarray, " numbers"]],
) -> Bool[Array | np.ndarray, "numbers cells"]:
    """Tells which cells are next to which numbers, given as rows and columns.

    NumPy in, NumPy out; JAX in, JAX out.
    """
    near_row = abs(numbers[0][:, None] - cells[0][None, :]) <= 1
    near_col = abs(numbers[1][:, None] - cells[1][None, :]) <= 1
    return near_row & near_col & (numbers[0] != FAR)[:, None]


def incidence(cells: Places, numbers: Places) -> UInt32[Array, "numbers masks"]:
    """Returns, for each number, the mask of its neighbours over the list of cells."""
    return jnp.asarray(bitboard.pack(adjacency(cells, numbers)))


def _breadth_first(masks: UInt32[Array, "numbers masks"]) -> tuple[Int[Array, " cells"], ...]:
    """Searches all components breadth first, one after the other, each from its first cell.

    Returns the rank of each cell in the search, the ordinal of its component, and the rank of
    each number. Padding ranks last.
    """
    capacity = masks.shape[1] * WORD

    def step(state):
        components, front, cells_left, numbers_left, cell_rank, component, number_rank = state
        touched = jnp.any((masks & front[None, :]) != 0, axis=1)
        reached = _union(jnp.where(touched[:, None], masks, jnp.uint32(0))) & cells_left
        met = jnp.asarray(bitboard.pack(touched[None, :]))[0] & numbers_left
        complete = ~jnp.any(reached != 0)
        front = jnp.where(complete, _first(cells_left), reached)
        components = components + complete.astype(jnp.int32)
        cell_rank = _rank_next(cell_rank, front, there & ~cells_left)
        number_rank = _rank_next(number_rank, met, with_cells & ~numbers_left)
        in_front = bitboard.unpack(front[None, :], capacity)[0]
        component = jnp.where(in_front, components, component)
        cells_left, numbers_left = cells_left & ~front, numbers_left & ~met
        return components, front, cells_left, numbers_left, cell_rank, component, number_rank

    there = _union(masks)
    with_cells = jnp.asarray(bitboard.pack(jnp.any(masks != 0, axis=1)[None, :]))[0]
    nowhere, index = jnp.zeros_like(there), jnp.arange(capacity, dtype=jnp.int32)
    # Padding keeps its rank: in both lists it comes after the entries.
    start = (jnp.int32(-1), nowhere, there, with_cells, index, jnp.zeros_like(index), index)
    end = jax.lax.while_loop(
        lambda state: jnp.any(state[2] != 0) | jnp.any(state[3] != 0), step, start
    )
    return end[4], end[5], end[6]


def _rank_next(
    ranks: Int[Array, " entries"], these: UInt32[Array, " masks"], ranked: UInt32[Array, " masks"]
) -> Int[Array, " entries"]:
    """Assigns the next ranks to `these` entries in order, after those `ranked` already."""
    entries = ranks.shape[0]
    index = np.arange(entries)
    earlier = jnp.asarray(bitboard.pack(index[None, :] < index[:, None]))
    among = jnp.sum(jax.lax.population_count(earlier & these[None, :]), axis=1, dtype=jnp.uint32)
    rank = bitboard.count(ranked[None, :]) + among.astype(jnp.int32)
    return jnp.where(bitboard.unpack(these[None, :], entries)[0], rank, ranks)


def _union(masks: UInt32[Array, "numbers masks"]) -> UInt32[Array, " masks"]:
    return jax.lax.reduce(masks, jnp.uint32(0), jax.lax.bitwise_or, (0,))


def _first(mask: UInt32[Array, " masks"]) -> UInt32[Array, " masks"]:
    """Keeps only the first set bit of a mask."""
    lowest = mask & (~mask + jnp.uint32(1))
    before = jnp.cumsum((mask != 0).astype(jnp.int32))
    return jnp.where(before == 1, lowest, jnp.uint32(0))


def _lowest(masks: UInt32[Array, "numbers masks"]) -> Int[Array, " numbers"]:
    """Returns the index of the first cell of each mask; past the end for an empty one."""
    words = masks.shape[1]
    base = jnp.arange(words, dtype=jnp.int32)[None, :] * WORD
    trailing = jax.lax.population_count(~masks & (masks - jnp.uint32(1))).astype(jnp.int32)
    return jnp.min(jnp.where(masks != 0, base + trailing, words * WORD), axis=1)


def _permute(lists: tuple[Int[Array, " entries"], ...], to: Int[Array, " entries"]) -> tuple:
    """Moves entry i of each list to index `to[i]`."""
    return tuple(jnp.zeros_like(one).at[to].set(one, unique_indices=True) for one in lists)


def read(planes: bitboard.Planes, at: Places) -> Int[Array, " places"]:
    """Reads the numbers in bit planes at the given rows and columns."""
    words = planes[0].shape[1]
    row, col = jnp.minimum(at[0], planes[0].shape[0] - 1), jnp.minimum(at[1], words * WORD - 1)
    bit = (col % WORD).astype(jnp.uint32)
    digits = [
        ((plane.reshape(-1)[row * words + col // WORD] >> bit) & 1).astype(jnp.int32) << i
        for i, plane in enumerate(planes)
    ]
    return digits[0] | digits[1] | digits[2] | digits[3]
