"""The posterior of a position: the uniform distribution over its consistent layouts.

Layouts drawn from it, mine probabilities of pairs of cells, its entropy, what opening a cell shows,
and how much that tells. Every function takes one position, a batch of positions, last, or a
sequence of positions of any sizes, as `jaxsweep.infer` does. It returns a NumPy array and a
`Status` of each position, both with the batch first, or without a batch axis for one position.
Grids are of the whole container of the batch.

Everything is exact: counted, not sampled, by machine code on the cores of the host. The status is
`EXACT`, `INCONSISTENT` where no layout is consistent, or `OVER_CAPACITY`; where it is not `EXACT`,
numbers are NaN. `draw_layouts_on_device` alone is for programs on devices.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Array, Bool, Float, Int, Integer, Key, UInt32

from jaxsweep.beliefs import Status
from jaxsweep.engines import device_sampling
from jaxsweep.engines.native import Native
from jaxsweep.engines.native_batch import NativeBatch
from jaxsweep.inference import batch_of
from jaxsweep.native.board import make_record
from jaxsweep.native.conditioning import make_conditioning_space
from jaxsweep.native.layout_draws import BLOCK, draw_blocks, make_draw_space
from jaxsweep.native.outcomes import KINDS, OPENING, SHOWN, outcomes_some
from jaxsweep.native.pair_probabilities import PAIRS, pair_some
from jaxsweep.native.thread_memory import thread_memory
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.position import Position

Positions = Position | Sequence[Position]
"""One position, a batch of them, last, or a sequence of positions of any sizes."""

Cells = Sequence[tuple[int, int]] | Int[np.ndarray, "_ 2"]
"""Rows and columns of cells."""

CellsOfAll = Cells | Sequence[Cells] | Int[np.ndarray, "batch _ 2"]
"""Cells of all positions alike, or of each."""

CHUNK = 16
"""Positions, or blocks of layouts, that a thread works on at once."""


def draw_layouts(
    positions: Positions,
    draws: int,
    seeds: int | Integer[np.ndarray | Array, " batch"] = 0,
) -> tuple[Bool[np.ndarray, "*batch draws rows cols"], Int[np.ndarray, "*batch"]]:
    """Draws layouts of each position, independently, each as likely as every other.

    Where the status is not `EXACT`, layouts have no mines. The layouts of a position depend on the
    position, its seed and `draws`, not on the rest of the batch. With one seed for all, they also
    depend on its place in the batch; in an array of seeds, equal ones give equal random numbers.

    Raises `ValueError` if there is no draw, or not a seed for each position.
    """
    packed, status = draw_packed_layouts(positions, draws, seeds)
    # Words have their lowest bit first, and so have little-endian bytes.
    octets = packed.astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").view(bool), status


def draw_packed_layouts(
    positions: Positions,
    draws: int,
    seeds: int | Integer[np.ndarray | Array, " batch"] = 0,
) -> tuple[UInt32[np.ndarray, "*batch draws rows words"], Int[np.ndarray, "*batch"]]:
    """Draws the layouts of `draw_layouts` as packed boards, a bit for each cell.

    Bit c of word w is column 32 w + c, as in all packed boards (`jaxsweep.rules.bitboard`).
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    batch, single = _on_host(positions)
    rows, words, count = batch.hidden.shape
    each, streams = np.empty(count, np.uint64), np.zeros(count, np.uint64)
    if isinstance(seeds, int):
        each[:], streams[:] = seeds % 2**64, np.arange(count)
    elif seeds.shape == (count,):
        each[:] = np.asarray(seeds)
    else:
        raise ValueError(f"{count} positions need {count} seeds, not of shape {seeds.shape}")
    layouts = np.zeros((count, draws, rows, words), np.uint32)
    status = _unknown(count)

    def work(begin: int, end: int, rows: int, cols: int) -> None:
        space = thread_memory(make_draw_space, rows, cols)
        draw_blocks(begin, end, *batch, each, streams, space, layouts, status)

    batch.run(work, count * -(-draws // BLOCK), CHUNK)
    return _finished(layouts, status, single)


def draw_layouts_on_device(
    positions: Position, keys: Key[Array, " batch"], draws: int
) -> tuple[UInt32[Array, "rows words draws batch"], Int[Array, " batch"]]:
    """Draws layouts of each position of a batch, last, on the device; to be jitted.

    As `draw_packed_layouts`, but a pure function of arrays, with the batch last, for programs on
    accelerators. The layouts of a position depend on it, its key and `draws`. Capacities are fixed
    and smaller: what exceeds them is `OVER_CAPACITY`, and a position for whose components the
    others of the batch left no room is `BATCH_FULL`, and can be drawn from in another batch.

    Raises `ValueError` for positions without a batch axis.
    """
    if positions.hidden.ndim != 3:
        raise ValueError("positions must be a batch, last: `jaxsweep.stack_positions` makes one")
    return device_sampling.draw_layouts(frontier.reduce(positions), keys, draws)


def pair_probabilities(
    positions: Positions, cells: CellsOfAll
) -> tuple[Float[np.ndarray, "*batch cells cells"], Int[np.ndarray, "*batch"]]:
    """Computes the probability that two cells are both mines, of any hidden cells.

    On the diagonal is the mine probability of each cell. `cells` are rows and columns, the same in
    all positions, or a list or array of them for each. Of lists that differ in length, the shorter
    ones get NaN in the rows and columns that they have no cell for.

    Raises `ValueError` for a cell that is not hidden, or off the board.
    """
    batch, single = _on_host(positions)
    lists = _cells_of_each(cells, len(batch.mines))
    counts = np.array([len(some) for some in lists], np.int64)
    most = int(counts.max(initial=0))
    wanted = np.zeros((len(lists), most, 2), np.int64)
    for which, some in enumerate(lists):
        wanted[which, : len(some)] = some
        _check_hidden(some, which, batch, single)
    both, status = np.full((len(lists), most, most), np.nan), _unknown(len(lists))

    def work(begin: int, end: int, rows: int, cols: int) -> None:
        space = thread_memory(make_conditioning_space, rows, cols)
        pair_some(begin, end, *batch, wanted, counts, space, make_record(PAIRS), both, status)

    batch.run(work, len(lists), CHUNK)
    return _finished(both, status, single)


def entropy(
    positions: Positions,
) -> tuple[Float[np.ndarray, "*batch"], Int[np.ndarray, "*batch"]]:
    """Computes the entropy of the layout, in bits: the binary logarithm of their number."""
    batch, single = batch_of(positions)
    count = batch.mines.shape[0]
    beliefs = Native().infer(batch, np.zeros(count, np.uint32))
    hidden = bitboard.unpack_batch(batch.hidden)
    several = (hidden & ~beliefs.safe & ~beliefs.mines).any((1, 2))
    # The logarithm of 1 would have a rounding error.
    bits = np.where(several, beliefs.log_layouts / np.log(2), 0.0)
    return _finished(bits, beliefs.status, single)


def outcomes(
    positions: Positions,
) -> tuple[Float[np.ndarray, "*batch rows cols 10"], Int[np.ndarray, "*batch"]]:
    """Computes what opening each hidden cell shows: the probabilities of 0 to 8, and of a mine.

    They are 0 for cells that are not hidden.
    """
    shown, _, status, single = _outcomes(positions)
    return _finished(shown, status, single)


def expected_information(
    positions: Positions,
) -> tuple[Float[np.ndarray, "*batch rows cols"], Int[np.ndarray, "*batch"]]:
    """Computes how many bits opening each hidden cell is expected to tell about the layout.

    What a cell shows is a function of the layout. So the entropy of the layout is expected to
    fall by just the entropy of the outcome. It is 0 for cells that are not hidden. A zero counts
    as one number: what its flood fill shows besides is not counted.
    """
    shown, _, status, single = _outcomes(positions)
    logs = np.log2(shown, out=np.zeros_like(shown), where=shown > 0)
    bits = np.maximum(-(shown * logs).sum(-1), 0.0)
    return _finished(bits, status, single)


def certain_cell_chance(
    positions: Positions,
) -> tuple[Float[np.ndarray, "*batch rows cols"], Int[np.ndarray, "*batch"]]:
    """Computes how likely opening a hidden cell is safe, and leaves a certainly safe cell.

    That is the probability that the cell is no mine, and that another hidden cell is a mine in no
    layout that is consistent with the position and the cell's number. That cell may be known to be
    safe before. If the number is 0, hidden neighbours are such cells, before any flood fill. It is
    0 for cells that are not hidden.
    """
    _, chance, status, single = _outcomes(positions)
    return _finished(chance, status, single)


def _outcomes(
    positions: Positions,
) -> tuple[
    Float[np.ndarray, "batch rows cols 10"],
    Float[np.ndarray, "batch rows cols"],
    Int[np.ndarray, " batch"],
    bool,
]:
    """Computes `outcomes` and `certain_cell_chance` of a batch."""
    batch, single = _on_host(positions)
    shape = batch.grid_shape
    shown, chance, status = np.zeros((*shape, SHOWN)), np.zeros(shape), _unknown(shape[0])

    def work(begin: int, end: int, rows: int, cols: int) -> None:
        space = thread_memory(make_conditioning_space, rows, cols)
        openings = np.zeros(KINDS, OPENING)
        outcomes_some(begin, end, *batch, space, openings, shown, chance, status)

    batch.run(work, shape[0], CHUNK)
    return shown, chance, status, single


def _on_host(positions: Positions) -> tuple[NativeBatch, bool]:
    """Copies positions to the host, and returns whether they are one without a batch axis."""
    batch, single = batch_of(positions)
    return NativeBatch.of(batch), single


def _unknown(count: int) -> Int[np.ndarray, " batch"]:
    """Returns the statuses of positions that nothing has worked on."""
    return np.full(count, Status.OVER_CAPACITY, np.int32)


def _finished(
    values: np.ndarray, status: Int[np.ndarray, " batch"], single: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Returns values and statuses, without numbers where they would have no meaning."""
    values[status != Status.EXACT] = 0 if values.dtype == np.uint32 else np.nan
    return (values[0, ...], status[0, ...]) if single else (values, status)


def _cells_of_each(cells: CellsOfAll, count: int) -> list[Int[np.ndarray, "_ 2"]]:
    """Returns the cells of each position as arrays."""
    lists = list(cells)
    if not lists or np.shape(lists[0]) == (2,):
        lists = [lists] * count
    if len(lists) != count:
        raise ValueError(f"{count} positions need {count} lists of cells, not {len(lists)}")
    return [np.asarray(some, np.int64).reshape(-1, 2) for some in lists]


def _check_hidden(
    cells: Int[np.ndarray, "_ 2"], which: int, batch: NativeBatch, single: bool
) -> None:
    """Raises `ValueError` if a cell is not a hidden one of a position of a batch."""
    hidden, opened = (bitboard.unpack_batch(bits[..., which : which + 1])[0] for bits in batch[:2])
    for row, col in cells.tolist():
        if 0 <= row < hidden.shape[0] and 0 <= col < hidden.shape[1] and hidden[row, col]:
            continue
        inside = 0 <= row < hidden.shape[0] and 0 <= col < hidden.shape[1] and opened[row, col]
        what = "open" if inside else "off the board"
        where = "" if single else f" in position {which}"
        raise ValueError(f"row {row}, column {col} is {what}{where}: cells must be hidden")
