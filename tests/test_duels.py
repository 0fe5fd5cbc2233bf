"""Layouts drawn from the posterior, playouts and duels, against all layouts of small positions."""

import itertools
from collections import Counter

import numpy as np
import pytest

from jaxsweep import read_grid
from jaxsweep.native.cell_values import make_rooms, value_cells
from jaxsweep.native.duels import DISAGREEMENT, observe_worth, play_duel
from jaxsweep.native.joining import EXACT
from jaxsweep.native.layout_sampling import draw_layouts
from jaxsweep.native.players import guess, settings_of
from jaxsweep.native.playouts import BINS, play_on
from jaxsweep.native.rollouts import Comparison, Limits, no_comparison, stakes
from jaxsweep.native.solving import make_solver, solve
from jaxsweep.scalar.endgame import search_endgame
from jaxsweep.scalar.players import PLAYERS, LeastRiskPlayer, LookaheadPlayer
from tests.oracle import layouts

POSITIONS = {
    "a component and unconstrained cells": "5x4x4\n1HHHH\nHHHHH\nHHHHH\nHHHH1\n",
    "tile sets of several cells": "6x3x4\nHHHHHH\nH2HH2H\nHHHHHH\n",
    "certain mines and safe cells": "4x3x2\n01HH\n01HH\n011H\n",
    "the mine count decides": "4x3x2\n1HHH\nHHHH\nHHH1\n",
    "nothing is open": "3x3x3\nHHH\nHHH\nHHH\n",
}
GUESS = "5x4x5\n1HHHH\nHHHHH\nHHH2H\nHHHHH\n"
"""A position in which nothing is safe, with some hundreds of layouts."""

WORTH = np.linspace(0.9, 0.3, BINS)
"""What games are worth after a guess: whatever is said here, results have the same mean."""


def settings(name):
    player = PLAYERS[name]
    assert isinstance(player, LeastRiskPlayer | LookaheadPlayer)
    return settings_of(player)


def random_state():
    return np.array([7], np.uint64)


def masks(grid, mines):
    """All layouts of a position, as arrays of cells."""
    found = [np.zeros(grid.shape, np.int8) for _ in layouts(grid.tolist(), mines)]
    for mask, layout in zip(found, layouts(grid.tolist(), mines), strict=True):
        for cell in layout:
            mask[cell] = 1
    return [mask.ravel() for mask in found]


@pytest.mark.parametrize("text", POSITIONS.values(), ids=POSITIONS)
def test_every_layout_is_drawn_as_often_as_every_other(text):
    grid, mines = read_grid(text)
    expected = [frozenset(layout) for layout in layouts(grid.tolist(), mines)]
    solver, draws = make_solver(*grid.shape), 400 * len(expected)
    solver.position["grid"][: grid.size] = grid.ravel()
    assert solve(mines, solver) == EXACT
    drawn = np.zeros((draws, grid.size), np.int8)
    counts = np.zeros((draws, grid.size), np.int32)
    assert draw_layouts(draws, mines, solver, random_state(), drawn, counts)
    cells = [divmod(i, grid.shape[1]) for i in range(grid.size)]
    seen = Counter(frozenset(itertools.compress(cells, one)) for one in drawn.tolist())
    assert set(seen) <= set(expected)
    frequencies = np.array([seen[layout] for layout in expected])
    # Each is binomial with mean 400; chi-square has as many degrees of freedom as layouts less one.
    freedom = len(expected) - 1
    chi_square = ((frequencies - 400) ** 2 / 400).sum()
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom) + 5


def play_all(name, grid, mines):
    """What playouts of a player on all layouts of a position are worth, and their luck."""
    player = settings(name)
    rooms = make_rooms(grid.shape[0], grid.shape[1], (player, player), 2)
    found = []
    for layout in masks(grid, mines):
        rooms.playout["seen"][: grid.size] = grid.ravel()
        rooms.playout["open"] = (grid >= 0).sum()
        found.append(play_on(mines, 0, player, layout, WORTH, rooms.work, rooms.playout))
    return np.array(found).T


@pytest.mark.parametrize("name", ["exact", "endgame", "lookahead", "strongest"])
def test_luck_has_mean_zero_over_all_layouts(name):
    """The layouts are equally likely, and the player knows the probability of each guess."""
    value, luck = play_all(name, *read_grid(GUESS))
    assert not np.isnan(value).any()
    assert abs(luck.mean()) < 1e-9
    if name in ("exact", "lookahead"):
        assert luck.std() > 0.1
        assert (value - luck).std() < value.std()


def test_playouts_of_a_player_that_searches_are_worth_the_optimum():
    grid, mines = read_grid(GUESS)
    search = search_endgame(grid, mines, np.zeros(grid.shape, bool), 5000)
    assert search is not None
    best = search.win_probability
    worth = {name: play_all(name, grid, mines)[0].mean() for name in ("exact", "strongest")}
    assert worth["strongest"] == pytest.approx(best)
    assert worth["exact"] <= best + 1e-9


def test_cells_are_worth_what_the_search_says():
    grid, mines = read_grid(GUESS)
    search = search_endgame(grid, mines, np.zeros(grid.shape, bool), 5000)
    assert search is not None
    player, draws = settings("strongest"), 500
    rooms = make_rooms(grid.shape[0], grid.shape[1], (player, player), draws)
    rooms.game["seen"][: grid.size] = grid.ravel()
    rooms.work.solver.position["grid"][: grid.size] = grid.ravel()
    guess(mines, 0, player, rooms.work)
    expected = search.win_probabilities()
    cells = list(expected)
    rooms.cells[: len(cells)] = [row * grid.shape[1] + col for row, col in cells]
    assert value_cells(len(cells), mines, player, WORTH, random_state(), rooms)
    for cell, values in zip(cells, rooms.values, strict=False):
        error = values.std() / np.sqrt(draws)
        assert abs(values.mean() - expected[cell]) < 5 * error + 1e-9


def duels(first, second, games=300, draws=8, playouts=0):
    """Disagreements of two players on small boards, and how many games count and were won.

    With `playouts`, the second compares close candidates by so many of the search player.
    """
    rows, cols, mines = 5, 5, 6
    players = (settings(first), settings(second))
    rooms = make_rooms(rows, cols, players, draws)
    comparison = no_comparison(players[0], rooms)
    if playouts:
        judge = settings("endgame")
        own = make_rooms(rows, cols, (judge, players[1]), playouts)
        own = own._replace(other_work=rooms.other_work, game=rooms.game)
        comparison = Comparison(judge, Limits(40.0, 8, 1.0), stakes(), own)
    room, found, won = np.zeros(50, DISAGREEMENT), [], []
    rng, random = np.random.default_rng(3), random_state()
    for game in range(games):
        layout = np.zeros(rows * cols, np.int8)
        layout[1 + rng.permutation(rows * cols - 1)[:mines]] = 1
        count, status = play_duel(
            mines, 0, layout, *players, comparison, WORTH, random, rooms, room
        )
        own = room[:count].copy()
        own["game"] = game
        found.append(own)
        won.append(status)
    return np.concatenate(found), np.array(won)


def test_a_player_does_not_disagree_with_itself():
    found, won = duels("strongest", "strongest")
    assert not len(found)
    assert set(won) == {0, 1}


def test_a_search_wins_more_than_least_risk_where_they_disagree():
    found, won = duels("exact", "endgame")
    assert (won >= 0).all()
    assert len(found) > 20
    # On boards of this size the search is optimal: no choice of it is worse but by chance.
    late = found["difference"] / np.sqrt(found["variance"] + 1e-4)
    assert found["difference"].mean() > 0
    assert late.min() > -5
    back, _ = duels("endgame", "exact")
    assert back["difference"].mean() < 0


def test_playouts_by_a_search_improve_a_look_ahead_without_one():
    found, won = duels("lookahead", "lookahead", draws=100, playouts=100)
    assert (won >= 0).all()
    assert len(found) > 20
    error = np.sqrt(found["variance"].sum())
    assert found["difference"].sum() > 3 * error


def test_worth_is_a_mean_of_results():
    player = settings("exact")
    rooms = make_rooms(5, 5, (player, player), 2)
    sums, counts = np.zeros(BINS), np.zeros(BINS)
    layout = np.zeros(25, np.int8)
    layout[[7, 12, 17, 20, 24]] = 1
    path = np.zeros(25, np.int64)
    for _ in range(20):
        observe_worth(5, 0, layout, player, random_state(), rooms, path, sums, counts)
    assert (sums <= counts).all()
    assert (sums >= 0).all()
