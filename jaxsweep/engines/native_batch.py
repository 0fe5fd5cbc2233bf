"""Batches as compiled code of the host reads them, and the threads that it runs in."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Int, UInt32

from jaxsweep.engines.batching import parallel_map
from jaxsweep.native.board import used_size
from jaxsweep.rules.bitboard import WORD
from jaxsweep.rules.position import Position
from jaxsweep.scalar.view import MAX_CELLS


class NativeBatch(NamedTuple):
    """Positions on the host, batch last: what compiled functions take, in this order."""

    hidden: UInt32[np.ndarray, "rows words batch"]
    opened: UInt32[np.ndarray, "rows words batch"]
    numbers: UInt32[np.ndarray, "digits rows words batch"]
    """The binary digits of the numbers."""
    mines: Int[np.ndarray, " batch"]

    @classmethod
    def of(cls, positions: Position) -> "NativeBatch":
        """Copies a batch of positions, last, to the host."""
        host = jax.device_get(positions)
        # Copies are contiguous and writable: one type of arrays, for which code is compiled once.
        hidden, opened, mines = (np.array(leaf) for leaf in (host.hidden, host.opened, host.mines))
        return cls(hidden, opened, np.stack(host.numbers), mines)

    @property
    def grid_shape(self) -> tuple[int, int, int]:
        """The shape of what is known about each cell of the container, batch first."""
        rows, words, count = self.hidden.shape
        return count, rows, words * WORD

    def run(
        self,
        work: Callable[[int, int, int, int], None],
        items: int,
        chunk: int,
        max_cells: int = MAX_CELLS,
    ) -> None:
        """Calls `work(begin, end, rows, cols)` for chunks of the items, on all cores.

        Rows and columns are those that the boards of the batch reach into. Nothing is called for
        boards of more than `max_cells` cells.
        """
        rows, cols = used_size(self.hidden, self.opened)
        if rows * cols <= max_cells:
            parallel_map(
                lambda begin: work(begin, min(begin + chunk, items), rows, cols),
                range(0, items, chunk),
                bytes_per_job=1,
            )
