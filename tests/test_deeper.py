"""Looking two numbers ahead: against all layouts of small boards."""

import itertools
from collections import defaultdict

import jax
import numpy as np
import pytest

from jaxsweep import read_grid
from jaxsweep.native.cell_values import make_rooms
from jaxsweep.native.lookahead import is_under_way, lookahead_space
from jaxsweep.native.players import settings_of
from jaxsweep.native.rollouts import Comparison, Limits, best_of, guess_by_rollouts, stakes
from jaxsweep.rules.level import LEVELS, Level, Opening
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.position import to_grid_positions
from jaxsweep.scalar.endgame import search_endgame
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.lookahead import MIN_OPEN, LookaheadSettings, look_ahead
from jaxsweep.scalar.players import LeastRiskPlayer, LookaheadPlayer, advise
from jaxsweep.scalar.view import View
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import STRATEGIES, Reason
from jaxsweep.strategies.base import keys_of

from .oracle import layouts
from .test_duels import GUESS

LEVEL = Level(4, 5, 6)
WEIGHT = 0.65
# Every cell is a candidate, and every candidate is evaluated one number deeper.
ALL = LookaheadSettings(0.0, 64, False, WEIGHT, 64, 1.0, 64)


def positions(level, count, seed=3):
    found = to_grid_positions(stuck_positions(Opening.of(level), seed, count))
    return [position for position in found if position is not None]


def neighbours(cell):
    return {
        (cell[0] + r, cell[1] + c) for r, c in itertools.product((-1, 0, 1), (-1, 0, 1)) if r or c
    }


def split(every, cell):
    """The layouts in which a cell is safe, by the number that it shows."""
    parts = defaultdict(list)
    for one in every:
        if cell not in one:
            parts[len(neighbours(cell) & one)].append(one)
    return parts.values()


def two_safest(every, hidden):
    """The value of a position by its two safest useful cells, and whether one of them is safe."""
    risk = {cell: sum(cell in one for one in every) / len(every) for cell in hidden}
    uncertain = {cell for cell in hidden if 0 < risk[cell] < 1}
    if not uncertain:
        return 1.0, True
    useful = [risk[c] for c in hidden if risk[c] < 1 and neighbours(c) & uncertain]
    risks = sorted(useful or [risk[c] for c in uncertain])
    first, second = risks[0], risks[min(1, len(risks) - 1)]
    return 1 - (1 - WEIGHT) * first - WEIGHT * second, first == 0


def one_number(every, hidden, cell):
    parts = split(every, cell)
    return sum(len(part) * two_safest(part, hidden - {cell})[0] for part in parts) / len(every)


def two_numbers(every, hidden, cell):
    total = 0.0
    for part in split(every, cell):
        left = hidden - {cell}
        value, settled = two_safest(part, left)
        if not settled:
            risk = {c: sum(c in one for one in part) / len(part) for c in left}
            value = max(one_number(part, left, c) for c in left if 0 < risk[c] < 1)
        total += len(part) * value
    return total / len(every)


def test_values_are_those_of_all_layouts():
    compared = 0
    for grid, mines in positions(LEVEL, 150):
        hidden = {tuple(cell) for cell in np.argwhere(grid < 0).tolist()}
        if (grid >= 0).sum() < MIN_OPEN or len(hidden) > 12:
            continue
        every = layouts(grid.tolist(), mines)
        view, counter = View.of(grid, mines), Counter()
        solution = counter.solve(view)
        assert solution is not None
        if solution.safe or not solution.uncertain:
            continue
        best, _ = look_ahead(view, solution, counter, ALL)
        # Only one of equivalent cells is evaluated, so the highest value is compared.
        uncertain = [view.geometry.cell(i) for i in range(grid.size) if solution.uncertain >> i & 1]
        values = {cell: two_numbers(every, hidden, cell) for cell in uncertain}
        assert best.value == pytest.approx(max(values.values()), abs=1e-9)
        assert values[view.geometry.cell(best.cell)] == pytest.approx(best.value, abs=2e-4)
        compared += 1
    assert compared > 15


def test_few_open_cells_are_looked_at_one_number_ahead():
    """There the refined player plays as the other one does, on both paths."""
    grid = np.full((9, 9), -1, np.int8)
    grid[0, 0] = 1
    refined = LookaheadPlayer(endgame_layouts=0, refined=5)
    moves = [
        advise(player, GridPosition(grid, 10), (0, 0))
        for player in (refined, LookaheadPlayer(endgame_layouts=0))
    ]
    assert moves[0] is not None
    assert moves[1] is not None
    assert moves[0].candidates == moves[1].candidates
    position = lookahead_space(9, 9).solver.position
    position["grid"][:81] = grid.ravel()
    assert not is_under_way(position)
    position["grid"][:MIN_OPEN] = 0
    assert is_under_way(position)


def test_the_same_key_gives_the_same_moves():
    """Whatever else is in the batch, and in which order."""
    batch, player = stuck_positions(Opening.of(LEVELS["beginner"]), 7, 40), STRATEGIES["deepest"]
    keys = keys_of([(3, i) for i in range(40)])
    moves = player.guess(batch, keys)
    backwards = player.guess(jax.tree.map(lambda leaf: leaf[..., ::-1], batch), keys[::-1])
    np.testing.assert_array_equal(moves.opens, np.asarray(backwards.opens)[..., ::-1])
    assert Reason.LOOKAHEAD in set(np.asarray(moves.reason).tolist())


def compared(difference, noise, values):
    """Which of two cells is chosen, by playouts with this difference and noise, and by values."""
    draws, player = 64, settings_of(LookaheadPlayer())
    rooms = make_rooms(4, 4, (player, player), draws)
    rooms.values[0] = 0.5
    rooms.values[1] = 0.5 + difference + noise * np.resize([-1.0, 1.0], draws)
    ahead = rooms.work.here.ahead
    ahead["value"][:2] = values
    return best_of(2, ahead, rooms)


def test_playouts_decide_as_far_as_they_can_tell():
    equal, behind = (0.8, 0.8), (0.8, 0.78)
    assert compared(0.05, 0.0, equal) == 1
    assert compared(-0.05, 0.0, equal) == 0
    # The look-ahead sees a difference of 0.009, which noisy playouts do not outweigh.
    assert compared(0.02, 1.0, behind) == 0
    assert compared(0.02, 0.0, behind) == 1


def test_many_playouts_find_a_cell_that_wins_as_often_as_any():
    grid, mines = read_grid(GUESS)
    search = search_endgame(grid, mines, np.zeros(grid.shape, bool), 5000)
    assert search is not None
    lookahead = LookaheadPlayer(candidate_ratio=0.0, endgame_layouts=0, refined=8)
    players = (settings_of(LeastRiskPlayer(endgame_layouts=400)), settings_of(lookahead))
    rows, cols = grid.shape
    rooms = make_rooms(rows, cols, players, 1000)
    rooms.other_work.solver.position["grid"][: grid.size] = grid.ravel()
    reason, cell = guess_by_rollouts(
        mines,
        5,
        players[1],
        Comparison(players[0], Limits(40.0, 8, 1.0), stakes(), rooms),
        np.array([5], np.uint64),
    )
    assert reason == Reason.LOOKAHEAD
    wins = search.win_probabilities()
    assert wins[int(cell) // cols, int(cell) % cols] > max(wins.values()) - 0.01
