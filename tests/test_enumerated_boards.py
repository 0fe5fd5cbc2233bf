"""Every layout of small boards, played by every player: nobody wins more than the best play does.

A player that draws lots may be lucky in a single game. Here it has the same key for the same move
in all layouts, so that what it opens is a function of what it sees; and no such function wins more
layouts than the best one.
"""

import itertools
from collections import Counter
from functools import cache, partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.rules import bitboard
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import Level
from jaxsweep.scalar.small_boards import after_first
from jaxsweep.simulation import episode
from jaxsweep.simulation.episode import OpeningArrays, Stage
from jaxsweep.strategies import STRATEGIES, Rules
from jaxsweep.strategies.least_risk import LeastRisk

BOARDS = [
    (level, first)
    for level in (Level(3, 3, 2), Level(3, 3, 3), Level(4, 4, 3), Level(4, 4, 4))
    for first in ((0, 0), (0, 1))
]
ROWS = 9
"""Of the container that holds all boards: they share its kernels, and those of other tests."""
AT_ONCE = 64
"""Positions that a player sees at once."""
PLAYERS = [name for name in STRATEGIES if name not in ("edges", "tilesets", "bitmask", "sampling")]
"""All but some that believe what `exact` believes, or nearly, and take long to say so."""
ALL = 1365
"""Layouts of the largest board, its first cell open."""


def games_of(level, first):
    """All layouts without a mine in the first cell, which is open; and the numbers it shows.

    With a mine in it, nothing is left to play.
    """
    opened = np.zeros((ROWS, level.cols), bool)
    opened[first] = True
    cells = np.zeros_like(opened)
    cells[: level.rows] = True
    near = np.abs(np.argwhere(cells) - first).max(1) <= 1
    chosen = np.array(list(itertools.combinations(np.nonzero(cells.reshape(-1))[0], level.mines)))
    mines = np.zeros((len(chosen), cells.size), bool)
    mines[np.arange(len(chosen))[:, None], chosen] = True
    mines = mines[~mines[:, opened.reshape(-1)][:, 0]]
    numbers = mines[:, cells.reshape(-1)][:, near].sum(1)
    whole = [np.repeat(one[None], len(mines), axis=0) for one in (cells, opened)]
    packed = [bitboard.pack_batch(one) for one in (*whole, mines.reshape(-1, *cells.shape))]
    return packed, np.full(len(mines), level.mines, np.int32), numbers


@cache
def every_game():
    """The games of all boards in one batch; and each one's board, first cell and number."""
    boards = [games_of(*board) for board in BOARDS]
    cells, opened, mines = (
        jnp.asarray(np.concatenate(x, axis=-1))
        for x in zip(*(packed for packed, _, _ in boards), strict=True)
    )
    counts = jnp.asarray(np.concatenate([counts for _, counts, _ in boards]))
    nowhere = jnp.zeros_like(counts)
    table = OpeningArrays(cells=cells, allowed_mines=cells, mines=counts, row=nowhere, col=nowhere)
    one = jax.tree.map(lambda leaf: leaf[..., 0], table)
    like = jax.eval_shape(partial(episode.deal, one), np.uint32(0), np.uint32(0))
    games = jax.tree.map(lambda leaf: jnp.zeros((*leaf.shape, len(counts)), leaf.dtype), like)
    games = eqx.tree_at(lambda x: (x.opened, x.mines), games, (opened, mines))
    names = [
        (*board, int(number))
        for board, (_, _, numbers) in zip(BOARDS, boards, strict=True)
        for number in numbers
    ]
    return table, games, names


@partial(jax.jit, static_argnums=0)
def until_stuck(rules, table, games):
    """Every look of the player's at the board, until it has to guess or the game is over."""

    def step(games):
        after = episode.select(
            games.stage == Stage.SINGLE,
            episode.play_single_round(table, rules, games).episode,
            games,
        )
        if rules < Rules.PAIR:
            return after
        return episode.select(
            games.stage == Stage.PAIR, episode.play_pair_round(table, games).episode, after
        )

    stuck = jax.lax.while_loop(lambda g: jnp.any(g.stage < Stage.GUESS), step, games)
    return stuck, episode.view(table, stuck)


@jax.jit
def after_guess(games, moves):
    return episode.select(games.stage == Stage.GUESS, episode.apply_move(games, moves), games)


def guess(player, positions, stuck, key):
    """The player's moves: one and the same wherever it sees the same."""
    leaves = [np.atleast_2d(leaf).reshape(-1, len(stuck)) for leaf in jax.tree.leaves(positions)]
    looks = np.concatenate([leaf.astype(np.int64) for leaf in leaves]).T
    _, which, same = np.unique(looks[stuck], axis=0, return_index=True, return_inverse=True)
    which, keys = np.nonzero(stuck)[0][which], jnp.broadcast_to(key, AT_ONCE)
    parts = []
    for start in range(0, len(which), AT_ONCE):
        some = which[np.minimum(np.arange(start, start + AT_ONCE), len(which) - 1)]
        seen = jax.tree.map(lambda leaf, some=some: jnp.asarray(leaf[..., some]), positions)
        parts.append(jax.device_get(player.guess(seen, keys)))
    moves = jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=-1), *parts)
    each = np.zeros(len(stuck), int)
    each[stuck] = same.reshape(-1)
    return jax.tree.map(lambda leaf: leaf[..., each], moves)


def play(player):
    """How many layouts the player wins, by board, first cell and the number it shows."""
    table, games, names = every_game()
    for move in itertools.count():
        games, positions = until_stuck(player.rules, table, games)
        stuck = np.asarray(games.stage) == Stage.GUESS
        if not stuck.any():
            break
        key = jax.random.fold_in(jax.random.key(8), move)
        moves = guess(player, jax.device_get(positions), stuck, key)
        games = after_guess(games, jax.tree.map(jnp.asarray, moves))
    won = np.asarray(episode.status(table, games)) == GameStatus.WON
    return Counter(name for name, one in zip(names, won, strict=True) if one)


@cache
def best_play():
    """As `play`, for the best play there is."""
    return Counter(
        {
            (level, first, number): search.max_wins()
            for level, first in BOARDS
            for number, search in after_first(level, first).items()
        }
    )


@pytest.mark.parametrize("name", PLAYERS)
def test_no_player_wins_more_than_the_best_play(name):
    won = play(STRATEGIES[name])
    assert won <= best_play()
    assert won.total() > 0


def test_the_search_from_the_first_cell_on_wins_as_much():
    assert play(LeastRisk(endgame_layouts=ALL)) == best_play()


def test_the_best_play_wins_what_is_known():
    won = best_play()
    corner, beside = ((Level(4, 4, 4), first) for first in ((0, 0), (0, 1)))
    assert won[*corner, 0] == 417
    assert sum(count for (*board, _), count in won.items() if tuple(board) == beside) == 961
