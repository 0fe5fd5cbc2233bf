"""Moves and counts in words."""

import pytest

from jaxsweep.single.words import cells_in_words, count, move_in_words, of_them_guesses

CELLS = [(1, 2), (3, 4), (5, 6)]


def test_words_and_numbers_agree():
    assert [count(n, "cell") for n in (0, 1, 5)] == ["0 cells", "1 cell", "5 cells"]
    assert count(1_200, "layout") == "1,200 layouts"
    assert [count(n, "guess", "guesses") for n in (1, 2)] == ["1 guess", "2 guesses"]
    assert of_them_guesses(1) == "1 of them a guess"
    assert of_them_guesses(0) == "0 of them guesses"


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (None, "(1,2) (3,4) (5,6)"),
        (17, "(1,2) (3,4) (5,6)"),
        (16, "(1,2) and 2 more"),
        (0, "(1,2) and 2 more"),
    ],
)
def test_as_many_cells_are_named_as_fit(room, text):
    assert cells_in_words(CELLS, room) == text


def test_a_move_is_said_with_its_reason_risk_and_mine():
    assert move_in_words([(1, 2)], "guess", 0.05, True) == "(1,2): guess, risk 5.0%. A mine!"
    assert move_in_words([(1, 2)], "certain", 0.0, False) == "(1,2): certain"
    assert move_in_words([(1, 2)], "guess", None, False) == "(1,2): guess"
    assert move_in_words(CELLS, "certain", 0.0, False, 30) == "(1,2) (3,4) (5,6): certain"
    assert move_in_words(CELLS, "certain", 0.0, False, 20) == "(1,2) and 2 more: certain"
