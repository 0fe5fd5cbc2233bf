"""Boards without a guess: against brute force, uniform, the same by every path, and proved."""

import itertools
import json
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from jaxsweep.metrics.board import BoardValue
from jaxsweep.puzzles import repair as repair_module
from jaxsweep.puzzles import search as search_module
from jaxsweep.puzzles.board import BoardError, OrderedBoard, Source, read_board
from jaxsweep.puzzles.certificate import CertificateError, Step, Tier
from jaxsweep.puzzles.checker import CheckedBoard, check
from jaxsweep.puzzles.checking import check_board
from jaxsweep.puzzles.difficulty import difficulty_of, is_possible
from jaxsweep.puzzles.judging import guess_free_first_cells, judge
from jaxsweep.puzzles.ordering import Order, first_boards
from jaxsweep.puzzles.proofs import prove
from jaxsweep.puzzles.repair import search_repaired
from jaxsweep.puzzles.rules_in_sets import solves
from jaxsweep.puzzles.search import draw_layouts, judge_uncompiled, search
from jaxsweep.puzzles.wishes import NO_LIMIT, WishError, Wishes
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from tests.forgeries import ALTERATIONS, forged_steps
from tests.oracle import PlainGame, pair_rules, single_cell_rules

EXPERT = Opening.of(LEVELS["expert"], Start.ZERO)
SMALL = Opening(Level(4, 4, 4), Start.SAFE, (0, 0))


def all_layouts(rows, cols, mines, without):
    """Every layout as a row of flags, none with a mine in the cell `without`."""
    cells = [i for i in range(rows * cols) if i != without]
    chosen = np.array(list(itertools.combinations(cells, mines)))
    layouts = np.zeros((len(chosen), rows * cols), bool)
    np.put_along_axis(layouts, chosen, True, axis=1)
    return layouts


def solved_by_brute_force(layouts, rows, cols, first):
    """Which layouts can be opened from a cell without a guess, by comparing all layouts.

    A cell is safe if no layout that agrees with all open numbers has a mine there. The first cell
    may be a mine, for all that the solver knows from the start.
    """
    games = [
        PlainGame(rows, cols, [divmod(int(i), cols) for i in np.flatnonzero(layout)])
        for layout in layouts
    ]
    numbers = np.array(
        [[game.number(divmod(i, cols)) for i in range(rows * cols)] for game in games]
    )
    # What an open cell shows; a mine agrees with no number.
    shown = np.where(layouts, -1, numbers)
    solved = []
    for i, game in enumerate(games):
        game.open([divmod(first, cols)])
        consistent = np.ones(len(layouts), bool)
        while True:
            opened = [row * cols + col for row, col in game.opened]
            consistent &= (shown[:, opened] == shown[i, opened]).all(1)
            safe = set(np.flatnonzero(~layouts[consistent].any(0)).tolist()) - set(opened)
            if not safe:
                break
            game.open([divmod(cell, cols) for cell in safe])
        solved.append(game.status == "won")
    return np.array(solved)


def solved_by_rules(layout, rows, cols, first, rules):
    """Whether rules of the oracle open a layout from a cell on."""
    game = PlainGame(rows, cols, [divmod(int(i), cols) for i in np.flatnonzero(layout)])
    game.open([divmod(first, cols)])
    while True:
        grid = [
            [game.number((r, c)) if (r, c) in game.opened else -1 for c in range(cols)]
            for r in range(rows)
        ]
        safe = rules(grid)[0] - game.opened
        if not safe:
            return game.status == "won"
        game.open(safe)


def native_rules(layouts, rows, cols, first, max_rule=Tier.EXACT):
    from jaxsweep.native.deductions import hardest_rule, make_room

    room, bytes_of = make_room(rows, cols), layouts.astype(np.uint8)
    return np.array([hardest_rule(layout, first, int(max_rule), room) for layout in bytes_of])


@pytest.fixture(scope="module")
def small():
    """All layouts of 4×4/4 without a mine in the corner, and which need no guess."""
    layouts = all_layouts(4, 4, 4, without=0)
    return layouts, solved_by_brute_force(layouts, 4, 4, 0)


@pytest.mark.parametrize(("rows", "cols", "first"), [(4, 4, 0), (4, 4, 5), (4, 5, 0), (4, 5, 6)])
def test_no_guess_is_what_brute_force_finds(rows, cols, first):
    layouts = all_layouts(rows, cols, 4, without=first)
    solved = solved_by_brute_force(layouts, rows, cols, first)
    assert 0 < solved.sum() < len(solved)
    assert ((native_rules(layouts, rows, cols, first) >= 0) == solved).all()
    grids = layouts.reshape(-1, rows, cols)
    assert [prove(grid, divmod(first, cols)).solved for grid in grids] == solved.tolist()


def test_tiers_are_what_the_oracles_rules_solve():
    layouts = all_layouts(4, 5, 4, without=0)[::13]
    for tier, rules in ((Tier.SINGLE, single_cell_rules), (Tier.PAIR, pair_rules)):
        expected = [solved_by_rules(layout, 4, 5, 0, rules) for layout in layouts]
        assert any(expected)
        assert (native_rules(layouts, 4, 5, 0, tier) >= 0).tolist() == expected
        grids = layouts.reshape(-1, 4, 5)
        assert [prove(grid, (0, 0), tier).solved for grid in grids] == expected


WISHES = {
    "no guess": Wishes(SMALL),
    "single": Wishes(SMALL, max_rule=Tier.SINGLE),
    "pair": Wishes(SMALL, max_rule=Tier.PAIR),
    "count": Wishes(SMALL, max_rule=Tier.COUNT),
    "3BV": Wishes(SMALL, no_guess=False, bbbv=(4, 6)),
    "difficulty": Wishes(SMALL, difficulty=(20, 45)),
}


@pytest.mark.parametrize("wishes", WISHES.values(), ids=WISHES)
def test_every_board_that_qualifies_is_equally_likely(wishes, small):
    layouts, solved = small
    grids = layouts.reshape(-1, 4, 4)
    proofs = [prove(grid, (0, 0), wishes.max_rule) for grid in grids]
    low, high = wishes.difficulty
    bbbv = np.array([BoardValue.of(grid).bbbv for grid in grids])
    wanted = (bbbv >= wishes.bbbv[0]) & (bbbv <= wishes.bbbv[1])
    if wishes.no_guess:
        scores = np.array([difficulty_of(proof.steps).score for proof in proofs])
        wanted &= solved & np.array([proof.solved for proof in proofs])
        wanted &= (scores >= low) & (scores <= high)
    each = 30 if wishes.difficulty == NO_LIMIT else 8
    total = each * int(wanted.sum())
    assert total
    if wishes.difficulty == NO_LIMIT:
        drawn = draw_layouts(wishes, total, seed=3).mines.reshape(total, -1)
    else:
        made = first_boards(Order(wishes, seed=3), total)
        drawn = [board.mines.ravel() for progress in made for board in progress.boards]
    counts = Counter(layout.tobytes() for layout in np.array(drawn))
    expected = {layout.tobytes() for layout in layouts[wanted]}
    assert set(counts) <= expected
    # Pearson's statistic has mean n − 1 and variance 2 (n − 1): within five standard deviations.
    freedom = int(wanted.sum()) - 1
    statistic = sum((counts[layout] - each) ** 2 / each for layout in expected)
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5


# The same boards by every path.


def same(one, other):
    return [(a.game, a.bbbv, a.hardest, a.mines.tobytes()) for a in one] == [
        (b.game, b.bbbv, b.hardest, b.mines.tobytes()) for b in other
    ]


def boards_of(found, end):
    boards = []
    for deals in found:
        boards += deals.boards
        if deals.numbers.stop >= end:
            return [board for board in boards if board.game < end]
    raise AssertionError("a search has no end")


@pytest.fixture
def compiled(monkeypatch):
    """Machine code from the first board on."""
    for module in (search_module, repair_module):
        monkeypatch.setattr(module, "UNCOMPILED", 0)


@pytest.mark.parametrize(
    ("wishes", "end"),
    [
        (Wishes(EXPERT), 60),
        (Wishes(EXPERT, max_rule=Tier.PAIR, bbbv=(150, 175)), 100),
        (Wishes(EXPERT, no_guess=False), 20),
        (Wishes(Opening.of(LEVELS["beginner"], Start.ANY), max_rule=Tier.COUNT), 300),
        (Wishes(Opening(Level(3, 12, 5), Start.SAFE, (1, 6))), 300),
    ],
)
def test_machine_code_finds_the_boards_that_the_scalar_path_does(wishes, end, compiled):
    plain = judge_uncompiled(wishes, 5, range(end))
    assert plain.boards
    assert plain.left_out == 0
    assert same(boards_of(search(wishes, 5), end), plain.boards)


def test_the_same_boards_whatever_the_batch_and_the_cores(monkeypatch, compiled):
    wishes = Wishes(EXPERT)
    expected = boards_of(search(wishes, 9), 300)
    monkeypatch.setattr(search_module, "CHUNK", 37)
    monkeypatch.setattr("jaxsweep.runtime.machine.cores", lambda: 3)
    assert same(boards_of(search(wishes, 9), 300), expected)
    # And from any deal on.
    later = [board for board in expected if board.game >= 100]
    assert same(boards_of(search(wishes, 9, begin=100), 300), later)


def test_layouts_are_drawn_as_arrays():
    layouts = draw_layouts(Wishes(EXPERT), 20, seed=2)
    assert layouts.mines.shape == (20, 16, 30)
    assert (layouts.mines.sum((1, 2)) == 99).all()
    assert (np.diff(layouts.games) > 0).all()
    with pytest.raises(ValueError, match="without certificates"):
        draw_layouts(Wishes(EXPERT, difficulty=(40, 50)), 1, seed=2)


# Repair.


@pytest.mark.parametrize(
    ("level", "count", "tier"),
    [
        (Level(16, 30, 130), 2, Tier.EXACT),
        (Level(30, 30, 240), 1, Tier.EXACT),
        (Level(6, 5, 15), 10, Tier.EXACT),
        (Level(6, 5, 15), 10, Tier.SINGLE),
    ],
)
def test_repaired_boards_are_what_is_asked_for_by_both_paths(level, count, tier, monkeypatch):
    wishes = Wishes(Opening.of(level, Start.ZERO), max_rule=tier)
    boards = []
    for module_uncompiled in (0, count):
        monkeypatch.setattr(repair_module, "UNCOMPILED", module_uncompiled)
        monkeypatch.setattr("jaxsweep.native.compiler.is_on_disk", lambda _: False)
        boards.append(boards_of(search_repaired(wishes, 4), count))
    native, plain = boards
    assert same(native, plain)
    assert len(native) == count
    for board in native:
        assert board.mines.sum() == level.mines
        assert not (board.mines & ~wishes.opening.allowed_mines()).any()
        proof = prove(board.mines, wishes.opening.first, tier)
        assert proof.solved
        assert board.hardest == proof.hardest
        assert board.bbbv == BoardValue.of(board.mines).bbbv


# Certificates.


@pytest.fixture(scope="module")
def by_tier():
    """Boards of every tier with their certificates."""
    found = {tier: [] for tier in Tier}
    for name, start, end in (("expert", Start.ZERO, 350), ("beginner", Start.SAFE, 500)):
        opening = Opening.of(LEVELS[name], start)
        for drawn in boards_of(search(Wishes(opening), 1), end):
            board = OrderedBoard.proved(opening, drawn.mines, drawn.bbbv)
            assert board.hardest is drawn.hardest
            found[drawn.hardest].append(board)
    return found


def test_certificates_of_every_tier_hold(by_tier):
    assert min(map(len, by_tier.values())) >= 3
    for tier, boards in by_tier.items():
        for board in boards:
            counts = check_board(board)
            assert max(t for t in Tier if counts[t] or t is Tier.SINGLE) is tier
            parts = board.difficulty
            assert parts.single_steps == counts[Tier.SINGLE]
            assert parts.pair_steps == counts[Tier.PAIR]
            assert (parts.effort == 0) == (parts.score == 0)
            assert (parts.effort == 0) == (counts[Tier.PAIR] + counts[Tier.EXACT] == 0)


def before_each_step(board):
    """The board as the checker sees it, before each step of its certificate."""
    level = board.opening.level
    checked = CheckedBoard(level.rows, level.cols, cells_of(board.mines), board.opening.first)
    for place, step in enumerate(board.steps):
        yield place, step, checked
        checked.conclude(step)


def altered(board, place, *steps):
    """The certificate of a board with other steps instead of one."""
    return [*board.steps[:place], *steps, *board.steps[place + 1 :]]


def refused(board, steps):
    level = board.opening.level
    try:
        check(level.rows, level.cols, cells_of(board.mines), board.opening.first, steps)
    except CertificateError:
        return True
    return False


@pytest.mark.parametrize("tier", Tier)
def test_a_forged_certificate_is_refused(tier, by_tier):
    seen, random = Counter(), Random(1)
    small = [board for board in by_tier[tier] if board.opening.level == LEVELS["beginner"]]
    for board in sorted(small, key=lambda board: -len(board.steps))[:2]:
        assert not refused(board, board.steps)
        for place, step, checked in before_each_step(board):
            for what, forged in forged_steps(step, checked, random).items():
                assert checked.problem(forged), f"step {place + 1}, {step.tier.word}: {what}"
                seen[step.tier, what] += 1
            # What only the certificate as a whole shows.
            assert refused(board, altered(board, place, step, step))
            found = sorted((checked.hidden & checked.mines) - set(step.mines))
            if found:
                more = replace(step, mines=(*step.mines, found[0]))
                assert refused(board, altered(board, place, more)), "a mine that nothing uses"
    missing = {alter.__name__ for alter in ALTERATIONS if not seen[tier, alter.__name__]}
    # A step by the mine count uses no numbers, and opens all safe cells.
    of_others = {"_number_less", "_number_more", "_number_twice", "_safe_cell_more"}
    assert missing <= (of_others if tier is Tier.COUNT else set())


def test_a_step_does_not_come_before_what_it_needs(by_tier):
    board = by_tier[Tier.EXACT][0]
    tried = 0
    for place, step, checked in before_each_step(board):
        for later in board.steps[place + 1 : place + 2]:
            if set(later.numbers) - checked.opened:
                steps = [*board.steps[:place], later, step, *board.steps[place + 2 :]]
                assert refused(board, steps)
                tried += 1
    assert tried


def test_a_step_with_more_layouts_than_can_be_checked_is_refused(by_tier, monkeypatch):
    board = by_tier[Tier.EXACT][0]
    check_board(board)
    monkeypatch.setattr("jaxsweep.puzzles.all_layouts.MAX_STATES", 3)
    with pytest.raises(CertificateError, match="too many layouts"):
        check_board(board)


def test_a_board_that_simpler_rules_solve_does_not_need_its_hardest():
    """Three numbers prove cells of this board, but pairs of other numbers solve it, too."""
    mines = np.array([[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]], bool)
    steps = (
        Step(Tier.EXACT, ((1, 2), (2, 1), (2, 2)), False, 7, ((3, 3),), ((0, 3), (3, 0))),
        Step(Tier.SINGLE, ((0, 2),), False, 1, ((1, 3),), ()),
        Step(Tier.SINGLE, ((2, 0),), False, 1, ((3, 1),), ()),
    )
    check(4, 4, cells_of(mines), (0, 0), steps)
    board = OrderedBoard(SMALL, mines, BoardValue.of(mines).bbbv, Tier.EXACT, steps)
    with pytest.raises(CertificateError, match="does not need exact: rules up to count solve it"):
        check_board(board)
    check_board(OrderedBoard.proved(SMALL, mines, board.bbbv))


@pytest.mark.parametrize("tier", [Tier.SINGLE, Tier.PAIR, Tier.COUNT])
def test_the_checkers_rules_solve_what_machine_code_does(tier):
    layouts = all_layouts(4, 5, 4, without=0)[::7]
    solved = [solves(4, 5, cells_of(grid), (0, 0), tier) for grid in layouts.reshape(-1, 4, 5)]
    assert (native_rules(layouts, 4, 5, 0, tier) >= 0).tolist() == solved


def test_what_a_board_in_a_file_says_of_itself_is_compared(by_tier):
    board = by_tier[Tier.EXACT][0]
    found = board.to_json()
    check_board(read_board(json.loads(json.dumps(found))))
    for name, value in (("difficulty", 1.0), ("difficulty", None), ("difficulty_parts", {"x": 1})):
        with pytest.raises(BoardError, match=f"{name} is not that of the steps"):
            read_board(found | {name: value})
    easy = by_tier[Tier.SINGLE][0].to_json()
    for value in (False, float("nan")):
        with pytest.raises(BoardError, match=r"difficulty is not that of the steps, 0\.0"):
            read_board(easy | {"difficulty": value})
    assert check_board(read_board(easy | {"difficulty": 0}))  # As JavaScript writes it.
    with pytest.raises(CertificateError, match=f"3BV is {board.bbbv}, not 7"):
        check_board(read_board(found | {"bbbv": 7}))
    with pytest.raises(BoardError, match="4096×4096: 10,000 cells at most"):
        read_board(found | {"rows": 4096, "cols": 4096})


def test_a_certificate_must_reach_the_end(by_tier):
    board = by_tier[Tier.PAIR][0]
    assert refused(board, board.steps[:-1])
    assert refused(board, [])
    assert refused(board, [*board.steps, board.steps[-1]])
    wrong_first = cells_of(board.mines)[0]
    level = board.opening.level
    with pytest.raises(CertificateError, match="is a mine"):
        check(level.rows, level.cols, cells_of(board.mines), wrong_first, board.steps)


def test_what_a_board_says_of_itself_is_checked(by_tier):
    board = by_tier[Tier.PAIR][0]
    with pytest.raises(CertificateError, match="hardest rule is pair, not count"):
        check_board(replace(board, hardest=Tier.COUNT))
    with pytest.raises(CertificateError, match="start rule"):
        mines = board.mines.copy()
        mines[board.opening.first] = True
        check_board(replace(board, mines=mines))


def test_a_board_is_the_deal_that_it_names():
    opening = Opening.of(LEVELS["beginner"], Start.ZERO)
    drawn = boards_of(search(Wishes(opening), 1), 20)[0]
    source = Source(1, drawn.game, False, "")
    check_board(OrderedBoard.proved(opening, drawn.mines, drawn.bbbv, source))
    for changes in ({"game": drawn.game + 1}, {"seed": 2}, {"seed": -1}, {"game": 10**30}):
        board = OrderedBoard.proved(opening, drawn.mines, drawn.bbbv, replace(source, **changes))
        with pytest.raises(CertificateError, match=r"it is not game \d+ of seed -?\d"):
            check_board(board)
    moved = replace(source, seed=2, repaired=True)
    check_board(OrderedBoard.proved(opening, drawn.mines, drawn.bbbv, moved))


def test_difficulty_adds_up_what_must_be_held_in_mind():
    single = Step(Tier.SINGLE, ((0, 0),), False, 3, ((0, 1),), ())
    pair = Step(Tier.PAIR, ((0, 0), (0, 1)), False, 4, ((1, 1),), ())
    three = Step(Tier.EXACT, ((0, 0), (0, 1), (0, 2)), False, 6, (), ((1, 1),))
    count = Step(Tier.COUNT, (), True, 0, ((2, 2),), ())
    found = difficulty_of([single, pair, three, count])
    assert found.effort == 4 * 1 + 6 * 2
    assert (found.single_steps, found.pair_steps, found.larger_steps) == (1, 1, 1)
    assert (found.mine_count_steps, found.most_numbers, found.most_cells) == (1, 3, 6)
    assert found.score == pytest.approx(10 * np.log2(17), abs=0.05)
    assert difficulty_of([single, count]).score == 0


# Judgements and wishes.


def test_first_cells_without_a_guess_are_what_brute_force_finds():
    # A first cell may be a mine for all that is known before it is opened: any layout counts.
    layouts = all_layouts(3, 4, 3, without=None)
    for i in range(0, len(layouts), 44):
        grid = layouts[i].reshape(3, 4)
        expected = np.zeros(12, bool)
        for first in np.flatnonzero(~layouts[i]):
            expected[first] = solved_by_brute_force(layouts, 3, 4, int(first))[i]
        assert (guess_free_first_cells(grid).ravel() == expected).all()


def test_a_judgement_says_where_the_first_guess_is():
    # The corner shows 0, then a row of 1s; of the two cells behind a wall, one is a mine.
    mines = np.zeros((4, 5), bool)
    mines[0, 3] = mines[1, 3] = mines[2, 3] = mines[3, 3] = mines[0, 4] = True
    found = judge(mines, (0, 0))
    assert found.board.hardest is None
    assert found.board.steps is None
    assert found.guess is not None
    assert found.guess.opened == 12
    assert found.guess.safest is not None
    assert found.guess.position.grid[found.guess.safest] < 0
    # All four mines of the wall are certain, and one of the four cells behind it is one.
    assert found.guess.risk == pytest.approx(1 / 4)
    assert not found.guess_free.any()
    assert judge(mines).board.opening.first == (0, 0)


def test_large_boards_are_judged_in_machine_code(monkeypatch):
    mines = np.random.default_rng(1).random((12, 12)) < 0.12
    expected = guess_free_first_cells(mines)
    assert expected.any()
    monkeypatch.setattr("jaxsweep.puzzles.judging.LARGE", 0)
    assert (guess_free_first_cells(mines) == expected).all()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"difficulty": (5, 4)}, "no difficulty is from 5 to 4"),
        ({"difficulty": (1, 9.9)}, "no board of 16×30/99 has a difficulty from 1 to 9.9"),
        ({"difficulty": (10**6, float("inf"))}, r"has a difficulty from 1e\+06 to inf"),
        ({"difficulty": (1, 60), "max_rule": Tier.SINGLE}, "single numbers solve .* difficulty 0"),
        ({"bbbv": (float("nan"), 4)}, "no 3BV is from nan to 4"),
        ({"bbbv": (500, 600)}, "out of reach"),
        ({"bbbv": (5.5, 5.7)}, "a 3BV is a whole number: none is from 5.5 to 5.7"),
        ({"no_guess": False, "max_rule": Tier.PAIR}, "need no guess"),
        ({"opening": Opening.of(Level(200, 200, 100))}, "40000 cells"),
    ],
)
def test_wishes_that_cannot_come_true_are_refused(changes, sentence):
    with pytest.raises(WishError, match=sentence):
        replace(Wishes(EXPERT), **changes)


def test_a_difficulty_is_possible_if_a_whole_effort_has_it():
    scores = [round(10 * np.log2(1 + effort), 1) for effort in range(2_000)]
    for score in scores:
        assert is_possible(score, score, 30)
        between = (score + 0.01, score + 0.09)  # Scores have one decimal.
        assert not is_possible(*between, 30)
    for low in np.arange(0, 60, 0.7):
        high = low + 2.3
        assert is_possible(low, high, 30) == any(low <= score <= high for score in scores)


def test_an_order_out_of_reach_says_how_long_it_would_take():
    wishes = Wishes(Opening.of(Level(16, 30, 200), Start.ZERO))
    with pytest.raises(
        WishError,
        match=r"no board in .* deals .* (minutes|hours|days|years) on average; .*--repair",
    ):
        list(first_boards(Order(wishes, 0), 10**6, patience=0.0))
