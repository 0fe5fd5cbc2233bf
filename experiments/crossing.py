"""From how many positions on the device is faster than the scalar path, in a process that runs.

    python experiments/crossing.py [--quick]

Both infer the same stuck expert positions, alternately, after a warm-up; medians. The constant
`SCALAR_POSITIONS` of `jaxsweep.inference` is chosen by this. Writes `results/crossing.json`.
"""

import statistics
import time

import jax
import numpy as np

import reporting
from jaxsweep.engines.exact import Exact
from jaxsweep.engines.scalar import Scalar
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.stuck_positions import stuck_positions

SEED = 12
SIZES = (1, 4, 16, 32, 48, 64, 96, 128, 256)
REPEATS = 15


def main() -> None:
    """Measures, prints and writes the result file."""
    parsed = reporting.arguments(__doc__, "two repeats").parse_args()
    use_cache()
    batch = jax.device_get(stuck_positions(Opening.of(LEVELS["expert"]), SEED, max(SIZES)))
    engines = {"scalar": Scalar(), "device": Exact()}
    rows = []
    for size in SIZES:
        some = jax.tree.map(lambda leaf, n=size: leaf[..., :n], batch)
        seeds = np.zeros(size, np.uint32)
        times: dict[str, list[float]] = {name: [] for name in engines}
        for repeat in range((2 if parsed.quick else REPEATS) + 1):
            for name, engine in engines.items():
                began = time.perf_counter()
                engine.infer(some, seeds)
                if repeat:
                    times[name].append((time.perf_counter() - began) * 1e3)
        rows.append({"positions": size, **{n: statistics.median(t) for n, t in times.items()}})
        print(", ".join(f"{name} {value:.4g}" for name, value in rows[-1].items()))
    if not parsed.quick:
        about = reporting.origin(measures="median milliseconds of a call", seed=SEED)
        reporting.write("crossing", about | {"repeats": REPEATS, "milliseconds": rows})


if __name__ == "__main__":
    main()
