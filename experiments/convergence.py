"""How the samplers' errors fall with samples and time, and where rejection sampling fails.

    python experiments/convergence.py [--quick]

Left: the root mean square error of a probability on an easy, a middling and a hard position, for
growing budgets. Right: which share of random layouts agrees with a position, by how much of the
board is open. Writes `results/convergence.json` and `results/convergence.png`.
"""

import time
from pathlib import Path

import jax
import matplotlib
import numpy as np
from rich.console import Console
from rich.progress import Progress

import reporting
from jaxsweep import infer
from jaxsweep.beliefs import Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import sizes_of
from jaxsweep.engines.chains import Chains
from jaxsweep.engines.particle_gibbs import SWEEPS
from jaxsweep.engines.random_layouts import SAMPLES, count_numbers, sample_batch
from jaxsweep.engines.rejection import CALLS, CAPACITIES, Rejection
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.position import Position
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.stuck_positions import stuck_positions

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SEED = 20261116
OPEN = {"easy": ("beginner", 0.05), "middling": ("beginner", 0.6), "hard": ("expert", 0.5)}
"""The level of each position, and about which share of its cells is open."""
REPEATS = 4
"""Runs with different seeds for each budget: the error shown is over all of them."""


def pick(level: str, share: float) -> Position:
    """The stuck position with nearest to this share of its cells open."""
    positions = jax.device_get(stuck_positions(Opening.of(LEVELS[level]), SEED, 512))
    cells = LEVELS[level].cells
    nearest = np.argmin(np.abs(1 - sizes_of(positions.hidden) / cells - share))
    return jax.tree.map(lambda leaf: leaf[..., nearest : nearest + 1], positions)


def run(engine: AbstractEngine, position: Position) -> dict:
    """The error and the time of one budget."""
    truth = infer(position)
    hidden = bitboard.unpack_batch(np.asarray(position.hidden))
    unsure = hidden & ~np.asarray(truth.safe) & ~np.asarray(truth.mines)
    copies = jax.tree.map(lambda leaf: np.repeat(leaf, REPEATS, axis=-1), position)
    seeds = np.arange(REPEATS, dtype=np.uint32)
    infer(copies, engine, seeds)
    began = time.perf_counter()
    beliefs = infer(copies, engine, seeds)
    seconds = (time.perf_counter() - began) / REPEATS
    if (beliefs.status != Status.ESTIMATE).any():
        return {"error": None, "seconds": seconds}
    off = (beliefs.mine_probability - truth.mine_probability)[:, unsure[0]]
    claimed = np.asarray(beliefs.error)[:, unsure[0]]
    return {
        "error": float(np.sqrt((off**2).mean())),
        "claimed": float(np.sqrt((claimed**2).mean())),
        "seconds": seconds,
    }


def acceptance(level: str, count: int) -> list[dict]:
    """How many of 2¹⁷ random layouts agree with each of some positions."""
    positions = jax.device_get(stuck_positions(Opening.of(LEVELS[level]), SEED, count))
    cells = LEVELS[level].cells
    found = []
    for i in range(count):
        one = jax.tree.map(lambda leaf, i=i: leaf[..., i : i + 1], positions)
        copies = jax.tree.map(lambda leaf: np.repeat(leaf, 32, axis=-1), one)
        most = (np.int32(sizes_of(one.hidden)[0]), np.int32(count_numbers(one)[0]))
        capacity = next(tier for tier in CAPACITIES if tier >= max(most))
        sums = sample_batch(copies, np.arange(32, dtype=np.uint32), np.int32(0), most, capacity)
        share = float(np.asarray(sums.accepted).sum()) / (32 * SAMPLES)
        found.append({"open": 1 - float(most[0]) / cells, "accepted": share})
    return found


def main() -> None:
    """Measures, plots and writes the result file."""
    quick = reporting.arguments(__doc__, "small budgets, few positions").parse_args().quick
    use_cache()
    samples = [CALLS * SAMPLES * 4**i for i in range(3 if quick else 6)]
    sweeps = [SWEEPS * 4**i for i in range(2 if quick else 4)]
    runs, count = [], 8 if quick else 96
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("sampling", total=len(OPEN) * (len(samples) + len(sweeps)) + 2)
        for name, (level, share) in OPEN.items():
            position = pick(level, share)
            for budget in samples:
                engine = Rejection(tolerance=0.0, samples=budget)
                got = run(engine, position)
                runs.append({"position": name, "sampler": "rejection", "samples": budget} | got)
                bar.advance(task)
            for budget in sweeps:
                engine = Chains(tolerance=0.0, sweeps=budget)
                got = run(engine, position)
                drawn = budget * engine.chains
                runs.append({"position": name, "sampler": "chains", "samples": drawn} | got)
                bar.advance(task)
        accepted = {}
        for level in ("beginner", "expert"):
            accepted[level] = acceptance(level, count)
            bar.advance(task)
    result = reporting.origin(
        seed=SEED,
        repeats=REPEATS,
        positions={name: {"level": level, "open": share} for name, (level, share) in OPEN.items()},
    )
    result |= {"runs": runs, "accepted_of_random_layouts": accepted}
    Console().print_json(data=result)
    if not quick:
        reporting.write("convergence", result)
        plot(result, reporting.RESULTS / "convergence.png")


def plot(result: dict, file: Path) -> None:
    """Errors by samples and by time, and the share of layouts that agree."""
    figure, (by_samples, by_time, dying) = plt.subplots(
        1, 3, figsize=(14, 4.5), layout="constrained"
    )
    colours = dict(zip(OPEN, ("tab:blue", "tab:orange", "tab:red"), strict=True))
    for axes, key, label in (
        (by_samples, "samples", "samples drawn (chains: layouts visited)"),
        (by_time, "seconds", "seconds"),
    ):
        for name in OPEN:
            for sampler, style in (("rejection", "o--"), ("chains", "s-")):
                runs = [
                    run
                    for run in result["runs"]
                    if run["position"] == name and run["sampler"] == sampler
                ]
                alive = [run for run in runs if run["error"] is not None]
                dead = [run for run in runs if run["error"] is None]
                if alive:
                    axes.plot(
                        [run[key] for run in alive],
                        [run["error"] for run in alive],
                        style,
                        color=colours[name],
                        label=f"{sampler}, {name}",
                    )
                # At the top: a budget that ended with too few valid layouts to say anything.
                axes.plot([run[key] for run in dead], [0.6] * len(dead), "x", color=colours[name])
        axes.set(xscale="log", yscale="log", xlabel=label, ylabel="error of a probability (r.m.s.)")
        axes.grid(alpha=0.3)
    by_samples.legend(fontsize="small", title="× at the top: no answer", title_fontsize="small")
    least = 1 / (32 * SAMPLES)
    for level, marker in (("beginner", "o"), ("expert", "^")):
        points = result["accepted_of_random_layouts"][level]
        dying.scatter(
            [100 * point["open"] for point in points],
            [max(point["accepted"], least / 2) for point in points],
            marker=marker,
            alpha=0.6,
            label=level,
        )
    dying.axhline(least, color="grey", linewidth=1, linestyle=":")
    dying.annotate("none of 131,072", (100, least / 2), ha="right", va="bottom", fontsize="small")
    dying.set(
        yscale="log",
        xlabel="percent of the board open",
        ylabel="random layouts that agree",
        title="Where plain sampling dies",
    )
    dying.grid(alpha=0.3)
    dying.legend(loc="upper center")
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main()
