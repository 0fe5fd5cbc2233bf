"""Strict settings for every test: nothing is promoted, broadcast or warned about in silence."""

import os

os.environ.setdefault("JAX_NUM_CPU_DEVICES", "2")

import jax
import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

install_import_hook("jaxsweep", "beartype.beartype")

from jaxsweep.runtime.compilation import use_cache

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
use_cache()

# The first example of a test compiles: no limit on the time of one.
settings.register_profile("jaxsweep", deadline=None)
settings.load_profile("jaxsweep")


@pytest.fixture
def getkey():
    """A new random key at each call, the same ones in each run."""
    state = jax.random.key(5678)

    def get():
        nonlocal state
        state, key = jax.random.split(state)
        return key

    return get
