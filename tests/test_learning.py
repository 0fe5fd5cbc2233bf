"""The learning experiments: their parts against plain ones, and runs that are interrupted."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.needs import packages

packages("optax", "matplotlib", group="experiments")

import distillation
import ppo
import proximal_policy
from distillation import Examples, reliability, turn
from greedy_games import count_wins, greedy
from jaxsweep.rules import bitboard
from jaxsweep.rules.grid import neighbour_counts
from jaxsweep.rules.level import Level, Opening, Start
from networks import PLANES, choices, convolve, planes
from tests.oracle import PlainGame
from training_runs import RunError, train_to_end

OPENING = Opening(Level(5, 5, 3), Start.ZERO, (1, 1))
SMALL = proximal_policy.Settings(
    OPENING, seed=3, updates=4, games=16, steps=4, minibatches=2, channels=4, layers=1
)
RISKS = distillation.Settings(
    seed=5, updates=200, batch=32, channels=4, layers=1, learning_rate=0.02
)


@pytest.fixture(autouse=True, scope="module")
def promotion():
    """Adam of optax raises a float to the power of an integer count."""
    with jax.numpy_dtype_promotion("standard"):
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A whole run of four updates, two at a time."""
    return ppo.learn(SMALL, tmp_path_factory.mktemp("runs") / "whole", chunk=2, games=16)


def random_boards(seed, batch=6, rows=5, cols=5):
    """Observations of no game in particular, with one hidden cell or more."""
    grids = np.random.default_rng(seed).integers(-1, 4, (batch, rows, cols), np.int8)
    grids[:, 0, 0] = -1
    return jnp.asarray(grids)


def test_convolutions_and_their_gradients_are_sums_over_nine_neighbours():
    rng = np.random.default_rng(0)
    x, change = rng.normal(size=(2, 4, 5, 3)), rng.normal(size=(2, 4, 5, 2))
    kernel = rng.normal(size=(3, 3, 3, 2))
    around = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    y, of_x, of_kernel = np.zeros_like(change), np.zeros_like(around), np.zeros_like(kernel)
    for i, j in np.ndindex(3, 3):
        part = around[:, i : i + 4, j : j + 5]
        y += part @ kernel[i, j]
        of_kernel[i, j] = np.einsum("brci,brco->io", part, change)
        of_x[:, i : i + 4, j : j + 5] += change @ kernel[i, j].T
    given = [jnp.asarray(each, jnp.float32) for each in (x, kernel, change)]
    found, back = jax.vjp(convolve, *given[:2])
    np.testing.assert_allclose(found, y, atol=1e-4)
    for got, expected in zip(back(given[2]), (of_x[:, 1:-1, 1:-1], of_kernel), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-4)


def test_planes_show_the_cells_the_board_and_the_density():
    seen = jnp.asarray([[[-1, 0], [8, -1]]], jnp.int8)
    (found,) = np.asarray(planes(seen, 1))
    assert found.shape == (2, 2, PLANES)
    for cell, plane in (((0, 0), 0), ((0, 1), 1), ((1, 0), 9), ((1, 1), 0)):
        assert found[cell][: PLANES - 2].tolist() == [float(i == plane) for i in range(10)]
    np.testing.assert_array_equal(found[..., -2:], np.full((2, 2, 2), [1, 0.5]))


def test_open_cells_are_never_chosen(getkey):
    seen = random_boards(1, batch=64)
    logits = 30 * jax.random.normal(getkey(), (64, 25))
    log_policy = proximal_policy.log_policy_of(logits, seen, OPENING.first)
    drawn = jax.random.categorical(getkey(), log_policy, shape=(50, 64))
    likeliest = greedy(lambda _: logits, seen, OPENING.first)
    hidden = np.asarray(seen).reshape(64, 25) == -1
    for cells in (*np.asarray(drawn), np.asarray(likeliest)):
        assert hidden[np.arange(64), cells].all()
    np.testing.assert_allclose(np.exp(log_policy).sum(1), 1, rtol=1e-5)


def test_a_new_game_begins_at_the_first_cell():
    seen = jnp.full((1, 5, 5), -1, jnp.int8)
    assert np.flatnonzero(choices(seen, (3, 1))).tolist() == [16]


def test_advantages_are_those_of_a_plain_loop():
    rng = np.random.default_rng(2)
    steps, games, discount, trace = 7, 5, 0.9, 0.8
    reward, value = rng.normal(size=(2, steps, games)).astype(np.float32)
    last, over = rng.normal(size=games).astype(np.float32), rng.random((steps, games)) < 0.3
    expected = np.zeros((steps, games))
    for game in range(games):
        values = [*value[:, game], last[game]]
        for start in range(steps):
            weight = 1.0
            for step in range(start, steps):
                following = 0.0 if over[step, game] else discount * values[step + 1]
                error = reward[step, game] + following - values[step]
                expected[start, game] += weight * error
                weight *= discount * trace
                if over[step, game]:
                    break
    none = jnp.zeros(0)
    given = {"value": jnp.asarray(value), "reward": jnp.asarray(reward), "over": jnp.asarray(over)}
    seen = proximal_policy.Experience(none, none, none, won=none, **given)
    found = proximal_policy.generalised_advantages(seen, jnp.asarray(last), discount, trace)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_rewards_are_for_cells_that_could_be_reasoned_about():
    settings = dataclasses.replace(SMALL, progress=0.5, guess=0.25, loss=-2.0, win=3.0)
    seen = np.full((5, 5, 5), -1, np.int8)
    seen[1:, 0, 0] = 1
    #        the first cell, a neighbour, far away, a mine, the last safe cell
    actions = jnp.asarray([7, 6, 24, 1, 1], jnp.int32)
    over, won = jnp.asarray([0, 0, 0, 1, 1], bool), jnp.asarray([0, 0, 0, 0, 1], bool)
    found = proximal_policy.rewards_of(settings, jnp.asarray(seen), actions, over, won)
    assert found.tolist() == [0, 0.5, 0.25, -2, 3]


def test_wins_are_those_of_plain_games(run):
    """Games with sets of cells, in which the cell of the highest score is opened, too."""
    network, lanes, rounds, key = run[0].network, SMALL.games, 3, jax.random.key(8)
    environment = SMALL.environment()
    found = count_wins(network.scores, environment, (1, 1), key, jnp.int32(rounds), lanes)

    scores, step = eqx.filter_jit(network.scores), jax.jit(jax.vmap(environment.step))
    states = jax.vmap(environment.init)(jax.random.split(key, lanes))
    expected = np.zeros(lanes, int)
    for _ in range(rounds):
        begun, _ = step(states, jnp.full(lanes, 6, jnp.int32))
        grids = [bitboard.unpack(mines, 5) for mines in np.asarray(begun.mines)]
        games = [PlainGame(5, 5, map(tuple, np.argwhere(grid).tolist())) for grid in grids]
        for game in games:
            game.open([(1, 1)])
        while any(game.status == "playing" for game in games):
            seen = np.full((lanes, 5, 5), -1, np.int8)
            for lane, game in enumerate(games):
                for cell in game.opened:
                    seen[(lane, *cell)] = game.number(cell)
            order = np.argsort(-np.asarray(scores(jnp.asarray(seen))), axis=1, kind="stable")
            for game, cells in zip(games, order.tolist(), strict=True):
                hidden = [cell for cell in cells if divmod(cell, 5) not in game.opened]
                game.open([divmod(hidden[0], 5)])
        expected += [game.status == "won" for game in games]
        states = jax.vmap(environment.reset)(states, jnp.ones(lanes, bool))
    assert 0 < expected.sum() < lanes * rounds
    np.testing.assert_array_equal(found, expected)


def test_the_loss_of_a_fixed_batch_falls():
    """Cells with an odd number of columns before them are good, others bad."""
    seen = np.asarray(random_boards(7, batch=64)).copy()
    cells = np.arange(64, dtype=np.int32) % 25
    seen[np.arange(64), cells // 5, cells % 5] = -1
    chances = -np.log((seen == -1).sum((1, 2)).astype(np.float32))
    good = np.where(cells % 5 % 2, 1, -1).astype(np.float32)
    given = map(jnp.asarray, (seen, cells, chances, good, good))
    batch, training = proximal_policy.Batch(*given), proximal_policy.begin(SMALL)
    arrays, static = eqx.partition(training.network, eqx.is_array)
    slope = jax.jit(
        jax.value_and_grad(lambda each: proximal_policy.loss_of(each, static, batch, SMALL)[0])
    )
    losses = []
    for _ in range(5):
        loss, gradients = slope(arrays)
        arrays = jax.tree.map(lambda leaf, change: leaf - 0.03 * change, arrays, gradients)
        losses.append(float(loss))
    assert np.isfinite(losses).all()
    assert losses == sorted(losses, reverse=True)


def test_an_interrupted_run_ends_as_one_that_was_not(run, tmp_path, monkeypatch):
    whole, curve = run
    measure, calls = ppo.measure, []

    def interrupted(*given):
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return measure(*given)

    monkeypatch.setattr(ppo, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ppo.learn(SMALL, tmp_path / "run", chunk=2, games=16)
    resumed, resumed_curve = ppo.learn(SMALL, tmp_path / "run", chunk=2, games=16)
    assert len(calls) == 3
    for one, other in zip(jax.tree.leaves(resumed), jax.tree.leaves(whole), strict=True):
        np.testing.assert_array_equal(one, other)
    varying = ("seconds", "processor_seconds", "load_average")
    for one, other in zip(resumed_curve, curve, strict=True):
        assert {k: v for k, v in one.items() if k not in varying} == {
            k: v for k, v in other.items() if k not in varying
        }

    with pytest.raises(RunError, match=r"holds a run with seed 3, not 4"):
        ppo.learn(dataclasses.replace(SMALL, seed=4), tmp_path / "run")
    file = tmp_path / "run" / "latest.eqx"
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(RunError, match="damaged"):
        ppo.learn(SMALL, tmp_path / "run", chunk=2, games=16)


def test_a_risk_network_learns_the_share_of_mines_around(tmp_path):
    """Risks that are a function of the neighbours: what a convolution can say exactly."""
    seen = np.asarray(random_boards(3, batch=64))
    risk = np.where(seen == -1, neighbour_counts(seen == 3) / 8, 0).astype(np.float32)
    examples = Examples(jnp.asarray(seen), jnp.asarray(risk), 3)

    def train(training, count):
        return distillation.train(training, examples, RISKS, count)

    def measure(training, facts):
        return {"loss": float(facts["loss"].mean()), "win_rate": 0.0}

    whole, curve = train_to_end(
        tmp_path, {}, distillation.begin(RISKS), RISKS.updates, 100, train, measure
    )
    assert curve[1]["loss"] < curve[0]["loss"]
    halves = distillation.begin(RISKS)
    for _ in range(2):
        halves, _ = train(halves, 100)
    for one, other in zip(jax.tree.leaves(whole), jax.tree.leaves(halves), strict=True):
        np.testing.assert_array_equal(one, other)
    predicted = distillation.predict(whole.network, examples)
    hidden = seen == -1
    assert (
        np.abs(predicted - risk)[hidden].mean() < np.abs(risk[hidden] - risk[hidden].mean()).mean()
    )


def test_symmetries_are_all_there_are_and_keep_neighbours():
    mines = np.random.default_rng(6).random((2, 4, 4)) < 0.4
    images = {np.asarray(turn(jnp.asarray(mines), i)).tobytes() for i in range(8)}
    assert len(images) == 8
    for i in range(8):
        counts = neighbour_counts(np.asarray(turn(jnp.asarray(mines), i)))
        np.testing.assert_array_equal(counts, turn(jnp.asarray(neighbour_counts(mines)), i))
    assert {turn(jnp.zeros((1, 2, 3)), i).shape for i in range(4)} == {(1, 2, 3)}


def test_reliability_compares_means_by_tenths():
    predicted = np.array([0.02, 0.06, 0.55, 0.58, 1.0], np.float32)
    exact = np.array([0.0, 0.1, 0.5, 0.7, 1.0], np.float32)
    low, middle, high = reliability(predicted, exact, np.array([1, 2, 1, 1, 3]))
    assert [row["cells"] for row in (low, middle, high)] == [2, 2, 1]
    np.testing.assert_allclose([low["exact"], middle["exact"], high["exact"]], [0.05, 0.6, 1])
    # Two games, 0.05 off each; one game, whose errors cancel.
    half = 1.96 * np.hypot(0.05, 0.05) / 2
    np.testing.assert_allclose(low["interval_95"], [0, 0.05 + half], rtol=1e-5)
    np.testing.assert_allclose(middle["interval_95"], [0.6, 0.6], rtol=1e-5)
