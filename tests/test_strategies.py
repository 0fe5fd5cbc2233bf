"""One conformance test for every player, and what each of them promises."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import vmap_last
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.position import from_text
from jaxsweep.rules.randomness import random_words
from jaxsweep.simulation import episode
from jaxsweep.simulation.episode import OpeningArrays, Stage
from jaxsweep.strategies import BEST, STRATEGIES, UNKNOWN_RISK, Readiness, Reason, Rules
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.random import random_cell

SEED = np.uint32(4)
GAMES = 64
OPENING = OpeningArrays.of(Opening.of(LEVELS["beginner"]))

players = pytest.mark.parametrize("name", STRATEGIES)

infer_on_device = jax.jit(LeastRisk.infer_on_device)


@jax.jit
def deal():
    return vmap_last(partial(episode.deal, OPENING, SEED))(jnp.arange(GAMES, dtype=jnp.uint32))


@partial(jax.jit, static_argnums=0)
def until_stuck(rules, games):
    """Every look of the player's at the board, until it has to guess or the game is over."""

    def step(game):
        swept = episode.play_single_round(OPENING, rules, game).episode
        paired = episode.play_pair_round(OPENING, game).episode
        chosen = jax.tree.map(partial(jnp.where, game.stage == Stage.SINGLE), swept, paired)
        return jax.tree.map(partial(jnp.where, game.stage < Stage.GUESS), chosen, game)

    return jax.lax.while_loop(lambda g: jnp.any(g.stage < Stage.GUESS), vmap_last(step), games)


@jax.jit
def look(games):
    positions = vmap_last(partial(episode.view, OPENING))(games)
    return positions, vmap_last(partial(episode.key_for, seed=SEED))(games)


move_all = jax.jit(vmap_last(episode.apply_move))


def walk(name, rounds=5):
    """Batches of beginner games stuck, with each of the player's guesses, and after it."""
    strategy, games = STRATEGIES[name], deal()
    for _ in range(rounds):
        games = until_stuck(strategy.rules, games)
        positions, keys = look(games)
        moves = strategy.guess(positions, keys)
        after = move_all(games, moves)
        yield jax.device_get((games, after, positions, moves))
        games = jax.tree.map(partial(jnp.where, games.stage == Stage.GUESS), after, games)


@players
def test_every_guess_opens_hidden_cells_and_tells_why(name):
    guesses = 0
    for before, _, positions, moves in walk(name):
        stuck = before.stage == Stage.GUESS
        asked = np.bitwise_count(moves.opens).sum((0, 1))
        assert (asked[stuck] >= 1).all()
        assert not (moves.opens & ~positions.hidden)[..., stuck].any()
        assert {Reason(int(r)) for r in moves.reason[stuck]} <= set(Reason)
        known = (moves.risk >= 0) & (moves.risk <= 1)
        assert (known | (moves.risk == UNKNOWN_RISK)).all()
        guesses += int(stuck.sum())
    assert guesses >= GAMES // 4


@players
def test_what_a_player_calls_certain_is_true(name):
    for before, after, _, moves in walk(name):
        stuck = before.stage == Stage.GUESS
        assert not before.wrong_certainties.any()
        assert not after.wrong_certainties[stuck].any()
        assert not (before.known_mines & ~before.mines).any()
        assert not (moves.flags & ~before.mines)[..., stuck].any()


@players
def test_a_move_depends_on_the_position_and_the_key_alone(name):
    strategy = STRATEGIES[name]
    *_, (games, _, positions, first) = walk(name, rounds=1)
    _, keys = look(games)
    again = strategy.guess(positions, keys)
    jax.tree.map(np.testing.assert_array_equal, first, again)
    mixed = np.arange(GAMES)[::-1].copy()
    back = strategy.guess(jax.tree.map(lambda leaf: leaf[..., mixed], positions), keys[mixed])
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a[..., mixed], b), first, back)


@pytest.mark.parametrize(
    "name", ["linear", "random", "knowledge", "exact", "exact-random-ties", "endgame"]
)
def test_a_guess_on_the_device_is_the_guess_on_the_host(name):
    """Look-ahead, which takes a minute to compile, is compared in `test_fifty_fifty`."""
    strategy, compared = STRATEGIES[name], 0
    guess = jax.jit(strategy.guess_on_device)
    if isinstance(strategy, LeastRisk):
        # As `guess_on_device`, but players share one program of the engine.
        decide = jax.jit(strategy.decide_on_device)

        def guess(positions, keys):
            return decide(positions, infer_on_device(positions), keys)

    for games, _, positions, moves in walk(name, rounds=3):
        found, ready = jax.device_get(guess(positions, look(games)[1]))
        ok = (games.stage == Stage.GUESS) & (ready == Readiness.READY)
        np.testing.assert_array_equal(found.opens[..., ok], moves.opens[..., ok])
        np.testing.assert_array_equal(found.reason[ok], moves.reason[ok])
        np.testing.assert_allclose(found.risk[ok], moves.risk[ok], atol=1e-5)
        compared += int(ok.sum())
    assert compared > GAMES // 4


@pytest.mark.parametrize("rules", Rules)
def test_every_look_at_the_board_lowers_for_every_platform(rules):
    def play(number):
        game = episode.deal(OPENING, SEED, number)
        single = episode.play_single_round(OPENING, rules, game).episode
        return episode.play_pair_round(OPENING, single).episode

    exported = jax.export.export(jax.jit(play), platforms=("cpu", "cuda", "tpu"))(
        jax.ShapeDtypeStruct((), jnp.uint32)
    )
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}


def test_a_game_ends_as_its_status_says():
    games = until_stuck(Rules.PAIR, deal())
    status = np.asarray(jax.jit(vmap_last(partial(episode.status, OPENING)))(games))
    assert ((np.asarray(games.stage) == Stage.OVER) == (status != GameStatus.PLAYING)).all()


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
    size, many = int(bitboard.count(cells)), 11_000
    batch = jnp.broadcast_to(cells[..., None], (*cells.shape, many))
    picks = random_cell(batch, random_words(jax.random.split(getkey(), many)))
    counts = bitboard.unpack_batch(picks).sum(0)[:, :40][np.asarray(bitboard.unpack(cells, 40))]
    assert size == 11
    assert counts.sum() == many
    assert ((counts - 1000.0) ** 2 / 1000.0).sum() < 29.6, "99.9 %, 10 degrees of freedom"
