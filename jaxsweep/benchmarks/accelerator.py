"""What the arena asks of an accelerator: counted, measured on this device, and modelled.

`python -m jaxsweep.bench --accelerator` runs it. Each kernel is compiled with counters in its loops
and branches (`trip_counts`), its work is counted in the program that XLA made of it (`hlo_counts`),
it is timed, and its time on devices with published figures is modelled (`accelerator_model`).
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from jaxtyping import PyTree

from jaxsweep.beliefs import Beliefs
from jaxsweep.benchmarks.accelerator_model import (
    ACCELERATORS,
    Accelerator,
    Work,
    known_accelerator,
)
from jaxsweep.benchmarks.counted_program import CountedProgram, Kernel, work_facts
from jaxsweep.benchmarks.hlo_module import Module
from jaxsweep.environment import Environment, EnvState, random_cells
from jaxsweep.rules.bitboard import vmap_last
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.simulation import device_state, episode, scheduler
from jaxsweep.simulation.device_state import (
    ACCELERATOR_BUCKET,
    HOST_BATCH,
    Answers,
    ProgramConfig,
    records_for,
)
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage
from jaxsweep.simulation.matches import play_and_report
from jaxsweep.simulation.settings import GAMES_PER_ACCELERATOR
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import STRATEGIES, AbstractStrategy, LeastRisk

SEED = 2026

PLAYER = "exact"
"""The player of the games: its guesses are part of the device's program."""

GUESS = ("inference", "choice")
"""The kernels that a guess consists of."""

WARM_STEPS = 32
"""Steps of the environment before the one that counts: games are then of all ages."""

CALLS = 6
"""Calls of the arena's program that are counted, after as many that warm up."""

SECONDS = 10.0
"""The least time for which whole games are measured."""


def measure_kernels(opening: Opening, bucket: int, repeats: int) -> Iterator[Kernel]:
    """Counts and times the kernels of the arena, the exact inference and the environment's step."""
    arrays, seed = OpeningArrays.of(opening), np.uint32(SEED)
    openings, strategy = arrays.broadcast(bucket), LeastRisk()

    def run(name: str, function: Callable[..., PyTree], *arguments: PyTree) -> Kernel:
        return CountedProgram(function, arguments).kernel(name, arguments, repeats)

    def choose(episodes: Episode, positions: Position, beliefs: Beliefs) -> Episode:
        keys = vmap_last(partial(episode.key_for, seed=seed))(episodes)
        move, _ = strategy.decide_on_device(positions, beliefs, keys)
        return episode.apply_move(episodes, move)

    deal = vmap_last(partial(episode.deal, arrays, seed))
    numbers = np.arange(bucket, dtype=np.uint32)
    episodes = jax.jit(deal)(numbers)
    yield run("deal", deal, numbers)
    rounds = {
        "single-cell round": lambda x: episode.play_single_round(openings, strategy.rules, x),
        "pair round": lambda x: episode.play_pair_round(openings, x),
    }
    for name, play in rounds.items():
        yield run(name, play, episodes)
    positions = stuck_positions(opening, SEED, bucket)
    inference = CountedProgram(LeastRisk.infer_on_device, (positions,))
    yield inference.kernel("inference", (positions,), repeats)
    yield run("choice", choose, episodes, positions, inference(positions)[0])
    yield _environment_step(opening, bucket, repeats)


def _environment_step(opening: Opening, batch: int, repeats: int) -> Kernel:
    """Counts and times a step at random cells, in games of all ages."""
    environment, seed = Environment(opening.level, opening.start), np.uint32(SEED)

    def step(state: EnvState, row: jax.Array, col: jax.Array) -> EnvState:
        return environment.step_and_reset(state, row, col, seed)[0]

    keys = jax.random.split(jax.random.key(SEED), WARM_STEPS)
    cells = [random_cells(opening.level, key, batch) for key in keys]
    state = environment.reset(batch)
    program = CountedProgram(step, (state, *cells[0]))
    for each in cells:
        state, _ = program(state, *each)
    return program.kernel("environment step", (state, *cells[0]), repeats)


@dataclass(frozen=True)
class Games:
    """Whole games by the arena's program, with guesses on the device."""

    player: str
    slots: int
    """Games under way of each worker."""
    games: int
    """Games that finished in the counted calls."""
    calls: int
    turns: dict[str, float] | None
    """Turns of the program a game, by what the games of the bucket waited for; None if the compiler
    has changed the program beyond recognition."""
    single_rounds: float | None
    """Single-cell rounds of the program a game: a turn has several."""
    moves: float
    """Guesses of a game, and cells that the engine proved safe."""
    rounds: float
    """Rounds of a game in which it opened a cell."""
    guess_fill: float | None
    """The share of a bucket that had a guess to make, by the guesses of the games that finished."""
    work: Work
    """Of one game."""
    unknown_loops: int
    temporary_bytes: int
    argument_bytes: int
    output_bytes: int
    measured_games: int
    """Games of the arena that were timed, on all workers of this machine."""
    games_per_second: float
    device_peak_bytes: int | None
    """As the device counts it; None where it does not."""

    def facts(self, here: Accelerator | None) -> dict[str, Any]:
        """Returns everything for JSON, with modelled times and games a second of one worker."""
        memory = self.temporary_bytes + self.argument_bytes + self.output_bytes
        found = asdict(self) | work_facts(self.work, here)
        return found | {
            "memory_megabytes": memory / 1e6,
            "modelled_games_per_second": rates(found["modelled"], 1),
        }


def measure_games(player: str, opening: Opening, bucket: int) -> Games:
    """Counts the arena's program over some calls, and times the arena.

    As many games are under way as the arena has by default for this bucket.
    """
    strategy, slots = STRATEGIES[player], bucket * GAMES_PER_ACCELERATOR // ACCELERATOR_BUCKET
    records = records_for(slots, bucket)
    config = ProgramConfig(strategy.rules, strategy, slots, bucket, records)
    arrays = OpeningArrays.of(opening)
    answers = device_state.no_answers(config, arrays)
    state = device_state.initial_state(config, arrays, 0, 2**31 - 1, 1)
    seed = jax.device_put(np.uint32(SEED))
    program = CountedProgram(partial(scheduler.run, config), (seed, arrays, state, answers))
    answers = Answers(answers.slot, answers.answered, answers.moves, jax.device_put(np.True_))
    counts, played = np.zeros(0), []
    for call in range(2 * CALLS):
        (state, _), found = program(seed, arrays, state, answers)
        if call >= CALLS:
            counts = found if not len(counts) else counts + found
            number = int(state.finished_count)
            played.append([np.asarray(x)[:number] for x in _statistics(state.finished.episode)])
    moves, rounds = (np.concatenate(part) for part in zip(*played, strict=True))
    games = len(moves)
    per_call = program.count(counts)
    turns = _turns(program.module, counts)
    guess_turns = None if turns is None else max(turns[Stage.GUESS], 1.0)
    measured, rate = _time_games(strategy, opening, slots, bucket)
    return Games(
        player=player,
        slots=slots,
        games=games,
        calls=CALLS,
        turns=_per_game(turns, games),
        single_rounds=_single_rounds(program.module, counts, games),
        moves=float(moves.mean()),
        rounds=float(rounds.mean()),
        guess_fill=guess_turns and min(1.0, float(moves.sum()) / (guess_turns * bucket)),
        work=per_call.work * (CALLS / games),
        unknown_loops=per_call.unknown_loops,
        **program.memory(),
        measured_games=measured,
        games_per_second=rate,
        device_peak_bytes=_peak_bytes(),
    )


def _statistics(episodes: Episode) -> tuple[jax.Array, jax.Array]:
    return episodes.strategy_moves, episodes.rounds


def _per_game(turns: list[float] | None, games: int) -> dict[str, float] | None:
    """Returns turns by the name of their stage, for one game."""
    if turns is None:
        return None
    return {stage.name.lower(): turns[stage] / games for stage in Stage}


def _turns(module: Module, counts: np.ndarray) -> list[float] | None:
    """Returns the turns of each stage, if the branch by stage can be found."""
    branch = module.branch_of(len(Stage))
    if branch is None or branch.site is None:
        return None
    return counts[branch.site :][: len(Stage)].astype(float).tolist()


def _single_rounds(module: Module, counts: np.ndarray, games: int) -> float | None:
    """Returns the single-cell rounds of a game, if their loop can be found."""
    branch = module.branch_of(len(Stage))
    if branch is None:
        return None
    single = module.computations[branch.called("branch_computations")[Stage.SINGLE]]
    sites = [each.site for each in single.instructions.values() if each.opcode == "while"]
    found = [site for site in sites if site is not None]
    return float(counts[found[0] + 1]) / games if found else None


def _time_games(
    strategy: AbstractStrategy, opening: Opening, slots: int, bucket: int
) -> tuple[int, float]:
    """Returns how many games were played on all workers, and how many a second."""
    reports = play_and_report(
        strategy,
        opening,
        SEED,
        2**31 - 1,
        slots,
        compare_losses=False,
        guess_on_host=False,
        bucket=bucket,
    )
    # What the device has no room for is guessed on the host: compiled before the clock starts.
    few = stuck_positions(opening, SEED, HOST_BATCH)
    strategy.guess(few, jax.random.split(jax.random.key(SEED), HOST_BATCH))
    warm = played = 0
    while warm < slots:
        warm += len(next(reports).record)
    began = time.perf_counter()
    while not played or time.perf_counter() - began < SECONDS:
        played += len(next(reports).record)
    rate = played / (time.perf_counter() - began)
    reports.close()
    return played, rate


def _peak_bytes() -> int | None:
    """Returns the most memory that the device has had in use, where it counts that."""
    found = jax.local_devices()[0].memory_stats() or {}
    return found.get("peak_bytes_in_use")


def measure(opening: Opening, bucket: int, repeats: int) -> dict[str, Any]:
    """Counts, times and models everything; returns it for JSON."""
    device = jax.local_devices()[0]
    here = known_accelerator(device.device_kind)
    kernels = {kernel.name: kernel for kernel in measure_kernels(opening, bucket, repeats)}
    guess = sum((kernels[part].work for part in GUESS), Work())
    games = measure_games(PLAYER, opening, bucket)
    return {
        "unit": "microseconds of a bucket; of one game",
        "seed": SEED,
        "board": str(opening.level),
        "start": opening.start.value,
        "platform": device.platform,
        "device_kind": device.device_kind,
        "device_memory": device.memory_stats(),
        "bucket": bucket,
        "repeats": repeats,
        "accelerators": [asdict(each) for each in ACCELERATORS.values()],
        "kernels": [kernel.facts(here) for kernel in kernels.values()],
        "guess": {
            "parts": GUESS,
            "microseconds": sum(kernels[part].microseconds for part in GUESS),
            **work_facts(guess, here),
        },
        "inference_per_second": _per_second(kernels["inference"], bucket, here),
        "environment_steps_per_second": _per_second(kernels["environment step"], bucket, here),
        "games": games.facts(here),
    }


def _per_second(kernel: Kernel, batch: int, here: Accelerator | None) -> dict[str, Any]:
    """Returns how many of a batch a kernel does a second, measured and modelled."""
    times = work_facts(kernel.work, here)["modelled"]
    return {"measured": batch / kernel.microseconds * 1e6, "modelled": rates(times, batch)}


def rates(times: dict[str, Any], units: int) -> dict[str, float | None]:
    """Returns units a second for modelled times; None where there is none."""
    return {name: one and units / one["microseconds"] * 1e6 for name, one in times.items()}
