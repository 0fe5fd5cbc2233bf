"""Inference for callers: positions of any number and size in, beliefs out."""

from collections.abc import Callable, Sequence

import jax
import numpy as np
from jaxtyping import Float, Int, UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines import ENGINES
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.chains import Chains
from jaxsweep.engines.exact import Exact
from jaxsweep.engines.native import Native
from jaxsweep.engines.scalar import Scalar
from jaxsweep.rules.position import Position, from_grid, stack, to_grid

CELLS_AT_ONCE = 2**21
"""Cells of one chunk of a batch: bounds the memory."""

SCALAR_POSITIONS = 48
"""Up to so many positions are inferred one by one on the host, without compiling anything.

About where the device is as fast once its kernels are compiled:
`experiments/results/crossing.json`.
"""


def infer(
    positions: Position | Sequence[Position],
    engine: AbstractEngine | str | None = None,
    seeds: int | UInt32[np.ndarray, " batch"] = 0,
) -> Beliefs:
    """Infers the mine probability of every hidden cell, and which cells are certain.

    Takes one position, a batch of positions, last, or a sequence of positions of any sizes, which
    is padded to the largest. Returns beliefs in the same order, batch first, or without a batch
    axis for one position; their `status` says for each position whether they are exact. By default
    inference is exact, with estimates and their errors for positions over capacity: few positions
    go to the scalar path, so that nothing is compiled for them, and many to that path compiled to
    machine code, or on accelerators to the exact engine of devices. Another `engine` may be given
    by its name in `ENGINES`.
    `seeds` determine the random numbers of each position.

    Raises `ValueError` for the name of no engine.
    """
    if isinstance(engine, str):
        if engine not in ENGINES:
            raise ValueError(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
        engine = ENGINES[engine]
    beliefs, _ = _in_chunks(positions, seeds, lambda *chunk: (_infer(engine, *chunk), []))
    return beliefs


def infer_and_count(
    positions: Position | Sequence[Position], seeds: int | UInt32[np.ndarray, " batch"] = 0
) -> tuple[Beliefs, list[int | None]]:
    """Infers as `infer` with its default engine, and counts the layouts of each position.

    A count is None where the position is over the exact engine's capacity; and in batches, or over
    the budget of the scalar path, where it has a component with 10¹⁵ or more layouts of one mine
    count. One position gives a list of one count.
    """
    return _in_chunks(positions, seeds, _infer_and_count)


_Seeds = UInt32[np.ndarray, " batch"]


def _in_chunks(
    positions: Position | Sequence[Position],
    seeds: int | _Seeds,
    work: Callable[[Position, _Seeds], tuple[Beliefs, list]],
) -> tuple[Beliefs, list]:
    """Applies `work` to chunks of a batch that fit into memory, and concatenates the results."""
    batch, single = batch_of(positions)
    if batch.mines.shape[0] <= SCALAR_POSITIONS:
        # In NumPy: indexing JAX's arrays would compile kernels.
        batch = jax.device_get(batch)
    cells = batch.hidden.shape[0] * batch.hidden.shape[1] * 32
    size, chunk = batch.mines.shape[0], max(1, CELLS_AT_ONCE // cells)
    each = np.full(size, seeds, np.uint32) if isinstance(seeds, int) else seeds
    parts, counts = [], []
    for i in range(0, size, chunk):
        beliefs, some = work(
            jax.tree.map(lambda leaf, i=i: leaf[..., i : i + chunk], batch), each[i : i + chunk]
        )
        parts.append(beliefs)
        counts += some
    beliefs = parts[0]
    if len(parts) > 1:
        beliefs = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
    return (jax.tree.map(lambda leaf: leaf[0], beliefs) if single else beliefs), counts


def batch_of(positions: Position | Sequence[Position]) -> tuple[Position, bool]:
    """Returns positions as one batch, last, and whether they are one position without that axis."""
    if not isinstance(positions, Position):
        return stack(positions), False
    if positions.hidden.ndim == 2:
        return jax.tree.map(lambda leaf: np.asarray(leaf)[..., None], positions), True
    return positions, False


def _infer(engine: AbstractEngine | None, batch: Position, seeds: _Seeds) -> Beliefs:
    """Infers with an engine; without one as `_infer_and_count`, or on a CPU compiled."""
    if engine is not None:
        return engine.infer(batch, seeds)
    if len(seeds) <= SCALAR_POSITIONS or jax.default_backend() != "cpu":
        return _infer_and_count(batch, seeds)[0]
    beliefs = Native().infer(batch, seeds)
    over = np.nonzero(np.asarray(beliefs.status) == Status.OVER_CAPACITY)[0]
    if len(over):
        beliefs = beliefs.replace_at(over, infer_on_device(_some(batch, over), seeds[over])[0])
    return beliefs


def _infer_and_count(batch: Position, seeds: _Seeds) -> tuple[Beliefs, list[int | None]]:
    """Infers exactly, with estimates for positions over capacity.

    Few positions go to the scalar path, and on to the device those that exceed its budget.
    """
    if len(seeds) > SCALAR_POSITIONS:
        return infer_on_device(batch, seeds)
    beliefs, counts = Scalar().infer_and_count(batch)
    over = np.nonzero(np.asarray(beliefs.status) == Status.OVER_CAPACITY)[0]
    if len(over):
        wide, wide_counts = infer_on_device(_some(batch, over), seeds[over])
        beliefs = beliefs.replace_at(over, wide)
        for i, count in zip(over.tolist(), wide_counts, strict=True):
            counts[i] = count
    return beliefs, counts


def infer_on_device(batch: Position, seeds: _Seeds) -> tuple[Beliefs, list[int | None]]:
    """As `infer_and_count`, for a batch that fits into memory, without the scalar path."""
    beliefs, counts = Exact().infer_and_count(batch)
    over = np.nonzero(np.asarray(beliefs.status) == Status.OVER_CAPACITY)[0]
    if len(over):
        estimates = Chains().infer(_some(batch, over), seeds[over])
        beliefs = beliefs.replace_at(over, estimates)
    return beliefs, counts


def _some(batch: Position, which: Int[np.ndarray, " some"]) -> Position:
    """Returns some positions of a batch, on the host."""
    return jax.tree.map(lambda leaf: leaf[..., which], jax.device_get(batch))


def number_odds(
    position: Position, cells: Sequence[tuple[int, int]]
) -> Float[np.ndarray, "cells numbers"]:
    """Computes the probability that each of these hidden cells is safe and shows 0, 1, … 8.

    Every (cell, number) is one more position to infer: its layouts are those with that number.
    Raises `ValueError` where a cell is not hidden, or the position has no exact beliefs.
    """
    grid, mines = to_grid(position), int(position.mines)
    successors = []
    for row, col in cells:
        if not (0 <= row < grid.shape[0] and 0 <= col < grid.shape[1]) or grid[row, col] >= 0:
            raise ValueError(f"({row}, {col}) is not a hidden cell")
        for number in range(9):
            shown = grid.copy()
            shown[row, col] = number
            successors.append(from_grid(shown, mines))
    beliefs = infer([position, *successors], Exact())
    status = np.asarray(beliefs.status)
    if status[0] != Status.EXACT or (status[1:] == Status.OVER_CAPACITY).any():
        raise ValueError("the position has no exact beliefs")
    logs = np.asarray(beliefs.log_layouts)[1:].reshape(len(cells), 9)
    shares = np.exp(logs - np.maximum(logs.max(1, keepdims=True), -1e30))
    # Ratios of layouts are precise; they are scaled to sum to the probability of being safe.
    safe = [1.0 - float(beliefs.mine_probability[0][cell]) for cell in cells]
    return shares / np.maximum(shares.sum(1, keepdims=True), 1e-300) * np.array(safe)[:, None]
