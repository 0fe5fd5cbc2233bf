"""JAX's default random numbers in NumPy, for one game on the host.

A game is a function of its seed and number, dealt by `jax.random`. To deal one without JAX, this is
the same counter-based generator, Threefry 2×32 with 20 rounds (Salmon et al. 2011), keyed and
counted as `jax.random.key`, `fold_in` and `bits` do; a test compares all three.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import UInt32

KeyWords = tuple[int, int]
"""The two words of a key."""

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA
WORD = 0xFFFFFFFF


def key_of(seed: int) -> KeyWords:
    """Returns the key of a seed, as `jax.random.key`; raises `ValueError` beyond 32 bits."""
    if not 0 <= seed <= WORD:
        raise ValueError(f"a seed is a whole number from 0 to {WORD}, not {seed}")
    return 0, int(seed)


def fold_in(key: KeyWords, number: int) -> KeyWords:
    """Returns a key for each number below 2³², as `jax.random.fold_in`."""
    return _hash(key, 0, number)


def bits(key: KeyWords, count: int) -> UInt32[np.ndarray, " count"]:
    """Draws random words, as `jax.random.bits`; assumes fewer than 2³²."""
    zero, numbers = np.zeros(count, np.uint64), np.arange(count, dtype=np.uint64)
    first, second = _hash(key, zero, numbers)
    return (first ^ second).astype(np.uint32)


def word(key: KeyWords) -> int:
    """Draws one random word: the first of `bits`."""
    first, second = _hash(key, 0, 0)
    return first ^ second


def words(keys: UInt32[np.ndarray, "batch 2"]) -> UInt32[np.ndarray, " batch"]:
    """Draws one random word from each of many keys, as `word`."""
    zero = np.zeros(len(keys), np.uint64)
    first, second = _hash((keys[:, 0].astype(np.uint64), keys[:, 1].astype(np.uint64)), zero, zero)
    return (first ^ second).astype(np.uint32)


def uniform_integer(word: int, n: int) -> int:
    """Maps a random word to 0, … n − 1, as `rules.randomness.uniform_integer`."""
    return word * n >> 32


@no_type_check
def _hash(key: KeyWords, x, y):
    """Encrypts a pair of words, or of arrays of words, in integers of 64 bits or more."""
    schedule = (*key, key[0] ^ key[1] ^ PARITY)
    x, y = x + schedule[0] & WORD, y + schedule[1] & WORD
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x = x + y & WORD
            y = (y << rotation & WORD | y >> 32 - rotation) ^ x
        x = x + schedule[(group + 1) % 3] & WORD
        y = y + schedule[(group + 2) % 3] + group + 1 & WORD
    return x, y
