"""How long a person waits for a first answer: commands in new processes, from start to exit.

    python experiments/coldstart.py [--quick] [--samples N] [--no-arena]

Each sample is a new process; "cold" ones begin with an empty compilation cache, "warm" ones with
one that the same command has filled. Times are wall-clock seconds, medians, and ratios to
`python -c "import jax"` in the same run. Also the time from the key to the first hint in the
window, and the time of an analysis in a process that runs already. Writes
`results/coldstart.json`.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import jax

import reporting
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.notation import to_text
from jaxsweep.rules.position import to_grid_position
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.single.analysis import analyze

SEED = 3
ANALYSED = 500
"""Positions that are analysed in one process."""

CERTAIN = "8x6x8\n01HHHHHH\n01H2HHHH\n0111HHHH\n0001HHHH\n1101HHHH\nH101HHHH\n"
"""A position with certain cells."""

RAGGED = "4x3x2\n01HH\n01H\n011H\n"

HINT = """
import os, time
os.environ["SDL_VIDEODRIVER"] = "dummy"
from jaxsweep.rules.level import LEVELS
from jaxsweep.runtime.compilation import use_cache
from viewer import events
from viewer.engine_worker import EngineWorker
from viewer.model import Settings
from viewer.update import start
from viewer.window import Window

if __name__ == "__main__":
    use_cache()
    window = Window(start(Settings(level=LEVELS["expert"], seed=3)), EngineWorker())
    window.frame(0.02)
    place = window.model.layout.place((8, 15))
    for event in (events.Press, events.Release):
        window.send(event(place, events.LEFT))
    # A person reads a board before asking: two seconds, as after any start.
    pause = time.perf_counter() + float(os.environ["PAUSE"])
    while time.perf_counter() < pause:
        window.frame(0.02)
        time.sleep(0.01)
    began = time.perf_counter()
    window.send(events.Key("h", "h"))
    while window.model.play.hint is None:
        window.frame(0.005)
        time.sleep(0.002)
    print(time.perf_counter() - began)
    window.close()
"""


Timed = Callable[[dict[str, str]], float]
"""Takes the environment of a process, and returns seconds."""


def command(arguments: Sequence[str], text: str = "", status: int = 0) -> Timed:
    """Returns how to time `python` with these arguments, from start to exit."""
    return partial(_run, arguments, text, status)


def _run(arguments: Sequence[str], text: str, status: int, environment: dict[str, str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], input=text, text=True, env=environment, capture_output=True
    )
    seconds = time.perf_counter() - began
    if done.returncode != status:
        raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return seconds


def first_hint(pause: float, environment: dict[str, str]) -> float:
    """Returns the seconds from the key to the hint, in a window opened so long before."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "hint.py"
        script.write_text(HINT)
        done = subprocess.run(
            [sys.executable, str(script)],
            env=environment | {"PAUSE": str(pause)},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout.split()[-1])


def cases(stuck: str, with_arena: bool) -> dict[str, Timed]:
    """Returns what is timed, by name."""
    module = [f"-m jaxsweep.{name}".split() for name in ("analyze", "play", "arena", "bench")]
    analyse, play, arena, bench = module
    timed: dict[str, Timed] = {
        "import jax": command(["-c", "import jax"]),
        "analyze, a guess": command(analyse, text=stuck),
        "analyze, a certain cell": command(analyse, text=CERTAIN),
        "analyze, a ragged board": command(analyse, text=RAGGED, status=2),
        "analyze --engine nonsense": command([*analyse, "--engine", "no"], status=2),
        "play expert --delay 0": command([*play, "expert", "--delay", "0", "--seed", str(SEED)]),
        "play -h": command([*play, "-h"]),
        "play --strategy nonsense": command([*play, "--strategy", "no"], status=2),
        "arena -h": command([*arena, "-h"]),
        "bench -h": command([*bench, "-h"]),
        "window, first hint at once": partial(first_hint, 0.0),
        "window, first hint after 2 s": partial(first_hint, 2.0),
    }
    if with_arena:
        timed["arena expert --games 2000"] = command(
            [*arena, "expert", "--games", "2000", "--seed", str(SEED)]
        )
    return timed


def running_process(count: int) -> list[float]:
    """Returns the milliseconds that analyses of stuck expert positions take, one by one."""
    batch = stuck_positions(Opening.of(LEVELS["expert"]), SEED, count)
    times = []
    for i in range(count):
        position = to_grid_position(jax.tree.map(lambda leaf, i=i: leaf[..., i], batch))
        began = time.perf_counter()
        analyze([position])
        times.append((time.perf_counter() - began) * 1e3)
    return times


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = reporting.arguments(__doc__, "one sample")
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--no-arena", action="store_true", help="leave out the arena")
    parsed = parser.parse_args()
    samples = 1 if parsed.quick else parsed.samples
    batch = stuck_positions(Opening.of(LEVELS["expert"]), SEED, 8)
    stuck = to_text(to_grid_position(jax.tree.map(lambda leaf: leaf[..., 7], batch)))
    measured: dict[str, list[float]] = {}
    for _ in range(samples):
        for name, measure in cases(stuck, not parsed.no_arena).items():
            with tempfile.TemporaryDirectory() as cache:
                environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": cache}
                environment.pop("PYTHONDONTWRITEBYTECODE", None)
                for state in ("cold", "warm"):
                    measured.setdefault(f"{name}, {state}", []).append(measure(environment))
    reference = statistics.median(measured["import jax, warm"])
    summary = {
        name: {
            "median": statistics.median(times),
            "range": [min(times), max(times)],
            "times_import_jax": statistics.median(times) / reference,
        }
        for name, times in measured.items()
    }
    running = sorted(running_process(20 if parsed.quick else ANALYSED))
    in_process = {
        "positions": len(running),
        "median_ms": statistics.median(running),
        "percentile_99_ms": running[int(0.99 * (len(running) - 1))],
        "longest_ms": running[-1],
    }
    if not parsed.quick:
        about = reporting.origin(
            measures="seconds from start to exit of commands in new processes, with an empty "
            "(cold) and a filled (warm) compilation cache; seconds from the key to the "
            "window's hint; milliseconds of an analysis in a running process",
            seed=SEED,
            samples=samples,
        )
        reporting.write("coldstart", about | {"seconds": summary, "running_process": in_process})
    for name, seconds in summary.items():
        low, high = seconds["range"]
        print(
            f"{name}: {seconds['median']:.2f} s ({low:.2f} to {high:.2f}), "
            f"{seconds['times_import_jax']:.2f} × import jax"
        )
    print(
        f"in a running process, {in_process['positions']} positions: median "
        f"{in_process['median_ms']:.1f} ms, 99 % {in_process['percentile_99_ms']:.1f} ms, "
        f"longest {in_process['longest_ms']:.1f} ms"
    )


if __name__ == "__main__":
    main()
