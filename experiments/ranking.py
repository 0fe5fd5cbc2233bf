"""What other rankings of candidates would gain, by a table of decisions, without playing a game.

    python experiments/ranking.py DIR [--level LEVEL] [--files N]

DIR is a table that `experiments/decisions.py` wrote. Where a ranking chooses another of the
compared cells than the player of the table did, the difference of their playouts is what it gains.
Writes `results/ranking.json`.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from rich.progress import Progress

import reporting
from decisions import CHUNK
from duel import PHASES, estimate, player
from jaxsweep.commands.arguments import whole_number
from jaxsweep.native.decisions import Decisions, rank_cells
from jaxsweep.native.players import Workspace, make_workspace, settings_of
from jaxsweep.rules.level import LEVELS, Level
from jaxsweep.runtime import machine
from jaxsweep.scalar.lookahead import EQUAL

RANKINGS = (
    "lookahead:second_weight=0.4",
    "lookahead:second_weight=0.5",
    "lookahead:second_weight=0.6",
    "lookahead:second_weight=0.65",
    "lookahead:second_weight=0.7",
    "lookahead:second_weight=0.8",
    "lookahead:second_weight=1.0",
    "lookahead:second_weight=0.65,fifty_fifties=False",
)
"""Players, as `experiments/duel.py` reads them. All compared cells are their candidates."""


def gains(table: Decisions, values: Float[np.ndarray, "decisions compared"]) -> np.ndarray:
    """What choosing by these values gains in each decision: 0 where the choice is the same."""
    highest = values.max(axis=1)
    same = values[:, 0] >= highest - EQUAL
    chosen = np.where(same, 0, values.argmax(axis=1))
    worth = table.values.mean(axis=2)
    return worth[np.arange(len(worth)), chosen] - worth[:, 0]


def rank(file: Path, level: Level, work: Workspace) -> tuple[np.ndarray, np.ndarray]:
    """Reads one file of a table; returns where its decisions were, and each ranking's gains."""
    table = Decisions(**np.load(file))
    values, found = np.zeros(table.cells.shape), []
    for text in RANKINGS:
        settings = settings_of(player(text))
        rank_cells(table.seen, table.cells, level.mines, settings, work, values)
        found.append(gains(table, values))
    return table.about, np.stack(found)


def describe(
    gain: Float[np.ndarray, " decisions"], about: np.ndarray, games: int
) -> dict[str, Any]:
    """The gain of a ranking in points a game, by the number of open cells."""

    def part(which: Bool[np.ndarray, " decisions"]) -> dict[str, Any]:
        return estimate(gain[which], about["game"][which], games)

    phase, differs = np.digitize(about["open"], PHASES) - 1, gain != 0
    names = [f"{a} to {b - 1} open" for a, b in itertools.pairwise(PHASES)]
    parts = {name: differs & (phase == i) for i, name in enumerate(names)}
    return part(differs) | {"parts": {n: part(which) for n, which in parts.items() if which.any()}}


def main() -> None:
    """Ranks all decisions of a table again, prints and writes the result file."""
    parser = reporting.arguments(__doc__, "the first file")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--level", choices=LEVELS, default="expert")
    parser.add_argument("--files", type=whole_number(1, 10**6), help="the first files only")
    parsed = parser.parse_args()
    files = sorted(parsed.folder.glob("*.npz"))[: 1 if parsed.quick else parsed.files]
    if not files:
        parser.error(f"no table in {parsed.folder}")
    level, cores = LEVELS[parsed.level], machine.cores()
    rooms = [make_workspace(level.rows, level.cols, 0) for _ in range(cores)]

    def work(core: int) -> list[tuple[np.ndarray, np.ndarray]]:
        found = []
        for file in files[core::cores]:
            found.append(rank(file, level, rooms[core]))
            bar.advance(task)
        return found

    with Progress() as bar, ThreadPoolExecutor(cores) as pool:
        task = bar.add_task("files", total=len(files))
        parts = [part for done in pool.map(work, range(cores)) for part in done]
    about = np.concatenate([one for one, _ in parts])
    gain = np.concatenate([one for _, one in parts], axis=1)
    games = CHUNK * len(files)
    rows = {text: describe(gain[i], about, games) for i, text in enumerate(RANKINGS)}
    for text, row in rows.items():
        low, high = row["interval_95"]
        print(f"{text:50} {row['points']:+.3f} ({low:+.3f} to {high:+.3f}), {row['a_game']:.3f}")
    if not parsed.quick:
        origin = reporting.origin(games=games, decisions=len(about), level=parsed.level)
        reporting.write("ranking", origin | {"rankings": rows})


if __name__ == "__main__":
    main()
