"""All engines on the same positions: how right, how often within capacity, how fast.

    python experiments/engines.py [--quick]

Every engine sees stuck positions of three levels, samplers fewer of them. Its probabilities are
held against the exact engine's. Writes `results/engines.json` and `results/engines.png`.
"""

import time
from pathlib import Path

import jax
import matplotlib
import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import reporting
from jaxsweep import infer
from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines import ENGINES
from jaxsweep.engines.chains import Chains
from jaxsweep.engines.rejection import Rejection
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.position import Position
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.stuck_positions import stuck_positions

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SEED = 20261116
COUNTS = {"beginner": 700, "intermediate": 700, "expert": 600}
FEWER = {"chains": 200, "sampling": 200, "rejection": 50}
"""Positions of each level that samplers see: they take a thousand times as long."""
REPEATS = 3
"""Timed runs of the other engines, after one that compiles; one of a sampler is long enough."""


def compare(name: str, positions: Position, truth: Beliefs) -> dict:
    """One engine on one level."""
    engine = ENGINES[name]
    beliefs, seconds = infer(positions, engine), []
    for _ in range(1 if name in FEWER else REPEATS):
        began = time.perf_counter()
        infer(positions, engine)
        seconds.append(time.perf_counter() - began)
    said = beliefs.has_probabilities
    hidden = bitboard.unpack_batch(np.asarray(positions.hidden))
    told = hidden & said[:, None, None]
    off = np.abs(beliefs.mine_probability - truth.mine_probability)[told]
    error = np.asarray(beliefs.error)[told]
    sampled = np.isfinite(error) & (error > 0)
    order = beliefs.mine_probability if beliefs.score is None else beliefs.score
    return {
        "positions": len(said),
        "status": {
            status.name.lower(): int((beliefs.status == status).sum())
            for status in Status
            if (beliefs.status == status).any()
        },
        "share_with_odds": float(said.mean()),
        "largest_error": float(off.max()) if off.size else None,
        "mean_error": float(off.mean()) if off.size else None,
        "within_4_standard_errors": float((off <= 4 * error)[sampled].mean())
        if sampled.any()
        else None,
        "mean_extra_risk": float(extra_risk(np.asarray(order), hidden, beliefs, truth).mean()),
        "wrong_certainties": int(
            (beliefs.safe & ~truth.safe).sum() + (beliefs.mines & ~truth.mines).sum()
        ),
        "milliseconds_a_position": float(np.median(seconds) / len(said) * 1e3),
    }


def extra_risk(order, hidden, beliefs: Beliefs, truth: Beliefs) -> np.ndarray:
    """How much likelier than the least a mine is in the cell the engine would open."""
    risk = np.asarray(truth.mine_probability)
    maybe = hidden & ~np.asarray(beliefs.mines)
    spoken = np.asarray(beliefs.status) != Status.OVER_CAPACITY
    best = np.where(maybe, order, np.inf).reshape(len(order), -1).argmin(1)
    chosen = risk.reshape(len(order), -1)[np.arange(len(order)), best]
    least = np.where(hidden, risk, np.inf).reshape(len(order), -1).min(1)
    return (chosen - least)[spoken]


def main() -> None:
    """Measures, prints, plots and writes the result file."""
    quick = reporting.arguments(__doc__, "a tenth of the positions").parse_args().quick
    use_cache()
    rows = []
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("comparing", total=len(COUNTS) * len(ENGINES))
        for level, count in COUNTS.items():
            count = count // 10 if quick else count
            every = stuck_positions(Opening.of(LEVELS[level]), SEED, count)
            truth = infer(every)
            for name in ENGINES:
                bar.update(task, description=f"{name} on {level}")
                fewer = FEWER.get(name, count)
                most = min(count, fewer // 10 if quick and name in FEWER else fewer)
                some = jax.tree.map(lambda leaf, most=most: leaf[..., :most], every)
                part = jax.tree.map(lambda leaf, most=most: leaf[:most], truth)
                rows.append({"engine": name, "level": level} | compare(name, some, part))
                bar.advance(task)
    report(rows)
    if not quick:
        about = reporting.origin(seed=SEED, start="safe, in the corner", budgets=budgets())
        reporting.write("engines", about | {"rows": rows})
        plot(rows, reporting.RESULTS / "engines.png")


def budgets() -> dict:
    """When the samplers stop, unless told otherwise."""
    chains, plain = Chains(), Rejection()
    return {
        "chains": {
            "chains": chains.chains,
            "standard_error": chains.tolerance,
            "most_sweeps": chains.sweeps,
        },
        "rejection": {"tolerance": plain.tolerance, "most_samples": plain.samples},
    }


def report(rows: list[dict]) -> None:
    """The table."""
    table = Table(title="engines against the exact one")
    for column in ("level", "engine", "with odds", "largest error", "mean", "≤ 4 s.e.", "ms"):
        table.add_column(column, justify="left" if column in ("level", "engine") else "right")

    def show(value: float | None, form: str) -> str:
        return "–" if value is None else form.format(value)

    for row in rows:
        table.add_row(
            row["level"],
            row["engine"],
            f"{row['share_with_odds']:.1%}",
            show(row["largest_error"], "{:.1e}"),
            show(row["mean_error"], "{:.1e}"),
            show(row["within_4_standard_errors"], "{:.2%}"),
            f"{row['milliseconds_a_position']:.2f}",
        )
    Console().print(table)


def plot(rows: list[dict], file: Path) -> None:
    """Error against time, both in powers of ten; exact engines differ by rounding alone."""
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    colours = dict(zip(ENGINES, plt.get_cmap("tab10").colors, strict=False))  # pyright: ignore
    markers = dict(zip(COUNTS, "o^s", strict=True))
    for row in rows:
        if row["largest_error"] is not None:
            axes.scatter(
                row["milliseconds_a_position"],
                max(row["largest_error"], 1e-8),
                color=colours[row["engine"]],
                marker=markers[row["level"]],
                s=70,
                edgecolor="white",
            )
    for name in dict.fromkeys(row["engine"] for row in rows if row["largest_error"] is not None):
        axes.scatter([], [], color=colours[name], label=name)
    for level, marker in markers.items():
        axes.scatter([], [], color="grey", marker=marker, label=level)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="milliseconds a position, in a batch",
        ylabel="largest error of a probability",
        title="Engines on stuck positions, against the exact one",
    )
    axes.grid(alpha=0.3)
    axes.legend(ncols=2, fontsize="small")
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
