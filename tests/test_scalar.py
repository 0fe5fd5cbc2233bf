"""The scalar path: its counts against oracles, its rules and players against the device's."""

import itertools
from fractions import Fraction

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxsweep.beliefs import Status
from jaxsweep.engines.exact import Exact
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard, game, randomness
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.notation import GridPosition, from_text
from jaxsweep.rules.position import from_grid, to_grid_position, to_grid_positions
from jaxsweep.rules.reasons import Rule
from jaxsweep.rules.threefry import bits, fold_in, key_of, uniform_integer, word
from jaxsweep.scalar import deduction, exact
from jaxsweep.scalar.counting import OverBudgetError, count_component
from jaxsweep.scalar.deal import deal, game_key, move_key
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.geometry import from_mask, geometry, indices
from jaxsweep.scalar.number_odds import number_odds
from jaxsweep.scalar.players import BEST, PLAYERS, advise
from jaxsweep.scalar.view import MAX_CELLS, View
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import STRATEGIES, Readiness
from jaxsweep.strategies.base import keys_of
from tests.oracle import PlainGame, count_by_integers, pair_rules, single_cell_rules

WIDE = "12x5x8\n" + "HHHHHHHHHHHH\nH1H1H1H1H1H1\n" * 2 + "HHHHHHHHHHHH\n"


def test_random_words_are_those_of_jax():
    for seed in (0, 1, 2**31, 2**32 - 1):
        key = jax.random.key(np.uint32(seed))
        assert key_of(seed) == tuple(np.asarray(jax.random.key_data(key)).tolist())
        folded = jax.random.fold_in(key, 77)
        assert fold_in(key_of(seed), 77) == tuple(np.asarray(jax.random.key_data(folded)).tolist())
        np.testing.assert_array_equal(
            bits(fold_in(key_of(seed), 77), 1000), jax.random.bits(folded, (1000,), np.uint32)
        )
        assert word(fold_in(key_of(seed), 77)) == int(jax.random.bits(folded, (), np.uint32))


def test_uniform_integers_are_those_of_the_device():
    words = bits(key_of(5), 200)
    for n in (1, 2, 7, 480, 2**31):
        expected = randomness.uniform_integer(jnp.asarray(words), jnp.full(200, n, jnp.uint32))
        assert [uniform_integer(int(word), n) for word in words] == np.asarray(expected).tolist()


@pytest.mark.parametrize(
    "opening",
    [
        Opening.of(LEVELS["expert"]),
        Opening.of(LEVELS["expert"], Start.ZERO),
        Opening.of(LEVELS["beginner"], Start.ANY),
        Opening.of(Level(3, 70, 50), Start.SAFE, (1, 40)),
        Opening.of(Level(2, 2, 3)),
        Opening.of(Level(4, 4, 0)),
    ],
    ids=str,
)
def test_mines_are_dealt_as_on_the_device(opening):
    cells = bitboard.rectangle(opening.level.rows, opening.level.cols)
    for seed, number in itertools.product((0, 2**32 - 1), (0, 9)):
        dealt = game.deal_game(
            np.uint32(seed),
            np.uint32(number),
            cells,
            np.asarray(bitboard.pack(opening.allowed_mines())),
            jnp.int32(opening.level.mines),
        )
        mines = np.asarray(bitboard.unpack(np.asarray(dealt.mines), opening.level.cols))
        np.testing.assert_array_equal(deal(opening, seed, number), mines)
        key = game.move_key(game.game_key(np.uint32(seed), np.uint32(number)), np.int32(3))
        words = tuple(np.asarray(jax.random.key_data(key)).tolist())
        assert move_key(seed, number, 3) == words == fold_in(game_key(seed, number), 4)


def test_sets_of_cells_are_grids():
    size = geometry(5, 7)
    mask = np.random.default_rng(0).random((5, 7)) < 0.4
    cells = from_mask(mask)
    np.testing.assert_array_equal(size.to_mask(cells), mask)
    assert [size.cell(i) for i in indices(cells)] == [tuple(c) for c in np.argwhere(mask).tolist()]
    board = PlainGame(5, 7, [])
    for i in range(35):
        assert [size.cell(j) for j in indices(size.near[i])] == board.neighbours(size.cell(i))


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_pairs_of_neighbours_are_counted(rows, cols, data):
    board = geometry(rows, cols)
    cells = data.draw(st.integers(0, board.all_cells))
    listed = [cell for cell in range(rows * cols) if cells >> cell & 1]
    assert indices(cells) == listed, "few or many"
    pairs = {(a, b) for a in listed for b in listed if a < b and board.near[a] >> b & 1}
    assert board.adjacent_pairs(cells) == len(pairs)


def test_a_position_that_is_asked_for_again_is_not_solved_again():
    first, other = from_text("4x3x2\n01HH\n01HH\n011H\n"), from_text("3x1x1\nH1H\n")
    counter = Counter()
    view, solution = counter.solved(View.of(*first))
    assert counter.solved(View.of(*first)) == (view, solution)
    for position in (GridPosition(first.grid, 3), other, first):
        view, solution = counter.solved(View.of(*position))
        expected = Counter().solve(View.of(*position))
        assert (view.mines, view.geometry.cols) == (position.mines, position.grid.shape[1])
        assert (solution and solution.layouts) == (expected and expected.layouts)


@st.composite
def positions(draw):
    """Positions of real boards, or with one number or the mine count changed; up to 7×7."""
    rows, cols = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    every = list(itertools.product(range(rows), range(cols)))
    mines = draw(st.sets(st.sampled_from(every)))
    opened = draw(st.sets(st.sampled_from(every))) - mines
    board, grid = PlainGame(rows, cols, mines), np.full((rows, cols), -1, np.int8)
    for cell in opened:
        grid[cell] = board.number(cell)
    count = len(mines)
    if draw(st.booleans()):
        count = draw(st.integers(0, rows * cols))
    if opened and draw(st.booleans()):
        grid[draw(st.sampled_from(sorted(opened)))] = draw(st.integers(0, 8))
    return grid, count


@given(positions())
def test_counts_are_whole_numbers(position):
    grid, mines = position
    total, counts = count_by_integers(grid.tolist(), mines)
    solution = Counter().solve(View.of(grid, mines))
    if total == 0:
        assert solution is None
        return
    assert solution is not None
    assert solution.layouts == total
    cols = grid.shape[1]
    for (row, col), count in counts.items():
        cell = row * cols + col
        assert solution.mine_probability(cell) == Fraction(count, total)
        assert bool(solution.safe >> cell & 1) == (count == 0)
        assert bool(solution.mines >> cell & 1) == (count == total)
    hidden = from_mask(grid < 0)
    assert solution.safe | solution.mines | solution.uncertain == hidden


@given(positions(), st.data())
def test_known_mines_condition_the_counts(position, data):
    """Layouts with a given mine, and after a cell showed a number, as if counted anew."""
    grid, mines = position
    view, counter = View.of(grid, mines), Counter()
    solution = counter.solve(view)
    if solution is None or not solution.uncertain:
        return
    cell = data.draw(st.sampled_from(indices(solution.uncertain)))
    given_mine = counter.solve(view, 1 << cell)
    assert given_mine is not None
    assert given_mine.layouts == solution.mine_layouts(cell)
    numbers = [counter.solve(view.after(cell, number), solution.mines) for number in range(9)]
    shown = sum(one.layouts for one in numbers if one is not None)
    assert shown == solution.layouts - solution.mine_layouts(cell)


@given(positions(), st.data())
def test_numbers_of_a_cell_are_shares_of_all_layouts(position, data):
    grid, mines = position
    hidden = [(int(row), int(col)) for row, col in np.argwhere(grid < 0)]
    if not hidden:
        return
    cell = data.draw(st.sampled_from(hidden))
    odds, (total, _) = number_odds(GridPosition(grid, mines), cell), oracle_counts(grid, mines)
    if total == 0:
        assert odds is None
        return
    assert odds is not None
    for number in range(9):
        shown = grid.copy()
        shown[cell] = number
        expected = Fraction(oracle_counts(shown, mines)[0], total)
        assert odds[number] == pytest.approx(float(expected), rel=1e-12)


def oracle_counts(grid, mines):
    return count_by_integers(grid.tolist(), mines)


def test_a_range_of_mine_counts():
    counter = Counter()
    view = View.of(*from_text("4x3x2\n01HH\n01HH\n011H\n"))
    found = counter.mine_range(view)
    possible = [n for n in range(6) if counter.solve(View.of(view_grid(view), n)) is not None]
    assert found == (possible[0], possible[-1])


def view_grid(view):
    return np.array(view.numbers, np.int8).reshape(view.geometry.rows, view.geometry.cols)


def test_a_component_over_the_budget_is_said_to_be():
    position = from_text(WIDE)
    view = View.of(*position)
    with pytest.raises(OverBudgetError):
        Counter(max_states=20).solve(view)
    beliefs, layouts = exact.infer(position, Counter(max_states=20))
    assert beliefs.status == Status.OVER_CAPACITY
    assert layouts is None
    assert not beliefs.mine_probability.any()
    total, _ = count_by_integers(position.grid.tolist(), position.mines)
    assert total > 1000
    assert exact.infer(position)[1] == total
    constraints = tuple((0b111 << i, 1) for i in range(30))
    with pytest.raises(OverBudgetError):
        count_component(constraints, 10)


def test_a_board_too_large_for_sets_is_over_capacity():
    side = int(MAX_CELLS**0.5) + 1
    position = GridPosition(np.full((side, side), -1, np.int8), 100)
    beliefs, layouts = exact.infer(position)
    assert (beliefs.status, layouts) == (Status.OVER_CAPACITY, None)
    assert advise(PLAYERS[BEST], position, (0, 0)) is None


def grids_of(opening, count, seed=5):
    batch = stuck_positions(opening, seed, count)
    alone = (jax.tree.map(lambda leaf, i=i: leaf[..., i], batch) for i in range(count))
    return batch, [to_grid_position(one) for one in alone]


@pytest.mark.parametrize(
    "opening",
    [Opening.of(LEVELS["expert"]), Opening.of(Level(16, 30, 130))],
    ids=["expert", "dense"],
)
def test_beliefs_are_those_of_the_device(opening):
    batch, grids = grids_of(opening, 60)
    expected = infer(batch, Exact())
    for i, position in enumerate(grids):
        beliefs, _ = exact.infer(position)
        rows, cols = position.grid.shape
        for name in ("safe", "mines"):
            theirs = np.asarray(getattr(expected, name))[i, :rows, :cols]
            np.testing.assert_array_equal(getattr(beliefs, name), theirs)
        theirs = np.asarray(expected.mine_probability)[i, :rows, :cols]
        np.testing.assert_allclose(beliefs.mine_probability, theirs, atol=1e-6)
        assert beliefs.log_layouts == pytest.approx(expected.log_layouts[i], abs=1e-4)


def test_advice_is_what_the_strategy_guesses_on_the_device():
    """Exact players are compared by way of the compiled path: see `test_native`."""
    name = "knowledge"
    batch, grids = grids_of(Opening.of(LEVELS["expert"]), 60, seed=6)
    words = [(1, i) for i in range(len(grids))]
    found = jax.jit(STRATEGIES[name].guess_on_device)(batch, keys_of(words))
    moves, ready = jax.device_get(found)
    assert (ready == Readiness.READY).sum() > 40
    opens, flags = (
        np.asarray(bitboard.unpack(np.asarray(bits), 30)) for bits in (moves.opens, moves.flags)
    )
    for i, (position, key) in enumerate(zip(grids, words, strict=True)):
        if ready[i] != Readiness.READY:
            continue
        advice = advise(PLAYERS[name], position, key)
        assert advice is not None
        assert sorted(advice.cells) == [tuple(c) for c in np.argwhere(opens[..., i]).tolist()]
        assert sorted(advice.mines) == [tuple(c) for c in np.argwhere(flags[..., i]).tolist()]
        assert advice.reason == int(moves.reason[i])
        risk = -1.0 if advice.risk is None else advice.risk
        assert risk == pytest.approx(float(moves.risk[i]), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "text"),
    [("linear", "2x1x0\n00\n"), ("random", "2x1x0\n00\n"), ("knowledge", "2x1x1\n1H\n")],
)
def test_where_nothing_can_be_opened_nothing_is(name, text):
    advice = advise(PLAYERS[name], from_text(text), (0, 0))
    assert advice is not None
    assert advice.cells == ()


def test_a_board_with_holes_is_read_as_it_is():
    """A cell that is neither hidden nor open, as conditioned positions have them."""
    whole = from_grid(np.array([[1, -1, -1, -1, -1, -1]], np.int8), 2)
    hole = np.uint32(~np.uint32(1 << 3))
    holed = eqx.tree_at(lambda p: p.hidden, whole, whole.hidden & hole)
    beliefs = infer(holed, "scalar")
    expected = infer(holed, Exact())
    np.testing.assert_allclose(beliefs.mine_probability, expected.mine_probability, atol=1e-6)
    np.testing.assert_array_equal(beliefs.safe, expected.safe)
    batch = jax.tree.map(lambda leaf: leaf[..., None], holed)
    assert to_grid_positions(batch) == [None]
    move = STRATEGIES["exact"].guess(batch, keys_of([(0, 1)]))
    assert not (np.asarray(move.opens)[..., 0] & ~np.asarray(holed.hidden)).any()


def test_the_limit_is_the_board_and_not_its_container():
    grid = np.full((160, 33), -1, np.int8)
    grid[0, 0] = 1
    assert infer(from_grid(grid, 500), "scalar").status == Status.EXACT


def random_boards(count, seed):
    """Grids of real boards, partly open, with the mines that they have."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rows, cols = (int(x) for x in rng.integers(2, 9, 2))
        mines = {divmod(int(x), cols) for x in rng.permutation(rows * cols)[: rows * cols // 6]}
        board, grid = PlainGame(rows, cols, mines), np.full((rows, cols), -1, np.int8)
        for cell in itertools.product(range(rows), range(cols)):
            if cell not in mines and rng.random() < 0.7:
                grid[cell] = board.number(cell)
        yield GridPosition(grid, len(mines))


def cells_of(mask):
    return {tuple(cell) for cell in np.argwhere(mask).tolist()}


def test_rounds_of_deduction_reach_what_set_algebra_finds():
    for position in random_boards(300, seed=3):
        grid = position.grid
        certain = deduction._all_single(grid, deduction.Certain.nothing(grid))
        assert (cells_of(certain.safe), cells_of(certain.mines)) == single_cell_rules(grid.tolist())
        while True:
            grown = deduction._all_single(grid, deduction.pair_round(grid, certain))
            if grown == certain:
                break
            certain = grown
        assert (cells_of(certain.safe), cells_of(certain.mines)) == pair_rules(grid.tolist())


def test_proofs_name_the_simplest_rule():
    cells, rule = deduction.simplest_proof(from_text("3x2x1\nH10\nH10\n"))
    assert (cells.any(), rule) == (False, None)
    cells, rule = deduction.simplest_proof(from_text("3x3x1\n000\n011\n01H\n"))
    assert (cells.any(), rule) == (False, None)
    cells, rule = deduction.simplest_proof(from_text("4x2x1\nHHHH\n1100\n"))
    assert (cells_of(cells), rule) == ({(0, 1), (0, 2), (0, 3)}, Rule.SINGLE)
    cells, rule = deduction.simplest_proof(from_text("5x2x2\nHHHHH\n11111\n"))
    assert rule is Rule.PAIR
    assert (0, 2) in cells_of(cells)
    cells, rule = deduction.simplest_proof(from_text("4x1x1\nH1HH\n"))
    assert (cells.any(), rule) == (False, None)
    cells, rule = deduction.simplest_proof(from_text("5x1x1\n1HHHH\n"))
    assert (cells_of(cells), rule) == ({(0, 2), (0, 3), (0, 4)}, Rule.COUNT)


def test_proofs_are_sound_and_complete_for_their_rules():
    found = 0
    for position in random_boards(200, seed=4):
        cells, rule = deduction.simplest_proof(position)
        solution = Counter().solve(View.of(*position))
        assert solution is not None
        assert not from_mask(cells) & ~solution.safe
        found += rule is not None
    assert found > 50
