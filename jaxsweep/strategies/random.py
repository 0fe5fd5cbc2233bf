"""The player `random`: opens any hidden cell."""

import jax.numpy as jnp
from jaxtyping import Array, Key, UInt32

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.position import Position
from jaxsweep.rules.randomness import random_words, uniform_integer
from jaxsweep.rules.reasons import Reason, Rules
from jaxsweep.scalar.advice import UNKNOWN_RISK
from jaxsweep.strategies.base import AbstractTraceableStrategy, Move


class Random(AbstractTraceableStrategy):
    """Opens a hidden cell uniformly at random."""

    @property
    def rules(self) -> Rules:
        """None: this strategy does not look at the numbers."""
        return Rules.NONE

    def choose(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Chooses among all hidden cells with equal probability."""
        return random_moves(positions, jnp.zeros_like(positions.hidden), keys)


def random_moves(positions: Position, mines: Bits, keys: Key[Array, " batch"]) -> Move:
    """Opens, in each position, a random hidden cell that is not among the known `mines`."""
    return Move(
        opens=random_cell(positions.hidden & ~mines, random_words(keys)),
        flags=mines,
        reason=jnp.full_like(positions.mines, Reason.AT_RANDOM),
        risk=jnp.full_like(positions.mines, UNKNOWN_RISK, jnp.float32),
    )


def random_cell(cells: Bits, word: UInt32[Array, "*batch"]) -> Bits:
    """Picks one of the set cells by a random word, uniformly; none where no cell is set."""
    rank = uniform_integer(word, bitboard.count(cells).astype(jnp.uint32))
    return bitboard.nth(cells, rank.astype(jnp.int32))
