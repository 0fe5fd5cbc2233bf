"""Exact counting of the layouts of one component, by merging equal states.

Tile sets are assigned one after the other. A state is what the constraints under way still need,
four bits each; partial assignments with equal residuals are merged, and their layouts by number of
mines added. A forward and a backward pass (sum-product over a chain) give the layouts of the
component, and those in which a cell of each tile set is a mine, or is not, all by number of mines.

Counts are whole numbers in float64: they may round, but never to 0. So what is possible is decided
exactly.
"""

from math import comb
from typing import no_type_check

import numpy as np

from jaxsweep.native.compiler import compiled
from jaxsweep.native.constraints import AROUND
from jaxsweep.scalar.view import MAX_CELLS

MAX_STATES = 1 << 17
"""States of a component in all steps: real ones have hundreds, rarely thousands."""

MAX_TRANSITIONS = 4 * MAX_STATES

MAX_VALUES = 1 << 20
"""Counts that all messages of a component hold."""

TABLE = 1 << 14
"""Places of the table in which equal states of a step are found: states of one step fill at most
half of them."""

SLOTS = 32
"""Constraints that are under way at once: a slot has four bits of two words."""

PER_WORD = 16

WAYS = np.array([[comb(n, k) for k in range(AROUND + 1)] for n in range(AROUND + 1)], np.float64)
"""Binomial coefficients."""


CHAIN = np.dtype(
    [
        # The first state before each step.
        ("first", np.int32, MAX_CELLS + 2),
        ("low_word", np.uint64, MAX_STATES),
        ("high_word", np.uint64, MAX_STATES),
        # The forward message of each state: layouts by mines from `min_mines` on, `width` of them
        # in `values` from `place` on.
        ("min_mines", np.int32, MAX_STATES),
        ("width", np.int32, MAX_STATES),
        ("place", np.int32, MAX_STATES),
        # Its backward message, likewise: ways to complete the component; no width where none.
        ("back_min", np.int32, MAX_STATES),
        ("back_width", np.int32, MAX_STATES),
        ("back_place", np.int32, MAX_STATES),
        # How many mines the next tile set can have after a state, and where the states that follow
        # begin in `successors`.
        ("fewest", np.int32, MAX_STATES),
        ("most", np.int32, MAX_STATES),
        ("successor", np.int32, MAX_STATES),
        ("successors", np.int32, MAX_TRANSITIONS),
        ("values", np.float64, MAX_VALUES + 1),
        # States of one step by hash, each as its place + 1; all 0 between calls.
        ("table", np.int32, TABLE),
        # Cells of each constraint that are not assigned yet, and its place in a packed state.
        ("room", np.int32, MAX_CELLS + 1),
        ("slot", np.int32, MAX_CELLS + 1),
        # Of the constraints of one tile set: word and shift in a packed state, and room after it.
        ("word", np.int64, AROUND),
        ("shift", np.uint64, AROUND),
        ("after", np.int64, AROUND),
    ]
)
"""The states of all steps, and the messages of the forward and the backward pass."""

COMPONENTS = np.dtype(
    [
        ("count", np.int64),
        ("tiles_used", np.int64),
        ("cells_used", np.int64),
        ("values_used", np.int64),
        # Of each component: layouts by mines from `min_mines` on, `width` of them in `values` from
        # `layouts` on, and its tile sets.
        ("min_mines", np.int32, 2 * MAX_CELLS),
        ("width", np.int32, 2 * MAX_CELLS),
        ("layouts", np.int32, 2 * MAX_CELLS),
        # The largest of its counts: sums over components are of counts relative to this.
        ("largest", np.float64, 2 * MAX_CELLS),
        ("first_tile", np.int32, 2 * MAX_CELLS),
        ("tile_count", np.int32, 2 * MAX_CELLS),
        # Of each tile set: its cells, and where the layouts in which one of them is a mine begin in
        # `values`; those in which it is safe follow them.
        ("first_cell", np.int32, 2 * MAX_CELLS),
        ("size", np.int32, 2 * MAX_CELLS),
        ("with_mine", np.int32, 2 * MAX_CELLS),
        ("cells", np.int32, 2 * MAX_CELLS),
        ("values", np.float64, MAX_VALUES),
    ]
)
"""Counted components and their tile sets, one after the other: those of a position, and then of an
afterstate."""


@compiled
@no_type_check
def count_component(constraints, tiles, steps, chain, components):
    """Counts the component of the first `steps` tile sets in `tiles.order`, and appends it.

    A component without layouts is appended with width 0. Returns False, and appends nothing, if it
    exceeds the capacity.
    """
    if not _forward(constraints, tiles, steps, chain):
        return False
    component, end = components.count, chain.first[steps]
    components.first_tile[component] = components.tiles_used
    components.tile_count[component] = steps
    components.layouts[component] = components.values_used
    components.width[component] = 0
    components.count += 1
    if end == chain.first[steps + 1]:
        components.min_mines[component] = 0
        components.tile_count[component] = 0
        return True
    width, place = chain.width[end], chain.place[end]
    if components.values_used + (2 * steps + 1) * width > MAX_VALUES:
        components.count -= 1
        return False
    components.min_mines[component] = chain.min_mines[end]
    components.width[component] = width
    components.largest[component] = 0.0
    for k in range(width):
        components.values[components.values_used + k] = chain.values[place + k]
        components.largest[component] = max(components.largest[component], chain.values[place + k])
        if not np.isfinite(chain.values[place + k]):
            components.count -= 1
            return False
    components.values_used += width
    if not _backward(tiles, steps, chain, components, component):
        components.count -= 1
        return False
    return True


@compiled
@no_type_check
def _forward(constraints, tiles, steps, chain):
    """Runs the forward pass; returns False if it exceeds the capacity."""
    for s in range(steps):
        tile = tiles.order[s]
        for j in range(tiles.constraint_count[tile]):
            constraint = tiles.constraints[tile, j]
            chain.slot[constraint] = -1
            chain.room[constraint] = constraints.size[constraint]
    chain.first[0], chain.first[1] = 0, 1
    chain.low_word[0] = chain.high_word[0] = np.uint64(0)
    chain.min_mines[0], chain.width[0], chain.place[0] = 0, 1, 0
    chain.values[0] = 1.0
    values, transitions, free_slots = 1, 0, np.uint64((1 << SLOTS) - 1)
    word, shift, after = chain.word, chain.shift, chain.after
    for s in range(steps):
        tile = tiles.order[s]
        size, own = tiles.size[tile], tiles.constraint_count[tile]
        enter_low = enter_high = np.uint64(0)
        one_low = one_high = np.uint64(0)
        for j in range(own):
            constraint = tiles.constraints[tile, j]
            slot, enters = chain.slot[constraint], False
            if slot < 0:
                slot, enters = 0, True
                while slot < SLOTS and not free_slots >> np.uint64(slot) & np.uint64(1):
                    slot += 1
                if slot == SLOTS:
                    return False
                free_slots ^= np.uint64(1) << np.uint64(slot)
                chain.slot[constraint] = slot
            chain.room[constraint] -= size
            word[j], after[j] = slot // PER_WORD, chain.room[constraint]
            shift[j] = np.uint64(4 * (slot % PER_WORD))
            one = np.uint64(1) << shift[j]
            needed = np.uint64(0)
            if enters:
                needed = np.uint64(constraints.residual[constraint]) << shift[j]
            if word[j]:
                one_high |= one
                enter_high |= needed
            else:
                one_low |= one
                enter_low |= needed
        begin, end = chain.first[s], chain.first[s + 1]
        new = end
        for i in range(begin, end):
            low, high = chain.low_word[i] + enter_low, chain.high_word[i] + enter_high
            fewest, most = 0, size
            for j in range(own):
                bits = (high if word[j] else low) >> shift[j]
                residual = np.int64(bits & np.uint64(15))
                most = min(most, residual)
                fewest = max(fewest, residual - after[j])
            chain.fewest[i], chain.most[i], chain.successor[i] = fewest, most, transitions
            if transitions + most + 1 >= MAX_TRANSITIONS or new + most + 1 >= MAX_STATES:
                _clear_table(chain, end, new)
                return False
            for mines in range(fewest, most + 1):
                less = np.uint64(mines)
                next_low, next_high = low - less * one_low, high - less * one_high
                place = _hash(next_low, next_high)
                found = chain.table[place] - 1
                while found >= 0 and (
                    chain.low_word[found] != next_low or chain.high_word[found] != next_high
                ):
                    place = (place + 1) % TABLE
                    found = chain.table[place] - 1
                least = chain.min_mines[i] + mines
                last = least + chain.width[i]
                if found < 0:
                    if 2 * (new - end) >= TABLE:
                        _clear_table(chain, end, new)
                        return False
                    found = new
                    chain.table[place] = found + 1
                    chain.low_word[found], chain.high_word[found] = next_low, next_high
                    chain.min_mines[found], chain.width[found] = least, last
                    new += 1
                else:
                    chain.min_mines[found] = min(chain.min_mines[found], least)
                    chain.width[found] = max(chain.width[found], last)
                chain.successors[transitions] = found
                transitions += 1
        _clear_table(chain, end, new)
        for i in range(end, new):
            chain.width[i] -= chain.min_mines[i]
            chain.place[i] = values
            values += chain.width[i]
            if values > MAX_VALUES:
                return False
            for k in range(chain.width[i]):
                chain.values[chain.place[i] + k] = 0.0
        for i in range(begin, end):
            for mines in range(chain.fewest[i], chain.most[i] + 1):
                found = chain.successors[chain.successor[i] + mines - chain.fewest[i]]
                place = chain.place[found] + chain.min_mines[i] + mines - chain.min_mines[found]
                ways = WAYS[size, mines]
                for k in range(chain.width[i]):
                    chain.values[place + k] += ways * chain.values[chain.place[i] + k]
        for j in range(own):
            if after[j] == 0:
                slot = chain.slot[tiles.constraints[tile, j]]
                free_slots |= np.uint64(1) << np.uint64(slot)
        chain.first[s + 2] = new
    return True


@compiled
@no_type_check
def _hash(low, high):
    """Returns the place of a state in the table at which a search for it starts."""
    mixed = low * np.uint64(0x9E3779B97F4A7C15) ^ high * np.uint64(0xC2B2AE3D27D4EB4F)
    return np.int64((mixed ^ mixed >> np.uint64(29)) >> np.uint64(7) & np.uint64(TABLE - 1))


@compiled
@no_type_check
def _clear_table(chain, begin, end):
    """Removes the states of a step from the table."""
    for i in range(begin, end):
        place = _hash(chain.low_word[i], chain.high_word[i])
        # States that collided stand in a row: all of it goes.
        while chain.table[place]:
            chain.table[place] = 0
            place = (place + 1) % TABLE


@compiled
@no_type_check
def _backward(tiles, steps, chain, components, component):
    """Runs the backward pass, and appends the tile sets with their counts to a component.

    Returns False if the messages exceed the capacity.
    """
    end = chain.first[steps]
    width, least = components.width[component], components.min_mines[component]
    values = chain.place[end] + chain.width[end]
    chain.back_min[end], chain.back_width[end], chain.back_place[end] = 0, 1, values
    chain.values[values] = 1.0
    values += 1
    before = (components.values_used, components.tiles_used, components.cells_used)
    for s in range(steps - 1, -1, -1):
        tile = tiles.order[s]
        size = tiles.size[tile]
        with_mine = components.values_used
        safe = with_mine + width
        components.values_used += 2 * width
        for k in range(2 * width):
            components.values[with_mine + k] = 0.0
        for i in range(chain.first[s], chain.first[s + 1]):
            low, high = 1 << 30, -1
            for mines in range(chain.fewest[i], chain.most[i] + 1):
                found = chain.successors[chain.successor[i] + mines - chain.fewest[i]]
                if chain.back_width[found]:
                    low = min(low, mines + chain.back_min[found])
                    high = max(high, mines + chain.back_min[found] + chain.back_width[found])
            if high < 0:
                chain.back_width[i] = 0
                continue
            chain.back_min[i], chain.back_width[i], chain.back_place[i] = low, high - low, values
            if values + high - low > MAX_VALUES:
                components.values_used, components.tiles_used, components.cells_used = before
                return False
            for k in range(high - low):
                chain.values[values + k] = 0.0
            for mines in range(chain.fewest[i], chain.most[i] + 1):
                found = chain.successors[chain.successor[i] + mines - chain.fewest[i]]
                back, back_place = chain.back_width[found], chain.back_place[found]
                if not back:
                    continue
                ways, shift = WAYS[size, mines], mines + chain.back_min[found] - low
                for k in range(back):
                    chain.values[values + shift + k] += ways * chain.values[back_place + k]
                mine_ways = WAYS[size - 1, mines - 1] if mines else 0.0
                safe_ways = WAYS[size - 1, mines] if mines < size else 0.0
                total = chain.min_mines[i] + mines + chain.back_min[found] - least
                for k in range(chain.width[i]):
                    layouts = chain.values[chain.place[i] + k]
                    for n in range(back):
                        both = layouts * chain.values[back_place + n]
                        components.values[with_mine + total + k + n] += mine_ways * both
                        components.values[safe + total + k + n] += safe_ways * both
            values += high - low
        own = components.tiles_used
        components.with_mine[own] = with_mine
        components.size[own] = size
        components.first_cell[own] = components.cells_used
        for k in range(size):
            components.cells[components.cells_used] = tiles.cells[tiles.first[tile] + k]
            components.cells_used += 1
        components.tiles_used += 1
    return True
