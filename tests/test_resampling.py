"""What a planner may know: mines drawn anew from the posterior, and exact risks, in programs."""

import itertools
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxsweep
from jaxsweep.engines import exact_calls
from jaxsweep.functional import FunctionalEnvironment, Reward
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import LEVELS, Level, Start
from jaxsweep.rules.position import from_grid
from tests.oracle import PlainGame, layouts
from tests.test_functional import entry, mines_of, new_games, same
from tests.test_native import lattice

SMALL = Level(4, 4, 4)
ENVIRONMENT = FunctionalEnvironment(SMALL)
STEP = jax.jit(jax.vmap(ENVIRONMENT.step))
RESAMPLE = jax.jit(jax.vmap(ENVIRONMENT.resample))
DRAWS = 2000


def small_games(turns, batch=32):
    """Games of random steps."""
    state = new_games(11, batch, ENVIRONMENT)
    for turn in range(turns):
        key = jax.random.key(turn)
        state, _ = STEP(state, jax.random.randint(key, (batch,), 0, SMALL.cells))
    return state


def copies(state, count):
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *leaf.shape)), state)


def keys(number, count):
    return jax.random.split(jax.random.key(number), count)


def observed(state, environment=ENVIRONMENT):
    return np.asarray(jax.vmap(environment.observe)(state))


def frequencies(state, level=SMALL):
    """The share of games with a mine, cell by cell."""
    grids = bitboard.unpack_batch(np.moveaxis(np.asarray(state.mines), 0, -1))
    return grids[:, :, : level.cols].mean(0)


def within(found, probability, draws, sigmas=5):
    """Frequencies are those of independent draws; certainty is certain."""
    probability = np.asarray(probability, float)
    error = np.sqrt(probability * (1 - probability) / draws)
    assert (np.abs(found - probability) <= sigmas * error + 1e-6).all()


def test_what_is_seen_stays_and_the_rest_is_drawn_anew():
    state = small_games(2)
    seen, over = observed(state), observed(state).max((1, 2)) >= 9
    playing = ~over & np.asarray(state.mines_placed)
    assert 0 < over.sum() < len(over)
    changed = np.zeros(len(over), bool)
    for number in range(5):
        drawn = RESAMPLE(state, keys(number, len(over)))
        same(observed(drawn), seen)
        same((drawn.opened, drawn.mines_placed), (state.opened, state.mines_placed))
        assert (np.asarray(drawn.key) != np.asarray(state.key)).any(1).all()
        assert [len(mines_of(entry(drawn, i), SMALL)) for i in range(len(over))] == [4] * len(over)
        changed |= (np.asarray(drawn.mines) != np.asarray(state.mines)).any((1, 2))
    assert not changed[over].any()
    several = [len(layouts(grid.tolist(), 4)) > 1 for grid in seen]
    assert changed[playing & several].mean() > 0.9


def test_observations_of_unequal_mines_are_equal_until_the_end():
    """Two states with one view are told apart by nothing that a player gets."""
    state = small_games(1)
    state = entry(state, observed(state).max((1, 2)) < 9)
    others = RESAMPLE(state, keys(3, len(state.mines_placed)))
    differ = (np.asarray(state.mines) != np.asarray(others.mines)).any((1, 2))
    assert differ.sum() > 5
    same(observed(others), observed(state))
    for action in range(SMALL.cells):
        chosen = jnp.full(len(differ), action)
        ours, theirs = STEP(state, chosen)[1], STEP(others, chosen)[1]
        alike = (np.asarray(ours.observation) == np.asarray(theirs.observation)).all((1, 2))
        same(entry(ours, alike), entry(theirs, alike))


def test_small_positions_have_the_frequencies_of_all_layouts():
    state, positions = small_games(2, batch=8), 0
    for i, grid in enumerate(observed(state)):
        drawn = RESAMPLE(copies(entry(state, i), DRAWS), keys(i, DRAWS))
        consistent = layouts(grid.tolist(), SMALL.mines) if grid.max() < 9 else []
        if len(consistent) < 2:
            continue
        positions += 1
        # Not cells alone: every layout is as likely as every other.
        found = {tuple(sorted(one)): 0 for one in consistent}
        for bits in np.asarray(drawn.mines):
            cells = np.argwhere(bitboard.unpack(bits, SMALL.cols)).tolist()
            found[tuple(sorted((row, col) for row, col in cells))] += 1
        share = 1 / len(consistent)
        within(np.array(list(found.values())) / DRAWS, np.full(len(found), share), DRAWS)
        by_cell = np.zeros((4, 4))
        for one in consistent:
            for cell in one:
                by_cell[cell] += share
        within(frequencies(drawn), by_cell, DRAWS)
    assert positions >= 3


@pytest.mark.parametrize("start", Start)
def test_before_the_first_step_the_start_rule_is_obeyed(start):
    environment = FunctionalEnvironment(SMALL, start)
    state = environment.init(jax.random.key(3))
    drawn = jax.jit(jax.vmap(environment.resample, in_axes=(None, 0)))(state, keys(1, DRAWS))
    assert not drawn.mines.any()
    assert not drawn.mines_placed.any()
    corner = jnp.zeros(DRAWS, jnp.int32)
    begun, _ = jax.jit(jax.vmap(environment.step))(drawn, corner)
    free = {Start.ANY: 0, Start.SAFE: 1, Start.ZERO: 4}[start]
    probability = np.full((4, 4), SMALL.mines / (SMALL.cells - free))
    if start is not Start.ANY:
        probability[0, 0] = 0
    if start is Start.ZERO:
        probability[:2, :2] = 0
    within(frequencies(begun), probability, DRAWS)


def test_the_next_game_is_drawn_anew_too():
    over = small_games(6)
    over = entry(over, observed(over).max((1, 2)) >= 9)
    count = len(over.mines_placed)
    reset = jax.jit(jax.vmap(ENVIRONMENT.reset, in_axes=(0, None)))
    chosen = jnp.arange(count, dtype=jnp.int32) % SMALL.cells
    following = [
        STEP(reset(state, True), chosen)[0].mines
        for state in (over, RESAMPLE(over, keys(5, count)))
    ]
    assert count > 5
    assert (np.asarray(following[0]) != np.asarray(following[1])).any((1, 2)).mean() > 0.9


def stuck_expert_games(batch=16):
    """Expert games of the least risk, up to a guess with 40 cells open."""
    environment = FunctionalEnvironment(LEVELS["expert"])

    @jax.jit
    def step(state):
        risks = jax.vmap(environment.risks)(state).reshape(batch, -1)
        hidden = jax.vmap(environment.legal_actions)(state)
        masked = jnp.where(hidden, risks, 2.0)
        stuck = (jnp.min(masked, axis=1) > 0) & (jnp.sum(~hidden, axis=1) >= 40)
        # An action below 0 changes nothing.
        safest = jnp.where(stuck, -1, jnp.argmin(masked, axis=1).astype(jnp.int32))
        return jax.vmap(environment.step)(state, safest)[0]

    state = new_games(13, batch, environment)
    for _ in range(60):
        state = step(state)
    return environment, state


def test_a_planner_that_copies_a_state_sees_the_posterior():
    environment, state = stuck_expert_games()
    seen = observed(state, environment)
    risks = np.asarray(jax.jit(jax.vmap(environment.risks))(state))
    for i in range(len(seen)):
        if seen[i].max() >= 9:
            assert not risks[i].any()
            continue
        beliefs = jaxsweep.infer(from_grid(seen[i], 99))
        assert beliefs.status == jaxsweep.Status.EXACT
        expected = np.asarray(beliefs.mine_probability)[:16, :30]
        np.testing.assert_allclose(risks[i], expected, atol=2e-6)
    # Stuck, and with the most known of those.
    stuck = [i for i in range(len(seen)) if seen[i].max() < 9 and risks[i][seen[i] < 0].min() > 0]
    chosen = max(stuck, key=lambda i: (seen[i] >= 0).sum())
    assert (seen[chosen] >= 0).sum() >= 40
    resample = jax.jit(jax.vmap(environment.resample, in_axes=(None, 0)))
    drawn = resample(entry(state, chosen), keys(9, 1000))
    within(frequencies(drawn, LEVELS["expert"]), risks[chosen], 1000)


def test_resampling_and_risks_in_programs():
    state, many = small_games(1), keys(7, 32)
    expected, risks = RESAMPLE(state, many), jax.jit(jax.vmap(ENVIRONMENT.risks))(state)

    def fold(tree):
        return jax.tree.map(lambda leaf: leaf.reshape(4, 8, *leaf.shape[1:]), tree)

    folded, folded_keys = fold(state), many.reshape(4, 8)
    same(jax.jit(jax.vmap(jax.vmap(ENVIRONMENT.resample)))(folded, folded_keys), fold(expected))
    same(jax.jit(jax.vmap(jax.vmap(ENVIRONMENT.risks)))(folded), fold(risks))
    same(jax.jit(ENVIRONMENT.resample)(entry(state, 0), many[0]), entry(expected, 0))

    def maybe(state, key, wanted):
        return jax.lax.cond(wanted, lambda: ENVIRONMENT.resample(state, key), lambda: state)

    mask = jnp.arange(32) < 16
    mixed = jax.jit(jax.vmap(maybe))(state, many, mask)
    same(entry(mixed, mask), entry(expected, mask))
    same(entry(mixed, ~mask), entry(state, ~mask))

    def scanned(state, key):
        return jax.lax.scan(
            lambda s, k: (ENVIRONMENT.resample(s, k), None), state, jnp.stack([key, key])
        )[0]

    same(jax.jit(jax.vmap(scanned))(state, many), expected)


def test_rewards_by_outcome_and_regret():
    state, chosen = small_games(1), jnp.arange(32, dtype=jnp.int32) % SMALL.cells
    fresh = new_games(12, 32, ENVIRONMENT)
    outcome, regret = (
        jax.jit(jax.vmap(FunctionalEnvironment(SMALL, reward=reward).step))
        for reward in (Reward.OUTCOME, Reward.REGRET)
    )
    _, timestep = outcome(state, chosen)
    _, graded = regret(state, chosen)
    seen, best = observed(state), 0
    for i, action in enumerate(chosen.tolist()):
        cell = divmod(action, 4)
        consistent = layouts(seen[i].tolist(), 4) if seen[i].max() < 9 else []
        assert float(timestep.reward[i]) == (
            0.0
            if seen[i][cell] >= 0 or not consistent
            else float(timestep.won[i]) - float(timestep.terminated[i] & ~timestep.won[i])
        )
        if not consistent or seen[i][cell] >= 0:
            assert graded.reward[i] == 0
            continue
        risk = {
            other: sum(other in one for one in consistent) / len(consistent)
            for other in itertools.product(range(4), range(4))
            if seen[i][other] < 0
        }
        expected = min(risk.values()) - risk[cell]
        assert float(graded.reward[i]) == pytest.approx(expected, abs=1e-6)
        best += expected == 0
    assert 0 < best < 32
    assert (np.asarray(timestep.reward) == -1).any()
    # The first cell of a game is never worse than another.
    assert not regret(fresh, chosen)[1].reward.any()


def test_risks_before_the_first_step_follow_the_start_rule():
    for start, expected in ((Start.ANY, 0.25), (Start.SAFE, 0.0), (Start.ZERO, 0.0)):
        environment = FunctionalEnvironment(SMALL, start)
        risks = environment.risks(environment.init(jax.random.key(0)))
        assert risks.shape == (4, 4)
        assert (np.asarray(risks) == expected).all()


def test_a_position_over_capacity_is_never_answered_wrongly():
    grid, mines = lattice(61)
    seen = jnp.asarray(np.stack([grid, grid]))
    asked = jnp.array([False, True])
    risks = exact_calls.mine_probabilities(seen, asked, mines)
    assert not np.asarray(risks[0]).any()
    assert np.isnan(np.asarray(risks[1])).all()
    words = jnp.ones((2, 2), jnp.uint32)
    with pytest.raises(Exception, match=r"game 1 of the batch.*over the capacity"):
        jax.block_until_ready(exact_calls.draw_layouts(seen, asked, mines, words))
    none = exact_calls.draw_layouts(seen, jnp.array([False, False]), mines, words)
    assert not np.asarray(none).any()


def test_a_regret_that_is_not_known_is_not_a_number():
    """One component that is too wide, with a cell hidden apart from it."""
    grid, mines = lattice(61)
    level = Level(61, 61, mines)
    environment = FunctionalEnvironment(level, Start.ANY, Reward.REGRET)
    state = environment.init(jax.random.key(0))
    placed = np.zeros((61, 61), bool)
    rng = np.random.default_rng(1)  # As `lattice` has it.
    every = itertools.product(range(61), range(61))
    hidden = [cell for cell in every if cell[0] % 2 == 0 or cell[1] % 2 == 0]
    for cell in hidden:
        placed[cell] = rng.random() < 0.4
    state = eqx.tree_at(
        lambda s: (s.mines, s.opened, s.mines_placed),
        state,
        (
            jnp.asarray(bitboard.pack(placed)),
            jnp.asarray(bitboard.pack(grid >= 0)),
            jnp.asarray(True),
        ),
    )
    np.testing.assert_array_equal(environment.observe(state), grid)
    _, timestep = environment.step(state, 0)
    assert math.isnan(float(timestep.reward))


def test_a_board_that_is_too_large_is_refused():
    environment = FunctionalEnvironment(Level(101, 100, 100))
    state = environment.init(jax.random.key(0))
    for ask in (lambda: environment.risks(state), lambda: environment.resample(state, state.key)):
        with pytest.raises(ValueError, match="boards of up to 10000 cells; this one has 10100"):
            ask()


def test_a_plain_game_of_the_drawn_mines_shows_the_same():
    state = RESAMPLE(small_games(2), keys(21, 32))
    for i, grid in enumerate(observed(state)):
        plain = PlainGame(4, 4, mines_of(entry(state, i), SMALL))
        for cell in np.argwhere(grid >= 0).tolist():
            if grid[tuple(cell)] < 9:
                assert grid[tuple(cell)] == plain.number(tuple(cell))
