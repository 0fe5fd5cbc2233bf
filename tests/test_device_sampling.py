"""Layouts that a device program draws, against all layouts of small positions, and exact odds."""

from functools import partial

import jax
import numpy as np
import pytest

from jaxsweep import infer, posterior, read_position
from jaxsweep.beliefs import Status
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.position import from_grid, to_grid
from jaxsweep.simulation.device_state import CPU_BUCKET as BATCH
from jaxsweep.simulation.stuck_positions import stuck_positions
from tests.test_device_exact import in_one_batch
from tests.test_native import lattice
from tests.test_posterior import (
    assert_consistent,
    chi_square_of,
    normal_deviate,
    small_positions_and_layouts,
)

DRAWS = 64

draw_on_device = jax.jit(partial(posterior.draw_layouts_on_device, draws=DRAWS))
"""One program, of batches in the container of expert boards, is compiled for all tests."""


def draw(batch, seed):
    """Layouts of a batch, first, as Booleans, and the statuses."""
    layouts, status = draw_on_device(batch, jax.random.split(jax.random.key(seed), BATCH))
    grids = np.asarray(bitboard.unpack(np.asarray(layouts), 32))
    return np.moveaxis(grids, (2, 3), (1, 0)), np.asarray(status)


def test_every_layout_of_small_positions_is_drawn_as_often_as_every_other():
    """Many calls with different keys; limits as for the draws of the host."""
    grids, truth = small_positions_and_layouts(1200, seed=11)
    chosen = [i for i, (_, layouts) in enumerate(truth) if 2 <= len(layouts) <= 60][:BATCH]
    assert len(chosen) == BATCH
    batch = in_one_batch([from_grid(*grids[i]) for i in chosen])
    calls = [draw(batch, seed) for seed in range(20)]
    chi_squares = freedoms = exact = 0
    for which, i in enumerate(chosen):
        hidden, layouts = truth[i]
        assert len({int(status[which]) for _, status in calls}) == 1
        if calls[0][1][which] == Status.EXACT:
            own = np.concatenate([drawn[which] for drawn, _ in calls])
            cells = own[:, hidden[:, 0], hidden[:, 1]]
            assert cells.sum() == own.sum()
            chi_square, freedom = chi_square_of(cells, layouts), len(layouts) - 1
            assert abs(normal_deviate(chi_square, freedom)) < 6
            exact += 1
            chi_squares, freedoms = chi_squares + chi_square, freedoms + freedom
    assert exact > 0.95 * BATCH
    assert abs(normal_deviate(chi_squares, freedoms)) < 5


def test_layouts_of_stuck_positions_are_consistent_and_have_the_exact_odds():
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 5, BATCH)
    drawn, status = draw(batch, 1)
    beliefs = infer(batch)
    assert (status == Status.EXACT).mean() > 0.98
    deviates = []
    for i in np.nonzero(status == Status.EXACT)[0]:
        grid = to_grid(jax.tree.map(lambda leaf, i=i: leaf[..., i], batch))
        assert_consistent(drawn[i], grid, LEVELS["expert"].mines)
        risk, frequency = beliefs.mine_probability[i].astype(float), drawn[i].mean(0)
        np.testing.assert_array_equal(frequency[beliefs.mines[i]], 1)
        np.testing.assert_array_equal(frequency[risk == 0], 0)
        some = (risk > 0.05) & (risk < 0.95)
        deviates.append(((frequency - risk) / np.sqrt(risk * (1 - risk) / DRAWS + 1e-9))[some])
    every = np.concatenate(deviates)
    assert len(every) > 10_000
    # Cells of one position are correlated; so is the number of mines among them.
    assert abs(every.mean()) < 0.02
    assert 0.98 < every.std() < 1.02
    assert np.abs(every).max() < 6


def test_layouts_depend_on_position_and_key_alone():
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 4, BATCH)
    keys = jax.random.split(jax.random.key(3), BATCH)
    order = np.random.default_rng(1).permutation(BATCH)
    alone, first = jax.device_get(draw_on_device(batch, keys))
    mixed = jax.tree.map(lambda leaf: leaf[..., order], batch)
    other, second = jax.device_get(draw_on_device(mixed, keys[order]))
    both = (first[order] == Status.EXACT) & (second == Status.EXACT)
    assert both.mean() > 0.98
    np.testing.assert_array_equal(alone[..., order][..., both], other[..., both])
    assert (alone[..., 0] != alone[..., 1]).any()


def test_what_cannot_be_drawn_has_a_status_and_no_mines():
    impossible = from_grid(np.array([[2, -1, -1]], np.int8), 2)
    wide = from_grid(*lattice(15))
    small = from_grid(np.array([[1, -1, -1]], np.int8), 1)
    drawn, status = draw(in_one_batch([impossible, wide, *[small] * (BATCH - 2)]), 1)
    assert status[:3].tolist() == [Status.INCONSISTENT, Status.OVER_CAPACITY, Status.EXACT]
    assert drawn.sum((1, 2, 3)).tolist() == [0, 0, *[DRAWS] * (BATCH - 2)]
    assert drawn[2:, :, 0, 1].all()


def test_one_position_is_no_batch():
    position = read_position("4x3x2\n01HH\n01HH\n011H\n")
    with pytest.raises(ValueError, match=r"^positions must be a batch, last: .*"):
        posterior.draw_layouts_on_device(position, jax.random.split(jax.random.key(0), 1), 2)


def test_it_lowers_for_every_platform():
    positions = stuck_positions(Opening.of(LEVELS["beginner"]), 1, 64)
    keys = jax.random.split(jax.random.key(0), 64)
    exported = jax.export.export(draw_on_device, platforms=("cpu", "cuda", "tpu"))(positions, keys)
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}
