"""Positions as questions to language models, and what answers are worth, against brute force."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxsweep.datasets.generation import make_dataset
from jaxsweep.datasets.prompts import (
    MAX_ANSWER,
    MAX_PROMPT,
    answer_of,
    cell_in,
    position_in,
    prompt_of,
)
from jaxsweep.datasets.settings import SPLITS, DatasetSettings
from jaxsweep.datasets.verifier import Verdict, judge, verify
from jaxsweep.native.labels import SEARCHED_LAYOUTS
from jaxsweep.rules.level import Level, Opening
from jaxsweep.rules.notation import PositionError, read, to_text
from tests.oracle import layouts
from tests.test_endgame import plain_win

SAFE = "5x3x3\n01HHH\n01HHH\n011HH\n"
"""Some cells are certain."""
END = "4x3x4\nHH1H\nHHHH\n2H2H\n"
"""Nothing is certain, and few layouts are left."""
EARLY = "6x6x9\n2HHHHH\n" + "HHHHHH\n" * 5
"""Nothing is certain, and there are far too many layouts to search."""
EARLY_SAFE = "10x3x9\n01HHHHHHHH\n01HHHHHHHH\n011HHHHHHH\n"
"""Some cells are certain, and 8 mines are in the 19 others."""


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """The lines of a data set with texts."""
    folder = tmp_path_factory.mktemp("data") / "text"
    settings = DatasetSettings(Opening.of(Level(5, 4, 5)), "strongest", 3, 150, text=True)
    make_dataset(folder, settings)
    files = [folder / f"{split}-000000.jsonl" for split in SPLITS]
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_reference_answers_are_best_by_their_prompts_alone(lines):
    """The data set knows labels from games; the verifier reads the prompt and infers again."""
    assert len(lines) == 150
    assert {line["kind"] for line in lines} == {"certain", "guess"}
    assert {line["win_source"] for line in lines} == {"exact", "model"}
    for line in lines:
        verdict = verify(line["prompt"], line["answer"])
        assert verdict.reward == 1.0
        rewards = judge(position_in(line["prompt"]))
        assert (line["kind"] == "certain") == rewards.safe.any()
        assert line["least_risk"] == pytest.approx(_least_risk(line["prompt"]), abs=1e-5)
        if line["win_source"] == "exact":
            assert line["win_probability"] == pytest.approx(rewards.worth.max(), abs=1e-5)
            if line["kind"] == "guess":
                assert line["player_answer"] == line["answer"]


def _least_risk(prompt):
    grid, mines = position_in(prompt)
    found = layouts(grid.tolist(), mines)
    hidden = list(zip(*np.nonzero(grid < 0), strict=True))
    return min(sum(cell in one for one in found) / len(found) for cell in hidden)


@pytest.mark.parametrize("text", [SAFE, END, EARLY], ids=["safe", "end", "early"])
def test_rewards_are_what_decisions_are_worth_by_brute_force(text):
    grid, mines = position = read(text)
    if text is EARLY:
        # Of the three cells around the 2, two are mines, and of the others seven.
        risk = {(0, 1): 2 / 3, (1, 0): 2 / 3, (1, 1): 2 / 3}
        worth = np.array([[1 - risk.get((r, c), 7 / 32) for c in range(6)] for r in range(6)])
    else:
        found = [frozenset(one) for one in layouts(grid.tolist(), mines)]
        assert 1 < len(found) <= 10
        rows, cols = grid.shape
        closed = {(r, c) for r in range(-1, rows + 1) for c in range(-1, cols + 1)}
        closed -= {(r, c) for r in range(rows) for c in range(cols) if grid[r, c] < 0}
        worth = np.zeros(grid.shape)
        for cell in zip(*np.nonzero(grid < 0), strict=True):
            if any(cell not in one for one in found):
                worth[cell] = plain_win(set(found), closed, cell) / len(found)
    best = worth[grid < 0].max()
    for row, col in np.ndindex(grid.shape):
        verdict = verify(position, answer_of((row, col)))
        assert verdict.reason
        expected = worth[row, col] / best if grid[row, col] < 0 else 0.0
        assert verdict.reward == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "answer", "verdict"),
    [
        (SAFE, "I think so.\nopen 0 2", Verdict(1.0, "(0, 2) is certainly safe")),
        (
            EARLY,
            "open 5 5",
            Verdict(1.0, "(5, 5) is safe with probability 78.1%, the safest cell "),
        ),
        (EARLY, "open 0 1", Verdict(0.42667, "(0, 1) is safe with probability 33.3%, the safest ")),
        (
            END,
            "open 2 1",
            Verdict(0.25, "(2, 1) wins with probability 20.0%, the best cell with 80"),
        ),
        (EARLY_SAFE, "open 1 3", Verdict(1.0, "(1, 3) is certainly safe")),
        (EARLY_SAFE, "open 0 9", Verdict(11 / 19, "(0, 9) is safe with probability 57.9%, other")),
        (EARLY_SAFE, "open 1 2", Verdict(0.0, "(1, 2) is safe with probability 0.0%, others ")),
        (SAFE, "open 0 0", Verdict(0.0, "(0, 0) is open already")),
        (SAFE, "open 3 0", Verdict(0.0, "(3, 0) is not on a board of 3 rows and 5 columns")),
        (SAFE, "0 3", Verdict(0.0, 'the last line is not "open ROW COLUMN"')),
    ],
)
def test_verdicts_say_why(text, answer, verdict):
    found = verify(prompt_of(read(text)), answer)
    assert found.reward == pytest.approx(verdict.reward, abs=1e-5)
    assert found.reason.startswith(verdict.reason)
    assert "\n" not in found.reason


@pytest.mark.parametrize(
    ("answer", "cell"),
    [
        ("open 3 4", (3, 4)),
        ("Open (3, 4).\n\n", (3, 4)),
        ("thinking …\r\n  OPEN 12,7  ", (12, 7)),
        ("open 1 2\nopen 3 4", (3, 4)),
        ("open 3 4 or 5 6", None),
        ("the best is open 3 4", None),
        ("open 3", None),
        ("open -3 4", None),
        ("open 3.0 4", None),
        ("open ３ ４", None),
        ("open 33333 4", None),
        ("open __import__('os') 4", None),
        ("", None),
        ("\n" * 5, None),
        ("x" * 10**6 + "\nopen 3 4", (3, 4)),
        ("x" + " " * MAX_ANSWER + "open 3 4", None),
    ],
)
def test_an_answer_is_one_line_of_one_form(answer, cell):
    assert cell_in(answer) == cell


@given(st.text() | st.from_regex(r"open \(?[0-9]{1,4}[ ,]{1,2}[0-9]{1,4}\)?\.?", fullmatch=True))
def test_any_answer_gets_a_reward_and_a_reason(answer):
    for text in (SAFE, END):
        reward, reason = verify(text, answer)
        assert 0.0 <= reward <= 1.0
        assert reason
        if cell_in(answer) is None:
            assert reward == 0.0


@given(st.text() | st.from_regex(r"[0-9]{1,6}x[0-9]{1,6}x[0-9]{1,6}\n[H0-8 \n]*", fullmatch=True))
def test_any_prompt_is_read_or_refused(prompt):
    try:
        position_in(prompt)
    except PositionError as error:
        assert str(error)


@pytest.mark.smoke
@pytest.mark.parametrize("text", [SAFE, END, EARLY])
def test_a_prompt_holds_its_position(text):
    prompt = prompt_of(read(text))
    assert to_text(position_in(prompt)) == text
    assert to_text(position_in("2x1x1\nH1\nAnd now:\n" + prompt)) == text, "the last one counts"
    assert prompt.count("\n\n") == 2


@pytest.mark.parametrize(
    ("prompt", "sentence"),
    [
        ("open the best cell", "no position in the prompt"),
        ("4x3x2\n01HH\n", "promises 3 rows, but only 1 follow"),
        ("x" * (MAX_PROMPT + 1), "a prompt of 100,001 characters; at most 100,000"),
        ("2x2x1\n1H\n3H\n", "no placement of the mines agrees with the digits"),
        ("2x2x4\nHH\nHH\n", "every hidden cell is a mine"),
        ("2x1x0\n00\n", "the game is won"),
        (f"200x100x9\n{('H' * 200 + chr(10)) * 100}", "a board of 20,000 cells; at most 10,000"),
    ],
)
def test_positions_that_cannot_be_judged_get_a_sentence(prompt, sentence):
    with pytest.raises(PositionError, match=sentence):
        verify(prompt, "open 0 0")


def test_flags_are_no_evidence():
    flagged = SAFE.replace("H", "F", 1)
    assert verify(flagged, "open 0 2") == verify(SAFE, "open 0 2")


def test_the_search_begins_where_that_of_the_strongest_player_does():
    # 220 layouts of 3 mines in 12 cells, 1,001 of 4 in 14.
    assert judge(read("4x3x3\n" + "HHHH\n" * 3)).of_winning
    assert not judge(read("7x2x4\n" + "HHHHHHH\n" * 2)).of_winning
    assert SEARCHED_LAYOUTS == 1000
