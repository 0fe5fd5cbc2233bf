"""A layout of one position, drawn uniformly from all consistent ones, in whole numbers.

First how many mines each component has, then the layout of each by walking back through its forward
messages (forward filtering, backward sampling), then the unconstrained cells. Every choice is made
in proportion to the layouts that it leaves, which are counted exactly: no layout is likelier than
another. `jaxsweep.posterior` draws from batches.
"""

from math import comb
from random import Random
from typing import no_type_check

from jaxsweep.scalar.counting import ForwardPass, forward_pass
from jaxsweep.scalar.exact import MAX_STATES, components_of, reduce
from jaxsweep.scalar.geometry import CellSet, indices
from jaxsweep.scalar.view import View


def draw_layout(view: View, random: Random, known_mines: CellSet = 0) -> CellSet | None:
    """Draws the mines of a position, of which the `known_mines` are some; None if it has no layout.

    Raises `OverBudgetError` if there are too many states.
    """
    reduced = reduce(view, known_mines)
    if reduced is None:
        return None
    safe, mines, constraints = reduced
    components = [forward_pass(own, MAX_STATES) for own in components_of(constraints)]
    free = view.hidden & ~safe & ~mines
    for cells, _ in constraints:
        free &= ~cells
    left = view.mines - mines.bit_count()
    if left < 0:
        return None
    counts = [_coefficients(one, left) for one in components]
    ways = _ways_of_the_rest(counts, free.bit_count(), left)
    if not ways[0][left]:
        return None
    for one, own, rest in zip(components, counts, ways[1:], strict=True):
        weights = [own[k] * rest[left - k] for k in range(left + 1)]
        chosen = _choice(weights, random)
        mines |= _draw_component(one, chosen, random)
        left -= chosen
    return mines | _some_of(free, left, random)


@no_type_check
def _coefficients(component: ForwardPass, most: int):
    """Returns the layouts of a component by its number of mines, from 0 to `most`."""
    total, digits = component.messages[-1].get(0, 0), (1 << component.width) - 1
    return [total >> k * component.width & digits for k in range(most + 1)]


@no_type_check
def _ways_of_the_rest(counts, free, most):
    """Returns the ways to place 0 to `most` mines in free cells and components, from each one on.

    The last are those of the free cells alone.
    """
    ways = [[comb(free, k) for k in range(most + 1)]]
    for own in reversed(counts):
        some, rest = [k for k, count in enumerate(own) if count], ways[-1]
        ways.append([sum([own[k] * rest[n - k] for k in some if k <= n]) for n in range(most + 1)])
    return ways[::-1]


@no_type_check
def _draw_component(component: ForwardPass, left, random):
    """Draws a layout of a component with `left` mines: the last tile set first."""
    width, digits, state, mines = component.width, (1 << component.width) - 1, 0, 0
    for (cells, _), (choices, _, _), before in zip(
        reversed(component.tiles),
        reversed(component.steps),
        reversed(component.messages[:-1]),
        strict=True,
    ):
        weights = []
        for own, (less, _, ways, _) in enumerate(choices[: left + 1]):
            earlier = before.get(state + less, 0)
            weights.append((earlier >> (left - own) * width & digits) * ways)
        own = _choice(weights, random)
        state, left = state + choices[own][0], left - own
        mines |= _some_of(cells, own, random)
    return mines


def _some_of(cells: CellSet, count: int, random: Random) -> CellSet:
    """Draws so many cells of a set."""
    return sum(1 << cell for cell in random.sample(indices(cells), count))


def _choice(weights: list[int], random: Random) -> int:
    """Draws the number of one of some weights, in proportion to them."""
    left = random.randrange(sum(weights))
    for number, weight in enumerate(weights):
        if left < weight:
            return number
        left -= weight
    raise AssertionError("a draw is less than the sum of the weights")
