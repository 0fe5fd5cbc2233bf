"""The persistent compilation cache that makes the second start of a program fast."""

import os
from pathlib import Path

import jax
from platformdirs import user_cache_path


def cache_folder() -> Path:
    """Where compiled kernels are kept: `JAX_COMPILATION_CACHE_DIR`, or the user's cache folder."""
    chosen = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("jaxsweep") / "compiled"


def is_cold() -> bool:
    """Whether nothing is compiled yet: a user's first start."""
    folder = cache_folder()
    return not folder.is_dir() or not any(folder.iterdir())


def use_cache() -> None:
    """Keeps every compiled kernel, however small: a cold start is a sum of many small ones."""
    jax.config.update("jax_compilation_cache_dir", str(cache_folder()))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
