"""What a measurement was made on: stands beside every figure."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

import jax

from jaxsweep import __version__


def facts() -> dict[str, str | int]:
    """The processor, the cores in use, the device and the versions."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else -1,
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
