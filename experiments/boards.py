"""Boards to order: how many need no guess, how fast they are made, and whether what is said holds.

    python experiments/boards.py [--quick] [--only PART …]

The parts: `shares` of deals that need no guess, by hardest rule; `speed` of making such boards, by
rejection and by repair, up to the densest; `certificates-RULE`, 10,000 for each hardest rule,
verified by the checker, and each of their steps altered at random, and refused; `difficulty`, its
quantiles and how often the player `knowledge` wins such boards; `bias` of repaired boards against
uniform ones. Each part is written as soon as it is measured, with its own machine and command:
`--only speed` measures speed again on a quiet machine.
Writes `results/boards.json` and `results/boards.png`.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from rich.progress import track

import reporting
from jaxsweep.metrics.board import BoardValue
from jaxsweep.metrics.boards import board_values
from jaxsweep.puzzles.board import OrderedBoard
from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.checker import CheckedBoard
from jaxsweep.puzzles.checking import check_board
from jaxsweep.puzzles.repair import search_repaired
from jaxsweep.puzzles.search import Drawn, search
from jaxsweep.puzzles.wishes import Wishes
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.scalar.deal import deal
from jaxsweep.simulation.statistics import wilson
from tests.forgeries import forged

SEED = 5
EXPERT = Opening.of(LEVELS["expert"], Start.ZERO)
OPENINGS = {
    "expert, zero start at (3, 3)": EXPERT,
    "expert, safe start in the corner": Opening.of(LEVELS["expert"]),
    "intermediate, zero start at (2, 2)": Opening.of(LEVELS["intermediate"], Start.ZERO),
    "beginner, zero start at (2, 2)": Opening.of(LEVELS["beginner"], Start.ZERO),
}
SPAWN = get_context("spawn")
"""Processes that are started anew: a copy of one with threads could hang."""

CERTIFICATES = 10_000
"""So many are verified of each hardest rule, unless `--certificates` says otherwise."""

BIAS_MINES = 110
"""A density of expert boards at which both methods are fast."""


def drawn(wishes: Wishes, count: int, repaired: bool = False) -> list[Drawn]:
    """The first boards of the seed."""
    found = (search_repaired if repaired else search)(wishes, SEED)
    return list(islice(chain.from_iterable(deals.boards for deals in found), count))


def warm_up() -> None:
    """Compiles what is measured."""
    for deals in search(Wishes(EXPERT), SEED):
        if deals.numbers.start > 2_500:
            break
    drawn(Wishes(EXPERT), 30, repaired=True)


def shares(quick: bool) -> dict[str, Any]:
    """How many deals need no guess, and which rules these need."""
    deals_each, found = 2_000 if quick else 200_000, {}
    for name, opening in OPENINGS.items():
        began, tiers, deals = time.process_time(), Counter(), 0
        for part in search(Wishes(opening), SEED):
            tiers.update(
                board.hardest
                for board in part.boards
                if board.game < deals_each and board.hardest is not None
            )
            deals = part.numbers.stop
            if deals >= deals_each:
                break
        total = sum(tiers.values())
        found[name] = {
            "deals": deals_each,
            "no_guess": total,
            "percent": 100 * total / deals_each,
            "interval": [100 * limit for limit in wilson(total, deals_each)],
            "percent_by_hardest_rule": {tier.word: 100 * tiers[tier] / deals_each for tier in Tier},
            "processor_microseconds_a_deal": 1e6 * (time.process_time() - began) / deals,
        }
        print(f"{name}: {found[name]['percent']:.2f} % of {deals_each:,} deals need no guess")
    return found


def rate(count: int, repeats: int, make: Callable[[], int]) -> dict[str, Any]:
    """Boards a second, by the clock and of processor time, over repeats: quartiles."""
    by_clock, by_processor = [], []
    for _ in range(repeats):
        began, worked = time.perf_counter(), time.process_time()
        made = make()
        by_clock.append(made / (time.perf_counter() - began))
        by_processor.append(made / (time.process_time() - worked))
    return {
        "boards": count,
        "boards_a_second": np.quantile(by_clock, [0.25, 0.5, 0.75]).tolist(),
        "boards_a_processor_second": np.quantile(by_processor, [0.25, 0.5, 0.75]).tolist(),
    }


def speed(quick: bool) -> dict[str, Any]:
    """Boards a second without certificates; with them; and repaired ones, by density."""
    repeats, found = 2 if quick else 7, {"rejection": {}, "repair": {}}
    for name, opening in OPENINGS.items():
        count = 500 if quick else 20_000
        wishes = Wishes(opening)
        found["rejection"][name] = rate(count, repeats, lambda w=wishes, n=count: len(drawn(w, n)))
    few = drawn(Wishes(EXPERT), 20 if quick else 200)
    found["certificates"] = rate(
        len(few),
        repeats,
        lambda: sum(
            OrderedBoard.proved(EXPERT, board.mines, board.bbbv).steps is not None for board in few
        ),
    )
    dense = [Level(16, 30, mines) for mines in (99, 110, 120, 130, 150, 170, 200, 230, 260, 290)]
    dense += [Level(30, 30, 240), Level(9, 9, 35), Level(16, 16, 99), Level(100, 100, 2500)]
    for level in track(dense[:3] if quick else dense, "repair"):
        found["repair"][str(level)] = repair_times(level, 4 if quick else 40)
    return found


def repair_times(level: Level, count: int) -> dict[str, Any]:
    """Processor time of each of some repaired boards."""
    from jaxsweep.native.deductions import EXACT
    from jaxsweep.native.repair import make_repair_room, repair_board
    from jaxsweep.puzzles.repair import tries_of

    opening = Opening.of(level, Start.ZERO)
    space = make_repair_room(opening)
    first = opening.first[0] * level.cols + opening.first[1]
    milliseconds, changes, solved = [], [], 0
    for game in range(count):
        began = time.process_time()
        rule, tried = repair_board(SEED, game, first, EXACT, tries_of(level), space)
        milliseconds.append(1e3 * (time.process_time() - began))
        changes.append(tried)
        solved += rule >= 0
    return {
        "boards": count,
        "solved": solved,
        "density": level.mines / level.cells,
        "median_milliseconds": float(np.median(milliseconds)),
        "longest_milliseconds": float(max(milliseconds)),
        "median_changes": float(np.median(changes)),
    }


def proved(game: int, hardest: Tier) -> tuple[float, int, int, int]:
    """Proves an expert board, and checks the certificate, and its steps altered.

    Returns its difficulty, its steps, the cells held in mind, and how many altered steps were not
    refused.
    """
    mines = deal(EXPERT, SEED, game)
    board = OrderedBoard.proved(EXPERT, mines, BoardValue.of(mines).bbbv)
    check_board(board)
    assert board.hardest is hardest, "the proof and the machine code agree"
    assert board.difficulty is not None and board.steps is not None
    parts = board.difficulty
    return parts.score, len(board.steps), parts.most_cells, accepted_forgeries(board, game)


def accepted_forgeries(board: OrderedBoard, seed: int) -> int:
    """How many steps of a board's certificate, each altered at random, the checker accepts."""
    assert board.steps is not None
    level, mines, generator = board.opening.level, cells_of(board.mines), random.Random(seed)
    checked, accepted = CheckedBoard(level.rows, level.cols, mines, board.opening.first), 0
    for step in board.steps:
        accepted += checked.problem(forged(step, checked, generator)) is None
        checked.conclude(step)
    return accepted


def _proved_all(work: tuple[list[int], Tier]) -> list[tuple[float, int, int, int]]:
    games, tier = work
    return [proved(game, tier) for game in games]


def certificates(tier: Tier, count: int) -> dict[str, Any]:
    """Certificates of boards with this hardest rule, verified by the checker."""
    games: list[int] = []
    for part in search(Wishes(EXPERT, max_rule=tier), SEED):
        games += [board.game for board in part.boards if board.hardest is tier]
        if len(games) >= count:
            break
    games = games[:count]
    chunks = [(games[begin : begin + 20], tier) for begin in range(0, len(games), 20)]
    rows: list[tuple[float, int, int, int]] = []
    with ProcessPoolExecutor(machine.cores(), SPAWN) as pool:
        for some in track(pool.map(_proved_all, chunks), tier.word, total=len(chunks)):
            rows += some
    scores, steps, cells, accepted = np.array(rows).T
    altered = int(steps.sum())
    print(
        f"{tier.word}: {len(rows):,} certificates verified, {int(accepted.sum()):,} of {altered:,} "
        "altered steps not refused"
    )
    return {
        "verified": len(rows),
        "altered_steps": altered,
        "altered_steps_refused": altered - int(accepted.sum()),
        "last_game": games[-1],
        "mean_steps": float(steps.mean()),
        "difficulty_quartiles": np.quantile(scores, [0.25, 0.5, 0.75]).tolist(),
        "most_cells_held": int(cells.max()),
    }


def difficulty(quick: bool) -> dict[str, Any]:
    """Quantiles of the difficulty of uniform boards, and how often `knowledge` wins them."""
    from jaxsweep.simulation.matches import play_and_report
    from jaxsweep.strategies import STRATEGIES

    count = 200 if quick else 10_000
    boards = drawn(Wishes(EXPERT), count)
    chunks = [boards[begin : begin + 20] for begin in range(0, count, 20)]
    scores: list[float] = []
    with ProcessPoolExecutor(machine.cores(), SPAWN) as pool:
        for some in track(pool.map(_scores, chunks), "difficulty", total=len(chunks)):
            scores += some
    machine.use_devices()
    deals = boards[-1].game + 1
    reports = list(play_and_report(STRATEGIES["knowledge"], EXPERT, SEED, deals))
    won = np.zeros(deals, bool)
    for report in reports:
        won[np.asarray(report.record.game_number)] = np.asarray(report.record.won)
    wins = won[[board.game for board in boards]]
    levels = np.linspace(0, 1, 21)
    quantiles = np.quantile(scores, levels)
    tenth = np.minimum(np.searchsorted(quantiles[2:-1:2], scores, side="right"), 9)
    by_tenth = [wins_of(np.array(scores)[tenth == i], wins[tenth == i]) for i in range(10)]
    return {
        "boards": count,
        "quantiles": np.round(quantiles, 1).tolist(),
        "quantile_levels": np.round(levels, 2).tolist(),
        "knowledge_won_percent": 100 * float(wins.mean()),
        "knowledge_by_tenth": by_tenth,
        "auc_won_is_easier": auc(np.array(scores), wins),
        "spearman_with_3bv": spearman(np.array(scores), np.array([b.bbbv for b in boards])),
        "auc_won_has_lower_3bv": auc(np.array([b.bbbv for b in boards]), wins),
    }


def _scores(boards: list[Drawn]) -> list[float]:
    done = [OrderedBoard.proved(EXPERT, board.mines, board.bbbv).difficulty for board in boards]
    return [one.score for one in done if one is not None]


def wins_of(scores: np.ndarray, won: np.ndarray) -> dict[str, Any]:
    """How often boards of some difficulties were won."""
    wins, games = int(won.sum()), len(won)
    return {
        "boards": games,
        "difficulty": [float(scores.min()), float(scores.max())],
        "won_percent": 100 * wins / games,
        "interval": [100 * limit for limit in wilson(wins, games)],
    }


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks, the mean of those of equal values."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def auc(scores: np.ndarray, won: np.ndarray) -> float:
    """The probability that of a game won and a game lost, the one won has the lower score."""
    place, wins = ranks(scores), int(won.sum())
    losses = len(won) - wins
    return float(1 - (place[won].sum() - wins * (wins + 1) / 2) / (wins * losses))


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's rank correlation."""
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def bias(quick: bool) -> dict[str, Any]:
    """3BV, openings and hardest rule of uniform boards and of repaired ones."""
    count = 200 if quick else 20_000
    level = Level(16, 30, BIAS_MINES)
    wishes, found = Wishes(Opening.of(level, Start.ZERO)), {}
    for name, repaired in (("uniform", False), ("repaired", True)):
        boards = drawn(wishes, count, repaired)
        values = board_values(np.stack([board.mines for board in boards]), islands=False)
        assert (values.bbbv == [board.bbbv for board in boards]).all()
        tiers = Counter(board.hardest for board in boards)
        found[name] = {
            "boards": len(boards),
            "deals": boards[-1].game + 1,
            "bbbv": describe(values.bbbv),
            "openings": describe(values.openings),
            "percent_by_hardest_rule": {
                tier.word: 100 * tiers[tier] / len(boards) for tier in Tier
            },
            "bbbv_counts": np.bincount(values.bbbv).tolist(),
            "openings_counts": np.bincount(values.openings).tolist(),
        }
    for what in ("bbbv", "openings"):
        pair = [np.array(found[name][f"{what}_counts"]) for name in ("uniform", "repaired")]
        size = max(map(len, pair))
        one, other = (np.pad(counts, (0, size - len(counts))) / count for counts in pair)
        found[f"{what}_total_variation"] = float(abs(one - other).sum() / 2)
    return {"level": str(level)} | found


def describe(values: np.ndarray) -> dict[str, Any]:
    """Mean with its interval, and quantiles."""
    half = 1.96 * values.std() / len(values) ** 0.5
    mean = float(values.mean())
    quantiles = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist()
    return {"mean": mean, "interval": [mean - half, mean + half], "quantiles": quantiles}


def plot(result: dict[str, Any]) -> None:
    """Difficulty and wins; 3BV and openings of both methods."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.8))
    tenths = result["difficulty"]["knowledge_by_tenth"]
    middles = [sum(one["difficulty"]) / 2 for one in tenths]
    percents = [one["won_percent"] for one in tenths]
    errors = np.abs(np.array([one["interval"] for one in tenths]).T - percents)
    left.errorbar(middles, percents, yerr=errors, marker="o", capsize=3, color="#0072b2")
    left.set(xlabel="difficulty", ylabel="games won by `knowledge`, %", ylim=(0, None))
    for axis, what in ((middle, "bbbv"), (right, "openings")):
        for name, colour in (("uniform", "#0072b2"), ("repaired", "#e69f00")):
            counts = np.array(result["bias"][name][f"{what}_counts"])
            width = 5 if what == "bbbv" else 1
            padded = np.pad(counts, (0, -len(counts) % width)).reshape(-1, width).sum(1)
            places = np.arange(len(padded)) * width
            axis.step(places, 100 * padded / padded.sum(), where="mid", color=colour, label=name)
        axis.legend(fontsize=8)
    level = result["bias"]["level"]
    middle.set(xlabel=f"3BV, {level}, no guess needed", ylabel="% of boards", xlim=(90, 260))
    right.set(xlabel=f"openings, {level}, no guess needed", ylabel="% of boards")
    for axis in (left, middle, right):
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(reporting.RESULTS / "boards.png", dpi=120)


PARTS = {
    "shares": shares,
    "speed": speed,
    **{f"certificates-{tier.word}": partial(certificates, tier) for tier in Tier},
    "difficulty": difficulty,
    "bias": bias,
}


def main() -> None:
    """Measures the parts, and writes each as soon as it is done."""
    parser = reporting.arguments(__doc__, "few boards")
    parser.add_argument("--certificates", type=int, default=CERTIFICATES, metavar="N")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parsed = parser.parse_args()
    use_cache()
    warm_up()
    result: dict[str, Any] = {}
    for name in parsed.only:
        amount = parsed.quick
        if name.startswith("certificates"):
            amount = 20 if parsed.quick else parsed.certificates
        found = PARTS[name](amount)
        if parsed.quick:
            print(json.dumps(found, indent=1)[:2_000])
            continue
        file = reporting.RESULTS / "boards.json"
        # Read again: another part may have been measured meanwhile.
        result = reporting.read("boards") if file.exists() else {}
        result[name] = found | {"origin": reporting.origin(seed=SEED)}
        reporting.write("boards", {part: result[part] for part in PARTS if part in result})
    if not parsed.quick and {"difficulty", "bias"} <= set(result):
        plot(result)


if __name__ == "__main__":
    main()
