"""The environment against a plain game, and its guarantees to a learner."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.environment import Environment, random_cells
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import Level, Start
from jaxsweep.rules.position import to_grid
from tests.oracle import PlainGame

LEVEL, BATCH, SEED = Level(7, 9, 12), 24, np.uint32(5)
ENVIRONMENT = Environment(LEVEL)
STEP = jax.jit(ENVIRONMENT.step)
STEP_AND_RESET = jax.jit(ENVIRONMENT.step_and_reset)


def cells(number):
    return random_cells(LEVEL, jax.random.key(number), BATCH)


def mines_of(state):
    grids = bitboard.unpack_batch(np.asarray(state.mines))[:, :, : LEVEL.cols]
    return [[(int(r), int(c)) for r, c in np.argwhere(grid)] for grid in grids]


def test_steps_do_what_a_plain_game_does():
    first, _ = STEP(ENVIRONMENT.reset(BATCH), *cells(0), SEED)
    plain = [PlainGame(LEVEL.rows, LEVEL.cols, mines) for mines in mines_of(first)]
    state, over, won = ENVIRONMENT.reset(BATCH), np.zeros(BATCH, bool), np.zeros(BATCH, bool)
    for turn in range(30):
        row, col = cells(turn)
        state, result = STEP(state, row, col, SEED)
        for i, game in enumerate(plain):
            before = len(game.opened - game.mines)
            if not over[i]:
                game.open([(int(row[i]), int(col[i]))])
            new = len(game.opened - game.mines) - before
            safe = LEVEL.cells - LEVEL.mines
            assert float(result.reward[i]) == pytest.approx(new / safe, abs=1e-6)
        over, won = np.asarray(result.done), np.asarray(result.won)
    opened = bitboard.unpack_batch(np.asarray(state.opened))[:, :, : LEVEL.cols]
    for i, game in enumerate(plain):
        assert {(int(r), int(c)) for r, c in np.argwhere(opened[i])} == game.opened
        assert over[i] == (game.status != "playing")
        assert won[i] == (game.status == "won")
    assert over.any()


@pytest.mark.parametrize("start", Start)
def test_the_first_cell_is_as_the_start_rule_says(start):
    environment = Environment(LEVEL, start)
    state = environment.reset(512)
    row, col = random_cells(LEVEL, jax.random.key(1), 512)
    state, _ = jax.jit(environment.step)(state, row, col, SEED)
    hit = near = 0
    for i, mines in enumerate(mines_of(state)):
        assert len(mines) == LEVEL.mines
        cell = (int(row[i]), int(col[i]))
        hit += cell in mines
        near += any(max(abs(cell[0] - r), abs(cell[1] - c)) <= 1 for r, c in mines)
    assert (hit == 0) == (start is not Start.ANY)
    assert (near == 0) == (start is Start.ZERO)


def test_a_finished_game_is_followed_by_a_new_one():
    state = ENVIRONMENT.reset(BATCH)
    finished = np.zeros(BATCH, int)
    for turn in range(40):
        before = state
        state, result = STEP_AND_RESET(state, *cells(turn), SEED)
        done = np.asarray(result.done)
        finished += done
        assert not np.asarray(state.opened)[..., done].any()
        assert not np.asarray(state.mines_placed)[done].any()
        numbers = np.asarray(before.game_number) + np.where(done, BATCH, 0)
        np.testing.assert_array_equal(np.asarray(state.game_number), numbers)
    assert (finished > 0).all()


def test_games_depend_on_seed_and_number_alone():
    row, col = cells(3)
    first, _ = STEP(ENVIRONMENT.reset(BATCH), row, col, SEED)
    few = jax.jit(ENVIRONMENT.step)(ENVIRONMENT.reset(5), row[:5], col[:5], SEED)[0]
    np.testing.assert_array_equal(np.asarray(first.mines)[..., :5], few.mines)
    other, _ = STEP(ENVIRONMENT.reset(BATCH), row, col, np.uint32(6))
    assert (np.asarray(first.mines) != np.asarray(other.mines)).any()


def test_a_view_is_a_position():
    state, _ = STEP(ENVIRONMENT.reset(BATCH), *cells(0), SEED)
    seen = ENVIRONMENT.view(state)
    one = jax.tree.map(lambda leaf: leaf[..., 0], seen)
    grid = to_grid(one)
    assert grid.shape == (LEVEL.rows, LEVEL.cols)
    assert int(one.mines) == LEVEL.mines
    mines = set(mines_of(state)[0])
    for (r, c), number in np.ndenumerate(grid):
        if number >= 0:
            around = sum(max(abs(r - y), abs(c - x)) == 1 for y, x in mines)
            assert number == around


def test_a_step_lowers_for_every_platform():
    state = ENVIRONMENT.reset(BATCH)
    kernel = jax.jit(partial(ENVIRONMENT.step_and_reset, seed=jnp.uint32(1)))
    exported = jax.export.export(kernel, platforms=("cpu", "cuda", "tpu"))(state, *cells(0))
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}
