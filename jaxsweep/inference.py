"""The front door: positions in, beliefs out."""

from collections.abc import Sequence

import jax
import numpy as np

from jaxsweep.beliefs import Beliefs
from jaxsweep.engines import exact
from jaxsweep.position import Position, stack

CELLS_AT_ONCE = 2**21
"""Cells of one chunk of a batch: what bounds memory."""


def infer(positions: Position | Sequence[Position]) -> Beliefs:
    """The exact mine probability of every hidden cell, and which cells are certain.

    Takes one position, a batch with the positions last, or a sequence of positions of any sizes,
    which is padded to the largest. Gives beliefs in the same order, batch first; `Beliefs.status`
    tells of each position whether they are exact.
    """
    if isinstance(positions, Position):
        alone = positions.hidden.ndim == 2
        batch = jax.tree.map(lambda leaf: leaf[..., None], positions) if alone else positions
    else:
        alone, batch = False, stack(positions)
    cells = batch.hidden.shape[0] * batch.hidden.shape[1] * 32
    size, chunk = batch.mines.shape[0], max(1, CELLS_AT_ONCE // cells)
    parts = [
        exact.believe(jax.tree.map(lambda leaf, i=i: leaf[..., i : i + chunk], batch))
        for i in range(0, size, chunk)
    ]
    beliefs = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
    return jax.tree.map(lambda leaf: leaf[0], beliefs) if alone else beliefs
