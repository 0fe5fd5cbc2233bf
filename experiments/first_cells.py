"""Where to open first, if the first cell shows 0: the games won from each cell of a level.

    python experiments/first_cells.py [--quick]

Of cells that are mirror images of each other, one is played. Writes `results/first-cells.json` and
`results/first-cells.png`.
"""

import itertools
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from rich.progress import Progress

import reporting
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.matches import play_games
from jaxsweep.simulation.statistics import wilson
from jaxsweep.strategies import STRATEGIES

SEED = 9
PLAYER = "exact"

CELLS: dict[str, set[tuple[int, int]] | None] = {
    "beginner": None,
    "mini": None,
    "intermediate": {(i, j) for i in range(5) for j in range(i, 5)},
    "expert": {(2, 2), (3, 3)},
}
"""All cells, or some of them where a game takes longer."""


def one_of_each(level: Level) -> list[tuple[int, int]]:
    """One of all cells that are mirror images of each other."""
    square = level.rows == level.cols
    quarter = itertools.product(range(-(-level.rows // 2)), range(-(-level.cols // 2)))
    return [(row, col) for row, col in quarter if not square or row <= col]


def play(name: str, cell: tuple[int, int], games: int) -> dict:
    """How many games are won from one first cell."""
    opening = Opening(LEVELS[name], Start.ZERO, cell)
    reports = play_games(STRATEGIES[PLAYER], opening, SEED, games, compare_losses=False)
    won = sum(int(record.won.sum()) for record in reports)
    return {
        "level": name,
        "cell": cell,
        "win_rate": won / games,
        "interval_95": wilson(won, games),
    }


def plot(entries: list[dict], file: Path) -> None:
    """A map of each level of which all cells were played."""
    whole = [name for name, some in CELLS.items() if some is None]
    figure, axes = plt.subplots(1, len(whole), figsize=(10, 4.6))
    for name, axis in zip(whole, axes, strict=True):
        level = LEVELS[name]
        rates = {tuple(e["cell"]): 100 * e["win_rate"] for e in entries if e["level"] == name}
        grid = np.zeros((level.rows, level.cols))
        for row, col in np.ndindex(*grid.shape):
            near = sorted((min(row, level.rows - 1 - row), min(col, level.cols - 1 - col)))
            rate = grid[row, col] = rates[near[0], near[1]]
            dark = rate > np.mean([min(rates.values()), max(rates.values())])
            ink = "white" if dark else "black"
            axis.text(col, row, f"{rate:.1f}", ha="center", va="center", fontsize=7, color=ink)
        axis.imshow(grid, cmap="YlGn")
        axis.set_title(f"{name} {level}: games won, %")
        axis.set_xticks(range(level.cols))
        axis.set_yticks(range(level.rows))
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main() -> None:
    """Plays, prints the best cells and writes the result files."""
    quick = reporting.arguments(__doc__, "few games").parse_args().quick
    machine.use_devices()
    use_cache()
    games = 500 if quick else 200_000
    jobs = [
        (name, cell)
        for name, some in CELLS.items()
        for cell in one_of_each(LEVELS[name])
        if some is None or cell in some
    ]
    with Progress() as bar:
        entries = [play(name, cell, games) for name, cell in bar.track(jobs)]
    for name in CELLS:
        print(f"{name}:")
        own = sorted((e for e in entries if e["level"] == name), key=lambda e: -e["win_rate"])
        for e in own[:4]:
            low, high = e["interval_95"]
            print(f"  {e['cell']} {e['win_rate']:.2%} ± {(high - low) / 2:.2%}")
    if not quick:
        about = reporting.origin(
            about="Games won by first cell, which shows 0 by the start rule.",
            player=PLAYER,
            seed=SEED,
            games=games,
        )
        reporting.write("first-cells", about | {"cells": entries})
        plot(entries, reporting.RESULTS / "first-cells.png")


if __name__ == "__main__":
    main()
