import gzip
import json
import random

import numpy as np
import pytest

from jaxsweep.rules.board import Board, cells_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.single.replay import ReplayError, from_bytes, load, record, save, to_json
from jaxsweep.single.replay.checking import check
from jaxsweep.single.session import Session
from jaxsweep.single.watch import watch
from jaxsweep.strategies import STRATEGIES
from tests.oracle import PlainGame


@pytest.fixture(scope="module")
def game():
    """A game with a guess or two."""
    return record("exact", Opening.of(LEVELS["beginner"]), 8)


def as_bytes(fields):
    return json.dumps(fields).encode()


def test_a_replay_is_the_watched_game(game):
    steps = list(watch(STRATEGIES["exact"], Opening.of(LEVELS["beginner"]), 8))
    boards = game.boards()
    assert len(game.moves) == len(steps)
    for step, move, before, after in zip(steps, game.moves, boards, boards[1:], strict=False):
        np.testing.assert_array_equal(after.grid, step.grid)
        assert list(move.cells) == step.cells
        assert move.risk == step.risk
        assert (move.odds is not None) == step.reason.is_guess
        if move.odds is not None:
            (cell,) = move.cells
            assert move.odds[cell] == pytest.approx(step.risk, abs=1e-4)
            assert not move.odds[before.opened].any()
    assert game.outcome is steps[-1].status
    assert game.survival[-1] == pytest.approx(np.prod([1 - (s.risk or 0) for s in steps]))


@pytest.mark.parametrize("name", ["game.json", "game.json.gz"])
def test_save_and_load_are_inverse(game, tmp_path, name):
    save(game, tmp_path / name)
    assert to_json(load(tmp_path / name)) == to_json(game)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    packed = (tmp_path / name).read_bytes()[:2] == b"\x1f\x8b"
    assert packed == name.endswith(".gz")


def test_a_human_game_is_saved_and_loaded(tmp_path):
    session = Session.new(Level(5, 6, 5), Start.SAFE, 4).flag((4, 5)).open((0, 0))
    session = session.flag((4, 5))
    for cell in cells_of(~session.board.mines):
        session = session.open(cell)
    assert session.status is GameStatus.WON
    replay = session.replay(12.5)
    assert replay is not None
    save(replay, tmp_path / "mine.json")
    again = load(tmp_path / "mine.json")
    assert again.strategy == "human"
    assert again.seconds == 12.5
    assert to_json(again) == to_json(replay)


def changed(game, **fields):
    return as_bytes(to_json(game) | fields)


def with_move(game, number, **fields):
    data = to_json(game)
    data["moves"][number] |= fields
    return as_bytes(data)


def test_every_error_is_one_sentence(game):
    opened_later = to_json(game)["moves"][1]["cells"]
    mine = cells_of(game.mines)[0]
    flat = mine[0] * 9 + mine[1]
    cases = {
        b"": "not a replay",
        b"[]": "not a replay",
        b"\xff\xfe\xfa": "byte 0 is not text",
        as_bytes(to_json(game))[:-40]: "cut off",
        gzip.compress(as_bytes(to_json(game)))[:-9]: "cut off",
        changed(game, version=2): "version 2",
        changed(game, rows=10): "layout",
        changed(game, rows=2**30): "rows",
        changed(game, mines=11): "11 mines, but the layout has 10",
        changed(game, start="sure"): "start",
        changed(game, first=[9, 9]): "first cell (9, 9)",
        changed(game, strategy=""): "strategy",
        changed(game, strategy="../up"): "strategy",
        changed(game, strategy="a\x00b"): "strategy",
        changed(game, outcome="lost" if game.outcome is GameStatus.WON else "won"): "outcome",
        changed(game, moves=to_json(game)["moves"][:-1]): "outcome",
        changed(game, moves=to_json(game)["moves"] * 2): "move",
        changed(game, seed=-1): "seed",
        changed(game, seconds="long"): "seconds",
        with_move(game, 0, cells=[80], opened=[80]): "first cell",
        with_move(game, 1, opened=[]): "move 2 contradicts the board",
        with_move(game, 1, cells=[flat]): "contradicts the board",
        with_move(game, 0, cells=[0, *opened_later]): "contradicts the board",
        with_move(game, 1, cells=[999]): "cell 999 is not on the board",
        with_move(game, 1, cells=[0]): "open already",
        with_move(game, 1, cells=opened_later * 2): "twice",
        with_move(game, 1, reason="because"): "because",
        with_move(game, 1, risk=2): "risk",
        with_move(game, 1, odds=[1, 2]): "odds",
    }
    for data, message in cases.items():
        with pytest.raises(ReplayError) as caught:
            from_bytes(data)
        assert message in str(caught.value), data[:80]
        assert "\n" not in str(caught.value)


def test_mutated_files_load_or_raise_one_sentence(game):
    rng = random.Random(5)
    plain = as_bytes(to_json(game))
    packed = gzip.compress(plain, mtime=0)
    refused = 0
    for number in range(5_000):
        data = bytearray(packed if number % 4 == 0 else plain)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(data))
            match rng.randrange(4):
                case 0:
                    data[place] = rng.randrange(256)
                case 1:
                    del data[place : place + rng.randint(1, 40)]
                case 2:
                    data[place:place] = bytes(
                        rng.choices(b'0123456789[]{},".*-', k=rng.randint(1, 5))
                    )
                case 3:
                    data = data[:place]
            if not data:
                break
        try:
            replay = from_bytes(bytes(data))
        except ReplayError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1
            continue
        assert replay.boards()[-1].status is replay.outcome
    assert refused > 3_000, "most changes break something"


def test_the_board_on_the_host_agrees_with_the_oracle():
    """Random moves on boards of many sizes."""
    rng = np.random.default_rng(3)
    for _ in range(150):
        rows, cols = int(rng.integers(1, 12)), int(rng.integers(1, 12))
        mines = rng.random((rows, cols)) < rng.uniform(0, 0.4)
        plain, board = PlainGame(rows, cols, set(cells_of(mines))), Board.all_hidden(mines)
        for _ in range(12):
            cell = (int(rng.integers(rows)), int(rng.integers(cols)))
            kind = rng.integers(3)
            if kind == 0:
                board = board.open(mask(cell, mines))
                plain.open({cell})
            elif kind == 1:
                board = board.flag(mask(cell, mines))
                plain.flag({cell})
            else:
                board = board.open(board.chord_cells(cell))
                plain.chord({cell})
            assert set(cells_of(board.opened)) == plain.opened
            assert set(cells_of(board.flags)) == plain.flags
            assert board.status.name.lower() == plain.status


def mask(cell, like):
    found = np.zeros_like(like)
    found[cell] = True
    return found


@pytest.mark.smoke
def test_a_session_can_be_undone_to_its_start():
    session = start = Session.new(Level(5, 6, 5), Start.SAFE, 4)
    for cell in ((0, 0), (4, 4), (2, 3)):
        session = session.open(cell)
    assert len(session.moves) >= 2
    while session.before is not None:
        session = session.undo()
    assert session is start
    assert session.undo() is session
    assert session.replay() is None


def test_a_session_on_a_board_full_of_mines_is_won_at_once():
    session = Session.new(Level(2, 2, 4), Start.ANY, 0).open((0, 0))
    assert session.status is GameStatus.WON
    replay = session.replay()
    assert replay is not None
    assert from_bytes(as_bytes(to_json(replay))).outcome is GameStatus.WON


def test_a_recorded_game_on_a_board_full_of_mines_has_no_moves(tmp_path):
    game = record("linear", Opening(Level(2, 2, 4), Start.ANY, (0, 0)), 1)
    save(game, tmp_path / "full.json")
    assert load(tmp_path / "full.json").moves == ()


def test_chords_and_times_are_saved_and_loaded(tmp_path):
    session = Session.new(Level(9, 9, 10), Start.ZERO, 1).open((4, 4)).at(0.5)
    while not any(move.chord for move in session.moves):
        board = session.board
        numbers = board.opened & (board.numbers > 0)
        # All mines next to some number flagged: it can be chorded.
        for number in cells_of(numbers):
            near = [
                (r, c)
                for r, c in cells_of(board.mines & ~board.flags)
                if max(abs(r - number[0]), abs(c - number[1])) == 1
            ]
            flagged = session
            for mine in near:
                flagged = flagged.flag(mine)
            after = flagged.chord(number)
            if after is not flagged:
                session = after.at(2.25)
                break
    cell, replay = session.moves[-1].chord, session.replay()
    assert replay is not None
    save(replay, tmp_path / "chorded.json")
    again = load(tmp_path / "chorded.json")
    last = again.moves[-1]
    assert last.chord == cell and last.seconds == 2.25 and last.cells == replay.moves[-1].cells
    assert again.moves[0].chord is None and again.moves[0].seconds == 0.5

    fields = to_json(replay)
    fields["moves"][-1]["chord"] = 0 if cell != (0, 0) else 1
    with pytest.raises(ReplayError, match=r"chording \(0, [01]\) does not open these cells"):
        from_bytes(as_bytes(fields))
    fields["moves"][-1]["chord"] = 81
    with pytest.raises(ReplayError, match='"chord" must be a cell'):
        from_bytes(as_bytes(fields))


def test_a_game_that_was_not_dealt_from_a_seed(game):
    fields = to_json(game) | {"seed": None, "game": None}
    replay = from_bytes(as_bytes(fields))
    assert replay.seed is None and replay.game is None
    assert to_json(replay) == fields
    assert check(replay) == []
