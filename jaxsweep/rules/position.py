"""A position on packed rows: what a player sees, and the number of mines.

`notation` has positions as plain grids, and their text and JSON forms.
"""

from collections.abc import Sequence

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Int, Int8, Int32

from jaxsweep.rules import bitboard, notation
from jaxsweep.rules.bitboard import Bits, Planes
from jaxsweep.rules.grid import FLAGGED, HIDDEN
from jaxsweep.rules.level import Level
from jaxsweep.rules.notation import GridPosition


class Position(eqx.Module):
    """What a player sees of a board, on packed rows; or a batch of them, batch last.

    Hidden and open cells together are the board.
    """

    hidden: Bits
    opened: Bits
    numbers: Planes
    """Bit planes of the numbers shown; 0 in all cells that are not open."""
    flags: Bits
    mines: Int[Array, "*batch"]
    """The number of mines on the whole board, known or not."""


def from_grid(grid: Int[np.ndarray, "rows cols"], mines: int) -> Position:
    """Builds a position from a grid of numbers, `HIDDEN` and `FLAGGED`."""
    return _from_grids(grid, np.int32(mines))


def from_grids(grids: Int[np.ndarray, "batch rows cols"], mines: int) -> Position:
    """As `from_grid`, of a batch of grids, first, all with so many mines: the batch is last."""
    return _from_grids(np.moveaxis(grids, 0, -1), np.full(len(grids), mines, np.int32))


def _from_grids(
    grids: Int[np.ndarray, "rows cols *batch"], mines: np.int32 | Int32[np.ndarray, " batch"]
) -> Position:
    opened = grids >= 0
    planes = bitboard.planes_from_numbers(np.where(opened, grids, 0).astype(np.int8))
    host = (*planes, *map(bitboard.pack, (~opened, opened, grids == FLAGGED)), mines)
    # Not `jnp.asarray`, which compiles a kernel for each shape.
    ones, twos, fours, eights, hidden, shown, flags, count = jax.device_put(host)
    return Position(hidden, shown, (ones, twos, fours, eights), flags, count)


def to_grid(position: Position) -> Int8[np.ndarray, "rows cols"]:
    """Returns the grid of numbers on the host, cropped to the board: the inverse of `from_grid`."""
    host = jax.device_get(position)
    level = level_of(host)
    numbers = bitboard.numbers_from_planes(np.stack(host.numbers), level.cols)
    numbers = np.where(bitboard.unpack(host.hidden, level.cols), np.int8(HIDDEN), numbers)
    numbers = np.where(bitboard.unpack(host.flags, level.cols), np.int8(FLAGGED), numbers)
    return numbers[: level.rows]


def level_of(position: Position) -> Level:
    """Returns the size of the board inside its container, and its number of mines."""
    cells = np.asarray(position.hidden) | np.asarray(position.opened)
    grid = bitboard.unpack(cells, cells.shape[1] * bitboard.WORD)
    return Level(int(grid.any(1).sum()), int(grid.any(0).sum()), int(position.mines))


def stack(positions: Sequence[Position]) -> Position:
    """Stacks positions of any sizes along a last batch axis, in the smallest common container."""
    rows = max(p.hidden.shape[0] for p in positions)
    words = max(p.hidden.shape[1] for p in positions)

    def join(*leaves: np.ndarray) -> Array:
        padded = [
            np.pad(leaf, ((0, rows - leaf.shape[0]), (0, words - leaf.shape[1])))
            if leaf.ndim
            else leaf
            for leaf in leaves
        ]
        return jax.device_put(np.stack(padded, axis=-1))

    return jax.tree.map(join, *(jax.device_get(p) for p in positions))


def to_grid_position(position: Position) -> GridPosition:
    """Returns a position as a plain grid on the host."""
    return GridPosition(to_grid(position), int(position.mines))


def to_grid_positions(positions: Position) -> list[GridPosition | None]:
    """Returns a batch of positions, last, as plain grids; None for boards with holes."""
    host = jax.device_get(positions)
    hidden, opened, flags = (
        bitboard.unpack_batch(bits) for bits in (host.hidden, host.opened, host.flags)
    )
    planes = [bitboard.unpack_batch(plane) for plane in host.numbers]
    grids = sum(np.int8(1 << i) * plane for i, plane in enumerate(planes))
    grids = np.where(hidden, np.where(flags, np.int8(FLAGGED), np.int8(HIDDEN)), grids)
    found = []
    for grid, board, mines in zip(grids, hidden | opened, host.mines.tolist(), strict=True):
        rows, cols = int(board.any(1).sum()), int(board.any(0).sum())
        whole = board[:rows, :cols].all() and int(board.sum()) == rows * cols
        found.append(GridPosition(grid[:rows, :cols], mines) if whole else None)
    return found


def to_text(position: Position) -> str:
    """Returns the text form."""
    return notation.to_text(to_grid_position(position))


def to_json(position: Position) -> str:
    """Returns the JSON form."""
    return notation.to_json(to_grid_position(position))


def from_text(text: str) -> Position:
    """Reads one position in its text form; raises `PositionError` naming line and column."""
    return from_grid(*notation.from_text(text))


def from_json(text: str) -> Position:
    """Reads one position in its JSON form; raises `PositionError` naming what is wrong where."""
    return from_grid(*notation.from_json(text))


def read(text: str) -> Position:
    """Reads one position in either form; a text that begins with a brace is JSON."""
    return from_grid(*notation.read(text))
