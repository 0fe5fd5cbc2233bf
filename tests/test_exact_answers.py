"""The oracle: answers to batches of observations, against engines, players and search."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

import jaxsweep
from jaxsweep.exact_answers import ANSWERS, oracle
from jaxsweep.native import observed
from jaxsweep.rules.grid import neighbour_counts
from jaxsweep.rules.level import LevelError, Start
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.position import from_grid, from_grids
from jaxsweep.scalar.endgame import search_endgame
from tests.oracle import PlainGame, count_by_integers

ROWS, COLS, MINES = 4, 5, 5
SEARCHED = 1000
"""The most layouts with which the strongest player searches."""


def random_observations(seed, count):
    """Observations of games under way, at any stage."""
    random, seen = np.random.default_rng(seed), []
    while len(seen) < count:
        cells = random.permutation(ROWS * COLS)
        mines = {(int(c) // COLS, int(c) % COLS) for c in cells[:MINES]}
        game = PlainGame(ROWS, COLS, mines)
        for cell in cells[MINES : MINES + random.integers(1, ROWS * COLS - MINES)]:
            game.open([(int(cell) // COLS, int(cell) % COLS)])
        if game.status == "playing":
            grid = np.full((ROWS, COLS), -1, np.int8)
            for cell in game.opened:
                grid[cell] = game.number(cell)
            seen.append(grid)
    return np.stack(seen)


SEEN = random_observations(1, 60)


@pytest.fixture(scope="module")
def answers():
    return oracle(SEEN, MINES)


def test_probabilities_and_certain_cells_are_those_of_whole_numbers(answers):
    for i, grid in enumerate(SEEN):
        total, counts = count_by_integers(grid.tolist(), MINES)
        assert answers["log_layouts"][i] == pytest.approx(math.log(total), abs=1e-9)
        for cell in np.ndindex(ROWS, COLS):
            count = counts.get(cell, 0)
            probability = answers["mine_probability"][i][cell]
            assert probability == pytest.approx(count / total, abs=1e-6)
            assert answers["safe"][i][cell] == (cell in counts and count == 0)
            assert answers["mines"][i][cell] == (count == total)


def test_answers_are_what_inference_says(answers):
    beliefs = jaxsweep.infer([from_grid(grid, MINES) for grid in SEEN])
    crop = np.s_[:, :ROWS, :COLS]
    found = answers["mine_probability"]
    np.testing.assert_allclose(found, beliefs.mine_probability[crop], atol=1e-6)
    np.testing.assert_array_equal(answers["safe"], beliefs.safe[crop])
    np.testing.assert_array_equal(answers["mines"], beliefs.mines[crop])
    np.testing.assert_allclose(answers["log_layouts"], beliefs.log_layouts)


def test_the_choice_is_that_of_the_strongest_player(answers):
    strongest, guesses = jaxsweep.STRATEGIES["strongest"], 0
    for i, grid in enumerate(SEEN):
        choice = divmod(int(answers["choice"][i]), COLS)
        safe = [cell for cell in np.ndindex(ROWS, COLS) if answers["safe"][i][cell]]
        if safe:
            assert choice == safe[0]
        else:
            advice = strongest.advise(GridPosition(grid, MINES), (0, 0))
            assert (choice,) == advice.cells
            guesses += 1
    assert guesses > 5


def test_win_probabilities_are_those_of_the_search_in_python(answers):
    searched = 0
    for i, grid in enumerate(SEEN):
        wins, mines = answers["win_probability"][i], answers["mines"][i]
        if math.exp(answers["log_layouts"][i]) > SEARCHED + 0.5:
            assert np.isnan(wins).all()
            continue
        search = search_endgame(grid, MINES, mines, SEARCHED)
        expected = np.zeros(grid.shape)
        if search is not None:
            for cell, win in search.win_probabilities().items():
                expected[cell] = win
        np.testing.assert_allclose(wins, expected, rtol=0, atol=1e-12)
        if not answers["safe"][i].any() and search is not None:
            choice = int(answers["choice"][i])
            assert wins.ravel()[choice] == pytest.approx(wins.max())
        searched += 1
    assert 10 < searched < len(SEEN)


def test_axes_and_names_are_those_asked_for():
    wanted = ("mine_probability", "safe")
    whole = oracle(SEEN[:6], MINES, answers=wanted)
    nested = oracle(jnp.asarray(SEEN[:6].reshape(2, 3, ROWS, COLS)), MINES, answers=set(wanted))
    one = oracle(SEEN[0].astype(np.int32), MINES, answers=["log_layouts", "safe"])
    assert tuple(whole) == tuple(nested) == wanted
    assert nested["safe"].shape == (2, 3, ROWS, COLS)
    for name in wanted:
        np.testing.assert_array_equal(nested[name].reshape(whole[name].shape), whole[name])
    assert one["log_layouts"].shape == ()
    np.testing.assert_array_equal(one["safe"], whole["safe"][0])
    assert set(oracle(SEEN[:0], MINES)) == set(ANSWERS)


def test_a_game_that_is_over_has_nothing_to_be_found_out():
    mined = np.zeros((ROWS, COLS), bool)
    mined[0, :MINES] = True
    won = np.where(mined, 9, neighbour_counts(mined)).astype(np.int8)
    lost = np.where(mined, np.int8(9), np.int8(-1))
    lost[0, 0] = 10
    found = oracle(np.stack([won, lost]), MINES)
    assert not found["mine_probability"].any()
    assert not found["safe"].any() and not found["mines"].any()
    assert (found["log_layouts"] == 0).all() and (found["choice"] == -1).all()
    assert np.isnan(found["win_probability"]).all()


@pytest.mark.parametrize(("start", "risk"), [(Start.ANY, 5 / 20), (Start.SAFE, 0), (Start.ZERO, 0)])
def test_before_the_first_cell_the_start_rule_says_what_is_known(start, risk):
    hidden = np.full((1, ROWS, COLS), -1, np.int8)
    found = oracle(hidden, MINES, start)
    assert (found["mine_probability"] == np.float32(risk)).all()
    assert (found["safe"] == (risk == 0)).all() and not found["mines"].any()
    assert found["log_layouts"][0] == pytest.approx(math.log(math.comb(20, 5)))
    first = jaxsweep.Opening.of(jaxsweep.Level(ROWS, COLS, MINES), start).first
    assert divmod(int(found["choice"][0]), COLS) == first


def test_a_position_over_capacity_has_nothing_but_a_choice(monkeypatch):
    def refuse(*arguments):
        arguments[-1][:] = jaxsweep.Status.OVER_CAPACITY

    monkeypatch.setattr("jaxsweep.engines.native.infer_some", refuse)
    found = oracle(SEEN[:2], MINES)
    assert np.isnan(found["mine_probability"]).all() and np.isnan(found["log_layouts"]).all()
    assert np.isnan(found["win_probability"]).all()
    assert (SEEN[:2].reshape(2, -1)[[0, 1], found["choice"]] == -1).all()


def test_more_layouts_than_allowed_are_not_searched():
    from jaxsweep.strategies.native import workspace

    few = [count_by_integers(grid.tolist(), MINES)[0] for grid in SEEN[:4]]
    grids, most = SEEN[:4].reshape(4, -1), max(few[:2]) - 1
    wins, layouts = np.zeros(grids.shape, np.int64), np.full(4, 7, np.int64)
    space, asked = workspace(ROWS, COLS, SEARCHED).space, np.array([True, True, False, True])
    observed.win_some(0, 3, grids, asked, COLS, MINES, most, space, wins, layouts)
    assert layouts.tolist() == [few[i] if few[i] <= most else 0 for i in (0, 1)] + [0, 7]


def test_grids_are_packed_as_one_by_one():
    batch = from_grids(SEEN, MINES)
    for i, grid in enumerate(SEEN[:5]):
        one = from_grid(grid, MINES)
        np.testing.assert_array_equal(np.asarray(batch.hidden)[..., i], one.hidden)
        np.testing.assert_array_equal(np.stack(batch.numbers)[..., i], np.stack(one.numbers))
        assert int(batch.mines[i]) == MINES


def wrong(cell, value):
    grid = SEEN[:2].copy()
    grid[1][cell] = value
    return grid


@pytest.mark.parametrize(
    ("seen", "mines", "options", "sentence"),
    [
        (wrong((0, 0), 12), MINES, {}, r"observation 1 has 12 at \(0, 0\): cells are −1, a number"),
        (wrong((3, 2), -2), MINES, {}, r"observation 1 has -2 at \(3, 2\)"),
        (wrong((0, 0), 8), MINES, {}, "no layout of 5 mines satisfies observation 1"),
        (SEEN[:1], 21, {}, "a 4×5 board holds 0 to 20 mines, not 21"),
        (SEEN[:1] * 1.0, MINES, {}, "observations are whole numbers, as int8; not float64"),
        (SEEN[:1], MINES, {"answers": ["luck"]}, "no answer 'luck'; there are mine_probability, "),
        (
            np.full((101, 100), -1, np.int8),
            9,
            {},
            "boards of up to 10000 cells; this one has",
        ),
    ],
)
def test_bad_input_gets_one_sentence(seen, mines, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        oracle(seen, mines, **options)


def test_too_many_mines_are_a_level_error():
    with pytest.raises(LevelError):
        oracle(SEEN, 99)
