"""What each part of the strongest player adds, and what it costs: paired, on the same boards.

    python experiments/ablation.py [--quick]

Every player plays games 0 to N − 1 of one seed, expert, first cell safe in the corner. A difference
is the mean over games of won minus won, with its 95 % interval. Writes `results/ablation.json`.
"""

import numpy as np
from jaxtyping import Bool
from rich.progress import Progress

import reporting
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.matches import play_and_report
from jaxsweep.simulation.statistics import paired_difference, wilson
from jaxsweep.strategies import AbstractStrategy
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.lookahead import Lookahead

SEED = 7

PLAYERS: dict[str, tuple[AbstractStrategy, str]] = {
    "least risk": (LeastRisk(), ""),
    "+ end of 100 layouts": (LeastRisk(endgame_layouts=100), "least risk"),
    "+ end of 400 layouts": (LeastRisk(endgame_layouts=400), "+ end of 100 layouts"),
    "+ end of 1,000 layouts": (LeastRisk(endgame_layouts=1000), "+ end of 400 layouts"),
    "one number ahead": (Lookahead(endgame_layouts=0, fifty_fifties=False), "least risk"),
    "one number ahead, end of 400": (
        Lookahead(endgame_layouts=400, fifty_fifties=False),
        "+ end of 400 layouts",
    ),
    "with 50/50s, end of 400": (Lookahead(endgame_layouts=400), "one number ahead, end of 400"),
    "with 50/50s, end of 1,000": (Lookahead(endgame_layouts=1000), "with 50/50s, end of 400"),
    "with 50/50s, end of 4,000": (Lookahead(endgame_layouts=4000), "with 50/50s, end of 1,000"),
}
"""What each plays by, and the player that it is compared with."""


def play(
    strategy: AbstractStrategy, games: int, bar: Progress
) -> tuple[Bool[np.ndarray, " games"], float]:
    """Which games it wins, and the seconds that they took, without compiling."""
    opening = Opening.of(LEVELS["expert"], Start.SAFE)
    won, seconds = np.zeros(games, bool), 0.0
    task = bar.add_task("games", total=games)
    for report in play_and_report(strategy, opening, SEED, games, compare_losses=False):
        won[report.record.game_number] = report.record.won
        seconds += report.seconds
        bar.advance(task, len(report.record.game_number))
    bar.remove_task(task)
    return won, seconds


def compare(a: Bool[np.ndarray, " games"], b: Bool[np.ndarray, " games"]) -> dict:
    """How much oftener `a` wins than `b`, in points."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    mean, low, high = (100.0 * x for x in paired_difference(only_a, only_b, len(a)))
    return {"points": mean, "interval_95": [low, high]}


def main() -> None:
    """Plays, prints a table and writes the result file."""
    quick = reporting.arguments(__doc__, "few games").parse_args().quick
    machine.use_devices()
    use_cache()
    games = 500 if quick else 100_000
    won: dict[str, np.ndarray] = {}
    rows = []
    with Progress() as bar:
        for name, (strategy, against) in bar.track(PLAYERS.items(), description="players"):
            won[name], seconds = play(strategy, games, bar)
            wins = int(won[name].sum())
            rows.append(
                {
                    "player": name,
                    "win_rate": wins / games,
                    "interval_95": wilson(wins, games),
                    "against": against or None,
                    "gain": compare(won[name], won[against]) if against else None,
                    "milliseconds_a_game": 1e3 * seconds / games,
                }
            )
    print("| player | wins % | against | gain, points | ms a game |\n|---|---|---|---|---|")
    for row in rows:
        gain = ""
        if row["gain"] is not None:
            low, high = row["gain"]["interval_95"]
            gain = f"{row['gain']['points']:+.2f} ({low:+.2f} to {high:+.2f})"
        wins, cost = 100 * row["win_rate"], row["milliseconds_a_game"]
        print(f"| {row['player']} | {wins:.2f} | {row['against'] or ''} | {gain} | {cost:.2f} |")
    if not quick:
        about = reporting.origin(
            about="Expert, first cell safe in the corner, the same boards for all players. "
            "Times are without compiling, and with what the first host guesses compile.",
            seed=SEED,
            games=games,
        )
        reporting.write("ablation", about | {"players": rows})


if __name__ == "__main__":
    main()
