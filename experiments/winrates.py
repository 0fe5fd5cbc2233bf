"""How often each player wins, on each level and start rule, with intervals, beside known figures.

    python experiments/winrates.py [--quick] [--only LEVEL-START-PLAYER ...] [--games N]

Plays games 0 to N − 1 of a seed and writes `results/winrates.json` and `results/winrates.png`.
With `--only`, the other figures of the file stay as they are.
"""

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from rich.progress import Progress

import reporting
from jaxsweep.commands.arguments import whole_number
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.matches import play_games
from jaxsweep.simulation.statistics import wilson
from jaxsweep.strategies import STRATEGIES

SEED = 20261116

STANDARD = ("expert", "intermediate", "beginner", "mini")
ALL_LEVELS = (
    "deepest",
    "strongest",
    "endgame",
    "exact",
    "exact-random-ties",
    "knowledge",
    "random",
    "linear",
)
BEGINNER_ONLY = ("tilesets", "bitmask", "edges", "likelihood", "sampling")

PUBLISHED = {
    ("expert", "safe", "exact-random-ties"): 0.3556,
    ("expert", "zero", "exact-random-ties"): 0.50,
    ("expert", "safe", "exact"): 0.3827,
    ("expert", "zero", "exact"): 0.5091,
    ("expert", "safe", "endgame"): 0.3949,
    ("expert", "zero", "endgame"): 0.5304,
    ("expert", "safe", "strongest"): 0.4113,
    ("expert", "zero", "strongest"): 0.543,
}
"""Least mine probability, ties at random or to the fewest hidden neighbours; that with the end
searched through, but at up to 100 layouts (of 20,000 games); and the record of all players."""


def jobs(quick: bool, games: int) -> list[tuple[str, str, str, int]]:
    """Level, start, player and number of games: fewer for players with slow engines."""
    fast, slow = (2_000, 200) if quick else (games, 2_000)
    return [
        (level, start, player, fast)
        for player in ALL_LEVELS
        for level in STANDARD
        for start in ("safe", "zero")
    ] + [
        ("beginner", start, player, slow) for player in BEGINNER_ONLY for start in ("safe", "zero")
    ]


def measure(level: str, start: str, player: str, games: int, bar: Progress) -> dict:
    """Plays the games of one entry."""
    opening = Opening.of(LEVELS[level], Start(start))
    names = ("won", "clicks", "guesses", "rounds", "opened", "unknown_risks", "wrong_certainties")
    totals = dict.fromkeys(names, 0)
    began = time.perf_counter()
    task = bar.add_task(f"{player} on {level}, {start}", total=games)
    for record in play_games(STRATEGIES[player], opening, SEED, games, compare_losses=False):
        for name in totals:
            totals[name] += int(getattr(record, name).sum())
        bar.advance(task, len(record.game_number))
    bar.remove_task(task)
    return {
        "level": level,
        "board": str(opening.level),
        "start": start,
        "first_cell": opening.first,
        "player": player,
        **reporting.origin(seed=SEED),
        "games": games,
        "win_rate": totals["won"] / games,
        "interval_95": wilson(totals["won"], games),
        "totals": totals,
        "seconds_compilation_included": time.perf_counter() - began,
    }


def measured(entries: list[dict]) -> list[str]:
    """The players that there are figures of."""
    there = {entry["player"] for entry in entries}
    return [player for player in (*ALL_LEVELS, *BEGINNER_ONLY) if player in there]


def table(entries: list[dict]) -> str:
    """A row a player, a column a level and start rule, in percent."""
    columns = [(level, start) for level in STANDARD for start in ("safe", "zero")]
    lines = ["| player | " + " | ".join(f"{a} {b.upper()}" for a, b in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    by_key = {(e["level"], e["start"], e["player"]): e for e in entries}
    for player in measured(entries):
        cells = []
        for level, start in columns:
            entry = by_key.get((level, start, player))
            if entry is None:
                cells.append("–")
                continue
            low, high = entry["interval_95"]
            text = f"{entry['win_rate']:.2%} ± {(high - low) / 2:.2%}".replace("%", "")
            known = PUBLISHED.get((level, start, player))
            cells.append(text + (f" (known {known:.2%})".replace("%", "") if known else ""))
        lines.append(f"| `{player}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plot(entries: list[dict], file: Path) -> None:
    """Win rates with their intervals; known figures as black lines."""
    figure, axes = plt.subplots(1, len(STANDARD), figsize=(12, 3.6), sharey=True)
    players = measured(entries)
    for level, axis in zip(STANDARD, axes, strict=True):
        for shift, start, colour in ((-0.17, "safe", "#0072b2"), (0.17, "zero", "#e69f00")):
            own = [e for e in entries if e["level"] == level and e["start"] == start]
            places = [players.index(e["player"]) + shift for e in own]
            rates = [e["win_rate"] * 100 for e in own]
            errors = [
                [(e["win_rate"] - e["interval_95"][0]) * 100 for e in own],
                [(e["interval_95"][1] - e["win_rate"]) * 100 for e in own],
            ]
            axis.bar(places, rates, 0.34, yerr=errors, color=colour, label=f"{start} start")
            for e, place in zip(own, places, strict=True):
                known = PUBLISHED.get((level, start, e["player"]))
                if known:
                    axis.plot([place - 0.2, place + 0.2], [known * 100] * 2, "k-", lw=1.5)
        axis.set_title(f"{level} {LEVELS[level]}")
        axis.set_xticks(range(len(players)), players, rotation=90)
        axis.set_ylim(0, 100)
        axis.grid(axis="y", alpha=0.3)
    axes[0].set_ylabel("games won, %")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main() -> None:
    """Measures, prints and writes the result files."""
    parser = reporting.arguments(__doc__, "few games")
    parser.add_argument("--only", nargs="+", metavar="LEVEL-START-PLAYER", help="some of them")
    parser.add_argument(
        "--games", type=whole_number(1, 2**31), default=200_000, help="of players with fast engines"
    )
    parsed = parser.parse_args()
    machine.use_devices()
    use_cache()
    names = {
        f"{level}-{start}-{player}" for level, start, player, _ in jobs(parsed.quick, parsed.games)
    }
    unknown = set(parsed.only or ()) - names
    if unknown:
        parser.error(f"no entry {min(unknown)}; there are {', '.join(sorted(names))}")
    entries = {}
    if not parsed.quick:
        entries = {(e["level"], e["start"], e["player"]): e for e in reporting.read("winrates")}
    with Progress() as bar:
        whole = bar.add_task("all players", total=len(parsed.only or names))
        for level, start, player, games in jobs(parsed.quick, parsed.games):
            if parsed.only and f"{level}-{start}-{player}" not in parsed.only:
                continue
            entries[level, start, player] = measure(level, start, player, games, bar)
            bar.advance(whole)
            if not parsed.quick:
                reporting.write("winrates", list(entries.values()))
    print(table(list(entries.values())))
    if not parsed.quick:
        plot(list(entries.values()), reporting.RESULTS / "winrates.png")


if __name__ == "__main__":
    main()
