"""Looking one number ahead: the hypotheses it asks about, and what it chooses."""

import jax
import numpy as np
import pytest

from jaxsweep.inference import infer, number_odds
from jaxsweep.level import LEVELS, Opening
from jaxsweep.position import from_text, to_grid
from jaxsweep.samples import stuck_positions
from jaxsweep.strategies import Reason
from jaxsweep.strategies import lookahead as module
from jaxsweep.strategies.lookahead import Lookahead, score


def batch_of(position):
    return jax.tree.map(lambda leaf: np.asarray(leaf)[..., None], position)


def test_a_score_is_what_the_numbers_lead_to(monkeypatch):
    """By hand, from the odds of each number and the position after it."""
    monkeypatch.setattr(module, "PROGRESS", 0.0)
    position = from_text("5x4x5\nH1HHH\n111HH\nHHHHH\nHHHHH\n")
    beliefs = infer(batch_of(position))
    cells = [(0, 3), (2, 4), (3, 0)]
    which = np.zeros(len(cells), int)
    rows, cols = (np.array(axis) for axis in zip(*cells, strict=True))
    scores = score(batch_of(position), beliefs, which, rows, cols)
    odds = number_odds(position, cells)
    for i, cell in enumerate(cells):
        expected = 0.0
        for number, chance in enumerate(odds[i]):
            if chance == 0:
                continue
            grid = to_grid(position)
            shown = [list(row) for row in grid]
            shown[cell[0]][cell[1]] = number
            letters = "\n".join("".join("H" if n < 0 else str(n) for n in row) for row in shown)
            after = infer(from_text(f"5x4x5\n{letters}\n"))
            hidden = np.array(shown) < 0
            risks = np.sort(np.asarray(after.mine_probability)[:4, :5][hidden])
            expected += chance * (0.8 * (1 - risks[0]) + 0.2 * (1 - risks[1]))
        assert scores[i] == pytest.approx(expected, abs=1e-4)


def test_candidates_are_nearly_the_safest_and_the_choice_is_one_of_them():
    positions = stuck_positions(Opening.of(LEVELS["beginner"]), 5, 40)
    player = Lookahead(ending=1)
    moves = player.guess(positions, jax.random.split(jax.random.key(0), 40))
    beliefs = infer(positions)
    hidden = np.asarray(jax.device_get(positions.hidden))
    looked = 0
    for i in range(40):
        if int(moves.reason[i]) != Reason.LOOKAHEAD:
            continue
        looked += 1
        opens = np.asarray(moves.opens)[..., i]
        (row,), (col,) = np.nonzero((opens[:, :1] >> np.arange(32, dtype=np.uint32)) & 1)
        assert hidden[row, 0, i] >> col & 1
        safety = 1 - np.asarray(beliefs.mine_probability)[i]
        covered = (hidden[..., 0, i][:, None] >> np.arange(32, dtype=np.uint32)) & 1 == 1
        assert safety[row, col] >= 0.9 * safety[covered].max() - 1e-6
        assert float(moves.risk[i]) == pytest.approx(1 - safety[row, col], abs=1e-6)
    assert looked > 20
