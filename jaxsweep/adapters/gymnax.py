"""A gymnax environment."""

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from gymnax.environments import environment, spaces
from jaxtyping import Array, Bool, Float32, Int, Int8

from jaxsweep.adapters.arguments import environment_of
from jaxsweep.functional import COVERED, EXPLODED, AnyKey, FunctionalState, Reward
from jaxsweep.rules.level import Level, Start


@struct.dataclass
class EnvState(environment.EnvState):
    """An episode: how many steps it has, its game, and whether that is over."""

    # JAX also builds states of other things than arrays.
    time: Any
    game: FunctionalState
    over: Any


class Minesweeper(environment.Environment[EnvState, environment.EnvParams]):
    """Minesweeper of a level, given as it is or by its name.

    An action opens a cell, row · columns + column; to open an open cell does nothing. An
    observation is the int8 grid of `jaxsweep.functional.Timestep`, in which −1 is a hidden cell: a
    legal action. `info` has `won`. An episode is truncated after as many steps as there are cells,
    or as the parameters say.
    """

    def __init__(
        self,
        level: Level | str = "beginner",
        start: Start | str = Start.SAFE,
        reward: Reward | str = Reward.PROGRESS,
    ):
        super().__init__()
        self.environment = environment_of(level, start, reward)

    @property
    def default_params(self) -> environment.EnvParams:
        """As many steps as there are cells: more than any game takes."""
        return environment.EnvParams(max_steps_in_episode=self.num_actions)

    def reset_env(
        self, key: AnyKey, params: environment.EnvParams
    ) -> tuple[Int8[Array, "rows cols"], EnvState]:
        """Begins an episode."""
        game = self.environment.init(key)
        state = EnvState(time=0, game=game, over=jnp.zeros((), bool))
        return self.environment.observe(game), state

    def step_env(
        self,
        key: AnyKey,
        state: EnvState,
        action: int | float | Int[Array, ""],
        params: environment.EnvParams,
    ) -> tuple[
        Int8[Array, "rows cols"], EnvState, Float32[Array, ""], Bool[Array, ""], dict[Any, Any]
    ]:
        """Opens a cell, without the automatic reset of `step`."""
        game, seen = self.environment.step(state.game, jnp.asarray(action, jnp.int32))
        after = EnvState(time=state.time + 1, game=game, over=seen.terminated)
        info = {"discount": self.discount(after, params), "won": seen.won}
        return seen.observation, after, seen.reward, seen.terminated, info

    def observe(
        self, key: AnyKey, state: EnvState, action: Any, params: environment.EnvParams
    ) -> Int8[Array, "rows cols"]:
        """Returns what the player sees."""
        return self.environment.observe(state.game)

    def is_terminated(self, state: EnvState, params: environment.EnvParams) -> jax.Array:
        """Returns whether the game is over."""
        return state.over

    @property
    def name(self) -> str:
        """The name of the environment."""
        return f"Minesweeper {self.environment.level}"

    @property
    def num_actions(self) -> int:
        """The number of cells."""
        return self.environment.level.cells

    def action_space(self, params: environment.EnvParams | None = None) -> spaces.Discrete:
        """The cells."""
        return spaces.Discrete(self.num_actions)

    def observation_space(self, params: environment.EnvParams | None = None) -> spaces.Box:
        """Grids of numbers."""
        level = self.environment.level
        return spaces.Box(COVERED, EXPLODED, (level.rows, level.cols), jnp.int8)
