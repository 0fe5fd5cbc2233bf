import itertools
import json
import math
import random

import equinox as eqx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxsweep.formats import read
from jaxsweep.metrics.board import BoardValue, components
from jaxsweep.metrics.boards import board_values, click_values
from jaxsweep.metrics.game import game_metrics, metrics_to_json
from jaxsweep.metrics.luck import luck
from jaxsweep.metrics.zini import hzini, zini
from jaxsweep.native import board_values as board_values_native
from jaxsweep.rules.clicks import Button, Click, ClickedGame
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.geometry import from_mask
from jaxsweep.scalar.joint_safety import joint_safety
from jaxsweep.scalar.view import View
from jaxsweep.simulation.board_metrics import board_metrics
from jaxsweep.simulation.matches import merge, play_games
from jaxsweep.simulation.settings import RunSettings
from jaxsweep.single.replay import record
from jaxsweep.single.replay.clicks import clicked_game
from jaxsweep.single.session import Session
from jaxsweep.single.words import metrics_in_words
from jaxsweep.strategies import STRATEGIES
from tests import oracle
from tests.format_oracle import REPLAYS

LEFT, RIGHT, CHORD = Button.LEFT, Button.RIGHT, Button.CHORD


def mask(rows, cols, mines):
    grid = np.zeros((rows, cols), bool)
    for cell in mines:
        grid[cell] = True
    return grid


@st.composite
def boards(draw):
    rows, cols = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    cells = list(itertools.product(range(rows), range(cols)))
    return rows, cols, draw(st.sets(st.sampled_from(cells), max_size=len(cells)))


@given(boards())
def test_a_board_is_valued_as_by_clicking_on_it(board):
    value = BoardValue.of(mask(*board))
    found = (value.bbbv, value.opening_count, value.islands)
    assert found == oracle.board_value(*board)
    assert value.solved(~mask(*board)) == value.bbbv
    assert value.solved(mask(*board)) == 0


@given(boards())
def test_zini_is_that_of_premiums_counted_anew(board):
    assert zini(mask(*board)) == oracle.zini(*board)
    assert hzini(mask(*board)) == oracle.zini(*board, human=True)


def deal_batch(count, rows, cols, mines):
    rng, batch = np.random.default_rng(7), np.zeros((count, rows * cols), bool)
    for board in batch:
        board[rng.choice(rows * cols, mines, replace=False)] = True
    return batch.reshape(count, rows, cols)


@pytest.mark.parametrize(
    "size",
    [
        *[(8, 8, 10), (16, 30, 99), (1, 40, 9), (40, 1, 5), (2, 70, 20)],
        # Rows that end with a word of 64 bits, and one cell earlier or later.
        *[(4, 62, 40), (4, 63, 40), (3, 64, 30), (3, 127, 60)],
    ],
)
def test_a_batch_is_valued_as_its_boards_are(size):
    rows, cols, mines = size
    batch = deal_batch(300 if cols < 60 else 60, rows, cols, mines)
    values = board_values(batch)
    for board, *found in zip(batch, *values, strict=True):
        one = BoardValue.of(board)
        assert found == [one.bbbv, one.opening_count, one.islands]
        cells = [tuple(cell) for cell in np.argwhere(board).tolist()]
        assert tuple(found) == oracle.board_value(rows, cols, cells)
    without = board_values(batch, islands=False)
    np.testing.assert_array_equal(without.bbbv, values.bbbv)
    assert not without.islands.any()


def nested_rings(side):
    row, col = np.indices((side, side))
    return np.minimum(np.minimum(row, col), side - 1 - np.maximum(row, col)) % 2 == 0


def spiral(side):
    # A path that turns right where the border, or itself two cells on, is ahead.
    cells, (row, col), (down, right) = np.zeros((side, side), bool), (0, 0), (0, 1)
    cells[0, 0] = True
    for _ in range(2 * side):
        while True:
            ahead = (row + down, col + right)
            beyond = (row + 2 * down, col + 2 * right)
            inside = all(0 <= c < side for c in ahead)
            if not inside or (all(0 <= c < side for c in beyond) and cells[beyond]):
                break
            row, col = ahead
            cells[ahead] = True
        down, right = right, -down
    return cells


def test_groups_of_any_shape_are_counted_by_shrinking_them():
    # Shapes within shapes, long ones, and sets at random near the density where all is connected.
    side, rng = 23, np.random.default_rng(5)
    shapes = [nested_rings(side), spiral(side), np.ones((side, side), bool), np.eye(side) > 0]
    shapes += [np.flip(shape, 1) for shape in shapes]
    shapes += [rng.random((side, side)) < share for share in np.linspace(0, 1, 48)]
    room = board_values_native.make_room(side, side, len(shapes))
    plane, counts = room.planes[board_values_native.ZERO], np.zeros(len(shapes), np.int32)
    for lane, shape in enumerate(shapes):
        board_values_native._lay(shape.reshape(-1).view(np.uint8), lane, room, plane)
    board_values_native._count_groups(plane, room)
    board_values_native._write_counts(room, counts)
    assert counts.tolist() == [components(shape).max(initial=0) for shape in shapes]
    assert counts[:4].tolist() == [6, 1, 1, 1]


@pytest.mark.parametrize(
    "size",
    [
        *[(9, 9, 10), (16, 30, 99), (16, 30, 20), (1, 40, 9), (40, 1, 5), (5, 5, 1)],
        # More than one block of keys: within a column, and several columns each.
        *[(1100, 2, 400), (25, 90, 350)],
    ],
)
def test_the_clicks_that_a_batch_takes_are_those_of_its_boards(size):
    rows, cols, mines = size
    batch = deal_batch(4 if rows * cols > 1000 else 40, rows, cols, mines)
    values = click_values(batch)
    np.testing.assert_array_equal(values.zini, [zini(board) for board in batch])
    np.testing.assert_array_equal(values.hzini, [hzini(board) for board in batch])


@given(boards())
def test_the_clicks_in_machine_code_are_those_of_premiums_counted_anew(board):
    (found,) = zip(*click_values(mask(*board)[None]), strict=True)
    assert found == (oracle.zini(*board), oracle.zini(*board, human=True))


def test_chunks_and_threads_change_nothing():
    batch = np.random.default_rng(3).random((9000, 4, 5)) < 0.2
    for value in (board_values, click_values):
        for found, expected in zip(value(batch), value(batch, threads=1), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_no_board_and_boards_without_mines_or_full_of_them():
    assert not len(board_values(np.zeros((0, 3, 3), bool)).bbbv)
    values = board_values(np.stack([np.zeros((3, 3), bool), np.ones((3, 3), bool)]))
    assert [v.tolist() for v in values] == [[1, 0], [1, 0], [0, 0]]
    assert not len(click_values(np.zeros((0, 3, 3), bool)).zini)
    clicks = click_values(np.stack([np.zeros((3, 3), bool), np.ones((3, 3), bool)]))
    assert [v.tolist() for v in clicks] == [[1, 0], [1, 0]]
    assert zini(np.zeros((3, 3), bool)) == hzini(np.zeros((3, 3), bool)) == 1
    assert zini(np.ones((3, 3), bool)) == hzini(np.ones((3, 3), bool)) == 0


def game(rows, cols, mines, *clicks, seconds=None):
    return ClickedGame(mask(rows, cols, mines), tuple(Click(*c) for c in clicks), seconds)


def test_clicks_are_counted_by_what_they_do():
    # 1 * 1 . .  and a number that is clicked twice, flags that come and go, chords without effect
    played = game(
        *(1, 5, [(0, 1)]),
        *[(RIGHT, (0, 0)), (RIGHT, (0, 0))],  # No mine is there.
        *[(LEFT, (0, 4)), (LEFT, (0, 4))],  # The opening, then nothing.
        *[(CHORD, (0, 2)), (RIGHT, (0, 1)), (RIGHT, (0, 1)), (RIGHT, (0, 1)), (RIGHT, (0, 3))],
        *[(CHORD, (0, 2)), (LEFT, (0, 1))],  # Flags are not opened; nothing is left to chord.
        *[(LEFT, (0, 0)), (LEFT, (0, 1))],  # It is won, so that the last click does not count.
        seconds=4.0,
    )
    found = game_metrics(played)
    assert found.status is GameStatus.WON
    assert (found.bbbv, found.openings, found.islands, found.solved) == (2, 1, 1, 2)
    assert (found.left, found.right, found.chords, found.effective) == (4, 6, 2, 3)
    assert found.efficiency == pytest.approx(2 / 12)
    assert found.correctness == pytest.approx(3 / 12)
    assert found.throughput == pytest.approx(2 / 3)
    assert found.bbbv_per_second == 0.5
    assert found.rqp == pytest.approx(4.0**2 / 2)
    assert found.stnb is None
    as_json = json.loads(json.dumps(metrics_to_json(found)))
    assert as_json["status"] == "won"
    assert as_json["qg"] == pytest.approx(4.0**1.7 / 2)


def test_a_lost_game_counts_what_it_solved():
    played = game(1, 7, [(0, 1), (0, 5)], (LEFT, (0, 3)), (LEFT, (0, 5)), seconds=3.0)
    found = game_metrics(played)
    assert found.status is GameStatus.LOST
    assert (found.solved, found.bbbv, found.effective) == (1, 3, 1)
    assert found.estimated_seconds == 9.0
    assert luck(played) == 0.0


def test_a_game_without_clicks_has_no_ratios():
    found = game_metrics(game(8, 8, [(0, i) for i in range(8)] + [(7, 0), (7, 7)], seconds=0.0))
    assert found.efficiency is found.throughput is found.bbbv_per_second is found.stnb is None
    assert luck(game(2, 2, [(0, 0)])) == 0.0


def brute_safety(rows, cols, mines, opened, cells):
    """The share of layouts that agree with the open cells in which all these are safe."""
    shown = {cell: sum(n in mines for n in around(cell, rows, cols)) for cell in opened}
    every = [c for c in itertools.product(range(rows), range(cols)) if c not in opened]
    layouts = [
        set(layout)
        for layout in itertools.combinations(every, len(mines))
        if all(
            sum(n in layout for n in around(cell, rows, cols)) == number
            for cell, number in shown.items()
        )
    ]
    return sum(not layout & set(cells) for layout in layouts) / len(layouts)


def around(cell, rows, cols):
    return oracle.PlainGame(rows, cols, []).neighbours(cell)


@pytest.mark.parametrize("seed", range(40))
def test_joint_safety_is_that_of_all_layouts(seed):
    rng = random.Random(seed)
    rows, cols = rng.choice([(3, 4), (4, 4), (2, 7), (3, 5)])
    cells = list(itertools.product(range(rows), range(cols)))
    mines = set(rng.sample(cells, rng.randint(1, 5)))
    free = [cell for cell in cells if cell not in mines]
    opened = set(rng.sample(free, rng.randint(0, len(free) - 3)))
    hidden = [cell for cell in cells if cell not in opened]
    chosen = rng.sample(hidden, rng.randint(1, 3))
    plain = oracle.PlainGame(rows, cols, mines)
    grid = np.full((rows, cols), -1, np.int8)
    for cell in opened:
        grid[cell] = plain.number(cell)
    counter, view = Counter(), View.of(grid, len(mines))
    solution = counter.solve(view)
    assert solution is not None
    found = joint_safety(view, solution, from_mask(mask(rows, cols, chosen)), counter)
    assert float(found) == pytest.approx(brute_safety(rows, cols, mines, opened, chosen), abs=1e-12)


def test_luck_takes_a_chord_by_all_its_cells():
    # Two numbers, then a chord whose two cells are both safe with less than the product.
    mines = [(0, 0), (2, 4)]
    played = game(3, 5, mines, (LEFT, (1, 1)), (RIGHT, (0, 0)), (CHORD, (1, 1)))
    chorded = [c for c in around((1, 1), 3, 5) if c != (0, 0)]
    expected = -math.log10(brute_safety(3, 5, set(mines), {(1, 1)}, chorded))
    assert luck(played) == pytest.approx(expected, abs=1e-12)
    assert expected > 0


def test_luck_is_minus_the_logarithm_of_survival():
    replay = record("exact", Opening.of(LEVELS["beginner"], Start.SAFE), 8)
    survival = replay.survival[-1]
    assert replay.outcome is GameStatus.WON
    assert survival is not None
    assert survival < 1
    assert luck(clicked_game(replay)) == pytest.approx(-math.log10(survival), abs=1e-9)


def test_the_clicks_of_a_person_and_of_a_player():
    session = Session.new(Level(5, 6, 5), Start.SAFE, 4).flag((4, 5)).open((0, 0))
    replay = session.flag((4, 5)).replay(2.0)
    assert replay is not None
    metrics = game_metrics(clicked_game(replay))
    assert (metrics.left, metrics.right) == (1, 2)
    assert metrics_in_words(metrics).startswith(f"3BV {metrics.solved} of {metrics.bbbv} in 3")
    played = game_metrics(clicked_game(record("exact", Opening.of(LEVELS["beginner"]), 8)))
    assert played.right == played.chords == 0
    assert played.solved == played.bbbv
    assert "clicks" not in metrics_in_words(played)


@pytest.mark.skipif(not (REPLAYS / "facts.json").exists(), reason="no real games are here")
def test_real_games_are_measured_as_another_program_does():
    facts = json.loads((REPLAYS / "facts.json").read_text("utf-8"))
    games = {name: fact for name, fact in facts.items() if isinstance(fact, dict)}
    assert games
    for name, fact in games.items():
        (played,) = read((REPLAYS / name).read_bytes(), name)
        assert isinstance(played, ClickedGame)
        found = game_metrics(played)
        counts = (found.bbbv, found.openings, found.islands, found.zini, found.hzini)
        assert counts == tuple(fact[one] for one in ("bbbv", "op", "isl", "zini", "hzini"))
        clicks = (found.solved, found.left, found.right, found.chords, found.effective)
        names = ("bbbv_solved", "left", "right", "double", "ce")
        assert clicks == tuple(fact[one] for one in names)
        assert found.efficiency == pytest.approx(fact["ioe"], abs=1e-9)
        assert luck(played) == pytest.approx(fact["pluck"], abs=1e-6)
        # Times differ by a hundredth of a second in one format; other levels have no STNB.
        assert (found.stnb or 0) == pytest.approx(fact["stnb"], rel=1e-3)


def test_the_metrics_of_a_run_are_those_of_its_boards():
    opening = Opening.of(LEVELS["mini"])
    settings = RunSettings.of(opening, "random", 3, 200)
    record = merge(list(play_games(STRATEGIES["random"], opening, 3, 200, 64)))
    found = board_metrics(settings, record)
    boards = [deal(opening, 3, int(number)) for number in record.game_number]
    bbbv = np.array([BoardValue.of(board).bbbv for board in boards])
    assert found["bbbv"] == pytest.approx(bbbv.mean())
    values = [BoardValue.of(board) for board in boards]
    assert found["openings"] == pytest.approx(np.mean([value.opening_count for value in values]))
    assert found["islands"] == pytest.approx(np.mean([value.islands for value in values]))
    assert found["zini"] == pytest.approx(np.mean([zini(board) for board in boards]))
    assert found["hzini"] == pytest.approx(np.mean([hzini(board) for board in boards]))
    assert found["bbbv_of_won"] is found["efficiency_of_won"] is None, "chance wins no game"
    won = np.arange(200) % 3 == 0
    found = board_metrics(settings, eqx.tree_at(lambda games: games.won, record, won))
    assert found["bbbv_of_won"] == pytest.approx(bbbv[won].mean())
    solved = bbbv[won].sum() / record.clicks[won].sum()
    assert found["efficiency_of_won"] == pytest.approx(solved)
