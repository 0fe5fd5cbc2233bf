"""Batches on the host: kernels are called with few batch sizes, so that little is compiled."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import jax
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

from jaxsweep.rules import frontier
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.rules.position import Position
from jaxsweep.runtime import machine

BATCHES = (4, 32, 256)
"""The batch sizes that kernels are compiled for."""

BYTES = 2**28
"""Memory of one kernel call: kernels with larger entries get smaller batches."""

PARALLEL_BYTES = 2**31
"""Memory of all concurrent kernel calls."""


Job = TypeVar("Job")
Result = TypeVar("Result")
Batch = TypeVar("Batch", Position, ReducedPosition)


def parallel_map(
    work: Callable[[Job], Result], jobs: Iterable[Job], bytes_per_job: int = BYTES
) -> list[Result]:
    """Maps independent jobs to their results, in order, in one thread per core if memory allows.

    XLA spreads one call over the cores only where single operations are large. Here they are many
    and small, but calls are independent of each other.
    """
    jobs = list(jobs)
    threads = min(machine.cores(), len(jobs), PARALLEL_BYTES // max(bytes_per_job, 1))
    if threads < 2:
        return [work(job) for job in jobs]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, jobs))


def padded_batches(
    which: Int[np.ndarray, " many"], max_size: int
) -> Iterator[tuple[Int[np.ndarray, " batch"], int]]:
    """Splits indices into batches of a few sizes, with the number of entries before the padding.

    Batches are padded by repeating their last entry.
    """
    # Entries so large that few fit into a batch go one at a time.
    sizes = [size for size in BATCHES if size <= max_size] if max_size >= BATCHES[1] else [1]
    start = 0
    while start < len(which):
        left = len(which) - start
        # Several smaller batches are better than one that is mostly padding.
        size = next((size for size in reversed(sizes) if 2 * left >= size), sizes[0])
        part = which[start : start + size]
        yield np.concatenate([part, np.full(size - len(part), part[-1])]), len(part)
        start += size


def map_batches(kernel: Callable[[Batch], Result], positions: Batch) -> Result:
    """Applies a kernel to positions, in padded batches; the result is on the host.

    All arrays of the positions, reduced or not, and of the result have the batch last.
    """
    host = jax.device_get(positions)

    def work(job: tuple[np.ndarray, int]) -> Result:
        which, real = job
        result = jax.device_get(kernel(jax.tree.map(lambda leaf: leaf[..., which], host)))
        return jax.tree.map(lambda leaf: leaf[..., :real], result)

    total = jax.tree.leaves(host)[0].shape[-1]
    parts = parallel_map(work, padded_batches(np.arange(total), BATCHES[-1]))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=-1), *parts)


@jax.jit
def reduce_batch(positions: Position) -> ReducedPosition:
    """Applies `frontier.reduce` to a batch, last."""
    return frontier.reduce(positions)


def reduce_positions(positions: Position) -> ReducedPosition:
    """Reduces a batch of positions, last, by the single-cell rules; the result is on the host."""
    return map_batches(reduce_batch, positions)


def is_possible(reduced: ReducedPosition) -> Bool[np.ndarray, " positions"]:
    """Returns `ReducedPosition.is_possible` on the host."""
    return np.asarray(reduced.is_possible)


def sizes_of(
    boards: UInt32[np.ndarray | Array, "rows words positions"],
) -> Int[np.ndarray, " positions"]:
    """Counts the set cells of each board."""
    return np.bitwise_count(np.asarray(boards)).sum((0, 1), dtype=np.int32)


def mask_of_indices(size: int, which: Int[np.ndarray, " some"]) -> Bool[np.ndarray, " size"]:
    """Returns a mask with these entries set."""
    mask = np.zeros(size, bool)
    mask[which] = True
    return mask
