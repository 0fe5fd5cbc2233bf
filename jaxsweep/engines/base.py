"""The interface of an engine."""

import abc

import equinox as eqx
import numpy as np
from jaxtyping import UInt32

import jaxsweep.engines.device_beliefs  # noqa: F401, makes `Beliefs` a pytree
from jaxsweep.beliefs import Beliefs
from jaxsweep.rules.position import Position


class AbstractEngine(eqx.Module):
    """An inference method: computes beliefs about positions.

    The beliefs about a position depend on that position and its seed alone, not on the rest of
    the batch. A deterministic engine ignores the seeds.
    """

    @abc.abstractmethod
    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Infers the beliefs about a batch of positions: batch last in, batch first out.

        Assumes that the whole batch fits into memory; `jaxsweep.infer` splits larger ones.
        """
