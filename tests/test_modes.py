"""What a guess leads to, in each mode: held against all layouts of small boards."""

import functools
import itertools
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from jaxsweep.commands import arguments, play
from jaxsweep.rules.board import Board, cells_of
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.exact import Counter as Solver
from jaxsweep.scalar.layout_draws import draw_layout
from jaxsweep.scalar.view import View
from jaxsweep.single import leaderboard
from jaxsweep.single.bending import Judgement, Verdict
from jaxsweep.single.person import PersonGame
from jaxsweep.single.replay.checking import check
from jaxsweep.single.replay.reading import from_bytes
from jaxsweep.single.replay.writing import to_bytes
from jaxsweep.single.session import Session
from jaxsweep.single.terminal_game import TerminalGame
from jaxsweep.single.terminal_play import finish
from tests.oracle import PlainGame

LEVEL = Level(4, 4, 5)

MOVING = [mode for mode in Guesses if mode.move_mines]

CHI_SQUARE_99_9 = {2: 13.82, 3: 16.27, 5: 20.52, 11: 31.26, 17: 40.79}
"""The 99.9 % points of χ² by degrees of freedom (Abramowitz & Stegun, table 26.8)."""


@functools.cache
def all_layouts(level):
    """All layouts of a level, and the number that each shows in each cell: two arrays."""
    cells = list(itertools.product(range(level.rows), range(level.cols)))
    boards = []
    for mines in itertools.combinations(cells, level.mines):
        game = PlainGame(level.rows, level.cols, mines)
        boards.append([[c in game.mines, game.number(c)] for c in cells])
    found = np.array(boards).reshape(-1, level.rows, level.cols, 2)
    return found[..., 0].astype(bool), found[..., 1]


def consistent(session):
    """The layouts that agree with all that is shown."""
    mines, numbers = all_layouts(session.level)
    grid = session.board.grid
    agrees = ((numbers == grid) & ~mines) | (grid < 0)
    return mines[agrees.all((1, 2))]


def expected(session, cells):
    """What opening these cells at once must be, and whether it must lose, by trying all layouts."""
    found = consistent(session)
    hits = np.stack([found[:, r, c] for r, c in cells], 1)
    falls = bool(session.board.mines[tuple(zip(*cells, strict=True))].any())
    hidden = session.board.grid < 0
    any_certain = (hidden & ~found.any(0)).any()
    if hits.all(0).any():
        return Verdict.MINE, True
    if not hits.any():
        return Verdict.CERTAIN, False
    if any_certain:
        return Verdict.NEEDLESS, falls or session.guesses.are_punished
    if session.guesses.are_spared:
        return Verdict.FORCED, bool(hits.any(1).all())
    return Verdict.FORCED, falls


def shows_the_truth(session):
    """Whether the mines are as many as they must be, and all that is shown agrees with them."""
    game = PlainGame(session.level.rows, session.level.cols, cells_of(session.board.mines))
    opened = cells_of(session.board.opened & ~session.board.mines)
    grid = session.board.grid
    return len(game.mines) == session.level.mines and all(
        grid[cell] == game.number(cell) for cell in opened
    )


def random_move(session, random):
    """Plays a cell, or flags around a number and a chord; returns the game before, cells, after."""
    board = session.board
    numbers = [cell for cell in cells_of(board.opened) if board.numbers[cell]]
    if numbers and random.random() < 0.6:
        number = random.choice(numbers)
        game = PlainGame(session.level.rows, session.level.cols, ())
        around = [cell for cell in game.neighbours(number) if not board.opened[cell]]
        for cell in around:
            session = session.flag(cell) if session.board.flags[cell] else session
        for cell in random.sample(around, int(board.numbers[number])):
            session = session.flag(cell)
        cells = [cell for cell in around if not session.board.flags[cell]]
        if cells:
            return session, cells, session.chord(number)
    for cell in cells_of(session.board.flags):
        session = session.flag(cell)
    cell = random.choice(cells_of(~session.board.opened))
    return session, [cell], session.open(cell)


@pytest.mark.parametrize("guesses", MOVING)
def test_guesses_lead_to_what_the_mode_says(guesses):
    """Random moves in many games, each held against all layouts that agree with the board."""
    random, seen = Random(5), Counter()
    for seed in range(30):
        # A board that needs no guess is found from most cells of an easier one.
        level = LEVEL if guesses.are_needed else Level(4, 4, 3)
        session = Session.new(level, Start.SAFE, seed, guesses)
        try:
            session = session.open(random.choice([(0, 0), (1, 1), (2, 1)]))
        except LevelError:
            continue
        while session.status is GameStatus.PLAYING:
            before, cells, session = random_move(session, random)
            verdict, loses = expected(before, cells)
            assert session.judgement is not None
            assert session.judgement.verdict is verdict
            assert (session.status is GameStatus.LOST) is loses
            assert any((session.board.mines == one).all() for one in consistent(before))
            assert shows_the_truth(session)
            assert session.undo() is before
            if verdict is Verdict.NEEDLESS:
                assert session.judgement.certain is not None
                assert expected(before, [session.judgement.certain])[0] is Verdict.CERTAIN
            seen[verdict, len(cells) > 1] += 1
        replay = session.replay()
        assert replay is not None
        again = from_bytes(to_bytes(replay))
        assert (again.mines == session.board.mines).all()
        assert check(again) == []
    needed = [Verdict.CERTAIN, Verdict.MINE, Verdict.NEEDLESS]
    needed += [Verdict.FORCED] if guesses.are_needed else []
    assert all(seen[verdict, False] >= 3 for verdict in needed), seen
    assert seen[Verdict.NEEDLESS, True] >= 2
    if not guesses.are_needed:
        assert not seen[Verdict.FORCED, False] + seen[Verdict.FORCED, True]


def position(text, mines, guesses, seed):
    """A game that shows these numbers; M is a hidden mine, a dot another hidden cell."""
    rows = text.split("/")
    opened = np.array([[char.isdigit() for char in row] for row in rows])
    layout = np.array([[char == "M" for char in row] for row in rows])
    board = Board(layout, opened, np.zeros_like(opened))
    level = Level(len(rows), len(rows[0]), mines)
    assert all(str(board.grid[cell]) == rows[cell[0]][cell[1]] for cell in cells_of(opened))
    opening = Opening(level, Start.SAFE, cells_of(opened)[0])
    return Session(level, Start.SAFE, seed, board, opening, guesses=guesses)


def assert_uniform(counts, layouts):
    """Pearson's chi-square test at 0.1 %, by the approximation of Wilson and Hilferty."""
    assert set(counts) == {frozenset(cells_of(one)) for one in layouts}
    mean, freedom = sum(counts.values()) / len(layouts), len(layouts) - 1
    found = sum((count - mean) ** 2 for count in counts.values()) / mean
    spread = 2 / (9 * freedom)
    assert found < freedom * (1 - spread + 3.09 * spread**0.5) ** 3


DRAWS = 240

STUCK = "....M2/M..M.M/1..1.."
"""Two components, free cells, and nothing certain."""

UNDER_WAY = "1.M..1/.M3.M./.1.M.."
"""Two components, a free cell, and four cells that are certainly safe."""


@pytest.mark.parametrize(
    ("text", "guesses", "cell", "flags", "verdict"),
    [
        (STUCK, Guesses.ONLY_IF_FORCED, (0, 4), (), Verdict.FORCED),
        (STUCK, Guesses.SAFE_IF_FORCED, (2, 0), ((1, 0),), Verdict.FORCED),
        (UNDER_WAY, Guesses.ONLY_IF_FORCED, (0, 4), (), Verdict.NEEDLESS),
        (UNDER_WAY, Guesses.FORBIDDEN, (0, 0), ((1, 1),), Verdict.NEEDLESS),
    ],
)
def test_layouts_are_drawn_uniformly(text, guesses, cell, flags, verdict):
    """One guess with many seeds: a cell, or a number that is chorded after these flags."""
    counts, lost = Counter(), set()
    session = after = position(text, 4, guesses, 0)
    for seed in range(DRAWS):
        session = position(text, 4, guesses, seed)
        for flag in flags:
            session = session.flag(flag)
        after = session.chord(cell) if flags else session.open(cell)
        assert after.judgement is not None
        assert after.judgement.verdict is verdict
        lost.add(after.status is GameStatus.LOST)
        counts[frozenset(cells_of(after.board.mines))] += 1
    assert lost == {verdict is Verdict.NEEDLESS}
    found = consistent(session)
    hit = np.stack([found[:, r, c] for r, c in after.moves[-1].cells]).any(0)
    assert_uniform(counts, found[hit == (verdict is Verdict.NEEDLESS)])


def test_drawn_layouts_are_uniform_and_consistent():
    session = position(STUCK, 4, Guesses.AS_DEALT, 0)
    view, random = View.of(session.board.grid, 4), Random(3)
    to_mask = view.geometry.to_mask
    drawn = [draw_layout(view, random) for _ in range(3 * DRAWS)]
    counts = Counter(frozenset(cells_of(to_mask(one))) for one in drawn if one is not None)
    assert_uniform(counts, consistent(session))
    assert draw_layout(View.of(session.board.grid, 1), random) is None, "too few mines"


def test_an_expert_board_bends():
    """Forced guesses of whole games at random are survived, and what is shown stays true."""
    moved = 0
    for seed in range(2):
        session = Session.new(LEVELS["expert"], Start.ZERO, seed, Guesses.ONLY_IF_FORCED)
        session, random = session.open((3, 3)), Random(seed)
        while session.status is GameStatus.PLAYING:
            view = View.of(session.board.grid, session.level.mines)
            solution = session.counter.solve(view)
            assert solution is not None
            safe = cells_of(view.geometry.to_mask(solution.safe))
            unsure = cells_of(view.geometry.to_mask(solution.uncertain))
            session = session.open(safe[0] if safe else random.choice(unsure))
            assert shows_the_truth(session)
        assert session.status is GameStatus.WON
        moved += session.game is None
    assert moved


def test_modes_are_not_in_the_leaderboard(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    game = PersonGame(position(UNDER_WAY, 4, Guesses.ONLY_IF_FORCED, 0)).open((0, 4))
    assert not game.is_ranked
    state = finish(TerminalGame(game, (0, 4)), "Ada", None)
    assert state.message.startswith("a mine, after 0.0 s: a needless guess, while (1, 0) was")
    assert state.message.endswith(leaderboard.OTHER_MODES)
    assert leaderboard.read() == []
    for mode in Guesses:
        new = PersonGame.new(LEVEL, Start.SAFE, 1, mode)
        assert new.is_ranked is (mode is Guesses.AS_DEALT)
        assert game.new_game(LEVEL, Start.SAFE, 2, mode).session.guesses is mode


def test_boards_whose_mines_move_have_a_size(capsys):
    words = ["custom", "101", "100", "9", "--human", "--guesses", "only-if-forced"]
    with pytest.raises(SystemExit) as end:
        arguments.run(play.main, words)
    assert end.value.code == 2
    assert "10100 cells; with guesses only if forced, boards have at most 10000" in (
        capsys.readouterr().err
    )
    with pytest.raises(LevelError, match="at most 10000"):
        Session.new(Level(101, 100, 9), Start.SAFE, 0, Guesses.SAFE_IF_FORCED).open((0, 0))


def test_what_is_too_much_to_count_falls_as_dealt():
    session = position(STUCK, 4, Guesses.ONLY_IF_FORCED, 0)
    after = replace(session, counter=Solver(max_states=1)).open((0, 4))
    assert after.judgement == Judgement(Verdict.UNKNOWN)
    assert after.board.mines is session.board.mines
    assert after.status is GameStatus.LOST
    assert "too many layouts to judge this guess" in PersonGame(after).result
