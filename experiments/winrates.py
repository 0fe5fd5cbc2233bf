"""How often a player wins, with an interval; and whether its engine ever failed it.

    python experiments/winrates.py [--strategy NAME] [--start RULE] [--games N] [LEVEL]

Plays games 0 to N − 1 of a seed and writes `results/winrate-LEVEL-RULE-STRATEGY.json`.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from rich.progress import Progress

from jaxsweep import arguments, machine
from jaxsweep.arena import play_games
from jaxsweep.compilation import use_cache
from jaxsweep.level import LEVELS, Opening, Start
from jaxsweep.statistics import wilson
from jaxsweep.strategies import STRATEGIES

RESULTS = Path(__file__).parent / "results"
SEED = 20261116


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("level", nargs="?", choices=list(LEVELS), default="expert")
    parser.add_argument("--strategy", choices=list(STRATEGIES), default="exact-random-ties")
    parser.add_argument("--start", choices=[s.value for s in Start], default="safe")
    parser.add_argument("--games", type=arguments.whole_number(1, 2**31), default=200_000)
    parsed = parser.parse_args()
    use_cache()
    opening = Opening.of(LEVELS[parsed.level], Start(parsed.start))
    totals = dict.fromkeys(("won", "clicks", "guesses", "rounds", "opened", "blind", "wrong"), 0)
    began = time.perf_counter()
    with Progress() as bar:
        task = bar.add_task(f"{parsed.strategy} on {parsed.level}", total=parsed.games)
        for record in play_games(STRATEGIES[parsed.strategy], opening, SEED, parsed.games):
            for name in totals:
                totals[name] += int(getattr(record, name).sum())
            bar.advance(task, len(record.number))
    low, high = wilson(totals["won"], parsed.games)
    result = {
        "command": "python experiments/winrates.py " + " ".join(sys.argv[1:]),
        "level": str(opening.level),
        "start": parsed.start,
        "first_cell": opening.first,
        "strategy": parsed.strategy,
        "seed": SEED,
        "games": parsed.games,
        "win_rate": totals["won"] / parsed.games,
        "interval_95": [low, high],
        "totals": totals,
        "seconds_compilation_included": time.perf_counter() - began,
        "machine": machine.facts(),
    }
    file = RESULTS / f"winrate-{parsed.level}-{parsed.start}-{parsed.strategy}.json"
    file.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{result['win_rate']:.3%} ({low:.3%} to {high:.3%}) of {parsed.games:,} games")
    print(f"{totals['blind']} guesses without a known risk, {totals['wrong']} wrong certainties")


if __name__ == "__main__":
    main()
