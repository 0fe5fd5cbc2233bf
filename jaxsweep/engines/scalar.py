"""The scalar path as an engine: exact inference with Python integers, one position at a time."""

import equinox as eqx
import jax
import numpy as np
from jaxtyping import UInt32

from jaxsweep.beliefs import Beliefs
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.device_beliefs import in_container
from jaxsweep.rules.position import Position, to_grid_position
from jaxsweep.scalar.exact import MAX_STATES, Counter, infer


class Scalar(AbstractEngine):
    """Exact beliefs about every position within a budget of states, without compiling anything."""

    max_states: int = eqx.field(static=True, default=MAX_STATES)

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Infers the beliefs about a batch of positions: batch last in, batch first out."""
        return self.infer_and_count(positions)[0]

    def infer_and_count(self, positions: Position) -> tuple[Beliefs, list[int | None]]:
        """Infers beliefs, and counts the layouts of each position; None where it is over budget."""
        host = jax.device_get(positions)
        counter, found, counts = Counter(self.max_states), [], []
        for i in range(len(host.mines)):
            position = to_grid_position(jax.tree.map(lambda leaf, i=i: leaf[..., i], host))
            beliefs, layouts = infer(position, counter)
            batch = jax.tree.map(lambda leaf: np.asarray(leaf)[None], beliefs)
            found.append(in_container(batch, positions))
            counts.append(layouts)
        return jax.tree.map(lambda *leaves: np.concatenate(leaves), *found), counts
