"""The weights of the win-probability model in `scalar/win_probability.py`, fitted to games.

    python experiments/win_probability.py [--quick]

Plays games of the standard levels with the player `strongest`, notes the features of every guess
by looking ahead, and fits the probability that the game is won by logistic regression. A half of
the games is held out to check the calibration, level by level. Writes
`results/win-probability.json`.
"""

import json
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float
from rich.progress import Progress

import reporting
from duel import Sides, Table, chunks_of, generator, on_all_cores
from jaxsweep.native.board import MINE
from jaxsweep.native.cell_values import WORDS
from jaxsweep.native.duels import begin_game
from jaxsweep.native.layout_sampling import next_uniform
from jaxsweep.native.players import BEST_ENDING, LOOKAHEAD_GUESS, NO_LAYOUT, UNDECIDED
from jaxsweep.native.playouts import TWO_LAYOUTS, next_guess, open_cell
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.scalar.players import BEST, PLAYERS, LookaheadPlayer
from jaxsweep.scalar.win_probability import WEIGHTS, features

GAMES = 20_000
FIRST = 20_000_000
"""The first game: others than those of duels."""

LEVEL_STARTS = tuple(
    (name, start)
    for name in ("expert", "intermediate", "beginner", "mini")
    for start in (Start.SAFE, Start.ZERO)
)

Guesses = list[tuple[int, float, tuple[float, ...]]]
"""Of each guess: its game, what the game was worth, and the features."""


def play(table: Table, games: range) -> Guesses:
    """Plays games; they are worth the exact win probability once the end is searched."""
    found: Guesses = []
    work, game, player = table.rooms.work, table.rooms.game, table.settings[0]
    position, ahead = work.solver.position, work.here.ahead
    for number in games:
        mines, first, layout = table.start(number)
        begin_game(first, layout, work.solver.board, game)
        random, own = generator(3, number), []
        while True:
            word = np.int64(next_uniform(random) * WORDS)
            reason, cell, value = next_guess(mines, word, player, layout, work, game)
            if reason in (NO_LAYOUT, UNDECIDED, BEST_ENDING):
                break
            log_layouts = float(work.solver.join["log_layouts"])
            if reason == LOOKAHEAD_GUESS:
                cells = ahead["cell"][: int(ahead["count"])].tolist()
                score = float(ahead["value"][cells.index(cell)])
                known = int((position["grid"][: int(position["cells"])] == MINE).sum())
                uncertain = int(position["uncertain"])
                own.append(features(score, log_layouts, mines - known, uncertain))
            if log_layouts <= TWO_LAYOUTS:
                value = 0.5
                break
            if layout[cell]:
                value = 0.0
                break
            open_cell(cell, work.solver.board, layout, game)
        if reason != UNDECIDED:
            worth = 1.0 if reason == NO_LAYOUT else value
            found += [(number, worth, one) for one in own]
    return found


def fit(
    x: Float[np.ndarray, "guesses features"], won: Float[np.ndarray, " guesses"]
) -> Float[np.ndarray, " features"]:
    """The maximum-likelihood weights of a logistic regression, by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-x @ weights))
        curve = (x * (chance * (1 - chance))[:, None]).T @ x
        weights += np.linalg.solve(curve + 1e-9 * np.eye(len(curve)), x.T @ (won - chance))
    return weights


def reliability(
    chance: Float[np.ndarray, " guesses"], won: Float[np.ndarray, " guesses"]
) -> list[dict[str, Any]]:
    """Predicted and real win rates in each tenth of the guesses, by predicted win probability."""
    order = np.argsort(chance, kind="stable")
    rows = []
    for part in np.array_split(order, 10):
        error = 1.96 * won[part].std() / np.sqrt(len(part))
        mean = float(won[part].mean())
        rows.append(
            {
                "guesses": len(part),
                "chance": float(chance[part].mean()),
                "won": mean,
                "interval_95": [mean - error, mean + error],
            }
        )
    return rows


def main() -> None:
    """Plays, fits, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "few games").parse_args().quick
    games = 1_000 if quick else GAMES
    player = PLAYERS[BEST]
    assert isinstance(player, LookaheadPlayer)
    x, won, held, level = [], [], [], []
    with Progress() as bar:
        for name, start in LEVEL_STARTS:
            opening = Opening.of(LEVELS[name], start)
            table = partial(Table, opening, Sides(player, player), 2)
            task = bar.add_task(f"{name} {start.value}", total=games)
            chunks = chunks_of(FIRST, games)
            for chunk, part in zip(chunks, on_all_cores(table, chunks, play), strict=True):
                for number, worth, seen in part:
                    x.append(seen)
                    won.append(worth)
                    held.append(number % 2 == 0)
                    level.append(f"{name} {start.value}")
                bar.advance(task, len(chunk))
    x, won, held, level = np.array(x), np.array(won), np.array(held), np.array(level)
    weights = fit(x[~held], won[~held])
    chance = 1 / (1 + np.exp(-x @ weights))
    tables = {}
    for name in dict.fromkeys(level.tolist()):
        own = held & (level == name)
        tables[name] = reliability(chance[own], won[own])
        worst = max(tables[name], key=lambda row: abs(row["chance"] - row["won"]))
        print(
            f"{name:20} {own.sum():>7,} guesses held out; the worst tenth: about "
            f"{worst['chance']:.1%}, won {worst['won']:.1%}"
        )
    named = dict(zip(WEIGHTS, map(float, weights), strict=True))
    print(json.dumps(named, indent=1))
    if not quick:
        about = reporting.origin(
            about="Chances and wins are of games that were not fitted, in tenths of their guesses.",
            player=repr(player),
            first=FIRST,
            games_of_each=games,
            guesses=len(won),
        )
        reporting.write("win-probability", about | {"weights": named, "held_out": tables})


if __name__ == "__main__":
    main()
