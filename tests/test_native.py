"""The scalar path compiled to machine code: the same beliefs and moves, and honest limits."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxsweep.beliefs import Status
from jaxsweep.engines.exact import Exact
from jaxsweep.engines.native import Native
from jaxsweep.engines.scalar import Scalar
from jaxsweep.inference import infer
from jaxsweep.native.board import board_of, used_size
from jaxsweep.rules import bitboard, threefry
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.position import from_grid, stack, to_grid_positions
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.players import PLAYERS, advise
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.single.analysis import analyze
from jaxsweep.single.grading import grade
from jaxsweep.single.native_candidates import native_shortcuts
from jaxsweep.single.replay import record
from jaxsweep.strategies import STRATEGIES
from jaxsweep.strategies.base import keys_of
from jaxsweep.strategies.lookahead import Lookahead
from tests.agreement import same_analysis
from tests.oracle import PlainGame
from tests.test_inference import agree, by_masks, small_positions

PLAYED = ("exact", "exact-random-ties", "endgame", "lookahead", "strongest")
"""Players that guess by this path."""


def test_small_positions_equal_brute_force():
    positions = list(small_positions(1500, seed=17))
    batch = stack([from_grid(grid, mines) for grid, mines in positions])
    beliefs = infer(batch, Native())
    for i, (grid, mines) in enumerate(positions):
        agree(beliefs, i, *by_masks(grid, mines))


@pytest.mark.parametrize(
    ("opening", "count", "other"),
    [
        (Opening.of(LEVELS["expert"]), 400, Exact()),
        (Opening.of(Level(16, 30, 130)), 200, Exact()),
        (Opening.of(Level(100, 100, 2200), Start.ZERO), 2, Scalar()),
    ],
    ids=["expert", "dense", "large"],
)
def test_beliefs_are_those_of_other_engines(opening, count, other):
    """Of the device's engine, and on a board that is large to compile for, of the scalar one."""
    batch = stuck_positions(opening, 5, count)
    found, expected = infer(batch, Native()), infer(batch, other)
    np.testing.assert_array_equal(found.status, expected.status)
    assert (found.status == Status.EXACT).all()
    np.testing.assert_array_equal(found.safe, expected.safe)
    np.testing.assert_array_equal(found.mines, expected.mines)
    np.testing.assert_allclose(found.mine_probability, expected.mine_probability, atol=2e-6)
    np.testing.assert_allclose(found.log_layouts, expected.log_layouts, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("level", ["beginner", "expert"])
def test_moves_are_those_of_the_scalar_path(name, level):
    count = 120
    batch = stuck_positions(Opening.of(LEVELS[level]), 7, count)
    words = [(3, i) for i in range(count)]
    moves = STRATEGIES[name].guess(batch, keys_of(words))
    cols = LEVELS[level].cols
    opens, flags = (
        np.asarray(bitboard.unpack(np.asarray(bits), cols)) for bits in (moves.opens, moves.flags)
    )
    reasons = set()
    for i, (position, key) in enumerate(zip(to_grid_positions(batch), words, strict=True)):
        assert position is not None
        advice = advise(PLAYERS[name], position, key, only_move=True)
        assert advice is not None
        assert sorted(advice.cells) == [tuple(c) for c in np.argwhere(opens[..., i]).tolist()]
        assert sorted(advice.mines) == [tuple(c) for c in np.argwhere(flags[..., i]).tolist()]
        assert advice.reason == moves.reason[i]
        assert advice.risk == pytest.approx(float(moves.risk[i]), abs=1e-6)
        reasons.add(advice.reason)
    assert len(reasons) > 1


def lattice(size, seed=1):
    """A board with every second cell of every second row open: as wide as a component can be."""
    rng = np.random.default_rng(seed)
    every = list(itertools.product(range(size), range(size)))
    hidden = [(row, col) for row, col in every if row % 2 == 0 or col % 2 == 0]
    mines = {cell for cell in hidden if rng.random() < 0.4}
    board, grid = PlainGame(size, size, mines), np.full((size, size), -1, np.int8)
    for cell in every:
        if cell not in hidden:
            grid[cell] = board.number(cell)
    return grid, len(mines)


def test_what_exceeds_the_capacity_says_so_and_is_done_by_others():
    grid, mines = lattice(61)
    batch = stack([from_grid(grid, mines)] * 2)
    beliefs = infer(batch, Native())
    assert (beliefs.status == Status.OVER_CAPACITY).all()
    assert not beliefs.mine_probability.any()
    assert (beliefs.log_layouts == -np.inf).all()
    # The memory that was given up is used again, and clean.
    small = from_grid(np.array([[1, -1, -1]], np.int8), 1)
    again = infer(stack([from_grid(grid, mines), small]), Native())
    assert again.status.tolist() == [Status.OVER_CAPACITY, Status.EXACT]
    assert again.mines[1, 0, 1]
    assert again.safe[1, 0, 2]


def test_a_board_too_large_is_over_capacity():
    beliefs = infer(from_grid(np.full((101, 100), -1, np.int8), 100), Native())
    assert beliefs.status == Status.OVER_CAPACITY


def test_a_position_over_capacity_is_guessed_by_the_scalar_path(monkeypatch):
    batch = jax.device_get(stuck_positions(Opening.of(LEVELS["beginner"]), 7, 8))
    keys = keys_of([(3, i) for i in range(8)])
    expected = STRATEGIES["exact"].guess(batch, keys)
    monkeypatch.setattr("jaxsweep.strategies.native.MAX_CELLS", 80)
    found = STRATEGIES["exact"].guess(batch, keys)
    for name in ("opens", "flags", "reason"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_allclose(found.risk, expected.risk, atol=1e-6)


@pytest.mark.parametrize(("pairs", "status"), [(3, Status.EXACT), (14, Status.OVER_CAPACITY)])
def test_products_that_could_vanish_are_refused(pairs, status):
    """Pairs of ones have 3 layouts of one mine and 25 of two: hundreds of pairs span too much."""
    grid = np.full((100, 100), -1, np.int8)
    grid[2::5, 2 : 2 + 7 * pairs : 7] = grid[2::5, 4 : 4 + 7 * pairs : 7] = 1
    mines = 20 * pairs + 500
    found = infer(from_grid(grid, mines), Native())
    assert found.status == status
    if status is Status.EXACT:
        expected = infer(from_grid(grid, mines), "scalar")
        np.testing.assert_allclose(
            found.mine_probability[:, :100], expected.mine_probability[:, :100], atol=1e-6
        )
        assert found.log_layouts == pytest.approx(float(expected.log_layouts), rel=1e-9)


def test_random_words_are_those_of_each_key():
    keys = np.random.default_rng(3).integers(0, 2**32, (50, 2), dtype=np.uint32)
    expected = [threefry.word((int(a), int(b))) for a, b in keys]
    np.testing.assert_array_equal(threefry.words(keys), expected)


def test_the_board_is_found_in_its_container():
    grid = np.full((7, 40), -1, np.int8)
    one = jax.tree.map(lambda leaf: np.asarray(leaf)[..., None], from_grid(grid, 5))
    assert used_size(one.hidden, one.opened) == (7, 40)
    board = board_of(3, 4)
    assert board["near"][5, : board["degree"][5]].tolist() == [0, 1, 2, 4, 6, 8, 9, 10]
    assert board["near"][11, : board["degree"][11]].tolist() == [6, 7, 10]


def test_a_component_with_astronomically_many_layouts_hides_no_mine():
    """Its counts reach the end of float64: relative to them, those of one cell must not vanish."""
    cols = 750
    grid = np.full((6, cols), -1, np.int8)
    grid[1] = 1
    grid[1, 0] = grid[1, -1] = 1
    grid[4, 1::5] = grid[4, 3::5] = 1
    position = from_grid(grid, 500)
    found, expected = infer(position, Native()), infer(position, "scalar")
    if found.status == Status.EXACT:
        np.testing.assert_array_equal(found.safe[:, :cols], expected.safe[:, :cols])
        np.testing.assert_array_equal(found.mines[:, :cols], expected.mines[:, :cols])
    else:
        assert found.status in (Status.OVER_CAPACITY, expected.status)


def test_a_board_is_played_alike_beside_larger_ones():
    """50/50s at the edge of a board are no others where its container is wider."""
    batch = jax.device_get(stuck_positions(Opening.of(Level(6, 6, 9)), 7, 200))
    keys = keys_of([(3, i) for i in range(200)])
    alone = STRATEGIES["lookahead"].guess(batch, keys)
    larger = jax.tree.map(
        lambda leaf: leaf[..., :1],
        jax.device_get(stuck_positions(Opening.of(Level(9, 9, 10)), 7, 4)),
    )

    def beside(leaf, other):
        room = [(0, most - own) for most, own in zip(other.shape, leaf.shape, strict=True)]
        return np.concatenate([np.pad(leaf, [*room[:-1], (0, 0)]), other], axis=-1)

    mixed = jax.tree.map(beside, batch, larger)
    together = STRATEGIES["lookahead"].guess(mixed, keys_of([(3, i) for i in range(201)]))
    for name in ("reason", "risk"):
        np.testing.assert_array_equal(getattr(together, name)[:200], getattr(alone, name))
    np.testing.assert_array_equal(together.opens[:6, :, :200], alone.opens)


def test_more_candidates_than_there_is_room_for_are_evaluated_elsewhere():
    batch = jax.device_get(stuck_positions(Opening.of(LEVELS["beginner"]), 7, 4))
    keys = keys_of([(3, i) for i in range(4)])
    player = Lookahead(max_candidates=300, endgame_layouts=0)
    expected = player.guess_one_by_one(batch, keys)
    found = player.guess(batch, keys)
    np.testing.assert_array_equal(found.opens, expected.opens)


def test_machine_code_that_cannot_be_kept_lives_as_long_as_its_process(tmp_path):
    """Beside the sources, where Numba would keep it, a change of another file goes unnoticed."""
    (tmp_path / "a file").write_text("no folder")
    script = (
        "from numba.core import config; import jaxsweep.native.compiler; print(config.CACHE_DIR)"
    )
    environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": str(tmp_path / "a file" / "cache")}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    folder = Path(done.stdout.strip())
    assert folder.is_absolute()
    assert not folder.exists()
    assert Path(__file__).parents[1] not in folder.parents


def test_analyses_are_those_of_the_scalar_path():
    """All candidates, in order; only the last digits of what is estimated may differ."""
    positions = [
        position
        for level, start in (("expert", Start.SAFE), ("beginner", Start.ZERO))
        for position in to_grid_positions(stuck_positions(Opening.of(LEVELS[level], start), 9, 32))
        if position is not None
    ]
    fast = [one.as_json() for one in analyze(positions, shortcuts=native_shortcuts())]
    searched = 0
    for found, own in zip(fast, (one.as_json() for one in analyze(positions)), strict=True):
        same_analysis(found, own)
        searched += own["best"].get("win_is_exact", False)
    assert 5 < searched < len(positions) - 5


def test_grades_are_those_of_the_scalar_path():
    """Of moves that are candidates, and of others; all but rounding is the same."""
    counter, judged = Counter(), 0
    for player, level in (("exact", "beginner"), ("exact", "expert"), ("random", "expert")):
        for number in range(4):
            game = record(player, Opening.of(LEVELS[level], Start.ZERO), 3, number)
            fast = grade(game, counter=counter, shortcuts=native_shortcuts())
            for found, own in zip(fast.moves, grade(game, counter=counter).moves, strict=True):
                assert (found.kind, found.best_cell) == (own.kind, own.best_cell)
                for name in ("risk", "win_before", "value", "win_after"):
                    assert getattr(found, name) == pytest.approx(getattr(own, name), abs=1e-9)
                judged += found.is_guess and not found.exact
    assert judged > 20
