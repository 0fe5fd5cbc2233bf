"""Deduction of certainly safe cells and certain mines, on packed rows.

The rules are those of most solvers. The single-cell rules ("single point") look at one open number
at a time. The set-bound rule bounds the mines that two numbers share; the subset rule, and patterns
such as 1-1 and 1-2-1, are cases of it. The mine-count rule looks at the mines left on the whole
board. All are sound but not complete: an engine finds every certain cell.
"""

import functools
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits, Planes
from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Rule
from jaxsweep.runtime.materialize import materialize


class Certain(eqx.Module):
    """The hidden cells determined so far: the same in every consistent layout."""

    safe: Bits
    mines: Bits
    by_pair: Bits
    """The cells that the set-bound rule determined."""
    by_count: Bits
    """The cells that the mine count determined; all others are by the single-cell rules."""


def nothing_certain(position: Position) -> Certain:
    """Returns the start of a deduction: no cell determined."""
    nothing = jnp.zeros_like(position.hidden)
    return Certain(nothing, nothing, nothing, nothing)


def deduce(position: Position) -> Certain:
    """Applies all rules until none finds more; each cell is credited to the first that does."""

    def step(state):
        certain, _ = state
        grown = materialize(count_rule(position, materialize(pair_round(position, certain))))
        grown = _all_single(position, grown)
        return grown, jnp.any(_determined(grown) != _determined(certain))

    start = (single_cell(position), jnp.asarray(True))
    return jax.lax.while_loop(lambda state: state[1], step, start)[0]


def single_cell(position: Position, known: Certain | None = None) -> Certain:
    """Applies the single-cell rules until they find no more, starting from `known`."""
    return _all_single(position, nothing_certain(position) if known is None else known)


def single_cell_round(position: Position, certain: Certain) -> Certain:
    """Applies both single-cell rules once to all open numbers."""
    candidates = position.hidden & ~certain.safe
    unknown = candidates & ~certain.mines
    all_mines, all_found = materialize(
        single_cell_numbers(position.numbers, position.opened, candidates, certain.mines)
    )
    return Certain(
        safe=certain.safe | (bitboard.dilate(all_found) & unknown),
        mines=certain.mines | (bitboard.dilate(all_mines) & unknown),
        by_pair=certain.by_pair,
        by_count=certain.by_count,
    )


def single_cell_numbers(
    numbers: Planes, opened: Bits, candidates: Bits, mines: Bits
) -> tuple[Bits, Bits]:
    """Returns the open numbers to which each of the two single-cell rules applies.

    The first have as many `candidates` (cells not known to be safe) around them as they count:
    all of these are mines. The second have all their mines among the known `mines`: all other
    hidden neighbours are safe.
    """
    all_mines = bitboard.equal(numbers, bitboard.neighbour_counts(candidates)) & opened
    all_found = bitboard.equal(numbers, bitboard.neighbour_counts(mines)) & opened
    return all_mines, all_found


def pair_round(position: Position, certain: Certain) -> Certain:
    """Applies the set-bound rule once to all pairs of numbers that share cells.

    Let A and B be the undetermined cells around two numbers with residuals a and b. Every shared
    cell is a mine of A or a safe cell of B, so that a + (|B| − b) ≥ |A ∩ B|. If both sides are
    equal, A and B have no other mines and safe cells: all of A ∖ B is safe and all of B ∖ A is
    mines. Over both orders of each pair, this is all that bounds on two sets can prove.
    """
    unknown = position.hidden & ~certain.safe & ~certain.mines
    residuals = residual_numbers(position, certain)
    size = bitboard.neighbour_counts(unknown)
    safe_counts, _ = bitboard.subtract(size, residuals)
    numbers = position.opened & bitboard.dilate(unknown)
    first = _filled_pairs(unknown, numbers, residuals, safe_counts)
    second = materialize(
        {offset: bitboard.shift(found, *offset) for offset, found in first.items()}
    )
    safe, mines = _rest(first, 1) & unknown, _rest(second, -1) & unknown
    return Certain(
        safe=certain.safe | safe,
        mines=certain.mines | mines,
        by_pair=certain.by_pair | safe | mines,
        by_count=certain.by_count,
    )


def count_rule(position: Position, certain: Certain) -> Certain:
    """Determines every hidden cell if no mines are left on the board, or as many as cells."""
    unknown = position.hidden & ~certain.safe & ~certain.mines
    left = position.mines - bitboard.count(certain.mines)
    safe = bitboard.mask(left == 0, unknown)
    mines = bitboard.mask(left == bitboard.count(unknown), unknown) & ~safe
    return Certain(
        safe=certain.safe | safe,
        mines=certain.mines | mines,
        by_pair=certain.by_pair,
        by_count=certain.by_count | safe | mines,
    )


def simplest(certain: Certain) -> tuple[Bits, Int[Array, "*batch"]]:
    """Returns the safe cells found by the simplest rule that found any, and that `Rule`."""
    single = certain.safe & ~certain.by_pair & ~certain.by_count
    pair, count = certain.safe & certain.by_pair, certain.safe & certain.by_count
    any_single, any_pair = bitboard.any_set(single), bitboard.any_set(pair)
    cells = bitboard.select(any_single, single, bitboard.select(any_pair, pair, count))
    rule = jnp.where(any_single, Rule.SINGLE, jnp.where(any_pair, Rule.PAIR, Rule.COUNT))
    return cells, rule


def residual_numbers(position: Position, certain: Certain) -> Planes:
    """Returns each open number's residual: its number less the mines known around it."""
    found = bitboard.neighbour_counts(certain.mines)
    residuals, _ = bitboard.subtract(position.numbers, found)
    ones, twos, fours, eights = (plane & position.opened for plane in residuals)
    return ones, twos, fours, eights


def contradicted(position: Position, certain: Certain) -> Bits:
    """Returns the open numbers that the determined cells contradict: too many mines, or too few."""
    candidates = position.hidden & ~certain.safe
    _, too_many = bitboard.subtract(position.numbers, bitboard.neighbour_counts(certain.mines))
    _, too_few = bitboard.subtract(bitboard.neighbour_counts(candidates), position.numbers)
    return (too_many | too_few) & position.opened


def _determined(certain: Certain) -> Bits:
    return certain.safe | certain.mines


def _all_single(position: Position, certain: Certain) -> Certain:
    """Repeats `single_cell_round` until nothing new is found."""

    def step(state):
        certain, _ = state
        grown = materialize(single_cell_round(position, certain))
        return grown, jnp.any(_determined(grown) != _determined(certain))

    return jax.lax.while_loop(lambda state: state[1], step, (certain, jnp.asarray(True)))[0]


STEPS = (-2, -1, 0, 1, 2)
"""The row and column offsets between two numbers that share neighbours."""

Offset = tuple[int, int]
"""Rows and columns from the first number of a pair to the second."""


def _filled_pairs(
    unknown: Bits, numbers: Bits, residuals: Planes, safe_counts: Planes
) -> dict[Offset, Bits]:
    """Finds pairs where the first's residual and the second's safe cells fill the shared cells.

    Returns the mask of the first numbers by the offset to the second. Arrays that many pairs read
    are materialized, else XLA computes them again for each pair.
    """
    nothing, found = jnp.zeros_like(unknown), {}
    shared_across, seconds = materialize(
        (
            _shared_on_line((unknown, nothing, nothing, nothing), 0, 1),
            [_move_all((*safe_counts, numbers), 0, -right) for right in STEPS],
        )
    )
    for right, across, second in zip(STEPS, shared_across, seconds, strict=True):
        for down, (ones, twos, fours, _) in zip(STEPS, _shared_on_line(across, 1, 0), strict=True):
            if down == right == 0:
                continue
            *digits, there = _move_all(second, -down, 0)
            total, over = bitboard.add(residuals, (digits[0], digits[1], digits[2], digits[3]))
            # Two different numbers share at most six cells: three binary digits suffice.
            same = bitboard.equal(total, (ones, twos, fours, nothing))
            found[down, right] = same & ~over & numbers & there
    return materialize(found)


def _rest(cells: dict[Offset, Bits], side: int) -> Bits:
    """Returns neighbours of `cells[offset]` that the cell `side · offset` away does not share."""
    near = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    alone = {
        step: _union(
            [
                found
                for offset, found in cells.items()
                if max(abs(s - side * o) for s, o in zip(step, offset, strict=True)) > 1
            ]
        )
        for step in near
    }
    return _union([bitboard.shift(found, *step) for step, found in materialize(alone).items()])


def _shared_on_line(counts: Planes, down: int, right: int) -> list[Planes]:
    """Sums `counts` over the overlap of two windows of three, for each of `STEPS` between them."""

    def moved(sign: int) -> Planes:
        ones, twos, fours, eights = _move_all(counts, sign * down, sign * right)
        return ones, twos, fours, eights

    before, after = moved(1), moved(-1)
    left, _ = bitboard.add(before, counts)
    both, _ = bitboard.add(left, after)
    beyond, _ = bitboard.add(counts, after)
    return [before, left, both, beyond, after]


def _move_all(boards: Sequence[Bits], down: int, right: int) -> list[Bits]:
    """Applies `bitboard.shift` to each board."""
    return [bitboard.shift(bits, down, right) for bits in boards]


def _union(boards: list[Bits]) -> Bits:
    return functools.reduce(jnp.bitwise_or, boards)
