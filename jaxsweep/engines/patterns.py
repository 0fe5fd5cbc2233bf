"""Edges of few cells, counted by trying every pattern of mines at once."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from jaxsweep.engines.residuals import SLOTS
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.frontier import FAR

CELLS = 8
"""Of an edge: more, and there are too many patterns."""

NUMBERS = 16
"""Of an edge, at most."""

SPREAD = CELLS
"""Mine counts that are told apart: there is one mine at least."""


class Tallies(eqx.Module):
    """Layouts of an edge by number of mines, entry k for k + 1; or of a batch of edges."""

    places: tuple[Int[Array, "*batch cells"], Int[Array, "*batch cells"]]
    """Rows and columns of the edge's cells; `FAR` past the last."""
    layouts: Float[Array, "*batch spread"]
    through: Float[Array, "*batch cells spread"]
    """Those with a mine in a cell. Like `layouts` whole numbers up to 256, and exact."""


def _pattern_table() -> Float[np.ndarray, "patterns tallies"]:
    """For each pattern: a one in the column of its mine count, in all and once for each mine."""
    patterns = np.arange(2**CELLS)
    bits = (patterns[:, None] >> np.arange(CELLS)) & 1
    mines = bits.sum(1)[:, None] == np.arange(1, SPREAD + 1)
    counted = np.concatenate([np.ones_like(bits[:, :1]), bits], axis=1)
    return (counted[:, :, None] * mines[:, None, :]).reshape(len(patterns), -1).astype(np.float32)


_TABLE = _pattern_table()


def try_patterns(cells: Bits, numbers: Bits, needs: tuple[Bits, Bits, Bits]) -> Tallies:
    """Counts one edge, given as boards of its cells, its numbers, and what these need, as digits.

    Each number has four bits of a word; one addition lays a mine beside all numbers around it.
    """
    row, col = frontier.places(cells, CELLS)
    at = frontier.places(numbers, NUMBERS)
    need = frontier.read((*needs, jnp.zeros_like(numbers)), at)
    need = jnp.where(at[0] == FAR, 0, need).astype(jnp.uint32)
    near = (jnp.abs(at[0][:, None] - row[None, :]) <= 1) & (
        jnp.abs(at[1][:, None] - col[None, :]) <= 1
    )
    near = (near & (at[0] != FAR)[:, None]).astype(jnp.uint32)
    shifts = jnp.arange(SLOTS, dtype=jnp.uint32) * jnp.uint32(4)
    pattern = jnp.arange(2**CELLS, dtype=jnp.int32)
    valid = pattern < (jnp.int32(1) << bitboard.count(cells))
    for word in range(0, NUMBERS, SLOTS):
        touch = jnp.sum(near[word : word + SLOTS] << shifts[:, None], axis=0, dtype=jnp.uint32)
        target = jnp.sum(need[word : word + SLOTS] << shifts, dtype=jnp.uint32)
        laid = jnp.zeros((1,), jnp.uint32)
        for cell in range(CELLS):
            laid = jnp.concatenate([laid, laid + touch[cell]])
        valid &= laid == target
    # Counts must not be rounded to fewer digits, as accelerators would.
    tallies = jnp.matmul(
        valid.astype(jnp.float32), jnp.asarray(_TABLE), precision=jax.lax.Precision.HIGHEST
    ).reshape(-1, SPREAD)
    return Tallies((row, col), tallies[0], tallies[1:])
