"""The end game's search, against exact optimal values and against games played out."""

import itertools
import math
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.inference import infer
from jaxsweep.rules import bitboard
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import LEVELS, Level, Opening
from jaxsweep.rules.position import to_grid
from jaxsweep.scalar.endgame import Endgame, search_endgame
from jaxsweep.scalar.layout_listing import list_layouts
from jaxsweep.scalar.small_boards import after_first, best_first_cell, max_wins_from
from jaxsweep.simulation.matches import merge, play_games
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.single.watch import watch
from jaxsweep.strategies import STRATEGIES, Reason
from tests import oracle

OPTIMAL = {
    # Rows, columns, mines: layouts won, and all, where the best first cell may be a mine; where it
    # is never one; and where the first cell is a corner that shows 0.
    (3, 3, 1): ((8, 9), (8, 8), (5, 5)),
    (3, 3, 2): ((24, 36), (24, 28), (9, 10)),
    (3, 3, 3): ((33, 84), (33, 56), (8, 10)),
    (4, 4, 2): ((102, 120), (102, 105), (66, 66)),
    (4, 4, 3): ((400, 560), (400, 455), (211, 220)),
    (4, 4, 4): ((961, 1820), (961, 1365), (417, 495)),
    (4, 4, 5): ((1461, 4368), (1461, 3003), (512, 792)),
    (4, 4, 6): ((1584, 8008), (1584, 5005), (454, 924)),
    (4, 5, 3): ((864, 1140), (864, 969), (526, 560)),
    (4, 5, 4): ((2950, 4845), (2950, 3876), (1536, 1820)),
    (5, 5, 3): ((1798, 2300), (1798, 2024), (1215, 1330)),
    (5, 5, 4): ((8236, 12650), (8236, 10626), (4950, 5985)),
}


@pytest.mark.parametrize("board", OPTIMAL, ids=str)
def test_small_boards_are_played_as_well_as_they_can_be(board):
    level, (anywhere, safe, corner) = Level(*board), OPTIMAL[board]
    first, won = best_first_cell(level)
    assert (won, math.comb(level.cells, level.mines)) == anywhere
    assert (won, sum(count(search) for search in after_first(level, first).values())) == safe
    from_a_zero = after_first(level, (0, 0))[0]
    assert (from_a_zero.max_wins(), count(from_a_zero)) == corner


def count(search):
    return search.all_layouts.bit_count()


@pytest.mark.parametrize("board", [(4, 4, 4), (3, 5, 4)], ids=str)
def test_first_cells_that_are_mirror_images_win_alike(board):
    level = Level(*board)
    won = np.array(
        [[max_wins_from(level, (r, c)) for c in range(level.cols)] for r in range(level.rows)]
    )
    assert (won == won[::-1]).all()
    assert (won == won[:, ::-1]).all()
    assert level.rows != level.cols or (won == won.T).all()
    assert won.max() == best_first_cell(level)[1]
    cells = list(itertools.product(range(level.rows), range(level.cols)))
    layouts = [sum(1 << i for i in x) for x in itertools.combinations(range(len(cells)), 4)]
    assert Endgame.of(layouts, cells).max_wins() == won.max()


def test_too_much_wanted_gives_a_bound():
    level = Level(4, 4, 3)
    for first in ((0, 0), (1, 1)):
        won = max_wins_from(level, first)
        assert max_wins_from(level, first, won) == won
        for wanted in range(won + 1, math.comb(16, 3), 20):
            assert won <= max_wins_from(level, first, wanted) < wanted


def endings(count, most):
    """Stuck beginner positions with few layouts left and nothing safe."""
    positions = stuck_positions(Opening.of(LEVELS["beginner"]), 3, count)
    beliefs = infer(positions)
    few = np.asarray(beliefs.log_layouts) <= np.log(most) + 1e-3
    for i in np.nonzero(few & ~np.asarray(beliefs.safe).any((1, 2)))[0]:
        one = jax.tree.map(lambda leaf, i=i: leaf[..., i], positions)
        grid = to_grid(one)
        yield one, grid, np.asarray(beliefs.mines)[i][: grid.shape[0], : grid.shape[1]]


def plain_win(layouts, opened, first=None):
    """The most layouts that can be won, by trying everything: no memory of sets, no shortcuts.

    Of every play, or of those that begin with one cell.
    """
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
        for cell in covered if done or first is None else [first]:
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
        cells, listed = list_layouts(grid, int(position.mines), certain, 10_000)
        assert sorted(cells) == cells_of((grid < 0) & ~certain)
        plain = {frozenset(layout) for layout in oracle.layouts(grid, int(position.mines))}
        assert len(listed) == len(plain)
        assert {
            frozenset(cells_of(certain) + [cell for i, cell in enumerate(cells) if layout >> i & 1])
            for layout in listed
        } == plain
        found = Endgame.of(listed, cells)
        opened = set(cells_of(grid >= 0))
        off = {
            (r, c)
            for r in range(-1, grid.shape[0] + 1)
            for c in range(-1, grid.shape[1] + 1)
            if not (0 <= r < grid.shape[0] and 0 <= c < grid.shape[1])
        }
        won = plain_win(plain, opened | off)
        assert found.max_wins() == won
        cell, chance = found.best_cell()
        assert chance == won / len(listed)
        assert plain_win(plain, opened | off, cell) == won
        for other, win in found.win_probabilities().items():
            assert win == plain_win(plain, opened | off, other) / len(listed)
        assert search_endgame(grid, int(position.mines), certain, len(listed) - 1) is None
        seen += 1
    assert seen > 20


def test_the_player_opens_what_the_search_finds():
    found = list(endings(300, 100))
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves, axis=-1), *(one for one, _, _ in found))
    moves = STRATEGIES["endgame"].guess(batch, jax.random.split(jax.random.key(0), len(found)))
    for i, (position, grid, certain) in enumerate(found):
        search = search_endgame(grid, int(position.mines), certain, 100)
        assert search is not None
        best, chance = search.best_cell()
        opens = bitboard.unpack(np.asarray(moves.opens)[..., i], grid.shape[1])
        (opened,) = cells_of(np.asarray(opens))
        assert search.win_probabilities()[opened] == chance
        # Of two layouts, any cell will do that tells them apart: nothing is searched.
        if count(search) > 2:
            assert opened == best
            assert Reason(int(moves.reason[i])) is Reason.BEST_ENDING
        assert 0 < float(moves.risk[i]) < 1


def test_the_arena_plays_the_end_as_a_game_that_is_watched():
    opening, player = Opening.of(LEVELS["beginner"]), STRATEGIES["endgame"]
    record = merge(list(play_games(player, opening, 1, 300, 64))).ordered()
    assert record.wrong_certainties.sum() == 0
    searched = 0
    for number in range(60):
        steps = list(watch(player, opening, 1, number))
        assert (steps[-1].status is GameStatus.WON) == record.won[number]
        assert len(steps) - 1 == record.rounds[number]
        searched += sum(step.reason is Reason.BEST_ENDING for step in steps)
    assert searched > 2
