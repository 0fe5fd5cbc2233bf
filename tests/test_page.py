"""The page that the server serves, in a browser: real clicks, touches and keys."""

import functools
import http.server
import json
import re
import subprocess
import threading
from pathlib import Path

import pytest

from tests.needs import missing, packages, program

packages("starlette", "uvicorn", "websockets", group="serving")

from jaxsweep.commands.grade_files import grade_source
from jaxsweep.formats import read, write
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.rules.notation import from_text, to_text
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.number_odds import number_odds
from jaxsweep.serving import site
from jaxsweep.serving.guard import Trust
from jaxsweep.single import replay as replays
from jaxsweep.single.analysis import analyze
from jaxsweep.single.grading import grade
from jaxsweep.single.replay.page import page
from tests.browser import DESKTOP, PHONE, opened
from tests.format_samples import evfs, made_up_game
from tests.serving import STUCK, running
from viewer.theme import DARK, LIGHT, Theme

SEED = 5
"""Of the games that are played here: the page takes it from its address."""

SCREENS = pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])


@pytest.fixture(scope="module")
def server():
    with running() as address:
        yield address


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def tab(browser, server):
    """The tab, as at a first visit; whatever a test does, nothing may go wrong in the page."""
    browser.problems.clear()
    browser.send("Storage.clearDataForOrigin", origin=server.url, storageTypes="local_storage")
    yield browser
    browser.run("1")
    assert browser.problems == []


def cell(number):
    return f'[data-cell="{number}"]'


def states(tab):
    return tab.run("[...document.querySelectorAll('.cell')].map((cell) => cell.dataset.state)")


def paste(tab, text):
    """Pastes a text on the page."""
    tab.run(
        "(() => { const data = new DataTransfer(); data.setData('text', "
        f"{json.dumps(text)}); document.body.dispatchEvent(new ClipboardEvent('paste', "
        "{clipboardData: data, bubbles: true})); })()"
    )


def hover(tab, selector):
    """Moves the mouse to an element."""
    x, y = tab.place(selector)
    tab.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)


def refused(tab):
    """Forgets answers with status 400: browsers list them as errors, which are none of the page."""
    assert all("400" in json.dumps(one) for one in tab.problems)
    tab.problems.clear()


def says(tab, start):
    """Waits until the line above the board begins with some words."""
    tab.until(f"document.getElementById('headline').textContent.startsWith({json.dumps(start)})")


def facts(tab, selector):
    """The terms and what they say of a list of facts."""
    return dict(
        tab.run(
            f"[...document.querySelectorAll('{selector} div')]"
            ".map((pair) => [pair.children[0].textContent, pair.children[1].textContent])"
        )
    )


def mines_of(first):
    level = LEVELS["beginner"]
    return deal(Opening(level, Start.SAFE, first), SEED).reshape(-1)


@SCREENS
def test_a_game_is_won(server, tab, screen):
    tab.show(*screen)
    tab.go(f"{server.url}/?seed={SEED}")
    mines = mines_of((4, 4))
    tab.click(cell(40))
    tab.until("document.querySelector('[data-cell=\"40\"]').dataset.state !== 'hidden'")
    flagged = int(mines.nonzero()[0][0])
    tab.click(cell(flagged), "right")
    assert states(tab)[flagged] == "flag"
    assert tab.text("#left") == "9"
    for number in (~mines).nonzero()[0].tolist():
        if states(tab)[number] == "hidden":
            tab.click(cell(number))
    assert tab.text("#headline").startswith("Won in")
    assert {"Time", "3BV", "Clicks", "3BV/s", "Efficiency"} == set(facts(tab, "#result"))
    # What the page recorded is a game by the rules of the server.
    tab.click('[data-do="grade"]')
    tab.until("document.querySelector('#totals p:nth-child(2)')")
    assert "by hand" in tab.text("#about-replay")
    assert "no problems found" in tab.text("#about-replay")
    assert tab.text("#totals").startswith("Won: the chance to win was 9")
    tab.press("End")
    assert tab.text("#headline").startswith("✓ won")


def test_the_recorded_game_is_checked(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/?seed={SEED}")
    tab.run("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }")
    mines = mines_of((0, 0))
    tab.press("ArrowRight", "ArrowLeft", " ")
    tab.until("document.querySelector('[data-cell=\"0\"]').dataset.state !== 'hidden'")
    for number in mines.nonzero()[0].tolist()[:3]:
        tab.run(f"document.querySelector('{cell(number)}').focus()")
        tab.click(cell(number), "right")
    for number in (~mines).nonzero()[0].tolist():
        tab.click(cell(number))  # also open numbers, some of which are chords
        if tab.text("#headline").startswith(("Won", "A mine")):
            break
    tab.click('[data-do="save"]')
    tab.until("window.saved")
    saved = json.loads(tab.run("window.saved.text()"))
    assert saved["strategy"] == "human"
    found = server.post("/replay/check", saved).data
    assert found["problems"] == []
    assert found["outcome"] in ("won", "lost")


@SCREENS
def test_a_game_is_lost_and_the_move_taken_back(server, tab, screen):
    tab.show(*screen)
    tab.go(f"{server.url}/?seed={SEED}")
    mine = int(mines_of((0, 0)).nonzero()[0][0])
    tab.click(cell(0))
    tab.until("document.querySelector('[data-cell=\"0\"]').dataset.state !== 'hidden'")
    tab.click(cell(mine))
    assert tab.text("#headline").startswith("A mine, after")
    assert states(tab).count("exploded") == 1
    tab.click('[data-do="undo"]')
    assert "exploded" not in states(tab)
    tab.click('[data-do="hint"]')
    tab.until("document.querySelector('.cell.best')")
    assert tab.text("#headline").startswith("Row ")
    tab.click('[data-do="odds"]')
    tab.until("document.querySelector('.cell.odds, .cell.is-safe')")


@SCREENS
def test_a_position_is_drawn_and_analysed(server, tab, screen):
    """Every probability on the page is that of `analyze`."""
    tab.show(*screen)
    tab.go(f"{server.url}/#analyse")
    tab.choose("#edit-level", "beginner")
    tab.click('[data-do="clear"]')
    tab.click('#brushes [aria-label="draw 2"]')
    tab.click(cell(0))
    tab.click('#brushes [aria-label="draw 1"]')
    tab.click(cell(40))
    tab.click('#brushes [aria-label="draw the next one"]')
    tab.click(cell(80))
    tab.click(cell(80))
    rows = ["2HHHHHHHH", *["HHHHHHHHH"] * 3, "HHHH1HHHH", *["HHHHHHHHH"] * 3, "HHHHHHHH1"]
    own = analyze([from_text("9x9x10\n" + "\n".join(rows))])[0]
    assert own.best is not None
    tab.until("document.getElementById('answer-card').dataset.of === '9x9x10-c39Hb39Hb'")
    assert tab.text("#best") == f"Open row {own.best[0]}, column {own.best[1]}"
    shown = tab.run("[...document.querySelectorAll('.cell')].map((cell) => cell.title)")
    for number, title in enumerate(shown):
        if own.grid.reshape(-1)[number] < 0:
            assert title == f"{100 * own.odds.reshape(-1)[number]:.2f} % a mine"
    table = tab.run(
        "[...document.querySelectorAll('#candidates tbody tr')]"
        ".map((row) => [...row.children].map((cell) => cell.textContent))"
    )
    assert len(table) == min(len(own.candidates), 16)
    for (place, risk, _, win), candidate in zip(table, own.candidates, strict=False):
        assert place == f"({candidate.cell[0]}, {candidate.cell[1]})"
        assert risk == f"{100 * candidate.risk:.2f} %"
        assert win == f"{100 * candidate.win:.1f} %"


def test_a_link_carries_the_position(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/#analyse=8x8x10-c63H")
    own = analyze([from_text(STUCK)])[0]
    assert own.best is not None
    tab.until("document.getElementById('answer-card').dataset.of === '8x8x10-c63H'")
    assert tab.text("#best") == f"Open row {own.best[0]}, column {own.best[1]}"
    tab.run("navigator.clipboard.writeText = (text) => { window.copied = text; }")
    tab.click('[data-do="text"]')
    tab.until(f"window.copied === {json.dumps(to_text(from_text(STUCK)))}")
    tab.press("ArrowRight", "ArrowLeft", "3")
    tab.click('[data-do="link"]')
    tab.until(f"window.copied === '{server.url}/#analyse=8x8x10-d63H'")
    tab.run("location.hash = '#analyse=8x8x10-c62H'")
    says(tab, "this link carries a position that is cut off")
    tab.until("document.getElementById('answer-card').hidden")
    # Every number, of which no position has all: the letters of some stand for marks in texts.
    tab.run("location.hash = '#analyse=11x1x1-abcdefghiHF'")
    tab.until("document.getElementById('edit-cols').value === '11'")
    tab.click('[data-do="text"]')
    tab.until(r"window.copied === '11x1x1\n012345678HF\n'")
    refused(tab)


def test_pasted_positions_are_shown_and_impossible_ones_explained(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/")

    paste(tab, STUCK)
    tab.until("!document.getElementById('answer-card').hidden")
    assert len(states(tab)) == 64
    paste(tab, "2x2x9\nHH\nHH\n")
    tab.until("document.getElementById('headline').textContent === '9 mines do not fit'")
    paste(tab, "4x3x2\n01HH\n01H\n011H\n")
    tab.until("document.getElementById('headline').textContent === 'line 3: 3 cells, not 4'")
    paste(tab, "3x3x2\nH1H\n1H1\nH3H\n")
    says(tab, "inconsistent: row 2, column 1 shows 3")
    marked = "[...document.querySelectorAll('.conflict')].map((cell) => cell.dataset.cell).join()"
    assert tab.run(marked) == "7"
    tab.press("u")
    tab.until("!document.getElementById('answer-card').hidden")
    assert len(states(tab)) == 64
    assert tab.run(marked) == ""
    refused(tab)


def test_several_positions_can_be_chosen_from(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/")
    paste(tab, "2x2x1\nHH\n1H\n" + STUCK)
    tab.until("document.getElementById('answer-card').dataset.of === '2x2x1-2HbH'")
    tab.choose("#which-of-positions", "1")
    tab.until("document.getElementById('answer-card').dataset.of === '8x8x10-c63H'")
    paste(tab, json.dumps(["2x2x1\nHH\n1H", {"rows": 1, "cols": 3, "mines": 1, "board": ["H1"]}]))
    says(tab, "position 2, line 2: 2 cells, not 3")
    assert len(states(tab)) == 64


def test_files_that_cannot_be_shown_are_named(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/#replay")
    tab.drop(b"x" * (2**20 + 1), "huge.avf")
    says(tab, "huge.avf: 1,025 KiB are too much; up to 1,024 KiB are read")
    tab.drop(b"", "empty.evf")
    says(tab, "empty.evf: the file is empty")
    tab.drop(b"\x04\xff\xfe\x00", "broken.evf")
    says(tab, "broken.evf: nothing that can be read")
    refused(tab)
    tab.run(
        """(() => { const data = new DataTransfer();
        for (const name of ["a.txt", "b.txt"])
          data.items.add(new File(["2x2x1\\nHH\\n1H\\n"], name));
        const drop = {dataTransfer: data, bubbles: true, cancelable: true};
        document.body.dispatchEvent(new DragEvent("drop", drop)); })()"""
    )
    tab.until("document.getElementById('notice').textContent.startsWith('Only a.txt is shown')")
    assert tab.run("document.body.dataset.mode") == "analyse"


def test_modes_are_steps_of_the_history(server, tab):
    """Back and forward lead from mode to mode, and a position outlives a reload."""
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/#analyse=8x8x10-c63H")
    tab.press("ArrowRight", "ArrowLeft", "1")
    tab.until("document.getElementById('answer-card').dataset.of === '8x8x10-b63H'")
    tab.click('[data-to="replay"]')
    assert tab.run("[location.hash, document.title]") == ["#replay", "Replay · jaxsweep"]
    tab.run("history.back()")
    tab.until("document.body.dataset.mode === 'analyse'")
    assert tab.run("location.hash") == "#analyse=8x8x10-b63H"
    # What was known of the position is still there.
    assert not tab.run("document.getElementById('cell-card').hidden")
    tab.run("history.forward()")
    tab.until("document.body.dataset.mode === 'replay'")
    tab.click('[data-to="analyse"]')
    tab.go(tab.run("location.href"))
    tab.until("document.getElementById('answer-card').dataset.of === '8x8x10-b63H'")


def test_what_was_chosen_is_there_at_the_next_visit(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/")
    tab.choose("#play-level", "custom")
    tab.choose("#play-mines", "6")
    tab.choose("#play-rows", "5")
    tab.choose("#play-cols", "7")
    tab.click("#theme")
    tab.go(f"{server.url}/")
    assert len(states(tab)) == 35
    assert tab.run("document.documentElement.dataset.theme") == "dark"
    # What does not fit is said, and is no reason not to play.
    tab.choose("#play-mines", "36")
    tab.go(f"{server.url}/")
    assert tab.text("#headline") == "5×7 with 36 mines: that does not fit"
    tab.click(cell(40))
    tab.until("document.querySelector('[data-cell=\"40\"]').dataset.state !== 'hidden'")


def test_a_server_that_is_silent_is_waited_for(server, tab):
    def network(offline):
        tab.send(
            "Network.emulateNetworkConditions",
            offline=offline, latency=0, downloadThroughput=-1, uploadThroughput=-1,
        )  # fmt: skip

    tab.show(*DESKTOP)
    tab.go(f"{server.url}/#analyse=8x8x10-c63H")
    tab.until("document.getElementById('cell-card').dataset.of")
    network(offline=True)
    tab.press("ArrowRight", "ArrowLeft", "1")
    says(tab, "the server does not answer: is it running? Trying again")
    assert tab.run("document.getElementById('answer-card').hidden")
    network(offline=False)
    tab.until("document.getElementById('answer-card').dataset.of === '8x8x10-b63H'")
    assert all("ERR_INTERNET_DISCONNECTED" in json.dumps(one) for one in tab.problems)
    tab.problems.clear()


def test_a_game_is_won_with_keys_alone(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/?seed={SEED}")
    mines = mines_of((0, 0))
    tab.press("ArrowRight", "Home", " ")
    tab.until("document.querySelector('[data-cell=\"0\"]').dataset.state !== 'hidden'")
    row = 0
    for number in (~mines).nonzero()[0].tolist():
        if states(tab)[number] == "hidden":
            down, right = divmod(number, 9)
            tab.press("Home", *["ArrowDown"] * (down - row), *["ArrowRight"] * right, " ")
            row = down
    assert tab.text("#headline").startswith("Won in")


def test_a_candidate_in_the_list_shows_its_cell(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/#analyse=8x8x10-c63H")
    tab.until("document.getElementById('cell-card').dataset.of")
    second = analyze([from_text(STUCK)])[0].candidates[1].cell
    hover(tab, "#candidates tbody tr:nth-child(2)")
    tab.until(f"document.getElementById('cell-card').dataset.of === '{second[0]},{second[1]}'")
    number = str(8 * second[0] + second[1])
    assert tab.run("document.querySelector('.pointed').dataset.cell") == number
    tab.click("#candidates tbody tr:nth-child(2) button")
    assert tab.run("document.activeElement.dataset.cell") == number
    hover(tab, "#headline")
    assert tab.run("document.querySelector('.pointed')") is None


@SCREENS
def test_the_board_grows_and_shrinks(server, tab, screen):
    """Down to where all of it is seen."""
    tab.show(*screen)
    tab.go(f"{server.url}/#analyse=30x16x99-480H")
    frame = "document.getElementById('frame')"
    wide = f"{frame}.scrollWidth - {frame}.clientWidth"
    for _ in range(8):
        tab.click("#smaller")
    assert tab.run(wide) <= 0
    for _ in range(5):
        tab.press("+")
    assert tab.run(wide) > 0
    assert tab.run("document.documentElement.scrollWidth") <= screen[0]


def test_a_player_is_watched(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/#watch")
    tab.choose("#watch-seed", "6")
    tab.choose("#watch-level", "mini")
    tab.click('[data-do="watch"]')
    own = replays.record("strongest", Opening.of(LEVELS["mini"]), 6)
    tab.until(f"document.getElementById('moves').textContent === '{len(own.moves)}'")
    tab.press("End")
    tab.until(f"document.getElementById('move').textContent === '{len(own.moves)}'")
    outcome = {"WON": "✓ won", "LOST": "✕ lost"}[own.outcome.name]
    assert tab.text("#headline").startswith(outcome)
    tab.click("#watch-grade")
    tab.until("document.querySelector('#totals p:nth-child(2)')")
    assert f"{len(own.moves)} moves, every move checked" in tab.text("#about-replay")


@SCREENS
def test_a_replay_is_stepped(server, tab, screen):
    own = replays.record("strongest", Opening.of(LEVELS["beginner"]), 4)
    tab.show(*screen)
    tab.go(f"{server.url}/#replay")
    tab.drop(replays.to_bytes(own), "game.json")
    tab.until("document.getElementById('about-replay').textContent.includes('no problems')")
    boards = own.boards()
    tab.click('#film [data-do="next"]')
    tab.click('#film [data-do="next"]')
    assert tab.text("#move") == "2"
    seen = [int(state) if state.isdigit() else -1 for state in states(tab)]
    expected = boards[2].grid.clip(-1).reshape(-1).tolist()
    assert seen == expected
    tab.click('#film [data-do="back"]')
    assert tab.text("#move") == "1"
    tab.click('#film [data-do="last"]')
    assert tab.text("#move") == str(len(own.moves))
    x, y = tab.place("#timeline")
    assert x > 0 and y > 0
    tab.click("#timeline")
    assert 0 < int(tab.text("#move")) < len(own.moves)
    tab.click('#moves-card [data-do="analyse"]')
    tab.until("document.body.dataset.mode === 'analyse'")


@SCREENS
def test_a_game_of_another_program_is_graded(server, tab, screen):
    """The page shows what `grade --json` says, move by move."""
    game = made_up_game(1)
    body = write("evf", game)
    (own,) = grade_source(body, "", "", None)
    tab.show(*screen)
    tab.go(f"{server.url}/#replay")
    tab.drop(evfs([made_up_game(0), game]), "two.evfs")
    tab.until("!document.getElementById('which').hidden")
    tab.choose("#which-game", "2")
    tab.until(
        f"document.getElementById('totals').textContent === {json.dumps(''.join(own['totals']))}"
    )
    tab.click('[data-do="all-moves"]')
    rows = tab.run(
        "[...document.querySelectorAll('#graded-moves tbody tr')]"
        ".map((row) => [...row.children].map((cell) => cell.textContent))"
    )
    assert len(rows) == len(own["moves"])
    for (number, _, risk, least, lost, luck), move in zip(rows, own["moves"], strict=True):
        assert int(number) == move["index"]
        assert risk == f"{100 * move['risk']:.1f}"
        assert least == f"{100 * move['least_risk']:.1f}"
        for shown, value in ((lost, -move["loss"]), (luck, move["luck"])):
            assert float(shown.replace("−", "-") or "0") == pytest.approx(100 * value, abs=0.051)
    turns = tab.run("[...document.querySelectorAll('#turns li')].map((one) => one.textContent)")
    assert turns == [one["text"] for one in own["moves"] if one["index"] in own["turning_points"]]
    assert facts(tab, "#grade-metrics")["ZiNi"] == str(own["metrics"]["zini"])
    losses = sum(move["loss"] >= 0.01 for move in own["moves"])
    assert tab.run("document.querySelectorAll('#timeline .is-loss').length") == losses
    tab.click("#turns li:last-child button")
    assert int(tab.text("#move")) == own["turning_points"][-1]
    assert tab.text("#reason") == turns[-1]
    (after,) = (move["win_after"] for move in own["moves"] if move["text"] == turns[-1])
    assert facts(tab, "#facts")["Chance to win"] == f"{100 * after:.1f}\u00a0%"
    # It is saved as any other format.
    tab.run("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }")
    tab.choose("#replay-format", "rmv")
    tab.click('[data-do="save-replay"]')
    tab.until("window.saved")
    saved = tab.run("window.saved.arrayBuffer().then((data) => [...new Uint8Array(data)])")
    (held,) = read(body)
    assert bytes(saved) == write("rmv", held)


def test_links_and_boards_of_other_programs_are_analysed(server, tab):
    tab.show(*DESKTOP)
    tab.go(f"{server.url}/#play")
    position = from_text(STUCK)
    paste(tab, write("jsminesweeper", position).decode())
    tab.until("document.getElementById('answer-card').dataset.of === '8x8x10-c63H'")
    tab.drop(write("mbf", made_up_game(0)), "game.mbf")
    tab.until("document.getElementById('answer-card').dataset.of === '9x9x10-81H'")
    tab.go(f"{server.url}/#analyse")
    tab.run("document.getElementById('pasted').value = '?b=1&m=0g0o00000000020a2'")
    tab.choose("#pasted", "?b=2&m=" + "1" * 52)
    tab.until("document.getElementById('edit-cols').value === '16'")
    tab.drop(b"\x04\xff\xfe\x00", "broken.evf")
    tab.until("document.getElementById('headline').textContent.includes('that can be read')")
    refused(tab)


@SCREENS
def test_a_board_that_needs_no_guess_is_played(server, tab, screen):
    tab.show(*screen)
    tab.go(f"{server.url}/?seed={SEED}")
    tab.click("#play-no-guess")
    tab.choose("#play-wish", "pair")
    tab.click(cell(40))
    tab.until("document.querySelector('[data-cell=\"40\"]').dataset.state !== 'hidden'")
    assert tab.text("#headline") == "No guess is needed."
    order = {"level": "beginner", "row": 4, "col": 4, "seed": SEED, "max_rule": "pair"}
    board = server.post("/boards", order).data
    mines = {row * 9 + col for row, col in board["mine_cells"]}
    for number in sorted(set(range(81)) - mines):
        if states(tab)[number] == "hidden":
            tab.click(cell(number))
    assert tab.text("#headline").startswith("Won in")
    shown = facts(tab, "#result")
    assert shown["Difficulty"] == f"{board['difficulty']:.1f}"
    assert shown["Hardest rule"] == board["hardest_rule"]
    # What was played is that deal of the seed.
    tab.click('[data-do="grade"]')
    tab.until("document.querySelector('#totals p:nth-child(2)')")
    assert f"seed {SEED}" in tab.text("#about-replay")
    assert "no problems found" in tab.text("#about-replay")


@SCREENS
def test_a_hidden_cell_tells_what_it_would_show(server, tab, screen):
    tab.show(*screen)
    tab.go(f"{server.url}/#analyse=8x8x10-c63H")
    tab.until("!document.getElementById('answer-card').hidden")

    def shows(row, col):
        """Whether the page shows the numbers of a cell."""
        tab.until(f"document.getElementById('cell-card').dataset.of === '{row},{col}'")
        assert tab.text("#cell-name") == f"Row {row}, column {col}"
        odds = number_odds(from_text(STUCK), (row, col))
        assert odds is not None
        titles = tab.run("[...document.querySelectorAll('#numbers li')].map((one) => one.title)")
        for number, (title, share) in enumerate(zip(titles, odds, strict=False)):
            assert title == f"shows {number}: {100 * share:.2f} %"
        assert titles[9] == f"a mine: {100 * (1 - odds.sum()):.2f} %"

    best = analyze([from_text(STUCK)])[0].best
    assert best is not None
    shows(*best)
    assert "opening it wins about" in tab.text("#cell-risk")
    if tab.touched:
        tab.click(cell(35), "right")
        assert tab.text("#headline").startswith("(4, 3): 13.")
        assert states(tab)[35] == "hidden"
    else:
        hover(tab, cell(35))
    shows(4, 3)
    if not tab.touched:
        tab.press("ArrowDown")
        shows(1, 0)
        tab.press("ArrowRight")
        shows(1, 1)
        # Of an open cell there is nothing to tell.
        hover(tab, cell(0))
        shows(*best)


def test_the_page_as_files_uses_the_server(server, tab, tmp_path):
    """Exported, and served by any web server, it does all that the server's own page does."""
    handler = functools.partial(Quiet, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as own:
        origin = f"http://127.0.0.1:{own.server_port}"
        threading.Thread(target=own.serve_forever, daemon=True).start()
        with running(trust=Trust(origins=frozenset({origin}))) as friend:
            site.export(tmp_path, friend.url)
            tab.show(*DESKTOP)
            tab.go(f"{origin}/index.html#analyse=8x8x10-c63H")
            tab.until("document.getElementById('cell-card').dataset.of")
            tab.drop(write("evf", made_up_game(1)), "game.evf")
            tab.until("document.querySelector('#totals p:nth-child(2)')")
            tab.run("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }")
            tab.choose("#replay-format", "mbf")
            tab.click('[data-do="save-replay"]')
            tab.until("window.saved")
            assert tab.run("window.saved.size") == len(write("mbf", made_up_game(1)))
            tab.click('[data-to="play"]')
            tab.click("#play-no-guess")
            tab.click(cell(0))
            tab.until("document.querySelector('[data-cell=\"0\"]').dataset.state !== 'hidden'")
            tab.send("Page.navigate", url="about:blank")
        own.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A web server of files that says nothing."""

    def log_message(self, format, *arguments):
        """Does nothing."""


@SCREENS
def test_nothing_is_wider_than_the_screen(server, tab, screen):
    tab.show(*screen)
    for fragment in ("play", "analyse", "watch", "replay"):
        tab.go(f"{server.url}/#{fragment}")
        assert tab.run("document.documentElement.scrollWidth") <= screen[0]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@SCREENS
def test_everybody_can_use_it(server, tab, screen, dark):
    """What axe-core, a checker of accessibility, calls serious or critical does not occur."""
    tab.show(*screen, dark=dark)
    script = axe()
    for path in ("/#play", "/#analyse=8x8x10-c63H", "/#watch", "/#replay", "/#replay graded"):
        tab.go(server.url + path.removesuffix(" graded"))
        if "play" in path:
            tab.run("document.getElementById('play-no-guess').click()")
        if "analyse" in path:
            tab.until("document.getElementById('cell-card').dataset.of")
        if "graded" in path:
            tab.drop(write("evf", made_up_game(1)), "game.evf")
            tab.until("document.querySelector('#graded-moves tbody tr')")
        tab.run(script)
        found = tab.run("axe.run().then((all) => all.violations)")
        serious = [
            (one["id"], [node["html"][:120] for node in one["nodes"]][:3])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], path


@pytest.mark.parametrize("screen", [(360, 740, 3, True), PHONE], ids=["small phone", "phone"])
def test_fingers_hit_what_they_aim_at(server, tab, screen):
    """Everything to be tapped, but for cells and the lines of a table, has 40 pixels each way."""
    tab.show(*screen)
    small = """[...document.querySelectorAll("button, select, textarea, a, label.check")]
        .filter((one) => one.checkVisibility() && !one.closest("tr"))
        .map((one) => [one.outerHTML, one.getBoundingClientRect()])
        .filter(([, box]) => box.width < 40 || box.height < 40).map(([text]) => text)"""
    for fragment in ("play", "analyse=8x8x10-c63H", "watch", "replay"):
        tab.go(f"{server.url}/#{fragment}")
        assert tab.run(small) == []
        assert tab.run("document.documentElement.scrollWidth") <= screen[0]


@pytest.mark.parametrize(("screen", "dark"), [(DESKTOP, False), (PHONE, True)])
def test_everybody_can_use_a_replay_as_a_page(tab, tmp_path, screen, dark):
    own = replays.record("strongest", Opening.of(LEVELS["beginner"]), 4)
    path = tmp_path / "game.html"
    path.write_text(page(own, grade(own)), "utf-8")
    tab.show(*screen, dark=dark)
    tab.go(path.as_uri())
    tab.click('[data-do="guess"]')
    assert tab.run("document.documentElement.scrollWidth") <= screen[0]
    assert tab.run("document.getElementById('frame').scrollHeight") == tab.run(
        "document.getElementById('frame').clientHeight"
    )
    tab.run(axe())
    found = tab.run("axe.run().then((all) => all.violations.map((one) => [one.id, one.impact]))")
    assert [one for one in found if one[1] in ("serious", "critical")] == []


def axe():
    """The source of axe-core, which `npm install axe-core` brings."""
    command = [program("npm"), "root", "--global"]
    root = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    source = Path(root) / "axe-core" / "axe.min.js"
    if source.exists():
        return source.read_text("utf-8")
    return missing("needs axe-core: npm install --global axe-core")


def hexadecimal(colour):
    return "#" + bytes(colour).hex()


@pytest.mark.parametrize(("theme", "place"), [(LIGHT, 0), (DARK, 1)], ids=["light", "dark"])
def test_the_colours_are_those_of_the_window(theme: Theme, place):
    style = site.load()["/style.css"].content.decode()
    colours = {
        name: (first, second)
        for name, first, second in re.findall(
            r"--([a-z0-9-]+): light-dark\((#\w{6}), (#\w{6})\)", style
        )
    }
    names = "background panel text accent hidden opened grid unlikely likely safe mine best"
    for name in (*names.split(), "bevel_light", "bevel_dark", "on_unlikely", "exploded", "flag"):
        assert colours[name.replace("_", "-")][place] == hexadecimal(getattr(theme, name))
    for number, colour in enumerate(theme.numbers, start=1):
        assert colours[f"number-{number}"][place] == hexadecimal(colour)
