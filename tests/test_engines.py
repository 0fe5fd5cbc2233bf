"""One conformance test for every engine, and what each of them promises."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep import infer, infer_and_count
from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines import (
    ENGINES,
    bitmask,
    edges,
    exact,
    exhaustive,
    likelihood,
    particle_gibbs,
    random_layouts,
    tilesets,
)
from jaxsweep.engines.batching import reduce_positions
from jaxsweep.engines.bitmask import Bitmask
from jaxsweep.engines.chains import Chains
from jaxsweep.engines.component_index import find_components
from jaxsweep.engines.components import Component
from jaxsweep.engines.edges import Edges
from jaxsweep.engines.exact import Exact
from jaxsweep.engines.native import Native
from jaxsweep.engines.rejection import Rejection
from jaxsweep.engines.scalar import Scalar
from jaxsweep.engines.solution_lists import marginals_batch
from jaxsweep.engines.tilesets import TileSets
from jaxsweep.rules import frontier, position
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.simulation.stuck_positions import stuck_positions
from tests.oracle import PlainGame, count_by_integers
from tests.test_inference import ENDS, TOLERANCE, agree, by_masks, small_positions

every = pytest.mark.parametrize("name", ENGINES)

SAMPLERS = ("sampling", "rejection", "chains")
LISTERS = {"tilesets": TileSets(), "bitmask": Bitmask()}


def stuck(level, count, seed=5):
    return stuck_positions(Opening.of(LEVELS[level]), seed, count)


@pytest.fixture(scope="module")
def inferred():
    """The beliefs of every engine about the same positions, inferred once for many tests."""
    batch = stuck("beginner", 12)
    seeds = np.arange(12, dtype=np.uint32)
    return batch, {name: infer(batch, engine, seeds) for name, engine in ENGINES.items()}


@every
def test_every_engine_keeps_the_contract_of_beliefs(inferred, name):
    batch, beliefs = inferred[0], inferred[1][name]
    hidden = np.stack(
        [
            position.to_grid(jax.tree.map(lambda leaf, i=i: leaf[..., i], batch)) < 0
            for i in range(12)
        ]
    )
    truth = infer(batch)
    shape = truth.mine_probability.shape
    for grid in (beliefs.mine_probability, beliefs.error, beliefs.safe, beliefs.mines):
        assert grid.shape == shape
    assert beliefs.status.shape == beliefs.log_layouts.shape == (12,)
    assert set(beliefs.status.tolist()) <= {int(status) for status in Status}
    assert (beliefs.mine_probability >= 0).all() & (beliefs.mine_probability <= 1).all()
    assert (beliefs.error >= 0).all()
    on_board = np.zeros(shape, bool)
    on_board[:, : hidden.shape[1], : hidden.shape[2]] = hidden
    for grid in (beliefs.mine_probability, beliefs.error, beliefs.safe, beliefs.mines):
        assert not grid[~on_board].any(), "open cells and the space around the board are null"
    assert not (beliefs.safe & ~truth.safe).any()
    assert not (beliefs.mines & ~truth.mines).any()
    assert not beliefs.mine_probability[~beliefs.has_probabilities].any()
    sure = beliefs.status == Status.EXACT
    assert not beliefs.error[sure].any()
    assert np.isfinite(beliefs.log_layouts[sure]).all()
    assert (beliefs.log_layouts[~sure] == -np.inf).all()
    np.testing.assert_allclose(
        beliefs.mine_probability[sure], truth.mine_probability[sure], atol=TOLERANCE
    )
    assert (beliefs.score is not None) == (beliefs.status == Status.SCORE).any()


@every
def test_every_engine_survives_degenerate_positions(name):
    """Inconsistent positions are found or not decided; consistent ones are never rejected."""
    for text in ENDS.values():
        one = position.from_text(text)
        beliefs = infer(one, ENGINES[name])
        status = Status(int(beliefs.status))
        total, counts = by_masks(position.to_grid(one), int(one.mines))
        if total == 0:
            assert status in (Status.INCONSISTENT, Status.OVER_CAPACITY, Status.SCORE), text
            continue
        assert status is not Status.INCONSISTENT, text
        assert np.isfinite(beliefs.mine_probability).all()
        for cell, count in counts.items():
            assert not beliefs.safe[cell] or count == 0
            assert not beliefs.mines[cell] or count == total
            if status is Status.EXACT:
                assert abs(beliefs.mine_probability[cell] - count / total) < TOLERANCE
            elif status is Status.ESTIMATE:
                off = abs(beliefs.mine_probability[cell] - count / total)
                assert off <= max(5 * beliefs.error[cell], 1e-6), (text, cell)


@every
def test_a_seed_determines_the_estimates(inferred, name):
    batch, before = inferred[0], inferred[1][name]
    seeds = np.arange(12, dtype=np.uint32)
    assert eqx.tree_equal(infer(batch, ENGINES[name], seeds), before)
    other = infer(batch, ENGINES[name], seeds + np.uint32(100))
    assert eqx.tree_equal(other, before) == (name not in SAMPLERS)


@every
def test_a_batch_equals_single_positions(inferred, name):
    batch, together = inferred[0], inferred[1][name]
    for i in range(0, 12, 4):
        one = jax.tree.map(lambda leaf, i=i: leaf[..., i], batch)
        alone = infer(one, ENGINES[name], i)
        expected = jax.tree.map(lambda leaf, i=i: leaf[i], together)
        assert eqx.tree_equal(alone, expected, atol=1e-5)


@pytest.mark.parametrize("name", [*LISTERS, "edges"])
def test_small_positions_equal_brute_force(name):
    samples = list(small_positions(1000, seed=3))
    batch = position.stack([position.from_grid(grid, mines) for grid, mines in samples])
    beliefs = infer(batch, ENGINES[name])
    known = 0
    for i, (grid, mines) in enumerate(samples):
        if (grid < 0).sum() <= 12 and beliefs.status[i] != Status.ESTIMATE:
            agree(beliefs, i, *by_masks(grid, mines))
            known += 1
    assert known > 500


@pytest.mark.parametrize("name", LISTERS)
@pytest.mark.parametrize(
    ("level", "count", "share"),
    [("beginner", 700, 0.99), ("intermediate", 700, 0.99), ("expert", 600, 0.9)],
)
def test_listing_equals_merging(name, level, count, share):
    """All solutions listed, or equal states merged: the same probabilities and certain cells."""
    batch = stuck(level, count)
    truth, beliefs = infer(batch), infer(batch, LISTERS[name])
    fits = beliefs.status == Status.EXACT
    assert fits.mean() >= share
    assert (beliefs.status[~fits] == Status.OVER_CAPACITY).all()
    off = np.abs(beliefs.mine_probability - truth.mine_probability)[fits]
    assert off.max() < TOLERANCE
    assert np.array_equal(beliefs.safe[fits], truth.safe[fits])
    assert np.array_equal(beliefs.mines[fits], truth.mines[fits])
    np.testing.assert_allclose(beliefs.log_layouts[fits], truth.log_layouts[fits], atol=1e-4)


@pytest.mark.parametrize("name", LISTERS)
def test_a_component_of_more_than_64_cells(name):
    """A row of hidden cells next to a row of numbers: 90 cells, few layouts."""
    rng = np.random.default_rng(1)
    board = PlainGame(2, 90, {(0, int(c)) for c in rng.permutation(90)[:30]})
    grid = np.full((2, 90), -1, np.int8)
    grid[1] = [board.number((1, c)) for c in range(90)]
    # Without its ends the row of numbers leaves the phase open.
    grid[1, :2], grid[1, -2:] = -1, -1
    beliefs = infer([position.from_grid(grid, 30)], LISTERS[name])
    agree(beliefs, 0, *count_by_integers(grid.tolist(), 30))


@pytest.mark.parametrize(
    "engine",
    [TileSets(capacities=tilesets.CAPACITIES[:1]), Bitmask(capacities=bitmask.CAPACITIES[:1])],
    ids=["tilesets", "bitmask"],
)
def test_capacity_is_a_status(engine):
    batch = stuck("expert", 64)
    beliefs, truth = infer(batch, engine), infer(batch)
    over = beliefs.status == Status.OVER_CAPACITY
    assert 0 < over.sum() < 64
    assert not beliefs.mine_probability[over].any()
    off = np.abs(beliefs.mine_probability - truth.mine_probability)[~over]
    assert off.max() < TOLERANCE


def test_sub_edges_prove_cells_but_only_estimate_probabilities():
    batch = stuck("expert", 64)
    beliefs, truth = infer(batch, Edges(limit=12)), infer(batch)
    parts = beliefs.status == Status.ESTIMATE
    assert 0 < parts.sum() < 64
    assert (beliefs.status[~parts] == Status.EXACT).all()
    unsure = (beliefs.mine_probability > 0) & (beliefs.mine_probability < 1)
    assert np.isinf(beliefs.error[parts][unsure[parts]]).all()
    assert not (beliefs.safe & ~truth.safe).any()
    assert not (beliefs.mines & ~truth.mines).any()
    simple = reduce_positions(batch)
    by_rules = np.bitwise_count(simple.certain.mines).sum()
    assert beliefs.mines.sum() > by_rules, "a part proves what no single number does"
    off = np.abs(beliefs.mine_probability - truth.mine_probability)[parts]
    assert off.mean() < 0.01
    with pytest.raises(ValueError, match="8 to 20 cells, not 7"):
        Edges(limit=7)


def wide(size):
    """Hidden cells on every other row and column, each between numbers: two layouts.

    So many numbers have assigned and unassigned cells at once that few words hold no state.
    """
    board = PlainGame(size, size, set())
    places = [(r, c) for r in range(0, size, 2) for c in range(0, size, 2)]
    board.mines = {(r, c) for r, c in places if (r + c) % 4 == 0}
    grid = np.full((size, size), -1, np.int8)
    for r in range(size):
        for c in range(size):
            if r % 2 or c % 2:
                grid[r, c] = sum(n in board.mines for n in board.neighbours((r, c)))
    return grid, len(board.mines)


@pytest.mark.parametrize(
    "engine",
    [Chains(chains=8, sweeps=8), TileSets(), Bitmask(), Edges()],
    ids=lambda engine: type(engine).__name__,
)
def test_what_is_too_wide_is_never_silently_wrong(engine):
    grid, mines = wide(27)
    beliefs = infer(position.from_grid(grid, mines), engine)
    hidden = grid < 0
    assert not beliefs.safe.any()
    assert not beliefs.mines.any()
    status = Status(int(beliefs.status))
    assert status in (Status.EXACT, Status.ESTIMATE, Status.OVER_CAPACITY)
    if status is not Status.OVER_CAPACITY:
        off = np.abs(beliefs.mine_probability[:27, :27] - 0.5)[hidden]
        assert (off <= np.maximum(5 * beliefs.error[:27, :27][hidden], TOLERANCE)).all()


@every
def test_a_large_contradiction_is_found_or_not_decided(name):
    """40 hidden cells over a row of numbers that need 13 mines or more, and only 5 in all."""
    grid = np.full((2, 40), -1, np.int8)
    grid[1] = 1
    beliefs = infer(position.from_grid(grid, 5), ENGINES[name])
    status = Status(int(beliefs.status))
    decided = status in (Status.INCONSISTENT, Status.OVER_CAPACITY, Status.SCORE)
    assert decided, f"an inconsistent position must not get probabilities, but it got {status.name}"


def test_sub_edges_are_maximal():
    """No number can be added to a sub-edge without exceeding the limit; and each is in one."""
    limit = 10
    found, _ = find_components(reduce_positions(stuck("expert", 64)))
    which = np.nonzero((found.cells > limit) & (found.cells <= 64) & (found.numbers <= 64))[0][:4]
    padded = found.pad(which, 64, 64)
    groups = np.asarray(edges.cut_batch(padded, limit))
    for i, edge in enumerate(which):
        one = jax.tree.map(lambda leaf, i=i: leaf[i], padded)
        adjacency = np.asarray(one.adjacency())
        for number in range(found.numbers[edge]):
            group = groups[i, number]
            cells = adjacency[group].any(0)
            assert group[number]
            assert cells.sum() <= limit
            others = np.nonzero(~group[: found.numbers[edge]])[0]
            assert all((cells | adjacency[other]).sum() > limit for other in others)


def test_tile_sets_group_cells_with_the_same_numbers():
    found, _ = find_components(reduce_positions(stuck("expert", 16)))
    which = np.nonzero((found.cells <= 64) & (found.numbers <= 64))[0]
    padded = found.pad(which, 64, 64)
    sets = jax.device_get(jax.jit(jax.vmap(partial(tilesets.find_sets, capacity=64)))(padded))
    grouped = 0
    for i, component in enumerate(found.lists(which)):
        around = [frozenset(np.nonzero(column)[0].tolist()) for column in component.adjacency().T]
        kinds = list(dict.fromkeys(around))
        assert sets.of_cell[i, : len(around)].tolist() == [kinds.index(one) for one in around]
        assert sets.count[i] == len(kinds)
        assert sets.size[i, : len(kinds)].tolist() == [around.count(kind) for kind in kinds]
        grouped += len(around) - len(kinds)
    assert grouped > 0


def test_likelihood_is_the_sum_of_shares():
    grid = np.array([[-1, 1, -1, -1], [-1, 2, -1, -1], [-1, -1, -1, -1]], np.int8)
    beliefs = infer(position.from_grid(grid, 4), ENGINES["likelihood"])
    assert beliefs.status == Status.SCORE
    assert beliefs.score is not None
    expected = {(0, 0): 1 / 4 + 2 / 7, (1, 2): 1 / 4 + 2 / 7, (2, 0): 2 / 7, (2, 1): 2 / 7}
    for cell, score in expected.items():
        assert beliefs.score[cell] == pytest.approx(score, abs=1e-6)
    assert beliefs.score[0, 3] == 0, "a cell next to no number has score 0"


def within(beliefs, truth, errors):
    """The share of cells whose probability is within so many of its own errors of the truth."""
    off = np.abs(beliefs.mine_probability - truth.mine_probability)
    unsure = beliefs.error > 0
    return (off <= errors * beliefs.error + 1e-6)[unsure].mean()


def test_chains_know_their_error():
    batch = stuck("expert", 16)
    truth, beliefs = infer(batch), infer(batch, Chains(tolerance=0.01))
    assert (beliefs.status == Status.ESTIMATE).all()
    assert beliefs.error.max() <= 0.01
    assert within(beliefs, truth, 4) >= 0.99
    assert within(beliefs, truth, 1) < 0.999, "errors are no larger than they must be"
    assert np.abs(beliefs.mine_probability - truth.mine_probability).max() < 0.05
    drawn = np.isfinite(beliefs.effective_samples)
    assert drawn.any()
    chance = beliefs.mine_probability[drawn]
    again = np.sqrt(chance * (1 - chance) / np.maximum(beliefs.effective_samples[drawn], 1e-9))
    np.testing.assert_allclose(again, beliefs.error[drawn], atol=1e-3)
    with pytest.raises(ValueError, match="chains and"):
        Chains(chains=1)


def test_chains_that_run_out_of_sweeps_show_it():
    batch = stuck("beginner", 12)
    few = infer(batch, Chains(tolerance=1e-6, sweeps=32))
    assert (few.status == Status.ESTIMATE).all()
    assert few.error.max() > 1e-6
    assert within(few, infer(batch), 4) >= 0.99


def test_random_layouts_know_their_error():
    batch = stuck("beginner", 12)
    truth, beliefs = infer(batch), infer(batch, Rejection(tolerance=0.003))
    estimated = beliefs.status == Status.ESTIMATE
    assert estimated.sum() >= 6
    some = jax.tree.map(lambda leaf: leaf[estimated], beliefs)
    assert within(some, jax.tree.map(lambda leaf: leaf[estimated], truth), 4) >= 0.99


def test_rejection_sampling_fails_on_an_open_board():
    """Half of an expert board: no random layout is accepted, and `sampling` turns to chains."""
    batch = stuck("expert", 64)
    open_most = np.argsort(np.bitwise_count(np.asarray(batch.hidden)).sum((0, 1)))[:4]
    batch = jax.tree.map(lambda leaf: leaf[..., open_most], batch)
    assert (infer(batch, Rejection(samples=2**14)).status == Status.OVER_CAPACITY).all()
    assert (infer(batch, ENGINES["sampling"]).status == Status.ESTIMATE).all()


def test_over_the_budget_of_the_scalar_path_the_device_answers(monkeypatch):
    batch = stuck("expert", 16)
    truth, counts = infer_and_count(batch)
    monkeypatch.setattr("jaxsweep.inference.Scalar", partial(Scalar, max_states=20))
    over = infer(batch, Scalar(max_states=20)).status == Status.OVER_CAPACITY
    assert 0 < over.sum() < 16
    beliefs, others = infer_and_count(batch)
    assert (beliefs.status == Status.EXACT).all()
    assert others == counts
    np.testing.assert_allclose(beliefs.mine_probability, truth.mine_probability, atol=1e-6)
    np.testing.assert_array_equal(beliefs.safe, truth.safe)


@pytest.mark.parametrize("count", [16, 64])
def test_beyond_exact_capacity_there_are_estimates(monkeypatch, count):
    """Few positions, which go to the scalar path first, and many."""
    small = partial(Exact, capacities=exact.CAPACITIES[1:2])
    batch = stuck("expert", count)
    truth = infer(batch)
    monkeypatch.setattr("jaxsweep.inference.Exact", small)
    monkeypatch.setattr("jaxsweep.inference.Scalar", partial(Scalar, max_states=20))
    monkeypatch.setattr("jaxsweep.inference.Native", partial(Native, max_cells=0))
    beliefs = infer(batch)
    estimated = beliefs.status == Status.ESTIMATE
    assert 0 < estimated.sum() < count
    assert (beliefs.status[~estimated] == Status.EXACT).all()
    assert not beliefs.error[~estimated].any()
    assert within(beliefs, truth, 4) >= 0.99


def test_every_kernel_lowers_for_every_platform():
    small = {8: jnp.zeros((2, 8), jnp.int32), 32: jnp.zeros((2, 32), jnp.int32)}
    lists = {n: Component(*(zeros,) * 5) for n, zeros in small.items()}
    batch = stuck("beginner", 2)
    search, tree = exhaustive.SearchCapacity(8, 8), tilesets.TreeCapacity(8, 8, 8, 16, 2, 8)
    masks = bitmask.MaskCapacity(16, 16, 16, 16, 8)
    sixteen = Component(*(jnp.zeros((2, 16), jnp.int32),) * 5)
    none = jnp.zeros((2,), jnp.int32)
    problem = particle_gibbs.Problem(
        lists[32], jnp.int32(1), none, none, none, jnp.zeros((2,), jnp.uint32)
    )
    layouts, most = jnp.zeros((2, 4, 1), jnp.uint32), (jnp.int32(1), jnp.int32(1))
    leaves = tilesets.grow_batch(lists[8], tree).messages
    assignments = bitmask.list_batch(sixteen, masks).messages
    valid = exhaustive.search_batch(lists[8], search).messages
    can = jnp.zeros((2,), jnp.uint32)
    sample, sweeps = random_layouts.sample_batch, particle_gibbs.run_sweeps
    calls = {
        "grow": (lambda c: tilesets.grow_batch(c, tree), (lists[8],)),
        "leaves": (marginals_batch, (leaves, jnp.zeros((2, 8)), can)),
        "list": (lambda c: bitmask.list_batch(c, masks), (sixteen,)),
        "masks": (marginals_batch, (assignments, jnp.zeros((2, 8)), can)),
        "search": (lambda c: exhaustive.search_batch(c, search), (lists[8],)),
        "valid": (marginals_batch, (valid, jnp.zeros((2, 9)), can)),
        "cut": (lambda c: edges.cut_batch(c, 8), (lists[32],)),
        "start": (lambda p: particle_gibbs.initial_layouts(p, 4, 2), (problem,)),
        "sweeps": (lambda p, x: sweeps(p, x, jnp.int32(1), 2), (problem, layouts)),
        "sample": (lambda p: sample(p, can, jnp.int32(0), most, 128), (batch,)),
        "score": (lambda p: likelihood.score_batch(frontier.reduce(p)), (batch,)),
    }
    for name, (kernel, arguments) in calls.items():
        exported = jax.export.export(jax.jit(kernel), platforms=("cpu", "cuda", "tpu"))(*arguments)
        assert set(exported.platforms) == {"cpu", "cuda", "tpu"}, name


def test_an_engine_is_found_by_its_name():
    one = position.from_text(ENDS[next(iter(ENDS))])
    assert eqx.tree_equal(infer(one, "exact"), infer(one, ENGINES["exact"]))
    with pytest.raises(ValueError, match="no engine 'nonsense'; there are exact, "):
        infer(one, "nonsense")


def test_estimates_without_an_error_are_refused():
    grid = np.zeros((1, 2, 32), np.float32)
    with pytest.raises(ValueError, match="estimates need an error"):
        Beliefs.build(
            status=np.array([Status.ESTIMATE]), mine_probability=grid, safe=grid > 0, mines=grid > 0
        )
