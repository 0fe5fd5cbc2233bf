import json

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxsweep.rules import notation, position
from jaxsweep.rules.grid import FLAGGED, HIDDEN
from jaxsweep.rules.notation import PositionError

TEXT = "4x3x2\n01HH\n01FH\n011H\n"
GRID = [[0, 1, HIDDEN, HIDDEN], [0, 1, FLAGGED, HIDDEN], [0, 1, 1, HIDDEN]]


@pytest.mark.smoke
def test_text_is_read_and_written():
    read = position.from_text(TEXT)
    np.testing.assert_array_equal(position.to_grid(read), GRID)
    assert int(read.mines) == 2
    assert position.to_text(read) == TEXT


@pytest.mark.smoke
def test_json_is_read_and_written():
    text = position.to_json(position.from_text(TEXT))
    assert json.loads(text) == {
        "rows": 3,
        "cols": 4,
        "mines": 2,
        "board": ["01HH", "01FH", "011H"],
    }
    assert position.to_text(position.from_json(text)) == TEXT
    assert position.to_text(position.read("\n " + text)) == TEXT


def test_loose_text_is_understood():
    loose = "\n  4 X 3 x 2 \r\n\n0 1 . ?\n\t01fh\n\n 0 1 1 H  \n\n"
    assert position.to_text(position.read(loose)) == TEXT


def test_a_flag_is_a_mark_not_evidence():
    with_flag, without = (position.from_text(t) for t in (TEXT, TEXT.replace("F", "H")))
    np.testing.assert_array_equal(with_flag.hidden, without.hidden)
    np.testing.assert_array_equal(with_flag.opened, without.opened)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: no position here"),
        ("\n\nhello\n", "line 3: expected COLSxROWSxMINES, such as 30x16x99, not 'hello'"),
        ("4x3\n", "line 1: expected COLSxROWSxMINES"),
        ("0x3x0\n", "line 1: a board needs 1 to 4096 columns, not 0"),
        ("2x2x5\nHH\nHH\n", "line 1: a 2×2 board holds 0 to 4 mines, not 5"),
        ("2x2x1\nHH\n", "line 1 promises 2 rows, but only 1 follow"),
        ("2x2x1\nHH\nHH\n\nHHH\n", "line 5: a row too many"),
        ("2x2x1\nHH\nH\n", "line 3: 1 cells, but line 1 promises 2"),
        ("2x2x1\nHH\n\nH 9\n", "line 4, column 3: '9' is no cell"),
        ("999999999x999999999x1\nH\n", "1 to 4096 rows"),
        ("4000x4000x1\nH\n", "promises 4000 rows, but only 1"),
        ("２x2x1\nHH\nHH", "line 1: expected"),
    ],
)
def test_bad_text_is_named(text, words):
    with pytest.raises(PositionError) as caught:
        position.read(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


OPEN = '{"x": 2, "y": 1, "value": 2}'


def tiles(*cells, width=3, height=2, mines=1):
    """A message of mspe.node."""
    board = json.dumps({"width": width, "height": height, "mines": mines})
    return f'{{"board": {board}, "tiles": [{", ".join(cells)}]}}'


def test_messages_of_mspe_node_are_read():
    seen = position.read(tiles(OPEN, '{"x": 0, "y": 0, "value": 0, "safety": 1}', OPEN))
    assert position.to_text(seen) == "3x2x1\n0HH\nHH2\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1, column 2: not JSON"),
        ("{}", '"rows" must be a whole number'),
        ('{"rows": true, "cols": 1, "mines": 0, "board": ["H"]}', '"rows" must be'),
        ('{"rows": 1, "cols": 1, "mines": 2, "board": ["H"]}', "holds 0 to 1 mines, not 2"),
        ('{"rows": 1, "cols": 1, "mines": 0, "board": "H"}', '"board" must be a list'),
        ('{"rows": 1, "cols": 1, "mines": 0, "board": [0]}', '"board" must be a list'),
        ('{"rows": 1, "cols": 2, "mines": 0, "board": ["Hx"]}', "board row 0, column 2: 'x'"),
        ('{"rows": 2, "cols": 1, "mines": 0, "board": ["H"]}', "promises 2 rows, but only 1"),
        ('{"rows": 1, "cols": 1, "mines": 0, "board": ["H"]} x', "column 52: not JSON"),
        ('{"tiles": []}', 'beside "tiles", "board" must hold'),
        (tiles(width=True), 'JSON: board: "width" must be a whole number'),
        (tiles(width=5000), "JSON: board: a board needs 1 to 4096 columns"),
        (tiles(width=4096, height=17), "69,632 cells: 65,536 at most"),
        (tiles(mines=7), "holds 0 to 6 mines, not 7"),
        (tiles("3"), "tile 0: expected an object"),
        (tiles('{"x": 0, "y": 0}'), 'tile 0: "value" must be a whole number'),
        (tiles('{"x": 0, "y": -1, "value": 1}'), "tile 0: no cell x 0, y -1"),
        (tiles('{"x": 3, "y": 0, "value": 1}'), "no cell x 3, y 0 on a board 3 wide, 2 high"),
        (tiles('{"x": 0, "y": 0, "value": 9}'), "a cell shows 0 to 8, not 9"),
        (
            tiles(OPEN, OPEN.replace('"value": 2', '"value": 3')),
            "tile 1: x 2, y 1 showed 2 before, now 3",
        ),
        (tiles().replace("[]", "{}"), '"tiles" must be a list'),
    ],
)
def test_bad_json_is_named(text, words):
    with pytest.raises(PositionError) as caught:
        position.read(text)
    assert words in str(caught.value)


def reads_or_says_why(text):
    try:
        read = position.read(text)
    except PositionError as error:
        assert str(error)
    else:
        assert position.to_text(position.read(position.to_text(read))) == position.to_text(read)


@pytest.mark.smoke
@given(st.text())
def test_garbage_is_refused_or_read(text):
    reads_or_says_why(text)
    reads_or_says_why("{" + text)


@given(st.text(alphabet='0123456789xX×HF.? \n\t\r\x0b\x1c{}[]",:²٣', max_size=60))
def test_garbage_that_looks_like_a_position_is_refused_or_read(text):
    reads_or_says_why(text)
    reads_or_says_why("3x2x1\n" + text)


@given(st.integers(0, len(TEXT) - 1), st.characters(), st.booleans())
def test_a_damaged_position_is_refused_or_read(place, letter, as_json):
    text = position.to_json(position.from_text(TEXT)) if as_json else TEXT
    reads_or_says_why(text[:place] + letter + text[place + 1 :])
    reads_or_says_why(text[:place])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2x2x1\n4H\nHH\n", "row 0, column 0 shows 4 but has 3 hidden neighbours"),
        ("2x2x1\n00\n01\n", "row 1, column 1 shows 1 but has 0 hidden neighbours"),
        ("2x2x2\n11\n1H\n", "2 mines but only 1 hidden cells"),
    ],
)
def test_check_names_what_cannot_be(text, words):
    with pytest.raises(PositionError, match=words):
        notation.check(notation.from_text(text))


def test_check_passes_what_can_be():
    notation.check(notation.from_text(TEXT))
    notation.check(notation.from_text("1x1x0\n0\n"))


def test_positions_of_any_size_stack_into_one_batch():
    texts = [TEXT, "40x1x3\n" + "H" * 39 + "1\n", "1x5x0\n" + "0\n" * 5]
    batch = position.stack([position.from_text(text) for text in texts])
    assert batch.hidden.shape == (5, 2, 3)
    for i, text in enumerate(texts):
        alone = jax.tree.map(lambda leaf, i=i: leaf[..., i], batch)
        assert position.to_text(alone) == text
