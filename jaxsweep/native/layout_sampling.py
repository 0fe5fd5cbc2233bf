"""Independent random layouts of a position, each drawn uniformly from all that are consistent.

The mines of the components are drawn one component after the other, given those before it, by the
messages of the join. Within a component, tile sets are assigned in the order in which they were
counted, each given the state so far and the mines that are left, by the backward messages
(forward filtering, backward sampling, with the directions exchanged).
"""

from typing import no_type_check

import numpy as np

from jaxsweep.native.board import MINE, UNKNOWN
from jaxsweep.native.compiler import compiled
from jaxsweep.native.constraints import order_component
from jaxsweep.native.counting import WAYS, count_component
from jaxsweep.native.solving import NO_COMPONENT

UNIT = 2.0**-53
"""What the upper 53 bits of a random word are multiplied by, for a number from 0 to 1."""

INCREMENT = np.uint64(0x9E3779B97F4A7C15)
"""What the generator's state grows by at each number."""


@compiled
@no_type_check
def next_uniform(random):
    """Returns a number from 0 to 1, exclusive, and advances the generator (SplitMix64)."""
    random[0] += INCREMENT
    return np.float64(mix(random[0]) >> np.uint64(11)) * UNIT


@compiled
@no_type_check
def mix(word):
    """Returns a word all of whose bits depend on all bits of another, one to one."""
    word = (word ^ word >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ word >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return word ^ word >> np.uint64(31)


@compiled
@no_type_check
def draw_layouts(count, mines, solver, random, layouts, drawn):
    """Draws the first `count` of `layouts` at random, given a position that was solved exactly.

    Returns False, and layouts that mean nothing, if counting a component once more exceeds the
    capacity.

    Args:
        count: how many layouts are drawn, independently of each other.
        mines: the mines on the board.
        solver: what solved the position last.
        random: the state of the generator, one word.
        layouts: `[draws, cells]`; 1 is written where a mine is, 0 elsewhere.
        drawn: `[draws, components]`, room for the mines of each component.

    """
    position, components = solver.position, solver.components
    for which in range(count):
        _draw_counts(which, solver, random, drawn)
        left = mines
        for cell in range(position.cells):
            alone = position.component_of[cell] == NO_COMPONENT
            layouts[which, cell] = alone and position.grid[cell] == MINE
            left -= layouts[which, cell]
        for component in range(components.count):
            left -= drawn[which, component]
        _place_unconstrained(left, position, random, layouts[which])
    done = 0
    for tile in range(solver.tiles.count):
        component = solver.constraints.component[solver.tiles.constraints[tile, 0]]
        if component == done:
            if not _draw_component(count, component, tile, solver, random, layouts, drawn):
                return False
            done += 1
    return True


@compiled
@no_type_check
def _draw_counts(which, solver, random, drawn):
    """Draws how many mines each component has."""
    components, joined = solver.components, solver.join
    before = 0
    for j in range(components.count):
        width, first = components.width[j], components.layouts[j]
        place = joined.place[j + 1] + before
        largest = components.largest[j]
        # What the components so far leave is as likely as the sum of what may follow.
        goal = next_uniform(random) * joined.after[joined.place[j] + before]
        chosen = -1
        for k in range(width):
            weight = components.values[first + k] / largest * joined.after[place + k]
            if weight > 0:
                chosen = k
                goal -= weight
                if goal < 0:
                    break
        drawn[which, j] = components.min_mines[j] + chosen
        before += chosen


@compiled
@no_type_check
def _place_unconstrained(mines, position, random, layout):
    """Places mines in unconstrained cells that are not certain: every choice is equally likely."""
    cells = 0
    for cell in range(position.cells):
        cells += position.grid[cell] == UNKNOWN and position.component_of[cell] == NO_COMPONENT
    for cell in range(position.cells):
        if position.grid[cell] == UNKNOWN and position.component_of[cell] == NO_COMPONENT:
            if next_uniform(random) * cells < mines:
                layout[cell] = 1
                mines -= 1
            cells -= 1


@compiled
@no_type_check
def _draw_component(count, component, tile, solver, random, layouts, drawn):
    """Draws the layouts of a component, which is counted again for its messages.

    Returns False if that exceeds the capacity.
    """
    tiles, chain, components = solver.tiles, solver.chain, solver.components
    before = (components.tiles_used, components.cells_used, components.values_used)
    all_components = components.count
    steps = order_component(tile, tiles)
    counted = count_component(solver.constraints, tiles, steps, chain, components)
    if counted:
        for which in range(count):
            _draw_tiles(steps, drawn[which, component], tiles, chain, random, layouts[which])
    components.count = all_components
    components.tiles_used, components.cells_used, components.values_used = before
    return counted


@compiled
@no_type_check
def _draw_tiles(steps, mines, tiles, chain, random, layout):
    """Assigns the tile sets of a component one by one, with so many mines in all."""
    state = 0
    for s in range(steps):
        tile = tiles.order[s]
        size = tiles.size[tile]
        fewest, most = chain.fewest[state], chain.most[state]
        total = 0.0
        for here in range(fewest, most + 1):
            total += _ways_after(state, here, size, mines, chain)
        goal, chosen = next_uniform(random) * total, fewest
        for here in range(fewest, most + 1):
            weight = _ways_after(state, here, size, mines, chain)
            if weight > 0:
                chosen = here
                goal -= weight
                if goal < 0:
                    break
        mines -= chosen
        state = chain.successors[chain.successor[state] + chosen - fewest]
        left = chosen
        for i in range(size):
            if next_uniform(random) * (size - i) < left:
                layout[tiles.cells[tiles.first[tile] + i]] = 1
                left -= 1


@compiled
@no_type_check
def _ways_after(state, here, size, mines, chain):
    """Counts the layouts from a state on, with `here` mines in the next tile set."""
    found = chain.successors[chain.successor[state] + here - chain.fewest[state]]
    k = mines - here - chain.back_min[found]
    if chain.back_width[found] == 0 or k < 0 or k >= chain.back_width[found]:
        return 0.0
    return WAYS[size, here] * chain.values[chain.back_place[found] + k]
