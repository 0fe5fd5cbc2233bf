"""Games a second of the arena, and where the time goes.

    python experiments/throughput.py [--quick]

Against the number of games under way, the level and the number of devices; the cost of a move
against the board's area and mine density; and how the time of three players divides. Writes
`results/throughput.json` and `results/throughput.png`.
"""

import json
import time
from dataclasses import asdict
from pathlib import Path

import jax
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from rich.progress import track

import reporting
from jaxsweep.benchmarks.profile import profile
from jaxsweep.rules.level import LEVELS, Level, Opening
from jaxsweep.runtime import machine
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.matches import play_and_report
from jaxsweep.strategies import STRATEGIES

SEED = 2026
LEVELS_SHOWN = ("beginner", "intermediate", "expert")
BATCHES = (256, 1024, 4096)
SIDES = (8, 16, 64, 256)
DENSITIES = (0.10, 0.20)
PROFILED = ("exact", "endgame", "strongest")


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
    players = [one["player"] for one in result["profiles"]]
    bottom, names = np.zeros(len(players)), [n for p in result["profiles"] for n in p["shares"]]
    for name in dict.fromkeys(names):
        values = np.array([p["shares"].get(name, 0.0) * 100 for p in result["profiles"]])
        right.bar(players, values, bottom=bottom, label=name)
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
        "profiles": [
            asdict(profile(player, Opening.of(LEVELS["expert"]), 2_000 if quick else 40_000))
            for player in track(PROFILED, "profiles")
        ],
    }
    for e in by_batch:
        print(
            f"{e['level']:12} {e['batch']:5} games on each of {e['devices']}: "
            f"{e['games_per_second']:8,.0f} games/s, {e['busy']:.2f} cores busy"
        )
    print(json.dumps(result["profiles"], indent=1))
    if not quick:
        reporting.write("throughput", result)
        plot(result, reporting.RESULTS / "throughput.png")


if __name__ == "__main__":
    main()
