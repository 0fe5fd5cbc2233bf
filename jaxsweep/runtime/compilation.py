"""JAX's persistent compilation cache, which makes every start of a program but the first fast."""

import os
from pathlib import Path

import jax
from platformdirs import user_cache_path


def cache_folder() -> Path:
    """Returns `JAX_COMPILATION_CACHE_DIR` if it is set, else a folder in the user's cache."""
    chosen = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("jaxsweep") / "compiled"


def is_cold() -> bool:
    """Returns whether the cache is empty, as on a user's first start."""
    folder = cache_folder()
    return not folder.is_dir() or not any(folder.iterdir())


def use_cache() -> None:
    """Caches every compiled kernel, however small: a cold start compiles many small ones."""
    jax.config.update("jax_compilation_cache_dir", str(cache_folder()))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
