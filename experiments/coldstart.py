"""How long a person waits: for the first move of `play`, and for `analyze` of an expert position.

Each sample is a new process; cold ones begin with an empty compilation cache.

    python experiments/coldstart.py [--quick] [--samples N]

Writes `results/coldstart.json`.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import jax

import reporting
from jaxsweep.rules import position
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.simulation.stuck_positions import stuck_positions

SEED = 3


def first_move(environment: dict[str, str]) -> float:
    """Seconds from starting `play` to the line of its first move."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxsweep.play", "--seed", str(SEED)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    next(line for line in process.stdout if line.startswith("move 1"))
    seconds = time.perf_counter() - began
    process.stdout.read()
    if process.wait():
        raise RuntimeError("play failed")
    return seconds


def analysis(environment: dict[str, str]) -> float:
    """Seconds that `analyze` takes for one stuck expert position, from start to exit."""
    batch = stuck_positions(Opening.of(LEVELS["expert"]), SEED, 8)
    text = position.to_text(jax.tree.map(lambda leaf: leaf[..., 7], batch))
    began = time.perf_counter()
    command = [sys.executable, "-m", "jaxsweep.analyze"]
    subprocess.run(
        command, input=text, text=True, env=environment, check=True, stdout=subprocess.PIPE
    )
    return time.perf_counter() - began


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = reporting.arguments(__doc__, "one sample")
    parser.add_argument("--samples", type=int, default=5)
    parsed = parser.parse_args()
    samples = 1 if parsed.quick else parsed.samples
    measured: dict[str, list[float]] = {}
    for _ in range(samples):
        for name, measure in (("play", first_move), ("analyze", analysis)):
            with tempfile.TemporaryDirectory() as cache:
                environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": cache}
                for state in ("cold", "warm"):
                    measured.setdefault(f"{name}, {state}", []).append(measure(environment))
    summary = {
        name: {"median": statistics.median(times), "range": [min(times), max(times)]}
        for name, times in measured.items()
    }
    if not parsed.quick:
        about = reporting.origin(
            measures="seconds to the first move of python -m jaxsweep.play, and of a whole "
            "python -m jaxsweep.analyze of a stuck expert position",
            seed=SEED,
            samples=samples,
        )
        reporting.write("coldstart", about | {"seconds": summary})
    for name, seconds in summary.items():
        low, high = seconds["range"]
        print(f"{name}: {seconds['median']:.2f} s ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
