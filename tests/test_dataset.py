"""Data sets: their labels against brute force, inference and searches, and their splits."""

import itertools
import math

import numpy as np
import pytest

from jaxsweep import LabelledPositions, infer, load_dataset
from jaxsweep.datasets.generation import make_dataset
from jaxsweep.datasets.positions import Kind, Outcome, WinSource
from jaxsweep.datasets.settings import SPLITS, DatasetSettings, split_of
from jaxsweep.native import moments
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.grid import neighbour_counts
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.position import from_grid
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.endgame import search_endgame
from jaxsweep.scalar.players import PLAYERS, advise
from tests.oracle import layouts
from tests.test_endgame import plain_win

TINY = DatasetSettings(Opening.of(Level(4, 4, 4)), "strongest", 3, positions=250, shard=100)
EXPERT = DatasetSettings(Opening.of(LEVELS["expert"]), "strongest", 1, positions=300, shard=1000)


def load_all(folder):
    """All positions of a data set, split by split."""
    parts = [load_dataset(folder, split) for split in SPLITS]
    return LabelledPositions.concatenate(parts, *parts[0].seen.shape[1:])


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "tiny"
    make_dataset(folder, TINY)
    return folder


@pytest.fixture(scope="module")
def expert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "expert"
    make_dataset(folder, EXPERT)
    return folder


def test_labels_equal_brute_force(tiny):
    data = load_all(tiny)
    assert len(data) == TINY.positions
    assert set(data.kind) == set(Kind)
    searched = 0
    for i in range(len(data)):
        grid = data.seen[i]
        found = layouts(grid.tolist(), TINY.opening.level.mines)
        hidden = cells_of(grid < 0)
        with_mine = {cell: sum(cell in one for one in found) for cell in hidden}
        expected = np.zeros(grid.shape)
        for cell in hidden:
            expected[cell] = with_mine[cell] / len(found)
        np.testing.assert_allclose(data.mine_probability[i], expected, atol=1e-6)
        assert cells_of(data.safe[i]) == [cell for cell in hidden if not with_mine[cell]]
        assert cells_of(data.mines[i]) == [c for c in hidden if with_mine[c] == len(found)]
        assert data.log_layouts[i] == pytest.approx(math.log(len(found)), abs=1e-9)
        assert data.least_risk[i] == pytest.approx(min(expected[cell] for cell in hidden))
        assert data.kind[i] == (Kind.CERTAIN if data.safe[i].any() else Kind.GUESS)
        assert data.open_cells[i] == grid.size - len(hidden)
        assert data.mine_count[i] == TINY.opening.level.mines
        wins = data.cell_wins(i)
        # The board begins with 1,365 layouts; 1,000 are searched.
        assert (wins is None) == (len(found) > 1000)
        if wins is not None:
            assert (np.isnan(wins) == (grid >= 0)).all()
            assert data.win_probability[i] == np.nanmax(wins)
            assert data.win_source[i] == WinSource.EXACT
            searched += _check_wins(wins, grid, found)
    assert searched > 100
    assert (np.isnan(data.win_probability) == (data.win_source == WinSource.UNKNOWN)).all()


def _check_wins(wins, grid, found):
    """Compares the chance to win with each cell to what is found by trying everything."""
    rows, cols = grid.shape
    around = set(itertools.product(range(-1, rows + 1), range(-1, cols + 1)))
    closed = (around - set(itertools.product(range(rows), range(cols)))) | set(cells_of(grid >= 0))
    sets = {frozenset(one) for one in found}
    if len(sets) > 8:
        return 0
    for cell in cells_of(grid < 0):
        if all(cell in one for one in sets):
            assert wins[cell] == 0
        else:
            assert wins[cell] == pytest.approx(plain_win(sets, closed, cell) / len(sets))
    return 1


def test_expert_labels_equal_inference_and_the_search_in_python(expert):
    data = load_all(expert)
    some = range(0, len(data), 10)
    for i in some:
        beliefs = infer(from_grid(*data.position(i)))
        np.testing.assert_allclose(
            data.mine_probability[i], _cut(beliefs.mine_probability), atol=1e-5
        )
        assert (data.safe[i] == _cut(beliefs.safe)).all()
        assert (data.mines[i] == _cut(beliefs.mines)).all()
        assert data.log_layouts[i] == pytest.approx(float(beliefs.log_layouts), abs=1e-6)
    small = [i for i in data.searched.tolist() if data.log_layouts[i] < math.log(100)]
    assert len(small) > 10
    for i in small:
        grid, mines = data.position(i)
        search = search_endgame(grid, mines, data.mines[i], 100)
        # Without a choice left, there is nothing to search.
        expected = {} if search is None else search.win_probabilities()
        wins = data.cell_wins(i)
        assert wins is not None
        for cell, win in expected.items():
            assert wins[cell] == pytest.approx(win)


def _cut(board):
    return np.asarray(board)[: EXPERT.opening.level.rows, : EXPERT.opening.level.cols]


def test_moves_and_estimates_are_those_of_the_player(expert):
    data = load_all(expert)
    assert (data.move[data.kind == Kind.CERTAIN] == -1).all()
    guesses = np.flatnonzero(data.kind == Kind.GUESS)
    assert len(guesses) > 60
    for i in guesses:
        row, col = data.move[i]
        assert data.seen[i, row, col] == -1
        if data.win_source[i] == WinSource.EXACT:
            wins = data.cell_wins(i)
            assert wins is not None
            assert wins[row, col] == data.win_probability[i]
    estimated = np.flatnonzero(data.win_source == WinSource.MODEL)
    # Few layouts first: in Python, the look-ahead takes a while.
    for i in estimated[np.argsort(data.log_layouts[estimated])][:6]:
        advice = advise(PLAYERS["strongest"], data.position(i), (0, 0))
        assert advice is not None
        assert advice.cells == (tuple(data.move[i].tolist()),)
        assert data.win_probability[i] == pytest.approx(advice.evaluated[0].win, abs=1e-4)


def test_positions_are_of_the_games_as_they_are_dealt(expert):
    data = load_all(expert)
    for game in set(data.game.tolist()):
        own = data.game == game
        layout = deal(EXPERT.opening, EXPERT.seed, game)
        numbers = np.where(layout, -1, neighbour_counts(layout))
        for seen, safe, mines in zip(data.seen[own], data.safe[own], data.mines[own], strict=True):
            assert ((seen == -1) | (seen == numbers)).all()
            assert not (safe & layout).any()
            assert layout[mines].all()
        assert (np.diff(data.open_cells[own]) > 0).all(), "in the order in which they were met"
        guesses = own & (data.kind == Kind.GUESS)
        died = any(layout[row, col] for row, col in data.move[guesses])
        # A repeated guess is left out, and so may be the last one.
        if died:
            assert (data.outcome[own] == Outcome.LOST).all()
        assert len(set(data.outcome[own].tolist())) == 1


def test_no_position_is_there_twice_and_no_game_in_two_splits(tiny, expert):
    for folder in (tiny, expert):
        parts = [load_dataset(folder, split) for split in SPLITS]
        grids = [seen.tobytes() for part in parts for seen in part.seen]
        assert len(set(grids)) == len(grids)
        games = [set(part.game.tolist()) for part in parts]
        assert not any(a & b for a, b in itertools.combinations(games, 2))
        for split, numbers in zip(SPLITS, games, strict=True):
            assert {split_of(number) for number in numbers} == {split}
    shares = np.array([split_of(game) for game in range(20_000)])
    assert [round(float((shares == split).mean()), 1) for split in SPLITS] == [0.8, 0.1, 0.1]


def test_names_of_kinds_and_outcomes_are_those_of_the_compiled_path():
    assert tuple(Kind) == (moments.CERTAIN, moments.GUESS)
    assert (Outcome.LOST, Outcome.WON) == (moments.LOST, moments.WON)
    assert Outcome.NOT_FINISHED == moments.NOT_FINISHED


def test_an_unprotected_first_cell_may_end_a_game(tmp_path):
    opening = Opening.of(Level(3, 3, 4), Start.ANY)
    metadata = make_dataset(
        tmp_path / "any", DatasetSettings(opening, "exact-random-ties", 0, 60, 1000)
    )
    data = load_all(tmp_path / "any")
    dealt = {g: deal(opening, 0, g) for g in range(metadata["totals"]["played"])}
    assert any(mines[opening.first] for mines in dealt.values())
    assert not any(dealt[game][opening.first] for game in data.game.tolist())
