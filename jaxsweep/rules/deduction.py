"""Cells that are certainly safe or certainly mined, found on packed rows, and by which rule.

Three kinds of rules, each sound on its own: one open number at a time; two numbers that share
cells; and the number of mines left. They do not find everything: that takes an engine.
"""

import enum
import functools
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits, Planes
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize


class Rule(enum.IntEnum):
    """What reduced a cell, the simplest first."""

    SINGLE = 0
    """One number has all its mines found, or needs all cells it has left."""
    PAIR = 1
    """Two numbers that share cells: the mines of one and the clear cells of the other fill them."""
    COUNT = 2
    """No mines are left, or only mines."""


class Certain(eqx.Module):
    """Hidden cells that are reduced: a safe one is a mine in no consistent layout, and so on."""

    safe: Bits
    mines: Bits
    by_pair: Bits
    """Those that the pair rule found first."""
    by_count: Bits
    """Those that the number of mines left reduced; all others are by a single number."""


def nothing_certain(position: Position) -> Certain:
    """Where every deduction begins."""
    nothing = jnp.zeros_like(position.hidden)
    return Certain(nothing, nothing, nothing, nothing)


def deduce(position: Position) -> Certain:
    """Everything that the rules settle together, each cell by the simplest rule that can."""

    def step(state):
        certain, _ = state
        grown = materialize(count_rule(position, materialize(pair_round(position, certain))))
        grown = _all_single(position, grown)
        return grown, jnp.any(_settled(grown) != _settled(certain))

    start = (single_cell(position), jnp.asarray(True))
    return jax.lax.while_loop(lambda state: state[1], step, start)[0]


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
    all_mines, all_found = materialize((all_mines & position.opened, all_found & position.opened))
    return Certain(
        safe=certain.safe | (bitboard.dilate(all_found) & unknown),
        mines=certain.mines | (bitboard.dilate(all_mines) & unknown),
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
    first = _filled_pairs(unknown, numbers, needs, clear)
    second = materialize({apart: bitboard.shift(found, *apart) for apart, found in first.items()})
    safe, mines = _rest(first, 1) & unknown, _rest(second, -1) & unknown
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
    safe = bitboard.mask(left == 0, unknown)
    mines = bitboard.mask(left == bitboard.count(unknown), unknown) & ~safe
    return Certain(
        safe=certain.safe | safe,
        mines=certain.mines | mines,
        by_pair=certain.by_pair,
        by_count=certain.by_count | safe | mines,
    )


def simplest(certain: Certain) -> tuple[Bits, Int[Array, "*batch"]]:
    """The safe cells that the simplest rule has found, and that `Rule`; none if there are none."""
    single = certain.safe & ~certain.by_pair & ~certain.by_count
    pair, count = certain.safe & certain.by_pair, certain.safe & certain.by_count
    any_single, any_pair = bitboard.any_set(single), bitboard.any_set(pair)
    cells = bitboard.select(any_single, single, bitboard.select(any_pair, pair, count))
    rule = jnp.where(any_single, Rule.SINGLE, jnp.where(any_pair, Rule.PAIR, Rule.COUNT))
    return cells, rule


def needs_left(position: Position, certain: Certain) -> Planes:
    """How many mines each open number still needs among its cells that are not reduced."""
    found = bitboard.neighbour_counts(certain.mines)
    needs, _ = bitboard.subtract(position.numbers, found)
    ones, twos, fours, eights = (plane & position.opened for plane in needs)
    return ones, twos, fours, eights


def contradicted(position: Position, certain: Certain) -> Bits:
    """The open numbers that cannot be met, given what was reduced: too many mines, or too few."""
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
        grown = materialize(single_cell_round(position, certain))
        return grown, jnp.any(_settled(grown) != _settled(certain))

    return jax.lax.while_loop(lambda state: state[1], step, (certain, jnp.asarray(True)))[0]


STEPS = (-2, -1, 0, 1, 2)
"""How many rows, or columns, two numbers that share cells can be apart."""

Apart = tuple[int, int]
"""Rows and columns from the first number of a pair to the second."""


def _filled_pairs(unknown: Bits, numbers: Bits, needs: Planes, clear: Planes) -> dict[Apart, Bits]:
    """The first numbers of pairs whose mines, with the second's clear cells, fill what they share.

    What many pairs read is written once: else the compiler works it out anew for each of them.
    """
    nothing, found = jnp.zeros_like(unknown), {}
    shared_across, seconds = materialize(
        (
            _shared_on_line((unknown, nothing, nothing, nothing), 0, 1),
            [_move_all((*clear, numbers), 0, -right) for right in STEPS],
        )
    )
    for right, across, second in zip(STEPS, shared_across, seconds, strict=True):
        for down, (ones, twos, fours, _) in zip(STEPS, _shared_on_line(across, 1, 0), strict=True):
            if down == right == 0:
                continue
            *digits, there = _move_all(second, -down, 0)
            total, over = bitboard.add(needs, (digits[0], digits[1], digits[2], digits[3]))
            # Two numbers share less than nine cells: of what they share, three digits suffice.
            same = bitboard.equal(total, (ones, twos, fours, nothing))
            found[down, right] = same & ~over & numbers & there
    return materialize(found)


def _rest(cells: dict[Apart, Bits], side: int) -> Bits:
    """The neighbours of `cells[apart]` that a cell `side · apart` on does not have too."""
    near = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    alone = {
        step: _union(
            [
                found
                for apart, found in cells.items()
                if max(abs(s - side * a) for s, a in zip(step, apart, strict=True)) > 1
            ]
        )
        for step in near
    }
    return _union([bitboard.shift(found, *step) for step, found in materialize(alone).items()])


def _shared_on_line(counts: Planes, down: int, right: int) -> list[Planes]:
    """For each of `STEPS` along a line, the sum over what windows of three have in common."""

    def moved(sign: int) -> Planes:
        ones, twos, fours, eights = _move_all(counts, sign * down, sign * right)
        return ones, twos, fours, eights

    before, after = moved(1), moved(-1)
    left, _ = bitboard.add(before, counts)
    both, _ = bitboard.add(left, after)
    beyond, _ = bitboard.add(counts, after)
    return [before, left, both, beyond, after]


def _move_all(boards: Sequence[Bits], down: int, right: int) -> list[Bits]:
    """`bitboard.shift` of every one of the boards."""
    return [bitboard.shift(bits, down, right) for bits in boards]


def _union(boards: list[Bits]) -> Bits:
    return functools.reduce(jnp.bitwise_or, boards)
