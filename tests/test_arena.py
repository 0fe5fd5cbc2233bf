import equinox as eqx
import jax
import numpy as np
import pytest

from jaxsweep import arena
from jaxsweep.game import GameStatus
from jaxsweep.level import LEVELS, Level, Opening, Start
from jaxsweep.strategies import STRATEGIES
from jaxsweep.watch import watch

KNOWLEDGE = STRATEGIES["knowledge"]


def play(opening, games, batch, strategy=KNOWLEDGE):
    records = list(arena.play_games(strategy, opening, 9, games, batch))
    whole = jax.tree.map(lambda *leaves: np.concatenate(leaves), *records)
    order = np.argsort(whole.number)
    np.testing.assert_array_equal(whole.number[order], np.arange(games))
    return jax.tree.map(lambda leaf: leaf[order], whole)


@pytest.mark.parametrize("name", ["knowledge", "random", "exact"])
def test_records_are_the_same_in_any_batch(name):
    opening, strategy = Opening.of(LEVELS["beginner"]), STRATEGIES[name]
    whole = play(opening, 256, 256, strategy)
    for batch in (7, 128):
        assert eqx.tree_equal(play(opening, 256, batch, strategy), whole)
    assert eqx.tree_equal(
        play(opening, 20, 1, strategy), jax.tree.map(lambda leaf: leaf[:20], whole)
    )


@pytest.mark.parametrize("name", ["knowledge", "exact"])
def test_a_watched_game_is_the_same_game(name):
    opening = Opening.of(LEVELS["beginner"])
    record = play(opening, 1, 1, STRATEGIES[name])
    steps = list(watch(STRATEGIES[name], opening, 9))
    assert record.won[0] == (steps[-1].status is GameStatus.WON)
    assert record.clicks[0] == sum(len(step.cells) for step in steps)
    assert record.guesses[0] == sum(step.reason.is_guess for step in steps)
    assert record.rounds[0] == len(steps) - 1
    assert record.opened[0] == (steps[-1].grid >= 0).sum()


def test_records_hang_together():
    level = LEVELS["beginner"]
    record = play(Opening.of(level, Start.ZERO), 256, 256)
    safe = level.cells - level.mines
    assert (record.won == (record.opened == safe)).all()
    assert 0 < record.won.sum() < 256
    assert (record.guesses <= record.rounds).all()
    assert (record.clicks >= record.rounds + 1).all()
    assert record.won[record.guesses == 0].all(), "who never guesses never loses"


def test_linear_only_wins_what_wins_itself():
    full = Opening.of(Level(4, 4, 0))
    assert play(full, 3, 3, STRATEGIES["linear"]).won.all()
    dense = play(Opening.of(LEVELS["expert"]), 64, 64, STRATEGIES["linear"])
    assert not dense.won.any()


def test_a_board_full_of_mines_ends():
    record = play(Opening.of(Level(2, 2, 4), Start.ANY), 2, 2)
    assert record.won.all()
    assert not record.opened.any()


def test_the_exact_player_is_never_blind_or_wrong():
    record = play(Opening.of(LEVELS["intermediate"]), 512, 256, STRATEGIES["exact"])
    assert not record.blind.any()
    assert not record.wrong.any()
    assert record.won.mean() > 0.7, "77 % are to be expected"


def test_boards_of_one_container_share_one_kernel():
    """Neither another seed, nor another level of the same container, compiles again."""
    table = arena.Table.of(Opening.of(LEVELS["intermediate"]))
    other = arena.Table.of(Opening.of(LEVELS["expert"], Start.ZERO))
    begin = jax.jit(eqx.debug.assert_max_traces(arena.begin, max_traces=1))
    first = begin(table, np.uint32(1), np.uint32(0))
    second = begin(other, np.uint32(2), np.uint32(5))
    assert int(jax.lax.population_count(first.mines).sum()) == 40
    assert int(jax.lax.population_count(second.mines).sum()) == 99
