"""How likely games of any size are won: a smooth model of the win rates of the strongest player.

    python experiments/chances.py [--refit] [--quick]

Plays games of many sizes and densities in machine code, on one core in about twelve minutes. A
model with few parameters (`jaxsweep.single.grading.chances`) is fitted to some of the sizes and
checked on the others and on the standard levels. Writes `results/chances.json`, and the parameters
to `jaxsweep/single/grading/chances.json`. With `--refit`, the games of the result file are used
again. What is played is kept in `results/chances.part.json` until all is: the same command goes on.
"""

import itertools
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from rich.console import Console
from rich.progress import track

import reporting
from jaxsweep.native.board import make_record
from jaxsweep.native.deals import deal_layout, make_deal
from jaxsweep.native.duels import begin_game
from jaxsweep.native.players import make_workspace, settings_of
from jaxsweep.native.playouts import BINS, GAME, play_on
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.scalar.players import BEST, PLAYERS, LookaheadPlayer
from jaxsweep.single.grading.chances import (
    COEFFICIENTS,
    DENSITIES,
    LEAST_SLOPE,
    MOST,
    RATIOS,
    SIDES,
    USUAL_DENSITY,
    USUAL_SIDE,
    Shape,
    chance_by,
    shape_of,
)

SEED = 41
STARTS = (Start.SAFE, Start.ZERO)

FITTED_SIZES = (
    *((4, 4), (5, 5), (6, 6), (8, 8), (10, 10), (13, 13), (16, 16), (20, 20), (25, 25), (30, 30)),
    *((40, 40), (4, 8), (5, 12), (6, 20), (8, 16), (8, 30), (10, 20), (12, 24), (16, 30)),
    *((20, 40), (24, 30), (30, 40), (4, 40), (8, 40)),
)
FITTED_DENSITIES = (0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.27, 0.3, 0.34)

HELD_OUT_SIZES = (
    *((9, 9), (8, 12), (9, 14), (11, 17), (14, 14), (15, 25), (18, 18), (22, 34), (24, 24)),
    *((28, 36), (35, 35), (38, 40), (8, 35)),
)
HELD_OUT_DENSITIES = (
    (0.11, 0.15, 0.19, 0.25),
    (0.09, 0.13, 0.17, 0.21),
    (0.1, 0.14, 0.16, 0.3),
)
"""Of sizes in turn."""

GAMES = ((150, 1000), (400, 600), (700, 500), (1600, 300))
"""Up to so many cells, so many games of each board that is fitted to."""

HELD_OUT_GAMES = 3
"""So many times more games of a board that is held out."""

QUICK_GAMES = 20

TERMS = [(i, j, k) for i in range(4) for j in range(4 - i) for k in range(4 - i - j)]
TERMS += [(4, 0, 0), (3, 1, 0)]

NARROW = 6
"""Boards with a shorter side below this vary more with their size than the model can tell."""

MODEL_ERRORS = (0.05, 0.008)
"""What the model is expected to be wrong by on narrow boards, and on others."""

WEIGHT, SHRINK = 3.0, 0.02
"""The weights of slopes that are too small, and of coefficients that are far from 0."""

ITERATIONS = 300

PART = reporting.RESULTS / "chances.part.json"


class Board(NamedTuple):
    """A board of which games are played."""

    rows: int
    cols: int
    mines: int
    start: Start
    held_out: bool

    @property
    def games(self) -> int:
        """How many games are played."""
        own = next(games for cells, games in GAMES if self.rows * self.cols <= cells)
        return own * HELD_OUT_GAMES if self.held_out else own


def boards() -> list[Board]:
    """All boards of which games are played."""
    fitted = [(size, FITTED_DENSITIES, False) for size in FITTED_SIZES]
    held_out = [
        (size, own, True)
        for size, own in zip(HELD_OUT_SIZES, itertools.cycle(HELD_OUT_DENSITIES), strict=False)
    ]
    return [
        Board(*size, mines, start, is_held_out)
        for size, densities, is_held_out in fitted + held_out
        for mines in sorted({max(1, round(size[0] * size[1] * density)) for density in densities})
        for start in STARTS
    ]


def play(board: Board, games: int) -> dict[str, Any]:
    """Plays games of a board: each is worth its chance as soon as its end can be searched."""
    level, player = Level(board.rows, board.cols, board.mines), PLAYERS[BEST]
    assert isinstance(player, LookaheadPlayer)
    opening = Opening.of(level, board.start)
    work = make_workspace(level.rows, level.cols, player.endgame_layouts)
    deal, game, layout = make_deal(opening), make_record(GAME), np.zeros(level.cells, np.int8)
    first = np.int64(opening.first[0] * level.cols + opening.first[1])
    settings, worth, values = settings_of(player), np.zeros(BINS), []
    began = time.thread_time()
    for number in range(games):
        deal_layout(np.uint32(SEED), np.uint32(number), deal, layout)
        begin_game(first, layout, work.solver.board, game)
        mines, word = np.int64(level.mines), np.int64(0)
        values.append(play_on(mines, word, settings, layout, worth, work, game)[0])
    found = np.array(values)
    found = found[~np.isnan(found)]
    return {
        "rows": level.rows,
        "cols": level.cols,
        "mines": level.mines,
        "start": board.start.value,
        "held_out": board.held_out,
        "games": len(found),
        "chance": float(found.mean()),
        "standard_error": float(found.std(ddof=1) / len(found) ** 0.5),
        "seconds": time.thread_time() - began,
    }


def play_all(quick: bool) -> list[dict[str, Any]]:
    """Plays the games of all boards, or goes on where an earlier run stopped."""
    done = []
    if PART.exists() and not quick:
        done = json.loads(PART.read_text("utf-8"))
    known = {(e["rows"], e["cols"], e["mines"], e["start"], e["held_out"]) for e in done}
    missing = [
        board
        for board in boards()[:: 40 if quick else 1]
        if (board.rows, board.cols, board.mines, board.start.value, board.held_out) not in known
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [pool.submit(play, b, QUICK_GAMES if quick else b.games) for b in missing]
        console = Console(stderr=True)
        for one in track(as_completed(running), "boards", len(running), console=console):
            done.append(one.result())
            if not quick:
                PART.write_text(json.dumps(done), "utf-8")
    return done


def fit(entries: list[dict[str, Any]]) -> list[float]:
    """The coefficients by which the model agrees best with games that were played.

    Levenberg and Marquardt's method. What counts is the difference of chances, divided by its
    error; a chance that falls as the density does counts as one, too.
    """
    played = np.array([entry["chance"] for entry in entries])
    narrow = np.array([min(entry["rows"], entry["cols"]) < NARROW for entry in entries])
    noise = np.array([entry["standard_error"] for entry in entries])
    error = np.hypot(noise, np.where(narrow, *MODEL_ERRORS))
    design = terms_of([shape_of(level_of(entry)) for entry in entries])
    slopes = terms_of(every_shape(), of_slope=True)
    found = best = down = np.zeros(len(TERMS))
    square, damping, cost = np.eye(len(TERMS)), 1.0, np.inf
    for _ in range(ITERATIONS):
        hazard = np.exp(np.minimum(design @ found, MOST))
        short = np.minimum(0.0, slopes @ found - LEAST_SLOPE)
        missing = np.r_[(np.exp(-hazard) - played) / error, WEIGHT * short, SHRINK * found]
        gradients = np.r_[
            -(np.exp(-hazard) * hazard / error)[:, None] * design,
            WEIGHT * slopes * (short < 0)[:, None],
            SHRINK * np.eye(len(TERMS)),
        ]
        if missing @ missing < cost:
            best, cost, damping = found, missing @ missing, damping / 3
            square, down = gradients.T @ gradients, gradients.T @ missing
        else:
            damping *= 4
        found = best - np.linalg.solve(square + damping * np.diag(np.diag(square)), down)
    return [float(f"{value:.5g}") for value in best]


def level_of(entry: dict[str, Any]) -> Level:
    """The level of an entry."""
    return Level(entry["rows"], entry["cols"], entry["mines"])


def every_shape() -> list[Shape]:
    """Shapes all over what the model is for: there, it must fall as the density rises."""
    sides, ratios = (np.geomspace(*limits, 9) for limits in (SIDES, RATIOS))
    return [
        Shape(np.log(density / USUAL_DENSITY), np.log(side / USUAL_SIDE), np.log(ratio))
        for density in np.geomspace(*DENSITIES, 12)
        for side in sides
        for ratio in ratios
        if side * ratio <= SIDES[1]
    ]


def terms_of(shapes: list[Shape], of_slope: bool = False) -> Float[np.ndarray, "shapes terms"]:
    """The terms of the model, or of its slope by the density."""
    x, side, ratio = np.array(shapes).T
    columns = []
    for i, j, k in TERMS:
        power = i * x ** max(i - 1, 0) if of_slope else x**i
        columns.append(power * side**j * ratio**k)
    return np.stack(columns, axis=1)


def errors(entries: list[dict[str, Any]], found: dict[str, list[float]]) -> dict[str, Any]:
    """How far the model is from games that were played."""
    differences = np.array(
        [
            chance_by(shape_of(level_of(entry)), TERMS, found[entry["start"]]) - entry["chance"]
            for entry in entries
        ]
    )
    noise = np.array([entry["standard_error"] for entry in entries])
    return {
        "boards": len(entries),
        "games": sum(entry["games"] for entry in entries),
        "root_mean_square": float(np.sqrt((differences**2).mean())),
        "of_which_noise": float(np.sqrt((noise**2).mean())),
        "mean": float(differences.mean()),
        "largest": float(abs(differences).max()),
        "largest_beyond_two_standard_errors": float((abs(differences) - 2 * noise).max()),
        "share_within_3_points": float((abs(differences) <= 0.03).mean()),
    }


def of_levels(found: dict[str, list[float]]) -> list[dict[str, Any]]:
    """The model beside the win rates of the standard levels, which it was not fitted to."""
    return [
        {
            "board": entry["board"],
            "start": entry["start"],
            "win_rate": entry["win_rate"],
            "model": chance_by(shape_of(LEVELS[entry["level"]]), TERMS, found[entry["start"]]),
        }
        for entry in reporting.read("winrates")
        if entry["player"] == BEST
    ]


def main() -> None:
    """Plays, fits, prints and writes the result file."""
    parser = reporting.arguments(__doc__, "few games of few boards")
    parser.add_argument("--refit", action="store_true", help="fit to the games of the result file")
    parsed = parser.parse_args()
    played = reporting.read("chances")["boards"] if parsed.refit else play_all(parsed.quick)
    played.sort(key=lambda e: (e["held_out"], e["start"], e["rows"], e["cols"], e["mines"]))
    found = {
        start.value: fit([e for e in played if e["start"] == start.value and not e["held_out"]])
        for start in STARTS
    }
    wide = [entry for entry in played if min(entry["rows"], entry["cols"]) >= NARROW]
    narrow = [entry for entry in played if min(entry["rows"], entry["cols"]) < NARROW]
    result = {
        "held_out": errors([entry for entry in played if entry["held_out"]], found),
        "fitted": errors([entry for entry in wide if not entry["held_out"]], found),
        "fitted_narrow": errors(narrow, found),
        "levels": of_levels(found),
        "least_slope": min(
            float((terms_of(every_shape(), True) @ found[start.value]).min()) for start in STARTS
        ),
    }
    print(json.dumps(result, indent=1))
    if parsed.quick:
        return
    if parsed.refit:
        about = {key: reporting.read("chances")[key] for key in ("command", "seed", "machine")}
    else:
        about = reporting.origin(
            about="Chance to win before the first click: games of strongest, ends searched, and "
            "the model of jaxsweep.single.grading.chances fitted to those that are not held out.",
            seed=SEED,
        )
    reporting.write("chances", about | result | {"boards": played})
    model = {"terms": TERMS, "coefficients": found}
    COEFFICIENTS.write_text(json.dumps(model) + "\n", "utf-8")
    PART.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
