"""Open any covered cell."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int, Key, UInt32

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.position import Position
from jaxsweep.rules.randomness import random_words, uniform_integer
from jaxsweep.strategies.base import UNKNOWN_RISK, AbstractStrategy, Move, Reason, Rules


class Random(AbstractStrategy):
    """Opens a covered cell at random."""

    @property
    def rules(self) -> Rules:
        """Nothing: this player does not look at the numbers."""
        return Rules.NONE

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """All of them."""
        return self.guess(positions, keys), jnp.zeros_like(positions.mines)

    @eqx.filter_jit
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Every covered cell with the same chance."""
        return random_moves(positions, jnp.zeros_like(positions.hidden), keys)


def random_moves(positions: Position, mines: Bits, keys: Key[Array, " batch"]) -> Move:
    """Opens any covered cell that is not known to be a mine."""
    return Move(
        opens=random_cell(positions.hidden & ~mines, random_words(keys)),
        flags=mines,
        reason=jnp.full_like(positions.mines, Reason.AT_RANDOM),
        risk=jnp.full_like(positions.mines, UNKNOWN_RISK, jnp.float32),
    )


def random_cell(cells: Bits, draw: UInt32[Array, "*batch"]) -> Bits:
    """One of the cells, each with the same chance over the draws; none of none."""
    rank = uniform_integer(draw, bitboard.count(cells).astype(jnp.uint32))
    return bitboard.nth(cells, rank.astype(jnp.int32))
