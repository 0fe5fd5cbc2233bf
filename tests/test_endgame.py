"""The end game's search, against exact optimal values and against games played out."""

import itertools
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.game import GameStatus
from jaxsweep.inference import infer
from jaxsweep.level import LEVELS, Opening
from jaxsweep.matches import merge, play_games
from jaxsweep.position import to_grid
from jaxsweep.samples import stuck_positions
from jaxsweep.strategies import STRATEGIES, Reason
from jaxsweep.strategies.endgame import Endgame, best_ending, list_layouts
from jaxsweep.watch import watch
from tests import oracle

OPTIMAL = {
    # rows, columns, mines: layouts won with the best first cell, and from a corner that shows 0
    (3, 3, 1): (8, (5, 5)),
    (3, 3, 2): (24, (9, 10)),
    (3, 3, 3): (33, (8, 10)),
    (4, 4, 2): (102, (66, 66)),
    (4, 4, 3): (400, (211, 220)),
    (4, 4, 4): (961, (417, 495)),
    (4, 5, 3): (864, (526, 560)),
}


def search(rows, cols, mines):
    """All layouts of a covered board."""
    chosen = np.array(list(itertools.combinations(range(rows * cols), mines)))
    flat = np.zeros((len(chosen), rows * cols), bool)
    flat[np.arange(len(chosen))[:, None], chosen] = True
    return Endgame.of(flat.reshape(-1, rows, cols), np.ones((rows, cols), bool)), len(chosen)


def from_a_zero(found):
    corner = next(tile for tile in found.tiles if tile.cell == (0, 0))
    return found.win(corner.shows[0]), corner.shows[0].bit_count()


@pytest.mark.parametrize("board", OPTIMAL, ids=str)
def test_small_boards_are_played_as_well_as_they_can_be(board):
    found, layouts = search(*board)
    most, corner = OPTIMAL[board]
    assert found.win((1 << layouts) - 1) == most
    assert from_a_zero(found) == corner


@pytest.mark.parametrize(
    ("board", "corner"),
    [
        ((4, 4, 5), (512, 792)),
        ((4, 4, 6), (454, 924)),
        ((4, 5, 4), (1536, 1820)),
        ((5, 5, 3), (1215, 1330)),
        ((5, 5, 4), (4950, 5985)),
    ],
    ids=str,
)
def test_from_a_corner_that_shows_0(board, corner):
    assert from_a_zero(search(*board)[0]) == corner


def endings(count, most):
    """Stuck beginner positions with few layouts left and nothing safe."""
    positions = stuck_positions(Opening.of(LEVELS["beginner"]), 3, count)
    beliefs = infer(positions)
    few = np.asarray(beliefs.log_layouts) <= np.log(most) + 1e-3
    for i in np.nonzero(few & ~np.asarray(beliefs.safe).any((1, 2)))[0]:
        one = jax.tree.map(lambda leaf, i=i: leaf[..., i], positions)
        grid = to_grid(one)
        yield one, grid, np.asarray(beliefs.mines)[i][: grid.shape[0], : grid.shape[1]]


def plain_win(layouts, opened):
    """The most layouts that can be won, by trying everything: no memory of sets, no shortcuts."""
    cells = {cell for layout in layouts for cell in layout}

    def number(layout, cell):
        return sum(max(abs(cell[0] - r), abs(cell[1] - c)) == 1 for r, c in layout)

    covered = sorted(
        {
            (r, c)
            for mine in cells
            for r in range(mine[0] - 1, mine[0] + 2)
            for c in range(mine[1] - 1, mine[1] + 2)
        }
        - opened
    )

    @cache
    def best(left, done):
        if all(set(covered) - set(layout) <= done for layout in left):
            return len(left) if len(left) == 1 else 0
        most = 0
        for cell in covered:
            if cell in done:
                continue
            parts = {}
            for layout in left:
                if cell not in layout:
                    parts.setdefault(number(layout, cell), []).append(layout)
            found = sum(best(frozenset(part), done | {cell}) for part in parts.values())
            most = max(most, found)
            if len(parts) and sum(map(len, parts.values())) == len(left):
                return found  # A safe cell is never a mistake.
        return most

    return best(frozenset(layouts), frozenset())


def test_endings_are_listed_and_searched_as_plainly_as_can_be():
    seen = 0
    for position, grid, certain in endings(600, 24):
        listed = list_layouts(grid, int(position.mines), (grid < 0) & ~certain, certain, 10_000)
        plain = {frozenset(layout) for layout in oracle.layouts(grid, int(position.mines))}
        assert {frozenset(map(tuple, np.argwhere(x).tolist())) for x in listed} == plain
        found = Endgame.of(listed, (grid < 0) & ~certain)
        every = (1 << len(listed)) - 1
        opened = {tuple(cell) for cell in np.argwhere(grid >= 0).tolist()}
        off = {
            (r, c)
            for r in range(-1, grid.shape[0] + 1)
            for c in range(-1, grid.shape[1] + 1)
            if not (0 <= r < grid.shape[0] and 0 <= c < grid.shape[1])
        }
        assert found.win(every) == plain_win(plain, opened | off)
        cell, chance = found.choice(every)
        assert grid[cell] < 0
        assert not certain[cell]
        assert chance == found.win(every) / len(listed)
        assert best_ending(grid, int(position.mines), certain, 24) == cell
        assert best_ending(grid, int(position.mines), certain, len(listed) - 1) is None
        seen += 1
    assert seen > 20


def test_the_player_opens_what_the_search_finds():
    found = list(endings(300, 100))
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves, axis=-1), *(one for one, _, _ in found))
    moves = STRATEGIES["endgame"].guess(batch, jax.random.split(jax.random.key(0), len(found)))
    for i, (position, grid, certain) in enumerate(found):
        cell = best_ending(grid, int(position.mines), certain, 100)
        opens = np.asarray(moves.opens)[..., i]
        assert cell is not None
        assert opens[cell[0], 0] == 1 << cell[1]
        assert int(np.bitwise_count(opens).sum()) == 1
        assert Reason(int(moves.reason[i])) is Reason.BEST_ENDING
        assert 0 < float(moves.risk[i]) < 1


def test_the_arena_plays_the_end_as_a_game_that_is_watched():
    opening, player = Opening.of(LEVELS["beginner"]), STRATEGIES["endgame"]
    record = merge(list(play_games(player, opening, 1, 300, 64))).ordered()
    assert record.wrong.sum() == 0
    searched = 0
    for number in range(150):
        steps = list(watch(player, opening, 1, number))
        assert (steps[-1].status is GameStatus.WON) == record.won[number]
        assert len(steps) - 1 == record.rounds[number]
        searched += sum(step.reason is Reason.BEST_ENDING for step in steps)
    assert searched > 2
