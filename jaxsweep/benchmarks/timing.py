"""How a benchmark is timed: warmed up, repeated, and blocked on."""

import hashlib
import time
from dataclasses import dataclass

import jax
import numpy as np

from jaxsweep.benchmarks.kernels import BENCHMARKS, OPENINGS, Call
from jaxsweep.engines.beliefs import Beliefs


@dataclass(frozen=True)
class Timing:
    """Microseconds a board: the median over the repeats, and the middle half of them."""

    benchmark: str
    level: str
    batch: int
    median: float
    quartiles: tuple[float, float]
    repeats: int
    busy: float
    """Cores kept busy: processor time over time."""
    signature: str | None
    """A checksum of the answers, for benchmarks that have some: it must not move."""
    unit: str | None
    """Of `per_second`."""
    per_second: float | None


def measure(name: str, level: str, batch: int, repeats: int) -> Timing:
    """Times one benchmark; short calls are repeated within a sample so that the clock is fair."""
    call = BENCHMARKS[name].make(OPENINGS[level], batch)
    answer = jax.block_until_ready(call())
    once = _seconds(call, 1)
    loops = max(1, int(0.02 / max(once, 1e-6)))
    began, worked = time.perf_counter(), time.process_time()
    samples = np.array([_seconds(call, loops) for _ in range(repeats)]) / batch * 1e6
    busy = (time.process_time() - worked) / (time.perf_counter() - began)
    low, median, high = (float(x) for x in np.percentile(samples, [25, 50, 75]))
    unit, times = BENCHMARKS[name].rate or (None, None)
    return Timing(
        benchmark=name,
        level=level,
        batch=batch,
        median=median,
        quartiles=(low, high),
        repeats=repeats,
        busy=busy,
        signature=_signature(answer) if isinstance(answer, Beliefs) else None,
        unit=unit,
        per_second=times(OPENINGS[level]) / median * 1e6 if times else None,
    )


def _signature(beliefs: Beliefs) -> str:
    """A checksum of statuses, certain cells and probabilities to four digits."""
    rounded = np.round(np.asarray(beliefs.mine_probability, np.float64) * 10_000).astype(np.int32)
    parts = (beliefs.status, beliefs.safe, beliefs.mines, rounded)
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
    return digest.hexdigest()[:12]


def _seconds(call: Call, loops: int) -> float:
    began = time.perf_counter()
    for _ in range(loops):
        jax.block_until_ready(call())
    return (time.perf_counter() - began) / loops
