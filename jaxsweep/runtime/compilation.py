"""JAX's persistent compilation cache, which makes every start of a program but the first fast."""

import os
import sys
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path:
    """Returns `JAX_COMPILATION_CACHE_DIR` if it is set, else a folder in the user's cache."""
    chosen = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("jaxsweep") / "compiled"


def use_cache() -> None:
    """Caches every compiled kernel, however small: a cold start compiles many small ones.

    Where JAX is not imported yet, it finds the settings in the environment when it is: a command
    that may not need it does not wait for it. Where the folder cannot be made, nothing is cached.
    """
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # JAX would warn of each program that it cannot keep.
    settings = {
        "jax_compilation_cache_dir": str(cache_folder()),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    for name, value in settings.items():
        if "jax" in sys.modules:
            sys.modules["jax"].config.update(name, value)
        else:
            os.environ[name.upper()] = str(value)
