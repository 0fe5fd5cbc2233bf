"""Looking one number ahead: candidates, afterstates, scores, and the advice made of them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsweep.engines.device_beliefs import to_device
from jaxsweep.inference import infer, number_odds
from jaxsweep.rules import bitboard
from jaxsweep.rules.grid import neighbour_counts
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.position import from_grid, from_text, to_grid, to_grid_position
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import STRATEGIES, Reason
from jaxsweep.strategies.candidates import NUMBERS, CandidateArrays
from jaxsweep.strategies.fifty_fifty import FiftyFifties
from jaxsweep.strategies.lookahead import Lookahead, two_safest
from jaxsweep.strategies.outcomes import Outcomes, afterstates

from .test_fifty_fifty import asked

MOST = 8
SECOND_WEIGHT = 0.4
# Nothing is certain here.
STUCK = from_text("5x4x5\n2HHHH\nHHHHH\nHHHHH\nHHHHH\n")


def batch_of(position):
    return jax.tree.map(lambda leaf: jnp.asarray(leaf)[..., None], position)


def after(position, cell, number):
    grid = to_grid(position)
    grid[cell] = number
    return from_grid(grid, int(position.mines))


@pytest.fixture(scope="module")
def evaluated():
    """Of all candidates of a stuck position, with every number asked about; and its beliefs."""
    position = batch_of(STUCK)
    known = to_device(infer(position))
    candidates = CandidateArrays.of(
        position, known, FiftyFifties.none(position), jnp.array([True]), 0.5, MOST
    )
    every = jnp.arange(MOST * NUMBERS, dtype=jnp.int32)
    there = candidates.shows.reshape(-1)
    shown = afterstates(position, jnp.asarray(bitboard.pack(known.mines)), candidates, every, there)
    found = to_device(infer(shown))
    values = two_safest(found, shown, SECOND_WEIGHT)
    outcomes = Outcomes.unknown(candidates).updated(every, there, found, values)
    return outcomes, known


def cells_of(candidates):
    there = np.asarray(candidates.safety)[:, 0] > 0
    rows, cols = (np.asarray(x)[there, 0].tolist() for x in (candidates.row, candidates.col))
    return list(zip(rows, cols, strict=True))


def test_shares_are_the_odds_of_the_numbers(evaluated):
    outcomes, known = evaluated
    cells = cells_of(outcomes.candidates)
    assert len(cells) == MOST
    shares = np.asarray(outcomes.probabilities(known.log_layouts))[: len(cells), :, 0]
    np.testing.assert_allclose(shares, number_odds(STUCK, cells), atol=1e-5)


def test_candidates_are_the_safest_and_safest_first(evaluated):
    outcomes, _ = evaluated
    chance = np.asarray(infer(STUCK).mine_probability)
    risks = [float(chance[cell]) for cell in cells_of(outcomes.candidates)]
    np.testing.assert_allclose(1 - np.asarray(outcomes.candidates.safety)[:, 0], risks, atol=1e-6)
    assert risks == sorted(risks)
    hidden = to_grid(STUCK) < 0
    assert risks[0] == pytest.approx(float(chance[:4, :5][hidden].min()))


def test_a_score_is_what_the_numbers_lead_to(evaluated):
    """By hand, from the odds of each number and the beliefs after it."""
    outcomes, known = evaluated
    scores = np.asarray(outcomes.expected_values(known.log_layouts))[:, 0]
    cells = cells_of(outcomes.candidates)
    odds = number_odds(STUCK, cells)
    for i, cell in enumerate(cells):
        expected = 0.0
        for number, chance in enumerate(odds[i]):
            if chance == 0:
                continue
            position = after(STUCK, cell, number)
            beliefs = infer(position)
            chances = np.asarray(beliefs.mine_probability)[:4, :5]
            doubt = (to_grid(position) < 0) & (chances > 0) & (chances < 1)
            tell = (to_grid(position) < 0) & (chances < 1) & (neighbour_counts(doubt) > 0)
            safest = np.sort(1 - chances[tell if tell.any() else doubt])[::-1][:2]
            one, two = safest[[0, -1]] if len(safest) else (1.0, 1.0)
            worth = (1 - SECOND_WEIGHT) * one + SECOND_WEIGHT * two
            expected += chance * worth
        assert scores[i] == pytest.approx(expected, abs=1e-4)


def test_a_hopeless_candidate_is_one_that_cannot_be_the_best(evaluated):
    """With the numbers of one candidate not asked yet, whatever they would tell."""
    outcomes, known = evaluated
    scores = np.asarray(outcomes.expected_values(known.log_layouts))[:, 0]
    safety = np.asarray(outcomes.candidates.safety)[:, 0]
    for i in range(MOST):
        asked = outcomes.evaluated.at[i].set(False)
        unasked = Outcomes(
            outcomes.candidates,
            asked,
            outcomes.log_layouts,
            outcomes.value,
            outcomes.progress,
            outcomes.over_capacity,
        )
        best = max(scores[j] for j in range(MOST) if j != i)
        hopeful = bool(unasked.may_be_best(known.log_layouts)[i, 0])
        assert hopeful == (safety[i] + 1e-3 > best)


def test_an_afterstate_over_capacity_matters_only_where_it_may_be_the_best(evaluated):
    """The likeliest number of one candidate unknown: the host is asked if that could decide."""
    outcomes, known = evaluated
    scores = np.asarray(outcomes.expected_values(known.log_layouts))[:, 0]
    likelihoods = np.asarray(outcomes.probabilities(known.log_layouts))[:, :, 0]
    assert not bool(outcomes.undecided(known.log_layouts)[0])
    asked = []
    for i in range(MOST):
        number = int(likelihoods[i].argmax())
        lost = eqx.tree_at(
            lambda x: (x.over_capacity, x.log_layouts, x.value),
            outcomes,
            (
                outcomes.over_capacity.at[i, number].set(True),
                outcomes.log_layouts.at[i, number].set(-jnp.inf),
                outcomes.value.at[i, number].set(0.0),
            ),
        )
        value = np.asarray(outcomes.value)[i, number, 0]
        # At best, the unknown number has a value of 1.
        most = scores[i] + likelihoods[i, number] * (1 - value)
        best = max(scores[j] for j in range(MOST) if j != i)
        asked.append(bool(lost.undecided(known.log_layouts)[0]))
        assert asked[-1] == (most + 1e-3 > best)
    assert any(asked)


def test_far_cells_have_one_twin_each():
    """On a large board with one open cell: of far corners one, of far sides one."""
    grid = np.full((16, 30), -1, np.int8)
    grid[0, 0] = 1
    position = batch_of(from_grid(grid, 99))
    known = to_device(infer(position))
    found = cells_of(
        CandidateArrays.of(position, known, FiftyFifties.none(position), jnp.array([True]), 0.9, 24)
    )
    far = [cell for cell in found if max(cell) > 2]
    corners = [cell for cell in far if cell in [(0, 29), (15, 0), (15, 29)]]
    middles = [(r, c) for r, c in far if 0 < r < 15 and 0 < c < 29]
    assert (len(corners), len(middles), len(far)) == (1, 1, 3)


# Its last corner is far from all numbers and closed in by certain mines, two ways: a toss each.
CORNER = """16x8x29
1HHHHHHHHHHHHHHH
HHHHHHHHHHHHHHHH
HHHHHHHHHHHHHHHH
HHHHHHHHHHHHHHHH
HHHHHHHHHHHHHHH5
HHHHHHHHHHHHHHHH
HHHHHHHHHHHHHHHH
HHHHHHHHHHHH5HHH
"""


def test_a_far_cell_of_a_toss_is_no_twin_of_others():
    """As good as the best by far, and the only candidate: it must not be set aside for another."""
    position = batch_of(from_text(CORNER))
    _, tosses = asked(position)
    known = to_device(infer(position))
    good = np.asarray(
        (1 - known.mine_probability) * tosses.forced_guess_factor(*known.mine_probability.shape[:2])
    )[:8, :16, 0]
    best = np.where((to_grid(from_text(CORNER)) < 0), good, 0.0).max()
    assert good[7, 15] == pytest.approx(best)
    assert (7, 15) in cells_of(
        CandidateArrays.of(position, known, tosses, jnp.array([True]), 0.85, MOST)
    )


def worth_of(text):
    position = batch_of(from_text(text))
    return float(two_safest(to_device(infer(position)), position, SECOND_WEIGHT)[0])


def test_a_safe_cell_that_tells_nothing_is_no_progress():
    """The first cell is safe, behind a certain mine; a mine is on one side of the last 1."""
    text = "9x1x3\nHH101HH1H\n"
    assert np.asarray(infer(from_text(text)).safe)[0, 0]
    assert worth_of(text) == pytest.approx(0.5)


def test_where_all_is_certain_nothing_is_lost_any_more():
    assert worth_of("3x1x1\nH1H\n") == pytest.approx(0.5)
    assert worth_of("3x1x2\nH2H\n") == 1.0


def test_the_choice_is_nearly_the_best():
    """By its safety, and what tosses it spares."""
    positions = stuck_positions(Opening.of(LEVELS["beginner"]), 5, 40)
    player = Lookahead(endgame_layouts=0)
    moves = player.guess(positions, jax.random.split(jax.random.key(0), 40))
    beliefs = infer(positions)
    safety = np.moveaxis(1 - np.asarray(beliefs.mine_probability), 0, -1)
    hidden = np.asarray(bitboard.unpack(np.asarray(positions.hidden), safety.shape[1]))
    good = np.where(
        hidden, safety * np.asarray(asked(positions)[1].forced_guess_factor(*safety.shape[:2])), 0.0
    )
    looked = np.asarray(moves.reason) == Reason.LOOKAHEAD
    assert looked.sum() > 20
    opens = np.asarray(bitboard.unpack(np.asarray(moves.opens), safety.shape[1]))
    for i in np.nonzero(looked)[0]:
        ((row, col),) = np.argwhere(opens[..., i])
        assert good[row, col, i] >= player.candidate_ratio * good[..., i].max() - 1e-6
        assert float(moves.risk[i]) == pytest.approx(1 - safety[row, col, i], abs=1e-6)


def test_advice_lists_the_candidates():
    advice = Lookahead(endgame_layouts=0).advise(to_grid_position(STUCK), (0, 0))
    assert advice.reason == Reason.LOOKAHEAD
    best, *rest = advice.candidates
    assert rest, "several cells are nearly as safe"
    wins = [option.win for option in advice.candidates]
    assert wins[0] == pytest.approx(max(wins), abs=1e-3)
    assert wins[1:] == sorted(wins[1:], reverse=True)
    assert all(0 < win < 1 for win in wins)
    assert advice.cells == (best.cell,)
    beliefs = infer(STUCK)
    odds = number_odds(STUCK, [option.cell for option in advice.candidates])
    for option, shows in zip(advice.candidates, odds, strict=True):
        assert option.risk == pytest.approx(float(beliefs.mine_probability[option.cell]), abs=1e-6)
        goes_on = [
            chance
            for number, chance in enumerate(shows)
            if chance and np.asarray(infer(after(STUCK, option.cell, number)).safe).any()
        ]
        assert option.progress == pytest.approx(sum(goes_on) / shows.sum(), abs=1e-4)
    assert f"best of {len(wins)} cells" in advice.explanation


def test_advice_at_the_end_is_exact():
    """A mine beside the 1, on either side, and one at either end: four layouts."""
    position = from_text("5x1x2\nHH1HH\n")
    advice = STRATEGIES["strongest"].advise(to_grid_position(position), (0, 0))
    layouts = round(np.exp(float(infer(position).log_layouts)))
    assert advice.reason == Reason.BEST_ENDING
    wins = [option.win * layouts for option in advice.candidates]
    np.testing.assert_allclose(wins, np.round(wins), atol=1e-6)
    assert wins[0] == max(wins)
    assert all(option.progress is None for option in advice.candidates)
    assert f"wins {advice.candidates[0].win:.1%}" in advice.explanation
