import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxsweep.rules import arrays, bitboard

SHAPES = [(1, 1), (1, 40), (5, 31), (4, 32), (7, 33), (3, 70), (40, 96)]


def random_grid(shape, density=0.4):
    return np.random.default_rng(sum(shape)).random(shape) < density


def moved(grid, down, right):
    """`grid` moved by whole cells, zeros following."""
    rows, cols = grid.shape
    wide = np.pad(grid, 40)
    return wide[40 - down : 40 - down + rows, 40 - right : 40 - right + cols]


@given(st.integers(1, 5), st.integers(1, 100), st.randoms(use_true_random=False))
def test_packing_and_unpacking_are_inverse(rows, cols, random):
    grid = np.array([[random.random() < 0.5 for _ in range(cols)] for _ in range(rows)])
    bits = bitboard.pack(grid)
    assert bits.dtype == np.uint32
    assert bits.shape == (rows, bitboard.words_for(cols))
    np.testing.assert_array_equal(bitboard.unpack(bits, cols), grid)


def test_jax_packs_as_numpy_does():
    grid = random_grid((7, 33))
    bits = bitboard.pack(jnp.asarray(grid))
    assert isinstance(bits, jax.Array)
    np.testing.assert_array_equal(bits, bitboard.pack(grid))
    np.testing.assert_array_equal(bitboard.unpack(bits, 33), grid)


@pytest.mark.parametrize("shape", SHAPES)
def test_cells_spread_over_bytes_are_numbers(shape):
    low, high = random_grid(shape), random_grid(shape, 0.7)
    spread = [bitboard.spread(jnp.asarray(bitboard.pack(grid))) for grid in (low, high)]
    got = bitboard.from_spread(spread[0] | (spread[1] * jnp.uint32(0xFF) ^ spread[1]), shape[1])
    assert got.dtype == np.int8
    np.testing.assert_array_equal(got, low - 2 * high.astype(np.int8))


def test_the_lowest_bit_is_the_first_column():
    grid = np.zeros((1, 34), bool)
    grid[0, [0, 31, 33]] = True
    np.testing.assert_array_equal(bitboard.pack(grid), [[0x80000001, 0b10]])


@pytest.mark.parametrize("shape", SHAPES)
def test_shift_moves_every_cell(shape):
    grid = random_grid(shape)
    bits = jnp.asarray(bitboard.pack(grid))
    for down in (-2, -1, 0, 1, 2):
        for right in (-31, -2, -1, 0, 1, 2, 31):
            got = bitboard.unpack(bitboard.shift(bits, down, right), shape[1])
            np.testing.assert_array_equal(got, moved(grid, down, right), f"{down}, {right}")


@pytest.mark.parametrize("shape", SHAPES)
def test_counts_and_dilation_see_the_eight_neighbours(shape):
    grid = random_grid(shape)
    bits = jnp.asarray(bitboard.pack(grid))
    offsets = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
    expected = sum(moved(grid, *offset).astype(int) for offset in offsets)
    planes = np.stack(bitboard.neighbour_counts(bits))
    np.testing.assert_array_equal(bitboard.numbers_from_planes(planes, shape[1]), expected)
    dilated = bitboard.unpack(bitboard.dilate(bits), shape[1])
    np.testing.assert_array_equal(dilated, grid | (expected > 0))


def test_counts_reach_eight():
    bits = jnp.asarray(bitboard.rectangle(3, 3))
    planes = np.stack(bitboard.neighbour_counts(bits))
    numbers = bitboard.numbers_from_planes(planes, 3)
    np.testing.assert_array_equal(numbers, [[3, 5, 3], [5, 8, 5], [3, 5, 3]])
    np.testing.assert_array_equal(bitboard.planes_from_numbers(np.asarray(numbers)), planes & 7)


def test_equal_compares_whole_numbers():
    a = np.arange(81).reshape(9, 9) // 9
    b = a.T
    a0, a1, a2, a3 = jnp.asarray(bitboard.planes_from_numbers(a))
    b0, b1, b2, b3 = jnp.asarray(bitboard.planes_from_numbers(b))
    same = bitboard.unpack(bitboard.equal((a0, a1, a2, a3), (b0, b1, b2, b3)), 9)
    np.testing.assert_array_equal(same, np.eye(9, dtype=bool))


@pytest.mark.parametrize("shape", SHAPES)
def test_count_and_nth_agree_with_reading_order(shape):
    grid = random_grid(shape)
    bits = jnp.asarray(bitboard.pack(grid))
    assert int(bitboard.count(bits)) == grid.sum()
    assert bool(bitboard.any_set(bits)) == grid.any()
    nth = jax.jit(jax.vmap(bitboard.nth, in_axes=(None, 0), out_axes=-1))
    picks = np.asarray(nth(bits, jnp.arange(grid.sum() + 1, dtype=jnp.int32)))
    for rank, cell in enumerate(np.argwhere(grid)):
        found = np.argwhere(bitboard.unpack(picks[..., rank], shape[1]))
        np.testing.assert_array_equal(found, [cell])
    assert not picks[..., -1].any(), "one past the last is no cell"


def test_single_is_one_cell():
    board = jnp.asarray(bitboard.rectangle(4, 70))
    for row, col in [(0, 0), (3, 69), (2, 31), (1, 32)]:
        bits = bitboard.single(jnp.int32(row), jnp.int32(col), board)
        np.testing.assert_array_equal(np.argwhere(bitboard.unpack(bits, 70)), [[row, col]])


@pytest.mark.parametrize(
    "function",
    [
        bitboard.neighbour_counts,
        bitboard.dilate,
        bitboard.count,
        bitboard.any_set,
        lambda bits: bitboard.shift(bits, -1, 2),
        lambda bits: bitboard.nth(bits, bitboard.count(bits) // 2),
        lambda bits: bitboard.pack(bitboard.unpack(bits, 37)),
    ],
)
def test_batch_last_equals_one_board_at_a_time(function):
    grids = np.random.default_rng(1).random((5, 6, 40)) < 0.3
    boards = jnp.stack([jnp.asarray(bitboard.pack(grid)) for grid in grids], axis=-1)
    together = jax.tree.leaves(function(boards))
    in_vmap = jax.tree.leaves(jax.vmap(function, in_axes=-1, out_axes=-1)(boards))
    for i in range(5):
        alone = jax.tree.leaves(function(boards[..., i]))
        for batch in (together, in_vmap):
            for one, many in zip(alone, batch, strict=True):
                np.testing.assert_array_equal(many[..., i], one)


@pytest.mark.parametrize(("many", "size"), [(1, 1), (33, 8), (100, 64), (64, 100)])
def test_compaction_lists_the_first_set_flags(many, size):
    flags = random_grid((1, many))[0]
    index, valid = arrays.compact(jnp.asarray(flags), size)
    first = np.nonzero(flags)[0][:size]
    assert index[valid].tolist() == first.tolist()
    assert int(valid.sum()) == len(first)
    assert not index[~valid].any()
