"""Questions about the layouts of positions, and draws of them, against all layouts, listed."""

import itertools
import math
from fractions import Fraction

import jax
import numpy as np
import pytest

from jaxsweep import infer, posterior, read_position
from jaxsweep.beliefs import Status
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.position import from_grid, stack, to_grid
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.view import View
from jaxsweep.simulation.stuck_positions import stuck_positions
from tests.test_inference import small_positions
from tests.test_native import lattice

FUNCTIONS = {
    "entropy": posterior.entropy,
    "outcomes": posterior.outcomes,
    "expected_information": posterior.expected_information,
    "certain_cell_chance": posterior.certain_cell_chance,
}


def all_layouts(grid, mines):
    """The hidden cells, and every consistent layout as Booleans of these, `[layouts, cells]`."""
    hidden = np.argwhere(grid < 0)
    masks = np.arange(2 ** len(hidden), dtype=np.uint32)
    masks = masks[np.bitwise_count(masks) == mines]
    for cell in np.argwhere(grid >= 0):
        near = np.abs(hidden - cell).max(1) <= 1
        wanted = np.uint32((near << np.arange(len(hidden))).sum())
        masks = masks[np.bitwise_count(masks & wanted) == grid[tuple(cell)]]
    return hidden, (masks[:, None] >> np.arange(len(hidden), dtype=np.uint32)) % 2 == 1


def small_positions_and_layouts(count, seed):
    """Small positions, as grids with mine counts, and all layouts of each."""
    some = (one for one in small_positions(10 * count, seed) if (one[0] < 0).sum() <= 16)
    samples = list(itertools.islice(some, count))
    return samples, [all_layouts(*sample) for sample in samples]


def in_a_batch(samples):
    return stack([from_grid(grid, mines) for grid, mines in samples])


def openings(hidden, layouts):
    """Outcomes of every hidden cell, and the chance of a certain cell, from the layouts."""
    apart = np.abs(hidden[:, None] - hidden[None]).max(2)
    numbers = layouts.astype(np.int64) @ (apart == 1)
    shown = np.where(layouts, 9, numbers)
    outcomes, chance = np.zeros((len(hidden), 10)), np.zeros(len(hidden))
    for cell, number in itertools.product(range(len(hidden)), range(10)):
        consistent = layouts[shown[:, cell] == number]
        outcomes[cell, number] = len(consistent) / len(layouts)
        others = np.delete(consistent, cell, axis=1)
        if number < 9 and len(consistent) and not others.any(0).all():
            chance[cell] += outcomes[cell, number]
    return outcomes, chance


def test_small_positions_equal_brute_force():
    samples, truth = small_positions_and_layouts(2000, seed=5)
    batch = in_a_batch(samples)
    cells = [hidden for hidden, _ in truth]
    both, status = posterior.pair_probabilities(batch, cells)
    bits, _ = posterior.entropy(batch)
    shown, _ = posterior.outcomes(batch)
    information, _ = posterior.expected_information(batch)
    chance, _ = posterior.certain_cell_chance(batch)
    inconsistent = 0
    for i, (hidden, layouts) in enumerate(truth):
        own = np.s_[i, hidden[:, 0], hidden[:, 1]]
        if not len(layouts):
            inconsistent += 1
            assert status[i] == Status.INCONSISTENT
            for values in (both, bits, shown, information, chance):
                assert np.isnan(values[i]).all()
            continue
        assert status[i] == Status.EXACT
        few = np.s_[i, : len(hidden), : len(hidden)]
        pairs = layouts.T.astype(float) @ layouts / len(layouts)
        np.testing.assert_allclose(both[few], pairs, atol=1e-9)
        np.testing.assert_array_equal(both[few] == 0, pairs == 0)
        np.testing.assert_array_equal(both[few] == 1, pairs == 1)
        np.testing.assert_array_equal(both[i], both[i].T)
        assert np.isnan(both[i, len(hidden) :]).all()
        assert bits[i] == pytest.approx(math.log2(len(layouts)), abs=1e-9)
        assert (bits[i] == 0) == (len(layouts) == 1)
        outcomes, certain = openings(hidden, layouts)
        np.testing.assert_allclose(shown[own], outcomes, atol=1e-9)
        np.testing.assert_array_equal(shown[own] == 0, outcomes == 0)
        np.testing.assert_array_equal(shown[own] == 1, outcomes == 1)
        np.testing.assert_allclose(chance[own], certain, atol=1e-9)
        np.testing.assert_array_equal(chance[own] == 0, certain == 0)
        logs = np.log2(outcomes, where=outcomes > 0, out=np.zeros_like(outcomes))
        np.testing.assert_allclose(information[own], -(outcomes * logs).sum(1), atol=1e-9)
        for values in (shown, information, chance):
            assert values[i].sum() == pytest.approx(values[own].sum(), abs=1e-9)
    assert inconsistent > 100


def test_stuck_positions_equal_whole_numbers():
    """Some cells of expert positions, near numbers and far from them."""
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 9, 12)
    rng, cols = np.random.default_rng(3), LEVELS["expert"].cols
    positions = [jax.tree.map(lambda leaf, i=i: leaf[..., i], batch) for i in range(12)]
    grids = [to_grid(position) for position in positions]
    cells = [rng.permutation(np.argwhere(grid < 0))[:6] for grid in grids]
    both, status = posterior.pair_probabilities(batch, cells)
    assert (status == Status.EXACT).all()
    shown, _ = posterior.outcomes(batch)
    chance, _ = posterior.certain_cell_chance(batch)
    for i, grid in enumerate(grids):
        view, counter = View.of(grid, LEVELS["expert"].mines), Counter()
        solution = counter.solve(view)
        assert solution is not None
        layouts = solution.layouts
        for a, (row, col) in enumerate(cells[i].tolist()):
            cell = row * cols + col
            with_mine = counter.solve(view, 1 << cell)
            for b, (other_row, other_col) in enumerate(cells[i].tolist()):
                share = Fraction(
                    with_mine.mine_layouts(other_row * cols + other_col) if with_mine else 0,
                    layouts,
                )
                assert both[i, a, b] == pytest.approx(float(share), abs=1e-9)
                assert (both[i, a, b] == 0) == (share == 0)
            total = certain = Fraction(0)
            for number in range(9):
                after = counter.solve(view.after(cell, number))
                share = Fraction(after.layouts if after else 0, layouts)
                assert shown[i, row, col, number] == pytest.approx(float(share), abs=1e-9)
                total += share
                certain += share if after and after.safe else 0
            assert shown[i, row, col, 9] == pytest.approx(float(1 - total), abs=1e-9)
            assert chance[i, row, col] == pytest.approx(float(certain), abs=1e-9)


def normal_deviate(chi_square, freedom):
    """How far a chi-square is from its mean, as a standard normal (Wilson and Hilferty 1931)."""
    spread = 2 / (9 * freedom)
    return ((chi_square / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(spread)


def chi_square_of(drawn, layouts):
    """Of Boolean draws, which must be among the layouts, against all of them equally likely."""
    powers = 1 << np.arange(layouts.shape[1], dtype=np.int64)
    places, counts = np.unique(drawn @ powers, return_counts=True)
    assert np.isin(places, layouts @ powers).all()
    expected = len(drawn) / len(layouts)
    missing = (len(layouts) - len(counts)) * expected
    return ((counts - expected) ** 2).sum() / expected + missing


def test_every_layout_of_small_positions_is_drawn_as_often_as_every_other():
    """200 positions; a deviate of 6 has a probability of 1e-9, and 2e-7 among all of them."""
    samples, truth = small_positions_and_layouts(1200, seed=11)
    chosen = [i for i, (_, layouts) in enumerate(truth) if 2 <= len(layouts) <= 200][:200]
    assert len(chosen) == 200
    batch = in_a_batch([samples[i] for i in chosen])
    drawn, status = posterior.draw_layouts(batch, 3000, seeds=1)
    assert (status == Status.EXACT).all()
    chi_squares = freedoms = 0
    for which, i in enumerate(chosen):
        hidden, layouts = truth[i]
        own = drawn[which][:, hidden[:, 0], hidden[:, 1]]
        assert own.sum() == drawn[which].sum()
        chi_square, freedom = chi_square_of(own, layouts), len(layouts) - 1
        assert abs(normal_deviate(chi_square, freedom)) < 6
        chi_squares, freedoms = chi_squares + chi_square, freedoms + freedom
    assert abs(normal_deviate(chi_squares, freedoms)) < 5


def test_draws_are_independent_of_each_other_and_of_those_of_other_positions():
    three = from_grid(np.array([[-1, -1, -1], [1, 2, 1]], np.int8), 2)
    line = from_grid(np.array([[-1, 1, -1, 1, -1]], np.int8), 1)
    _, layouts = all_layouts(np.array([[-1] * 3, [-1] * 3], np.int8), 2)
    assert len(layouts) == 15
    free = from_grid(np.full((2, 3), -1, np.int8), 2)
    drawn, _ = posterior.draw_layouts(stack([free, three, free, line]), 60_000, seeds=4)
    own = drawn[:, :, :2, :3].reshape(4, 60_000, 6)
    pairs = np.array([[*a, *b] for a in layouts for b in layouts])
    for first, second in ((own[0, ::2], own[0, 1::2]), (own[0], own[2])):
        together = np.concatenate([first, second], axis=1)
        assert abs(normal_deviate(chi_square_of(together, pairs), 224)) < 5


def assert_consistent(drawn, grid, mines):
    """All layouts drawn in a container have the numbers and the mines of a position."""
    rows, cols = grid.shape
    padded = np.pad(drawn[:, :rows, :cols].astype(int), ((0, 0), (1, 1), (1, 1)))
    around = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2)).sum((3, 4))
    assert (around[:, grid >= 0] == grid[grid >= 0]).all()
    assert (drawn.sum((1, 2)) == mines).all()


def test_frequencies_in_stuck_positions_are_the_probabilities():
    batch = stuck_positions(Opening.of(LEVELS["expert"]), 17, 3)
    beliefs, draws = infer(batch), 100_000
    drawn, status = posterior.draw_layouts(batch, draws, seeds=2)
    assert (status == Status.EXACT).all()
    for i in range(3):
        risk = beliefs.mine_probability[i].astype(float)
        frequency = drawn[i].mean(0)
        np.testing.assert_array_equal(frequency[beliefs.mines[i]], 1)
        np.testing.assert_array_equal(frequency[risk == 0], 0)
        limit = 5 * np.sqrt(risk * (1 - risk) / draws) + 1e-6
        assert (np.abs(frequency - risk) <= limit).all()
        grid = to_grid(jax.tree.map(lambda leaf, i=i: leaf[..., i], batch))
        assert_consistent(drawn[i, :1000], grid, LEVELS["expert"].mines)


def test_draws_depend_on_position_and_seed_alone(monkeypatch):
    batch = jax.device_get(stuck_positions(Opening.of(LEVELS["beginner"]), 3, 40))
    seeds = np.arange(40, dtype=np.uint64) + 2**40
    drawn, _ = posterior.draw_packed_layouts(batch, 600, seeds)
    order = np.random.default_rng(1).permutation(40)
    mixed = jax.tree.map(lambda leaf: leaf[..., order], batch)
    again, _ = posterior.draw_packed_layouts(mixed, 600, seeds[order])
    np.testing.assert_array_equal(again, drawn[order])
    some = [jax.tree.map(lambda leaf, i=i: leaf[..., i], batch) for i in (7, 7)]
    large = from_grid(np.full((12, 40), -1, np.int8), 9)
    beside, _ = posterior.draw_packed_layouts([large, *some], 600, seeds[[1, 7, 8]])
    np.testing.assert_array_equal(beside[1, :, :9, :1], drawn[7])
    assert (beside[2] != beside[1]).any()
    alone, status = posterior.draw_packed_layouts(some[0], 600, seeds[7:8])
    assert status.shape == ()
    np.testing.assert_array_equal(alone, drawn[7])
    monkeypatch.setattr("jaxsweep.runtime.machine.cores", lambda: 1)
    slowly, _ = posterior.draw_packed_layouts(batch, 600, seeds)
    np.testing.assert_array_equal(slowly, drawn)
    unpacked, _ = posterior.draw_layouts(batch, 600, seeds)
    expected = np.asarray(bitboard.unpack(np.moveaxis(drawn, (0, 1), (2, 3)), 32))
    np.testing.assert_array_equal(unpacked, np.moveaxis(expected, (2, 3), (0, 1)))


def test_layouts_are_drawn_inside_jitted_code():
    batch = stuck_positions(Opening.of(LEVELS["beginner"]), 3, 8)
    shape = (8, 20, *batch.hidden.shape[:2])

    @jax.jit
    def draw(positions, seeds):
        results = jax.ShapeDtypeStruct(shape, np.uint32), jax.ShapeDtypeStruct((8,), np.int32)
        return jax.pure_callback(
            lambda p, s: posterior.draw_packed_layouts(p, 20, s), results, positions, seeds
        )

    seeds = np.arange(8, dtype=np.uint32)
    drawn, status = draw(batch, seeds)
    expected, _ = posterior.draw_packed_layouts(batch, 20, seeds)
    np.testing.assert_array_equal(drawn, expected)
    np.testing.assert_array_equal(status, Status.EXACT)


def test_one_position_has_no_batch_axis():
    position = read_position("4x3x2\n01HH\n01HH\n011H\n")
    cells = [(0, 2), (1, 3), (2, 3)]
    both, status = posterior.pair_probabilities(position, cells)
    assert both.shape == (3, 3)
    assert status == Status.EXACT
    assert {name: function(position)[0].shape for name, function in FUNCTIONS.items()} == {
        "entropy": (),
        "outcomes": (3, 32, 10),
        "expected_information": (3, 32),
        "certain_cell_chance": (3, 32),
    }
    twice, _ = posterior.pair_probabilities([position, position], [cells, cells[:2]])
    np.testing.assert_array_equal(twice[0], both)
    np.testing.assert_array_equal(twice[1, :2, :2], both[:2, :2])


def test_what_exceeds_the_capacity_has_no_numbers():
    wide = from_grid(*lattice(61))
    small = from_grid(np.array([[1, -1, -1]], np.int8), 1)
    impossible = from_grid(np.array([[2, -1, -1]], np.int8), 2)
    statuses = [Status.OVER_CAPACITY, Status.EXACT, Status.INCONSISTENT]
    for function in FUNCTIONS.values():
        values, status = function([wide, small, impossible])
        assert status.tolist() == statuses
        assert np.isnan(values[[0, 2]]).all()
        assert not np.isnan(values[1]).any()
    both, status = posterior.pair_probabilities([wide, small, impossible], [[], [(0, 1)], [(0, 2)]])
    assert status.tolist() == statuses
    assert both[1] == 1
    assert np.isnan(both[[0, 2]]).all()
    drawn, status = posterior.draw_layouts([wide, small, impossible], 5)
    assert status.tolist() == statuses
    assert drawn.sum((1, 2, 3)).tolist() == [0, 5, 0]
    assert drawn[1, :, 0, 1].all()
    large = from_grid(np.full((101, 100), -1, np.int8), 100)
    assert posterior.outcomes(large)[1] == Status.OVER_CAPACITY
    assert posterior.draw_layouts(large, 1)[1] == Status.OVER_CAPACITY


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: posterior.draw_layouts(p, 0), "draws must be at least 1, not 0"),
        (
            lambda p: posterior.draw_layouts([p, p], 2, np.zeros(3, np.uint32)),
            r"2 positions need 2 seeds, not of shape \(3,\)",
        ),
        (
            lambda p: posterior.pair_probabilities(p, [(0, 2), (0, 1)]),
            "row 0, column 1 is open: cells must be hidden",
        ),
        (
            lambda p: posterior.pair_probabilities([p, p], [[(0, 2)], [(3, 0)]]),
            "row 3, column 0 is off the board in position 1: cells must be hidden",
        ),
        (
            lambda p: posterior.pair_probabilities([p, p], [[(0, 2)]]),
            "2 positions need 2 lists of cells, not 1",
        ),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, message):
    position = read_position("4x3x2\n01HH\n01HH\n011H\n")
    with pytest.raises(ValueError, match=f"^{message}$"):
        call(position)
