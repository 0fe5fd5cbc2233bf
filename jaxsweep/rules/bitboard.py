"""Grids as packed bit rows (bitboards): one bit per cell, 32 columns per word.

Word `w` of a row holds columns `32 w` to `32 w + 31`, lowest bit first. Functions take one board,
`[rows, words]`, or a batch, `[rows, words, batch]`: with the batch last, each operation is one long
vector over boards. Nothing here depends on the game.

Most functions take batches directly instead of under `jax.vmap`, because `vmap` moves the batch to
the front wherever a scalar per board is combined with its cells, and strided loops over boards are
ten times slower.

A board is a mask of cells inside a `[rows, words]` container. Bits shifted past the board's border
land outside the mask: callers apply the mask where that matters. Boards of different sizes can thus
share one container, and one compiled kernel.
"""

from functools import partial
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int8, UInt32

from jaxsweep.runtime.materialize import materialize

WORD = 32

Bits = UInt32[Array, "rows words *batch"]
"""A board, one bit per cell; or a batch of boards, batch last."""

Planes = tuple[Bits, Bits, Bits, Bits]
"""A number from 0 to 8 in every cell, as its binary digits, ones first."""

vmap_last = partial(jax.vmap, in_axes=-1, out_axes=-1)
"""`jax.vmap` with the batch last: for functions of one board, such as `game.deal`."""


def words_for(cols: int) -> int:
    """Returns the number of words in a row of `cols` cells."""
    return -(-cols // WORD)


def pack(
    grid: Bool[Array | np.ndarray, "rows cols *batch"],
) -> UInt32[Array | np.ndarray, "rows words *batch"]:
    """Packs a Boolean grid. NumPy in, NumPy out; JAX in, JAX out."""
    xp = grid.__array_namespace__()
    rows, cols, *batch = grid.shape
    words = words_for(cols)
    padded = xp.pad(grid, ((0, 0), (0, words * WORD - cols), *((0, 0) for _ in batch)))
    bits = padded.reshape(rows, words, WORD, *batch).astype(xp.uint32)
    return xp.sum(bits << _bit_indices(xp, len(batch)), axis=2, dtype=xp.uint32)


def unpack(
    bits: UInt32[Array | np.ndarray, "rows words *batch"], cols: int
) -> Bool[Array | np.ndarray, "rows cols *batch"]:
    """Unpacks the first `cols` columns into a Boolean grid: the inverse of `pack`."""
    xp = bits.__array_namespace__()
    rows, words, *batch = bits.shape
    spread = (bits[:, :, None] >> _bit_indices(xp, len(batch))) & xp.uint32(1)
    return spread.reshape(rows, words * WORD, *batch)[:, :cols] != 0


def pack_batch(
    grids: Bool[Array | np.ndarray, "batch rows cols"],
) -> UInt32[np.ndarray, "rows words batch"]:
    """Packs grids (batch first) into boards (batch last), on the host."""
    batch, rows, cols = grids.shape
    flat = np.asarray(pack(np.asarray(grids).reshape(batch * rows, cols)))
    return np.ascontiguousarray(np.moveaxis(flat.reshape(batch, rows, -1), 0, -1))


def unpack_batch(
    boards: UInt32[Array | np.ndarray, "rows words batch"],
) -> Bool[np.ndarray, "batch rows cols"]:
    """Unpacks boards (batch last) into grids (batch first) of the whole container, on the host."""
    rows, words, batch = boards.shape
    flat = np.moveaxis(np.asarray(boards), -1, 0).reshape(batch * rows, words)
    return np.asarray(unpack(flat, words * WORD)).reshape(batch, rows, words * WORD)


def rectangle(
    rows: int, cols: int, shape: tuple[int, int] | None = None
) -> UInt32[np.ndarray, "rows words"]:
    """Returns the mask of a `rows` × `cols` board in the top left of a container.

    `shape` is the container's `(rows, words)`, by default the smallest that holds the board.
    """
    height, words = shape or (rows, words_for(cols))
    grid = np.zeros((height, words * WORD), bool)
    grid[:rows, :cols] = True
    return np.asarray(pack(grid))


def single(row: Int[Array, "*batch"], col: Int[Array, "*batch"], board: Bits) -> Bits:
    """Returns the mask of one cell in the container of `board`; row and column may be traced."""
    rows, words, *_ = board.shape
    ones = (1,) * row.ndim
    row_hit = jnp.arange(rows, dtype=jnp.int32).reshape(rows, 1, *ones) == row[None, None]
    word = jnp.arange(words, dtype=jnp.int32).reshape(1, words, *ones)
    bit = jnp.uint32(1) << (col % WORD).astype(jnp.uint32)
    here = row_hit & (word == (col // WORD)[None, None])
    return jnp.where(here, bit[None, None], jnp.uint32(0))


def select(which: Bool[Array, "*batch"], these: Bits, others: Bits) -> Bits:
    """Selects boards of `these` where `which` holds, else of `others`."""
    return jnp.where(which[None, None], these, others)


def mask(which: Bool[Array, "*batch"], boards: Bits) -> Bits:
    """Keeps the boards where `which` holds and empties the others."""
    return jnp.where(which[None, None], boards, jnp.uint32(0))


def shift(bits: Bits, down: int, right: int) -> Bits:
    """Moves every cell `down` rows and `right` columns; negative values move up and left.

    `|right|` is at most 31. Bits that leave the container are lost.
    """
    return _shift_rows(_shift_cols(bits, right), down)


def dilate(bits: Bits) -> Bits:
    """Returns the cells and their eight neighbours."""
    across = bits | _shift_cols(bits, 1) | _shift_cols(bits, -1)
    return across | _shift_rows(across, 1) | _shift_rows(across, -1)


def neighbour_counts(bits: Bits) -> Planes:
    """Counts the set cells among the eight neighbours of each cell, as bit planes."""
    west, east = _shift_cols(bits, 1), _shift_cols(bits, -1)
    # Two-bit sums of three cells in a row, for the rows above and below.
    three_ones = west ^ bits ^ east
    three_twos = (west & bits) | (east & (west ^ bits))
    a_ones, b_ones = _shift_rows(three_ones, 1), _shift_rows(three_ones, -1)
    a_twos, b_twos = _shift_rows(three_twos, 1), _shift_rows(three_twos, -1)
    # A cell's own row contributes its two side neighbours only.
    ones, carry = _full_add(a_ones, b_ones, west ^ east)
    partial, fours_a = _full_add(a_twos, b_twos, west & east)
    twos, fours_b = partial ^ carry, partial & carry
    return ones, twos, fours_a ^ fours_b, fours_a & fours_b


def equal(a: Planes, b: Planes) -> Bits:
    """Returns the cells in which two numbers are equal, including those off the board (0 = 0)."""
    return ~((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]))


def numbers_from_planes(
    planes: UInt32[Array | np.ndarray, "4 rows words"], cols: int
) -> Int[Array | np.ndarray, "rows cols"]:
    """Converts bit planes to a grid of int8 numbers."""
    xp = planes.__array_namespace__()
    digits = xp.stack([unpack(planes[i], cols).astype(xp.int8) << xp.int8(i) for i in range(4)])
    return xp.sum(digits, axis=0, dtype=xp.int8)


def spread(
    bits: UInt32[Array, "rows words"],
) -> UInt32[Array, "rows quads"]:
    """Spreads every four cells over the bytes of a word, which are 0 or 1, first cell lowest.

    What is computed on such words is computed for four cells at once.
    """
    rows, words = bits.shape
    first = jnp.arange(0, WORD, 4, dtype=jnp.uint32)
    four = (bits[:, :, None] >> first[None, None]) & jnp.uint32(15)
    # Copies of the four bits, 7 apart: none overlap, and each has one of them lowest in a byte.
    copies = four * jnp.uint32(1 + (1 << 7) + (1 << 14) + (1 << 21))
    return (copies & jnp.uint32(0x01010101)).reshape(rows, words * WORD // 4)


def from_spread(bytes_of: UInt32[Array, "rows quads"], cols: int) -> Int8[Array, "rows cols"]:
    """Returns the bytes of the first `cols` cells of words like those of `spread`, as numbers."""
    rows, _ = bytes_of.shape
    # Words are computed before they are cut in pieces, not once for each piece.
    cells = jax.lax.bitcast_convert_type(materialize(bytes_of), jnp.int8)
    return cells.reshape(rows, -1)[:, :cols]


def as_floats(planes: Planes) -> Float[Array, "rows cols batch"]:
    """Converts bit planes of a batch to float32 numbers, over the whole container."""
    digits = [unpack(plane, plane.shape[1] * WORD) for plane in planes]
    return sum((jnp.where(d, 2.0**i, 0.0) for i, d in enumerate(digits)), jnp.zeros(()))


def planes_from_numbers(
    numbers: Int[Array | np.ndarray, "rows cols *batch"],
) -> UInt32[Array | np.ndarray, "4 rows words *batch"]:
    """Converts numbers from 0 to 8 to bit planes: the inverse of `numbers_from_planes`."""
    xp = numbers.__array_namespace__()
    return xp.stack([pack((numbers >> i) % 2 == 1) for i in range(4)])


def add(a: Planes, b: Planes) -> tuple[Planes, Bits]:
    """Adds numbers modulo 16; also returns the cells in which the sum is 16 or more."""
    carry = jnp.zeros_like(a[0])
    digits = []
    for x, y in zip(a, b, strict=True):
        digit, carry = _full_add(x, y, carry)
        digits.append(digit)
    return (digits[0], digits[1], digits[2], digits[3]), carry


def subtract(a: Planes, b: Planes) -> tuple[Planes, Bits]:
    """Subtracts `b` from `a` modulo 16; also returns the cells in which `b` is greater."""
    borrow = jnp.zeros_like(a[0])
    digits = []
    for x, y in zip(a, b, strict=True):
        digits.append(x ^ y ^ borrow)
        borrow = (~x & (y | borrow)) | (y & borrow)
    return (digits[0], digits[1], digits[2], digits[3]), borrow


def count(bits: Bits) -> Int[Array, "*batch"]:
    """Counts the set cells."""
    sizes = jnp.sum(jax.lax.population_count(bits), axis=(0, 1), dtype=jnp.uint32)
    return sizes.astype(jnp.int32)


def any_set(bits: Bits) -> Bool[Array, "*batch"]:
    """Returns whether any cell is set."""
    return jnp.any(bits != 0, axis=(0, 1))


def nth(bits: Bits, n: Int[Array, "*batch"]) -> Bits:
    """Returns the mask of the `n`-th set cell in reading order, from 0; empty if there is none."""
    sizes = jax.lax.population_count(bits).astype(jnp.int32)
    flat = sizes.reshape(-1, *sizes.shape[2:])
    before = (jnp.cumsum(flat, axis=0) - flat).reshape(sizes.shape)
    rank = n[None, None] - before
    here = (rank >= 0) & (rank < sizes)
    return jnp.where(here, jnp.uint32(1) << nth_bit(bits, rank), jnp.uint32(0))


def nth_bit(words: UInt32[Array, "*words"], rank: Int[Array, "*words"]) -> UInt32[Array, "*words"]:
    """Returns the index of each word's set bit of the given rank, from 0; undefined if none."""
    # Binary search in all words at once, in five steps.
    index = jnp.zeros_like(words)
    for width in (16, 8, 4, 2, 1):
        low_mask = jnp.uint32((1 << width) - 1)
        in_low = jax.lax.population_count((words >> index) & low_mask).astype(jnp.int32)
        go_up = rank >= in_low
        index = index + jnp.where(go_up, jnp.uint32(width), jnp.uint32(0))
        rank = jnp.where(go_up, rank - in_low, rank)
    return index


def _bit_indices(xp: ModuleType, batch_axes: int) -> UInt32[Array | np.ndarray, "1 1 word *batch"]:
    """Returns the bit indices of a word, to broadcast with `[rows, words, bit, *batch]`."""
    return xp.arange(WORD, dtype=xp.uint32).reshape(1, 1, WORD, *(1,) * batch_axes)


def _full_add(a: Bits, b: Bits, c: Bits) -> tuple[Bits, Bits]:
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


def _shift_rows(bits: Bits, down: int) -> Bits:
    rows = bits.shape[0]
    if abs(down) >= rows:
        return jnp.zeros_like(bits)
    padded = _pad(bits, 0, max(down, 0), max(-down, 0))
    return padded[:rows] if down >= 0 else padded[-rows:]


def _shift_cols(bits: Bits, right: int) -> Bits:
    if right == 0:
        return bits
    words = bits.shape[1]
    if right > 0:
        moved = bits << jnp.uint32(right)
        if words == 1:
            return moved
        carry = _pad(bits, 1, 1, 0)[:, :words] >> jnp.uint32(WORD - right)
    else:
        moved = bits >> jnp.uint32(-right)
        if words == 1:
            return moved
        carry = _pad(bits, 1, 0, 1)[:, -words:] << jnp.uint32(WORD + right)
    return moved | carry


def _pad(bits: Bits, axis: int, before: int, after: int) -> UInt32[Array, "..."]:
    """Pads one axis with zeros."""
    around = [(before, after, 0) if i == axis else (0, 0, 0) for i in range(bits.ndim)]
    return jax.lax.pad(bits, jnp.uint32(0), around)
