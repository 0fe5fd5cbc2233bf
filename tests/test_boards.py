"""The command `boards`: orders, files gone on with, certificates checked, boards judged."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxsweep.commands import boards_made
from jaxsweep.commands.arguments import USAGE_ERROR
from jaxsweep.commands.arguments import run as run_command
from jaxsweep.commands.boards import main
from jaxsweep.formats import read
from jaxsweep.formats.conversion import as_game
from jaxsweep.puzzles.board import OrderedBoard, Source, read_board
from jaxsweep.puzzles.checking import check_board
from jaxsweep.puzzles.difficulty import QUANTILES, share_easier
from jaxsweep.puzzles.files import read_lines
from jaxsweep.puzzles.proofs import prove
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.deal import deal

ORDER = ("beginner", "--no-guess", "--start", "zero", "--seed", "7")


def run(capsys, *words):
    """The exit status and what was printed; the command is run as on a command line."""
    with pytest.raises(SystemExit) as end:
        run_command(main, [str(word) for word in words])
    captured = capsys.readouterr()
    return end.value.code, captured.out, captured.err


def refusal(capsys, *words):
    """The sentence with which a command is refused."""
    status, out, err = run(capsys, *words)
    assert status == USAGE_ERROR
    assert out == ""
    assert "Traceback" not in err
    return err.splitlines()[-1]


def test_boards_are_printed_as_json(capsys):
    status, out, _ = run(capsys, *ORDER, "--count", 5, "--json")
    assert status == 0
    boards = [json.loads(line) for line in out.splitlines()]
    assert len(boards) == 5
    opening = Opening.of(LEVELS["beginner"], Start.ZERO)
    for found in boards:
        mines = np.zeros((found["rows"], found["cols"]), bool)
        mines[tuple(np.array(found["mine_cells"]).T)] = True
        # The board is the arena's game of that number.
        assert (mines == deal(opening, 7, found["game"])).all()
        assert found["first"] == [2, 2]
        assert found["start"] == "zero"
        board = read_board(found)
        assert sum(check_board(board).values()) == len(found["certificate"])
        assert board.to_json() == found
        assert board.difficulty is not None
        assert board.difficulty.score == found["difficulty"]


def test_wishes_are_granted(capsys):
    wishes = ("--max-rule", "pair", "--difficulty", 30, 60, "--bbbv", 10, 20)
    status, out, _ = run(capsys, "beginner", *wishes, "--seed", 1, "--count", 8, "--json")
    assert status == 0
    boards = [json.loads(line) for line in out.splitlines()]
    assert len(boards) == 8
    for found in boards:
        assert found["hardest_rule"] == "pair"
        assert 30 <= found["difficulty"] <= 60
        assert 10 <= found["bbbv"] <= 20


def test_one_board_is_drawn_and_described(capsys):
    status, out, _ = run(capsys, *ORDER)
    assert status == 0
    first, *rows, last = out.splitlines()
    assert first.startswith("board 1: game ")
    assert "hardest rule" in first
    assert sum(row.count("*") for row in rows) == 10
    assert last.startswith("1 board of 9×9/10, zero start at (2, 2), seed 7: ")


def test_an_order_in_a_file_is_gone_on_with(capsys, tmp_path):
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    assert run(capsys, *ORDER, "--count", 12, "--out", whole)[0] == 0
    assert run(capsys, *ORDER, "--count", 5, "--out", parts)[0] == 0
    text = whole.read_bytes()
    assert text.startswith(parts.read_bytes())
    # Stopped while a line was written.
    parts.write_bytes(text[: text.index(b"\n", len(text) // 2) + 40])
    status, out, _ = run(capsys, *ORDER, "--count", 12, "--out", parts)
    assert status == 0
    assert parts.read_bytes() == text
    assert out.startswith("12 boards of 9×9/10")
    status, out, _ = run(capsys, *ORDER, "--count", 12, "--out", parts)
    assert "finished before" in out
    assert parts.read_bytes() == text
    status, out, _ = run(capsys, "check", parts)
    assert status == 0
    assert out.startswith("12 of 12 certificates verified")


@pytest.mark.parametrize(
    "change",
    [
        ("--seed", 8),
        ("--bbbv", 3, 30),
        ("--plain",),
        ("--repair",),
    ],
)
def test_a_file_of_another_order_is_refused(change, capsys, tmp_path):
    file = tmp_path / "boards.jsonl"
    assert run(capsys, *ORDER, "--count", 2, "--out", file)[0] == 0
    before = file.read_bytes()
    said = refusal(capsys, *ORDER, *change, "--count", 4, "--out", file)
    assert "boards of another order" in said
    assert file.read_bytes() == before


def test_other_files_are_not_written_over(capsys, tmp_path):
    file = tmp_path / "notes.txt"
    for text in ("mine", "mine\n", '{"rows": 3}\n', "\x00\xff\n"):
        file.write_text(text)
        assert "notes.txt" in refusal(capsys, *ORDER, "--out", file)
        assert file.read_text() == text
    assert "no folder" in refusal(capsys, *ORDER, "--out", tmp_path / "nowhere" / "b.jsonl")


def test_plain_boards_have_no_certificate(capsys, tmp_path):
    file = tmp_path / "boards.jsonl"
    assert run(capsys, *ORDER, "--plain", "--count", 3, "--out", file)[0] == 0
    boards = list(read_lines(file))
    assert [board.steps for board in boards] == [None] * 3
    assert all(board.hardest is prove(board.mines, board.opening.first).hardest for board in boards)
    status, out, _ = run(capsys, "check", file)
    assert status == 0
    assert "3 without a certificate" in out


def test_boards_that_may_need_a_guess_say_so(capsys):
    status, out, _ = run(capsys, "expert", "--seed", 1, "--count", 12, "--json")
    assert status == 0
    boards = [json.loads(line) for line in out.splitlines()]
    assert [found["game"] for found in boards] == list(range(12))
    guess = [found for found in boards if found["hardest_rule"] is None]
    assert guess
    assert all(found["certificate"] is found["difficulty"] is None for found in guess)


@pytest.mark.parametrize("name", ["mbf", "board", "llamasweeper", "pttacg"])
def test_boards_are_written_for_other_programs(name, capsys, tmp_path):
    folder = tmp_path / "boards"
    assert run(capsys, *ORDER, "--count", 2, "--out", folder, "--format", name)[0] == 0
    files = sorted(path for path in folder.iterdir() if path.suffix != ".jsonl")
    boards = list(read_lines(folder / boards_made.LINES))
    assert len(files) == len(boards) == 2
    for file, board in zip(files, boards, strict=True):
        (content,) = read(file.read_bytes())
        assert np.array_equal(as_game(content).mines, board.mines)
        status, out, _ = run(capsys, "judge", file)
        assert status == 0
        assert "needs no guess" in out
        assert out.endswith("+ needs no guess from here   . needs one   * a mine\n")
        assert out.count("*") == board.mines.sum() + 1


def test_links_of_two_pages_do_not_share_files(capsys, tmp_path):
    for name in ("llamasweeper", "pttacg"):
        assert run(capsys, *ORDER, "--out", tmp_path, "--format", name)[0] == 0
    texts = {path.read_text() for path in tmp_path.glob("*.txt")}
    assert len(texts) == 2
    assert any("llamasweeper.com" in text for text in texts)


def test_a_forged_certificate_is_found(capsys, tmp_path):
    file = tmp_path / "boards.jsonl"
    assert run(capsys, *ORDER, "--count", 3, "--out", file)[0] == 0
    lines = file.read_text().splitlines()
    found = json.loads(lines[1])
    step = found["certificate"][0]
    step["safe"], step["mines"] = step["mines"], step["safe"]
    file.write_text("\n".join([lines[0], json.dumps(found), lines[2], ""]))
    status, out, err = run(capsys, "check", file)
    assert status == 1
    assert err.startswith("board 2: step 1 (")
    assert out.startswith("2 of 3 certificates verified")
    status, out, _ = run(capsys, "check", file, "--json")
    assert status == 1
    assert json.loads(out)["wrong"][0][0] == 2


def test_a_board_is_judged(capsys, tmp_path):
    file = tmp_path / "boards.jsonl"
    assert run(capsys, *ORDER, "--count", 3, "--out", file)[0] == 0
    board = list(read_lines(file))[2]
    status, out, _ = run(capsys, "judge", file, "--number", 3, "--json")
    assert status == 0
    found = json.loads(out)
    assert found["needs_guess"] is False
    assert found["mine_cells"] == board.to_json()["mine_cells"]
    assert found["certificate"] == board.to_json()["certificate"]
    free = {tuple(cell) for cell in found["guess_free_first_cells"]}
    assert board.opening.first in free
    for cell in [(0, 0), (4, 4), (8, 8)]:
        assert (cell in free) == prove(board.mines, cell).solved
    # From a cell that needs a guess, the position where it does is shown.
    safe = {tuple(cell) for cell in np.argwhere(~board.mines).tolist()}
    if stuck := safe - free:
        row, col = min(stuck)
        status, out, _ = run(capsys, "judge", file, "--number", 3, "--first", row, col)
        assert "needs a guess" in out
        assert "the safest cell there" in out


def test_a_link_is_judged(capsys):
    link = "https://llamasweeper.com/#/game/zini-explorer?b=44&m=8000"
    status, out, _ = run(capsys, "judge", link, "--json")
    assert status == 0
    found = json.loads(out)
    assert found["mine_cells"] == [[0, 1]]
    assert found["rows"] == found["cols"] == 4


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("judge", "nowhere.mbf"), "nowhere.mbf: No such file"),
        (("check", "nowhere.jsonl"), "nowhere.jsonl: No such file"),
        ((*ORDER, "--difficulty", "5", "4"), "no difficulty is from 5 to 4"),
        ((*ORDER, "--difficulty", "a", "4"), "'a' is not a number from 0, or inf"),
        ((*ORDER, "--bbbv", "100", "200"), "3BV of 100 is out of reach: 9×9/10 has 71 safe cells"),
        ((*ORDER, "--plain", "--difficulty", "5", "40"), "without certificates"),
        (("beginner", "--repair"), "only boards that are to need no guess are repaired"),
        ((*ORDER, "--format", "mbf"), "--format writes files: it needs --out"),
        ((*ORDER, "--format", "mbf", "--out", __file__), "is a file; --format writes a folder"),
        (("1x1/1", "--no-guess"), "1 mine does not fit: a SAFE start at (0, 0) on 1×1 leaves 0"),
        (("custom", "300", "300", "9", "--no-guess"), "at most 10000"),
        (
            ("custom", "2", "2", "2", "--no-guess", "--repair", "--patience", "0"),
            "--patience SECONDS searches longer",
        ),
        (
            ("custom", "16", "30", "200", "--no-guess", "--start", "zero", "--patience", "0"),
            "--repair moves mines instead",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(words, sentence, capsys):
    assert sentence in refusal(capsys, *words)


HARD = OrderedBoard.proved(
    Opening.of(LEVELS["beginner"], Start.ZERO),
    deal(Opening.of(LEVELS["beginner"], Start.ZERO), 7, 39),
    14,
    Source(7, 39, False, ""),
)
"""A board that needs every rule but the mine count alone."""


def parts_of(found):
    """All lists and objects of some JSON, with the names or places of what they hold."""
    names = found if isinstance(found, dict) else range(len(found))
    for name in names:
        yield found, name
        if isinstance(found[name], dict | list):
            yield from parts_of(found[name])


@settings(max_examples=150)
@given(st.data())
def test_damaged_boards_are_refused_with_a_sentence(data):
    """Or are as true as before: another number proves the same, cells are in another order."""
    found = json.loads(json.dumps(HARD.to_json()))
    check_board(read_board(found))
    where, name = data.draw(st.sampled_from(list(parts_of(found))))
    junk = st.none() | st.booleans() | st.integers(-5, 300) | st.text(max_size=3)
    junk |= st.floats() | st.just(10**40) | st.sampled_from(["single", "pair", "exact", "any"])
    where[name] = data.draw(junk | st.lists(junk | st.lists(st.integers(-2, 12), max_size=3)))
    try:
        damaged = read_board(json.loads(json.dumps(found)))
        check_board(damaged)
    except UserError as error:
        assert str(error)
        return
    assert (damaged.mines == HARD.mines).all()
    assert damaged.hardest is HARD.hardest
    assert damaged.difficulty == HARD.difficulty


@pytest.mark.parametrize(
    ("name", "value"),
    [("cells", -7), ("numbers", [[0, 0, 0]]), ("safe", None), ("rule", "EXACT"), ("mines", [3])],
)
def test_a_damaged_step_is_refused_before_its_difficulty_is_computed(name, value):
    found = HARD.to_json()
    place = next(i for i, step in enumerate(found["certificate"]) if step["rule"] == "pair")
    found["certificate"][place][name] = value
    with pytest.raises(UserError, match=f"step {place + 1} has "):
        read_board(found)


@pytest.mark.parametrize("changes", [{"seed": "7"}, {"game": None}, {"repaired": 0}, {"wishes": 3}])
def test_a_source_that_is_none_is_refused(changes):
    with pytest.raises(UserError, match="seed, game, repaired and wishes are not all"):
        read_board(HARD.to_json() | changes)


def test_a_hardest_rule_that_is_no_text_is_refused():
    opening = Opening.of(LEVELS["beginner"], Start.ZERO)
    found = OrderedBoard.proved(opening, deal(opening, 7, 0), 0).to_json() | {"hardest_rule": []}
    with pytest.raises(UserError, match="hardest_rule"):
        read_board(json.loads(json.dumps(found)))


def test_the_scale_of_difficulty_goes_up():
    file = Path(__file__).parents[1] / "experiments" / "results" / "boards.json"
    assert list(QUANTILES) == json.loads(file.read_text())["difficulty"]["quantiles"]
    assert list(QUANTILES) == sorted(QUANTILES)
    assert share_easier(0.0) == 0
    assert share_easier(1e9) == 1
    assert 0.4 < share_easier(QUANTILES[len(QUANTILES) // 2] + 0.05) < 0.6
