"""What each part of the strongest players adds and costs, and what other parts would: by duels.

    python experiments/ablation.py [--quick] [--only NAME ...]

Each row is a duel of two players on expert boards, first cell safe in the corner (`duel.py`), on
games that no parameter was chosen by, and the processor time of a game of B. `parts` is a chain:
each player has one part more than the one before, but for the last two, both measured on the same
player. `candidates` are changes that were not kept; those whose code is gone are in
`results/dropped-candidates.json`. Rows that are in `results/ablation.json` already are left as they
are, so that a run that was stopped goes on.
"""

import time
from typing import Any, NamedTuple

import reporting
from duel import SEED, Sides, any_player, duel, player
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.matches import play_and_report
from jaxsweep.strategies import strategy_of

OPENING = Opening.of(LEVELS["expert"], Start.SAFE)
FIRST = 8_000_000
"""The first game: others than those that parameters were chosen by."""

DRAWS = 4
COST_GAMES, COST_SEED = 1_000, 11
"""The games that are timed: they are played in batches, as in the arena."""


class Row(NamedTuple):
    """Two players that are compared."""

    name: str
    """What B has, and A has not."""
    a: str
    b: str
    games: int


ONE_NUMBER = "strongest:refined=0,max_candidates=8,second_weight=0.4,endgame_layouts=400"
PLAIN = f"{ONE_NUMBER},fifty_fifties=False"
WEIGHED = "strongest:refined=0,endgame_layouts=400"

PARTS = (
    Row("ties to the fewest hidden neighbours", "exact-random-ties", "exact", 20_000),
    Row("search from 100 layouts on", "exact", "endgame:endgame_layouts=100", 20_000),
    Row("search from 400 layouts on", "endgame:endgame_layouts=100", "endgame", 20_000),
    Row("look-ahead, one number", "endgame", PLAIN, 20_000),
    Row("50/50s", PLAIN, ONE_NUMBER, 20_000),
    Row("16 candidates, second cell 0.65", ONE_NUMBER, WEIGHED, 20_000),
    Row("search from 1,000 layouts on", WEIGHED, "strongest:refined=0", 20_000),
    Row("look-ahead, two numbers", "strongest:refined=0", "strongest", 20_000),
    Row("search from 4,000 layouts on", "strongest", "strongest:endgame_layouts=4000", 20_000),
    Row(
        "playouts of close candidates",
        "strongest:endgame_layouts=4000",
        "deepest:endgame_layouts=4000",
        10_000,
    ),
    Row(
        "search from 20,000 layouts on, as in deepest",
        "strongest:endgame_layouts=4000",
        "strongest:endgame_layouts=20000",
        10_000,
    ),
)

CANDIDATES = (
    Row("8 candidates", "strongest", "strongest:max_candidates=8", 6_000),
    Row(
        "candidates within 0.75 of the best",
        "strongest",
        "strongest:candidate_ratio=0.75",
        6_000,
    ),
    Row("second cell 0.4", "strongest", "strongest:second_weight=0.4", 6_000),
    Row("second cell 0.8", "strongest", "strongest:second_weight=0.8", 6_000),
    Row("without 50/50s", "strongest", "strongest:fifty_fifties=False", 6_000),
    Row(
        "8 refined within 0.04",
        "strongest",
        "strongest:refined=8,refined_margin=0.04",
        6_000,
    ),
    Row("2 candidates one number deeper", "strongest", "strongest:deeper_candidates=2", 6_000),
    Row("8 candidates one number deeper", "strongest", "strongest:deeper_candidates=8", 6_000),
    Row("playouts, 64 draws", "strongest", "deepest:endgame_layouts=1000", 6_000),
    Row("playouts, 256 draws", "strongest", "deepest:endgame_layouts=1000,draws=256", 1_500),
)


def cost(text: str, games: int) -> float:
    """The milliseconds of processor time that a game of a player takes."""
    strategy = strategy_of(any_player(text))

    def play(first: int, count: int) -> float:
        began = time.process_time()
        for _ in play_and_report(
            strategy, OPENING, COST_SEED, count, first=first, compare_losses=False
        ):
            pass
        return time.process_time() - began

    play(games, games // 10)  # Compiles.
    return 1e3 * play(0, games) / games


def measure(row: Row, games: int, cost_games: int) -> dict[str, Any]:
    """Plays a row's duel, and times B."""
    sides = Sides(player(row.a), any_player(row.b))
    began = time.process_time()
    found = duel(OPENING, sides, FIRST, games, DRAWS)
    return {
        "name": row.name,
        "a": row.a,
        "b": row.b,
        "duel": found,
        "processor_seconds": time.process_time() - began,
        "milliseconds_a_game": cost(row.b, cost_games),
    }


def print_table(rows: list[dict[str, Any]]) -> None:
    """Prints a table of gains and costs."""
    print("| B against A | games | B wins more, points | processor ms a game |\n|---|---|---|---|")
    for row in rows:
        whole = row["duel"]["difference"]
        low, high = whole["interval_95"]
        print(
            f"| {row['name']} | {row['duel']['games']:,} | {whole['points']:+.3f} ({low:+.3f} to "
            f"{high:+.3f}) | {row['milliseconds_a_game']:.2f} |"
        )


def main() -> None:
    """Measures the rows that are missing, prints all, and writes the result file after each."""
    names = [row.name for row in (*PARTS, *CANDIDATES)]
    parser = reporting.arguments(__doc__, "few games")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help="some of them")
    parsed = parser.parse_args()
    machine.use_devices()
    use_cache()
    tables: dict[str, list[dict[str, Any]]] = {"parts": [], "candidates": []}
    if not parsed.quick and (reporting.RESULTS / "ablation.json").exists():
        tables |= {name: reporting.read("ablation")[name] for name in tables}
    for (name, done), rows in zip(tables.items(), (PARTS, CANDIDATES), strict=True):
        for row in rows:
            if row.name in {one["name"] for one in done}:
                continue
            if parsed.only and row.name not in parsed.only:
                continue
            print(f"{name}: {row.name}")
            few = (400, 200) if parsed.quick else (row.games, COST_GAMES)
            done.append(measure(row, *few))
            if not parsed.quick:
                about = reporting.origin(
                    seed=SEED,
                    first=FIRST,
                    draws=DRAWS,
                    board=f"{OPENING.level}, {OPENING.start.value}",
                )
                reporting.write("ablation", about | tables)
    for done in tables.values():
        print_table(done)


if __name__ == "__main__":
    main()
