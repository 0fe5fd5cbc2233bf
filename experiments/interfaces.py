"""How many steps a second the interfaces take, beside jumanji's own Minesweeper.

    python experiments/interfaces.py [--quick]

1,024 games with automatic reset, and 4,096, uniformly random cells: jumanji's Minesweeper, the pure
functions under `jax.vmap`, and Gymnasium's batch of 1,024 with NumPy in and out. All take turns in
one process, after a warm-up; medians with quartiles over the rounds, of steps a second and of
processor time a step. Ratios are of the same round, so that what else the machine does falls on
both sides. Writes `results/interfaces.json`.
"""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from jumanji.environments.logic.minesweeper.env import Minesweeper
from jumanji.environments.logic.minesweeper.generator import UniformSamplingGenerator
from jumanji.wrappers import VmapAutoResetWrapper

import reporting
from jaxsweep.functional import FunctionalEnvironment
from jaxsweep.rules.level import LEVELS, Level
from jaxsweep.runtime.compilation import use_cache

SEED, ROUNDS = 2026, 15
GAMES, MANY_GAMES = 1024, 4096
SMALL, EXPERT = Level(10, 10, 10), LEVELS["expert"]

PAIRS = (
    ("functional 10×10/10", "jumanji 10×10/10"),
    ("functional 16×30/99", "jumanji 16×30/99"),
    ("functional 16×30/99, 4,096 games", "jumanji 16×30/99, 4,096 games"),
    ("gymnasium 16×30/99", "jumanji 16×30/99"),
    ("gymnasium 16×30/99", "functional 16×30/99"),
)
"""Whose ratios are told."""


@dataclass
class Task:
    """What is timed, and how long it took in each round."""

    call: Callable[[], Any]
    steps: int
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Times one call."""
        began, worked = time.perf_counter(), time.process_time()
        jax.block_until_ready(self.call())
        self.seconds.append(time.perf_counter() - began)
        self.processor.append(time.process_time() - worked)

    def summary(self) -> dict[str, Any]:
        """The medians, with quartiles."""
        rates = np.percentile([self.steps / taken for taken in self.seconds], [25, 50, 75])
        spent = np.percentile([1e6 * taken / self.steps for taken in self.processor], [25, 50, 75])
        return {
            "steps_a_call": self.steps,
            "steps_per_second": float(rates[1]),
            "quartiles": [float(rates[0]), float(rates[2])],
            "processor_microseconds_a_step": float(spent[1]),
            "processor_quartiles": [float(spent[0]), float(spent[2])],
        }


def cells_of(level: Level, turns: int, games: int) -> np.ndarray:
    """Random cells, `[turns, games]`."""
    return np.random.default_rng(SEED).integers(0, level.cells, (turns, games), np.int32)


def functional(level: Level, turns: int, games: int) -> Task:
    """The pure functions: all turns in one program, which carries states and what is seen."""
    environment = FunctionalEnvironment(level)
    step = jax.vmap(environment.step_and_reset)
    begun = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.key(SEED), games))
    cells = jnp.asarray(cells_of(level, turns, games))
    start = jax.jit(step)(begun, cells[0])

    @jax.jit
    def play(start, cells):
        return jax.lax.scan(lambda last, cell: (step(last[0], cell), None), start, cells)[0]

    return Task(lambda: play(start, cells), turns * games)


def jumanji(level: Level, turns: int, games: int) -> Task:
    """As `functional`, jumanji's Minesweeper."""
    size = UniformSamplingGenerator(num_rows=level.rows, num_cols=level.cols, num_mines=level.mines)
    environment = VmapAutoResetWrapper(Minesweeper(size))
    keys = jax.random.split(jax.random.PRNGKey(SEED), games)
    begun, _ = jax.jit(environment.reset)(keys)
    cells = cells_of(level, turns, games)
    actions = jnp.asarray(np.stack([cells // level.cols, cells % level.cols], axis=-1))
    start = jax.jit(environment.step)(begun, actions[0])

    @jax.jit
    def play(start, actions):
        return jax.lax.scan(
            lambda last, action: (environment.step(last[0], action), None), start, actions
        )[0]

    return Task(lambda: play(start, actions), turns * games)


def gym(level: Level, turns: int, games: int) -> Task:
    """Gymnasium's batch, of automatic reset at the next step: a Python loop."""
    envs = gymnasium.make_vec(
        "jaxsweep:jaxsweep/Custom-v0", games, rows=level.rows, cols=level.cols, mines=level.mines
    )
    envs.reset(seed=SEED)
    cells = cells_of(level, turns, games)

    def play() -> None:
        for chosen in cells:
            envs.step(chosen)

    return Task(play, turns * games)


def main() -> None:
    """Measures, prints and writes the result file."""
    parsed = reporting.arguments(__doc__, "two rounds").parse_args()
    use_cache()
    tasks = {
        name: make(level, turns, games)
        for name, make, level, turns, games in (
            ("jumanji 10×10/10", jumanji, SMALL, 8, GAMES),
            ("functional 10×10/10", functional, SMALL, 64, GAMES),
            ("jumanji 16×30/99", jumanji, EXPERT, 4, GAMES),
            ("functional 16×30/99", functional, EXPERT, 32, GAMES),
            ("gymnasium 16×30/99", gym, EXPERT, 32, GAMES),
            ("jumanji 16×30/99, 4,096 games", jumanji, EXPERT, 2, MANY_GAMES),
            ("functional 16×30/99, 4,096 games", functional, EXPERT, 32, MANY_GAMES),
        )
    }
    load = [os.getloadavg()[0]]
    for task in tasks.values():
        jax.block_until_ready(task.call())
    for _ in range(2 if parsed.quick else ROUNDS):
        for task in tasks.values():
            task.run()
    load.append(os.getloadavg()[0])
    rows = {name: task.summary() for name, task in tasks.items()}
    ratios = [ratio(tasks, ours, theirs) for ours, theirs in PAIRS]
    for name, row in rows.items():
        rate, spent = row["steps_per_second"], row["processor_microseconds_a_step"]
        print(f"{name}: {rate:,.0f} steps/s, {spent:.3g} µs of a processor each")
    for each in ratios:
        print(f"{each['of']} / {each['to']}: {each['median']:.3g} × as fast, ", end="")
        print(f"{each['processor']:.3g} × for the same processor time")
    print(f"load {load[0]:.1f} to {load[1]:.1f}")
    if not parsed.quick:
        about = reporting.origin(
            seed=SEED, games=[GAMES, MANY_GAMES], rounds=ROUNDS, load_average=load
        )
        reporting.write("interfaces", about | {"interfaces": rows, "ratios": ratios})


def ratio(tasks: dict[str, Task], ours: str, theirs: str) -> dict[str, Any]:
    """How many times as fast one is as another, by the clock and for the same processor time."""
    one, other = tasks[ours], tasks[theirs]
    scale = one.steps / other.steps
    by_clock = [scale * b / a for a, b in zip(one.seconds, other.seconds, strict=True)]
    by_work = [scale * b / a for a, b in zip(one.processor, other.processor, strict=True)]
    low, high = np.percentile(by_clock, [25, 75])
    return {
        "of": ours,
        "to": theirs,
        "median": statistics.median(by_clock),
        "quartiles": [float(low), float(high)],
        "processor": statistics.median(by_work),
    }


if __name__ == "__main__":
    main()
