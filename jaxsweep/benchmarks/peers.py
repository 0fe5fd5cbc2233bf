"""Comparisons with other libraries on the same boards: `python -m jaxsweep.bench --peers`.

Libraries that are not installed are left out, and listed as missing.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import jax
import jax.numpy as jnp
import numpy as np

from jaxsweep.environment import Environment
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard, position
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.simulation.stuck_positions import stuck_positions

SEED, BATCH, STEPS, POSITIONS = 2026, 4096, 16, 256
LEVEL = LEVELS["expert"]


@dataclass(frozen=True)
class Comparison:
    """The rate of each side at the same task, per second: medians over alternating repeats."""

    peer: str
    what: str
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """How many times faster jaxsweep is."""
        return self.ours / self.theirs


def compare_all(repeats: int) -> tuple[list[Comparison], list[str]]:
    """Returns all comparisons with installed libraries, and the names of missing ones."""
    peers = {"jumanji": _jumanji, "ms_toollib": _ms_toollib}
    missing = [name for name in peers if find_spec(name) is None]
    found = [
        Comparison(name, what, *_rates(ours, theirs, count, repeats))
        for name, make in peers.items()
        if name not in missing
        for what, ours, theirs, count in make()
    ]
    return found, missing


Task = tuple[str, Callable[[], object], Callable[[], object], int]
"""A description, our call, their call, and how many times a call does it."""


def _rates(
    ours: Callable[[], object], theirs: Callable[[], object], count: int, repeats: int
) -> tuple[float, float]:
    """Returns both rates per second; calls alternate, so that both meet the same noise."""
    calls, seconds = (ours, theirs), ([], [])
    for call in calls:
        jax.block_until_ready(call())
    for _ in range(repeats):
        for call, taken in zip(calls, seconds, strict=True):
            began = time.perf_counter()
            jax.block_until_ready(call())
            taken.append(time.perf_counter() - began)
    return tuple(count / float(np.median(taken)) for taken in seconds)  # pyright: ignore[reportReturnType]


def _jumanji() -> list[Task]:
    """Environment steps: at random cells with automatic reset, and at safe cells without."""
    from jumanji.environments.logic.minesweeper.env import (  # pyright: ignore[reportMissingImports]
        Minesweeper,
    )
    from jumanji.environments.logic.minesweeper.generator import (  # pyright: ignore[reportMissingImports]
        UniformSamplingGenerator,
    )
    from jumanji.wrappers import AutoResetWrapper  # pyright: ignore[reportMissingImports]

    ours, seed = Environment(LEVEL), jnp.uint32(SEED)
    theirs = Minesweeper(
        generator=UniformSamplingGenerator(
            num_rows=LEVEL.rows, num_cols=LEVEL.cols, num_mines=LEVEL.mines
        )
    )

    def our_steps(step, state, cells):
        return jax.lax.scan(
            lambda s, c: step(s, c // LEVEL.cols, c % LEVEL.cols, seed), state, cells
        )

    def their_steps(step, state, cells):
        actions = jnp.stack([cells // LEVEL.cols, cells % LEVEL.cols], axis=-1)
        return jax.lax.scan(lambda s, a: jax.vmap(step)(s, a), state, actions)

    keys = jax.random.split(jax.random.key(SEED), BATCH)
    started, _ = jax.jit(jax.vmap(theirs.reset))(keys)
    random_cells = jax.random.randint(keys[0], (STEPS, BATCH), 0, LEVEL.cells, jnp.int32)
    hidden = ours.reset(BATCH)
    corner = jnp.zeros((BATCH,), jnp.int32)
    begun, _ = jax.jit(ours.step)(hidden, corner, corner, seed)
    their_mines = np.zeros((BATCH, LEVEL.cells), bool)
    np.put_along_axis(their_mines, np.asarray(started.flat_mine_locations), True, axis=1)
    auto = AutoResetWrapper(theirs)
    return [
        (
            "steps with automatic reset",
            partial(jax.jit(partial(our_steps, ours.step_and_reset)), hidden, random_cells),
            partial(jax.jit(partial(their_steps, auto.step)), started, random_cells),
            BATCH * STEPS,
        ),
        (
            "steps without reset, safe cells given",
            partial(
                jax.jit(partial(our_steps, ours.step)), begun, _safe_cells(_grids(begun.mines))
            ),
            partial(jax.jit(partial(their_steps, theirs.step)), started, _safe_cells(their_mines)),
            BATCH * STEPS,
        ),
    ]


def _grids(mines: jax.Array) -> np.ndarray:
    """Unpacks mines to `[batch, cells]`."""
    return bitboard.unpack_batch(mines)[:, :, : LEVEL.cols].reshape(BATCH, -1)


def _safe_cells(mines: np.ndarray) -> jax.Array:
    """Returns different safe cells of each game, one per step: `[steps, batch]`."""
    order = np.random.default_rng(SEED).random(mines.shape)
    order[mines] = np.inf
    return jnp.asarray(np.argsort(order, axis=1)[:, :STEPS].T.astype(np.int32))


def _ms_toollib() -> list[Task]:
    """Mine probabilities of stuck expert positions: ours in a batch, theirs one by one."""
    import ms_toollib  # pyright: ignore[reportMissingImports]

    batch = jax.device_get(stuck_positions(Opening.of(LEVEL), SEED, POSITIONS))
    grids = [
        position.to_grid(jax.tree.map(lambda leaf, i=i: leaf[..., i], batch))
        for i in range(POSITIONS)
    ]
    boards = [np.where(grid < 0, 10, grid).tolist() for grid in grids]

    def theirs() -> list:
        return [ms_toollib.cal_probability_onboard(board, LEVEL.mines) for board in boards]

    return [("exact odds of stuck positions", partial(infer, batch), theirs, POSITIONS)]
