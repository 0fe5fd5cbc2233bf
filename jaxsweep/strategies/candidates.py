"""Which cells a look-ahead evaluates: those nearly as good as the best, without equivalent ones."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from jaxsweep.beliefs import Beliefs
from jaxsweep.rules import arrays, bitboard
from jaxsweep.rules.bitboard import Bits, Planes
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize
from jaxsweep.scalar.fifty_fifty import CLOSE
from jaxsweep.strategies.fifty_fifty import FiftyFifties

NUMBERS = 9
"""A cell shows 0 to 8."""


class CandidateArrays(eqx.Module):
    """The candidates of a batch of positions, last, the best first."""

    row: Int[Array, "candidates batch"]
    col: Int[Array, "candidates batch"]
    safety: Float[Array, "candidates batch"]
    """The probability that the cell is safe; 0 where there is no candidate."""
    forced_guess_factor: Float[Array, "candidates batch"]
    """The probability that no 50/50 is lost but those that opening the cell resolves."""
    shows: Bool[Array, "candidates numbers batch"]
    """Which numbers the cell may show, judging by the certain cells around it."""

    @classmethod
    def none(cls, count: int, batch: int) -> "CandidateArrays":
        """Returns arrays without any candidate."""
        zero = jnp.zeros((count, batch), jnp.int32)
        nothing = zero.astype(jnp.float32)
        return cls(zero, zero, nothing, nothing, jnp.zeros((count, NUMBERS, batch), bool))

    @classmethod
    def of(
        cls,
        positions: Position,
        beliefs: Beliefs,
        fifty_fifties: FiftyFifties,
        wanted: Bool[Array, " batch"],
        ratio: float,
        count: int,
    ) -> "CandidateArrays":
        """Finds the candidates of the `wanted` positions.

        A cell's merit is the probability that it is safe times its forced-guess factor.
        Candidates have at least `ratio` times the merit of the best cell; at most `count` are
        returned, by merit, then by fewest hidden neighbours.
        """
        rows, cols, batch = beliefs.mine_probability.shape
        mines = materialize(jnp.asarray(bitboard.pack(beliefs.mines)))
        maybe = materialize(bitboard.mask(wanted, positions.hidden & ~mines))
        hidden_around, mines_around = materialize(
            (bitboard.neighbour_counts(positions.hidden), bitboard.neighbour_counts(mines))
        )
        there = jnp.asarray(bitboard.unpack(maybe, cols))
        safety = materialize(jnp.where(there, 1.0 - beliefs.mine_probability, 0.0))
        bonus = materialize(fifty_fifties.forced_guess_factor(rows, cols))
        merit = materialize(safety * bonus)
        in_pair = jnp.asarray(bitboard.pack(bonus > jnp.min(bonus, axis=(0, 1))[None, None]))
        distinct = _without_equivalent(maybe, positions, hidden_around, in_pair)
        eligible = jnp.asarray(bitboard.unpack(materialize(distinct), cols))
        best = jnp.max(jnp.where(eligible, merit, 0.0), axis=(0, 1))
        near_best = eligible & (merit >= ratio * best[None, None])
        # With few hidden neighbours a number is about few cells, so it says more about each.
        rank = jnp.round(merit / CLOSE) * CLOSE - 0.1 * CLOSE * bitboard.as_floats(hidden_around)
        order = materialize(jnp.where(near_best, rank, -1.0).reshape(-1, batch))
        places, values = arrays.largest(order, count)
        found = values >= 0

        def read(grid: Float[Array, "rows cols batch"]) -> Float[Array, "candidates batch"]:
            return jnp.take_along_axis(grid.reshape(order.shape), places, axis=0)

        number = jnp.arange(NUMBERS, dtype=jnp.float32)[None, :, None]
        least, most = (
            read(bitboard.as_floats(planes))[:, None] for planes in (mines_around, hidden_around)
        )
        return cls(
            row=places // cols,
            col=places % cols,
            safety=jnp.where(found, read(safety), 0.0),
            forced_guess_factor=jnp.where(found, read(bonus), 0.0),
            shows=(number >= least) & (number <= most) & found[:, None],
        )


def _without_equivalent(
    cells: Bits, positions: Position, hidden_around: Planes, in_pair: Bits
) -> Bits:
    """Keeps one corner, one side and one inner cell of those far from every open cell.

    Such cells are equivalent: their outcomes are alike, unless they belong to a possible 50/50.
    """
    far = cells & ~bitboard.dilate(bitboard.dilate(positions.opened)) & ~in_pair
    ones, twos, fours, eights = hidden_around
    kinds = (ones & twos & ~fours & ~eights, ones & fours & ~twos & ~eights, eights)
    for kind in kinds:
        equivalent = far & kind
        cells = (cells & ~equivalent) | bitboard.nth(equivalent, jnp.zeros_like(positions.mines))
    return cells
