"""Games a second of the arena, and where the time goes.

    python experiments/throughput.py [--quick]

Against the number of games under way, the level and the number of devices; the cost of a move
against the board's area and mine density; and the shares of a game's stages. Writes
`results/throughput.json` and `results/throughput.png`.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from rich.progress import track

import reporting
from jaxsweep.engines.device_components import ComponentLabels, label_components
from jaxsweep.engines.isolated import isolated_constraints
from jaxsweep.rules import frontier
from jaxsweep.rules.level import LEVELS, Level, Opening
from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Rules
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation import episode, scheduler
from jaxsweep.simulation.episode import OpeningArrays, Stage
from jaxsweep.simulation.matches import play_and_report
from jaxsweep.simulation.scheduler import BUCKET, Bucket, ProgramConfig
from jaxsweep.strategies import STRATEGIES

SEED = 2026
LEVELS_SHOWN = ("beginner", "intermediate", "expert")
BATCHES = (256, 1024, 4096)
SIDES = (8, 16, 64, 256)
DENSITIES = (0.10, 0.20)


def steady(opening: Opening, player: str, batch: int, devices: int, seconds: float) -> dict:
    """Games and moves a second once all slots are full, and cores kept busy meanwhile."""
    used = jax.local_devices()[:devices]
    reports = play_and_report(
        STRATEGIES[player], opening, SEED, 2**31 - 1, batch, devices=used, compare_losses=False
    )
    next(reports)  # Slots fill: short games end first.
    games = moves = 0
    began, worked = time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        record = next(reports).record
        games, moves = games + len(record), moves + int(record.rounds.sum())
    elapsed = time.perf_counter() - began
    return {
        "games": games,
        "games_per_second": games / elapsed,
        "microseconds_a_move": elapsed / max(moves, 1) * 1e6,
        "busy": (time.process_time() - worked) / elapsed,
    }


def shares(opening: Opening, turns: int) -> dict[str, float]:
    """The share of each stage in the time of a device: its own kernels, called from the host."""
    config, arrays = (
        ProgramConfig(Rules.PAIR, STRATEGIES["exact"], 2048, 2048),
        OpeningArrays.of(opening),
    )
    openings = arrays.broadcast(BUCKET)
    seed = jnp.uint32(SEED)
    state = scheduler.initial_state(config, arrays, 0, 2**31 - 1, 1)
    held = jax.tree.map(np.array, jax.device_get(state.episodes))
    dealt = partial(scheduler._deal, arrays, seed)
    kernels: dict[Stage, Callable] = {
        Stage.SINGLE: jax.jit(partial(scheduler._single_rounds, config, openings)),
        Stage.PAIR: jax.jit(partial(scheduler._pair_round, openings)),
        Stage.GUESS: jax.jit(partial(scheduler._guess, config, openings, seed)),
        Stage.OVER: jax.jit(dealt),
        Stage.EMPTY: jax.jit(dealt),
    }
    find_components = jax.jit(lambda bucket: _label(episode.view(openings, bucket.episodes)))
    spent, number, on_components = dict.fromkeys(kernels, 0.0), 0, 0.0
    filled = jnp.ones((BUCKET,), bool)
    for turn in range(turns):
        sizes = {stage: int((held.stage == stage).sum()) for stage in kernels}
        stage = max(sizes, key=lambda s: (min(sizes[s], BUCKET), s))
        which = np.nonzero(held.stage == stage)[0][:BUCKET]
        if len(which) < BUCKET:
            break
        episodes = jax.tree.map(lambda leaf, i=which: jnp.asarray(leaf[..., i]), held)
        bucket = Bucket(episodes, filled, jnp.uint32(number), jnp.uint32(2**31), jnp.uint32(1))
        after, seconds = _timed(kernels[stage], bucket)
        if turn > turns // 3:
            spent[stage] += seconds
            on_components += _timed(find_components, bucket)[1] if stage is Stage.GUESS else 0.0
        number += BUCKET if stage >= Stage.OVER else 0
        for leaf, new in zip(jax.tree.leaves(held), jax.tree.leaves(after), strict=True):
            leaf[..., which] = np.asarray(new)
    total = sum(spent.values())
    names = {
        "rules of one number": spent[Stage.SINGLE],
        "rules of two numbers": spent[Stage.PAIR],
        "frontier": on_components,
        "inference and choice": spent[Stage.GUESS] - on_components,
        "dealing": spent[Stage.OVER] + spent[Stage.EMPTY],
    }
    return {name: value / total for name, value in names.items()}


def _label(positions: Position) -> ComponentLabels:
    reduced = frontier.reduce(positions, trust_flags=True)
    return label_components(reduced, isolated_constraints(reduced).cells)


def _timed(kernel: Callable, bucket: Bucket) -> tuple:
    """What a kernel answers, and how long it takes once it is compiled."""
    jax.block_until_ready(kernel(bucket))
    began = time.perf_counter()
    answer = jax.block_until_ready(kernel(bucket))
    return answer, time.perf_counter() - began


def plot(result: dict, file: Path) -> None:
    """Three pictures side by side."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.8))
    colours = dict(zip(LEVELS_SHOWN, ("#009e73", "#e69f00", "#0072b2"), strict=True))
    most = max(entry["devices"] for entry in result["by_batch"])
    for level in LEVELS_SHOWN:
        for devices, style in ((1, "--"), (most, "-")):
            own = [e for e in result["by_batch"] if e["level"] == level and e["devices"] == devices]
            label = f"{level}, {devices} device{'s' if devices > 1 else ''}"
            points = ([e["batch"] for e in own], [e["games_per_second"] for e in own])
            face = colours[level] if devices > 1 else "none"
            left.plot(*points, style, marker="o", mfc=face, color=colours[level], label=label)
    left.set(xscale="log", yscale="log", xlabel="games under way on a device", ylabel="games/s")
    batches = sorted({e["batch"] for e in result["by_batch"]})
    left.set_xticks(batches, [str(batch) for batch in batches])
    left.minorticks_off()
    left.set_ylim(bottom=300)
    left.legend(fontsize=7, loc="lower left", ncols=2)
    for density in sorted({e["density"] for e in result["by_area"]}):
        own = [e for e in result["by_area"] if e["density"] == density]
        points = ([e["side"] ** 2 for e in own], [e["microseconds_a_move"] for e in own])
        middle.plot(*points, marker="o", label=f"{density:.0%} mines")
    middle.set(xscale="log", yscale="log", xlabel="cells", ylabel="µs a move (`knowledge`)")
    middle.legend(fontsize=7)
    bottom = np.zeros(len(LEVELS_SHOWN))
    for name in result["shares"][LEVELS_SHOWN[0]]:
        values = np.array([result["shares"][level][name] * 100 for level in LEVELS_SHOWN])
        right.bar(LEVELS_SHOWN, values, bottom=bottom, label=name)
        bottom += values
    right.set(ylabel="share of time, %")
    right.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    for axis in (left, middle):
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main() -> None:
    """Measures, prints and writes the result files."""
    quick = reporting.arguments(__doc__, "few points").parse_args().quick
    machine.use_devices()
    use_cache()
    seconds = 1.0 if quick else 4.0
    batches, sides = ((1024,), (8, 16)) if quick else (BATCHES, SIDES)
    counts = sorted({1, jax.local_device_count()})
    pairs = sorted({(b, counts[-1]) for b in batches} | {(batches[-1], d) for d in counts})
    grid = [(level, b, d) for level in LEVELS_SHOWN for b, d in pairs]
    by_batch = [
        {"level": level, "batch": batch, "devices": devices}
        | steady(Opening.of(LEVELS[level]), "exact", batch, devices, seconds)
        for level, batch, devices in track(grid, "games under way")
    ]
    areas = [(side, density) for density in DENSITIES for side in sides]
    by_area = [
        {"side": side, "density": density}
        | steady(
            Opening.of(Level(side, side, round(side * side * density))),
            "knowledge",
            256,
            counts[-1],
            seconds / 2,
        )
        for side, density in track(areas, "area and density")
    ]
    result = reporting.origin(seed=SEED, peak_memory_mib=machine.peak_memory()) | {
        "by_batch": by_batch,
        "by_area": by_area,
        "shares": {
            level: shares(Opening.of(LEVELS[level]), 60 if quick else 400)
            for level in track(LEVELS_SHOWN, "stages")
        },
    }
    for e in by_batch:
        print(
            f"{e['level']:12} {e['batch']:5} games on each of {e['devices']}: "
            f"{e['games_per_second']:8,.0f} games/s, {e['busy']:.2f} cores busy"
        )
    print(json.dumps(result["shares"], indent=1))
    if not quick:
        reporting.write("throughput", result)
        plot(result, reporting.RESULTS / "throughput.png")


if __name__ == "__main__":
    main()
