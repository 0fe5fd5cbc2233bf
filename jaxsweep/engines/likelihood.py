"""The likelihood score: the sum of what each number alone says about its cells.

After the single-cell rules, every open number gives each hidden cell around it the share (mines
left) / (hidden cells left). The score of a cell is the sum over the numbers around it, from 0 to 8.
It orders the cells; it is no probability, since it treats numbers that share cells as independent.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import is_possible, map_batches, reduce_positions
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize


class Likelihood(AbstractEngine):
    """Scores, not probabilities: the sum over open neighbours of mines left / hidden cells left."""

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Computes the scores of a batch; the seeds are not used."""
        reduced = reduce_positions(positions)
        score = np.moveaxis(map_batches(score_batch, reduced), -1, 0)
        return Beliefs.build(
            status=np.where(is_possible(reduced), Status.SCORE, Status.INCONSISTENT),
            mine_probability=np.zeros(score.shape, np.float32),
            safe=bitboard.unpack_batch(reduced.certain.safe),
            mines=bitboard.unpack_batch(reduced.certain.mines),
            score=score,
        )


@jax.jit
def score_batch(reduced: ReducedPosition) -> Float[Array, "rows cols batch"]:
    """Computes the score of every boundary cell of a batch, last; 0 elsewhere."""
    hidden_left = materialize(bitboard.neighbour_counts(reduced.boundary | reduced.unconstrained))
    mines_left = bitboard.as_floats(reduced.residuals)
    share = mines_left / jnp.maximum(bitboard.as_floats(hidden_left), 1.0)
    share = jnp.where(_grid(reduced.constraints), share, 0.0)
    rows, cols, _ = share.shape
    padded = jnp.pad(share, ((1, 1), (1, 1), (0, 0)))
    around = [padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3)]
    return jnp.where(_grid(reduced.boundary), jax.tree.reduce(jnp.add, around), 0.0)


def _grid(bits: Bits) -> Bool[Array, "rows cols batch"]:
    return jnp.asarray(bitboard.unpack(bits, bits.shape[1] * bitboard.WORD))
