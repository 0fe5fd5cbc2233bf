import itertools
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jaxsweep.commands import arguments, grade_files
from jaxsweep.commands.grade import main
from jaxsweep.rules.board import Board, cells_of, mask_of
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.notation import GridPosition, from_text
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.geometry import from_mask, indices
from jaxsweep.scalar.lookahead import look_ahead
from jaxsweep.scalar.move_values import judge, value_move
from jaxsweep.scalar.view import View
from jaxsweep.single.grading import Kind, grade
from jaxsweep.single.grading.chances import chance_to_win
from jaxsweep.single.grading.reference import chance_before, losses_of_players
from jaxsweep.single.grading.report import grade_to_json, sentence, totals
from jaxsweep.single.grading.summary import summarise
from jaxsweep.single.replay import ReplayError, from_bytes, record, save, to_json
from jaxsweep.single.replay.clicks import replay_of
from jaxsweep.single.session import Session
from tests import oracle

TINY = Level(4, 5, 4)

RESULTS = Path(__file__).parents[1] / "experiments" / "results"


def random_game(level, seed, counter):
    """A person who often opens certain cells, and else flags, chords and guesses at random."""
    rng = random.Random(seed)
    session = Session.new(level, rng.choice(list(Start)[:2]), seed)
    session = session.open((rng.randrange(level.rows), rng.randrange(level.cols)))
    while session.status is GameStatus.PLAYING and rng.random() < 0.98:
        board = session.board
        hidden = cells_of(~board.opened)
        solution = counter.solve(View.of(board.grid, level.mines))
        safe = cells_of(solution.geometry.to_mask(solution.safe))
        if safe and rng.random() < 0.8:
            session = session.open(rng.choice(safe))
            continue
        cell = rng.choice(hidden)
        if rng.random() < 0.5:
            # A flag anywhere, right or wrong, and all chords that it allows.
            session = session.flag(cell)
            for number in cells_of(board.opened):
                session = session.chord(number)
        elif not board.flags[cell]:
            session = session.open(cell)
    game = session.replay(1.0)
    assert game is not None
    return game


@pytest.fixture(scope="module")
def games():
    counter = Counter()
    return [random_game(TINY, seed, counter) for seed in range(1000)]


@pytest.fixture(scope="module")
def grades(games):
    counter = Counter()
    return [grade(game, counter=counter) for game in games]


def test_the_accounts_of_games_close(games, grades):
    kinds = set()
    for game, graded in zip(games, grades, strict=True):
        result = graded.win_before + graded.luck - graded.loss
        assert result == pytest.approx(graded.win_after, abs=1e-12)
        if game.outcome is not GameStatus.PLAYING:
            assert graded.win_after == (game.outcome is GameStatus.WON)
        for move, after in itertools.pairwise(graded.moves):
            assert move.win_after == after.win_before
        for move in graded.moves:
            kinds.add(move.kind)
            assert move.loss >= 0
            assert 0 <= move.value <= move.win_before <= 1
            if move.kind in (Kind.FIRST, Kind.CERTAIN):
                assert move.loss == 0
        assert 0 <= graded.accuracy <= 1
        assert [m.index for m in graded.moves] == [
            i for i, m in enumerate(game.moves, start=1) if m.cells
        ]
    assert kinds == set(Kind)


def test_endings_are_graded_as_by_trying_everything(games, grades):
    won, seen, chords = oracle.best_play(TINY.rows, TINY.cols), 0, 0
    for number, (game, graded) in enumerate(zip(games, grades, strict=True)):
        if seen >= 300:
            break
        boards = game.boards()
        for move in graded.moves:
            board = boards[move.index - 1]
            hidden = int((~board.opened).sum())
            if move.kind is Kind.FIRST or hidden > 12:
                continue
            if move.kind is Kind.CERTAIN and number % 5:
                continue
            layouts = oracle.layouts(board.grid.clip(-1).tolist(), TINY.mines)
            safety = sum(not layout.intersection(move.cells) for layout in layouts) / len(layouts)
            assert move.risk == pytest.approx(1 - safety, abs=1e-12)
            everywhere = {cell: sum(cell in one for one in layouts) for cell in np.ndindex(4, 5)}
            free = [n for cell, n in everywhere.items() if not board.opened[cell]]
            assert move.least_risk == pytest.approx(min(free) / len(layouts), abs=1e-12)
            assert (move.kind is Kind.CERTAIN) == (safety == 1)
            assert (move.kind is Kind.NEEDLESS) == (safety < 1 and min(free) == 0)
            best, chosen = won(layouts), won(layouts, move.cells)
            assert move.loss == pytest.approx((best - chosen) / len(layouts), abs=1e-12)
            if move.is_guess:
                assert move.exact
                assert move.win_before == pytest.approx(best / len(layouts), abs=1e-12)
                assert won(layouts, [move.best_cell]) == best
                seen += 1
                chords += len(move.cells) > 1
    assert seen >= 300
    assert chords > 10


# What needs no search is estimated, all moves in the same way.

STUCK = from_text("8x8x10\n2HHHHHHH\n" + "HHHHHHHH\n" * 7)


def view_of(position):
    view, counter = View.of(*position), Counter()
    solution = counter.solve(view)
    assert solution is not None
    return view, solution, counter


def value(view, solution, counter, *cells, expected=0.5):
    chosen = from_mask(mask_of(cells, np.zeros((view.geometry.rows, view.geometry.cols), bool)))
    return value_move(view, solution, counter, chosen, expected)


def test_a_candidate_is_worth_what_the_judge_says():
    view, solution, counter = view_of(STUCK)
    _, candidates = look_ahead(view, solution, counter, judge().settings)
    best = max(one.win for one in candidates)
    for one in candidates[:4]:
        valued = value(view, solution, counter, one.cell)
        assert (valued.chosen, valued.best) == (one.win, best)
        assert not valued.exact
    other = (1, 1)
    assert all(one.cell != other for one in candidates)
    valued = value(view, solution, counter, other)
    assert 0 < valued.chosen < valued.best == best


def test_more_cells_evaluated_change_no_other():
    view, solution, counter = view_of(STUCK)
    chosen, alone = look_ahead(view, solution, counter, judge().settings)
    again, more = look_ahead(view, solution, counter, judge().settings, also=[9, 10])
    assert chosen == again
    assert {one.cell: one for one in more}.items() >= {one.cell: one for one in alone}.items()
    added = {one.cell for one in more} - {one.cell for one in alone}
    assert (1, 1) in added
    assert added <= {(1, 1), (1, 2)}


def guesses(level, games):
    """Positions of games of `exact` in which nothing is certain, and search is not in reach."""
    for seed in range(games):
        game = record("exact", Opening.of(LEVELS[level]), seed)
        for board, move in zip(game.boards(), game.moves, strict=False):
            if move.risk and board.opened.any():
                view, solution, counter = view_of(
                    GridPosition(board.grid.clip(-1), game.opening.level.mines)
                )
                if solution.layouts > judge().endgame_layouts:
                    yield view, solution, counter


def test_what_cannot_be_the_best_need_not_be_evaluated():
    pruned = 0
    found = [*guesses("beginner", 8), *guesses("expert", 3)]
    for number, (view, solution, counter) in enumerate(found):
        cells = indices(solution.uncertain)
        other = cells[7 * number % len(cells)]
        best, all_ = look_ahead(view, solution, counter, judge().settings, also=[other])
        same, few = look_ahead(view, solution, counter, judge().settings, True, also=[other])
        assert same.cell == best.cell
        wins, again = ({one.cell: one.win for one in some} for some in (all_, few))
        for cell in (all_[0].cell, view.geometry.cell(other)):
            assert again[cell] == pytest.approx(wins[cell], abs=1e-12)
        pruned += len(all_) - len(few)
    assert pruned > 20


def test_what_is_certain_need_not_be_read_again():
    """Numbers whose neighbours are decided say nothing about what follows."""
    seen = 0
    for view, solution, counter in guesses("intermediate", 5):
        narrow = view.reading(solution.uncertain)
        for cell in indices(solution.uncertain)[::9]:
            for number in range(9):
                whole = Counter().solve(view.after(cell, number))
                after = narrow.after(cell, number)
                found = counter.solve(after, solution.mines, solution.safe)
                assert (found is None) == (whole is None)
                if found is None or whole is None:
                    continue
                assert (found.layouts, found.safe) == (whole.layouts, whole.safe)
                assert found.mines == whole.mines
                assert set(found.undecided) == set(whole.undecided)
                seen += 1
    assert seen > 50


def test_counts_beyond_floating_point_are_graded():
    """A board of thousands of cells has more layouts than the largest float, 10^308."""
    level = Level(64, 64, 800)
    session = Session.new(level, Start.ZERO, 1).open((30, 30))
    hidden = cells_of(~session.board.opened & ~session.board.mines)
    game = session.open(hidden[0]).replay(1.0)
    assert game is not None
    guess = grade(game).moves[-1]
    assert guess.kind is Kind.NEEDLESS
    assert guess.least_risk == 0
    assert guess.risk == pytest.approx(800 / 4096, abs=0.02)


def test_several_cells_are_worth_less_than_one_and_a_certain_mine_nothing():
    view, solution, counter = view_of(STUCK)
    one, two = (value(view, solution, counter, *cells) for cells in ([(7, 7)], [(7, 7), (7, 6)]))
    assert 0 < two.chosen < one.chosen
    position = from_text("8x8x12\n1HHHHHHH\n11HHHHHH\n01HHHHHH\n01HHHHHH\n" + "HHHHHHHH\n" * 4)
    view, solution, counter = view_of(position)
    mine = cells_of(view.geometry.to_mask(solution.mines))[0]
    lost = value(view, solution, counter, mine, expected=0.5)
    assert lost.chosen == 0
    assert lost.best == 0.5 if solution.safe else lost.best > 0


def test_a_needless_guess_loses_about_its_risk_of_what_was_expected():
    position = from_text("8x8x10\n0001HHHH\n0001HHHH\n0001HHHH\n1111HHHH\n" + "HHHHHHHH\n" * 4)
    view, solution, counter = view_of(position)
    assert solution.safe
    valued = value(view, solution, counter, (7, 7), expected=0.8)
    risk = solution.risk(63)
    assert valued.best == 0.8
    assert 0.8 * (1 - 2.5 * risk) < valued.chosen < 0.8
    assert solution.safe >> (valued.best_cell[0] * 8 + valued.best_cell[1]) & 1
    both = value(view, solution, counter, (7, 7), (7, 0), expected=0.8)
    assert both.chosen < valued.chosen


def test_the_judge_loses_nothing_by_its_own_judgement():
    for seed in range(3):
        graded = grade(record("strongest", Opening.of(LEVELS["intermediate"]), seed))
        assert graded.loss == pytest.approx(0, abs=2e-4)
        assert graded.accuracy == pytest.approx(1, abs=1e-3)


def test_a_player_at_random_loses_more_than_one_at_least_risk():
    losses = {}
    for player in ("random", "exact"):
        games = [record(player, Opening.of(LEVELS["beginner"]), 4, n) for n in range(12)]
        losses[player] = np.mean([grade(game).loss for game in games])
    assert losses["exact"] < 0.1 < losses["random"]


# The first cell, and games that are not over.


def test_the_first_cell_is_graded_by_the_start_rule():
    level = LEVELS["beginner"]
    chances = []
    for start in Start:
        game = record("exact", Opening.of(level, start), 3)
        first = grade(game).moves[0]
        assert first.kind is Kind.FIRST
        assert first.loss == 0
        assert first.risk == (10 / 81 if start is Start.ANY else 0)
        assert grade(game, Start.ANY if start is Start.ZERO else Start.ZERO).start is start
        chances.append(first.win_before)
    assert chances[0] < chances[1] < 1


def without_seed(game):
    return replace(game, seed=None, game=None)


def test_games_of_others_begin_safe_unless_they_did_not():
    game = without_seed(record("exact", Opening.of(LEVELS["beginner"], Start.ANY), 3))
    assert grade(game).start is Start.SAFE
    assert grade(game, Start.ANY).start is Start.ANY
    mines = np.zeros((3, 3), bool)
    mines[0, 0] = True
    opening = Opening(Level(3, 3, 1), Start.ANY, (0, 0))
    lost = Session(opening.level, Start.ANY, 1, Board.all_hidden(mines), opening)
    lost = lost.open((0, 0)).replay()
    assert lost is not None
    graded = grade(without_seed(lost))
    assert graded.start is Start.ANY
    assert graded.moves[0].risk == 1 / 9
    assert graded.win_after == 0


def test_a_game_that_is_not_over_ends_with_its_chance():
    session = Session.new(TINY, Start.SAFE, 3)
    nothing = session.open((0, 0)).undo().replay()
    assert nothing is None
    game = session.open((0, 0)).replay()
    assert game is not None
    graded = grade(game)
    assert graded.outcome is GameStatus.PLAYING
    assert 0 < graded.win_after < 1
    assert "Not over: now" in totals(graded)[0]
    assert graded.win_after == pytest.approx(graded.win_before + graded.luck)


def test_too_large_a_board_is_refused():
    mines = np.zeros((101, 100), bool)
    mines[0, 0] = True
    opening = Opening(Level(101, 100, 1), Start.SAFE, (50, 50))
    session = Session(opening.level, Start.SAFE, 1, Board.all_hidden(mines), opening)
    game = session.open((50, 50)).replay()
    assert game is not None
    with pytest.raises(ReplayError, match="10000 cells at most"):
        grade(game)


# In words, and as data.


def test_turning_points_in_words(grades):
    texts = set()
    for graded in grades[:200]:
        points = graded.turning_points
        assert len(points) <= 3
        assert [point.index for point in points] == sorted(point.index for point in points)
        rest = [max(m.loss, abs(m.luck)) for m in graded.moves if m not in points]
        assert max(rest, default=0) <= min((max(p.loss, abs(p.luck)) for p in points), default=1)
        for move in points:
            text = sentence(move)
            assert text.startswith(f"Move {move.index}, ")
            assert text.endswith(".")
            assert ("needless" in text) == (move.kind is Kind.NEEDLESS)
            texts.add(text.split(":")[1].split(" at")[0].strip())
    assert {"a needless guess", "a forced guess"} <= texts
    assert any(text.startswith("the first cell") for text in texts)


def test_a_first_cell_that_is_a_mine_is_said_to_be_one():
    games = (record("exact", Opening.of(LEVELS["beginner"], Start.ANY), 3, n) for n in range(40))
    lost = next(game for game in games if len(game.moves) == 1)
    graded = grade(lost)
    said = sentence(graded.moves[0])
    assert said.startswith(
        "Move 1, (0,0): the first cell, at 12.3% risk; it was a mine, which took"
    )
    assert totals(graded)[1] == "Accuracy 100.0%: no guess."


FIELDS = {
    *("index", "cells", "chord", "kind", "risk", "least_risk", "forced", "needless"),
    *("win_before", "win_after", "loss", "luck", "exact", "best_cell", "matters", "text"),
}


def test_plain_data_adds_up(games):
    data = json.loads(json.dumps(grade_to_json(grade(games[0]), games[0])))
    assert data["loss"] == pytest.approx(sum(move["loss"] for move in data["moves"]))
    assert data["luck"] == pytest.approx(sum(move["luck"] for move in data["moves"]))
    assert all(set(move) == FIELDS for move in data["moves"])


def test_players_are_summed_up_apart(games):
    data = [grade_to_json(grade(game), game) for game in games[:20]]
    other = data[0] | {"player": "Ada", "loss": 0.5, "outcome": "won"}
    everyone = summarise([*data, other])
    assert sum(one.games for one in everyone) == 21
    (ada,) = [one for one in everyone if one.player == "Ada"]
    assert (ada.games, ada.won, ada.loss, ada.comparison) == (1, 1, 0.5, None)


def test_players_are_compared_with_known_ones():
    game = record("exact", Opening.of(LEVELS["beginner"]), 4)
    data = grade_to_json(grade(game), game) | {"player": "Ada"}
    known = losses_of_players(LEVELS["beginner"], Start.SAFE)
    assert known["strongest"] < known["exact"] < known["knowledge"] < known["random"]
    for name, loss in known.items():
        (one,) = summarise([data | {"loss": loss}] * 5)
        assert one.comparison == (
            f"Ada chooses about as well as {name}, which loses {loss:.1%} of a game."
        )
        assert summarise([data | {"loss": loss}] * 4)[0].comparison is None
    (one,) = summarise([data | {"loss": loss} for loss in (0.0, 0.0, 0.0, 0.0, 0.3)])
    assert one.margin > 0.06
    assert "about as well as exact" in (one.comparison or "")


def test_who_differs_from_all_known_players_is_between_two():
    known = losses_of_players(LEVELS["beginner"], Start.SAFE)
    game = record("exact", Opening.of(LEVELS["beginner"]), 4)
    data = grade_to_json(grade(game), game) | {"player": "Ada"}
    said = summarise([data | {"loss": (known["exact"] + known["knowledge"]) / 2}] * 5)[0].comparison
    assert said == (
        f"Ada chooses better than knowledge, which loses {known['knowledge']:.1%} of a game, and "
        f"worse than exact, which loses {known['exact']:.1%} of a game."
    )
    said = summarise([data | {"loss": 2.0}] * 5)[0].comparison
    assert said == f"Ada chooses worse than random, which loses {known['random']:.1%} of a game."


def test_a_known_player_is_not_compared_with_itself():
    game = record("exact", Opening.of(LEVELS["beginner"]), 4)
    data = grade_to_json(grade(game), game)
    loss = losses_of_players(LEVELS["beginner"], Start.SAFE)["exact"]
    said = summarise([data] * 5)[0].comparison
    assert said == f"Over many games, exact loses {loss:.1%} of a game."
    said = summarise([data | {"player": "strongest"}] * 5)[0].comparison
    assert said == "strongest is the judge: by its own judgement, its choices lose nothing."


def test_what_is_known_of_players_was_measured():
    for entry in json.loads((RESULTS / "grades.json").read_text("utf-8"))["players"]:
        known = losses_of_players(LEVELS[entry["board"]], Start(entry["start"]))
        assert known[entry["player"]] == round(entry["loss"]["mean"], 4)
    (won,) = [
        entry["win_rate"]
        for entry in json.loads((RESULTS / "winrates.json").read_text("utf-8"))
        if (entry["player"], entry["board"], entry["start"]) == ("strongest", "16×30/99", "zero")
    ]
    assert chance_before(LEVELS["expert"], Start.ZERO) == pytest.approx(won, abs=1e-4)
    assert chance_before(Level(5, 5, 5), Start.SAFE) is None


# The chance to win before the first click, of boards of any size.


def chance_of(level, start):
    chance = chance_to_win(level, start)
    assert chance is not None
    return chance


def test_the_model_agrees_with_games_that_it_was_not_fitted_to():
    played = json.loads((RESULTS / "chances.json").read_text("utf-8"))["boards"]
    held_out = [entry for entry in played if entry["held_out"]]
    sizes = {(e["rows"], e["cols"]) for e in held_out}
    assert not sizes & {(e["rows"], e["cols"]) for e in played if not e["held_out"]}
    assert len(held_out) > 90
    errors = []
    for entry in held_out:
        level = Level(entry["rows"], entry["cols"], entry["mines"])
        chance = chance_of(level, Start(entry["start"]))
        assert abs(chance - entry["chance"]) < 0.03 + 2 * entry["standard_error"]
        errors.append(chance - entry["chance"])
    assert np.sqrt(np.mean(np.square(errors))) < 0.015


def test_more_mines_are_never_better_and_a_better_start_is():
    for rows, cols in ((4, 4), (5, 12), (8, 8), (9, 9), (16, 30), (24, 24), (40, 40), (100, 100)):
        before = dict.fromkeys(Start, 1.0)
        for mines in range(int(0.4 * rows * cols)):
            level = Level(rows, cols, mines)
            found = {start: chance_of(level, start) for start in Start}
            safe = found[Start.SAFE]
            assert found[Start.ANY] == pytest.approx(safe * (1 - mines / level.cells))
            assert safe <= found[Start.ZERO] + 0.01
            for start in Start:
                assert 0 <= found[start] <= before[start]
            before = found


def test_boards_that_the_model_is_not_for_are_estimated_in_another_way():
    for level in (Level(1, 30, 4), Level(3, 9, 3), Level(10, 10, 41)):
        assert chance_to_win(level, Start.SAFE) is None
        game = Session.new(level, Start.SAFE, 2).open((0, 0)).replay()
        assert game is not None
        assert 0 < grade(game).win_before < 1
    level = Level(12, 15, 30)
    game = Session.new(level, Start.ZERO, 2).open((5, 5)).replay()
    assert game is not None
    assert grade(game).win_before == chance_to_win(level, Start.ZERO)


# The command line.


def run(capsys, *argv):
    with pytest.raises(SystemExit) as left:
        arguments.run(main, [str(word) for word in argv])
    out, err = capsys.readouterr()
    return left.value.code, out, err


@pytest.fixture
def saved(tmp_path, games):
    lost = [game for game in games if game.outcome is GameStatus.LOST][:5]
    files = [tmp_path / f"game{number}.json" for number in range(len(lost))]
    for game, file in zip(lost, files, strict=True):
        save(game, file)
    return files


@pytest.mark.smoke
def test_a_game_in_the_terminal(saved, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(capsys, saved[0])
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "Lost: the chance to win was" in out
    assert "Accuracy" in out
    code, everything, _ = run(capsys, saved[0], "--all")
    assert code == 0
    game = from_bytes(saved[0].read_bytes())
    assert "other move" not in everything
    assert sum(bool(move.cells) for move in game.moves) <= len(everything.splitlines())


def test_one_object_a_game(saved, capsys):
    code, out, err = run(capsys, *saved[:2], "--json")
    assert (code, err) == (0, "")
    games = [json.loads(line) for line in out.splitlines()]
    assert [game["file"] for game in games] == [str(file) for file in saved[:2]]
    for game in games:
        end = game["win_before"] + game["luck"] - game["loss"]
        assert end == pytest.approx(game["win_after"], abs=1e-9)
        assert game["metrics"]["left"] >= 1


def test_many_games_go_on_where_they_stopped(saved, capsys, tmp_path, monkeypatch):
    out = tmp_path / "grades"
    code, first, err = run(capsys, *saved, "--out", out)
    assert (code, err) == (0, "")
    assert "human" in first
    kept = {file.name: file.stat().st_mtime_ns for file in out.iterdir()}
    assert len(kept) == len(saved) + 1

    def never(*_):
        raise AssertionError("what is there is not graded again")

    monkeypatch.setattr(grade_files, "grade_source", never)
    monkeypatch.setattr(grade_files, "FEW", 100)
    code, second, _ = run(capsys, *saved, "--out", out)
    assert (code, second) == (0, first)
    assert kept == {file.name: file.stat().st_mtime_ns for file in out.iterdir()}
    code, _, err = run(capsys, *saved, "--out", out, "--start", "any")
    assert code == 2
    assert "start" in err
    assert "Traceback" not in err


def test_a_file_that_cannot_be_graded_costs_no_other(saved, capsys, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "seen.mine").write_text("4x3x2\n01HH\n01HH\n011H\n")
    files = [tmp_path / "bad.json", saved[0], tmp_path / "seen.mine", tmp_path / "none.json"]
    code, out, err = run(capsys, *files, "--json")
    assert code == 2
    assert len(out.splitlines()) == 1
    assert len(err.splitlines()) == 3
    assert all(line.startswith("jaxsweep: ") for line in err.splitlines())


@pytest.mark.parametrize("damage", ["", "[", "{}", "[]", "[1]", '[{"file": "a"}]', "\xff"])
def test_what_was_kept_and_is_damaged_is_graded_again(saved, capsys, tmp_path, damage):
    out = tmp_path / "grades"
    first = run(capsys, *saved[:2], "--out", out)
    kept, _ = sorted(file for file in out.iterdir() if file.name != "grades.json")
    whole = kept.read_text("utf-8")
    kept.write_text(damage, "latin-1")
    assert run(capsys, *saved[:2], "--out", out) == first
    assert kept.read_text("utf-8") == whole


def test_a_file_and_its_copy_are_counted_once(saved, capsys, tmp_path):
    copy = tmp_path / "copy.json"
    copy.write_bytes(saved[0].read_bytes())
    code, once, _ = run(capsys, *saved[:2])
    assert code == 0
    code, out, err = run(capsys, *saved[:2], copy)
    assert (code, out) == (0, once)
    assert err == f"jaxsweep: {copy} holds the same as {saved[0]}: it is counted once\n"
    _, objects, err = run(capsys, *saved[:2], copy, "--json")
    assert (len(objects.splitlines()), err) == (3, "")


def test_games_that_cannot_be_graded_cost_no_others_of_their_file(saved, capsys, monkeypatch):
    found = [from_bytes(file.read_bytes()) for file in saved[:3]]
    found[1] = replace(found[1], moves=())
    monkeypatch.setattr(grade_files, "read", lambda *_: found)
    code, out, err = run(capsys, saved[0], "--json")
    assert code == 2
    assert [json.loads(line)["number"] for line in out.splitlines()] == [1, 3]
    why = "game 2: a board without clicks: there are no moves to grade"
    assert err == f"jaxsweep: {saved[0].name}: {why}\n"


def test_a_game_that_is_not_there_is_asked_for(saved, capsys):
    code, out, err = run(capsys, saved[0], "--json", "--game", "7")
    assert (code, out) == (2, "")
    assert err == f"jaxsweep: {saved[0]}: there is no game 7\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("a", "b", "--html", "x.html"), "one file"),
        (("a", "b", "--all"), "one file"),
        (("a", "--json", "--html", "x.html"), "not allowed with"),
        (("a", "--start", "never"), "invalid choice"),
    ],
)
def test_options_that_do_not_go_together(capsys, options, said):
    code, _, err = run(capsys, *options)
    assert code == 2
    assert said in err


def test_the_page_has_the_grades(saved, capsys, tmp_path):
    out = tmp_path / "game.html"
    assert run(capsys, saved[0], "--html", out)[:2] == (0, "")
    text = out.read_text("utf-8")
    graded = grade(from_bytes(saved[0].read_bytes()))
    assert f'"win_before":{graded.win_before}' in text
    assert totals(graded)[0] in text


def test_other_programs_games_are_graded_by_their_clicks(games):
    from jaxsweep.single.replay.clicks import clicked_game

    game = games[1]
    again = replay_of(clicked_game(game))
    mine = grade(without_seed(game), game.opening.start)
    assert [m.loss for m in grade(again, game.opening.start).moves] == [m.loss for m in mine.moves]
    assert to_json(again)["layout"] == to_json(game)["layout"]
    assert isinstance(STUCK, GridPosition)
