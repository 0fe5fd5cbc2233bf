"""Exact counting of the layouts of one component, by merging equal states.

The cells of a component that are next to the same numbers are interchangeable: they form a tile
set, and only how many of its mines there are matters. Tile sets are assigned one after the other. A
state is what the numbers still need (their residuals), and partial assignments with equal
residuals are merged. A forward and a backward pass (sum-product over a chain) give the layouts of
the whole component, and those in which a given cell is a mine, both by number of mines.

Counts by number of mines are the coefficients of a polynomial, and a polynomial is one integer: its
value at a power of two that exceeds all coefficients (Kronecker substitution). To merge two states
is then an addition, and one more mine is a shift.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import NamedTuple, no_type_check

from jaxsweep.scalar.geometry import CellSet, indices

Constraint = tuple[CellSet, int]
"""Unknown cells around a number, and how many of them are mines."""

RESIDUAL_BITS = 5
"""Bits of a residual in a packed state: up to 8 mines, and a guard bit that a borrow clears."""


SHAPES = 512
"""Shapes of components that are remembered: a cell that is opened gives one for all its numbers."""

LONG_COUNTS = 2048
"""Bits of a polynomial from which on its multiplication takes longer than the rest of a state."""


class OverBudgetError(Exception):
    """Counting would take more states than allowed."""


@dataclass(frozen=True)
class TileSet:
    """Cells that are next to the same numbers, and the layouts in which one of them is a mine."""

    cells: CellSet
    mine_layouts: tuple[int, ...]
    """Layouts of the component in which a given cell of the set is a mine, by number of mines."""


@dataclass(frozen=True)
class CountedComponent:
    """The layouts of a component by its number of mines, from `min_mines` on."""

    min_mines: int
    layouts: tuple[int, ...]
    """Empty if there is no layout."""
    tile_sets: tuple[TileSet, ...]
    states: int
    """What counting took of the budget."""


@no_type_check
def count_component(constraints: tuple[Constraint, ...], max_states: int) -> CountedComponent:
    """Counts the layouts of a connected component.

    Raises `OverBudgetError` if the states of the forward pass exceed `max_states`. A state with
    counts of many bits stands for several, by the time that their multiplication takes.
    """
    tiles, steps, forward, width, states = forward_pass(constraints, max_states)
    total = forward[-1].get(0, 0)
    if not total:
        return CountedComponent(0, (), (), states)
    marginals = _marginals(steps, forward)
    low = ((total & -total).bit_length() - 1) // width
    count = -(-total.bit_length() // width) - low
    digits = (1 << width) - 1

    def coefficients(polynomial):
        return tuple([polynomial >> (low + k) * width & digits for k in range(count)])

    return CountedComponent(
        low,
        coefficients(total),
        tuple(
            [
                TileSet(cells, coefficients(marginal))
                for (cells, _), marginal in zip(tiles, marginals, strict=True)
            ]
        ),
        states,
    )


class ForwardPass(NamedTuple):
    """The forward messages of a component, and what it takes to walk back through them."""

    tiles: list[tuple[CellSet, int]]
    """The cells of each tile set, in order, and its constraints as a set of bits."""
    steps: list[tuple[list[tuple[int, int, int, int]], int, int]]
    """For each tile set its choices, as `_steps` returns them."""
    messages: list[dict[int, int]]
    """The states before each step and at the end, each with its polynomial."""
    width: int
    """The bits of a coefficient of a polynomial."""
    states: int
    """What the pass took of the budget."""


def forward_pass(constraints: tuple[Constraint, ...], max_states: int) -> ForwardPass:
    """Assigns the tile sets of a component one after the other, and merges equal states.

    Raises `OverBudgetError` as `count_component`.
    """
    tiles, steps, width = _shape(tuple([cells for cells, _ in constraints]))
    messages, states = _forward(constraints, steps, width, max_states)
    return ForwardPass(tiles, steps, messages, width, states)


@lru_cache(maxsize=SHAPES)
@no_type_check
def _shape(constrained):
    """Returns the tile sets, the steps and the width of a component with these constrained cells.

    They do not depend on how many of the cells are mines.
    """
    sets = _tile_sets(constrained)
    order = _breadth_first(sets, len(constrained))
    tiles = [(sets[numbers], numbers) for numbers in order]
    width = sum(cells.bit_count() for cells, _ in tiles) + 1
    return tiles, _steps(tiles, constrained, width), width


@no_type_check
def _tile_sets(constrained):
    """Returns the cells of each tile set, by the set of its numbers."""
    numbers_of = {}
    for number, cells in enumerate(constrained):
        for cell in indices(cells):
            numbers_of[cell] = numbers_of.get(cell, 0) | 1 << number
    sets = {}
    for cell, numbers in numbers_of.items():
        sets[numbers] = sets.get(numbers, 0) | 1 << cell
    return sets


@no_type_check
def _breadth_first(sets, count):
    """Orders tile sets breadth first from an end, which keeps the states few (Cuthill, McKee).

    The last of a first search is a pseudo-peripheral set: the search that counts starts there.
    """
    of_number = [[] for _ in range(count)]
    for numbers in sets:
        for number in indices(numbers):
            of_number[number].append(numbers)
    start = next(iter(sets))
    for _ in range(2):
        order, seen, met = [start], {start}, 0
        for numbers in order:
            for number in indices(numbers & ~met):
                for other in of_number[number]:
                    if other not in seen:
                        seen.add(other)
                        order.append(other)
            met |= numbers
        start = order[-1]
    return order


@no_type_check
def _steps(tiles, constrained, width):
    """Returns, for each tile set, its choices, the check that follows, and the guard bits.

    A choice is a number of mines: what it subtracts from a state, the shift of the polynomial, its
    ways, and its ways with a given cell a mine. The check is what the sets to come have room for,
    for each number, over the guard bits.
    """
    guards = sum([1 << (n * RESIDUAL_BITS + RESIDUAL_BITS - 1) for n in range(len(constrained))])
    room = guards + sum(
        [cells.bit_count() << n * RESIDUAL_BITS for n, cells in enumerate(constrained)]
    )
    steps = []
    for cells, numbers in tiles:
        size, own = cells.bit_count(), indices(numbers)
        one = sum([1 << n * RESIDUAL_BITS for n in own])
        choices = []
        for mines in range(size + 1):
            with_cell = comb(size - 1, mines - 1) if mines else 0
            choices.append((mines * one, mines * width, comb(size, mines), with_cell))
        room -= size * one
        steps.append((choices, room, guards))
    return steps


@no_type_check
def _forward(constraints, steps, width, max_states):
    """Returns the states before each step and at the end, with the polynomials that lead there.

    Also returns what they take of the budget.
    """
    state = sum([mines << n * RESIDUAL_BITS for n, (_, mines) in enumerate(constraints)])
    messages, total = [{state: 1}], 0
    # A polynomial has at most `width` coefficients, of `width` bits each.
    may_be_long = width * width >= LONG_COUNTS
    for choices, room, guards in steps:
        after = {}
        for state, polynomial in messages[-1].items():
            guarded = state | guards
            for less, shift, ways, _ in choices:
                grown = guarded - less
                if grown & guards != guards:
                    break
                grown ^= guards
                # What is left must fit into the cells that are left.
                if (room - grown) & guards == guards:
                    value = polynomial * ways << shift
                    after[grown] = after[grown] + value if grown in after else value
        total += len(after)
        if may_be_long:
            longest = max(map(int.bit_length, after.values()), default=0)
            total += len(after) * (longest // LONG_COUNTS)
        if total > max_states:
            raise OverBudgetError
        messages.append(after)
    return messages, total


@no_type_check
def _marginals(steps, forward):
    """Returns, for each tile set, the polynomial of layouts in which a given cell is a mine."""
    backward, marginals = {0: 1}, []
    for (choices, _, guards), before in zip(reversed(steps), reversed(forward[:-1]), strict=True):
        earlier, marginal = {}, 0
        for state, polynomial in before.items():
            guarded, rest, with_cell = state | guards, 0, 0
            for less, shift, ways, ways_with_cell in choices:
                grown = guarded - less
                if grown & guards != guards:
                    break
                following = backward.get(grown ^ guards)
                if following:
                    rest += following * ways << shift
                    if ways_with_cell:
                        with_cell += following * ways_with_cell << shift
            if rest:
                earlier[state] = rest
            if with_cell:
                marginal += polynomial * with_cell
        backward = earlier
        marginals.append(marginal)
    marginals.reverse()
    return marginals
