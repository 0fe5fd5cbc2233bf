"""A network that learns to play beginner games by proximal policy optimisation (PPO), from nothing.

    python experiments/ppo.py [--quick] [--out FOLDER] [--updates N] [--channels N] [--seed N]

Games are played and learnt from on the device; see `proximal_policy.py`. Its win rate is measured
every few updates, by games of its likeliest cells on boards of their own. The folder holds the run:
the same command goes on where it was, with the same curve. At the end, more fresh games. Writes
`results/ppo.json` and `results/ppo.png`, beside the players of `results/winrates.json`.
"""

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jax
import matplotlib
import numpy as np
import optax

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import reporting
from greedy_games import win_rate
from jaxsweep.commands.arguments import whole_number
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.runtime.compilation import use_cache
from proximal_policy import Settings, Training, begin, train
from training_runs import Curve, Facts, train_to_end

OPENING = Opening.of(LEVELS["beginner"], Start.ZERO)
CHUNK = 20
"""Updates in one compiled program, after which the win rate is measured."""
CHECK_GAMES, FINAL_GAMES = 2_048, 40_960
PLAYERS = ("random", "knowledge", "exact")


def learn(
    settings: Settings, folder: Path, chunk: int = CHUNK, games: int = CHECK_GAMES
) -> tuple[Training, Curve]:
    """Trains to the end, from where the folder is; returns the end and the curve up to it."""
    opening = settings.opening
    opening = {"opening": [str(opening.level), opening.start.value, *opening.first]}

    def point(training: Training, facts: Facts) -> dict[str, Any]:
        return {
            "steps": int(training.updates) * settings.games * settings.steps,
            **measure(training, settings, games),
            "won_while_learning": int(facts["won"].sum()),
            "finished_while_learning": int(facts["finished"].sum()),
            **{name: float(facts[name].mean()) for name in ("entropy", "value_error")},
        }

    return train_to_end(
        folder,
        asdict(settings) | opening,
        begin(settings),
        settings.updates,
        chunk,
        lambda training, count: train(training, settings, count),
        point,
    )


def measure(training: Training, settings: Settings, games: int, offset: int = 0) -> dict[str, Any]:
    """Plays games of the likeliest cells: others after each update, and with each offset."""
    # The keys that training uses are splits of this key, of low numbers.
    stream = np.uint32(2**31 + int(training.updates) + offset)
    key = jax.random.fold_in(jax.random.key(settings.seed), stream)
    environment, first = settings.environment(), settings.opening.first
    return win_rate(training.network.scores, environment, first, key, games)


def plot(curve: list[dict], final: dict, others: list[dict], file: Path) -> None:
    """The win rate by steps, with intervals, beside other players."""
    figure, axis = plt.subplots(figsize=(8, 4.6))
    steps = [each["steps"] / 1e6 for each in curve]
    low, high = np.transpose([each["interval_95"] for each in curve]) * 100
    axis.plot(steps, [100 * e["win_rate"] for e in curve], color="#0072b2", label="likeliest cell")
    axis.fill_between(steps, low, high, color="#0072b2", alpha=0.25, lw=0)
    drawn = [e["won_while_learning"] / max(e["finished_while_learning"], 1) for e in curve]
    axis.plot(
        steps, 100 * np.array(drawn), color="#e69f00", lw=1, label="cells drawn, while learning"
    )
    for each in others:
        axis.axhline(100 * each["win_rate"], color="#555555", lw=0.8, ls="--")
        label = f"{each['player']} {each['win_rate']:.2%}"
        axis.text(0, 100 * each["win_rate"] + 0.8, label, fontsize=8, color="#333333")
    low, high = (100 * bound for bound in final["interval_95"])
    middle = 100 * final["win_rate"]
    axis.errorbar(
        steps[-1], middle, [[middle - low], [high - middle]], fmt="o", color="#d55e00", ms=4
    )
    axis.set_title(f"PPO on beginner {OPENING.level}, ZERO start: {middle:.2f} % at the end")
    axis.set_xlabel("steps, millions")
    axis.set_ylabel("games won, %")
    axis.set_ylim(0, 102)
    axis.set_xlim(0)
    axis.grid(alpha=0.3)
    axis.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    plt.close(figure)


def main() -> None:
    """Trains, measures, prints and writes the result files."""
    parser = reporting.arguments(__doc__, "few updates of a tiny network")
    parser.add_argument(
        "--out", type=Path, default=Path("build/ppo"), metavar="FOLDER", help="where the run is"
    )
    count = whole_number(1, 2**30)
    parser.add_argument("--updates", type=count, default=2000, help="(default: 2000)")
    parser.add_argument("--channels", type=count, default=32, help="of the network (default: 32)")
    parser.add_argument("--seed", type=whole_number(0, 2**31), default=1)
    parsed = parser.parse_args()
    use_cache()
    if parsed.quick:
        tiny = Settings(OPENING, parsed.seed, 4, games=64, steps=4, channels=4, layers=1)
        with tempfile.TemporaryDirectory() as folder:
            _, curve = learn(tiny, Path(folder) / "run", chunk=2, games=64)
        print(f"{curve[-1]['win_rate']:.1%} won after {curve[-1]['steps']:,} steps")
        return
    settings = Settings(OPENING, parsed.seed, parsed.updates, channels=parsed.channels)
    training, curve = learn(settings, parsed.out)
    final = measure(training, settings, FINAL_GAMES, offset=1)
    others = reporting.players("beginner", "zero", PLAYERS)
    for name, each in [("this network", final), *((one["player"], one) for one in others)]:
        low, high = each["interval_95"]
        print(f"{name}: {each['win_rate']:.2%} ({low:.2%} to {high:.2%}), {each['games']:,} games")
    about = reporting.origin(seed=parsed.seed, games=FINAL_GAMES, optax=optax.__version__)
    chosen = {name: value for name, value in asdict(settings).items() if name != "opening"}
    reporting.write(
        "ppo",
        about
        | {"level": str(OPENING.level), "start": "zero", "first_cell": OPENING.first}
        | {"settings": chosen, "final": final, "others": others, "curve": curve},
    )
    plot(curve, final, others, reporting.RESULTS / "ppo.png")


if __name__ == "__main__":
    reporting.run(main)
