"""The exact engine on the device against brute force, and against the one on the host."""

import jax
import numpy as np
import pytest

from jaxsweep.engines import Exact, device_exact
from jaxsweep.engines.batching import settle_batch
from jaxsweep.engines.beliefs import Status
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard, position
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.simulation.scheduler import BUCKET as BATCH
from jaxsweep.simulation.stuck_positions import stuck_positions
from tests.oracle import PlainGame, layouts

believe = jax.jit(lambda positions: device_exact.believe(settle_batch(positions)))


def chances(answers):
    return np.clip(np.moveaxis(np.asarray(answers.marks), -1, 0), 0.0, 1.0)


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
def test_it_says_what_the_engine_on_the_host_says(opening):
    fitting = 0
    positions = stuck_positions(opening, 21, 4 * BATCH)
    truth = infer(positions, Exact())
    for start in range(0, 4 * BATCH, BATCH):
        part = jax.tree.map(lambda leaf, s=start: leaf[..., s : s + BATCH], positions)
        answers = believe(part)
        status = np.asarray(answers.status)
        ok = status == Status.EXACT
        assert set(status) <= {Status.EXACT, Status.OVER_CAPACITY}
        own = slice(start, start + BATCH)
        np.testing.assert_allclose(chances(answers)[ok], truth.mine_probability[own][ok], atol=1e-5)
        safe, mines = (bitboard.unpack_batch(x) for x in (answers.safe, answers.mines))
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
        batch = position.stack([position.from_grid(grid, mines) for grid, mines in part])
        answers = believe(batch)
        safe = bitboard.unpack_batch(answers.safe)[:, :4, :5]
        sure = bitboard.unpack_batch(answers.mines)[:, :4, :5]
        for i, (grid, mines) in enumerate(part):
            found = layouts(grid.tolist(), mines)
            assert int(answers.status[i]) == Status.EXACT
            share = np.zeros(grid.shape)
            for layout in found:
                for cell in layout:
                    share[cell] += 1 / len(found)
            hidden = grid < 0
            np.testing.assert_allclose(chances(answers)[i, :4, :5], share, atol=1e-5)
            counts = np.round(share * len(found))
            np.testing.assert_array_equal(safe[i], hidden & (counts == 0))
            np.testing.assert_array_equal(sure[i], hidden & (counts == len(found)))


def test_a_contradiction_is_told():
    grid = np.array([[-1, 1, -1, 2, -1], [-1, -1, -1, -1, -1], [2, -1, 1, -1, 1]], np.int8)
    possible = position.from_grid(grid, 4)
    impossible = position.from_grid(grid, 1)
    covered = position.from_grid(np.full_like(grid, -1), 4)
    batch = position.stack([possible, impossible] + [covered] * (BATCH - 2))
    assert layouts(grid.tolist(), 4)
    status = np.asarray(believe(batch).status)
    assert status.tolist() == [Status.EXACT, Status.INCONSISTENT] + [Status.EXACT] * (BATCH - 2)


def test_what_it_says_does_not_depend_on_the_others_in_the_batch():
    """Bit by bit: the arena's games must not depend on which of them go in step."""
    positions = stuck_positions(Opening.of(LEVELS["expert"]), 4, BATCH)
    mixed = np.random.default_rng(1).permutation(BATCH)
    alone, other = believe(positions), believe(jax.tree.map(lambda x: x[..., mixed], positions))
    both = np.asarray(alone.served)[mixed] & np.asarray(other.served)
    assert both.mean() > 0.98
    marks = np.asarray(alone.marks)[..., mixed]
    np.testing.assert_array_equal(marks[..., both], np.asarray(other.marks)[..., both])


def test_who_finds_no_room_finds_it_in_another_batch():
    """The longest edges there are, in every place: the first ones are served, the rest not."""
    positions = stuck_positions(Opening.of(LEVELS["expert"], Start.ZERO), 2, 4 * BATCH)
    settled = jax.device_get(settle_batch(positions))
    sizes = np.bitwise_count(settled.boundary).sum((0, 1))
    widest = np.argsort(-sizes)[:BATCH]
    batch = jax.tree.map(lambda leaf: leaf[..., widest], positions)
    served = np.asarray(believe(batch).served)
    assert 0 < served.sum() < BATCH
    assert served[:8].all(), "the first ones make progress, whoever the others are"
    order = np.argsort(served, kind="stable")
    again = believe(jax.tree.map(lambda leaf: leaf[..., order], batch))
    assert np.asarray(again.served)[:8].all()


def test_it_lowers_for_every_platform():
    positions = stuck_positions(Opening.of(LEVELS["beginner"]), 1, 64)
    exported = jax.export.export(believe, platforms=("cpu", "cuda", "tpu"))(positions)
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}
