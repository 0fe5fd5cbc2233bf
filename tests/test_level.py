import numpy as np
import pytest

from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start


@pytest.mark.smoke
def test_named_levels():
    sizes = {name: (lv.rows, lv.cols, lv.mines) for name, lv in LEVELS.items()}
    assert sizes == {
        "beginner": (9, 9, 10),
        "intermediate": (16, 16, 40),
        "expert": (16, 30, 99),
        "easy": (8, 8, 8),
        "mini": (8, 8, 10),
        "medium": (16, 16, 32),
        "hard": (32, 16, 80),
    }


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((0, 5, 0), "1 to 4096 rows, not 0"),
        ((5, 0, 0), "1 to 4096 columns, not 0"),
        ((-1, 5, 0), "rows, not -1"),
        ((5, 99999, 0), "columns, not 99999"),
        ((3, 3, 10), "3×3 board holds 0 to 9 mines, not 10"),
        ((3, 3, -1), "not -1"),
    ],
)
def test_impossible_levels(sizes, words):
    with pytest.raises(LevelError, match=words):
        Level(*sizes)


def test_usual_first_cells():
    expert = LEVELS["expert"]
    assert Opening.of(expert, Start.ANY).first == (0, 0)
    assert Opening.of(expert, Start.SAFE).first == (0, 0)
    assert Opening.of(expert, Start.ZERO).first == (3, 3)
    assert Opening.of(LEVELS["intermediate"], Start.ZERO).first == (2, 2)
    assert Opening.of(Level(2, 9, 1), Start.ZERO).first == (1, 2)
    assert Opening.of(Level(4, 4, 12), Start.ZERO).first == (0, 0)


@pytest.mark.smoke
def test_start_rules_keep_their_cells_clear():
    level = Level(5, 40, 3)
    for start, clear in [
        (Start.ANY, set()),
        (Start.SAFE, {(0, 33)}),
        (Start.ZERO, {(r, c) for r in (0, 1) for c in (32, 33, 34)}),
    ]:
        allowed_mines = Opening.of(level, start, (0, 33)).allowed_mines()
        assert {tuple(map(int, cell)) for cell in np.argwhere(~allowed_mines)} == clear


@pytest.mark.parametrize(
    ("level", "start", "first", "words"),
    [
        (Level(3, 3, 9), Start.SAFE, None, "9 mines do not fit: a SAFE start .* leaves 8"),
        (Level(4, 4, 8), Start.ZERO, (1, 1), "8 mines do not fit: a ZERO start .* leaves 7"),
        (Level(4, 4, 1), Start.SAFE, (4, 0), r"\(4, 0\) is not on a board of 4 rows"),
        (Level(4, 4, 1), Start.SAFE, (0, -1), r"\(0, -1\) is not on a board"),
    ],
)
def test_impossible_openings(level, start, first, words):
    with pytest.raises(LevelError, match=words):
        Opening.of(level, start, first)


def test_a_full_board_is_possible_without_a_start_rule():
    assert Opening.of(Level(3, 3, 9), Start.ANY).first_risk == 1.0
    assert Opening.of(Level(3, 3, 8), Start.SAFE).first_risk == 0.0
