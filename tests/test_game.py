import itertools
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.rules import bitboard, game
from jaxsweep.rules.game import Game, GameStatus
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.randomness import words_of_cells
from jaxsweep.simulation.episode import OpeningArrays
from tests.oracle import PlainGame

BOARDS = 200_000
CHUNK = 20_000


@jax.jit
def deal_many(arrays, seed, numbers):
    def one(number):
        dealt = game.deal_game(seed, number, arrays.cells, arrays.allowed_mines, arrays.mines)
        return dealt.mines

    return jax.vmap(one, in_axes=-1, out_axes=-1)(numbers)


def test_words_of_cells_are_those_of_jax():
    keys = jax.random.split(jax.random.key(11), 7)
    words = np.asarray(words_of_cells(keys, 512))
    assert (words[:, 3] == np.asarray(words_of_cells(keys[3], 512))).all()
    for index, key in enumerate(keys):
        assert (words[:, index] == np.asarray(jax.random.bits(key, (512,), jnp.uint32))).all()


@pytest.mark.parametrize("start", list(Start))
def test_deals_are_exact_allowed_and_uniform(start):
    opening = Opening.of(LEVELS["expert"], start)
    arrays = OpeningArrays.of(opening)
    allowed_mines = opening.allowed_mines()
    hits = np.zeros((16, 30), int)
    for first in range(0, BOARDS, CHUNK):
        numbers = np.arange(first, first + CHUNK, dtype=np.uint32)
        mines = np.asarray(deal_many(arrays, np.uint32(7), numbers))
        assert (np.bitwise_count(mines).sum((0, 1)) == 99).all()
        assert not (mines & ~np.asarray(bitboard.pack(allowed_mines))[..., None]).any()
        for col in range(30):
            hits[:, col] += ((mines[:, 0] >> np.uint32(col)) & 1).sum(-1, dtype=int)
    chance = 99 / allowed_mines.sum()
    sigma = math.sqrt(BOARDS * chance * (1 - chance))
    assert (np.abs(hits[allowed_mines] - BOARDS * chance) < 5 * sigma).all()


@pytest.mark.smoke
def test_all_layouts_of_a_tiny_board_are_equally_frequent():
    arrays = OpeningArrays.of(Opening.of(Level(3, 3, 2), Start.ANY))
    boards = 36_000
    mines = np.asarray(deal_many(arrays, np.uint32(1), np.arange(boards, dtype=np.uint32)))
    grids = np.stack([(mines[:, 0] >> np.uint32(c)) & 1 for c in range(3)], axis=1)
    codes = np.tensordot(1 << np.arange(9), grids.reshape(9, -1), axes=1)
    expected = {sum(1 << i for i in pair) for pair in itertools.combinations(range(9), 2)}
    seen, counts = np.unique(codes, return_counts=True)
    assert set(seen.tolist()) == expected
    chi_square = ((counts - 1000.0) ** 2 / 1000.0).sum()
    assert chi_square < 66.6, "99.9 % of the distribution with 35 degrees of freedom"


def test_the_same_number_is_the_same_deal_in_any_batch():
    arrays = OpeningArrays.of(Opening.of(LEVELS["expert"]))
    numbers = np.arange(256, dtype=np.uint32)
    whole = np.asarray(deal_many(arrays, np.uint32(3), numbers))
    halves = [deal_many(arrays, np.uint32(3), part) for part in (numbers[:128], numbers[128:])]
    np.testing.assert_array_equal(whole, np.concatenate([np.asarray(h) for h in halves], axis=-1))
    np.testing.assert_array_equal(
        whole[..., 100:107], deal_many(arrays, np.uint32(3), numbers[100:107])
    )
    np.testing.assert_array_equal(whole[..., 9:10], deal_many(arrays, np.uint32(3), numbers[9:10]))
    assert (whole != np.asarray(deal_many(arrays, np.uint32(4), numbers))).any()


CONTAINER = (40, 3)


def hidden_game(cells, mines):
    nothing = jnp.zeros_like(cells)
    return Game(cells=cells, mines=mines, opened=nothing, flags=nothing)


@jax.jit
def act(games, kinds, cells):
    def one(now, kind, which):
        return jax.lax.switch(kind, [game.open_cells, game.flag, game.chord], now, which)

    after = jax.vmap(one, in_axes=-1, out_axes=-1)(games, kinds, cells)
    looks = jax.vmap(lambda g: (game.view(g), game.status(g)), in_axes=-1, out_axes=-1)
    return after, *looks(after)


def set_of(bits, index):
    grid = bitboard.unpack(np.asarray(bits[..., index]), CONTAINER[1] * 32)
    return {(int(r), int(c)) for r, c in np.argwhere(grid)}


def test_play_equals_a_plain_game_move_by_move():
    """1,000 games of every size up to 40×70 and every density, in one container."""
    rng, games = np.random.default_rng(11), 1000
    plain, cells, mines = [], [], []
    for i in range(games):
        rows, cols = (1, 1) if i < 4 else (int(rng.integers(1, 41)), int(rng.integers(1, 71)))
        # Half of the boards are as sparse as those people play, where floods are long.
        most = rows * cols if i % 2 else rows * cols // 5
        layout = np.zeros(rows * cols, bool)
        layout[: int(rng.integers(0, most + 1))] = True
        layout = rng.permutation(layout).reshape(rows, cols)
        plain.append(PlainGame(rows, cols, {(int(r), int(c)) for r, c in np.argwhere(layout)}))
        cells.append(bitboard.rectangle(rows, cols, CONTAINER))
        wide = np.zeros((CONTAINER[0], CONTAINER[1] * 32), bool)
        wide[:rows, :cols] = layout
        mines.append(bitboard.pack(wide))
    stacked = [jnp.asarray(np.stack(masks, axis=-1)) for masks in (cells, mines)]
    now = jax.vmap(hidden_game, in_axes=-1, out_axes=-1)(*stacked)

    statuses = {"playing": GameStatus.PLAYING, "won": GameStatus.WON, "lost": GameStatus.LOST}
    ends = set()
    for _ in range(8):
        kinds = rng.integers(0, 3, games)
        asked = np.zeros((*CONTAINER, games), np.uint32)
        for i, board in enumerate(plain):
            if kinds[i] == 0:
                choice = [int(x) for x in rng.integers(0, board.rows * board.cols, 2)]
                chosen = {divmod(x, board.cols) for x in choice}
                if rng.random() < 0.7:  # Else most games would be over at once.
                    chosen -= board.mines
            elif kinds[i] == 1:
                chosen = {cell for cell in board.mines if rng.random() < 0.6}
                chosen |= {(0, int(rng.integers(board.cols)))}
            else:
                chosen = {cell for cell in board.opened if rng.random() < 0.5}
            wide = np.zeros((CONTAINER[0], CONTAINER[1] * 32), bool)
            for cell in chosen:
                wide[cell] = True
            asked[..., i] = bitboard.pack(wide)
            [board.open, board.flag, board.chord][kinds[i]](chosen)
        now, seen, standing = act(now, jnp.asarray(kinds, jnp.int32), jnp.asarray(asked))
        host = jax.device_get((now, seen, standing))
        for i, board in enumerate(plain):
            assert set_of(host[0].opened, i) == board.opened
            assert set_of(host[0].flags, i) == board.flags
            assert host[2][i] == statuses[board.status]
            shown = board.opened - board.mines
            planes = np.stack(host[1].numbers)[..., i]
            numbers = bitboard.numbers_from_planes(planes, CONTAINER[1] * 32)
            assert all(numbers[cell] == board.number(cell) for cell in shown)
            assert numbers.astype(int).sum() == sum(board.number(cell) for cell in shown)
            ends.add(board.status)
    assert ends == {"playing", "won", "lost"}, "the games must reach every end to test anything"


def tiny(mines, rows=3, cols=3):
    grid = np.zeros((rows, cols), bool)
    for cell in mines:
        grid[cell] = True
    board = bitboard.rectangle(rows, cols)
    return hidden_game(jnp.asarray(board), jnp.asarray(bitboard.pack(grid)))


def at(now, *cells):
    parts = [bitboard.single(jnp.int32(r), jnp.int32(c), now.cells) for r, c in cells]
    return jax.tree.reduce(jnp.bitwise_or, parts)


def test_a_flag_protects_its_cell():
    now = tiny([(2, 2)])
    now = game.flag(now, at(now, (0, 1)))
    assert not int(bitboard.count(game.open_cells(now, at(now, (0, 1))).opened))
    flooded = game.open_cells(now, at(now, (0, 0)))
    assert int(bitboard.count(flooded.opened)) == 5, "the flag also stops the flood"
    assert game.status(flooded) == GameStatus.PLAYING
    freed = game.flag(flooded, at(now, (0, 1)))
    assert game.status(game.open_cells(freed, at(now, (0, 1)))) == GameStatus.WON


@pytest.mark.smoke
def test_a_wrong_chord_loses_and_a_right_one_wins():
    now = tiny([(0, 0)])
    now = game.open_cells(now, at(now, (1, 1)))
    right = game.flag(now, at(now, (0, 0)))
    assert game.status(game.chord(right, at(now, (1, 1)))) == GameStatus.WON
    wrong = game.flag(now, at(now, (0, 1)))
    assert game.status(game.chord(wrong, at(now, (1, 1)))) == GameStatus.LOST
    unmet = game.chord(now, at(now, (1, 1)))
    assert eqx.tree_equal(unmet, now), "no flags, no chord"


def test_a_finished_game_stays_as_it_is():
    lost = tiny([(0, 0), (2, 2)])
    lost = game.open_cells(lost, at(lost, (0, 0)))
    assert game.status(lost) == GameStatus.LOST
    assert eqx.tree_equal(game.open_cells(lost, at(lost, (1, 1))), lost)
    assert eqx.tree_equal(game.flag(lost, at(lost, (1, 1))), lost)


def test_a_board_without_safe_cells_is_won_from_the_start():
    assert game.status(tiny([(0, 0)], rows=1, cols=1)) == GameStatus.WON


def test_the_view_hides_the_mine_that_ended_the_game():
    lost = tiny([(0, 0)])
    lost = game.open_cells(lost, at(lost, (0, 0)))
    assert int(bitboard.count(game.view(lost).hidden)) == 9
