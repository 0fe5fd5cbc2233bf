"""The kernels that `python -m jaxsweep.bench` times, on boards made from a fixed seed."""

from functools import partial

import jax
import numpy as np
from jaxtyping import Array, Int

from jaxsweep.benchmarks.catalogue import Call
from jaxsweep.engines import random_layouts, rejection
from jaxsweep.engines.batching import parallel_map, reduce_positions, sizes_of
from jaxsweep.engines.component_index import find_components
from jaxsweep.environment import Environment, EnvState, random_cells
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard, game
from jaxsweep.rules.bitboard import vmap_last
from jaxsweep.rules.deduction import deduce, nothing_certain, single_cell_round
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.simulation.device_state import slots_for
from jaxsweep.simulation.episode import OpeningArrays
from jaxsweep.simulation.matches import play_and_report, play_games
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import STRATEGIES

SEED = 2026

TURNS = 64
"""Steps of the environment before its cells repeat, in other games by then."""


def deal(opening: Opening, batch: int) -> Call:
    """Lay the mines of new games."""
    table = OpeningArrays.of(opening)

    def one(game_number):
        seed = np.uint32(SEED)
        return game.deal_game(seed, game_number, table.cells, table.allowed_mines, table.mines)

    return partial(jax.jit(vmap_last(one)), np.arange(batch, dtype=np.uint32))


def open_first(opening: Opening, batch: int) -> Call:
    """Open the first cell of dealt games, with flood fill."""
    table, dealt = OpeningArrays.of(opening), deal(opening, batch)()
    tables = table.broadcast(batch)
    first = bitboard.single(tables.row, tables.col, tables.cells)
    return partial(jax.jit(game.open_cells), dealt, first)


def single_round(opening: Opening, batch: int) -> Call:
    """One round of both single-cell rules on stuck positions."""
    positions = stuck_positions(opening, SEED, batch)
    return partial(jax.jit(single_cell_round), positions, nothing_certain(positions))


def whole_deduction(opening: Opening, batch: int) -> Call:
    """All rules to a fixpoint on stuck positions."""
    return partial(jax.jit(deduce), stuck_positions(opening, SEED, batch))


def frontiers(opening: Opening, batch: int) -> Call:
    """Single-cell rules and constraint arrays of stuck positions."""
    positions = stuck_positions(opening, SEED, batch)
    return lambda: find_components(reduce_positions(positions))


def inference(opening: Opening, batch: int) -> Call:
    """Exact beliefs of stuck positions, from position to probabilities."""
    return partial(infer, stuck_positions(opening, SEED, batch))


def random_games(opening: Opening, batch: int) -> Call:
    """Whole games of the player `random`."""
    return lambda: list(
        play_games(STRATEGIES["random"], opening, SEED, batch, compare_losses=False)
    )


def half_open(opening: Opening) -> Position:
    """Returns a batch of one stuck position with about half of the board open."""
    positions = jax.device_get(stuck_positions(opening, SEED, 512))
    hidden = sizes_of(positions.hidden)
    nearest = np.argmin(np.abs(hidden - opening.level.cells / 2))
    return jax.tree.map(lambda leaf: leaf[..., nearest : nearest + 1], positions)


def checks_a_layout(opening: Opening) -> int:
    """Returns how many cells of a half-open board a layout places."""
    return int(sizes_of(half_open(opening).hidden)[0])


def placements(opening: Opening, batch: int) -> Call:
    """Random layouts of a half-open board, placed cell by cell, by the rejection engine."""
    position = half_open(opening)
    copies_per_call = min(32, -(-batch // random_layouts.SAMPLES))
    copies = jax.tree.map(lambda leaf: np.repeat(leaf, copies_per_call, axis=-1), position)
    seeds = np.arange(copies_per_call, dtype=np.uint32)
    most = (
        np.int32(sizes_of(position.hidden)[0]),
        np.int32(random_layouts.count_numbers(position)[0]),
    )
    capacity = next(size for size in rejection.CAPACITIES if size >= max(most))

    def sample(i: int) -> random_layouts.SampleSums:
        return jax.block_until_ready(
            random_layouts.sample_batch(copies, seeds, np.int32(i), most, capacity)
        )

    calls = -(-batch // (copies_per_call * random_layouts.SAMPLES))
    return lambda: parallel_map(sample, range(calls))


def environment_steps(opening: Opening, batch: int) -> Call:
    """One step of the environment at random cells, with automatic reset."""
    level, seed = opening.level, np.uint32(SEED)
    environment = Environment(level, opening.start)
    row, col = random_cells(level, jax.random.key(SEED), TURNS * batch)
    rows, cols = row.reshape(TURNS, batch), col.reshape(TURNS, batch)

    @jax.jit
    def step(state: EnvState, turn: Int[Array | np.ndarray, ""]) -> EnvState:
        return environment.step_and_reset(state, rows[turn], cols[turn], seed)[0]

    # What is timed is games under way: all begin, and soon end, in the first steps.
    state, turn = environment.reset(batch), 0

    def call() -> EnvState:
        nonlocal state, turn
        state, turn = step(state, np.array(turn, np.int32)), (turn + 1) % TURNS
        return state

    for _ in range(TURNS):
        call()
    return call


def arena_games(opening: Opening, batch: int) -> Call:
    """Whole games of the player `exact`; games in progress carry over from call to call."""
    in_progress = min(slots_for(jax.local_devices()[0]), max(batch, 64))
    reports = play_and_report(STRATEGIES["exact"], opening, SEED, 2**31 - 1, in_progress)
    surplus = 0

    def call() -> int:
        nonlocal surplus
        while surplus < batch:
            surplus += len(next(reports).record)
        surplus -= batch
        return surplus

    return call
