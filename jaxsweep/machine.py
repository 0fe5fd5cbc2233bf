"""The machine: what a measurement was made on, and how many cores there are."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

import jax

import jaxsweep


def cores() -> int:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def facts() -> dict[str, str | int]:
    """The processor, the cores in use, the device and the versions."""
    return {
        "cpu": _cpu_model(),
        "cores": cores(),
        "device": jax.devices()[0].device_kind,
        "devices": jax.device_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "jaxsweep": jaxsweep.__version__,
        **{name: version(name) for name in ("jax", "jaxlib", "numpy", "equinox")},
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
