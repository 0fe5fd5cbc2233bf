"""Strict settings for every test: nothing is promoted, broadcast or warned about in silence."""

import os

os.environ.setdefault("JAX_NUM_CPU_DEVICES", "2")

import jax
import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

install_import_hook("jaxsweep", "beartype.beartype")

from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.single.replay import record

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
use_cache()

# The first example of a test compiles: no limit on the time of one.
settings.register_profile("jaxsweep", deadline=None)
settings.load_profile("jaxsweep")


@pytest.fixture
def own_files(tmp_path, monkeypatch):
    """Nothing of the user's is read or written."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def hand(own_files):
    """Opens windows, and moves mouse and keys in them: see `tests.window.Hand`."""
    from tests.window import Hand  # Here: few tests need pygame.

    opened = []

    def make(*args, **kwargs):
        opened.append(Hand(*args, **kwargs))
        return opened[-1]

    yield make
    for each in opened:
        each.window.close()


@pytest.fixture(scope="session")
def game():
    """The replay of a game on beginner, with guesses."""
    return record("exact", Opening.of(LEVELS["beginner"]), 8)


@pytest.fixture
def getkey():
    """A new random key at each call, the same ones in each run."""
    state = jax.random.key(5678)

    def get():
        nonlocal state
        state, key = jax.random.split(state)
        return key

    return get
