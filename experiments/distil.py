"""A network that learns the exact mine probability of every cell, and a player that goes by it.

    python experiments/distil.py [LEVEL] [--quick] [--out FOLDER] [--positions N] [--updates N]

Makes a data set of positions with exact odds, as `python -m jaxsweep.dataset` does, of games with a
ZERO start, and trains a network on its part for training, in random reflections and quarter turns.
On positions of the part for tests: the error, and how often what it calls a risk of so much is one.
Then games in which it opens the cell of least predicted risk, beside the players of
`results/winrates.json`, and games of the next larger level, of which it has seen nothing. The
folder holds data and run: the same command goes on where it was. Writes `results/distil-LEVEL.json`
and its plot.
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
from distillation import (
    Examples,
    Safety,
    Settings,
    Training,
    begin,
    hidden_of,
    predict,
    reliability,
    train,
)
from greedy_games import win_rate
from jaxsweep.commands.arguments import whole_number
from jaxsweep.datasets.generation import make_dataset
from jaxsweep.datasets.positions import LabelledPositions
from jaxsweep.datasets.reading import load_dataset
from jaxsweep.datasets.settings import DatasetSettings
from jaxsweep.functional import FunctionalEnvironment
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.runtime.compilation import use_cache
from training_runs import Curve, Facts, train_to_end

CHUNK = 100
"""Updates in one compiled program, after which the win rate is measured."""
CHECK_GAMES, FINAL_GAMES = 1_024, 20_480
LARGER = {"beginner": "intermediate", "intermediate": "expert"}
PLAYERS = ("random", "knowledge", "exact-random-ties", "exact")


def data_settings(level: Level, seed: int, positions: int) -> DatasetSettings:
    """The data set: positions of the strongest player's games with a ZERO start."""
    return DatasetSettings(Opening.of(level, Start.ZERO), "strongest", seed, positions)


def learn(
    folder: Path, data: DatasetSettings, settings: Settings, chunk: int = CHUNK
) -> tuple[Training, Curve]:
    """Makes the data set and trains to the end, from where the folder is."""
    make_dataset(folder / "data", data)
    examples = Examples.of(load_dataset(folder / "data", "train"))
    check = Examples.of(load_dataset(folder / "data", "validation"))

    def point(training: Training, facts: Facts) -> dict[str, Any]:
        rate = play(training, data.opening.level, settings.seed, CHECK_GAMES)
        error = mean_error(predict(training.network, check), check)
        return {"loss": float(facts["loss"].mean()), "mean_absolute_error": error, **rate}

    return train_to_end(
        folder / "run",
        asdict(settings) | {"data": data.to_json()},
        begin(settings),
        settings.updates,
        chunk,
        lambda training, count: train(training, examples, settings, count),
        point,
    )


def play(
    training: Training, level: Level, seed: int, games: int, offset: int = 0
) -> dict[str, Any]:
    """Plays games in which the cell of least predicted risk is opened."""
    environment = FunctionalEnvironment(level, Start.ZERO)
    # Training uses lower numbers.
    stream = np.uint32(2**31 + int(training.updates) + offset)
    key = jax.random.fold_in(jax.random.key(seed), stream)
    first = Opening.of(level, Start.ZERO).first
    return win_rate(Safety(training.network, level.mines), environment, first, key, games)


def mean_error(predicted: np.ndarray, examples: Examples) -> float:
    """The mean absolute error over hidden cells."""
    hidden = hidden_of(examples)
    return float(np.abs(predicted - np.asarray(examples.risk))[hidden].mean())


def judge(training: Training, test: LabelledPositions) -> dict[str, Any]:
    """Compares predicted with exact risks on the positions of the test."""
    examples = Examples.of(test)
    predicted, hidden = predict(training.network, examples), hidden_of(examples)
    games = np.broadcast_to(test.game[:, None, None], hidden.shape)
    exact = test.mine_probability
    chosen = np.where(hidden, predicted, 2.0).reshape(len(test), -1).argmin(1)
    risk = exact.reshape(len(test), -1)[np.arange(len(test)), chosen]
    safe = test.safe.any((1, 2))
    constant = float(exact[hidden].mean())
    return {
        "positions": len(test),
        "hidden_cells": int(hidden.sum()),
        "mean_absolute_error": mean_error(predicted, examples),
        "of_a_constant": float(np.abs(exact[hidden] - constant).mean()),
        "excess_risk_of_the_choice": float((risk - test.least_risk).mean()),
        "with_a_safe_cell": int(safe.sum()),
        "finds_a_safe_cell": float((risk[safe] == 0).mean()),
        "reliability": reliability(predicted[hidden], exact[hidden], games[hidden]),
    }


def plot(result: dict[str, Any], curve: Curve, file: Path) -> None:
    """The reliability, and the curve of the win rate beside other players."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4))
    rows = result["test"]["reliability"]
    means = np.array([row["exact"] for row in rows])
    bounds = np.array([row["interval_95"] for row in rows])
    left.plot([0, 1], [0, 1], color="#999999", lw=0.8)
    errors = np.stack([means - bounds[:, 0], bounds[:, 1] - means])
    places = [row["predicted"] for row in rows]
    left.errorbar(places, means, errors, fmt="o", ms=4, color="#0072b2", capsize=2)
    left.set_xlabel("predicted risk, mean of a tenth")
    left.set_ylabel("exact risk, mean")
    left.set_title(f"{result['test']['hidden_cells']:,} hidden cells of the test")
    updates = [each["updates"] for each in curve]
    low, high = np.transpose([each["interval_95"] for each in curve]) * 100
    right.plot(updates, [100 * each["win_rate"] for each in curve], color="#0072b2")
    right.fill_between(updates, low, high, color="#0072b2", alpha=0.25, lw=0)
    for each in result["others"][1:-1]:
        right.axhline(100 * each["win_rate"], color="#555555", lw=0.8, ls="--")
        label = f"{each['player']} {each['win_rate']:.2%}"
        right.text(0, 100 * each["win_rate"] + 0.8, label, fontsize=8)
    right.set_xlabel("updates")
    right.set_ylabel("games won, %")
    right.set_title(f"{result['level']}: {result['final']['win_rate']:.2%} at the end")
    right.set_ylim(0, 102)
    right.set_xlim(0)
    for axis in (left, right):
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    plt.close(figure)


def main() -> None:
    """Trains, measures, prints and writes the result files."""
    parser = reporting.arguments(__doc__, "few positions and a tiny network")
    parser.add_argument("level", nargs="?", choices=tuple(LEVELS)[:3], default="beginner")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="(default: build/distil-LEVEL)")
    count = whole_number(1, 2**30)
    parser.add_argument("--updates", type=count, default=3000, help="(default: 3000)")
    positions = {"type": count, "default": 150_000, "help": "(default: 150,000)"}
    parser.add_argument("--positions", **positions)
    parser.add_argument("--seed", type=whole_number(0, 2**31), default=1)
    parsed = parser.parse_args()
    use_cache()
    level = LEVELS[parsed.level]
    if parsed.quick:
        tiny = Settings(parsed.seed, 20, batch=64, channels=4, layers=1)
        with tempfile.TemporaryDirectory() as folder:
            training, _ = learn(Path(folder), data_settings(level, 1, 500), tiny, chunk=10)
            test = judge(training, load_dataset(Path(folder) / "data", "test"))
        print(f"mean absolute error {test['mean_absolute_error']:.3f} after 20 updates")
        return
    folder = parsed.out or Path("build") / f"distil-{parsed.level}"
    settings = Settings(parsed.seed, parsed.updates)
    data = data_settings(level, parsed.seed, parsed.positions)
    training, curve = learn(folder, data, settings)
    result: dict[str, Any] = {
        "test": judge(training, load_dataset(folder / "data", "test")),
        "final": play(training, level, parsed.seed, FINAL_GAMES, offset=1),
        "others": reporting.players(parsed.level, "zero", PLAYERS),
    }
    if larger := LARGER.get(parsed.level):
        result["elsewhere"] = {
            "level": larger,
            **play(training, LEVELS[larger], parsed.seed, CHECK_GAMES),
            "others": reporting.players(larger, "zero", PLAYERS),
        }
    low, high = result["final"]["interval_95"]
    print(f"mean absolute error {result['test']['mean_absolute_error']:.4f}")
    print(f"{result['final']['win_rate']:.2%} won ({low:.2%} to {high:.2%})")
    about = reporting.origin(seed=parsed.seed, games=FINAL_GAMES, optax=optax.__version__) | {
        "level": parsed.level,
        "start": "zero",
        "first_cell": Opening.of(level, Start.ZERO).first,
        "data": data.to_json(),
        "settings": asdict(settings),
    }
    name = f"distil-{parsed.level}"
    reporting.write(name, about | result | {"curve": curve})
    plot(about | result, curve, reporting.RESULTS / f"{name}.png")


if __name__ == "__main__":
    reporting.run(main)
