"""Pairs that come to a toss: against all layouts of small boards, and what a player makes of it."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.engines.device_beliefs import to_device
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import Level, Opening
from jaxsweep.rules.position import from_text, to_grid, to_grid_position
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import Readiness, Reason
from jaxsweep.strategies.fifty_fifty import CLOSE, MIN_LOSS, PAIRS, FiftyFifties
from jaxsweep.strategies.lookahead import Lookahead

from .oracle import layouts

LEVEL = Level(4, 5, 6)


def asked(position):
    """The possible 50/50s of a batch of positions, before and after the host engine was asked."""
    beliefs = to_device(infer(position))
    pairs = FiftyFifties.of(position, beliefs, jnp.ones_like(beliefs.status, bool))
    every = jnp.arange(pairs.pending.size, dtype=jnp.int32)
    there = pairs.pending.reshape(-1)
    found = to_device(
        infer(pairs.conditioned(position, jnp.asarray(bitboard.pack(beliefs.mines)), every, there))
    )
    return pairs, pairs.updated(every, there, found, beliefs.log_layouts)


def ring(cell):
    near = itertools.product((-1, 0, 1), (-1, 0, 1))
    return {(cell[0] + r, cell[1] + c) for r, c in near} - {cell}


def tells(first, second):
    """The cells of the board beside one of the two alone."""
    board = set(itertools.product(range(LEVEL.rows), range(LEVEL.cols)))
    return ((ring(first) ^ ring(second)) - {first, second}) & board


def pairs_of(pairs, positions):
    """The grid, the two cells and the place of each pair that is to be asked about."""
    for place in zip(*np.nonzero(pairs.pending), strict=True):
        grid = to_grid(jax.tree.map(lambda leaf, i=place[1]: leaf[..., i], positions))
        row, col, down = (int(x[place]) for x in (pairs.row, pairs.col, pairs.below))
        yield grid, ((row, col), (row + down, col + 1 - down)), place


@pytest.fixture(scope="module")
def positions():
    return stuck_positions(Opening.of(LEVEL), 3, 64)


def test_a_lost_toss_is_no_likelier_than_told(positions):
    """Among all layouts: those in which all that could tell are mines, and the first of two is."""
    before, after = jax.device_get(asked(positions))
    certain = 0
    for grid, pair, place in pairs_of(before, positions):
        assert all(grid[cell] < 0 for cell in pair)
        every = layouts(grid, LEVEL.mines)
        closed = [layout for layout in every if tells(*pair) <= layout]
        alone = [sum(set(pair) & layout == {cell} for layout in closed) for cell in pair]
        lost = after.loss[place]
        assert lost >= min(alone) / len(every) - 1e-5
        if sum(alone) == len(closed):
            assert lost == pytest.approx(min(alone) / len(every), abs=1e-5)
            certain += min(alone) > 0
    assert certain > 4
    assert not after.pending.any()


def test_the_likeliest_pairs_are_asked_about(positions):
    """By the chance that all cells around would be mines, as if cells were independent."""
    before, _ = jax.device_get(asked(positions))
    chances = np.asarray(infer(positions).mine_probability)
    found = {game: set() for game in range(64)}
    for _, pair, (_, game) in pairs_of(before, positions):
        found[game].add(pair)
    board = sorted(itertools.product(range(LEVEL.rows), range(LEVEL.cols)))
    ways = set()
    for game, own in found.items():
        grid = to_grid(jax.tree.map(lambda leaf, i=game: leaf[..., i], positions))
        hidden = {cell for cell in board if grid[cell] < 0}
        expected = {}
        for (row, col), (down, right) in itertools.product(board, ((0, 1), (1, 0))):
            pair = ((row, col), (row + down, col + right))
            if hidden >= set(pair):
                doubt = min(min(p, 1 - p) for p in (chances[(game, *cell)] for cell in pair))
                mined = [chances[(game, *c)] if c in hidden else 0.0 for c in tells(*pair)]
                expected[pair] = doubt * float(np.prod(mined))
        likely = {pair: chance for pair, chance in expected.items() if chance >= MIN_LOSS}
        assert own <= likely.keys()
        assert len(own) == min(len(likely), PAIRS)
        asked_about, others = (
            [likely[pair] for pair in likely if (pair in own) == inside] for inside in (True, False)
        )
        assert min(asked_about, default=1.0) >= max(others, default=0.0) - 2 * CLOSE
        ways |= {second[0] - first[0] for first, second in own}
    assert ways == {0, 1}


def test_the_device_sees_the_same_pairs(positions):
    player, keys = Lookahead(endgame_layouts=0), jax.random.split(jax.random.key(0), 64)
    on_host = jax.device_get(player.guess(positions, keys))
    move, ready = jax.device_get(jax.jit(player.guess_on_device)(positions, keys))
    looked = (move.reason == Reason.LOOKAHEAD) & (ready == Readiness.READY)
    before, _ = asked(positions)
    assert (looked & np.asarray(before.pending).any(0)).sum() > 20
    np.testing.assert_array_equal(move.opens[..., looked], on_host.opens[..., looked])


def test_opening_a_cell_of_a_pair_gets_the_forced_guess_factor(positions):
    _, updated = asked(positions)
    bonus, after, cells = jax.device_get(
        (updated.forced_guess_factor(4, 32), updated, updated.cells)
    )
    kept = np.prod(1 - after.loss, axis=0)
    for pair, game in zip(*np.nonzero(after.loss > 0), strict=True):
        row, col, down = (int(x[pair, game]) for x in (after.row, after.col, after.below))
        for cell in ((row, col), (row + down, col + 1 - down)):
            own = [
                1 - after.loss[other, game]
                for other in range(len(after.loss))
                if any(cell == (int(r[other, game]), int(c[other, game])) for r, c in cells)
            ]
            expected = kept[game] / np.prod(own)
            assert bonus[(*cell, game)] == pytest.approx(expected, rel=1e-5)
    assert bonus[0, 31] == pytest.approx(kept, rel=1e-5)
    assert (after.loss > 0).sum() > 10


# The corner's last two cells are closed in by two mines; the 1 and the 3 above see both of them.
TOSS = from_text(
    """8x8x12
HHHHHHHH
HHHHHHHH
HHHHHHHH
HHHHHHHH
HHHHHHHH
133HHHHH
13HHHHHH
HHHHHHHH
"""
)


def test_a_certain_toss_is_taken_at_once():
    """One of the two has to be opened by luck some day: what it shows may help before."""
    beliefs = infer(TOSS)
    pair = [(7, 0), (7, 1)]
    assert [float(beliefs.mine_probability[cell]) for cell in pair] == pytest.approx([0.5, 0.5])
    safest = float(beliefs.mine_probability[:8, :8][to_grid(TOSS) < 0].min())
    assert safest < 0.4
    advice = Lookahead(endgame_layouts=0).advise(to_grid_position(TOSS), (0, 0))
    assert advice.reason == Reason.LOOKAHEAD
    assert advice.candidates[0].cell in pair
