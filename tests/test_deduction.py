import jax
import numpy as np
import pytest

from jaxsweep.rules import bitboard
from jaxsweep.rules.deduction import contradicted, deduce, single_cell
from jaxsweep.rules.position import from_grid, from_text, stack
from tests.oracle import PlainGame, pair_rules, single_cell_rules


def cells(boards, index):
    grid = bitboard.unpack_batch(np.asarray(boards))[index]
    return {(int(r), int(c)) for r, c in np.argwhere(grid)}


def scattered(count, seed):
    """Boards of many sizes with open cells here and there, as grids, mine counts and mines."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rows, cols = int(rng.integers(1, 9)), int(rng.integers(1, 40))
        mined = rng.random((rows, cols)) < rng.uniform(0.05, 0.4)
        board = PlainGame(rows, cols, {(int(r), int(c)) for r, c in np.argwhere(mined)})
        grid = np.full((rows, cols), -1, np.int8)
        for r, c in np.argwhere(~mined & (rng.random((rows, cols)) < rng.uniform(0.3, 0.95))):
            grid[r, c] = board.number((int(r), int(c)))
        yield grid, board.mines


SAMPLES = list(scattered(400, seed=3))


def test_single_and_pair_rules_equal_set_algebra():
    """The bit-parallel rules against Python sets, on boards up to two words wide."""
    # Cells that only the mine count determines are left out of the comparison.
    positions = stack([from_grid(grid, len(mines)) for grid, mines in SAMPLES])
    single, both = jax.jit(single_cell)(positions), jax.jit(deduce)(positions)
    found = 0
    for i, (grid, mines) in enumerate(SAMPLES):
        safe, mined = single_cell_rules(grid.tolist())
        assert cells(single.safe, i) == safe
        assert cells(single.mines, i) == mined
        by_count = cells(both.by_count, i)
        safe, mined = pair_rules(grid.tolist())
        assert cells(both.safe, i) - by_count == safe - by_count
        assert cells(both.mines, i) - by_count == mined - by_count
        assert cells(both.by_pair, i) <= cells(both.safe, i) | cells(both.mines, i)
        assert not cells(both.safe, i) & mines
        assert cells(both.mines, i) <= mines
        found += len(cells(both.by_pair, i))
    assert found > 200


def test_a_number_at_the_border_pairs_too():
    certain = jax.jit(deduce)(from_text("3x3x3\n1HH\n1HH\n1HH\n"))
    safe = np.asarray(bitboard.unpack(certain.safe, 3))
    np.testing.assert_array_equal(np.argwhere(safe), [[0, 1], [2, 1]])
    np.testing.assert_array_equal(certain.by_pair, certain.safe | certain.by_pair)


@pytest.mark.parametrize(
    ("text", "safe", "mines", "by_count"),
    [("5x2x1\n011HH\n01HHH\n", 4, 1, 2), ("3x2x5\nHH3\nHHH\n", 0, 5, 2)],
)
def test_the_mine_count_determines_the_cells_left(text, safe, mines, by_count):
    certain = jax.jit(deduce)(from_text(text))
    assert int(bitboard.count(certain.safe)) == safe
    assert int(bitboard.count(certain.mines)) == mines
    assert int(bitboard.count(certain.by_count)) == by_count


@pytest.mark.smoke
def test_contradictions_are_found():
    for text, count in (("2x1x1\n0H\n", 0), ("3x1x0\n2H0\n", 1), ("3x1x2\n1H2\n", 1)):
        position = from_text(text)
        wrong = contradicted(position, jax.jit(single_cell)(position))
        assert int(bitboard.count(wrong)) == count
