"""Joins the components of a position and its unconstrained cells by the number of mines left.

The weight of a component with k mines is the number of ways in which all others have the rest: a
forward–backward pass over the components, whose messages are indexed by mines. Layouts are scaled
by the largest count of each component, and ways of the unconstrained cells are ratios of binomial
coefficients; the logarithms of the scales are added at the end. A position whose numbers span a
range in which a product could vanish is refused: no possible layout may count as impossible.
"""

from math import lgamma, log
from typing import no_type_check

import numpy as np

from jaxsweep.native.compiler import compiled
from jaxsweep.scalar.view import MAX_CELLS

EXACT, INCONSISTENT, OVER_CAPACITY = 0, 1, 2
"""What became of a position: the numbers of the statuses in `jaxsweep.beliefs`."""

MAX_RANGE = 300.0
"""Logarithm of the largest ratio between products that are added: float64 has twice as much."""

MAX_RANGE_OF_CELLS = 650.0
"""The same for the counts of single cells, which may be as small as 1 of the largest count."""

MAX_MESSAGES = 1 << 19
"""Room for the messages of all components of a position."""

MAX_WEIGHTS = 4 * MAX_CELLS


JOIN = np.dtype(
    [
        # The components that are joined, by their place in `COMPONENTS`.
        ("components", np.int32, MAX_CELLS + 1),
        # Messages: layouts of all earlier components, and ways of all later ones; and where those
        # of each component begin, and those of the unconstrained cells.
        ("before", np.float64, MAX_MESSAGES),
        ("after", np.float64, MAX_MESSAGES),
        ("place", np.int32, MAX_CELLS + 2),
        # Weights of the layouts of each component by mines, and where they begin: a count over the
        # largest of the component, times this, is a probability.
        ("weights", np.float64, MAX_WEIGHTS),
        ("first_weight", np.int32, MAX_CELLS + 1),
        ("log_layouts", np.float64),
        # The probabilities that an unconstrained cell is a mine, and that it is safe, each of which
        # is 0 only if that is impossible.
        ("free_mine", np.float64),
        ("free_safe", np.float64),
    ]
)
"""The joined components of a position."""


@compiled
@no_type_check
def join(count, free, mines, components, joined):
    """Joins the first `count` of `joined.components` with `free` unconstrained cells.

    `mines` are those that neither reduction nor anything else has placed yet. Returns the status.
    """
    spread, log_range, log_scale, log_largest, weights = 1, 0.0, 0.0, 0.0, 0
    joined.place[0] = 0
    joined.before[0] = 1.0
    for j in range(count):
        component = joined.components[j]
        mines -= components.min_mines[component]
        width, first = components.width[component], components.layouts[component]
        if width == 0:
            return INCONSISTENT
        least, largest = np.inf, components.largest[component]
        for k in range(width):
            layouts = components.values[first + k]
            if layouts > 0:
                least = min(least, layouts)
        log_largest = max(log_largest, log(largest))
        log_range += log(largest / least)
        log_scale += log(largest)
        begin, end = joined.place[j], joined.place[j] + spread
        if end + spread + width > MAX_MESSAGES or weights + width > MAX_WEIGHTS:
            return OVER_CAPACITY
        joined.place[j + 1] = end
        joined.first_weight[j] = weights
        weights += width
        for k in range(spread + width - 1):
            joined.before[end + k] = 0.0
        for k in range(width):
            share = components.values[first + k] / largest
            for n in range(spread):
                joined.before[end + k + n] += share * joined.before[begin + n]
        spread += width - 1
    first, last = max(0, mines - free), min(spread - 1, mines)
    if first > last:
        return INCONSISTENT
    place = joined.place[count]
    anchor = _weigh_unconstrained(place, spread, first, last, free, mines, joined)
    widest = 0.0
    for k in range(first, last + 1):
        widest = max(widest, abs(log(joined.after[place + k])))
    log_range += widest
    if not (log_range < MAX_RANGE and log_range + log_largest < MAX_RANGE_OF_CELLS):
        return OVER_CAPACITY
    return _backward(count, spread, anchor, free, mines, log_scale, components, joined)


@compiled
@no_type_check
def _weigh_unconstrained(place, spread, first, last, free, mines, joined):
    """Writes the ways of the unconstrained cells to have the mines that the components leave.

    They are relative to those at an anchor, which is returned: where the components have the most
    layouts.
    """
    anchor = first
    for k in range(first, last + 1):
        if joined.before[place + k] > joined.before[place + anchor]:
            anchor = k
    for k in range(spread):
        joined.after[place + k] = 0.0
    joined.after[place + anchor] = 1.0
    for k in range(anchor + 1, last + 1):
        ratio = (mines - k + 1) / (free - mines + k)
        joined.after[place + k] = joined.after[place + k - 1] * ratio
    for k in range(anchor - 1, first - 1, -1):
        ratio = (free - mines + k + 1) / (mines - k)
        joined.after[place + k] = joined.after[place + k + 1] * ratio
    return anchor


@compiled
@no_type_check
def _backward(count, spread, anchor, free, mines, log_scale, components, joined):
    """Runs the backward pass over the components, and computes all weights."""
    place = joined.place[count]
    with_mine = safe = 0.0
    for k in range(spread):
        layouts = joined.before[place + k] * joined.after[place + k]
        if layouts > 0:
            with_mine += layouts * (mines - k)
            safe += layouts * (free - mines + k)
    size, weights = spread, 0
    for j in range(count - 1, -1, -1):
        component = joined.components[j]
        width, first = components.width[component], components.layouts[component]
        begin, end = joined.place[j], joined.place[j + 1]
        size -= width - 1
        weights += width
        largest = components.largest[component]
        for k in range(size):
            joined.after[begin + k] = 0.0
        for k in range(width):
            share, weight = components.values[first + k] / largest, 0.0
            for n in range(size):
                joined.after[begin + n] += share * joined.after[end + k + n]
                weight += joined.before[begin + n] * joined.after[end + k + n]
            joined.weights[joined.first_weight[j] + k] = weight
    total = joined.after[0]
    if total <= 0:
        return INCONSISTENT
    for k in range(weights):
        joined.weights[k] /= total
    joined.free_mine = with_mine / total / free if free else 0.0
    joined.free_safe = safe / total / free if free else 0.0
    ways = lgamma(free + 1.0) - lgamma(mines - anchor + 1.0) - lgamma(free - mines + anchor + 1.0)
    joined.log_layouts = log(total) + log_scale + ways
    return EXACT
