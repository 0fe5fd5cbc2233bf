"""A pgx environment, of one player.

A planner such as mctx copies states, and with them the mines. `Minesweeper.resample` replaces these
by a draw from what the player can know, at the root and before every step of a search.
"""

import base64
from io import BytesIO
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Int8
from pgx import core
from pgx._src.struct import dataclass
from PIL import Image

from jaxsweep.adapters.arguments import environment_of
from jaxsweep.adapters.rendering import CELL, picture
from jaxsweep.functional import AnyKey, FunctionalState, Reward
from jaxsweep.rules.level import Level, Start

ID: Any = "minesweeper"


@dataclass
class State(core.State):
    """A game; or many, batch first.

    `observation` is the int8 grid of `jaxsweep.functional.Timestep`.
    """

    current_player: Array
    observation: Array
    rewards: Array
    terminated: Array
    truncated: Array
    legal_action_mask: Array
    _step_count: Array
    _game: FunctionalState

    @property
    def env_id(self) -> Any:
        """The name of the environment: none of pgx's own."""
        return ID

    def to_svg(
        self,
        *,
        color_theme: Literal["light", "dark"] | None = None,
        scale: float | None = None,
    ) -> str:
        """Returns a picture of the game, or of all games side by side; there is one theme."""
        return _svg(np.asarray(self.observation), 1.0 if scale is None else scale)

    def save_svg(
        self,
        filename: str,
        *,
        color_theme: Literal["light", "dark"] | None = None,
        scale: float | None = None,
    ) -> None:
        """Writes the picture."""
        with open(filename, "w", encoding="utf-8") as file:
            file.write(self.to_svg(color_theme=color_theme, scale=scale))


class Minesweeper(core.Env):
    """Minesweeper of a level, given as it is or by its name.

    An action opens a cell, row · columns + column. As in all games of pgx, one that is not legal
    ends the game with a reward of −1.
    """

    def __init__(
        self,
        level: Level | str = "beginner",
        start: Start | str = Start.SAFE,
        reward: Reward | str = Reward.OUTCOME,
    ):
        super().__init__()
        self.environment = environment_of(level, start, reward)

    @property
    def id(self) -> Any:
        """The name."""
        return ID

    @property
    def version(self) -> str:
        """The version of the rules and of the observation."""
        return "v0"

    @property
    def num_players(self) -> int:
        """One."""
        return 1

    def resample(self, state: State, key: AnyKey) -> State:
        """Replaces all that the player cannot know: see `FunctionalEnvironment.resample`."""
        return state.replace(_game=self.environment.resample(state._game, key))  # pyright: ignore[reportAttributeAccessIssue]

    def _init(self, key: AnyKey) -> State:
        game = self.environment.init(key)
        return State(  # pyright: ignore[reportCallIssue]
            current_player=jnp.zeros((), jnp.int32),
            observation=self.environment.observe(game),
            rewards=jnp.zeros((1,), jnp.float32),
            terminated=jnp.zeros((), bool),
            truncated=jnp.zeros((), bool),
            legal_action_mask=self.environment.legal_actions(game),
            _step_count=jnp.zeros((), jnp.int32),
            _game=game,
        )

    def _step(self, state: State, action: Int[Array, ""], key: AnyKey | None) -> State:
        game, seen = self.environment.step(state._game, action)
        return state.replace(  # pyright: ignore[reportAttributeAccessIssue]
            rewards=seen.reward[None],
            terminated=seen.terminated,
            legal_action_mask=seen.legal_actions,
            _game=game,
        )

    def _observe(self, state: State, player_id: Int[Array, ""]) -> Int8[Array, "rows cols"]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.environment.observe(state._game)


def _svg(seen: Int8[np.ndarray, "*batch rows cols"], scale: float) -> str:
    grids = seen.reshape(-1, *seen.shape[-2:])
    drawn = [
        np.pad(picture(grid), ((0, 0), (0, CELL), (0, 0)), constant_values=255) for grid in grids
    ]
    pixels, data = np.concatenate(drawn, axis=1)[:, :-CELL], BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    height, width = (round(scale * side) for side in pixels.shape[:2])
    text = base64.b64encode(data.getvalue()).decode()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<image width="{width}" height="{height}" href="data:image/png;base64,{text}"/></svg>\n'
    )
