"""A program of JAX, compiled, counted and timed."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import jax
import numpy as np
from jaxtyping import PyTree

from jaxsweep.benchmarks.accelerator_model import ACCELERATORS, Accelerator, Work, model
from jaxsweep.benchmarks.hlo_counts import Counted, count_work
from jaxsweep.benchmarks.hlo_module import Module
from jaxsweep.benchmarks.trip_counts import COUNTER, with_trip_counts


@dataclass(frozen=True)
class Kernel:
    """A program that was compiled, counted and timed on one bucket."""

    name: str
    work: Work
    """Of one execution, with every iteration of its loops."""
    unknown_loops: int
    """Loops whose iterations are not known, and which count once."""
    xla_operations: float | None
    """XLA's own count, with every body once: what `once` is to be compared with."""
    xla_bytes: float | None
    once: Work
    """The work with every body once."""
    temporary_bytes: int
    argument_bytes: int
    output_bytes: int
    microseconds: float
    """The median time of an execution on this device."""
    quartiles: tuple[float, float]

    def facts(self, here: Accelerator | None) -> dict[str, Any]:
        """Returns everything for JSON, with the modelled times."""
        return asdict(self) | work_facts(self.work, here)


def work_facts(work: Work, here: Accelerator | None) -> dict[str, Any]:
    """Returns some work for JSON, and its modelled times on all devices and on this one."""
    times: dict[str, Any] = {name: _times(work, device) for name, device in ACCELERATORS.items()}
    return {
        "work": asdict(work),
        "mega_operations": work.operations / 1e6,
        "megabytes": work.bytes / 1e6,
        "modelled": times | {"this device": None if here is None else _times(work, here)},
    }


def _times(work: Work, device: Accelerator) -> dict[str, Any]:
    """Returns a modelled time and its parts in microseconds, and what bounds it."""
    found = asdict(model(work, device))
    bound, seconds = found.pop("bound"), found.pop("seconds")
    parts = {name: part * 1e6 for name, part in found.items()}
    return {"microseconds": seconds * 1e6, **parts, "bound": bound}


class CountedProgram:
    """A compiled program that counts its loops and branches."""

    def __init__(self, function: Callable[..., PyTree], arguments: tuple[PyTree, ...]):
        self.compiled = jax.jit(with_trip_counts(function)).lower(*arguments).compile()
        self.module = Module.of(self.compiled.as_text() or "")

    def __call__(self, *arguments: PyTree) -> tuple[PyTree, np.ndarray]:
        """Returns the results, and the counts."""
        results, counts = jax.block_until_ready(self.compiled(*arguments))
        return results, np.asarray(counts)

    def count(self, counts: np.ndarray) -> Counted:
        """Returns the work of an execution with these counts, or the mean of several executions."""
        return count_work(self.module, counts.tolist(), COUNTER)

    def memory(self) -> dict[str, int]:
        """Returns the bytes of temporary arrays, arguments and results."""
        found = self.compiled.memory_analysis()
        names = ("temp", "argument", "output")
        temporary, argument, output = (
            int(getattr(found, f"{name}_size_in_bytes", 0)) for name in names
        )
        return {
            "temporary_bytes": temporary,
            "argument_bytes": argument,
            "output_bytes": output,
        }

    def kernel(self, name: str, arguments: tuple[PyTree, ...], repeats: int) -> Kernel:
        """Counts and times one execution with these arguments."""
        _, counts = self(*arguments)
        samples = []
        for _ in range(repeats):
            began = time.perf_counter()
            self(*arguments)
            samples.append((time.perf_counter() - began) * 1e6)
        low, median, high = (float(x) for x in np.percentile(samples, [25, 50, 75]))
        counted = self.count(counts)
        cost = self.compiled.cost_analysis() or {}
        return Kernel(
            name=name,
            work=counted.work,
            unknown_loops=counted.unknown_loops,
            xla_operations=cost.get("flops"),
            xla_bytes=cost.get("bytes accessed"),
            once=count_work(self.module).work,
            **self.memory(),
            microseconds=median,
            quartiles=(low, high),
        )
