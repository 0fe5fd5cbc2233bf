"""How long until `python -m jaxsweep.play` shows its first move: cold, and with a warm cache.

Each sample is a new process; cold ones begin with an empty compilation cache.

    python experiments/coldstart.py [--samples N]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jaxsweep import machine

RESULT = Path(__file__).parent / "results" / "coldstart.json"


def first_move(cache: str) -> float:
    """Seconds from starting the process to the line of the first move."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxsweep.play", "--seed", "3"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"JAX_COMPILATION_CACHE_DIR": cache},
    )
    assert process.stdout is not None
    seen = next(line for line in process.stdout if line.startswith("move 1"))
    seconds = time.perf_counter() - began
    assert "first cell" in seen
    process.stdout.read()
    process.wait()
    return seconds


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=7)
    samples = parser.parse_args().samples
    cold, warm = [], []
    for _ in range(samples):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(first_move(cache))
            warm.append(first_move(cache))
    result = {
        "command": f"python experiments/coldstart.py --samples {samples}",
        "measures": "seconds from process start to the first move of python -m jaxsweep.play",
        "seed": 3,
        "samples": samples,
        "cold": {"median": statistics.median(cold), "range": [min(cold), max(cold)]},
        "warm": {"median": statistics.median(warm), "range": [min(warm), max(warm)]},
        "machine": machine.facts(),
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    for name in ("cold", "warm"):
        low, high = result[name]["range"]
        print(f"{name}: {result[name]['median']:.2f} s ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
