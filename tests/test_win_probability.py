"""The win-probability model: its features on both paths, its form, and how true it is."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxsweep.native.board import make_record
from jaxsweep.native.joining import EXACT
from jaxsweep.native.solving import make_solver, solve
from jaxsweep.native.win_features import WIN_FEATURES, read_win_features
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.lookahead import look_ahead
from jaxsweep.scalar.players import BEST, PLAYERS, LookaheadPlayer
from jaxsweep.scalar.view import View
from jaxsweep.scalar.win_features import WinFeatures, win_features
from jaxsweep.scalar.win_probability import INPUTS, WEIGHTS, curve_of, win_curve
from tests.oracle import PlainGame
from tests.test_inference import small_positions

RESULTS = Path(__file__).parents[1] / "experiments" / "results" / "win-probability.json"

POINTS = 1.5
"""The most by which a tenth of the guesses may be off, on every standard level and start."""

STANDARD = {
    f"{level} {start}"
    for level in ("16×30/99", "16×16/40", "9×9/10", "8×8/10")
    for start in ("safe", "zero")
}


def positions():
    """Small ones, and some of the size of expert boards, with a part of the safe cells open."""
    yield from small_positions(300, seed=23)
    rng = np.random.default_rng(5)
    for _ in range(6):
        cells = [divmod(int(i), 30) for i in rng.permutation(480)]
        game = PlainGame(16, 30, cells[:99])
        game.open(cells[99:109])
        grid = np.full((16, 30), -1, np.int8)
        for cell in game.opened:
            grid[cell] = game.number(cell)
        yield grid, 99


def solved():
    """The positions that are consistent with something uncertain, and their solutions."""
    for grid, mines in positions():
        view = View.of(grid, mines)
        solution = Counter().solve(view)
        if solution is not None and solution.undecided:
            yield grid, mines, view, solution


def count_plainly(grid, mines, solution):
    """The features, cell by cell, from the risk of each."""
    rows, cols = grid.shape
    cells = list(itertools.product(range(rows), range(cols)))
    risk = {(row, col): solution.risk(row * cols + col) for row, col in cells if grid[row, col] < 0}
    uncertain = {cell for cell, r in risk.items() if 0 < r < 1}
    near = PlainGame(rows, cols, []).neighbours
    linked = {cell: set() for cell in uncertain}
    for cell in set(cells) - set(risk):
        around = uncertain & set(near(cell))
        for one in around:
            linked[one] |= around
    left = {cell for cell, others in linked.items() if others}
    unconstrained, components, danger = len(uncertain) - len(left), 0, 0.0
    while left:
        own, stack = set(), [left.pop()]
        while stack:
            cell = stack.pop()
            own.add(cell)
            stack += linked[cell] - own
        left -= own
        components += 1
        danger -= math.log(1 - min(risk[cell] for cell in own))
    return WinFeatures(
        math.log(solution.layouts),
        mines - sum(r == 1 for r in risk.values()),
        len(uncertain),
        unconstrained,
        grid.size - len(risk),
        sum(len(uncertain & set(near(cell))) for cell in uncertain) // 2,
        components,
        danger,
    )


def test_features_are_those_of_a_plain_count_on_both_paths():
    memory, several = make_record(WIN_FEATURES), 0
    for grid, mines, view, solution in solved():
        expected = count_plainly(grid, mines, solution)
        assert win_features(view, solution) == pytest.approx(expected)
        several += expected.components > 1
        solver = make_solver(*grid.shape)
        position = solver.position
        position["grid"][: grid.size] = grid.ravel()
        assert solve(mines, solver) == EXACT
        marked, risk = position["grid"][: grid.size], position["risk"][: grid.size]
        log_layouts = float(solver.join["log_layouts"])
        found = read_win_features(mines, log_layouts, solver.board, marked, risk, memory)
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert several > 10


def plain_network(features, score):
    """The model by its formula, in plain Python."""
    stored = json.loads(WEIGHTS.read_text("utf-8"))
    cells = features.uncertain
    inputs = (
        math.log(features.log_layouts),
        math.log(1 + cells),
        features.mines / cells,
        features.unconstrained / cells,
        math.log(1 + features.opened),
        features.adjacent / cells,
        math.log(1 + features.components),
        math.sqrt(features.component_risk),
    )
    values = []
    for name, value in zip(INPUTS, inputs, strict=True):
        own = stored["inputs"][name]
        values.append((min(max(value, own["low"]), own["high"]) - own["center"]) / own["scale"])
    for i, layer in enumerate(stored["layers"]):
        sums = [
            bias + sum(w * x for w, x in zip(row, values, strict=True))
            for row, bias in zip(layer["weights"], layer["bias"], strict=True)
        ]
        values = sums if i == len(stored["layers"]) - 1 else list(map(math.tanh, sums))
    later, factor = map(math.exp, values)
    return math.exp(-later - factor * (-math.log(score)) ** stored["exponent"])


def test_the_model_is_its_formula():
    for _, _, view, solution in solved():
        found = win_curve(view, solution)
        features = win_features(view, solution)
        for score in (0.2, 0.5, 0.97):
            expected = plain_network(features, score)
            assert found.win_probability(score) == pytest.approx(expected, rel=1e-9)


some_features = st.builds(
    lambda cells, layouts, mines, free, opened, adjacent, components, risk: WinFeatures(
        layouts, int(mines * cells), cells, int(free * cells), opened,
        int(adjacent * cells), components, risk,
    ),
    st.integers(2, 10_000),
    st.floats(math.log(2), 7000),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 10_000),
    st.floats(0, 4),
    st.integers(0, 3000),
    st.floats(0, 1000),
)  # fmt: skip
"""Whatever features a board of up to 10,000 cells may have, and more."""


@given(some_features, st.floats(0, 1.001), st.floats(0, 1.001))
def test_win_probabilities_are_between_0_and_1_and_rise_with_the_score(features, one, other):
    low, high = sorted((one, other))
    found = curve_of(features)
    first, second = map(found.win_probability, (low, high))
    assert 0 < first <= second < 1
    if 1e-3 < low < high - 1e-6 and high <= 1:
        assert first < second


def test_candidates_are_in_the_order_of_their_scores():
    player, several = PLAYERS[BEST], 0
    assert isinstance(player, LookaheadPlayer)
    for _, _, view, solution in solved():
        if solution.safe or view.geometry.all_cells.bit_length() > 25:
            continue
        best, candidates = look_ahead(view, solution, Counter(), player.settings)
        wins = [candidate.win for candidate in candidates]
        several += len(set(wins)) > 2
        assert candidates[0].cell == view.geometry.cell(best.cell)
        assert wins[0] == win_curve(view, solution).win_probability(best.value)
        ranks = [round(win, 9) for win in wins[1:]]  # What differs by rounding alone is equal.
        assert ranks == sorted(ranks, reverse=True)
        # Of equal scores the first is chosen, whatever rounding makes of them.
        assert wins[0] >= max(wins) - 1e-3
    assert several > 5


def test_win_probabilities_are_true_on_every_standard_level():
    """In each tenth of the guesses of games that were not fitted, as `experiments/` measured."""
    measured = json.loads(RESULTS.read_text("utf-8"))
    assert json.loads(WEIGHTS.read_text("utf-8")) == measured["model"]
    assert set(measured["checked"]) > STANDARD
    for name in STANDARD:
        tenths = measured["checked"][name]["tenths"]
        assert len(tenths) == 10
        for tenth in tenths:
            assert tenth["error_points"] == pytest.approx(100 * (tenth["won"] - tenth["chance"]))
            assert abs(tenth["error_points"]) <= POINTS, (name, tenth)
            low, high = tenth["interval_95_points"]
            # Enough games to tell: an estimate says little if its interval is wide.
            assert low < tenth["error_points"] < high < low + 2 * POINTS
