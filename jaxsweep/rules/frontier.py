"""From a position to the constraint arrays that engines read.

What the single-cell rules settle is taken out first. What is left are *boundary* cells, hidden and
next to an open number that still needs mines, and *free* cells, hidden and next to none. Boundary
cells that share numbers, directly or through others, form an *edge*: edges depend on each other by
the mine count alone.

All arrays are dense and padded, and built on the device. `settle` takes boards, batch last; lists
are of one board, and `jax.vmap` makes batches.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import WORD, Bits, Planes
from jaxsweep.rules.deduction import Certain, contradicted, needs_left, single_cell
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize

FAR = 2**15
"""The row and column of a place in a list that holds nothing: next to no cell."""


class Frontier(eqx.Module):
    """One position as lists of cells and numbers, edge by edge.

    The cells of an edge follow each other in an order that keeps the front narrow: by distance
    from one of its ends. Its numbers follow each other in the order in which that walk meets them.
    Places past the end of a list have edge −1.
    """

    cell_row: Int[Array, " cells"]
    cell_col: Int[Array, " cells"]
    cell_component: Int[Array, " cells"]
    number_row: Int[Array, " numbers"]
    number_col: Int[Array, " numbers"]
    number_residual: Int[Array, " numbers"]
    """Mines the number still needs among the boundary cells around it: 1 to 7."""
    number_component: Int[Array, " numbers"]
    fits: Bool[Array, ""]
    """False where there are more cells or numbers than places: nothing else here holds then."""


class ReducedPosition(eqx.Module):
    """What the single-cell rules leave of a position, on packed rows."""

    certain: Certain
    boundary: Bits
    """Hidden, not reduced, next to an open number."""
    unconstrained: Bits
    """Hidden, not reduced, next to no open number."""
    constraints: Bits
    """Open numbers next to boundary cells."""
    residuals: Planes
    """Mines that each active number still needs."""
    mines_left: Int[Array, "*batch"]
    """Mines for the boundary and the free cells together; negative if there are too many."""
    consistent: Bool[Array, "*batch"]
    """False where an open number is contradicted already."""


def reduce(position: Position, trust_flags: bool = False) -> ReducedPosition:
    """Takes out what the single-cell rules settle, in a position or a batch of them, last.

    Flags are a player's marks and count for nothing, unless they are known to be mines.
    """
    nothing = jnp.zeros_like(position.hidden)
    known = Certain(nothing, position.flags, nothing, nothing) if trust_flags else None
    certain = single_cell(position, known)
    unknown = position.hidden & ~certain.safe & ~certain.mines
    active = materialize(position.opened & bitboard.dilate(unknown))
    boundary = unknown & bitboard.dilate(active)
    ones, twos, fours, eights = (plane & active for plane in needs_left(position, certain))
    return ReducedPosition(
        certain=certain,
        boundary=boundary,
        unconstrained=unknown & ~boundary,
        constraints=active,
        residuals=(ones, twos, fours, eights),
        mines_left=position.mines - bitboard.count(certain.mines),
        consistent=~bitboard.any_set(contradicted(position, certain)),
    )


def build(boundary: Bits, active: Bits, needs: Planes, capacity: int) -> Frontier:
    """The lists of a reduced position, with places for `capacity` cells and as many numbers.

    Batch first under `vmap`: unlike bits, lists want their own entries side by side.
    """
    cells, numbers = places(boundary, capacity), places(active, capacity)
    # The second walk begins at the far ends that the first one found.
    rank, _, _ = _walk(incidence(cells, numbers))
    size = bitboard.count(boundary)
    cells = _permute(cells, jnp.where(rank < size, size - 1 - rank, rank))
    rank, edge, number_rank = _walk(incidence(cells, numbers))
    row, col, edge = _permute((*cells, edge), rank)
    first = _lowest(incidence((row, col), numbers))
    number_component = edge[jnp.minimum(first, capacity - 1)]
    numbers = _permute((*numbers, read(needs, numbers), number_component), number_rank)
    return Frontier(
        cell_row=row,
        cell_col=col,
        cell_component=jnp.where(row == FAR, -1, edge),
        number_row=numbers[0],
        number_col=numbers[1],
        number_residual=numbers[2],
        number_component=jnp.where(numbers[0] == FAR, -1, numbers[3]),
        fits=(bitboard.count(boundary) <= capacity) & (bitboard.count(active) <= capacity),
    )


Places = tuple[Int[Array, " places"], Int[Array, " places"]]


def places(bits: Bits, capacity: int) -> Places:
    """Rows and columns of the first `capacity` set cells, in reading order; `FAR` past the end."""
    rows, words = bits.shape
    flat = bits.reshape(-1)
    sizes = jax.lax.population_count(flat).astype(jnp.int32)
    after = jnp.cumsum(sizes)
    wanted = jnp.arange(capacity, dtype=jnp.int32)
    word = jnp.sum(after[None, :] <= wanted[:, None], axis=1, dtype=jnp.int32)
    there = word < rows * words
    word = jnp.minimum(word, rows * words - 1)
    rank = wanted - (after - sizes)[word]
    place = bitboard.nth_bit(flat[word], rank)
    return (
        jnp.where(there, word // words, FAR),
        jnp.where(there, (word % words) * WORD + place.astype(jnp.int32), FAR),
    )


def incidence(cells: Places, numbers: Places) -> UInt32[Array, "numbers masks"]:
    """For each number, the mask of the cells around it, over their places in the list."""
    near_row = jnp.abs(numbers[0][:, None] - cells[0][None, :]) <= 1
    near_col = jnp.abs(numbers[1][:, None] - cells[1][None, :]) <= 1
    there = (numbers[0] != FAR)[:, None]
    return jnp.asarray(bitboard.pack(near_row & near_col & there))


def _walk(masks: UInt32[Array, "numbers masks"]) -> tuple[Int[Array, " cells"], ...]:
    """Breadth first through all edges, one after the other, each from its first cell.

    Returns the rank at which each cell is reached, the ordinal of its edge, and the rank at which
    each number is met. Padding ranks last.
    """
    capacity = masks.shape[1] * WORD

    def step(state):
        edges, front, cells_left, numbers_left, cell_rank, edge, number_rank = state
        touched = jnp.any((masks & front[None, :]) != 0, axis=1)
        reached = _union(jnp.where(touched[:, None], masks, jnp.uint32(0))) & cells_left
        met = jnp.asarray(bitboard.pack(touched[None, :]))[0] & numbers_left
        stuck = ~jnp.any(reached != 0)
        front = jnp.where(stuck, _first(cells_left), reached)
        edges = edges + stuck.astype(jnp.int32)
        cell_rank = _rank_next(cell_rank, front, there & ~cells_left)
        number_rank = _rank_next(number_rank, met, with_cells & ~numbers_left)
        edge = jnp.where(bitboard.unpack(front[None, :], capacity)[0], edges, edge)
        return edges, front, cells_left & ~front, numbers_left & ~met, cell_rank, edge, number_rank

    there = _union(masks)
    with_cells = jnp.asarray(bitboard.pack(jnp.any(masks != 0, axis=1)[None, :]))[0]
    nowhere, index = jnp.zeros_like(there), jnp.arange(capacity, dtype=jnp.int32)
    # Padding keeps its order behind the entries: both lists come with their entries first.
    start = (jnp.int32(-1), nowhere, there, with_cells, index, jnp.zeros_like(index), index)
    end = jax.lax.while_loop(
        lambda state: jnp.any(state[2] != 0) | jnp.any(state[3] != 0), step, start
    )
    return end[4], end[5], end[6]


def _rank_next(
    ranks: Int[Array, " places"], these: UInt32[Array, " masks"], ranked: UInt32[Array, " masks"]
) -> Int[Array, " places"]:
    """Gives `these` places the next ranks, in order, after those that are `ranked` already."""
    places = ranks.shape[0]
    index = np.arange(places)
    earlier = jnp.asarray(bitboard.pack(index[None, :] < index[:, None]))
    among = jnp.sum(jax.lax.population_count(earlier & these[None, :]), axis=1, dtype=jnp.uint32)
    rank = bitboard.count(ranked[None, :]) + among.astype(jnp.int32)
    return jnp.where(bitboard.unpack(these[None, :], places)[0], rank, ranks)


def _union(masks: UInt32[Array, "numbers masks"]) -> UInt32[Array, " masks"]:
    return jax.lax.reduce(masks, jnp.uint32(0), jax.lax.bitwise_or, (0,))


def _first(mask: UInt32[Array, " masks"]) -> UInt32[Array, " masks"]:
    """The first set bit of a mask alone."""
    lowest = mask & (~mask + jnp.uint32(1))
    before = jnp.cumsum((mask != 0).astype(jnp.int32))
    return jnp.where(before == 1, lowest, jnp.uint32(0))


def _lowest(masks: UInt32[Array, "numbers masks"]) -> Int[Array, " numbers"]:
    """The place of the first cell of each mask; past the end for an empty one."""
    words = masks.shape[1]
    base = jnp.arange(words, dtype=jnp.int32)[None, :] * WORD
    trailing = jax.lax.population_count(~masks & (masks - jnp.uint32(1))).astype(jnp.int32)
    return jnp.min(jnp.where(masks != 0, base + trailing, words * WORD), axis=1)


def _permute(lists: tuple[Int[Array, " places"], ...], place: Int[Array, " places"]) -> tuple:
    """Puts entry i of each list at `place[i]`."""
    return tuple(jnp.zeros_like(one).at[place].set(one, unique_indices=True) for one in lists)


def read(planes: bitboard.Planes, at: Places) -> Int[Array, " places"]:
    """The numbers that bit planes hold at these places."""
    words = planes[0].shape[1]
    row, col = jnp.minimum(at[0], planes[0].shape[0] - 1), jnp.minimum(at[1], words * WORD - 1)
    bit = (col % WORD).astype(jnp.uint32)
    digits = [
        ((plane.reshape(-1)[row * words + col // WORD] >> bit) & 1).astype(jnp.int32) << i
        for i, plane in enumerate(planes)
    ]
    return digits[0] | digits[1] | digits[2] | digits[3]
