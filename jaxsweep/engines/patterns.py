"""Counts components of few cells by testing every pattern of mines at once; on the device."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from jaxsweep.engines.residuals import SLOTS, pack_nibbles
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.frontier import FAR

CELLS = 8
"""The most cells of a component: there are 2⁸ patterns."""

NUMBERS = 16
"""The most numbers of a component."""

MINE_COUNTS = CELLS
"""Distinct mine counts: 1 to 8, since a component has at least one mine."""


class PatternCounts(eqx.Module):
    """Layouts of a component by mine count, entry k for k + 1 mines; or of a batch of components.

    Counts are whole numbers up to 256, and exact.
    """

    places: tuple[Int[Array, "*batch cells"], Int[Array, "*batch cells"]]
    """Rows and columns of the component's cells; `FAR` past the last."""
    layouts: Float[Array, "*batch mine_counts"]
    layouts_with_mine: Float[Array, "*batch cells mine_counts"]
    """The layouts that have a mine in this cell."""


def _pattern_table() -> Float[np.ndarray, "patterns sums"]:
    """Returns what each pattern adds to `layouts` and, for each mine, to `layouts_with_mine`."""
    patterns = np.arange(2**CELLS)
    bits = (patterns[:, None] >> np.arange(CELLS)) & 1
    mines = bits.sum(1)[:, None] == np.arange(1, MINE_COUNTS + 1)
    counted = np.concatenate([np.ones_like(bits[:, :1]), bits], axis=1)
    return (counted[:, :, None] * mines[:, None, :]).reshape(len(patterns), -1).astype(np.float32)


_TABLE = _pattern_table()


def count_patterns(cells: Bits, numbers: Bits, residual: tuple[Bits, Bits, Bits]) -> PatternCounts:
    """Counts one component, given as boards: its cells, its numbers, and their residuals' digits.

    Each number has four bits of a word: one addition adds a mine to all numbers around a cell.
    """
    cells_at, at = frontier.places(cells, CELLS), frontier.places(numbers, NUMBERS)
    needed = frontier.read((*residual, jnp.zeros_like(numbers)), at)
    needed = jnp.where(at[0] == FAR, 0, needed).astype(jnp.uint32)
    adjacency = jnp.asarray(frontier.adjacency(cells_at, at)).astype(jnp.uint32)
    adjacent, target = pack_nibbles(adjacency.T), pack_nibbles(needed)
    pattern = jnp.arange(2**CELLS, dtype=jnp.int32)
    valid = pattern < (jnp.int32(1) << bitboard.count(cells))
    for word in range(NUMBERS // SLOTS):
        mines = jnp.zeros((1,), jnp.uint32)
        for cell in range(CELLS):
            mines = jnp.concatenate([mines, mines + adjacent[cell, word]])
        valid &= mines == target[word]
    # Counts must not be rounded to fewer digits, as accelerators would.
    sums = jnp.matmul(
        valid.astype(jnp.float32), jnp.asarray(_TABLE), precision=jax.lax.Precision.HIGHEST
    ).reshape(-1, MINE_COUNTS)
    return PatternCounts(cells_at, sums[0], sums[1:])
