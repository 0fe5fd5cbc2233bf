"""The scalar path compiled to machine code, as an engine: exact inference on the host's cores."""

import equinox as eqx
import numpy as np
from jaxtyping import UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.native_batch import NativeBatch
from jaxsweep.native.inference import infer_some
from jaxsweep.native.solving import make_solver
from jaxsweep.native.thread_memory import thread_memory
from jaxsweep.rules.position import Position
from jaxsweep.scalar.view import MAX_CELLS

CHUNK = 512
"""Positions that a thread infers at once."""


class Native(AbstractEngine):
    """Exact beliefs about nearly every position on boards of up to `max_cells` cells."""

    max_cells: int = eqx.field(static=True, default=MAX_CELLS)

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Infers the beliefs about a batch of positions, batch last in, batch first out."""
        batch = NativeBatch.of(positions)
        count, shape = len(batch.mines), batch.grid_shape
        probability = np.zeros(shape, np.float32)
        safe, mines = np.zeros(shape, bool), np.zeros(shape, bool)
        logs, status = np.full(count, -np.inf), np.full(count, Status.OVER_CAPACITY, np.int32)

        def work(begin: int, end: int, rows: int, cols: int) -> None:
            infer_some(
                begin,
                end,
                *batch,
                thread_memory(make_solver, rows, cols),
                probability,
                safe,
                mines,
                logs,
                status,
            )

        batch.run(work, count, CHUNK, self.max_cells)
        return Beliefs(
            mine_probability=probability,
            error=np.zeros(shape, np.float32),
            safe=safe,
            mines=mines,
            log_layouts=logs,
            status=status,
        )
