"""JAX's default random numbers in NumPy, for one game on the host.

A game is a function of its seed and number, dealt by `jax.random`. To deal one without JAX, this is
the same counter-based generator, Threefry 2×32 with 20 rounds (Salmon et al. 2011), keyed and
counted as `jax.random.key`, `fold_in` and `bits` do; a test compares all three.
"""

import numpy as np
from jaxtyping import UInt32

KeyWords = tuple[int, int]
"""The two words of a key."""

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


def key_of(seed: int) -> KeyWords:
    """Returns the key of a seed below 2³², as `jax.random.key`."""
    return 0, seed


def fold_in(key: KeyWords, number: int) -> KeyWords:
    """Returns a key for each number below 2³², as `jax.random.fold_in`."""
    first, second = _hash(key, np.zeros(1, np.uint32), np.array([number], np.uint32))
    return int(first[0]), int(second[0])


def bits(key: KeyWords, count: int) -> UInt32[np.ndarray, " count"]:
    """Draws random words, as `jax.random.bits`; assumes fewer than 2³²."""
    first, second = _hash(key, np.zeros(count, np.uint32), np.arange(count, dtype=np.uint32))
    return first ^ second


def uniform_integer(word: int, n: int) -> int:
    """Maps a random word to 0, … n − 1, as `rules.randomness.uniform_integer`."""
    return word * n >> 32


def _hash(
    key: KeyWords, first: UInt32[np.ndarray, " count"], second: UInt32[np.ndarray, " count"]
) -> tuple[UInt32[np.ndarray, " count"], UInt32[np.ndarray, " count"]]:
    """Encrypts pairs of words; the arithmetic is modulo 2³²."""
    schedule = [np.uint32(word) for word in (*key, key[0] ^ key[1] ^ PARITY)]
    x, y = first + schedule[0], second + schedule[1]
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x = x + y
            y = (y << np.uint32(rotation) | y >> np.uint32(32 - rotation)) ^ x
        x = x + schedule[(group + 1) % 3]
        y = y + schedule[(group + 2) % 3] + np.uint32(group + 1)
    return x, y
