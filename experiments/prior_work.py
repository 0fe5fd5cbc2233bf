"""The published figures of five earlier solvers, beside those of the players that follow them.

    python experiments/prior_work.py [--quick] [--player NAME]

Every player has the settings of its model. Writes `results/prior-work.json`; with `--player`, only
that player's rows. Times are of whole
batches on all cores, compilation excluded.
"""

import time
from dataclasses import dataclass

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import reporting
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.matches import play_games
from jaxsweep.simulation.statistics import wilson
from jaxsweep.strategies import STRATEGIES

SEED = 20261116


@dataclass(frozen=True)
class Claim:
    """What was published about a solver, and how it is measured here."""

    strategy: str
    level: Level
    start: Start
    games: int
    published: str


CLAIMS = [
    Claim("knowledge", LEVELS["mini"], Start.SAFE, 500, "baseline of the stochastic solver"),
    Claim("likelihood", LEVELS["mini"], Start.SAFE, 500, "beats knowledge clearly"),
    Claim("knowledge", LEVELS["medium"], Start.SAFE, 500, "baseline of the stochastic solver"),
    Claim("likelihood", LEVELS["medium"], Start.SAFE, 500, "beats knowledge clearly"),
    Claim("knowledge", LEVELS["mini"], Start.SAFE, 20_000, "the same, with more games"),
    Claim("likelihood", LEVELS["mini"], Start.SAFE, 20_000, "the same, with more games"),
    Claim("knowledge", LEVELS["medium"], Start.SAFE, 20_000, "the same, with more games"),
    Claim("likelihood", LEVELS["medium"], Start.SAFE, 20_000, "the same, with more games"),
    Claim("tilesets", LEVELS["beginner"], Start.SAFE, 20_000, "96 % on EASY, start unknown"),
    Claim("tilesets", LEVELS["beginner"], Start.ZERO, 20_000, "96 % on EASY, start unknown"),
    Claim("tilesets", LEVELS["intermediate"], Start.SAFE, 20_000, "79 % on MEDIUM, start unknown"),
    Claim("tilesets", LEVELS["intermediate"], Start.ZERO, 20_000, "79 % on MEDIUM, start unknown"),
    Claim("bitmask", LEVELS["expert"], Start.ZERO, 500, "257 of 500 = 51.4 %, 50 ms a game"),
    Claim("bitmask", LEVELS["expert"], Start.ZERO, 20_000, "51.4 %, 50 ms a game"),
    Claim("edges", LEVELS["expert"], Start.SAFE, 2_000, "no figure given"),
    Claim("sampling", LEVELS["mini"], Start.SAFE, 10_000, "about 80 %, seconds a game"),
]


def measure(claim: Claim, games: int) -> dict:
    """Plays the games twice: a part first, so that everything is compiled."""
    first = (3, 3) if claim.start is Start.ZERO else None
    opening, strategy = Opening.of(claim.level, claim.start, first), STRATEGIES[claim.strategy]
    for _ in play_games(strategy, opening, SEED + 1, min(games, 1024)):
        pass
    won, blind, wrong, longest = 0, 0, 0, 0.0
    began = last = time.perf_counter()
    for record in play_games(strategy, opening, SEED, games):
        won += int(record.won.sum())
        blind += int(record.unknown_risks.sum())
        wrong += int(record.wrong_certainties.sum())
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    seconds = last - began
    return {
        "command": reporting.command(),
        "strategy": claim.strategy,
        "level": str(claim.level),
        "start": claim.start.value,
        "first_cell": opening.first,
        "games": games,
        "won": won,
        "win_rate": won / games,
        "interval_95": wilson(won, games),
        "milliseconds_a_game": seconds / games * 1e3,
        "longest_wait_for_a_batch_seconds": longest,
        "guesses_without_a_known_risk": blind,
        "wrong_certainties": wrong,
        "published_figure": claim.published,
    }


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = reporting.arguments(__doc__, "at most 500 games each")
    parser.add_argument("--player", choices=sorted({claim.strategy for claim in CLAIMS}))
    parsed = parser.parse_args()
    use_cache()
    wanted = [claim for claim in CLAIMS if parsed.player in (None, claim.strategy)]
    rows = []
    if parsed.player:
        old = reporting.read("prior-work")["rows"]
        rows = [row for row in old if row["strategy"] != parsed.player]
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("playing", total=len(wanted))
        for claim in wanted:
            bar.update(task, description=f"{claim.strategy} on {claim.level}")
            rows.append(measure(claim, min(claim.games, 500) if parsed.quick else claim.games))
            bar.advance(task)
    if not parsed.quick:
        reporting.write("prior-work", reporting.origin(seed=SEED) | {"rows": rows})
    table = Table(title="published figures, and ours")
    for column in ("player", "board", "games", "won", "95 %", "ms a game", "published"):
        table.add_column(column)
    for row in rows:
        low, high = row["interval_95"]
        table.add_row(
            row["strategy"],
            f"{row['level']} {row['start']}",
            f"{row['games']:,}",
            f"{row['win_rate']:.1%}",
            f"{low:.1%}–{high:.1%}",
            f"{row['milliseconds_a_game']:.2f}",
            row["published_figure"],
        )
    Console().print(table)


if __name__ == "__main__":
    main()
