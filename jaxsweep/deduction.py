"""Cells that are certainly safe or certainly mined, found on packed rows, and by which rule.

Three kinds of rules, each sound on its own: one open number at a time; two numbers that share
cells; and the number of mines left. They do not find everything: that takes an engine.
"""

import enum
import functools
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

from jaxsweep import bitboard
from jaxsweep.bitboard import Bits, Planes
from jaxsweep.position import Position


class Rule(enum.IntEnum):
    """What settled a cell, the simplest first."""

    SINGLE = 0
    """One number has all its mines found, or needs all cells it has left."""
    PAIR = 1
    """Two numbers that share cells: the mines of one and the clear cells of the other fill them."""
    COUNT = 2
    """No mines are left, or only mines."""


class Certain(eqx.Module):
    """Hidden cells that are settled: a safe one is a mine in no consistent layout, and so on."""

    safe: Bits
    mines: Bits
    by_pair: Bits
    """Those that the pair rule found first."""
    by_count: Bits
    """Those that the number of mines left settled; all others are by a single number."""


def nothing_certain(position: Position) -> Certain:
    """Where every deduction begins."""
    nothing = jnp.zeros_like(position.hidden)
    return Certain(nothing, nothing, nothing, nothing)


def deduce(position: Position) -> Certain:
    """Everything that the rules settle together, each cell by the simplest rule that can."""
    return _deduce(position, single_cell(position), lambda certain: jnp.asarray(True))


def deduce_safe(position: Position) -> Certain:
    """As `deduce`, but stops at the first safe cells: what a player needs to go on."""
    return _deduce(position, single_cell(position), lambda certain: ~bitboard.any_set(certain.safe))


def _deduce(
    position: Position, start: Certain, wanted: Callable[[Certain], Bool[Array, ""]]
) -> Certain:
    """Rounds of all rules while they find something and more is wanted."""

    def step(state):
        certain, _ = state
        grown = count_rule(position, pair_round(position, certain))
        grown = _all_single(position, grown)
        new = bitboard.any_set(_settled(grown) ^ _settled(certain))
        return grown, new & wanted(grown)

    return jax.lax.while_loop(lambda state: state[1], step, (start, wanted(start)))[0]


def single_cell(position: Position, known: Certain | None = None) -> Certain:
    """Everything the single-cell rules settle, with what is `known` before."""
    return _all_single(position, nothing_certain(position) if known is None else known)


def single_cell_round(position: Position, certain: Certain) -> Certain:
    """One round of both single-cell rules over all open numbers at once.

    A number that has as many hidden neighbours left as it counts mines: all of them are mines.
    A number whose mines are all found: its other hidden neighbours are safe.
    """
    candidates = position.hidden & ~certain.safe
    unknown = candidates & ~certain.mines
    all_mines = bitboard.equal(position.numbers, bitboard.neighbour_counts(candidates))
    all_found = bitboard.equal(position.numbers, bitboard.neighbour_counts(certain.mines))
    return Certain(
        safe=certain.safe | (bitboard.dilate(all_found & position.opened) & unknown),
        mines=certain.mines | (bitboard.dilate(all_mines & position.opened) & unknown),
        by_pair=certain.by_pair,
        by_count=certain.by_count,
    )


def pair_round(position: Position, certain: Certain) -> Certain:
    """One round of the pair rule over all pairs of numbers that share cells.

    Let A and B be the unsettled cells around two numbers. A's mines and B's clear cells are at
    most as many as A and B have in common; if just as many, they are all there: the rest of A is
    clear, and the rest of B is mines. With subsets and differences of two sets, this is all that
    bounds on their mines can tell.
    """
    unknown = position.hidden & ~certain.safe & ~certain.mines
    needs = needs_left(position, certain)
    size = bitboard.neighbour_counts(unknown)
    clear, _ = bitboard.subtract(size, needs)
    numbers = position.opened & bitboard.dilate(unknown)
    fills = _filled_pairs(unknown, numbers, needs, clear)
    safe, mines = _rest_of_pairs(fills)
    safe, mines = safe & unknown, mines & unknown
    return Certain(
        safe=certain.safe | safe,
        mines=certain.mines | mines,
        by_pair=certain.by_pair | safe | mines,
        by_count=certain.by_count,
    )


def count_rule(position: Position, certain: Certain) -> Certain:
    """Settles every hidden cell where no mines are left, or nothing but mines."""
    unknown = position.hidden & ~certain.safe & ~certain.mines
    left = position.mines - bitboard.count(certain.mines)
    nothing = jnp.zeros_like(unknown)
    safe = jnp.where(left == 0, unknown, nothing)
    mines = jnp.where(left == bitboard.count(unknown), unknown, nothing) & ~safe
    return Certain(
        safe=certain.safe | safe,
        mines=certain.mines | mines,
        by_pair=certain.by_pair,
        by_count=certain.by_count | safe | mines,
    )


def simplest(certain: Certain) -> tuple[Bits, Int[Array, ""]]:
    """The safe cells that the simplest rule has found, and that `Rule`; none if there are none."""
    single = certain.safe & ~certain.by_pair & ~certain.by_count
    pair, count = certain.safe & certain.by_pair, certain.safe & certain.by_count
    any_single, any_pair = bitboard.any_set(single), bitboard.any_set(pair)
    cells = jnp.where(any_single, single, jnp.where(any_pair, pair, count))
    rule = jnp.where(any_single, Rule.SINGLE, jnp.where(any_pair, Rule.PAIR, Rule.COUNT))
    return cells, rule


def needs_left(position: Position, certain: Certain) -> Planes:
    """How many mines each open number still needs among its cells that are not settled."""
    found = bitboard.neighbour_counts(certain.mines)
    needs, _ = bitboard.subtract(position.numbers, found)
    ones, twos, fours, eights = (plane & position.opened for plane in needs)
    return ones, twos, fours, eights


def contradicted(position: Position, certain: Certain) -> Bits:
    """The open numbers that cannot be met, given what was settled: too many mines, or too few."""
    candidates = position.hidden & ~certain.safe
    _, too_many = bitboard.subtract(position.numbers, bitboard.neighbour_counts(certain.mines))
    _, too_few = bitboard.subtract(bitboard.neighbour_counts(candidates), position.numbers)
    return (too_many | too_few) & position.opened


def _settled(certain: Certain) -> Bits:
    return certain.safe | certain.mines


def _all_single(position: Position, certain: Certain) -> Certain:
    """Single-cell rounds until nothing new is found."""

    def step(state):
        certain, _ = state
        grown = single_cell_round(position, certain)
        return grown, bitboard.any_set(_settled(grown) ^ _settled(certain))

    return jax.lax.while_loop(lambda state: state[1], step, (certain, jnp.asarray(True)))[0]


STEPS = (-2, -1, 0, 1, 2)
"""How many rows, or columns, two numbers that share cells can be apart."""


def _filled_pairs(
    unknown: Bits, numbers: Bits, needs: Planes, clear: Planes
) -> UInt32[Array, "5 5 rows words"]:
    """At [i, j], the numbers whose mines, with the clear cells of the number `STEPS[i]` rows and
    `STEPS[j]` columns on, fill the cells that both share.

    A scan over the rows, so that each step's results are written once. Written as one expression,
    the compiler would work them out anew for each of their many uses.
    """  # noqa: D205
    shared = _shared_cells(unknown)
    others = jnp.stack([*clear, numbers])
    by_rows = (jnp.stack([_move_all(others, -down, 0) for down in STEPS]), shared)

    def one_row(_, row):
        other, common = row
        found = []
        for right, (ones, twos, fours) in zip(STEPS, common, strict=True):
            *digits, there = _move_all(other, 0, -right)
            total, over = bitboard.add(needs, (digits[0], digits[1], digits[2], digits[3]))
            same = bitboard.equal(total, (ones, twos, fours, jnp.zeros_like(over)))
            found.append(same & ~over & numbers & there)
        return None, jnp.stack(found)

    return jax.lax.scan(one_row, None, by_rows)[1]


def _rest_of_pairs(fills: UInt32[Array, "5 5 rows words"]) -> tuple[Bits, Bits]:
    """The rest of the first numbers' cells, all clear, and of the second numbers', all mines."""
    apart = np.array([[abs(step - down) > 1 for step in (-1, 0, 1)] for down in STEPS])
    every = np.uint32(0xFFFFFFFF)
    masks = jnp.asarray(np.where(np.stack([apart, apart[::-1]], axis=1), every, np.uint32(0)))

    def one_row(_, row):
        first, masks = row
        second = jnp.stack([bitboard.shift(first[i], 0, right) for i, right in enumerate(STEPS)])
        return None, (_rest(first, masks[0], 1), _rest(second, masks[1], -1))

    # The second numbers' rows are put right at the end: until then, theirs may be off the board.
    padded = jnp.pad(fills, ((0, 0), (0, 0), (2, 2), (0, 0)))
    _, (safe, mines) = jax.lax.scan(one_row, None, (padded, masks))
    moved = [bitboard.shift(mines[i], down, 0) for i, down in enumerate(STEPS)]
    return _union(list(safe))[2:-2], _union(moved)[2:-2]


def _rest(cells: UInt32[Array, "5 rows words"], row_masks: UInt32[Array, " 3"], side: int) -> Bits:
    """The neighbours of `cells[j]` that a cell `side · STEPS[j]` columns on does not have too.

    `row_masks` lets through the rows, from above to below, that it does not have anyway.
    """
    together = _union(list(cells))
    across = together | bitboard.shift(together, 0, 1) | bitboard.shift(together, 0, -1)
    parts = [bitboard.shift(across, step, 0) & row_masks[step + 1] for step in (-1, 0, 1)]
    for step in (-1, 0, 1):
        away = [cells[j] for j, right in enumerate(STEPS) if abs(step - side * right) > 1]
        if away:
            aside = bitboard.shift(_union(away), 0, step)
            parts += [bitboard.shift(aside, down, 0) for down in (-1, 0, 1)]
    return _union(parts)


def _shared_cells(unknown: Bits) -> UInt32[Array, "5 5 3 rows words"]:
    """At [i, j], how many unknown cells each cell shares with the one `STEPS[i]` rows and
    `STEPS[j]` columns on; as three binary digits, the ones first.
    """  # noqa: D205
    nothing = jnp.zeros_like(unknown)
    rows = _shared_on_line((unknown, nothing, nothing, nothing), 0, 1)
    tables = [_shared_on_line(row, 1, 0) for row in rows]
    # Nine only where a cell shares all with itself, which tells nothing: three digits suffice.
    by_right = [jnp.stack([jnp.stack(table[:3]) for table in column]) for column in tables]
    return jnp.stack(by_right, axis=1)


def _shared_on_line(counts: Planes, down: int, right: int) -> list[Planes]:
    """For each of `STEPS` along a line, the sum over what windows of three have in common."""

    def moved(sign: int) -> Planes:
        ones, twos, fours, eights = (bitboard.shift(x, sign * down, sign * right) for x in counts)
        return ones, twos, fours, eights

    before, after = moved(1), moved(-1)
    left, _ = bitboard.add(before, counts)
    both, _ = bitboard.add(left, after)
    beyond, _ = bitboard.add(counts, after)
    return [before, left, both, beyond, after]


def _move_all(
    boards: UInt32[Array, "boards rows words"], down: int, right: int
) -> UInt32[Array, "boards rows words"]:
    """`bitboard.shift` of every board in a stack."""
    return jax.vmap(lambda bits: bitboard.shift(bits, down, right))(boards)


def _union(boards: list[Bits]) -> Bits:
    return functools.reduce(jnp.bitwise_or, boards)
