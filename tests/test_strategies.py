"""One conformance test for every player, and what each of them promises."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep import bitboard, game
from jaxsweep.arena import Table, advance_lanes, begin, deal_lanes, look, make_moves
from jaxsweep.game import GameStatus
from jaxsweep.level import LEVELS, Opening
from jaxsweep.position import from_text
from jaxsweep.strategies import BEST, STRATEGIES, UNKNOWN_RISK, Reason, best_deduction
from jaxsweep.strategies.random import any_of

SEED = np.uint32(4)
GAMES = 64

players = pytest.mark.parametrize("name", STRATEGIES)


def walk(name, rounds=5):
    """Batches of beginner games before, and with, each of the player's guesses."""
    strategy = STRATEGIES[name]
    table = Table.of(Opening.of(LEVELS["beginner"]))
    lanes = deal_lanes(table, SEED, np.arange(GAMES, dtype=np.uint32))
    for _ in range(rounds):
        more = True
        while more:
            more = False
            for deduction in strategy.deductions:
                before = lanes
                lanes, found, _ = advance_lanes(lanes, deduction, 1)
                more = more or bool(found.any())
                yield jax.device_get((before, lanes, None, None))
        positions, keys = look(lanes, SEED)
        moves = strategy.guess(positions, keys)
        before, (lanes, _) = lanes, make_moves(lanes, moves)
        yield jax.device_get((before, lanes, positions, moves))


def statuses(lanes):
    return np.asarray(jax.vmap(game.status, in_axes=-1)(lanes.game))


@players
def test_every_guess_opens_hidden_cells_and_tells_why(name):
    guesses = 0
    for before, _, _, moves in walk(name):
        if moves is None:
            continue
        playing = statuses(before) == GameStatus.PLAYING
        asked = np.bitwise_count(moves.opens).sum((0, 1))
        assert (asked[playing] >= 1).all()
        assert not (moves.opens & (before.game.opened | ~before.game.cells))[..., playing].any()
        assert {Reason(int(r)) for r in moves.reason[playing]} <= set(Reason)
        known = (moves.risk >= 0) & (moves.risk <= 1)
        assert (known | (moves.risk == UNKNOWN_RISK)).all()
        guesses += int(playing.sum())
    assert guesses >= GAMES // 4


@players
def test_what_a_player_calls_certain_is_true(name):
    for before, after, _, moves in walk(name):
        assert not after.wrong.any()
        if moves is not None:
            playing = statuses(before) == GameStatus.PLAYING
            assert not (moves.flags & ~before.game.mines)[..., playing].any()


@players
def test_a_move_depends_on_the_position_and_the_key_alone(name):
    strategy = STRATEGIES[name]
    *_, (_, _, positions, _) = walk(name, rounds=1)
    table = Table.of(Opening.of(LEVELS["beginner"]))
    lanes = deal_lanes(table, SEED, np.arange(GAMES, dtype=np.uint32))
    _, keys = look(lanes, SEED)
    first = strategy.guess(positions, keys)
    again = strategy.guess(positions, keys)
    jax.tree.map(np.testing.assert_array_equal, first, again)
    mixed = np.arange(GAMES)[::-1].copy()
    back = strategy.guess(jax.tree.map(lambda leaf: leaf[..., mixed], positions), keys[mixed])
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a[..., mixed], b), first, back)


@players
def test_every_deduction_lowers_for_every_platform(name):
    table = Table.of(Opening.of(LEVELS["expert"]))

    def play(seed, number):
        now = begin(table, seed, number)
        return best_deduction(STRATEGIES[name], game.view(now))

    exported = jax.export.export(jax.jit(play), platforms=("cpu", "cuda", "tpu"))(
        jax.ShapeDtypeStruct((), jnp.uint32), jax.ShapeDtypeStruct((), jnp.uint32)
    )
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}


def test_the_best_is_one_of_them():
    assert BEST in STRATEGIES


def guess(name, text, key):
    position = jax.tree.map(lambda leaf: leaf[..., None], from_text(text))
    return jax.tree.map(lambda leaf: leaf[..., 0], STRATEGIES[name].guess(position, key[None]))


def test_linear_goes_in_reading_order(getkey):
    move = guess("linear", "3x2x1\n11H\nHHH\n", getkey())
    np.testing.assert_array_equal(np.argwhere(bitboard.unpack(move.opens, 3)), [[0, 2]])


def test_exact_takes_the_least_risk(getkey):
    """A 1 with two neighbours, and five cells far away that share one mine: 1 in 5 beats 1 in 2."""
    move = guess("exact", "9x1x2\nH1HHHHHHH\n", getkey())
    assert Reason(int(move.reason)) is Reason.LEAST_RISK
    assert float(move.risk) == pytest.approx(1 / 6, abs=1e-6)
    (cell,) = np.argwhere(bitboard.unpack(move.opens, 9))
    assert cell[1] == 8, "the end of the row: fewest covered neighbours"


def test_random_choice_is_uniform(getkey):
    cells = jnp.asarray(bitboard.pack(np.arange(80).reshape(2, 40) % 7 == 3))
    size, draws = int(bitboard.count(cells)), 11_000
    picks = jax.vmap(lambda key: any_of(cells, key))(jax.random.split(getkey(), draws))
    flat = np.stack([bitboard.unpack(pick, 40) for pick in np.asarray(picks)])
    counts = flat.sum(0)[np.asarray(bitboard.unpack(cells, 40))]
    assert size == 11
    assert counts.sum() == draws
    assert ((counts - 1000.0) ** 2 / 1000.0).sum() < 29.6, "99.9 %, 10 degrees of freedom"
