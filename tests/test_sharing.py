"""Replays are checked, drawn, and exported as web pages."""

import json
import math
import re
import subprocess
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from PIL import Image, ImageSequence

from jaxsweep.commands import arguments
from jaxsweep.commands.replay import main
from jaxsweep.rules.board import Board, cells_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.single.grading import grade
from jaxsweep.single.grading.report import sentence
from jaxsweep.single.replay import HUMAN, RecordedMove, Replay, ReplayError, record, save
from jaxsweep.single.replay.checking import check
from jaxsweep.single.replay.clicks import clicked_game
from jaxsweep.single.replay.page import MAX_CELLS, page
from jaxsweep.single.replay.pictures import MARGIN, MIN_WIDTH, animation, picture
from jaxsweep.single.session import Session
from jaxsweep.strategies import Reason
from tests.needs import program
from tests.waiting import PATIENCE

SEED = 2
"""The seed of a game with a guess."""


@pytest.fixture(scope="module")
def replay():
    return record("exact", Opening.of(LEVELS["beginner"]), SEED)


def make_replay(layout, *moves, strategy=HUMAN):
    """Makes a human replay: each move is a cell to open, or a list of cells to flag."""
    mines = np.array([[char == "*" for char in row] for row in layout])
    rows, cols = mines.shape
    board, made, first = Board.all_hidden(mines), [], None
    for move in moves:
        flags, cells = (tuple(move), ()) if isinstance(move, list) else ((), (move,))
        first = first or (cells or (None,))[0]
        before = board.opened
        board = board.flag(mask(flags, mines)).open(mask(cells, mines))
        opened = tuple(cells_of(board.opened & ~before))
        made.append(RecordedMove(cells, flags, opened, Reason.PLAYER, None))
    opening = Opening(Level(rows, cols, int(mines.sum())), Start.ANY, first or (0, 0))
    return Replay(opening, 0, 0, strategy, mines, tuple(made), board.status)


def mask(cells, like):
    return np.array([[(r, c) in cells for c in range(like.shape[1])] for r in range(len(like))])


def replay_of(game):
    played = game.replay()
    assert played is not None
    return played


def with_move(replay, index, **changes):
    moves = list(replay.moves)
    moves[index] = replace(moves[index], **changes)
    return replace(replay, moves=tuple(moves))


def first_guess(replay):
    return next(i for i, move in enumerate(replay.moves) if move.reason.is_guess)


LOST = make_replay(["*..", "...", "..*"], [(0, 0), (0, 1)], [(0, 1)], (0, 1), [(1, 1)], (2, 2))
"""Flags are set and removed, one of them wrong; then a mine is opened."""


# Checking.


def test_a_recorded_game_has_no_problems(replay):
    assert replay.moves[first_guess(replay)].odds is not None
    assert check(replay) == []


def test_a_human_game_is_checked():
    game = Session.new(Level(4, 4, 2), Start.SAFE, 5)
    played = replay_of(game.flag((3, 3)).flag((3, 3)).open((1, 1)))
    assert check(played) == []
    assert check(replace(played, seed=6)) != []


def test_a_layout_of_another_deal_is_found(replay):
    (problem,) = check(replace(replay, game=1))
    assert problem.startswith(f"the layout is not the one dealt for seed {SEED}, game 1: ")


def test_a_moved_mine_far_from_open_cells_is_found():
    played = replay_of(Session.new(Level(6, 6, 12), Start.SAFE, 1).open((0, 0)))
    mines, hidden = played.mines.copy(), ~played.boards()[-1].opened
    # The last row is far from the first cell: no open number changes.
    row = mines[-1]
    assert hidden[-2:].all()
    row[:] = np.roll(row, 1)
    (problem,) = check(replace(played, mines=mines))
    assert problem.startswith("the layout is not the one dealt for seed 1, game 0: ")


def test_a_wrong_risk_is_found(replay):
    index = first_guess(replay)
    risk = replay.moves[index].risk
    assert check(with_move(replay, index, risk=risk + 5e-5)) == []
    (problem,) = check(with_move(replay, index, risk=risk + 0.02))
    assert problem.startswith(f"move {index + 1} has a risk of {risk + 0.02:.2%}, but (")
    (problem,) = check(with_move(replay, index, risk=None))
    assert problem.startswith(f"move {index + 1} has no risk, but (")


def test_wrong_odds_are_found(replay):
    index = first_guess(replay)
    odds = replay.moves[index].odds
    cell = next(cell for cell in cells_of(odds > 0) if odds[cell] < 0.9)
    wrong = odds.copy()
    wrong[cell] += np.float32(1e-4)
    assert check(with_move(replay, index, odds=wrong)) == []
    wrong[cell] += np.float32(0.05)
    (problem,) = check(with_move(replay, index, odds=wrong))
    assert problem.startswith(f"move {index + 1} has wrong odds: {cell} has ")
    wrong[cell] = 0
    assert len(check(with_move(replay, index, odds=wrong))) == 1


def test_a_guess_called_certain_is_found(replay):
    index = first_guess(replay)
    (problem,) = check(with_move(replay, index, reason=Reason.PAIR, risk=0.0, odds=None))
    assert problem.startswith(f"move {index + 1} is called certain, but (")
    certain = next(i for i, move in enumerate(replay.moves) if move.reason is Reason.SINGLE)
    (problem,) = check(with_move(replay, certain, risk=0.25))
    assert problem == f"move {certain + 1} is called certain, but with a risk of 25.00%"


def test_a_guess_that_is_not_the_least_likely_mine_is_found(replay):
    index = first_guess(replay)
    move = replay.moves[index]
    # Without the moves after it, which would have problems of their own.
    before = replace(replay, moves=replay.moves[:index], outcome=GameStatus.PLAYING)
    worst = cells_of((move.odds < 1) & (move.odds == move.odds[move.odds < 1].max()))[0]
    worse = replace(move, cells=(worst,), risk=float(move.odds[worst]))
    (problem,) = check(replace(before, moves=(*before.moves, worse)))
    assert problem.startswith(f"move {index + 1} is called the least likely mine, but another")


def test_a_wrong_risk_of_the_first_cell_is_found():
    played = replay_of(Session.new(Level(4, 5, 4), Start.ANY, 1).open((0, 0)))
    assert check(with_move(played, 0, reason=Reason.FIRST, risk=0.2)) == []
    (problem,) = check(with_move(played, 0, reason=Reason.FIRST, risk=0.0))
    assert problem == "move 1 has a risk of 0.00%, but a first cell's is 20.00%"


# Pictures.


def middle(image, replay, row, col, cell=24, off=0):
    """Returns the colour near the middle of a cell; the board is at the bottom, centred."""
    rows, cols = replay.mines.shape
    left, top = (image.width - cols * cell) // 2, image.height - MARGIN - rows * cell
    place = (left + col * cell + cell // 2 + off, top + row * cell + cell // 2 + off)
    return tuple(np.asarray(image)[place[::-1]].tolist())


def test_a_picture_shows_the_board():
    start, flagged, end = (picture(LOST, move) for move in (0, 1, 5))
    assert start.size == flagged.size == end.size
    hidden = middle(start, LOST, 1, 1)
    assert all(middle(start, LOST, r, c) == hidden for r in range(3) for c in range(3))
    assert middle(flagged, LOST, 0, 0) != hidden, "a flag"
    assert middle(flagged, LOST, 2, 2) == hidden, "mines are not shown before the end"
    assert middle(end, LOST, 1, 0) == hidden
    assert middle(end, LOST, 2, 2, off=-9) != middle(start, LOST, 2, 2, off=-9), "exploded"
    assert middle(end, LOST, 0, 1, off=-9) not in (hidden, middle(start, LOST, 0, 1, off=-9))


def test_a_picture_before_a_guess_is_shaded_by_the_odds(replay):
    index = first_guess(replay)
    image = picture(replay, index)
    odds, hidden = replay.moves[index].odds, ~replay.boards()[index].opened
    plain = hidden & ~replay.boards()[index].flags & ~mask(replay.moves[index].cells, hidden)
    by_risk = sorted((float(odds[cell]), cell) for cell in cells_of(plain))
    lightness = [sum(middle(image, replay, *cell, off=9)) for _, cell in by_risk]
    assert lightness == sorted(lightness, reverse=True), "ever darker"
    assert lightness[0] > lightness[-1]


@pytest.mark.parametrize("strategy", ["human", "w" * 100, "x\ny\x1b[31m 漢 \ud800" + "i" * 50])
def test_titles_stay_inside_the_picture(strategy):
    tiny = make_replay(["."], (0, 0), strategy=strategy)
    image = picture(tiny, 1)
    assert image.width == MIN_WIDTH
    pixels = np.asarray(image.convert("L"))
    empty = pixels[0, 0]
    assert (pixels[:, : MARGIN - 1] == empty).all()
    assert (pixels[:, -MARGIN + 1 :] == empty).all()
    board = pixels[-MARGIN - 24 : -MARGIN, (MIN_WIDTH - 24) // 2 :][:, :24]
    above = pixels[-2 * MARGIN - 24 : -MARGIN - 24]
    assert (board != empty).any()
    assert (above == empty).all(), "nothing between the title and the board"


def test_large_boards_get_smaller_cells(tmp_path):
    mines = np.zeros((2, 400), bool)
    mines[1, 399] = True
    rows = ["".join(".*"[int(mine)] for mine in row) for row in mines]
    long = make_replay(rows, (0, 399), (0, 0))
    assert picture(long, 2).width == 400 * 10 + 2 * MARGIN
    animation(long, tmp_path / "long.gif")
    with Image.open(tmp_path / "long.gif") as image:
        assert image.size[0] == 400 * 2 + 2 * MARGIN


def test_a_picture_of_a_move_that_does_not_exist_is_an_error():
    for move in (-1, 6):
        with pytest.raises(ReplayError, match=f"there is no move {move}: the game has 5"):
            picture(LOST, move)


def test_an_animation_has_a_frame_for_each_move(replay, tmp_path):
    path = tmp_path / "game.gif"
    animation(replay, path)
    with Image.open(path) as image:
        times = []
        for move, frame in enumerate(ImageSequence.Iterator(image)):
            times.append(frame.info["duration"])
            shown = np.asarray(frame.convert("RGB"), int)
            exact = np.asarray(picture(replay, move), int)
            assert np.abs(shown - exact).mean() < 4, "few colours, but the right ones"
    assert len(times) == len(replay.moves) + 1
    assert times[-1] > max(times[:-1])
    assert times[first_guess(replay)] > times[0]


# Pages.


def state(board, cell):
    if board.opened[cell]:
        return "exploded" if board.mines[cell] else str(board.numbers[cell])
    over = board.status is not GameStatus.PLAYING
    if board.flags[cell]:
        return "flag" if board.mines[cell] or not over else "wrong"
    if not (over and board.mines[cell]):
        return "hidden"
    return "flag" if board.status is GameStatus.WON else "mine"


def states(replay, move):
    board = replay.boards()[move]
    return [state(board, cell) for cell in np.ndindex(board.mines.shape)]


def test_a_page_contains_the_replay_and_needs_no_network(replay):
    text = page(replace(replay, strategy="</script><img src=x onerror=alert(1)>@REPLAY@<!--"))
    (data,) = re.findall(r'<script type="application/json" id="replay">(.*?)</script>', text)
    data = json.loads(data)
    assert data["strategy"] == "</script><img src=x onerror=alert(1)>@REPLAY@<!--"
    assert len(data["moves"]) == len(replay.moves)
    assert "<img" not in text
    assert not re.search(r"""(src|href)=["']?(https?:|//)""", text)
    assert "innerHTML" not in text


def test_a_board_too_large_for_a_page_is_refused():
    def empty(rows, cols):
        opening = Opening.of(Level(rows, cols, 0))
        mines = np.zeros((rows, cols), bool)
        return Replay(opening, 0, 0, HUMAN, mines, (), GameStatus.PLAYING)

    assert page(empty(MAX_CELLS // 200, 200))
    with pytest.raises(ReplayError, match="201×200 is too large for a page"):
        page(empty(MAX_CELLS // 200 + 1, 200))


WATCH = """<script>
const problems = [];
addEventListener("error", (event) => problems.push(String(event.message)));
addEventListener("securitypolicyviolation", (event) => problems.push(event.violatedDirective));
console.error = (...words) => problems.push(words.join(" "));
</script>"""
"""The first script on the page: records errors."""

DRIVE = """<script>
const seen = {};
function look(name) {
  const all = [...document.querySelectorAll(".cell")];
  const facts = [...document.querySelectorAll("#facts dd")].map((fact) => fact.textContent);
  seen[name] = {
    move: document.getElementById("move").textContent,
    states: all.map((cell) => cell.dataset.state),
    places: all.map((cell) => cell.ariaLabel.match(/\\d+/g).slice(0, 2).map(Number)),
    shaded: document.querySelectorAll(".odds").length,
    survived: facts[1],
    reason: document.getElementById("reason").textContent,
    headline: document.getElementById("headline").textContent,
    heading: document.getElementById("name").textContent,
    wide: document.documentElement.scrollWidth - innerWidth,
  };
}
const click = (name) => document.querySelector(`[data-do="${name}"]`).click();
const press = (key) =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
async function drive() {
  %s
}
drive().catch((error) => problems.push(String(error))).then(() => {
  const output = document.createElement("pre");
  output.id = "seen";
  output.textContent = JSON.stringify({problems, seen});
  document.body.append(output);
});
</script>"""


@pytest.fixture
def browse(tmp_path):
    """Returns a function that loads a page, runs actions on it, and returns what it showed."""
    chromium = program("chromium", "chromium-browser", "google-chrome")

    def run(text, actions):
        path = tmp_path / "page.html"
        driven = text.replace("<title>", WATCH + "<title>", 1)
        head, tail = driven.rsplit("</body>", 1)
        path.write_text(head + DRIVE % actions + "</body>" + tail, "utf-8")
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
        command += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000"]
        done = subprocess.run(
            [*command, path.as_uri()], capture_output=True, text=True, timeout=PATIENCE, check=True
        )
        output = re.findall(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
        result = json.loads(unescape(output[0]))
        assert result["problems"] == []
        return result["seen"]

    return run


def test_a_page_plays_the_game(replay, browse, tmp_path):
    index, count = first_guess(replay), len(replay.moves)
    file, out = tmp_path / "game.json", tmp_path / "game.html"
    save(replay, file)
    assert main(["export", str(file), "--html", str(out)]) == 0
    seen = browse(
        out.read_text("utf-8"),
        """look("start");
        click("next"); click("next"); look("two");
        click("back"); look("one");
        click("guess"); look("guess");
        click("odds"); look("plain");
        click("odds"); press("End"); look("end");
        press("Home"); press("ArrowRight"); press("ArrowRight"); press("ArrowLeft"); look("keys");
        press("g"); look("by g");
        press("o"); look("by o");
        click("first"); click("last"); look("last");
        document.getElementById("speed").value = "10";
        click("run"); look("playing"); await wait(150); press(" "); look("paused");
        await wait(500); look("still paused"); press(" "); await wait(5000); look("over");""",
    )
    at = {"start": 0, "two": 2, "one": 1, "guess": index, "plain": index, "end": count}
    at |= {"keys": 1, "by g": index, "by o": index, "last": count}
    paused = int(seen["paused"]["move"])  # Depends on the speed of the machine.
    assert 0 < paused < count
    at |= {"playing": 0, "paused": paused, "still paused": paused, "over": count}
    for name, move in at.items():
        assert seen[name]["move"] == str(move), name
        assert seen[name]["states"] == states(replay, move), name
        assert seen[name]["survived"] == f"{100 * replay.survival[move]:.1f}\u00a0%", name
    assert seen["start"]["places"] == [list(cell) for cell in np.ndindex(replay.mines.shape)]
    before = replay.boards()[index]
    assert seen["guess"]["shaded"] == int((~before.opened & ~before.flags).sum())
    assert seen["plain"]["shaded"] == seen["end"]["shaded"] == seen["by o"]["shaded"] == 0
    assert replay.moves[count - 1].reason.text in seen["end"]["reason"]
    assert all(look["wide"] <= 0 for look in seen.values()), "nothing to scroll sideways"


def test_a_page_shows_flags_mines_and_untrusted_names(browse):
    name = "</script><b>bold</b>\"'<!--"
    seen = browse(
        page(replace(LOST, strategy=name)),
        """for (let move = 0; move <= 5; move++) { look(move); click("next"); }
        document.getElementById("timeline").setPointerCapture = () => {};
        const box = document.getElementById("timeline").getBoundingClientRect();
        const there = {clientX: box.left + box.width * 2.5 / 6, bubbles: true};
        document.getElementById("timeline").dispatchEvent(new PointerEvent("pointerdown", there));
        look("scrubbed");""",
    )
    for move in range(6):
        assert seen[str(move)]["states"] == states(LOST, move)
    assert seen["5"]["states"] == ["flag", "1", "hidden", "hidden", "wrong"] + ["hidden"] * 3 + [
        "exploded"
    ]
    assert seen["0"]["heading"] == f"Strategy {name}"
    assert seen["5"]["headline"].startswith("✕ lost")
    assert seen["scrubbed"]["move"] == "2"


def test_a_graded_page_shows_the_chance_to_win(replay, browse):
    person = replace(replay, strategy=HUMAN, moves=tuple(map(by_hand, replay.moves)))
    graded, index = grade(person), first_guess(replay)
    game = replace(clicked_game(person), player="Ada <b>")
    seen = browse(
        page(person, graded, game),
        """look("start"); click("guess"); look("guess"); click("next"); look("after");
        click("last"); look("end");""",
    )
    chances = {"start": graded.win_before, "end": graded.win_after}
    guess = next(move for move in graded.moves if move.index == index + 1)
    chances |= {"guess": guess.win_before, "after": guess.win_after}
    for name, chance in chances.items():
        assert seen[name]["survived"] == f"{100 * chance:.1f}\u00a0%", name
    assert seen["guess"]["move"] == str(index), "a person's guesses are found by their grades"
    assert seen["after"]["reason"] == sentence(guess)
    assert seen["start"]["heading"] == "Ada <b>"


def by_hand(move):
    return replace(move, reason=Reason.PLAYER, risk=None, odds=None)


# The command line.


def run(capsys, *argv):
    with pytest.raises(SystemExit) as left:
        arguments.run(main, [str(word) for word in argv])
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_show_draws_every_move(replay, tmp_path, capsys):
    save(replay, tmp_path / "game.json")
    code, out, err = run(capsys, "show", tmp_path / "game.json")
    assert (code, err) == (0, "")
    count, guess = len(replay.moves), first_guess(replay)
    assert f"move 1 of {count}, (0,0): first cell\n" in out
    risk = replay.moves[guess].risk
    assert f"guess: the least likely mine, risk {risk:.1%}\n" in out
    assert out.count(f"exact on 9×9/10, safe start, seed {SEED}\n") == count
    *_, last, metrics, details = out.rstrip().splitlines()
    assert last.startswith(f"won in {count} moves, 1 of them a guess, ")
    assert metrics.startswith("3BV ")
    survival = replay.survival[-1]
    assert details.endswith(f", luck {-math.log10(survival):.2f}")


def test_show_names_flags_and_the_mine(tmp_path, capsys):
    save(LOST, tmp_path / "game.json.gz")
    code, out, _ = run(capsys, "show", tmp_path / "game.json.gz", "--delay", "0")
    assert code == 0
    assert "move 1 of 5, flag (0,0) and 1 more: the player's choice\n" in out
    assert "move 5 of 5, (2,2): the player's choice. A mine!\n" in out
    assert "\nlost in 5 moves\n3BV " in out, "nobody knows which moves of a person were guesses"


def test_survival_is_not_shown_where_a_risk_is_unknown(replay, tmp_path, capsys):
    index = first_guess(replay)
    save(replay, tmp_path / "known.json")
    assert run(capsys, "show", tmp_path / "known.json")[1].count("% to survive them all\n") == 1
    unknown = with_move(replay, index, risk=None)
    assert unknown.survival[: index + 1] == replay.survival[: index + 1]
    assert set(unknown.survival[index + 1 :]) == {None}
    save(unknown, tmp_path / "unknown.json")
    assert "1 of them a guess\n3BV " in run(capsys, "show", tmp_path / "unknown.json")[1]
    # A flag alone risks nothing, and a person's clicks have unknown risks.
    assert LOST.survival[1] == 1.0
    assert LOST.survival[-1] is None


def test_check_reports_problems(replay, tmp_path, capsys):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    save(replay, good)
    index = first_guess(replay)
    save(with_move(replay, index, risk=0.9), bad)
    code, out, err = run(capsys, "check", good)
    assert (code, err) == (0, "")
    assert out == f"{good}: {len(replay.moves)} moves, won, no problems found\n"
    code, out, err = run(capsys, "check", bad)
    assert (code, err) == (2, "")
    assert out.startswith(f"{bad}: move {index + 1} has a risk of 90.00%, but (")
    assert out.count("\n") == 1


def test_export_writes_every_form(tmp_path, capsys):
    file = tmp_path / "game.json"
    save(LOST, file)
    for option, name in (("--png", "a.png"), ("--gif", "a.gif"), ("--html", "a.html")):
        assert run(capsys, "export", file, option, tmp_path / name) == (0, "", "")
    assert run(capsys, "export", file, "--png", tmp_path / "b", "--move", 2) == (0, "", "")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"game.json", "a.png", "a.gif", "a.html", "b"}, "and no temporary file"
    for name, move in (("a.png", 5), ("b", 2)):
        with Image.open(tmp_path / name) as image:
            assert image.format == "PNG"
            assert (np.asarray(image) == np.asarray(picture(LOST, move))).all()
    with Image.open(tmp_path / "a.gif") as image:
        assert image.format == "GIF"
        assert len(list(ImageSequence.Iterator(image))) == 6
    assert (tmp_path / "a.html").read_text("utf-8") == page(LOST)


def test_errors_are_one_sentence(tmp_path, capsys):
    file, broken = tmp_path / "game.json", tmp_path / "broken.json"
    save(LOST, file)
    broken.write_text('{"format": "jaxsweep-replay", "version": 1')
    code, out, err = run(capsys, "check", broken)
    assert (code, out) == (2, "")
    assert err.startswith("jaxsweep: broken.json: not a replay: line 1, column 43: ")
    assert err.count("\n") == 1
    code, _, err = run(capsys, "show", tmp_path / "none.json")
    assert code == 2
    assert "No such file" in err
    code, _, err = run(capsys, "export", file, "--png", tmp_path / "x.png", "--move", "6")
    assert (code, err) == (2, "jaxsweep: there is no move 6: the game has 5\n")
    code, _, err = run(capsys, "export", file, "--gif", tmp_path / "none" / "x.gif")
    assert code == 2
    assert not list(tmp_path.glob("x.*"))


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("export", "game.json"),
        ("export", "game.json", "--png", "a", "--gif", "b"),
        ("export", "game.json", "--html", "a", "--move", "1"),
        ("show", "game.json", "--delay", "-1"),
    ],
)
def test_wrong_arguments_get_a_sentence(argv, capsys):
    code, out, err = run(capsys, *argv)
    assert (code, out) == (2, "")
    assert err.startswith("jaxsweep: ")
    assert err.count("\n") == 1
    assert "(python -m jaxsweep.replay" in err
    assert err.endswith("-h explains)\n")


def test_help_has_examples(capsys):
    code, out, _ = run(capsys, "-h")
    assert code == 0
    assert "examples:" in out
    assert "python -m jaxsweep.replay export game.json --html game.html" in out
