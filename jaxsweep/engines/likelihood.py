"""The likelihood score: what each number says of its cells, added up.

After the single-cell rules, every open number gives each hidden cell around it the share (mines
left) / (hidden cells left). A cell's score is the sum over the numbers around it: from 0, where
none is, to 8. It orders the cells; it is no probability, since numbers that share cells are counted
as if they knew nothing of each other, and it is not made to look like one.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, UInt32

from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import in_batches, reduce_positions
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.engines.component_engine import is_possible
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.bitboard import Bits, Planes
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize


class Likelihood(AbstractEngine):
    """Scores, not probabilities: the sum over open neighbours of mines left / hidden cells left."""

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Scores of a batch; nothing is drawn by lot."""
        reduced = reduce_positions(positions)
        safe, mines = (
            bitboard.unpack_batch(x) for x in (reduced.certain.safe, reduced.certain.mines)
        )
        possible = is_possible(reduced)
        score = np.moveaxis(in_batches(_score_batch, positions), -1, 0)
        return Beliefs.build(
            status=np.where(possible, Status.SCORE, Status.INCONSISTENT),
            mine_probability=np.zeros(score.shape, np.float32),
            safe=safe,
            mines=mines,
            score=score,
        )


@jax.jit
def _score_batch(positions: Position) -> Float[Array, "rows cols batch"]:
    return score(materialize(frontier.reduce(positions)))


def score(reduced: ReducedPosition) -> Float[Array, "rows cols *batch"]:
    """The score of every boundary cell of a position, or of a batch, last; 0 elsewhere."""
    hidden_left = materialize(bitboard.neighbour_counts(reduced.boundary | reduced.unconstrained))
    share = _numbers(reduced.residuals) / jnp.maximum(_numbers(hidden_left), 1.0)
    given = jnp.where(_grid(reduced.constraints), share, 0.0)
    rows, cols, *batch = share.shape
    padded = jnp.pad(given, ((1, 1), (1, 1), *((0, 0) for _ in batch)))
    around = [padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3)]
    return jnp.where(_grid(reduced.boundary), jax.tree.reduce(jnp.add, around), 0.0)


def _grid(bits: Bits) -> Array:
    return jnp.asarray(bitboard.unpack(bits, bits.shape[1] * bitboard.WORD))


def _numbers(planes: Planes) -> Float[Array, "rows cols *batch"]:
    digits = [_grid(plane).astype(jnp.float32) * 2**i for i, plane in enumerate(planes)]
    return jax.tree.reduce(jnp.add, digits)
