"""The environments of jumanji, pgx and gymnax: their own checks, and the same games in all."""

import warnings
from typing import Any, Literal, cast

from tests.needs import packages

packages("gymnasium", "gymnax", "jumanji", "mctx", "pgx", "six")

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pgx
import pytest
from gymnax.environments import spaces
from jumanji.environments.logic.minesweeper import env as original
from jumanji.environments.logic.minesweeper.generator import UniformSamplingGenerator
from jumanji.testing.env_not_smoke import (
    check_env_does_not_smoke,
    check_env_specs_does_not_smoke,
)
from jumanji.wrappers import VmapAutoResetWrapper
from pgx._src import api_test

from jaxsweep.adapters import gymnax as our_gymnax
from jaxsweep.adapters import jumanji as our_jumanji
from jaxsweep.adapters import pgx as our_pgx
from jaxsweep.adapters.gymnasium import MinesweeperEnv
from jaxsweep.functional import FunctionalEnvironment
from jaxsweep.rules.level import LEVELS, Level, Start

LEVEL, BATCH = Level(4, 5, 4), 8
CELLS = LEVEL.cells

GYMNAX, JUMANJI, PGX = (
    library.Minesweeper(LEVEL) for library in (our_gymnax, our_jumanji, our_pgx)
)


def random_cells(key, shape=()):
    return jax.random.randint(key, shape, 0, CELLS, jnp.int32)


# The same games in all.


def test_a_key_is_the_same_game_everywhere():
    seed, cells = 5, [7, 0, 19, 12]
    key = jax.random.key(seed)
    plain = FunctionalEnvironment(LEVEL)
    gym = MinesweeperEnv(LEVEL.rows, LEVEL.cols, LEVEL.mines)
    gym.reset(seed=seed)
    states = [
        jax.jit(plain.init)(key),
        jax.jit(JUMANJI.reset)(key)[0],
        jax.jit(PGX.init)(key),
        GYMNAX.reset(key)[1],
    ]
    step, step_jumanji, step_pgx = map(jax.jit, (plain.step, JUMANJI.step, PGX.step))
    for cell in cells:
        action = jnp.int32(cell)
        states[0], seen = step(states[0], action)
        expected, *_ = gym.step(cell)
        np.testing.assert_array_equal(seen.observation, expected)
        states[1], timestep = step_jumanji(states[1], jnp.array(divmod(cell, LEVEL.cols)))
        board = np.where(expected > 8, -1, expected)
        np.testing.assert_array_equal(timestep.observation.board, board)
        states[2] = step_pgx(states[2], action, key)
        np.testing.assert_array_equal(states[2].observation, expected)
        observation, states[3], *_, info = GYMNAX.step(key, states[3], action)
        np.testing.assert_array_equal(info["final_observation"], expected)
        if seen.terminated:
            break
        np.testing.assert_array_equal(observation, expected)


@pytest.mark.parametrize("library", [our_gymnax, our_jumanji, our_pgx])
def test_levels_have_names_and_bad_ones_get_one_sentence(library):
    made = library.Minesweeper("expert", start="zero", reward="outcome").environment
    assert made.level == LEVELS["expert"] and made.start is Start.ZERO
    with pytest.raises(ValueError, match=r"level is one of 'beginner', .*; not 'hardest'"):
        library.Minesweeper("hardest")
    with pytest.raises(ValueError, match="20 mines do not fit: a SAFE start"):
        library.Minesweeper(Level(4, 5, 20))


# jumanji.


def test_jumanjis_checks_find_nothing():
    check_env_does_not_smoke(JUMANJI)
    check_env_specs_does_not_smoke(JUMANJI)


def test_specs_are_those_of_jumanjis_own_minesweeper():
    theirs = original.Minesweeper(
        UniformSamplingGenerator(num_rows=LEVEL.rows, num_cols=LEVEL.cols, num_mines=LEVEL.mines)
    )
    for ours, other in (
        (JUMANJI.observation_spec, theirs.observation_spec),
        (JUMANJI.action_spec, theirs.action_spec),
    ):
        assert repr(ours) == repr(other)
    _, ours = jax.eval_shape(JUMANJI.reset, jax.random.key(0))
    _, other = jax.eval_shape(theirs.reset, jax.random.key(0))
    assert jax.tree.structure(ours) == jax.tree.structure(other)
    for one, two in zip(jax.tree.leaves(ours), jax.tree.leaves(other), strict=True):
        assert (one.shape, one.dtype) == (two.shape, two.dtype)


def test_an_illegal_action_ends_an_episode_of_jumanji():
    state, _ = JUMANJI.reset(jax.random.key(1))
    step = jax.jit(JUMANJI.step)
    state, first = step(state, jnp.array([1, 1]))
    assert not first.last() and first.reward > 0 and first.discount == 1
    assert not first.observation.action_mask[1, 1]
    _, second = step(state, jnp.array([1, 1]))
    assert second.last() and second.reward == 0 and second.discount == 0
    assert second.observation.step_count == 2


def test_jumanjis_wrapper_resets():
    env = VmapAutoResetWrapper(JUMANJI)
    state, timestep = jax.jit(env.reset)(jax.random.split(jax.random.PRNGKey(2), BATCH))
    step, ends = jax.jit(env.step), 0
    for turn in range(25):
        before = state
        cells = random_cells(jax.random.key(turn), (BATCH,))
        state, timestep = step(state, jnp.stack([cells // LEVEL.cols, cells % LEVEL.cols], 1))
        over, seen = np.asarray(timestep.last()), timestep.observation
        assert (np.asarray(seen.board)[over] == -1).all()
        assert (np.asarray(seen.step_count) == 0)[over].all()
        np.testing.assert_array_equal(seen.action_mask, seen.board == -1)
        changed = (np.asarray(state.key) != np.asarray(before.key)).any(1)
        np.testing.assert_array_equal(changed, over)
        ends += over.sum()
    assert ends > BATCH


def test_jumanji_draws_states():
    drawing: Any = our_jumanji.Minesweeper(LEVEL, render_mode="rgb_array")
    state, _ = drawing.reset(jax.random.key(1))
    hidden = drawing.render(state).copy()  # The figure is drawn again.
    state, _ = drawing.step(state, jnp.array([0, 0]))
    opened = drawing.render(state)
    assert hidden.shape == opened.shape and (hidden != opened).any()
    drawing.close()


# pgx.


def test_pgxs_check_finds_nothing(monkeypatch):
    # It accepts pgx's own games alone, and its random player asks for a batch of games, of which
    # its first part has none.
    def act_randomly(key, mask):
        return jax.random.categorical(key, jnp.log(mask.astype(jnp.float32)), axis=-1)

    monkeypatch.setattr(api_test, "EnvId", Literal["minesweeper"])
    monkeypatch.setattr(api_test, "act_randomly", jax.jit(act_randomly))
    pgx.api_test(PGX, 3)


def test_pgx_draws_states(tmp_path):
    state = jax.vmap(PGX.init)(jax.random.split(jax.random.key(0), 3))
    state.save_svg(str(tmp_path / "games.svg"), scale=0.5)
    text = (tmp_path / "games.svg").read_text("utf-8")
    width = (3 * LEVEL.cols + 2) * 24 // 2
    assert text.startswith(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="48">')
    assert state.to_svg() != text


def test_what_is_resampled_looks_the_same():
    state = jax.jit(PGX.init)(jax.random.key(3))
    state = jax.jit(PGX.step)(state, jnp.int32(1), jax.random.key(0))
    assert not state.terminated
    keys = jax.random.split(jax.random.key(4), BATCH)
    drawn: Any = jax.jit(jax.vmap(lambda key: PGX.resample(state, key)))(keys)
    for i in range(BATCH):
        np.testing.assert_array_equal(drawn.observation[i], state.observation)
    mines = np.asarray(drawn._game.mines)
    assert len({layout.tobytes() for layout in mines}) > 1
    assert len({key.tobytes() for key in np.asarray(drawn._game.key)}) == BATCH


def test_mctx_plans_without_seeing_the_mines():
    """Two games that look the same are planned for in the same way, whatever their mines."""
    worlds, planner = 4, cast(Any, mctx)  # Its classes have no signatures.

    def evaluate(state):
        return jnp.where(state.legal_action_mask, 0.0, -1e9), jnp.zeros(())

    def step_all(_, key, action, states):
        states = jax.vmap(PGX.resample)(states, jax.random.split(key, worlds))
        after = jax.vmap(PGX.step)(states, action)
        logits, value = jax.vmap(evaluate)(after)
        reward = after.rewards[:, 0]
        discount = jnp.where(after.terminated, 0.0, 1.0)
        return planner.RecurrentFnOutput(
            reward=reward, discount=discount, prior_logits=logits, value=value
        ), after

    @jax.jit
    def plan(state, key):
        draws, search = jax.random.split(key)
        states = jax.vmap(PGX.resample, (None, 0))(state, jax.random.split(draws, worlds))
        logits, value = jax.vmap(evaluate)(states)
        root = planner.RootFnOutput(prior_logits=logits, value=value, embedding=states)
        found = mctx.gumbel_muzero_policy(
            (), search, root, step_all, num_simulations=8, invalid_actions=logits < -1.0
        )
        return found.action_weights.mean(0)

    state = jax.jit(PGX.init)(jax.random.key(3))
    state = jax.jit(PGX.step)(state, jnp.int32(1), jax.random.key(0))
    twin = PGX.resample(state, jax.random.key(9))
    assert (np.asarray(twin._game.mines) != np.asarray(state._game.mines)).any()
    with jax.numpy_dtype_promotion("standard"):  # mctx promotes types as JAX does by default.
        weights, again = (plan(one, jax.random.key(1)) for one in (state, twin))
    np.testing.assert_array_equal(weights, again)
    assert float(weights.sum()) == pytest.approx(1, abs=1e-5)
    assert state.legal_action_mask[int(weights.argmax())]


# gymnax.


def test_gymnax_plays_many_games_in_one_program():
    env = our_gymnax.Minesweeper(Level(4, 5, 1))  # Of one mine, so that some games are won.
    params, steps = env.default_params, 40

    def rollout(key):
        observation, state = env.reset_env(key, params)

        def step(carry, key):
            observation, state = carry
            act, go = jax.random.split(key)
            action = jax.random.categorical(act, jnp.where(observation.ravel() < 0, 0.0, -jnp.inf))
            before = observation
            observation, state, *result = env.step(go, state, action, params)
            return (observation, state), (before, action, observation, *result)

        return jax.lax.scan(step, (observation, state), jax.random.split(key, steps))[1]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        played = jax.jit(jax.vmap(rollout))(jax.random.split(jax.random.key(0), BATCH))
    before, action, after, reward, terminated, truncated, info = jax.tree.map(np.asarray, played)
    assert reward.shape == terminated.shape == (BATCH, steps) and not truncated.any()
    assert terminated.any() and info["won"].any() and (terminated >= info["won"]).all()
    assert (after[terminated] == -1).all()
    np.testing.assert_array_equal(after[~terminated], info["final_observation"][~terminated])
    ends = info["final_observation"][terminated]
    assert ((ends >= 9).sum((1, 2)) == 1).all()
    assert ((ends == 10).any((1, 2)) != info["won"][terminated]).all()
    np.testing.assert_array_equal(info["discount"], 1.0 - terminated)
    chosen = np.take_along_axis(before.reshape(BATCH, steps, -1), action[..., None], 2)
    assert (chosen == -1).all() and (reward[~terminated] > 0).all()


def test_gymnax_truncates_long_episodes():
    params = GYMNAX.default_params.replace(max_steps_in_episode=3)
    key = jax.random.key(0)
    _, state = GYMNAX.reset(key, params)
    steps = []
    for _ in range(3):
        # To open an open cell does nothing, over and over.
        observation, state, *step = GYMNAX.step(key, state, 7, params)
        steps.append((observation, *step))
    assert [bool(truncated) for _, _, _, truncated, _ in steps] == [False, False, True]
    assert not any(terminated for _, _, terminated, _, _ in steps)
    observation, *_, info = steps[-1]
    assert state.time == 0 and (observation == -1).all()
    assert info["final_observation"].reshape(-1)[7] >= 0


def test_gymnax_has_its_spaces():
    assert GYMNAX.num_actions == CELLS and GYMNAX.name == "Minesweeper 4×5/4"
    assert isinstance(GYMNAX.action_space(), spaces.Discrete)
    box = GYMNAX.observation_space()
    observation, _ = GYMNAX.reset(jax.random.key(0))
    assert box.contains(observation) and observation.dtype == box.dtype
    assert box.shape == (LEVEL.rows, LEVEL.cols)
