"""The scalar path compiled to machine code, as an engine: exact inference on the host's cores."""

import threading

import equinox as eqx
import jax
import numpy as np
from jaxtyping import UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import parallel_map
from jaxsweep.native.board import used_size
from jaxsweep.native.inference import infer_some
from jaxsweep.native.solving import Solver, make_solver
from jaxsweep.rules.bitboard import WORD
from jaxsweep.rules.position import Position
from jaxsweep.scalar.view import MAX_CELLS

CHUNK = 512
"""Positions that a thread infers at once."""


class Native(AbstractEngine):
    """Exact beliefs about nearly every position on boards of up to `max_cells` cells."""

    max_cells: int = eqx.field(static=True, default=MAX_CELLS)

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Infers the beliefs about a batch of positions, batch last in, batch first out."""
        host = jax.device_get(positions)
        # Copies are contiguous and writable: one type of arrays, for which code is compiled once.
        hidden, opened, total = (np.array(leaf) for leaf in (host.hidden, host.opened, host.mines))
        rows, width, count = hidden.shape
        shape = (count, rows, width * WORD)
        probability = np.zeros(shape, np.float32)
        safe, mines = np.zeros(shape, bool), np.zeros(shape, bool)
        logs, status = np.full(count, -np.inf), np.full(count, Status.OVER_CAPACITY, np.int32)
        board = used_size(hidden, opened)
        numbers = np.stack(host.numbers)

        def work(begin: int) -> None:
            infer_some(
                begin,
                min(begin + CHUNK, count),
                hidden,
                opened,
                numbers,
                total,
                solver_of_thread(*board),
                probability,
                safe,
                mines,
                logs,
                status,
            )

        if board[0] * board[1] <= self.max_cells:
            parallel_map(work, range(0, count, CHUNK), bytes_per_job=1)
        return Beliefs(
            mine_probability=probability,
            error=np.zeros(shape, np.float32),
            safe=safe,
            mines=mines,
            log_layouts=logs,
            status=status,
        )


_own = threading.local()


def solver_of_thread(rows: int, cols: int) -> Solver:
    """Returns the memory of this thread for boards of this size."""
    if getattr(_own, "board", None) != (rows, cols):
        _own.board, _own.solver = (rows, cols), make_solver(rows, cols)
    return _own.solver
