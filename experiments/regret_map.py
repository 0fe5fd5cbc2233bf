"""Where a player loses: how far its choices are from the best of its close candidates, by phase.

    python experiments/regret_map.py DIR [--player P] [--level LEVEL] [--files N]

DIR is a table that `experiments/decisions.py` wrote. Its few playouts of each candidate are far too
noisy to tell the best one, and choosing by them would call noise regret. But products of different
playouts have no noise on average: they give the variance of the true differences between candidates
about what the player's own values predict. The regret is then that of normal differences with this
variance. Of a player that refines its close candidates, only those are compared. Writes
`results/regret-map.json` and `results/regret-map.png`.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from rich.progress import Progress

import reporting
from decisions import CHUNK
from duel import PHASES, player
from jaxsweep.commands.arguments import whole_number
from jaxsweep.native.decisions import Decisions, rank_cells
from jaxsweep.native.players import make_workspace, settings_of
from jaxsweep.rules.level import LEVELS, Level
from jaxsweep.runtime import machine
from jaxsweep.scalar.lookahead import EQUAL
from jaxsweep.scalar.players import LookaheadPlayer

NAMES = tuple(f"{a} to {b - 1}" for a, b in pairwise(PHASES))
"""Phases, by open cells."""

DRAWS = 200
"""Random differences for each decision."""


def read(files: list[Path], ranking: LookaheadPlayer, level: Level) -> tuple[Decisions, np.ndarray]:
    """All decisions of a table, and the player's values of the compared cells; −1: no candidate."""
    cores, settings = machine.cores(), settings_of(ranking)

    def work(core: int) -> list[tuple[Decisions, np.ndarray]]:
        room, found = make_workspace(level.rows, level.cols, 0), []
        for file in files[core::cores]:
            table = Decisions(**np.load(file))
            values = np.zeros(table.cells.shape)
            rank_cells(table.seen, table.cells, level.mines, settings, room, values)
            found.append((table, values))
            bar.advance(task)
        return found

    with Progress() as bar, ThreadPoolExecutor(cores) as pool:
        task = bar.add_task("files", total=len(files))
        parts = [part for done in pool.map(work, range(cores)) for part in done]
    tables, values = zip(*parts, strict=True)
    joined = Decisions(*(np.concatenate(column) for column in zip(*tables, strict=True)))
    return joined, np.concatenate(values)


def spread(
    worth: Float[np.ndarray, "decisions compared draws"],
    values: Float[np.ndarray, "decisions compared"],
) -> dict[str, Any]:
    """How true differences to the chosen cell depend on those of the values, and vary about that.

    The chosen cell is the first one. A line is fitted to the differences; `variance` is that of
    the true ones about it, with its standard error.
    """
    there = values[:, 1:] >= 0
    gap = (values[:, 1:] - values[:, :1])[there]
    difference = (worth[:, 1:] - worth[:, :1])[there]
    design = np.stack([np.ones(len(gap)), gap], 1)
    line, *_ = np.linalg.lstsq(design, difference.mean(1), rcond=None)
    left = difference - (design @ line)[:, None]
    draws = left.shape[1]
    products = (left.sum(1) ** 2 - (left**2).sum(1)) / (draws * (draws - 1))
    error = products.std() / np.sqrt(len(products))
    return {"line": line, "variance": products.mean(), "error": error, "compared": len(gap)}


def regret(
    values: Float[np.ndarray, "decisions compared"], line: np.ndarray, variance: float
) -> float:
    """How much better the best candidate is than the chosen one, on average of the decisions.

    Each candidate deviates from the line by itself, with half the variance of a difference.
    """
    rng = np.random.default_rng(0)
    deviation = np.sqrt(max(variance, 0.0) / 2)
    expected = line[0] + line[1] * (values - values[:, :1])
    expected[:, 0] = 0.0
    total = 0.0
    for _ in range(DRAWS):
        drawn = expected + deviation * rng.standard_normal(values.shape)
        total += (np.where(values >= 0, drawn, -np.inf).max(1) - drawn[:, 0]).mean()
    return total / DRAWS


def describe(table: Decisions, values: np.ndarray, games: int) -> dict[str, dict[str, Any]]:
    """The map: of each phase, decisions, the spread of true differences, and the regret."""
    best = values.argmax(1)
    best = np.where(values[:, 0] >= values.max(1) - EQUAL, 0, best)
    order = np.argsort(np.arange(values.shape[1])[None] != best[:, None], axis=1, kind="stable")
    values = np.take_along_axis(values, order, 1)
    worth = np.take_along_axis(table.values, order[..., None], 1)
    phase = np.digitize(table.about["open"], PHASES) - 1
    rows = {}
    for i, name in enumerate(NAMES):
        own = (phase == i) & ((values >= 0).sum(1) > 1)
        if own.sum() < 200:
            continue
        found = spread(worth[own], values[own])
        variance, error = found["variance"], 1.96 * found["error"]
        share = 100 * own.sum() / games
        low, mean, high = (
            share * regret(values[own], found["line"], v)
            for v in (variance - error, variance, variance + error)
        )
        rows[name] = {
            "decisions_a_game": float(own.sum() / games),
            "slope": float(found["line"][1]),
            "true_deviation_points": float(100 * np.sqrt(max(variance, 0.0))),
            "regret_points_a_game": mean,
            "interval_95": [low, high],
        }
    return rows


def plot(rows: dict[str, dict[str, Any]], file: Path) -> None:
    """Regret a game in each phase, with intervals."""
    figure, axis = plt.subplots(figsize=(7.5, 3.6))
    means = [row["regret_points_a_game"] for row in rows.values()]
    lows, highs = zip(*(row["interval_95"] for row in rows.values()), strict=True)
    errors = [np.subtract(means, lows), np.subtract(highs, means)]
    axis.bar(range(len(rows)), means, 0.6, yerr=errors, color="#0072b2", capsize=3)
    axis.set_xticks(range(len(rows)), list(rows))
    axis.set_xlabel("open cells at the decision")
    axis.set_ylabel("points lost a game")
    axis.set_title("What the choice among close candidates loses")
    axis.grid(axis="y", alpha=0.3)
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main() -> None:
    """Reads the table, prints the map, and writes the result files."""
    parser = reporting.arguments(__doc__, "the first files")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--player", type=player, default="strongest", help="whose values rank")
    parser.add_argument("--level", choices=LEVELS, default="expert")
    parser.add_argument("--files", type=whole_number(1, 10**6), help="the first files only")
    parsed = parser.parse_args()
    files = sorted(parsed.folder.glob("*.npz"))[: 8 if parsed.quick else parsed.files]
    if not files:
        parser.error(f"no table in {parsed.folder}")
    if not isinstance(parsed.player, LookaheadPlayer):
        parser.error("the player does not look ahead: it has no values")
    table, values = read(files, parsed.player, LEVELS[parsed.level])
    games = CHUNK * len(files)
    rows = describe(table, values, games)
    for name, row in rows.items():
        low, high = row["interval_95"]
        print(
            f"{name:>10} open: {row['decisions_a_game']:.2f} decisions a game, deviation "
            f"{row['true_deviation_points']:.2f}, regret {row['regret_points_a_game']:.3f} "
            f"({low:.3f} to {high:.3f}) points a game"
        )
    if not parsed.quick:
        about = {"player": repr(parsed.player), "level": parsed.level}
        origin = reporting.origin(games=games, decisions=len(values), **about)
        reporting.write("regret-map", origin | {"phases": rows})
        plot(rows, reporting.RESULTS / "regret-map.png")


if __name__ == "__main__":
    main()
