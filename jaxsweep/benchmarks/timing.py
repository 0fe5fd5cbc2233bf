"""Times a benchmark: after a warm-up, repeated, and blocking until results are ready."""

import hashlib
import time
from dataclasses import dataclass

import jax
import numpy as np

from jaxsweep.beliefs import Beliefs
from jaxsweep.benchmarks.catalogue import BENCHMARKS, OPENINGS, Call


@dataclass(frozen=True)
class Timing:
    """The result of one benchmark; times are microseconds per board."""

    benchmark: str
    level: str
    batch: int
    median: float
    quartiles: tuple[float, float]
    repeats: int
    processor: float
    """Processor time of all threads, which other programs on the machine hardly change."""
    busy: float
    """The mean number of busy cores: processor time over wall-clock time."""
    signature: str | None
    """A checksum of beliefs, for benchmarks that return some: equal results, equal checksum."""
    unit: str | None
    """The unit of `per_second`."""
    per_second: float | None


def measure(name: str, level: str, batch: int, repeats: int) -> Timing:
    """Times one benchmark; a sample of a short call is a loop long enough for the clock."""
    benchmark, opening = BENCHMARKS[name], OPENINGS[level]
    call = benchmark.make(opening, batch)
    result = jax.block_until_ready(call())
    once = _seconds(call, 1)
    loops = max(1, int(0.02 / max(once, 1e-6)))
    began, worked = time.perf_counter(), time.process_time()
    samples = np.array([_seconds(call, loops) for _ in range(repeats)]) / batch * 1e6
    worked = time.process_time() - worked
    busy = worked / (time.perf_counter() - began)
    low, median, high = (float(x) for x in np.percentile(samples, [25, 50, 75]))
    return Timing(
        benchmark=name,
        level=level,
        batch=batch,
        median=median,
        quartiles=(low, high),
        repeats=repeats,
        processor=worked / (repeats * loops * batch) * 1e6,
        busy=busy,
        signature=_signature(result) if isinstance(result, Beliefs) else None,
        unit=benchmark.unit,
        per_second=benchmark.units(opening) / median * 1e6 if benchmark.unit else None,
    )


def _signature(beliefs: Beliefs) -> str:
    """Returns a checksum of statuses, certain cells and probabilities to four digits."""
    rounded = np.round(np.asarray(beliefs.mine_probability, np.float64) * 10_000).astype(np.int32)
    parts = (beliefs.status, beliefs.safe, beliefs.mines, rounded)
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
    return digest.hexdigest()[:12]


def _seconds(call: Call, loops: int) -> float:
    """Returns the mean time of a call."""
    began = time.perf_counter()
    for _ in range(loops):
        jax.block_until_ready(call())
    return (time.perf_counter() - began) / loops
