"""The win-probability model of `scalar/win_probability.py`, fitted to games and checked on others.

    python experiments/win_probability.py DIR [--quick]

The player `strongest` plays games of the standard levels and of other boards, with both starts;
what it read at every guess by looking ahead is written to files in DIR, and a run that was stopped
goes on with them. The model is fitted to some games, and checked, in tenths of the guesses, on
others: of the standard levels, and of boards to which it was not fitted at all.

The luck of a game's guesses is a control variate, as in `native.playouts`: what a game came to,
less the luck of a guess and of those after it, has the same mean and far less variance.

Writes `jaxsweep/scalar/win_probability.json`, `results/win-probability.json` and its picture.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from rich.progress import Progress

import reporting
from fit_win_model import STEPS, fit
from guesses import BLOCK, Guesses, join, play_blocks
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.scalar.players import BEST, PLAYERS, LookaheadPlayer
from jaxsweep.scalar.win_probability import WEIGHTS, WinCurve, WinModel

FIT_FIRST, CHECK_FIRST = 20_000_000, 60_000_000
"""The first games: others than those of duels."""


class Plan(NamedTuple):
    """Thousands of games of a board, with the starts SAFE and ZERO."""

    level: Level
    safe: int
    zero: int


FITTED = (
    Plan(LEVELS["expert"], 40, 40),
    Plan(LEVELS["intermediate"], 40, 100),
    Plan(LEVELS["beginner"], 40, 120),
    Plan(LEVELS["mini"], 40, 120),
    *(
        Plan(Level(*board), 6, 10)
        for board in (
            (8, 8, 8),
            (9, 9, 18),
            (10, 10, 25),
            (12, 12, 30),
            (14, 18, 40),
            (20, 24, 99),
            (16, 30, 80),
            (16, 30, 130),
            (24, 24, 90),
            (24, 30, 140),
        )
    ),
)

CHECKED = (
    Plan(LEVELS["expert"], 50, 40),
    Plan(LEVELS["intermediate"], 40, 120),
    Plan(LEVELS["beginner"], 30, 120),
    Plan(LEVELS["mini"], 30, 180),
    Plan(Level(32, 16, 80), 12, 24),
    Plan(Level(30, 16, 120), 6, 6),
    Plan(Level(16, 16, 32), 16, 40),
    Plan(Level(12, 30, 80), 6, 6),
)
"""The standard levels, and boards that are not fitted. Guesses by looking ahead are rare on small
boards after a ZERO start, so that it takes more games."""

STANDARD = ("expert", "intermediate", "beginner", "mini")

STANDARD_WEIGHT = 3.0
"""How much a standard level weighs in the fit; any other board weighs 1."""

ROUNDS = 2
"""Fits: the luck of guesses in the targets of each is by the one before."""


def player() -> LookaheadPlayer:
    """The player whose games are played."""
    found = PLAYERS[BEST]
    assert isinstance(found, LookaheadPlayer)
    return found


def play(
    folder: Path, plans: tuple[Plan, ...], first: int, quick: bool
) -> Iterator[tuple[str, Guesses]]:
    """Plays the games of a plan; yields the name of each board and start, and the guesses."""
    with Progress() as bar:
        for level, *thousands in plans:
            for start, count in zip((Start.SAFE, Start.ZERO), thousands, strict=True):
                name, games = f"{level} {start.value}", BLOCK if quick else 1000 * count
                task = bar.add_task(name, total=games)
                own = folder / f"{level.rows}x{level.cols}x{level.mines}-{start.value}"
                found = play_blocks(
                    own,
                    Opening.of(level, start),
                    player(),
                    first,
                    games,
                    lambda task=task: bar.advance(task, BLOCK),
                )
                yield name, found


def chances(model: WinModel, guesses: Guesses) -> Float[np.ndarray, " guesses"]:
    """The predicted win probabilities."""
    coefficients = np.exp(model.log_coefficients(guesses.features)).tolist()
    return np.array(
        [
            WinCurve(later, factor, model.exponent).win_probability(score)
            for (later, factor), score in zip(coefficients, guesses.score.tolist(), strict=True)
        ]
    )


def targets(
    guesses: Guesses, chance: Float[np.ndarray, " guesses"]
) -> Float[np.ndarray, " guesses"]:
    """What each game came to, less the luck of each guess and of those after it.

    A guess that survives raises the win probability from `chance` to `chance` / safety, about.
    """
    luck = chance / guesses.safety * (guesses.survived - guesses.safety)
    sums = np.append(np.cumsum(luck[::-1])[::-1], 0.0)
    end = np.searchsorted(guesses.game, guesses.game, side="right")
    return guesses.worth - (sums[:-1] - sums[end])


def fit_model(groups: dict[str, Guesses], steps: int) -> dict[str, Any]:
    """Fits the model to boards and starts, which weigh equally in units of their noise.

    The standard ones weigh more.
    """
    all_guesses = join(list(groups.values()))
    sizes = [len(one.game) for one in groups.values()]
    ends = np.cumsum(sizes)[:-1]
    standard = {f"{LEVELS[name]} {start.value}" for name in STANDARD for start in Start}
    target = all_guesses.worth
    rest = target
    stored: dict[str, Any] = {}
    for turn in range(ROUNDS):
        noise = [part.std() for part in np.split(rest, ends)]
        own = [STANDARD_WEIGHT if name in standard else 1.0 for name in groups]
        shares = [w / (n * s) for w, n, s in zip(own, sizes, noise, strict=True)]
        weight = np.repeat(shares, sizes)
        stored = fit(all_guesses.features, all_guesses.score, target, weight / weight.mean(), steps)
        print(f"fit {turn + 1} of {ROUNDS}: {sum(sizes):,} guesses")
        model = WinModel.of(stored)
        chance = [chances(model, one) for one in groups.values()]
        target = np.concatenate(list(map(targets, groups.values(), chance)))
        rest = target - np.concatenate(chance)
    return stored


def reliability(model: WinModel, guesses: Guesses) -> dict[str, Any]:
    """Predicted and real win rates in each tenth of the guesses, by predicted win probability.

    Guesses of one game err together: intervals are by game.
    """
    chance = chances(model, guesses)
    target = targets(guesses, chance)
    _, game = np.unique(guesses.game, return_inverse=True)
    rows = []
    for part in np.array_split(np.argsort(chance, kind="stable"), 10):
        excess = (target - chance)[part]
        mean = float(excess.mean())
        by_game = np.bincount(game[part], excess - mean)
        half = 1.96 * float(np.sqrt((by_game**2).sum())) / len(part)
        predicted = float(chance[part].mean())
        rows.append(
            {
                "guesses": len(part),
                "chance": predicted,
                "won": predicted + mean,
                "error_points": 100 * mean,
                "interval_95_points": [100 * (mean - half), 100 * (mean + half)],
            }
        )
    worst = max(rows, key=lambda row: abs(row["error_points"]))
    return {
        "guesses": len(chance),
        "games_left_out": int(guesses.left_out.sum()),
        "mean_chance": float(chance.mean()),
        "mean_won": float(target.mean()),
        "worst_points": abs(worst["error_points"]),
        "worst_interval_95_points": worst["interval_95_points"],
        "tenths": rows,
    }


def plot(checked: dict[str, dict[str, Any]], file: Path) -> None:
    """The error of every tenth of every board and start, over what was predicted."""
    figure, axes = plt.subplots(4, 4, figsize=(12, 9), sharey=True)
    for axis, (name, found) in zip(axes.flat, checked.items(), strict=True):
        rows = found["tenths"]
        error = np.array([row["error_points"] for row in rows])
        low, high = np.array([row["interval_95_points"] for row in rows]).T
        axis.axhspan(-1.5, 1.5, color="0.92")
        axis.axhline(0, color="0.6", linewidth=0.8)
        axis.errorbar(
            [100 * row["chance"] for row in rows],
            error,
            [error - low, high - error],
            fmt="o",
            markersize=4,
            capsize=2,
        )
        axis.set_title(name, fontsize=10)
        axis.set_ylim(-5, 5)
    for axis in axes[:, 0]:
        axis.set_ylabel("won − predicted, points")
    for axis in axes[-1]:
        axis.set_xlabel("predicted, %")
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    """Plays, fits, checks, prints and writes the weights and the result file."""
    parser = reporting.arguments(__doc__, "few games")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where guesses are kept")
    parsed = parser.parse_args()
    quick = parsed.quick
    fitted = dict(play(parsed.folder, FITTED, FIT_FIRST, quick))
    stored = fit_model(fitted, STEPS // 10 if quick else STEPS)
    model = WinModel.of(stored)
    checked = {}
    for name, guesses in play(parsed.folder, CHECKED, CHECK_FIRST, quick):
        checked[name] = reliability(model, guesses)
        low, high = checked[name]["worst_interval_95_points"]
        print(
            f"{name:16} {len(guesses.game):>7,} guesses, won {checked[name]['mean_won']:.1%}, "
            f"predicted {checked[name]['mean_chance']:.1%}; the worst tenth: {low:+.2f} to "
            f"{high:+.2f} points"
        )
    if quick:
        return
    about = reporting.origin(
        about="Win probabilities and wins, in tenths of guesses of games that were not fitted; "
        "error_points is won less predicted, and intervals are by game.",
        player=repr(player()),
        first_fitted=FIT_FIRST,
        first_checked=CHECK_FIRST,
        guesses_fitted={name: len(found.game) for name, found in fitted.items()},
        steps=STEPS,
    )
    # Results do not depend on where the guesses are kept.
    about["command"] = "python experiments/win_probability.py DIR"
    WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    reporting.write("win-probability", about | {"model": stored, "checked": checked})
    plot(checked, reporting.RESULTS / "win-probability.png")


if __name__ == "__main__":
    main()
