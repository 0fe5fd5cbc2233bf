"""The exact engine against oracles that share no code with it."""

import itertools
import math
from fractions import Fraction

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep import infer, number_odds
from jaxsweep.beliefs import Status
from jaxsweep.engines import (
    batching,
    component_index,
    component_join,
    convolution,
    exact,
    forward_backward,
)
from jaxsweep.engines.components import Component
from jaxsweep.engines.exact import Exact
from jaxsweep.inference import infer_and_count
from jaxsweep.rules import bitboard, frontier, position
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.view import View
from jaxsweep.simulation.stuck_positions import stuck_positions
from tests.oracle import PlainGame, count_by_integers, layouts

TOLERANCE = 1e-5


def small_positions(count, seed):
    """Random boards up to 5×5: any density, opened by flood or here and there, a fifth damaged."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rows, cols = (int(x) for x in rng.integers(1, 6, 2))
        mines = int(rng.integers(0, rows * cols + 1))
        places = rng.permutation(rows * cols)[:mines]
        board = PlainGame(rows, cols, {divmod(int(x), cols) for x in places})
        every = list(itertools.product(range(rows), range(cols)))
        safe = [cell for cell in every if cell not in board.mines]
        if rng.random() < 0.5:
            board.open([safe[int(i)] for i in rng.integers(0, len(safe), 2)] if safe else [])
        else:
            share = rng.random()
            board.opened = {cell for cell in safe if rng.random() < share}
        grid = np.full((rows, cols), -1, np.int8)
        for cell in board.opened:
            grid[cell] = board.number(cell)
        if rng.random() < 0.2:
            if board.opened and rng.random() < 0.7:
                cell = sorted(board.opened)[int(rng.integers(len(board.opened)))]
                grid[cell] = int(rng.integers(0, 9))
            else:
                mines = int(rng.integers(0, rows * cols + 1))
        yield grid, mines


def by_masks(grid, mines):
    """(layouts, {cell: layouts with a mine there}) by trying every subset of the hidden cells."""
    rows, cols = grid.shape
    board = PlainGame(rows, cols, [])
    hidden = [(int(r), int(c)) for r, c in np.argwhere(grid < 0)]
    masks = np.arange(2 ** len(hidden), dtype=np.uint32)
    masks = masks[np.bitwise_count(masks) == mines]
    for row, col in np.argwhere(grid >= 0):
        around = set(board.neighbours((int(row), int(col))))
        near = np.uint32(sum(1 << i for i, cell in enumerate(hidden) if cell in around))
        masks = masks[np.bitwise_count(masks & near) == grid[row, col]]
    counts = {cell: int((masks >> np.uint32(i) & 1).sum()) for i, cell in enumerate(hidden)}
    return len(masks), counts


def agree(beliefs, i, total, counts):
    """Position `i` of a batch against exact counts."""
    if total == 0:
        assert beliefs.status[i] == Status.INCONSISTENT
        assert not beliefs.mine_probability[i].any()
        assert not beliefs.safe[i].any()
        assert beliefs.log_layouts[i] == -np.inf
        return
    assert beliefs.status[i] == Status.EXACT
    assert abs(beliefs.log_layouts[i] - math.log(total)) < 1e-4
    for cell, count in counts.items():
        assert abs(beliefs.mine_probability[i][cell] - count / total) < TOLERANCE
        assert beliefs.safe[i][cell] == (count == 0)
        assert beliefs.mines[i][cell] == (count == total)
    assert beliefs.safe[i].sum() == sum(count == 0 for count in counts.values())
    assert beliefs.mines[i].sum() == sum(count == total for count in counts.values())


def test_small_positions_equal_brute_force():
    """5,000 positions: certain cells and layout counts exactly, probabilities within 1e-5.

    The scalar path gives exact fractions.
    """
    samples = list(small_positions(5_000, seed=8))
    batch = position.stack([position.from_grid(grid, mines) for grid, mines in samples])
    beliefs, totals = infer_and_count(batch)
    statuses = np.bincount(beliefs.status, minlength=3)
    assert statuses[Status.OVER_CAPACITY] == 0
    assert statuses[Status.INCONSISTENT] > 250
    for i, (grid, mines) in enumerate(samples):
        few = (grid < 0).sum() <= 16
        total, counts = by_masks(grid, mines) if few else count_by_integers(grid.tolist(), mines)
        agree(beliefs, i, total, counts)
        assert totals[i] == total
        solution = Counter().solve(View.of(grid, mines))
        if total == 0:
            assert solution is None
            continue
        assert solution is not None
        assert solution.layouts == total
        for (row, col), count in counts.items():
            cell = row * grid.shape[1] + col
            assert solution.mine_probability(cell) == Fraction(count, total)
            assert bool(solution.safe >> cell & 1) == (count == 0)
            assert bool(solution.mines >> cell & 1) == (count == total)


def test_the_oracles_agree_with_each_other():
    for grid, mines in small_positions(300, seed=1):
        if (grid < 0).sum() <= 12:
            found = layouts(grid.tolist(), mines)
            total, counts = by_masks(grid, mines)
            assert total == len(found)
            assert all(count == sum(cell in one for one in found) for cell, count in counts.items())
            integers = count_by_integers(grid.tolist(), mines)
            assert integers == (total, counts) or total == integers[0] == 0


@pytest.mark.parametrize(
    ("opening", "count"),
    [
        (Opening.of(LEVELS["expert"]), 400),
        (Opening.of(Level(16, 30, 130)), 400),
        (Opening.of(Level(50, 50, 500), Start.ZERO), 60),
    ],
    ids=["expert", "dense", "50×50"],
)
def test_stuck_positions_equal_whole_numbers(opening, count):
    batch = stuck_positions(opening, 5, count)
    beliefs = infer(batch)
    assert (beliefs.status == Status.EXACT).all()
    for i in range(count):
        one = jax.tree.map(lambda leaf, i=i: leaf[..., i], batch)
        grid = position.to_grid(one)
        agree(
            beliefs,
            i,
            *count_by_integers(np.where(grid < 0, -1, grid).tolist(), opening.level.mines),
        )


ENDS = {
    "all hidden": "5x4x3\n" + "HHHHH\n" * 4,
    "all open": "2x2x0\n00\n00\n",
    "no mines": "3x3x0\n0HH\nHHH\nHHH\n",
    "all mines": "3x2x6\nHHH\nHHH\n",
    "one cell": "1x1x1\nH\n",
    "a row": "9x1x3\nH1H2HH1HH\n",
    "a column": "1x5x2\nH\n1\nH\n1\nH\n",
    "a number not met": "3x1x1\n20H\n",
    "more mines than cells": "3x1x3\n1HH\n",
    "a satisfied number": "3x3x1\n111\n1H1\n111\n",
    "an eight": "3x3x8\nHHH\nH8H\nHHH\n",
    "fifty-fifty": "4x2x2\n01HH\n01HH\n",
}


@pytest.mark.parametrize("name", ENDS)
def test_bad_ends(name):
    one = position.from_text(ENDS[name])
    beliefs = infer(one)
    grid, mines = position.to_grid(one), int(one.mines)
    one_of_one = jax.tree.map(lambda leaf: leaf[None], beliefs)
    agree(one_of_one, 0, *by_masks(grid, mines))
    assert np.isfinite(beliefs.mine_probability).all()


@pytest.mark.parametrize("size", [9, 21])
def test_a_wide_checkerboard_is_exact_or_says_so(size):
    """Every second cell open, each next to up to eight hidden ones: as wide as an edge can be."""
    rng = np.random.default_rng(size)
    mined = (rng.random((size, size)) < 0.4) & (np.indices((size, size)).sum(0) % 2 == 1)
    board = PlainGame(size, size, {(int(r), int(c)) for r, c in np.argwhere(mined)})
    grid = np.full((size, size), -1, np.int8)
    for r, c in itertools.product(range(size), range(size)):
        if (r + c) % 2 == 0:
            grid[r, c] = board.number((r, c))
    beliefs = infer([position.from_grid(grid, int(mined.sum()))])
    if size == 9:
        agree(beliefs, 0, *count_by_integers(grid.tolist(), int(mined.sum())))
    else:
        assert beliefs.status[0] in (Status.EXACT, Status.OVER_CAPACITY)
        hidden_mines = np.zeros_like(beliefs.mines[0])
        hidden_mines[:size, :size] = mined
        assert not (beliefs.safe[0] & hidden_mines).any()
        assert not (beliefs.mines[0] & ~hidden_mines).any()


def test_over_capacity_is_a_status():
    """With kernels too small for an expert position, nothing is said of it, and others are."""
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 5, 64)
    beliefs = infer(batch, Exact(capacities=exact.CAPACITIES[1:2]))
    over = beliefs.status == Status.OVER_CAPACITY
    assert 0 < over.sum() < 64
    assert not beliefs.mine_probability[over].any()
    assert (infer(batch).status == Status.EXACT).all()


def test_positions_of_any_size_in_any_order():
    texts = [ENDS[name] for name in ENDS] + ["40x1x3\n" + "H" * 39 + "1\n"]
    positions = [position.from_text(text) for text in texts]
    together = infer(positions)
    for i, one in enumerate(positions):
        alone = infer(one)
        rows, cols = position.to_grid(one).shape
        assert alone.status == together.status[i]
        np.testing.assert_allclose(
            alone.mine_probability[:rows, :cols],
            together.mine_probability[i, :rows, :cols],
            atol=1e-6,
        )
        assert not together.mine_probability[i, rows:].any()


def test_chunks_change_nothing(monkeypatch):
    batch = stuck_positions(Opening.of(LEVELS["beginner"]), 5, 100)
    whole = infer(batch)
    monkeypatch.setattr("jaxsweep.inference.CELLS_AT_ONCE", 9 * 32 * 37)
    assert eqx.tree_equal(infer(batch), whole, rtol=1e-6)


def test_probabilities_sum_to_the_mines():
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 6, 64)
    beliefs = infer(batch)
    np.testing.assert_allclose(beliefs.mine_probability.sum((1, 2)), 99, atol=1e-3)


def test_a_second_call_compiles_nothing():
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 5, 64)
    infer(batch)
    compiled = []

    def hear(event: str, duration_secs: float, **_: str | int) -> None:
        compiled.append(event)

    jax.monitoring.register_event_duration_secs_listener(hear)
    infer(batch)
    assert not [name for name in compiled if "compile" in name]
    jax.jit(lambda x: x * 2 + 1)(jnp.float32(3))
    assert [name for name in compiled if "compile" in name], "the listener does hear compilations"


def test_every_kernel_lowers_for_every_platform():
    capacity = exact.CAPACITIES[1]
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 5, 4)
    reduced = batching.reduce_batch(batch)
    components = Component(
        *(jnp.zeros((4, capacity.cells), jnp.int32),) * 2,
        *(jnp.zeros((4, capacity.numbers), jnp.int32),) * 3,
    )
    counts = forward_backward.forward_pass(components, np.int32(2), capacity)
    none = jnp.zeros((4,), jnp.int32)
    join = (jnp.zeros((2, 8, 4)), jnp.zeros((2, 4), jnp.int32), none, none, none)
    calls = {
        "reduce": (batching.reduce_batch, (batch,)),
        "build": (jax.jit(lambda s: component_index.build_batch(s, 32)), (reduced,)),
        "forward": (
            jax.jit(lambda c, n: forward_backward.forward_pass(c, n, capacity)),
            (components, jnp.int32(2)),
        ),
        "backward": (
            exact.backward_batch,
            (counts.messages, counts.layouts, jnp.zeros((4,), jnp.uint32), jnp.int32(2)),
        ),
        "join": (jax.jit(lambda *a: component_join.join_batch(*a, total=32)), join),
    }
    for name, (kernel, arguments) in calls.items():
        exported = jax.export.export(kernel, platforms=("cpu", "cuda", "tpu"))(*arguments)
        assert set(exported.platforms) == {"cpu", "cuda", "tpu"}, name


def test_the_frontier_lists_every_cell_and_number_once():
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 5, 64)
    reduced = jax.device_get(batching.reduce_batch(batch))
    built = jax.device_get(component_index.build_batch(reduced, 128))
    boundary, constraints = (
        bitboard.unpack_batch(x) for x in (reduced.boundary, reduced.constraints)
    )
    for i in range(64):
        for rows, cols, labels, expected in (
            (built.cell_row, built.cell_col, built.cell_component, boundary[i]),
            (built.number_row, built.number_col, built.number_component, constraints[i]),
        ):
            is_listed = labels[i] >= 0
            listed = list(
                zip(rows[i][is_listed].tolist(), cols[i][is_listed].tolist(), strict=True)
            )
            assert sorted(listed) == [tuple(map(int, cell)) for cell in np.argwhere(expected)]
            assert (np.diff(labels[i][is_listed]) >= 0).all(), "component by component"
            assert (rows[i][~is_listed] == frontier.FAR).all()
        near = (abs(built.cell_row[i][:, None] - built.number_row[i]) <= 1) & (
            abs(built.cell_col[i][:, None] - built.number_col[i]) <= 1
        )
        together = near & (built.cell_component[i][:, None] >= 0) & (built.number_component[i] >= 0)
        same = built.cell_component[i][:, None] == built.number_component[i]
        assert (same | ~together).all(), (
            "a cell and a number next to each other are of one component"
        )


def test_joining_finds_the_possible_mine_counts():
    """A component with 0 or 2 mines, one mine in all: only an unconstrained cell can hold it."""
    layouts_of_component = jnp.zeros((2, 8)).at[0, 0].set(1.0).at[0, 2].set(1.0).at[1, 0].set(1.0)
    twice = jnp.stack([layouts_of_component] * 2, axis=-1)
    joined = convolution.join(
        twice,
        jnp.zeros((2, 2), jnp.int32),
        jnp.full((2,), 3, jnp.int32),
        unconstrained=jnp.array([0, 1], jnp.int32),
        mines=jnp.array([1, 1], jnp.int32),
        total=16,
    )
    assert joined.consistent.tolist() == [False, True]
    assert int(joined.possible[0, 1]) == 0b11, (
        "the unconstrained cell allows the component no mine, or one"
    )
    assert float(joined.unconstrained_mine[1]) == 1.0
    assert not bool(joined.unconstrained_can_clear[1])


def test_numbers_shown_are_distributed_as_in_all_layouts():
    grid = np.array([[-1, 1, -1, -1], [-1, 2, -1, -1], [-1, -1, -1, -1]], np.int8)
    one, cells = position.from_grid(grid, 4), [(0, 0), (1, 2), (2, 3)]
    odds = number_odds(one, cells)
    found = layouts(grid.tolist(), 4)
    board = PlainGame(3, 4, [])
    for cell, shares in zip(cells, odds, strict=True):
        shown = [sum(n in one for n in board.neighbours(cell)) for one in found if cell not in one]
        expected = np.bincount(shown, minlength=9) / len(found)
        np.testing.assert_allclose(shares, expected, atol=TOLERANCE)
    with pytest.raises(ValueError, match="is not a hidden cell"):
        number_odds(one, [(0, 1)])
