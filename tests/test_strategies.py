"""One conformance test for every player, and what each of them promises."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep import bitboard, game
from jaxsweep.arena import Table, begin, turn
from jaxsweep.deduction import single_cell
from jaxsweep.level import LEVELS, Opening
from jaxsweep.position import from_text, to_grid
from jaxsweep.strategies import BEST, STRATEGIES, UNKNOWN_RISK, Reason
from jaxsweep.strategies.random import any_of
from tests.oracle import single_cell_rules

SEED = np.uint32(4)
GAMES = 64

players = pytest.mark.parametrize("name", STRATEGIES)


def walk(name, rounds=6):
    """Batches of beginner games before and after each of the player's moves."""
    table = Table.of(Opening.of(LEVELS["beginner"]))
    numbers = np.arange(GAMES, dtype=np.uint32)
    now = jax.jit(jax.vmap(lambda n: begin(table, SEED, n), out_axes=-1))(numbers)

    @jax.jit
    def go_on(now, i):
        one = jax.vmap(
            lambda now, n: turn(STRATEGIES[name], now, SEED, n, i), in_axes=-1, out_axes=-1
        )
        return one(now, numbers)

    for i in range(rounds):
        after, move = go_on(now, np.int32(i))
        yield jax.device_get((now, move, after))
        now = after


@players
def test_every_player_opens_hidden_cells_and_tells_why(name):
    for now, move, _ in walk(name):
        playing = np.array([int(s) for s in jax.vmap(game.status, in_axes=-1)(now)]) == 0
        asked = np.bitwise_count(move.opens).sum((0, 1))
        assert (asked[playing] >= 1).all()
        assert not (move.opens & (now.opened | ~now.cells))[..., playing].any()
        assert {Reason(int(r)) for r in move.reason[playing]} <= set(Reason)
        known = (move.risk >= 0) & (move.risk <= 1)
        assert (known | (move.risk == UNKNOWN_RISK)).all()


@players
def test_what_a_player_calls_certain_is_true(name):
    for now, move, _ in walk(name):
        certain = np.array([not Reason(int(r)).is_guess for r in move.reason])
        assert not (move.opens & now.mines)[..., certain].any()
        assert not (move.flags & ~now.mines).any()


@players
def test_every_player_is_a_function_of_position_and_key(name, getkey):
    position = from_text("5x4x5\nHH1HH\nHH2HH\n12HHH\nHHHHH\n")
    choose, key = jax.jit(STRATEGIES[name].choose), getkey()
    first, again = choose(position, key), choose(position, key)
    jax.tree.map(np.testing.assert_array_equal, first, again)
    pair = jax.tree.map(lambda x: jnp.stack([x, x], axis=-1), position)
    batch = jax.vmap(STRATEGIES[name].choose, in_axes=(-1, None), out_axes=-1)(pair, key)
    jax.tree.map(lambda one, two: np.testing.assert_array_equal(one, two[..., 1]), first, batch)


@players
def test_every_player_lowers_for_every_platform(name):
    table = Table.of(Opening.of(LEVELS["expert"]))

    def play(seed, number):
        return turn(STRATEGIES[name], begin(table, seed, number), seed, number, jnp.int32(0))

    exported = jax.export.export(jax.jit(play), platforms=("cpu", "cuda", "tpu"))(
        jax.ShapeDtypeStruct((), jnp.uint32), jax.ShapeDtypeStruct((), jnp.uint32)
    )
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}


def test_the_best_is_one_of_them():
    assert BEST in STRATEGIES


def test_linear_goes_in_reading_order(getkey):
    move = STRATEGIES["linear"].choose(from_text("3x2x1\n11H\nHHH\n"), getkey())
    np.testing.assert_array_equal(np.argwhere(bitboard.unpack(move.opens, 3)), [[0, 2]])


def test_random_choice_is_uniform(getkey):
    cells = jnp.asarray(bitboard.pack(np.arange(80).reshape(2, 40) % 7 == 3))
    size, draws = int(bitboard.count(cells)), 11_000
    picks = jax.vmap(lambda key: any_of(cells, key))(jax.random.split(getkey(), draws))
    flat = np.stack([bitboard.unpack(pick, 40) for pick in np.asarray(picks)])
    counts = flat.sum(0)[np.asarray(bitboard.unpack(cells, 40))]
    assert size == 11
    assert counts.sum() == draws
    assert ((counts - 1000.0) ** 2 / 1000.0).sum() < 29.6, "99.9 %, 10 degrees of freedom"


def test_single_cell_rules_equal_the_plain_ones():
    """On positions of real games, hidden mines and all."""
    deduce = jax.jit(jax.vmap(single_cell, in_axes=-1, out_axes=-1))
    found = 0
    for now, _, _ in walk("knowledge"):
        views = jax.jit(jax.vmap(game.view, in_axes=-1, out_axes=-1))(now)
        certain = jax.device_get(deduce(views))
        for i in range(GAMES):
            grid = to_grid(jax.tree.map(lambda leaf, i=i: leaf[..., i], views))
            safe, mines = single_cell_rules(np.where(grid < 0, -1, grid).tolist())
            for expected, got in ((safe, certain.safe), (mines, certain.mines)):
                cells = np.argwhere(bitboard.unpack(got[..., i], 9))
                assert {(int(r), int(c)) for r, c in cells} == expected
                found += len(expected)
    assert found > 1000
