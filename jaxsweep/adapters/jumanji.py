"""A jumanji environment, with the observations, actions and specs of jumanji's own Minesweeper.

So networks and training scripts for that one take this one as it is. What is different are the
rules: a 0 opens its neighbours, the first cell is as the start rule says, and rewards are those of
`jaxsweep.functional`. An action that is not legal ends an episode without a reward, as there.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int32
from jumanji.environments.logic.minesweeper import env as original
from jumanji.environments.logic.minesweeper.generator import UniformSamplingGenerator
from jumanji.environments.logic.minesweeper.types import Observation
from jumanji.environments.logic.minesweeper.viewer import MinesweeperViewer
from jumanji.types import TimeStep, restart, termination, transition

from jaxsweep.adapters.arguments import environment_of, one_of
from jaxsweep.adapters.rendering import picture
from jaxsweep.functional import (
    COVERED,
    MINE,
    AnyKey,
    FunctionalEnvironment,
    FunctionalState,
    Reward,
)
from jaxsweep.rules.level import Level, Start

RENDER_MODES = ("human", "rgb_array")


class State(eqx.Module):
    """An episode."""

    key: Array
    """That of `reset`, from which jumanji's wrappers make the next one."""
    game: FunctionalState
    step_count: Int32[Array, "*batch"]


class Minesweeper(original.Minesweeper):
    """Minesweeper of a level, given as it is or by its name.

    An action is a row and a column. States are drawn in jumanji's figures, with the tiles of this
    project; `render_mode` is "human" or "rgb_array".
    """

    def __init__(
        self,
        level: Level | str = "beginner",
        start: Start | str = Start.SAFE,
        reward: Reward | str = Reward.PROGRESS,
        render_mode: str = "human",
    ):
        self.environment = environment_of(level, start, reward)
        sizes = self.environment.level
        super().__init__(
            # Only the specs depend on it: mines are placed once the first cell is chosen.
            generator=UniformSamplingGenerator(sizes.rows, sizes.cols, sizes.mines),
            viewer=_TileViewer(self.environment, one_of("render_mode", render_mode, RENDER_MODES)),
        )

    def reset(self, key: AnyKey) -> tuple[State, TimeStep]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begins an episode."""
        state = State(key, self.environment.init(key), jnp.zeros((), jnp.int32))
        return state, restart(self._observe(state))

    def step(self, state: State, action: Int[Array, " 2"]) -> tuple[State, TimeStep]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Opens a cell."""
        cell = action[0] * self.num_cols + action[1]
        is_legal = self.environment.legal_actions(state.game)[cell]
        game, seen = self.environment.step(state.game, cell)
        after = State(state.key, game, state.step_count + jnp.int32(1))
        over: Bool[Array, ""] = seen.terminated | ~is_legal
        timestep = jax.lax.cond(over, termination, transition, seen.reward, self._observe(after))
        return after, timestep

    def _observe(self, state: State) -> Observation:
        seen = self.environment.observe(state.game)
        # Mines that are shown at the end are no part of jumanji's observations.
        board = jnp.where(seen >= MINE, jnp.int8(COVERED), seen).astype(jnp.int32)
        mines = jnp.asarray(self.environment.level.mines, jnp.int32)
        return Observation(board, board == COVERED, mines, state.step_count)


class _TileViewer(MinesweeperViewer):
    """Draws states into jumanji's figures."""

    def __init__(self, environment: FunctionalEnvironment, render_mode: str):
        super().__init__(environment.level.rows, environment.level.cols, render_mode)
        self._environment = environment

    def _draw(self, ax: Any, state: State) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        ax.clear()
        ax.set_axis_off()
        ax.imshow(picture(np.asarray(self._environment.observe(state.game))))
