"""The host's part that engines share: batches of a few fixed sizes, so that little is compiled."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import jax
import numpy as np
from jaxtyping import Array, Int, UInt32

from jaxsweep.rules import frontier
from jaxsweep.rules.deduction import Certain
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.rules.position import Position
from jaxsweep.runtime import machine

BATCHES = (4, 32, 256)
"""The batch sizes that kernels are compiled for."""

BYTES = 2**28
"""What one call of a kernel may take: larger kernels get smaller batches."""

BYTES_AT_ONCE = 2**31
"""What all calls side by side may take."""


Job = TypeVar("Job")
Result = TypeVar("Result")


def side_by_side(
    work: Callable[[Job], Result], jobs: Iterable[Job], bytes_a_job: int = BYTES
) -> list[Result]:
    """The results of independent jobs, in order, one thread a core, if memory allows.

    XLA spreads one call over the cores only where single operations are large; ours are many and
    small, but calls are independent of each other.
    """
    jobs = list(jobs)
    at_once = min(machine.cores(), len(jobs), BYTES_AT_ONCE // max(bytes_a_job, 1))
    if at_once < 2:
        return [work(job) for job in jobs]
    with ThreadPoolExecutor(at_once) as threads:
        return list(threads.map(work, jobs))


def batches(which: Int[np.ndarray, " many"], most: int) -> Iterator[tuple[np.ndarray, int]]:
    """Cuts a list into batches of few sizes, padded by repetition, and tells how many are real."""
    # What is so large that few fit into a batch goes one at a time.
    sizes = [size for size in BATCHES if size <= most] if most >= BATCHES[1] else [1]
    start = 0
    while start < len(which):
        left = len(which) - start
        # Some batches of a smaller size rather than one that is mostly padding.
        size = next((size for size in reversed(sizes) if 2 * left >= size), sizes[0])
        part = which[start : start + size]
        yield np.concatenate([part, np.full(size - len(part), part[-1])]), len(part)
        start += size


@jax.jit
def reduce_batch(positions: Position) -> ReducedPosition:
    """`frontier.reduce`, batch last."""
    return frontier.reduce(positions)


def in_batches(kernel: Callable[[Position], Result], positions: Position) -> Result:
    """What a kernel, batch last, says of all positions, called with few sizes; on the host."""
    host = jax.device_get(positions)

    def work(job: tuple[np.ndarray, int]) -> Result:
        which, real = job
        answer = jax.device_get(kernel(jax.tree.map(lambda leaf: leaf[..., which], host)))
        return jax.tree.map(lambda leaf: leaf[..., :real], answer)

    parts = side_by_side(work, batches(np.arange(len(host.mines)), BATCHES[-1]))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=-1), *parts)


def reduce_positions(positions: Position) -> ReducedPosition:
    """Settles a batch; the result is on the host."""
    return in_batches(reduce_batch, positions)


def certain_by_single(position: Position) -> Certain:
    """What the single-cell rules settle of one position; by a kernel that inference has anyway."""
    reduced = reduce_positions(jax.tree.map(lambda leaf: leaf[..., None], position))
    return jax.tree.map(lambda leaf: jax.numpy.asarray(leaf[..., 0]), reduced.certain)


def sizes_of(
    boards: UInt32[np.ndarray | Array, "rows words positions"],
) -> Int[np.ndarray, " positions"]:
    """How many cells of each board are set."""
    return np.bitwise_count(np.asarray(boards)).sum((0, 1), dtype=np.int32)
