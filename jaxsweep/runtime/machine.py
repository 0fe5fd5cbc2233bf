"""The machine: what a measurement was made on, and how many cores there are."""

import contextlib
import ctypes
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax

from jaxsweep.runtime.version import __version__

Device = Any
"""A JAX device: type checkers know no public name for it."""


def cores() -> int:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def use_devices(count: int | None = None) -> None:
    """Makes every core a device of its own, or `count` of them; before the first computation.

    XLA spreads one program over the cores only where single operations are large; the arena's are
    many and small, but a program a core keeps them all busy. Accelerators stay as they are.
    """
    if "JAX_NUM_CPU_DEVICES" not in os.environ or count:
        # If JAX has started, it is too late: it keeps what it has.
        with contextlib.suppress(RuntimeError):
            jax.config.update("jax_num_cpu_devices", count or cores())


def give_back_memory() -> None:
    """Gives freed memory back to the system, where the C library can: a compiler frees a lot."""
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)


def peak_memory() -> int | None:
    """The most memory this process has had, in MiB; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    # Linux counts KiB, macOS bytes.
    unit = 1024 if platform.system() == "Linux" else 1024 * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def facts() -> dict[str, str | int]:
    """The processor, the cores in use, the device and the versions."""
    return {
        "cpu": _cpu_model(),
        "cores": cores(),
        "device": jax.devices()[0].device_kind,
        "devices": jax.device_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "jaxsweep": __version__,
        **{name: version(name) for name in ("jax", "jaxlib", "numpy", "equinox")},
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
