"""The sampling engine: rejection sampling where it works, chains elsewhere."""

import jax
import numpy as np
from jaxtyping import UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.chains import Chains
from jaxsweep.engines.rejection import CALLS, SAMPLES, Rejection
from jaxsweep.rules.position import Position


class Sampling(AbstractEngine):
    """Estimates for any position: by random layouts, or by chains where too few are accepted.

    Rejection sampling gets two rounds per position. The tolerance is what a choice between cells
    needs: use `Chains` for smaller errors.
    """

    rejection: Rejection = Rejection(samples=2 * CALLS * SAMPLES)
    chains: Chains = Chains(tolerance=0.02)

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Estimates the beliefs about a batch."""
        beliefs = self.rejection.infer(positions, seeds)
        unsure = np.asarray(beliefs.error).max((1, 2)) > self.chains.tolerance
        over = np.asarray(beliefs.status) == Status.OVER_CAPACITY
        left = np.nonzero(over | unsure)[0]
        if not len(left):
            return beliefs
        rest = jax.tree.map(lambda leaf: leaf[..., left], jax.device_get(positions))
        return beliefs.replace_at(left, self.chains.infer(rest, seeds[left]))
