"""Numbers that share no cell with another number: edges that need no counting.

The cells around such a number hold as many mines as it needs, in any of them.
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, UInt32

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits, Planes
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.runtime.materialize import materialize


class Isolated(eqx.Module):
    """The lone numbers of a batch of positions, last, all together."""

    cells: UInt32[Array, "rows words batch"]
    mines: Int[Array, " batch"]
    chance: Float[Array, "rows cols batch"]
    """Of their cells; 0 elsewhere."""
    log_layouts: Float[Array, " batch"]


def isolated_constraints(reduced: ReducedPosition) -> Isolated:
    """Finds them in a batch of positions, last."""
    need, size, cells = materialize(_find_lone(reduced))
    log_layouts, mines = _count_lone(need, size)
    near_need, near_size = materialize(_beside(need, size, cells))

    chance = bitboard.as_floats(near_need) / jnp.maximum(bitboard.as_floats(near_size), 1.0)
    return Isolated(cells, mines, chance, log_layouts)


def _find_lone(reduced: ReducedPosition) -> tuple[Planes, Planes, Bits]:
    """What lone numbers need, how many cells they have for it, and which."""
    boundary, active = reduced.boundary, reduced.constraints
    _, twos, fours, eights = bitboard.neighbour_counts(active)
    shared, boundary, active = materialize((boundary & (twos | fours | eights), boundary, active))
    lone = active & ~bitboard.dilate(shared)
    size = bitboard.neighbour_counts(boundary)
    return _masked(reduced.residuals, lone), _masked(size, lone), boundary & bitboard.dilate(lone)


def _masked(planes: Planes, mask: Bits) -> Planes:
    ones, twos, fours, eights = (plane & mask for plane in planes)
    return ones, twos, fours, eights


def _count_lone(need: Planes, size: Planes) -> tuple[Float[Array, "*batch"], Int[Array, "*batch"]]:
    """The logarithm of the product of (size choose need), and the sum of the needs."""
    clear, _ = bitboard.subtract(size, need)
    terms = [
        sign * np.float32(np.log(n)) * bitboard.count(mask).astype(jnp.float32)
        for sign, planes in ((1, size), (-1, need), (-1, clear))
        for n, mask in enumerate(_at_least(planes), start=2)
    ]
    mines = sum((bitboard.count(plane) << i for i, plane in enumerate(need)), jnp.int32(0))
    return sum(terms, jnp.float32(0.0)), mines


def _at_least(planes: Planes) -> list[Bits]:
    """Where a number is at least 2, 3, … 8: its factorial's factors."""
    ones, twos, fours, eights = planes
    many = fours | eights
    return [
        twos | many,
        (ones & twos) | many,
        many,
        eights | (fours & (ones | twos)),
        eights | (fours & twos),
        eights | (fours & twos & ones),
        eights,
    ]


def _beside(need: Planes, size: Planes, cells: Bits) -> tuple[Planes, Planes]:
    """The numbers of the one lone number that is next to each of the cells."""

    def spread(planes: Planes) -> Planes:
        ones, twos, fours, eights = (bitboard.dilate(plane) for plane in planes)
        return _masked((ones, twos, fours, eights), cells)

    return spread(need), spread(size)
