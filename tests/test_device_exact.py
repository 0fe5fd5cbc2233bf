"""The exact engine on the device against brute force, and against the engine on the host."""

import jax
import numpy as np
import pytest

from jaxsweep.beliefs import Status
from jaxsweep.engines import device_exact
from jaxsweep.engines.batching import reduce_batch
from jaxsweep.engines.exact import Exact
from jaxsweep.inference import infer
from jaxsweep.rules import position
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.simulation.device_state import CPU_BUCKET as BATCH
from jaxsweep.simulation.stuck_positions import stuck_positions
from tests.oracle import PlainGame, layouts

infer_on_device = jax.jit(lambda positions: device_exact.infer(reduce_batch(positions)))


def in_one_batch(positions):
    """Stacks small positions in the container of expert boards, for which one program is there."""
    largest = position.from_grid(np.full((16, 30), -1, np.int8), 99)
    batch = position.stack([largest, *positions])
    return jax.tree.map(lambda leaf: leaf[..., 1:], batch)


def batch_first(grids):
    return np.moveaxis(np.asarray(grids), -1, 0)


def fits_in_batch(beliefs):
    return np.asarray(beliefs.status) != Status.BATCH_FULL


def probabilities(beliefs):
    return batch_first(beliefs.mine_probability)


@pytest.mark.parametrize(
    "opening",
    [
        Opening.of(LEVELS["expert"]),
        Opening.of(LEVELS["expert"], Start.ZERO),
        Opening.of(Level(16, 30, 130)),
        Opening.of(LEVELS["intermediate"]),
    ],
    ids=str,
)
def test_it_equals_the_engine_on_the_host(opening):
    fitting = 0
    positions = stuck_positions(opening, 21, 4 * BATCH)
    truth = infer(positions, Exact())
    for start in range(0, 4 * BATCH, BATCH):
        part = jax.tree.map(lambda leaf, s=start: leaf[..., s : s + BATCH], positions)
        beliefs = infer_on_device(part)
        status = np.asarray(beliefs.status)
        ok = status == Status.EXACT
        assert set(status) <= {Status.EXACT, Status.OVER_CAPACITY, Status.BATCH_FULL}
        own = slice(start, start + BATCH)
        np.testing.assert_allclose(
            probabilities(beliefs)[ok], truth.mine_probability[own][ok], atol=1e-5
        )
        safe, mines = (batch_first(x) for x in (beliefs.safe, beliefs.mines))
        np.testing.assert_array_equal(safe[ok], truth.safe[own][ok])
        np.testing.assert_array_equal(mines[ok], truth.mines[own][ok])
        fitting += int(ok.sum())
    assert fitting > 0.98 * 4 * BATCH


def random_position(rng, rows, cols):
    """Some cells of a random board opened, none of them a mine."""
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    size = int(rng.integers(1, len(cells) // 2))
    mines = [cells[i] for i in rng.permutation(len(cells))[:size]]
    game = PlainGame(rows, cols, mines)
    grid = np.full((rows, cols), -1, np.int8)
    for cell in cells:
        if cell not in mines and rng.random() < 0.4:
            grid[cell] = game.number(cell)
    return grid, size


def test_it_agrees_with_brute_force_on_small_boards():
    rng = np.random.default_rng(8)
    made = [random_position(rng, 4, 5) for _ in range(2 * BATCH)]
    for start in (0, BATCH):
        part = made[start : start + BATCH]
        batch = in_one_batch([position.from_grid(grid, mines) for grid, mines in part])
        beliefs = infer_on_device(batch)
        safe = batch_first(beliefs.safe)[:, :4, :5]
        sure = batch_first(beliefs.mines)[:, :4, :5]
        for i, (grid, mines) in enumerate(part):
            found = layouts(grid.tolist(), mines)
            assert int(beliefs.status[i]) == Status.EXACT
            share = np.zeros(grid.shape)
            for layout in found:
                for cell in layout:
                    share[cell] += 1 / len(found)
            hidden = grid < 0
            np.testing.assert_allclose(probabilities(beliefs)[i, :4, :5], share, atol=1e-5)
            counts = np.round(share * len(found))
            np.testing.assert_array_equal(safe[i], hidden & (counts == 0))
            np.testing.assert_array_equal(sure[i], hidden & (counts == len(found)))


def test_a_contradiction_has_its_status():
    grid = np.array([[-1, 1, -1, 2, -1], [-1, -1, -1, -1, -1], [2, -1, 1, -1, 1]], np.int8)
    possible = position.from_grid(grid, 4)
    impossible = position.from_grid(grid, 1)
    all_hidden = position.from_grid(np.full_like(grid, -1), 4)
    batch = in_one_batch([possible, impossible] + [all_hidden] * (BATCH - 2))
    assert layouts(grid.tolist(), 4)
    status = np.asarray(infer_on_device(batch).status)
    assert status.tolist() == [Status.EXACT, Status.INCONSISTENT] + [Status.EXACT] * (BATCH - 2)


def test_beliefs_do_not_depend_on_the_rest_of_the_batch():
    """Bit by bit: a game must not depend on which others are in its batch."""
    positions = stuck_positions(Opening.of(LEVELS["expert"]), 4, BATCH)
    mixed = np.random.default_rng(1).permutation(BATCH)
    alone, other = (
        infer_on_device(positions),
        infer_on_device(jax.tree.map(lambda x: x[..., mixed], positions)),
    )
    both = fits_in_batch(alone)[mixed] & fits_in_batch(other)
    assert both.mean() > 0.98
    for name in ("mine_probability", "safe", "mines"):
        one, two = np.asarray(getattr(alone, name))[..., mixed], np.asarray(getattr(other, name))
        np.testing.assert_array_equal(one[..., both], two[..., both])


def test_what_does_not_fit_in_a_batch_fits_in_another():
    """A batch of the largest positions: the first fit in, the rest do not."""
    positions = stuck_positions(Opening.of(LEVELS["expert"], Start.ZERO), 2, 4 * BATCH)
    reduced = jax.device_get(reduce_batch(positions))
    sizes = np.bitwise_count(reduced.boundary).sum((0, 1))
    widest = np.argsort(-sizes)[:BATCH]
    batch = jax.tree.map(lambda leaf: leaf[..., widest], positions)
    fits = fits_in_batch(infer_on_device(batch))
    assert 0 < fits.sum() < BATCH
    assert fits[:8].all(), "the first ones fit, whatever the others are"
    order = np.argsort(fits, kind="stable")
    again = infer_on_device(jax.tree.map(lambda leaf: leaf[..., order], batch))
    assert fits_in_batch(again)[:8].all()


def test_it_lowers_for_every_platform():
    positions = stuck_positions(Opening.of(LEVELS["beginner"]), 1, 64)
    exported = jax.export.export(infer_on_device, platforms=("cpu", "cuda", "tpu"))(positions)
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}
