"""What an engine is."""

import abc

import equinox as eqx
import numpy as np
from jaxtyping import UInt32

from jaxsweep.engines.beliefs import Beliefs
from jaxsweep.rules.position import Position


class AbstractEngine(eqx.Module):
    """A way to get from positions to beliefs.

    What it says of a position depends on that position and its seed alone, whatever else is in
    the batch. An engine that draws nothing by lot ignores the seeds.
    """

    @abc.abstractmethod
    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Beliefs of a batch of positions, batch last in and first out.

        Assumes that all of them fit into memory at once; `jaxsweep.infer` cuts larger batches.
        """
