"""Isolated constraints: numbers that share no cell with another number.

Each is a component by itself that needs no counting: its mines lie in any of its cells, in
(cells choose mines) ways.
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
    """All isolated constraints of each position of a batch, last."""

    cells: UInt32[Array, "rows words batch"]
    mines: Int[Array, " batch"]
    mine_probability: Float[Array, "rows cols batch"]
    """Of their cells; 0 elsewhere."""
    log_layouts: Float[Array, " batch"]


def isolated_constraints(reduced: ReducedPosition) -> Isolated:
    """Finds and solves the isolated constraints of a batch of positions, last."""
    residual, size, cells = materialize(_find(reduced))
    log_layouts, mines = _count(residual, size)
    residual_at, size_at = materialize(_spread_to_cells(residual, size, cells))

    mine_probability = bitboard.as_floats(residual_at) / jnp.maximum(
        bitboard.as_floats(size_at), 1.0
    )
    return Isolated(cells, mines, mine_probability, log_layouts)


def _find(reduced: ReducedPosition) -> tuple[Planes, Planes, Bits]:
    """Returns the residuals of isolated constraints, their numbers of cells, and these cells."""
    boundary, constraints = reduced.boundary, reduced.constraints
    _, twos, fours, eights = bitboard.neighbour_counts(constraints)
    shared, boundary, constraints = materialize(
        (boundary & (twos | fours | eights), boundary, constraints)
    )
    isolated = constraints & ~bitboard.dilate(shared)
    size = bitboard.neighbour_counts(boundary)
    return (
        _masked(reduced.residuals, isolated),
        _masked(size, isolated),
        boundary & bitboard.dilate(isolated),
    )


def _masked(planes: Planes, mask: Bits) -> Planes:
    ones, twos, fours, eights = (plane & mask for plane in planes)
    return ones, twos, fours, eights


def _count(residual: Planes, size: Planes) -> tuple[Float[Array, "*batch"], Int[Array, "*batch"]]:
    """Computes the log of the product of (size choose residual), and the sum of the residuals.

    The logarithm of a factorial is the sum of the logarithms of its factors, and each factor is
    counted on the whole board at once.
    """
    clear, _ = bitboard.subtract(size, residual)
    terms = [
        sign * np.float32(np.log(n)) * bitboard.count(mask).astype(jnp.float32)
        for sign, planes in ((1, size), (-1, residual), (-1, clear))
        for n, mask in enumerate(_at_least(planes), start=2)
    ]
    mines = sum((bitboard.count(plane) << i for i, plane in enumerate(residual)), jnp.int32(0))
    return sum(terms, jnp.float32(0.0)), mines


def _at_least(planes: Planes) -> list[Bits]:
    """Returns the masks of the numbers that are at least 2, 3, … 8: the factors of factorials."""
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


def _spread_to_cells(residual: Planes, size: Planes, cells: Bits) -> tuple[Planes, Planes]:
    """Copies residual and size of each isolated constraint to the cells around it."""

    def spread(planes: Planes) -> Planes:
        ones, twos, fours, eights = (bitboard.dilate(plane) for plane in planes)
        return _masked((ones, twos, fours, eights), cells)

    return spread(residual), spread(size)
