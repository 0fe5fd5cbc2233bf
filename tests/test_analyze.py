"""The command line `analyze`: output, errors and exit status."""

import io
import json

import numpy as np
import pytest

from jaxsweep.commands import analyze, arguments
from jaxsweep.diagnosis import diagnose
from jaxsweep.engines import ENGINES
from jaxsweep.rules import position
from jaxsweep.rules.notation import GridPosition

TEXT = "5x4x4\nHH1HH\nHH2HH\n12HHH\nHHHHH\n"


def run(capsys, monkeypatch, text, *argv):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    with pytest.raises(SystemExit) as left:
        arguments.run(analyze.main, argv)
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_json_has_the_documented_fields(capsys, monkeypatch):
    code, out, err = run(capsys, monkeypatch, TEXT, "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert (data["rows"], data["cols"], data["mines"], data["status"]) == (4, 5, 4, "exact")
    assert int(data["layouts"]) == round(10 ** data["log10_layouts"])
    grid = position.to_grid(position.from_text(TEXT))
    for row, chances in zip(grid, data["mine_probability"], strict=True):
        for number, chance in zip(row, chances, strict=True):
            assert (chance is None) == (number >= 0)
    best = data["best"]
    assert data["mine_probability"][best["row"]][best["col"]] == best["mine_probability"]
    assert set(best) == {"row", "col", "mine_probability", "reason", "candidates", "win_is_exact"}
    assert best["win_is_exact"], "a position of few layouts is searched"
    first, *others = best["candidates"]
    assert (first["row"], first["col"]) == (best["row"], best["col"])
    assert all(other["win"] <= first["win"] for other in others)
    for candidate in best["candidates"]:
        chance = data["mine_probability"][candidate["row"]][candidate["col"]]
        assert candidate["mine_probability"] == chance
        assert candidate["win"] <= 1 - chance + 1e-6
    total = sum(c for row in data["mine_probability"] for c in row if c is not None)
    assert total == pytest.approx(4, abs=1e-4)


def test_several_positions_are_one_batch(capsys, monkeypatch, tmp_path):
    file = tmp_path / "positions.txt"
    file.write_text(TEXT + "\n\n" + "2x2x3\n3H\nHH\n" + "3x1x1\nH1H\n")
    code, out, _ = run(capsys, monkeypatch, "", str(file), "--json")
    data = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [each["mines"] for each in data] == [4, 3, 1]
    assert data[1]["certain_mines"] == [[0, 1], [1, 0], [1, 1]]
    assert data[1]["best"] is None
    assert data[2]["mine_probability"] == [[0.5, None, 0.5]]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_wrong_position_among_others_is_named_and_they_are_answered(as_json, capsys, monkeypatch):
    text = "3x1x1\nH1H\n" + "4x1x1\nH11H\n" + "2x2x3\n3H\nHH\n"
    code, out, err = run(capsys, monkeypatch, text, *["--json"] * as_json)
    wrong = "position 2: inconsistent: the mine count 1"
    assert code == 2
    assert err.startswith(f"jaxsweep: {wrong}")
    assert err.count("\n") == 1
    if as_json:
        first, second, third = (json.loads(line) for line in out.splitlines())
        assert first["mine_probability"] == [[0.5, None, 0.5]]
        assert list(second) == ["error"]
        assert second["error"].startswith(wrong)
        assert third["certain_mines"] == [[0, 1], [1, 0], [1, 1]]
    else:
        assert out.count("layout") == 2


def test_whoever_types_is_told_what_is_awaited(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", TypedText(io.BytesIO(TEXT.encode())))
    assert analyze.main([]) == 0
    assert capsys.readouterr().err == "Paste a position, then press Ctrl-D.\n"


class TypedText(io.TextIOWrapper):
    def isatty(self):
        return True


def test_candidates_are_listed(capsys, monkeypatch):
    """Cells of nearly equal risk, in the middle of a game and at its end."""
    rows = ["HHHHHHHHH"] * 9
    rows[2:5] = ["HH2111HHH", "HH1001HHH", "HH2112HHH"]
    code, out, _ = run(capsys, monkeypatch, "\n".join(["9x9x10", *rows]))
    assert code == 0
    candidates = [line for line in out.splitlines() if line.startswith("    (")]
    assert "candidate   a mine  progress  win, about" in out
    assert len(candidates) == analyze.LISTED
    assert all(line.count("%") == 3 for line in candidates)
    assert "cells, wins about" in out
    code, out, _ = run(capsys, monkeypatch, "5x1x2\nHH1HH\n")
    assert code == 0
    assert "guess: the best by search, wins" in out
    assert "win, about" not in out


def test_the_odds_are_drawn(capsys, monkeypatch):
    code, out, _ = run(capsys, monkeypatch, "4x3x2\n01HH\n01HH\n011H\n")
    assert code == 0
    assert "ok **" in out
    assert "3 cells certainly safe, 2 certainly mines" in out
    assert "open (0,2): certain:" in out
    code, out, _ = run(capsys, monkeypatch, "30x16x99\n" + ("H" * 30 + "\n") * 16)
    assert code == 0
    assert "about 10^104." in out
    assert "-- cells next to no number: 480, each 20.6" in out


def test_a_json_position_is_read(capsys, monkeypatch):
    text = position.to_json(position.from_text(TEXT))
    code, out, _ = run(capsys, monkeypatch, text, "--json")
    assert code == 0
    assert json.loads(out)["cols"] == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "line 1: expected COLSxROWSxMINES"),
        ("2x2x1\nHH\nH9\n", "line 3, column 2: '9' is no cell"),
        ("2x2x1\nHH\nH\n", "line 3: 1 cells"),
        ("2x2x1\n4H\nHH\n", "inconsistent: row 0, column 0 shows 4 but has 3 hidden neighbours"),
        ("4x1x1\nH11H\n", "inconsistent: the mine count 1 cannot be met: the numbers shown need 2"),
        ("2x2x3\n11\n1H\n", "inconsistent: 3 mines but only 1 hidden cells"),
        ("3x2x1\n1H2\n1H1\n", "row 0, column 2 shows 2"),
    ],
)
def test_bad_positions_get_a_sentence_and_status_2(text, words, capsys, monkeypatch):
    code, out, err = run(capsys, monkeypatch, text)
    assert code == 2
    assert not out
    assert words in err
    assert err.count("\n") == 1


def test_a_missing_file_gets_a_sentence(capsys, monkeypatch, tmp_path):
    code, _, err = run(capsys, monkeypatch, "", str(tmp_path / "nothing"))
    assert code == 2
    assert "No such file" in err
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    code, _, err = run(capsys, monkeypatch, "", str(binary))
    assert code == 2
    assert "nothing that can be read; what can: .evf, " in err


def test_the_diagnosis_names_a_number_that_would_fit():
    grid = np.array([[1, -1, -1], [3, -1, -1], [1, -1, -1]], np.int8)
    message = diagnose(GridPosition(grid, 2))
    assert message.startswith("row 1, column 0 shows 3, which the numbers around it do not allow")


def test_every_engine_states_its_status(capsys, monkeypatch):
    """The status is exact, an estimate with its error, or a score."""
    results = {}
    for name in ENGINES:
        code, out, err = run(capsys, monkeypatch, TEXT, "--json", "--engine", name)
        assert (code, err) == (0, "")
        results[name] = json.loads(out)
        assert results[name]["engine"] == name
    assert {results[name]["status"] for name in ("exact", "tilesets", "bitmask", "edges")} == {
        "exact"
    }
    for name in ("sampling", "rejection", "chains"):
        one = results[name]
        assert one["status"] == "estimate"
        for row, exact_row, errors, draws in zip(
            one["mine_probability"],
            results["exact"]["mine_probability"],
            one["error"],
            one["effective_samples"],
            strict=True,
        ):
            for chance, truth, error, drawn in zip(row, exact_row, errors, draws, strict=True):
                assert (chance is None) == (truth is None) == (error is None)
                assert truth is None or abs(chance - truth) <= 5 * error
                assert truth is None or drawn > 10
    assert results["likelihood"]["status"] == "score"
    assert all(c is None for row in results["likelihood"]["mine_probability"] for c in row)
    # Cell (1,1) is next to two ones with four hidden cells each, and two twos with six.
    assert results["likelihood"]["score"][1][1] == pytest.approx(2 * 1 / 4 + 2 * 2 / 6, abs=1e-6)
    assert results["likelihood"]["best"]["mine_probability"] is None


def test_the_summary_names_the_kind_of_numbers(capsys, monkeypatch):
    example = "4x3x2\n01HH\n01HH\n011H\n"
    _, out, _ = run(capsys, monkeypatch, TEXT, "--engine", "chains")
    assert "estimates, standard errors up to 0." in out
    assert "guess: the least likely mine, by an estimate" in out
    _, out, _ = run(capsys, monkeypatch, TEXT, "--engine", "likelihood")
    assert "scores in tenths, not probabilities" in out
    assert "guess: the lowest score" in out
    _, out, _ = run(capsys, monkeypatch, example, "--engine", "likelihood")
    assert "safest: (0,2) 0.00" in out
    assert "(1,2)" not in out.splitlines()[-2], "a certain mine is not one of the safest"
    code, out, err = run(capsys, monkeypatch, example, "--engine", "oracle")
    assert code == 2
    assert "invalid choice: 'oracle'" in err
