"""Questions of device programs about observations, which the host answers exactly.

Each is one call of the host with a whole batch, answered by the scalar path compiled to machine
code, on all cores. What the host gets is what the player sees, so that nothing hidden can leak into
an answer. An observation is a grid with the numbers of open cells, and −1 in the others.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int8, UInt32

from jaxsweep.engines.batching import parallel_map
from jaxsweep.native.joining import EXACT
from jaxsweep.native.observed import draw_from_some, weigh_some
from jaxsweep.native.solving import make_solver
from jaxsweep.native.thread_memory import thread_memory

CHUNK = 128
"""Observations that a thread answers at once."""


def draw_layouts(
    seen: Int8[Array, "batch rows cols"],
    asked: Bool[Array, " batch"],
    mines: int,
    words: UInt32[Array, "batch 2"],
) -> Bool[Array, "batch rows cols"]:
    """Draws a layout given each observation that is asked for, uniformly from all consistent ones.

    For the others, nothing is computed and no cell has a mine. `words` are random. Raises
    `ValueError` from the host, which JAX reports as a runtime error, if a position is over the
    capacity of exact counting.
    """
    answer = jax.ShapeDtypeStruct(seen.shape, jnp.bool_)
    return jax.pure_callback(_draw, answer, jnp.int32(mines), seen, asked, words)


def mine_probabilities(
    seen: Int8[Array, "batch rows cols"], asked: Bool[Array, " batch"], mines: int
) -> Float32[Array, "batch rows cols"]:
    """Computes the mine probability of every hidden cell given each observation, exactly.

    It is 0 in open cells and for observations that are not asked for, and NaN in all cells of a
    position over the capacity of exact counting.
    """
    answer = jax.ShapeDtypeStruct(seen.shape, jnp.float32)
    return jax.pure_callback(_weigh, answer, jnp.int32(mines), seen, asked)


def _draw(mines: Array, seen: Array, asked: Array, words: Array) -> Bool[np.ndarray, "..."]:
    total, (count, rows, cols) = int(mines), seen.shape
    grids, which = np.array(seen).reshape(count, -1), np.array(asked)
    seeds = np.array(words).astype(np.uint64) @ np.array([1 << 32, 1], np.uint64)
    layouts, status = np.zeros(grids.shape, np.int8), np.zeros(count, np.int32)

    def work(begin: int) -> None:
        end, drawn = min(begin + CHUNK, count), np.zeros((1, rows * cols), np.int32)
        draw_from_some(
            begin,
            end,
            grids,
            which,
            total,
            seeds,
            thread_memory(make_solver, rows, cols),
            layouts,
            drawn,
            status,
        )

    parallel_map(work, range(0, count, CHUNK), bytes_per_job=1)
    if (failed := np.nonzero(status != EXACT)[0]).size:
        raise ValueError(
            f"no layout can be drawn for game {failed[0]} of the batch, and {failed.size} in all: "
            "its position is over the capacity of exact counting"
        )
    return layouts.reshape(seen.shape) != 0


def _weigh(mines: Array, seen: Array, asked: Array) -> Float32[np.ndarray, "..."]:
    total, (count, rows, cols) = int(mines), seen.shape
    grids, which = np.array(seen).reshape(count, -1), np.array(asked)
    risk = np.zeros(grids.shape, np.float32)

    def work(begin: int) -> None:
        solver = thread_memory(make_solver, rows, cols)
        weigh_some(begin, min(begin + CHUNK, count), grids, which, total, solver, risk)

    parallel_map(work, range(0, count, CHUNK), bytes_per_job=1)
    return risk.reshape(seen.shape)
