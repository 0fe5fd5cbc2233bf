"""Whether `jaxsweep.posterior` is exact on stuck expert positions, and how fast it is.

    python experiments/posterior.py [--quick]

Pair probabilities, outcomes and chances of a certain cell are compared with whole numbers: of every
hidden cell near an open one, and of some that are far from all. Times are of batches, on all
cores, medians of several calls after one that compiles: of the wall clock, and of the processor,
since other jobs may run. Writes `results/posterior.json`.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import jax
import numpy as np
from jaxtyping import Int
from rich.progress import track

import reporting
from jaxsweep import posterior
from jaxsweep.beliefs import Status
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.position import Position, to_grid
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.view import View
from jaxsweep.simulation.stuck_positions import stuck_positions

SEED = 41
LEVEL = LEVELS["expert"]
POSITIONS = 50
"""Positions that are compared with whole numbers."""

FAR_CELLS = 2
"""Cells of each that are further than two cells away from all open ones."""

TOLERANCE = 1e-9

BATCH, DRAWS = 256, 1024
"""Positions of a batch that is timed, and layouts of each."""

DEVICE_DRAWS, DEVICE_BATCHES = 64, 8
REPEATS = 9

draw_on_device = jax.jit(partial(posterior.draw_layouts_on_device, draws=DEVICE_DRAWS))


def compared_cells(grid: Int[np.ndarray, "rows cols"]) -> Int[np.ndarray, "cells 2"]:
    """Hidden cells whose number or whose own content touches the numbers, and a few others."""
    near = np.abs(np.argwhere(grid < 0)[:, None] - np.argwhere(grid >= 0)[None]).max(2).min(1)
    hidden = np.argwhere(grid < 0)
    return np.concatenate([hidden[near <= 2], hidden[near > 2][:FAR_CELLS]])


def largest_error(position: Position) -> tuple[float, int, int]:
    """Compares one position with whole numbers; the largest error, and how many numbers there were.

    Ends the script where something is possible and has the probability 0, or the reverse.
    """
    grid, counter = to_grid(position), Counter()
    view, cols = View.of(grid, LEVEL.mines), grid.shape[1]
    solution = counter.solve(view)
    assert solution is not None, "it is a position of a game"
    cells = compared_cells(grid)
    (both, status), (shown, _), (chance, _) = (
        posterior.pair_probabilities(position, cells),
        posterior.outcomes(position),
        posterior.certain_cell_chance(position),
    )
    assert status == Status.EXACT, "real positions are within the capacity"
    flat = [row * cols + col for row, col in cells.tolist()]
    of_cells = shown[cells[:, 0], cells[:, 1]].tolist()
    chances = chance[cells[:, 0], cells[:, 1]].tolist()
    worst, pairs, outcomes = 0.0, 0, 0

    def compare(found: float, layouts: int) -> None:
        nonlocal worst
        if (found == 0) != (layouts == 0):
            sys.exit(f"{found}, but {layouts} of {solution.layouts} layouts:\n{grid}")
        worst = max(worst, abs(found - float(Fraction(layouts, solution.layouts))))

    for a, cell in enumerate(flat):
        given = counter.solve(view, 1 << cell)
        for b, other in enumerate(flat):
            compare(both[a, b], given.mine_layouts(other) if given else 0)
            pairs += 1
        safe = certain = 0
        for number in range(9):
            after = counter.solve(view.after(cell, number))
            layouts = after.layouts if after else 0
            compare(of_cells[a][number], layouts)
            safe += layouts
            certain += layouts if after and after.safe else 0
            outcomes += 1
        compare(of_cells[a][9], solution.layouts - safe)
        compare(chances[a], certain)
    return worst, pairs, outcomes


def timed(call: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Median seconds of a call, of the wall clock and of the processor, after a warm-up."""
    jax.block_until_ready(call())
    wall, processor = [], []
    for _ in range(repeats):
        began, began_processor = time.perf_counter(), time.process_time()
        jax.block_until_ready(call())
        wall.append(time.perf_counter() - began)
        processor.append(time.process_time() - began_processor)
    return statistics.median(wall), statistics.median(processor)


def measure(repeats: int) -> dict[str, Any]:
    """Times of the functions, of each position, and layouts that are drawn in a second."""
    batch = stuck_positions(Opening.of(LEVEL), SEED, BATCH)
    host = jax.device_get(batch)
    boundary = [
        np.argwhere(hidden & near)
        for hidden, near in zip(
            bitboard.unpack_batch(host.hidden),
            bitboard.unpack_batch(np.asarray(bitboard.dilate(batch.opened))),
            strict=True,
        )
    ]
    functions = {
        "entropy": lambda: posterior.entropy(batch),
        "outcomes": lambda: posterior.outcomes(batch),
        "expected_information": lambda: posterior.expected_information(batch),
        "certain_cell_chance": lambda: posterior.certain_cell_chance(batch),
        "pair_probabilities of the boundary": lambda: posterior.pair_probabilities(batch, boundary),
    }
    milliseconds = {
        name: dict(
            zip(
                ("wall", "processor"),
                (1e3 * seconds / BATCH for seconds in timed(call, repeats)),
                strict=True,
            )
        )
        for name, call in functions.items()
    }
    keys = jax.random.split(jax.random.key(SEED), BATCH)
    draws = {
        "draw_packed_layouts": (
            DRAWS,
            lambda: posterior.draw_packed_layouts(batch, DRAWS, SEED),
        ),
        "draw_layouts": (DRAWS, lambda: posterior.draw_layouts(batch, DRAWS, SEED)),
        "draw_packed_layouts, one of each position": (
            1,
            lambda: posterior.draw_packed_layouts(batch, 1, SEED),
        ),
        "draw_layouts_on_device": (DEVICE_DRAWS, lambda: draw_on_device(batch, keys)),
    }
    rates = {}
    for name, (count, call) in draws.items():
        wall, processor = timed(call, repeats)
        rates[name] = {
            "layouts_of_each": count,
            "per_second": BATCH * count / wall,
            "per_processor_second": BATCH * count / processor,
        }
    return {"milliseconds_a_position": milliseconds, "layouts": rates}


def device_statuses() -> dict[str, int]:
    """How many of the positions of some batches a device program draws layouts of."""
    keys = jax.random.split(jax.random.key(SEED), BATCH)
    many = stuck_positions(Opening.of(LEVEL), SEED, BATCH * DEVICE_BATCHES)
    statuses = [
        draw_on_device(jax.tree.map(lambda leaf, i=i: leaf[..., i : i + BATCH], many), keys)[1]
        for i in range(0, BATCH * DEVICE_BATCHES, BATCH)
    ]
    counts = np.bincount(np.concatenate(statuses), minlength=len(Status))
    return {status.name: int(counts[status]) for status in Status if counts[status]}


def main() -> None:
    """Compares, measures, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "few positions and repeats").parse_args().quick
    use_cache()
    load = os.getloadavg()[0]
    count = 3 if quick else POSITIONS
    batch = jax.device_get(stuck_positions(Opening.of(LEVEL), SEED, count))
    worst, pairs, outcomes = 0.0, 0, 0
    for i in track(range(count), "comparing"):
        error, *numbers = largest_error(jax.tree.map(lambda leaf, i=i: leaf[..., i], batch))
        worst, pairs, outcomes = max(worst, error), pairs + numbers[0], outcomes + numbers[1]
    if worst > TOLERANCE:
        sys.exit(f"an error of {worst}")
    print(f"{pairs:,} pairs and {outcomes:,} outcomes: errors up to {worst:.2g}")
    measured = measure(2 if quick else REPEATS)
    for name, times in measured["milliseconds_a_position"].items():
        print(f"{name}: {times['wall']:.3g} ms a position, {times['processor']:.3g} of a core")
    for name, rate in measured["layouts"].items():
        print(f"{name}: {rate['per_second']:,.0f}/s, {rate['per_processor_second']:,.0f}/s a core")
    statuses = device_statuses()
    print(f"positions in a device program: {statuses}")
    if not quick:
        about = reporting.origin(
            about="Stuck expert positions. Errors against whole numbers; medians of times.",
            seed=SEED,
            load_average=[load, os.getloadavg()[0]],
        )
        exact = {"positions": count, "pairs": pairs, "outcomes": outcomes, "largest_error": worst}
        settings = {"batch": BATCH, "repeats": REPEATS}
        reporting.write(
            "posterior", about | {"exact": exact} | settings | measured | {"on_device": statuses}
        )


if __name__ == "__main__":
    main()
