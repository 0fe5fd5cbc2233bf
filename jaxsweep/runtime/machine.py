"""The machine: its cores, devices and memory, and a description to store with measurements.

JAX is imported by the functions that need it: command lines parse their arguments without.
"""

import contextlib
import ctypes
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jaxsweep.runtime.version import __version__

Device = Any
"""A JAX device: type checkers know no public name for it."""


def cores() -> int:
    """Returns the number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def use_devices(count: int | None = None) -> None:
    """Makes `count` CPU devices, by default one per core; call it before the first computation.

    XLA runs one operation on several cores only if it is large. The arena's operations are many
    and small: one program per core keeps all cores busy. Accelerators are not affected.
    """
    if "JAX_NUM_CPU_DEVICES" not in os.environ or count:
        import jax

        # Once JAX has started, the number of devices cannot change.
        with contextlib.suppress(RuntimeError):
            jax.config.update("jax_num_cpu_devices", count or cores())


def trim_memory() -> None:
    """Returns freed memory to the system (glibc only): compilation frees a lot of it."""
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)


def peak_memory() -> int | None:
    """Returns the peak resident memory of this process in MiB; None if it is not available."""
    try:
        import resource
    except ImportError:
        return None
    # Linux counts KiB, macOS bytes.
    unit = 1024 if platform.system() == "Linux" else 1024 * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def facts() -> dict[str, str | int]:
    """Describes the processor, the devices and the versions of the packages in use."""
    import jax

    return {
        "cpu": _cpu_model(),
        "cores": cores(),
        "device": jax.devices()[0].device_kind,
        "devices": jax.device_count(),
        "system": platform.system(),
        **versions("jax", "jaxlib", "numpy", "numba", "equinox"),
    }


def versions(*packages: str) -> dict[str, str]:
    """Returns the versions of Python, of jaxsweep and of these packages."""
    own = {"python": platform.python_version(), "jaxsweep": __version__}
    return own | {name: version(name) for name in packages}


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
