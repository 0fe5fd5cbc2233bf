"""The scalar path as an engine: exact inference with Python integers, one position at a time."""

import equinox as eqx
import jax
import numpy as np
from jaxtyping import UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.device_beliefs import in_container
from jaxsweep.rules import bitboard
from jaxsweep.rules.grid import HIDDEN
from jaxsweep.rules.position import Position
from jaxsweep.scalar.exact import MAX_STATES, Counter, infer_view
from jaxsweep.scalar.geometry import from_mask, geometry
from jaxsweep.scalar.view import MAX_CELLS, View


class Scalar(AbstractEngine):
    """Exact beliefs about every position within a budget of states, without compiling anything."""

    max_states: int = eqx.field(static=True, default=MAX_STATES)

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Infers the beliefs about a batch of positions: batch last in, batch first out."""
        return self.infer_and_count(positions)[0]

    def infer_and_count(self, positions: Position) -> tuple[Beliefs, list[int | None]]:
        """Infers beliefs, and counts the layouts of each position; None where it is over budget."""
        host = jax.device_get(positions)
        hidden, opened = (bitboard.unpack_batch(bits) for bits in (host.hidden, host.opened))
        # Without the padding that no board of the batch reaches into.
        used = np.argwhere((hidden | opened).any(0))
        rows, cols = (int(last) + 1 for last in used.max(0, initial=0))
        if rows * cols > MAX_CELLS:
            return _over_capacity(hidden), [None] * len(hidden)
        planes = [bitboard.unpack_batch(plane) for plane in host.numbers]
        numbers = sum(np.int8(1 << i) * plane for i, plane in enumerate(planes))
        grids = np.where(opened, numbers, np.int8(HIDDEN))[:, :rows, :cols]
        size, counter = geometry(rows, cols), Counter(self.max_states)
        found, counts = [], []
        for grid, covered, mines in zip(grids, hidden[:, :rows, :cols], host.mines, strict=True):
            view = View(size, tuple(grid.reshape(-1).tolist()), from_mask(covered), int(mines))
            beliefs, layouts = infer_view(view, counter)
            found.append(beliefs)
            counts.append(layouts)
        batch = jax.tree.map(lambda *leaves: np.stack(leaves), *found)
        return in_container(batch, positions), counts


def _over_capacity(hidden: np.ndarray) -> Beliefs:
    """Returns beliefs about boards that are too large."""
    nothing = np.zeros(hidden.shape, bool)
    return Beliefs.build(
        status=np.full(len(hidden), Status.OVER_CAPACITY),
        mine_probability=np.zeros(hidden.shape, np.float32),
        safe=nothing,
        mines=nothing,
    )
