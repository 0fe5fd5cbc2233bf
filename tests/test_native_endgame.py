"""The compiled end-game search, against the search in Python and against trying everything."""

import itertools

import numpy as np
import pytest

from jaxsweep.native import endgame as native
from jaxsweep.native.layout_listing import CERTAIN_MINE
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.grid import neighbour_counts
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.scalar.endgame import search_endgame
from jaxsweep.scalar.layout_listing import list_layouts
from jaxsweep.single.watch import watch
from tests.test_endgame import plain_win

MOST = 400
OUTSIDE = -4
"""The value of a place that is no part of the board."""


@pytest.fixture(scope="module")
def space():
    """Memory for searches, used for all of them one after the other."""
    return native.search_space(MOST)


def search(position, space, most=MOST):
    """What the compiled search finds: the status, the cell, the layouts won, and all."""
    grid, mines, certain = position
    flat = np.where(certain, np.int8(CERTAIN_MINE), grid).ravel()
    status, cell, won, layouts = native.search(flat, grid.shape[1], mines, most, space)
    return status, tuple(int(x) for x in divmod(cell, grid.shape[1])), won, layouts


def cell_wins(position, space):
    """How many layouts are won with each cell, by the compiled search, and how many there are."""
    grid, mines, certain = position
    flat = np.where(certain, np.int8(CERTAIN_MINE), grid).ravel()
    wins = np.zeros(grid.size, np.int64)
    status, layouts = native.cell_wins(flat, grid.shape[1], mines, MOST, space, wins)
    assert status == native.FOUND
    found = wins.reshape(grid.shape)
    return {cell: int(found[cell]) for cell in cells_of(found >= 0)}, layouts


def random_positions(seed, count, most=100):
    """Positions of small boards in which no cell is certainly safe, with all certain mines."""
    random = np.random.default_rng(seed)
    while count:
        shape = tuple(random.integers(2, 7, 2))
        mined = random.random(shape) < random.uniform(0.1, 0.6)
        opened = ~mined & (random.random(shape) < random.uniform(0, 0.9))
        mines, nothing = int(mined.sum()), np.zeros(shape, bool)
        while True:
            grid = np.where(opened, neighbour_counts(mined), np.int8(-1)).astype(np.int8)
            cells, layouts = list_layouts(grid, mines, nothing, 16 * most)
            if not cells or not 2 <= len(layouts) <= most:
                break
            in_none = {cell for i, cell in enumerate(cells) if not any(x >> i & 1 for x in layouts)}
            if not in_none:
                certain = nothing.copy()
                for i, cell in enumerate(cells):
                    certain[cell] = all(x >> i & 1 for x in layouts)
                yield grid, mines, certain
                count -= 1
                break
            for cell in in_none:
                opened[cell] = True


def expert_endings(games):
    """Endings of expert games, as a player meets them."""
    opening = Opening.of(LEVELS["expert"])
    for number in range(games):
        before = None
        for step in watch("endgame", opening, 5, number):
            if before is not None and step.advice is not None and step.advice.search is not None:
                certain = np.zeros(before.shape, bool)
                for cell in step.advice.mines:
                    certain[cell] = True
                yield before, opening.level.mines, certain
            before = step.grid


def assert_equal_to_python(position, space):
    """The same cell, the same value, and the same value of every cell."""
    grid, mines, certain = position
    expected = search_endgame(grid, mines, certain, MOST)
    assert expected is not None
    best, chance = expected.best_cell()
    status, cell, won, layouts = search(position, space)
    assert (status, cell) == (native.FOUND, best)
    assert layouts == expected.all_layouts.bit_count()
    assert won / layouts == chance
    wins, again = cell_wins(position, space)
    assert again == layouts
    assert {cell: win / layouts for cell, win in wins.items()} == expected.win_probabilities()


def test_random_positions_are_searched_as_in_python(space):
    words = set()
    for grid, mines, certain in random_positions(1, 300):
        assert_equal_to_python((grid, mines, certain), space)
        words.add(int(space.counters[native.WORDS]))
        # Mines that are certain need not be known.
        if certain.any():
            assert_equal_to_python((grid, mines, np.zeros_like(certain)), space)
    assert words == {1, 2}


def test_expert_endings_are_searched_as_in_python(space):
    endings = list(expert_endings(40))
    assert len(endings) > 10
    for position in endings:
        assert_equal_to_python(position, space)


def test_small_positions_are_searched_as_plainly_as_can_be(space):
    seen = 0
    for position in random_positions(2, 150):
        grid, _, certain = position
        cells, layouts = list_layouts(*position, 10_000)
        if len(layouts) > 12 or len(cells) > 9:
            continue
        plain = {
            frozenset(cells_of(certain) + [cell for i, cell in enumerate(cells) if layout >> i & 1])
            for layout in layouts
        }
        rows, cols = grid.shape
        board = set(itertools.product(range(rows), range(cols)))
        around = set(itertools.product(range(-1, rows + 1), range(-1, cols + 1))) - board
        no_choice = around | set(cells_of(grid >= 0))
        status, cell, won, _ = search(position, space)
        assert status == native.FOUND
        assert won == plain_win(plain, no_choice)
        assert won == plain_win(plain, no_choice, cell)
        seen += 1
    assert seen > 50


def test_a_board_may_be_a_part_of_the_grid(space):
    for grid, mines, certain in random_positions(3, 30):
        wider = np.full((9, 8), OUTSIDE, np.int8)
        wider[1 : 1 + grid.shape[0], 2 : 2 + grid.shape[1]] = grid
        mask = np.zeros(wider.shape, bool)
        mask[1 : 1 + grid.shape[0], 2 : 2 + grid.shape[1]] = certain
        status, cell, *numbers = search((grid, mines, certain), space)
        moved = (cell[0] + 1, cell[1] + 2)
        assert search((wider, mines, mask), space) == (status, moved, *numbers)


def test_too_many_layouts_are_not_searched(space):
    statuses = set()
    for position in random_positions(4, 60):
        layouts = search(position, space)[-1]
        for most in {1, 2, layouts // 2, layouts - 1, layouts} - {0}:
            status = search(position, space, most)[0]
            statuses.add(status)
            assert (status == native.FOUND) == (search_endgame(*position, most) is not None)
    assert statuses == {native.FOUND, native.TOO_MANY_LAYOUTS}


@pytest.mark.parametrize(
    "position",
    [
        (np.array([[1, -1], [3, -1]], np.int8), 1),
        (np.array([[0, -1]], np.int8), 1),
        (np.array([[-1, -1]], np.int8), 3),
        (np.array([[1, 1]], np.int8), 0),
    ],
)
def test_positions_without_layouts_are_not_searched(position, space):
    grid, mines = position
    assert search((grid, mines, np.zeros(grid.shape, bool)), space)[0] == native.NO_LAYOUT


def test_a_board_or_a_limit_beyond_the_space_is_not_searched(space):
    grid = np.full((30, 30), -1, np.int8)
    assert search((grid, 1, grid > 0), space)[0] == native.NO_ROOM
    small = native.search_space(60)
    assert search((grid[:2, :2], 2, grid[:2, :2] > 0), small, 60)[0] == native.FOUND
    assert search((grid[:2, :2], 2, grid[:2, :2] > 0), small, 65)[0] == native.NO_ROOM


HIDDEN_BOARD = (np.full((3, 4), -1, np.int8), 3, np.zeros((3, 4), bool))
"""220 layouts: the search needs hundreds of sets."""


@pytest.mark.parametrize("field", ["hashes", "words", "stack", "frames"])
def test_a_search_without_room_finds_nothing_and_writes_nowhere_else(field, space):
    assert_equal_to_python(HIDDEN_BOARD, space)
    expected = search(HIDDEN_BOARD, space)
    own = native.search_space(MOST)
    whole = getattr(own, field)
    seen = set()
    for doublings in range(40):
        length = int(native.FRAME * 2 ** (doublings / 4))
        whole[:10_000] = 7
        found = search(HIDDEN_BOARD, own._replace(**{field: whole[:length]}))
        assert (whole[length:10_000] == 7).all()
        seen.add(found[0])
        assert found[0] == native.NO_ROOM or found == expected
        if found == expected:
            break
    assert seen == {native.NO_ROOM, native.FOUND}
    assert search(HIDDEN_BOARD, own) == expected
