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
from jumanji.viewer import Viewer

from jaxsweep.adapters.arguments import environment_of
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


class State(eqx.Module):
    """An episode."""

    key: Array
    """That of `reset`, from which jumanji's wrappers make the next one."""
    game: FunctionalState
    step_count: Int32[Array, "*batch"]


class Minesweeper(original.Minesweeper):
    """Minesweeper of a level, given as it is or by its name.

    An action is a row and a column. A `viewer` draws states; by default it is jumanji's, with the
    tiles of this project.
    """

    def __init__(
        self,
        level: Level | str = "beginner",
        start: Start | str = Start.SAFE,
        reward: Reward | str = Reward.PROGRESS,
        viewer: Viewer | None = None,
    ):
        self.environment = environment_of(level, start, reward)
        sizes = self.environment.level
        super().__init__(
            # Only the specs depend on it: mines are placed once the first cell is chosen.
            generator=UniformSamplingGenerator(sizes.rows, sizes.cols, sizes.mines),
            viewer=_Viewer(self.environment) if viewer is None else viewer,
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


class _Viewer(MinesweeperViewer):
    """Draws states into jumanji's figures."""

    def __init__(self, environment: FunctionalEnvironment):
        super().__init__(environment.level.rows, environment.level.cols)
        self._environment = environment

    def _draw(self, ax: Any, state: State) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        ax.clear()
        ax.set_axis_off()
        ax.imshow(picture(np.asarray(self._environment.observe(state.game))))
