"""One game as a function of its state: plain games, batched ones, and transforms of JAX."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.environment import Environment
from jaxsweep.functional import FunctionalEnvironment, FunctionalState, Reward, Timestep
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import Level, LevelError, Start
from jaxsweep.runtime.entrywise import entrywise
from tests.oracle import PlainGame

LEVEL, BATCH = Level(7, 9, 12), 24
ENVIRONMENT = FunctionalEnvironment(LEVEL)
STEP = jax.jit(jax.vmap(ENVIRONMENT.step))
STEP_AND_RESET = jax.jit(jax.vmap(ENVIRONMENT.step_and_reset))


def new_games(number=0, batch=BATCH, environment=ENVIRONMENT):
    return jax.vmap(environment.init)(jax.random.split(jax.random.key(number), batch))


def actions(number, batch=BATCH):
    """Random actions, of which a few are no cell's."""
    return jax.random.randint(jax.random.key(1000 + number), (batch,), -2, LEVEL.cells + 2)


def entry(tree, which):
    """One or some entries of a batch, in NumPy: indexing in JAX compiles."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[which], tree)


def same(found, expected):
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def mines_of(state, level=LEVEL):
    """The mines of one game, as (row, column)."""
    grid = bitboard.unpack(np.asarray(state.mines), level.cols)
    return {(int(r), int(c)) for r, c in np.argwhere(grid)}


def seen_of(plain):
    """What a player sees of a plain game."""
    grid = np.full((plain.rows, plain.cols), -1, np.int8)
    for cell in plain.opened:
        grid[cell] = 10 if cell in plain.mines else plain.number(cell)
    if plain.status != "playing":
        for cell in plain.mines - plain.opened:
            grid[cell] = 9
    return grid


@pytest.mark.parametrize("start", Start)
def test_steps_do_what_a_plain_game_does(start):
    environment = FunctionalEnvironment(LEVEL, start)
    step = jax.jit(jax.vmap(environment.step))
    state = new_games(environment=environment)
    plain = [PlainGame(LEVEL.rows, LEVEL.cols, ()) for _ in range(BATCH)]
    outcomes = set()
    for turn in range(30):
        chosen = actions(turn)
        state, timestep = step(state, chosen)
        for i, action in enumerate(chosen.tolist()):
            valid = 0 <= action < LEVEL.cells
            if not plain[i].mines and valid:
                plain[i] = PlainGame(LEVEL.rows, LEVEL.cols, mines_of(entry(state, i)))
                assert len(plain[i].mines) == LEVEL.mines
            game = plain[i]
            before = len(game.opened - game.mines)
            if valid:
                game.open([divmod(action, LEVEL.cols)])
            new = len(game.opened - game.mines) - before
            seen = seen_of(game)
            now = entry(timestep, i)
            np.testing.assert_array_equal(now.observation, seen)
            np.testing.assert_array_equal(now.final_observation, seen)
            hidden = [divmod(a, LEVEL.cols) not in game.opened for a in range(LEVEL.cells)]
            np.testing.assert_array_equal(now.legal_actions, hidden)
            expected = new / (LEVEL.cells - LEVEL.mines)
            assert float(now.reward) == pytest.approx(expected, abs=1e-6)
            assert bool(now.terminated) == (game.status != "playing")
            assert bool(now.won) == (game.status == "won")
            outcomes.add(game.status)
        same(jax.vmap(environment.observe)(state), timestep.observation)
        same(jax.vmap(environment.legal_actions)(state), timestep.legal_actions)
    assert outcomes >= {"playing", "lost"}


def test_a_won_game_shows_its_mines():
    level = Level(5, 5, 2)
    environment = FunctionalEnvironment(level, Start.ZERO, Reward.OUTCOME)
    step = jax.jit(environment.step)
    state, timestep = step(environment.init(jax.random.key(0)), 12)
    mines = mines_of(state, level)
    for action in range(25):
        if divmod(action, 5) not in mines:
            before = bool(timestep.terminated)
            state, timestep = step(state, action)
            assert float(timestep.reward) == float(bool(timestep.terminated) and not before)
    assert timestep.won
    shown = {(int(r), int(c)) for r, c in np.argwhere(np.asarray(timestep.observation) == 9)}
    assert shown == mines


@pytest.mark.parametrize("start", Start)
def test_the_first_cell_is_as_the_start_rule_says(start):
    environment = FunctionalEnvironment(LEVEL, start)
    chosen = jnp.arange(512, dtype=jnp.int32) % LEVEL.cells
    state, _ = jax.jit(jax.vmap(environment.step))(new_games(1, 512, environment), chosen)
    hit = near = 0
    for i, action in enumerate(chosen.tolist()):
        row, col = divmod(action, LEVEL.cols)
        mines = mines_of(entry(state, i))
        assert len(mines) == LEVEL.mines
        hit += (row, col) in mines
        near += any(max(abs(row - r), abs(col - c)) <= 1 for r, c in mines)
    assert (hit == 0) == (start is not Start.ANY)
    assert (near == 0) == (start is Start.ZERO)


def test_games_are_those_of_the_batched_environment():
    batched = Environment(LEVEL)
    step, seed = jax.jit(batched.step), np.uint32(5)
    theirs, ours, over = batched.reset(BATCH), new_games(), False
    key = jnp.broadcast_to(jax.random.key_data(jax.random.key(seed)), (BATCH, 2))
    ours = eqx.tree_at(lambda s: (s.key, s.game_number), ours, (key, theirs.game_number))
    for turn in range(20):
        chosen = jnp.clip(actions(turn), 0, LEVEL.cells - 1)
        theirs, result = step(theirs, chosen // LEVEL.cols, chosen % LEVEL.cols, seed)
        ours, timestep = STEP(ours, chosen)
        same(
            (jnp.moveaxis(ours.mines, 0, -1), jnp.moveaxis(ours.opened, 0, -1)),
            (theirs.mines, theirs.opened),
        )
        same(
            (timestep.reward, timestep.terminated, timestep.won),
            (result.reward, result.done, result.won),
        )
        over = bool(result.done.any())
    assert over


def under_way(turns=3):
    state = new_games(2)
    for turn in range(turns):
        state, _ = STEP_AND_RESET(state, actions(turn))
    return state


def test_a_vmapped_step_is_a_loop_of_steps():
    state, chosen = under_way(), actions(50)
    one = jax.jit(ENVIRONMENT.step_and_reset)
    each = [one(entry(state, i), chosen[i]) for i in range(BATCH)]
    expected = jax.tree.map(lambda *leaves: jnp.stack(leaves), *each)
    assert expected[1].terminated.any()
    same(STEP_AND_RESET(state, chosen), expected)
    same(jax.vmap(ENVIRONMENT.step_and_reset)(state, chosen), expected)
    same(ENVIRONMENT.step_and_reset(entry(state, 3), int(chosen[3])), entry(expected, 3))


def test_nested_vmaps_loops_and_branches():
    state, chosen = under_way(), actions(51)
    expected = STEP_AND_RESET(state, chosen)
    step = ENVIRONMENT.step_and_reset

    def fold(tree):
        return jax.tree.map(lambda leaf: leaf.reshape(4, 6, *leaf.shape[1:]), tree)

    same(jax.jit(jax.vmap(jax.vmap(step)))(fold(state), fold(chosen)), fold(expected))
    last = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, -1), state)
    same(jax.jit(jax.vmap(step, in_axes=(-1, 0)))(last, chosen), expected)
    # One state, many actions, as a planner has it.
    several = jax.jit(jax.vmap(step, in_axes=(None, 0)))(entry(state, 0), chosen)
    repeated = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[0], leaf.shape), state)
    same(several, STEP_AND_RESET(repeated, chosen))

    def twice(state, pair):
        return jax.lax.scan(lambda s, a: (step(s, a)[0], None), state, pair)[0]

    def until_over(state, action):
        def advance(carry):
            state, _, turn = carry
            state, timestep = ENVIRONMENT.step(state, (action + turn) % LEVEL.cells)
            return state, timestep.terminated, turn + 1

        start = (state, jnp.asarray(False), jnp.int32(0))
        return jax.lax.while_loop(lambda carry: ~carry[1], advance, start)[0]

    pairs = jnp.stack([chosen, chosen + 1], axis=1)
    after, _ = STEP_AND_RESET(expected[0], chosen + 1)
    same(jax.jit(jax.vmap(twice))(state, pairs), after)
    over = jax.jit(jax.vmap(until_over))(state, chosen)
    assert (jax.vmap(ENVIRONMENT.observe)(over) >= 9).any((1, 2)).all()

    def either(state, action, first):
        return jax.lax.cond(first, lambda: step(state, action), lambda: step(state, action + 1))

    other = STEP_AND_RESET(state, chosen + 1)
    mask = jnp.arange(BATCH) % 3 == 0
    mixed = jax.tree.map(
        lambda a, b: jnp.where(mask.reshape(-1, *(1,) * (a.ndim - 1)), a, b), expected, other
    )
    same(jax.jit(jax.vmap(either))(state, chosen, mask), mixed)
    by_row = jax.vmap(jax.vmap(either, in_axes=(0, 0, None)))
    rows = jnp.array([True, False, True, True])
    halves = jax.tree.map(
        lambda a, b: jnp.where(rows.reshape(-1, *(1,) * (a.ndim - 1)), a, b),
        fold(expected),
        fold(other),
    )
    same(jax.jit(by_row)(fold(state), fold(chosen), rows), halves)


def test_a_finished_game_is_followed_by_a_new_one():
    state, finished, previous = new_games(3), np.zeros(BATCH, int), {}
    for turn in range(40):
        before, chosen = state, actions(turn)
        state, timestep = STEP_AND_RESET(before, chosen)
        stopped, plain = STEP(before, chosen)
        same(timestep.final_observation, plain.observation)
        same((timestep.reward, timestep.won), (plain.reward, plain.won))
        done = np.asarray(timestep.terminated)
        np.testing.assert_array_equal(state.game_number, np.asarray(before.game_number) + done)
        assert (np.asarray(timestep.observation)[done] == -1).all()
        assert np.asarray(timestep.legal_actions)[done].all()
        assert not np.asarray(state.opened)[done].any()
        assert not np.asarray(state.mines_placed)[done].any()
        same(
            jax.tree.map(lambda leaf, d=done: leaf[~d], state),
            jax.tree.map(lambda leaf, d=done: leaf[~d], stopped),
        )
        for i in np.nonzero(done)[0].tolist():
            mines = mines_of(entry(stopped, i))
            assert mines != previous.get(i)
            previous[i] = mines
        finished += done
    assert (finished > 1).all()


def test_a_mask_of_games_is_reset():
    state, mask = under_way(), jnp.arange(BATCH) % 2 == 0
    reset = jax.jit(jax.vmap(ENVIRONMENT.reset))(state, mask)
    same(entry(reset, ~mask), entry(state, ~mask))
    fresh = entry(reset, mask)
    assert not fresh.opened.any()
    assert not fresh.mines.any()
    assert not fresh.mines_placed.any()
    same(fresh.key, entry(state.key, mask))
    same(fresh.game_number, entry(state.game_number, mask) + jnp.uint32(1))


def test_nothing_changes_at_open_cells_impossible_actions_and_after_the_end():
    step = jax.jit(ENVIRONMENT.step)
    fresh = ENVIRONMENT.init(jax.random.key(4))
    for action in (-1, LEVEL.cells, -(2**31), 2**31 - 1):
        after, timestep = step(fresh, action)
        same(after, fresh)
        assert not timestep.reward
        assert not timestep.terminated
    begun, _ = step(fresh, 0)
    for action in (0, -1, LEVEL.cells):
        after, timestep = step(begun, action)
        same(after, begun)
        assert not timestep.reward
    row, col = min(mines_of(begun))
    over, _ = step(begun, row * LEVEL.cols + col)
    for action in range(0, LEVEL.cells, 5):
        after, timestep = step(over, action)
        same(after, over)
        assert timestep.terminated
        assert not timestep.reward


def test_keys_of_any_kind_start_games():
    for key in (jax.random.key(6), jax.random.PRNGKey(6), jax.random.key(6, impl="rbg")):
        state, timestep = jax.jit(ENVIRONMENT.step)(ENVIRONMENT.init(key), 3)
        assert len(mines_of(state)) == LEVEL.mines
        assert isinstance(timestep, Timestep)
    typed, raw = (make(6) for make in (jax.random.key, jax.random.PRNGKey))
    same(ENVIRONMENT.init(typed), ENVIRONMENT.init(raw))


def test_a_state_is_arrays_that_survive_donation_and_a_copy_on_the_host():
    state = new_games(5)
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(state))
    donating = jax.jit(jax.vmap(ENVIRONMENT.step_and_reset), donate_argnums=0)
    kept = state = jax.tree.map(np.asarray, state)
    expected = jax.tree.map(jnp.asarray, kept)
    moving = jax.tree.map(jnp.array, kept)
    for turn in range(4):
        expected, _ = STEP_AND_RESET(expected, actions(turn))
        moving, _ = donating(moving, actions(turn))
    same(moving, expected)
    assert isinstance(moving, FunctionalState)


def test_a_second_call_compiles_nothing():
    traced = eqx.debug.assert_max_traces(
        lambda environment, state, action: jax.vmap(environment.step_and_reset)(state, action),
        max_traces=1,
    )
    step = jax.jit(traced, static_argnums=0)
    state = new_games(7)
    for turn in range(3):
        state, _ = step(FunctionalEnvironment(Level(7, 9, 12)), state, actions(turn))


def test_entries_are_merged_to_batches_and_traced_once_a_size():
    sizes = []

    @entrywise
    def ranks(values, factor):
        """Depends on the whole batch: a wrong merge shows."""
        sizes.append(values.shape)
        table = jnp.asarray(np.arange(5, dtype=np.int32))
        return (values + table[:1]) * factor, jnp.arange(values.shape[0], dtype=jnp.int32)

    values = jnp.arange(12, dtype=jnp.int32)
    assert [int(x) for x in ranks(values[4], jnp.int32(3))] == [12, 0]
    for _ in range(2):
        product, order = jax.vmap(ranks, in_axes=(0, None))(values, jnp.int32(3))
        np.testing.assert_array_equal(product, 3 * np.arange(12))
        np.testing.assert_array_equal(order, np.arange(12))
        product, order = jax.vmap(jax.vmap(ranks, in_axes=(None, 0)))(
            values, jnp.ones((12, 2), jnp.int32)
        )
        np.testing.assert_array_equal(product, np.repeat(np.arange(12), 2).reshape(12, 2))
        np.testing.assert_array_equal(order, np.arange(24).reshape(12, 2))
    # Of two vmaps, the inner one is traced by itself, too.
    assert sorted(sizes) == [(1,), (2,), (12,), (24,)]


@pytest.mark.parametrize(
    ("level", "start"), [(Level(3, 3, 9), Start.SAFE), (Level(4, 4, 8), Start.ZERO)]
)
def test_a_start_rule_that_leaves_too_few_cells_is_refused(level, start):
    with pytest.raises(LevelError, match="mines do not fit"):
        FunctionalEnvironment(level, start)


def test_a_step_lowers_for_every_platform():
    kernel = jax.jit(jax.vmap(ENVIRONMENT.step_and_reset))
    exported = jax.export.export(kernel, platforms=("cpu", "cuda", "tpu"))(new_games(), actions(0))
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}
