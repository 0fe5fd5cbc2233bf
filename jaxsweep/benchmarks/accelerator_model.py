"""A model of the time that a program takes on an accelerator, from counted work.

    time = max(bytes / bandwidth, operations / rate) + launches × launch + decisions × decision

The first term is the roofline: a kernel waits for memory or for arithmetic, whichever takes longer.
The others are fixed costs: each kernel has to be launched, and where a loop or a branch depends on
a value that was computed, the host reads that value before it can go on.
"""

from dataclasses import dataclass

Number = int | float
"""A count; the mean of several need not be whole."""


@dataclass(frozen=True)
class Work:
    """What a program does: counted, for one execution."""

    operations: Number = 0
    """Arithmetic, logical and comparison operations, of whole and of floating-point numbers."""
    bytes: Number = 0
    """Bytes read and written by all kernels."""
    launches: Number = 0
    """Kernels."""
    decisions: Number = 0
    """Values that decide about a loop or a branch."""

    def __add__(self, other: "Work") -> "Work":
        return Work(
            self.operations + other.operations,
            self.bytes + other.bytes,
            self.launches + other.launches,
            self.decisions + other.decisions,
        )

    def __mul__(self, times: Number) -> "Work":
        return Work(
            self.operations * times,
            self.bytes * times,
            self.launches * times,
            self.decisions * times,
        )


@dataclass(frozen=True)
class Accelerator:
    """Published peak figures of a device, and the fixed costs that are assumed for it."""

    name: str
    bandwidth: float
    """Bytes a second to and from its memory."""
    rate: float
    """Operations a second: float32, where an addition and a multiplication at once count as two."""
    memory: float
    """Bytes."""
    launch_seconds: float
    """Assumed: one kernel after another in a stream."""
    decision_seconds: float
    """Assumed: a value copied to the host, which waits for it and starts what follows."""


ASSUMED_LAUNCH = 4e-6
ASSUMED_DECISION = 15e-6
"""Fixed costs in seconds. Nobody publishes them: these are usual magnitudes, not measurements."""

ACCELERATORS = {
    each.name: each
    for each in (
        Accelerator("NVIDIA A100 40GB", 1.555e12, 19.5e12, 40e9, ASSUMED_LAUNCH, ASSUMED_DECISION),
        Accelerator("NVIDIA RTX 4090", 1.008e12, 82.6e12, 24e9, ASSUMED_LAUNCH, ASSUMED_DECISION),
        Accelerator("NVIDIA H100 SXM", 3.35e12, 66.9e12, 80e9, ASSUMED_LAUNCH, ASSUMED_DECISION),
    )
}
"""Devices by name: memory bandwidth, float32 rate without tensor cores, and memory size."""


@dataclass(frozen=True)
class Modelled:
    """The modelled time of a program on a device, and its parts, in seconds."""

    seconds: float
    memory: float
    """Moving the bytes."""
    arithmetic: float
    """The operations; memory and arithmetic overlap, and the longer one counts."""
    launches: float
    decisions: float
    bound: str
    """The longest part: memory, arithmetic, launches or decisions."""


def model(work: Work, accelerator: Accelerator) -> Modelled:
    """Returns the modelled time of some work on a device."""
    parts = {
        "memory": work.bytes / accelerator.bandwidth,
        "arithmetic": work.operations / accelerator.rate,
        "launches": work.launches * accelerator.launch_seconds,
        "decisions": work.decisions * accelerator.decision_seconds,
    }
    seconds = max(parts["memory"], parts["arithmetic"]) + parts["launches"] + parts["decisions"]
    return Modelled(seconds, **parts, bound=max(parts, key=lambda part: parts[part]))


def known_accelerator(device_kind: str) -> Accelerator | None:
    """Returns the device of the table that JAX's name of a device stands for, if there is one.

    JAX names an A100 by its board, as in `NVIDIA A100-SXM4-40GB`: all words of a name of the table
    have to be in it.
    """
    kind = device_kind.lower()
    for name, accelerator in ACCELERATORS.items():
        if all(word in kind for word in name.lower().split()):
            return accelerator
    return None
