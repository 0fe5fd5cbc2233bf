"""Real replays, and ms_toollib, which reads and analyses them too.

ms_toollib ends its process at a malformed file, so it runs in one of its own. The replays are
beside the project, or where JAXSWEEP_REPLAYS says; without them or ms_toollib, tests are skipped.
"""

import json
import math
from typing import Any

import numpy as np
import pytest

from jaxsweep.commands.replay_info import describe
from jaxsweep.formats import FormatError, read, recognise, write
from jaxsweep.formats.conversion import as_replay
from jaxsweep.formats.mouse import Buttons
from jaxsweep.formats.rmv import read_steps
from jaxsweep.formats.rmv_codes import FLAG, OPEN_MINE, OPEN_NUMBER
from jaxsweep.metrics.game import game_metrics
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.clicks import Button
from jaxsweep.rules.status import GameStatus
from tests import needs
from tests.format_oracle import REPLAYS, ms_toollib_facts
from tests.format_samples import made_up_game, read_one

METRICS = {
    "bbbv": "bbbv",
    "openings": "op",
    "islands": "isl",
    "zini": "zini",
    "hzini": "hzini",
    "flags": "flag",
    "won": "is_completed",
}
"""The metrics of `replay info`, and what they are called in the facts."""

RATIOS = {
    "bbbv_solved": "solved",
    "ce": "effective",
    "bbbv_s": "bbbv_per_second",
    "etime": "estimated_seconds",
    "ioe": "efficiency",
    "corr": "correctness",
    "thrp": "throughput",
    "rqp": "rqp",
    "qg": "qg",
    "stnb": "stnb",
}
"""What is computed of a game, by its name there."""

READABLE = (
    "avf-beginner.avf",
    "avf-custom-20x20.avf",
    "avf-custom-8x11.avf",
    "avf-expert.avf",
    "evf-v4-beginner.evf",
    "mvf-0.97.mvf",
    "rmv1-expert.rmv",
    "rmv2-16px-preflags.rmv",
    "rmv2-24px.rmv",
)
"""The files that ms_toollib reads as well."""


def real(name):
    """The bytes of a real file."""
    if not REPLAYS.is_dir():
        pytest.skip(f"needs the real replays, which are not in {REPLAYS}")
    return (REPLAYS / name).read_bytes()


MAX_SET = 2**15
"""The largest set of replays that is read, in bytes: types are checked at every event."""


def counts(game):
    """The number of clicks of each button."""
    return tuple(sum(click.button is button for click in game.clicks) for button in Button)


@pytest.mark.parametrize("name", READABLE)
def test_real_replays_are_read_as_by_ms_toollib(name):
    game = read_one(real(name), name)
    facts = json.loads(real("facts.json"))[name]
    assert game.mines.shape == (facts["row"], facts["column"])
    assert np.argwhere(game.mines).tolist() == facts["mines"]
    # It cuts off what it cannot represent: 36.79 s are 36.78 s to it.
    assert game.seconds == pytest.approx(facts["rtime"], abs=0.0101)
    assert counts(game) == (facts["left"], facts["right"], facts["double"])
    (info,) = describe(str(REPLAYS / name))
    assert [info[ours] for ours in METRICS] == [facts[theirs] for theirs in METRICS.values()]
    assert info["pluck"] == pytest.approx(facts["pluck"], abs=1e-6)
    assert info["mine_cells"] == facts["mines"]


@pytest.mark.parametrize(
    ("name", "clicks", "seconds"),
    [("mvf-2007.mvf", (68, 29, 53), 31.133), ("rawvf-custom.rawvf", (12, 13, 0), 11.5)],
)
def test_real_replays_that_it_does_not_read(name, clicks, seconds):
    """Both are won games, so that no event was misunderstood."""
    game = read_one(real(name), name)
    assert counts(game) == clicks
    assert as_replay(game).outcome is GameStatus.WON
    assert game.seconds == seconds


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("bad-invalid-event.rawvf", "line 446: an event without time and place: '1.64 mv 4'"),
        ("rmv1-invalid-utf8.rmv", "field 1 of the player is not UTF-8: its byte 0 is 0xf4"),
    ],
)
def test_real_files_that_are_damaged_get_a_sentence(name, sentence):
    with pytest.raises(FormatError, match=f"^{name}: {sentence}"):
        read(real(name), name)


@pytest.mark.parametrize("name", ["rmv1-expert.rmv", "rmv2-16px-preflags.rmv", "rmv2-24px.rmv"])
def test_our_rules_do_what_these_replays_say_happened(name):
    """The files say what every event opened and flagged: nothing of it is computed by us."""
    replay = read_steps(real(name))
    check_steps(replay)
    assert sum(len(step.shown) for step in replay.steps) > 60


def check_steps(replay):
    """Plays the events of the mouse: after each, the board must show what the file says."""
    buttons = Buttons(replay.game.mines)
    for event, shown in replay.steps:
        before = buttons.board
        buttons.do(event)
        after = buttons.board
        opened = {cell: code for code, cell in shown if code >= OPEN_NUMBER}
        assert opened == {
            cell: OPEN_MINE if after.mines[cell] else OPEN_NUMBER + after.numbers[cell]
            for cell in cells_of(after.opened & ~before.opened)
        }
        if event.what.value != "pf":
            flagged = {cell for code, cell in shown if code == FLAG}
            assert flagged == set(cells_of(after.flags & ~before.flags))


def test_the_events_that_we_write_say_what_happens():
    for seed in range(12):
        check_steps(read_steps(write("rmv", made_up_game(seed))))


def test_what_ms_toollib_writes_is_read():
    """It transcodes real replays to versions 0, 2, 3 and 4 of .evf, and to sets of these."""
    needs.packages("ms_toollib", group="test")
    games = [read_one(real(name), name) for name in READABLE]
    facts = ms_toollib_facts([REPLAYS / name for name in READABLE])
    for name, game, said in zip(READABLE, games, facts, strict=True):
        assert list(said["evf"]) == ["0", "2", "3", "4"]
        found: list[Any] = [read_one(bytes.fromhex(text), name) for text in said["evf"].values()]
        several = bytes.fromhex(said["evfs"])
        assert recognise(several) == "evfs"
        if len(several) < MAX_SET:
            found += read(several, f"the set of {name}")
            assert len(found) == 8
        for again in found:
            np.testing.assert_array_equal(again.mines, game.mines)
            assert again.clicks == game.clicks
            assert again.seconds == pytest.approx(game.seconds, abs=0.0101)
            assert again.player == game.player


def test_the_metrics_of_games_are_those_of_ms_toollib(tmp_path):
    """Of real games and of made-up ones, which are lost or not over, too.

    RQP and QG only of games that are won: it divides the time by the 3BV solved, we the time for
    the whole board by the 3BV. Where we say that there is no ratio, it says 0 or infinity.
    """
    needs.packages("ms_toollib", group="test")
    paths = [REPLAYS / name for name in READABLE if REPLAYS.is_dir()]
    for seed in range(24):
        game = made_up_game(seed, ((8, 8, 10), (16, 16, 40), (16, 30, 99), (5, 7, 6))[seed % 4])
        if game.clicks[0].button is Button.LEFT:
            paths.append(tmp_path / f"{seed}.evf")
            paths[-1].write_bytes(write("evf", game))
    statuses = set()
    for path, said in zip(paths, ms_toollib_facts(paths), strict=True):
        found = game_metrics(read_one(path.read_bytes(), path.name))
        statuses.add(found.status)
        for theirs, ours in RATIOS.items():
            value = getattr(found, ours)
            if theirs in ("rqp", "qg") and found.status is not GameStatus.WON:
                continue
            if value is None:
                assert said[theirs] in (0, math.inf), (path, ours)
            else:
                # Times differ by a hundredth of a second in one format.
                assert said[theirs] == pytest.approx(value, rel=1e-3), (path, ours)
    assert statuses >= {GameStatus.LOST, GameStatus.PLAYING}


def test_ms_toollib_reads_what_we_write(tmp_path):
    """Won, lost and unfinished games that begin with a left click.

    It counts no chords before that, and takes the first event of .rmv for a left press.
    """
    needs.packages("ms_toollib", group="test")
    games, paths = [], []
    for seed in range(24):
        game = made_up_game(seed, ((9, 9, 10), (16, 30, 99), (5, 7, 6))[seed % 3])
        if game.clicks[0].button is not Button.LEFT:
            continue
        for name in ("evf", "rmv"):
            path = tmp_path / f"{seed}.{name}"
            path.write_bytes(write(name, game))
            games.append(game)
            paths.append(path)
    for path, game, facts in zip(paths, games, ms_toollib_facts(paths), strict=True):
        assert facts["mines"] == np.argwhere(game.mines).tolist(), path.name
        assert (facts["left"], facts["right"], facts["double"]) == counts(game), path.name
        assert facts["rtime"] == pytest.approx(game.seconds, abs=0.0011), path.name
