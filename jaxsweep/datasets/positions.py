"""Labelled positions as arrays, and as the bytes of a file.

A file is an npz archive as NumPy reads it. It has no times and no names of machines in it: the same
positions give the same bytes.
"""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from operator import index as index_of
from typing import Any, SupportsIndex

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int8, Int16, Int32, Int64

from jaxsweep.datasets.settings import DatasetError
from jaxsweep.rules.notation import GridPosition

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every entry of an archive: the earliest one that there is."""


class Kind(IntEnum):
    """What is to be done in a position."""

    CERTAIN = 0
    """Some cells are certainly safe."""
    GUESS = 1
    """None is."""


class WinSource(IntEnum):
    """Where a win probability is from."""

    UNKNOWN = 0
    """There is none."""
    MODEL = 1
    """An estimate by the model of `scalar/win_probability.py`."""
    EXACT = 2
    """Exhaustive search through all layouts that are left."""


class Outcome(IntEnum):
    """How the player's game ended."""

    NOT_FINISHED = -1
    """A later position exceeded the capacity."""
    LOST = 0
    WON = 1


@dataclass(frozen=True, eq=False)
class LabelledPositions:
    """Positions of games, with everything that is known of each exactly.

    A label is a fact about all layouts that agree with what is seen. The exceptions are `move`, the
    player's choice; `win_probability` where `win_source` says that it is an estimate; and
    `outcome`, which luck had a part in.
    """

    seen: Int8[np.ndarray, "positions rows cols"]
    """What is seen: 0 to 8 in open cells, −1 in hidden ones."""
    mine_count: Int16[np.ndarray, " positions"]
    """The mines on the whole board."""
    mine_probability: Float32[np.ndarray, "positions rows cols"]
    """Of hidden cells; 0 in open ones."""
    safe: Bool[np.ndarray, "positions rows cols"]
    """Hidden cells that are a mine in no layout: by possibility, never by rounding."""
    mines: Bool[np.ndarray, "positions rows cols"]
    """Hidden cells that are a mine in every layout."""
    log_layouts: Float64[np.ndarray, " positions"]
    """The natural logarithm of the number of layouts."""
    least_risk: Float32[np.ndarray, " positions"]
    """The lowest mine probability of a hidden cell."""
    kind: Int8[np.ndarray, " positions"]
    """A `Kind`."""
    move: Int16[np.ndarray, "positions 2"]
    """Row and column of the cell that the player guesses. Where cells are certain, −1: the move is
    any of `safe`."""
    win_probability: Float32[np.ndarray, " positions"]
    """Of the best play; NaN where it is unknown."""
    win_source: Int8[np.ndarray, " positions"]
    """A `WinSource`."""
    searched: Int32[np.ndarray, " searched"]
    """Which positions, in ascending order, are so near the end that all layouts were searched."""
    cell_win_probability: Float32[np.ndarray, "searched rows cols"]
    """In these positions, that of the best play after opening each hidden cell; NaN in open
    cells."""
    game: Int64[np.ndarray, " positions"]
    """The number of the game."""
    open_cells: Int16[np.ndarray, " positions"]
    """How many cells are open."""
    outcome: Int8[np.ndarray, " positions"]
    """The `Outcome` of the player's game."""

    def __len__(self) -> int:
        return len(self.seen)

    def position(self, index: SupportsIndex) -> GridPosition:
        """Returns one position as `jaxsweep.read_grid` returns it: without labels."""
        return GridPosition(self.seen[index], int(self.mine_count[index]))

    def cell_wins(self, index: SupportsIndex) -> Float32[np.ndarray, "rows cols"] | None:
        """Returns the win probability of each cell of a position, None if it was not searched."""
        place = int(np.searchsorted(self.searched, index_of(index)))
        if place == len(self.searched) or self.searched[place] != index_of(index):
            return None
        return self.cell_win_probability[place]

    def select(self, which: Bool[np.ndarray, " positions"]) -> "LabelledPositions":
        """Returns some positions, in the same order."""
        new_index = np.cumsum(which) - 1
        kept = which[self.searched]
        chosen = {name: array[which] for name, array in self._arrays().items()}
        chosen["searched"] = new_index[self.searched[kept]].astype(np.int32)
        chosen["cell_win_probability"] = self.cell_win_probability[kept]
        return LabelledPositions(**chosen)

    @staticmethod
    def concatenate(
        parts: Sequence["LabelledPositions"], rows: int, cols: int
    ) -> "LabelledPositions":
        """Returns all positions of several parts, of boards of one size."""
        joined: dict[str, Any] = {name: [array] for name, array in _empty(rows, cols).items()}
        begin = 0
        for part in parts:
            for name, array in part._arrays().items():
                joined[name].append(array)
            joined["searched"].append(part.searched + np.int32(begin))
            joined["cell_win_probability"].append(part.cell_win_probability)
            begin += len(part)
        return LabelledPositions(**{name: np.concatenate(some) for name, some in joined.items()})

    def _arrays(self) -> dict[str, np.ndarray]:
        """Returns the arrays with one entry a position, by name."""
        return {name: getattr(self, name) for name, axes in AXES.items() if axes[0] == "positions"}

    def to_bytes(self) -> bytes:
        """Returns the bytes of a file with these positions."""
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in AXES:
                entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(entry, "w") as file:
                    array = np.ascontiguousarray(getattr(self, name))
                    np.lib.format.write_array(file, array, (1, 0), allow_pickle=False)
        return stream.getvalue()

    @staticmethod
    def from_bytes(data: bytes, count: int, rows: int, cols: int) -> "LabelledPositions":
        """Reads so many positions of boards of this size from the bytes of a file.

        Raises `DatasetError` for anything else. Nothing is allocated beyond what they take.
        """
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                arrays, searched = {}, count
                for name in AXES:
                    sizes = {"positions": count, "rows": rows, "cols": cols, "2": 2}
                    arrays[name] = _read_array(archive, name, sizes | {"searched": searched})
                    if name == "searched":
                        searched = len(arrays[name])
        except DatasetError:
            raise
        except Exception as error:  # A damaged archive can fail in many ways.
            raise DatasetError(f"it is no archive of positions: {error}") from None
        index = arrays["searched"]
        if ((index < 0) | (index >= count)).any() or (np.diff(index) <= 0).any():
            raise DatasetError("its `searched` are not positions in ascending order")
        return LabelledPositions(**arrays)


AXES: dict[str, tuple[str, ...]] = {
    item.name: tuple(item.type.dim_str.split())  # pyright: ignore[reportAttributeAccessIssue]
    for item in fields(LabelledPositions)
}
"""The axes of each array, in the order of a file."""

DTYPES: dict[str, np.dtype] = {
    item.name: np.dtype(item.type.dtypes[0])  # pyright: ignore[reportAttributeAccessIssue]
    for item in fields(LabelledPositions)
}


def _empty(rows: int, cols: int) -> dict[str, np.ndarray]:
    """Returns arrays of no positions, by name."""
    sizes = {"positions": 0, "searched": 0, "rows": rows, "cols": cols, "2": 2}
    return {
        name: np.zeros([sizes[axis] for axis in axes], DTYPES[name]) for name, axes in AXES.items()
    }


def _read_array(archive: zipfile.ZipFile, name: str, sizes: dict[str, int]) -> np.ndarray:
    """Reads one array of an archive, of which nothing but the number of `searched` is free."""
    wanted = tuple(sizes[axis] for axis in AXES[name])
    with archive.open(f"{name}.npy") as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise DatasetError(f"its array `{name}` has an unknown format")
        shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file)
        right = shape == wanted or (name == "searched" and len(shape) == 1 and shape <= wanted)
        if not right or dtype != DTYPES[name] or in_columns:
            raise DatasetError(
                f"its array `{name}` is {dtype} {list(shape)}, not {DTYPES[name]} {list(wanted)}"
            )
        size = int(np.prod(shape)) * dtype.itemsize
        data = file.read(size + 1)
    if len(data) != size:
        raise DatasetError(f"its array `{name}` has more or fewer bytes than its shape says")
    return np.frombuffer(data, dtype).reshape(shape)
