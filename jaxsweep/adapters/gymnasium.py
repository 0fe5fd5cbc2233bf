"""Gymnasium environments: `jaxsweep/Beginner-v0`, `Intermediate-v0`, `Expert-v0` and `Custom-v0`.

`gymnasium.make` gives one game, `gymnasium.make_vec` a batch that is stepped by one compiled call.
Games of a batch are those of single environments with the same seeds.
"""

from collections.abc import Collection, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from jaxtyping import Bool, Float, Int, Int8, Int32, UInt8, UInt32

from jaxsweep.adapters.arguments import environment_of, member, one_of
from jaxsweep.adapters.host_games import HostGames, HostTimestep
from jaxsweep.adapters.rendering import Window, picture
from jaxsweep.exact_answers import ANSWERS, oracle
from jaxsweep.functional import COVERED, EXPLODED, MINE, FunctionalEnvironment, Reward
from jaxsweep.rules.level import Level, Start

FRAMES_PER_SECOND = 10

Info = dict[str, Any]
Grid = Int8[np.ndarray, "rows cols"]
Grids = Int8[np.ndarray, "envs rows cols"]


class MinesweeperEnv(gymnasium.Env):
    """One game: an action opens a cell, row · columns + column.

    An observation is an int8 grid with the numbers of open cells and −1 in the others; once the
    game is over, 9 for a mine and 10 for the mine that was opened. To open an open cell does
    nothing. `info` has

    - `action_mask`: int8, as `action_space.sample` takes it; 1 for each cell that is not open,
    - `won`: whether the game is over and was won,
    - `oracle`, on request: a dictionary of what `jaxsweep.oracle` answers about the observation, as
      far as it knows. There is nothing to be known once the game is over.

    Args:
        rows: the rows of the board.
        cols: its columns.
        mines: the mines on it.
        start: what is known of the first cell: "any", "safe" or "zero", or a `Start`.
        reward: "progress", "outcome" or "regret", or a `Reward`.
        oracle: True, or names of `jaxsweep.exact_answers.ANSWERS`: what is put into `info`.
        render_mode: None, "rgb_array" for pictures, "human" for a window.

    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["human", "rgb_array"],
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        rows: int,
        cols: int,
        mines: int,
        start: Start | str = Start.SAFE,
        reward: Reward | str = Reward.PROGRESS,
        oracle: bool | Collection[str] = False,
        render_mode: str | None = None,
    ):
        environment = environment_of(Level(rows, cols, mines), start, reward)
        self.render_mode = _render_mode(render_mode, self.metadata)
        self.observation_space, self.action_space = _spaces(environment.level)
        self._games = HostGames(environment, 1)
        self._answers = _answers(oracle)
        self._seen: Grid = np.full((rows, cols), COVERED, np.int8)
        self._window: Window | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Grid, Info]:
        """Begins a game: that of the seed, or else the one that follows the last."""
        super().reset(seed=seed)
        keys, keyed = _keys([seed], self.np_random)
        seen = self._games.reset(np.ones(1, bool), keys, keyed | (not self._games.are_dealt))
        return self._see(seen[0]), self._info(seen[0], False)

    def step(self, action: int | np.integer) -> tuple[Grid, float, bool, bool, Info]:
        """Opens a cell; a game that is over stays as it is."""
        seen = self._games.step(_checked([action], self._games))
        observation, info = seen.observation[0], self._info(seen.observation[0], bool(seen.won[0]))
        reward, over = float(seen.reward[0]), bool(seen.terminated[0])
        return self._see(observation), reward, over, False, info

    def render(self) -> UInt8[np.ndarray, "height width 3"] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Draws what was seen last; the window shows it without being asked."""
        if self.render_mode == "rgb_array":
            return picture(self._seen)
        if self.render_mode == "human":
            self._show()
        return None

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        """A window is not copied: the copy opens its own."""
        return self.__dict__ | {"_window": None}

    def _see(self, seen: Grid) -> Grid:
        self._seen = seen.copy()
        if self.render_mode == "human":
            self._show()
        return seen

    def _show(self) -> None:
        if self._window is None:
            self._window = Window(f"Minesweeper {self._games.environment.level}", FRAMES_PER_SECOND)
        self._window.show(picture(self._seen))

    def _info(self, seen: Grid, won: bool) -> Info:
        info: Info = {"action_mask": _mask(seen), "won": won}
        if self._answers:
            answers, known = _ask(self._games.environment, seen[None], self._answers)
            info["oracle"] = {name: answers[name][0] for name in answers if known[name][0]}
        return info


class MinesweeperVectorEnv(VectorEnv):
    """A batch of games, each as in `MinesweeperEnv`, stepped together by one compiled call.

    Everything in `info` is an array with the games first, beside a mask, its name with `_` in
    front, of the games that have it. Answers of the oracle have only games that are under way, and
    only where they are within its capacity, or near enough to the end.

    Args:
        num_envs: the number of games.
        rows: this and the following as for `MinesweeperEnv`.
        cols: its columns.
        mines: the mines on it.
        start: what is known of the first cell.
        reward: what a step is rewarded for.
        oracle: what is put into `info`.
        render_mode: None, or "rgb_array" for a picture of each game.
        autoreset_mode: what follows the end of a game. `NEXT_STEP`: at the next step a new game, in
            place of the action. `SAME_STEP`: a new game at once, with the last observation and info
            as `final_obs` and `final_info`. `DISABLED`: nothing, until a `reset` with a
            `reset_mask`.

    """

    def __init__(
        self,
        num_envs: int,
        rows: int,
        cols: int,
        mines: int,
        start: Start | str = Start.SAFE,
        reward: Reward | str = Reward.PROGRESS,
        oracle: bool | Collection[str] = False,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ):
        if num_envs < 1:
            raise ValueError(f"num_envs is 1 or more, not {num_envs}")
        environment = environment_of(Level(rows, cols, mines), start, reward)
        self.num_envs = num_envs
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": FRAMES_PER_SECOND,
            "autoreset_mode": member("autoreset_mode", autoreset_mode, AutoresetMode),
        }
        self.render_mode = _render_mode(render_mode, self.metadata)
        self.single_observation_space, self.single_action_space = _spaces(environment.level)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games = HostGames(environment, num_envs)
        self._step = {
            AutoresetMode.NEXT_STEP: self._games.reset_or_step,
            AutoresetMode.SAME_STEP: self._games.step_and_reset,
            AutoresetMode.DISABLED: self._games.step,
        }[self.metadata["autoreset_mode"]]
        self._answers = _answers(oracle)
        self._seen: Grids = np.full((num_envs, rows, cols), COVERED, np.int8)
        self._won: Bool[np.ndarray, " envs"] = np.zeros(num_envs, bool)

    def reset(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Grids, Info]:
        """Begins games: those of the seeds, or else those that follow the last.

        A single seed is that of the first game; that of the second is greater by 1, and so on. A
        `reset_mask` in `options` says which games are replaced; by default all.
        """
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seed = [int(seed) + i for i in range(self.num_envs)]
        seeds = [None] * self.num_envs if seed is None else seed
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds are given for {self.num_envs} environments")
        which = self._reset_mask(options or {})
        keys, keyed = _keys(seeds, self.np_random)
        seen = self._games.reset(which, keys, keyed | (not self._games.are_dealt))
        self._won &= ~which
        return self._see(seen), self._info(seen, self._won.copy())

    def step(
        self, actions: Int[np.ndarray, " envs"]
    ) -> tuple[
        Grids,
        Float[np.ndarray, " envs"],
        Bool[np.ndarray, " envs"],
        Bool[np.ndarray, " envs"],
        Info,
    ]:
        """Opens a cell in each game."""
        seen = self._step(_checked(actions, self._games))
        over, no = seen.terminated, np.zeros(self.num_envs, bool)
        if self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            info = self._info(seen.observation, no.copy())
            if over.any():
                info |= _with_masks(_ends(seen), over)
        else:
            self._won = seen.won.copy()
            info = self._info(seen.observation, seen.won)
        return self._see(seen.observation), seen.reward.astype(np.float64), over, no, info

    def render(self) -> tuple[UInt8[np.ndarray, "height width 3"], ...] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Draws what was seen last of each game."""
        return None if self.render_mode is None else tuple(picture(seen) for seen in self._seen)

    def _see(self, seen: Grids) -> Grids:
        if self.render_mode is not None:
            self._seen = seen.copy()
        return seen

    def _reset_mask(self, options: dict[str, Any]) -> Bool[np.ndarray, " envs"]:
        mask = np.asarray(options.get("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ValueError(
                f"reset_mask is an array of {self.num_envs} bools of which some are True; not an "
                f"array of shape {mask.shape} and {mask.dtype}, {int(mask.astype(bool).sum())} True"
            )
        if not mask.all() and not self._games.are_dealt:
            raise ResetNeeded("all environments are reset before a reset_mask can select some")
        return mask

    def _info(self, seen: Grids, won: Bool[np.ndarray, " envs"]) -> Info:
        info: Info = {"action_mask": _mask(seen), "won": won}
        if self._answers:
            answers, known = _ask(self._games.environment, seen, self._answers)
            info["oracle"] = answers | {f"_{name}": which for name, which in known.items()}
        return _with_masks(info, np.ones(self.num_envs, bool))


def _spaces(level: Level) -> tuple[Box, Discrete]:
    """Returns the spaces of observations and of actions."""
    return Box(COVERED, EXPLODED, (level.rows, level.cols), np.int8), Discrete(level.cells)


def _mask(seen: Int8[np.ndarray, "*envs rows cols"]) -> Int8[np.ndarray, "*envs cells"]:
    """Returns the cells that are not open."""
    *envs, rows, cols = seen.shape
    return ((seen == COVERED) | (seen == MINE)).view(np.int8).reshape(*envs, rows * cols)


def _ends(seen: HostTimestep) -> Info:
    """Returns the last observation and info of the games that are over."""
    over, last = seen.terminated, seen.final_observation
    grids = np.full(len(over), None, object)
    grids[over] = np.fromiter(last[over], object, int(over.sum()))
    info = {"action_mask": _mask(last), "won": seen.won}
    return {"final_obs": grids, "final_info": _with_masks(info, over)}


def _render_mode(mode: str | None, metadata: dict[str, Any]) -> str | None:
    return None if mode is None else one_of("render_mode", mode, metadata["render_modes"])


def _answers(wanted: bool | Collection[str]) -> tuple[str, ...]:
    """Returns the names of the answers that are wanted."""
    if isinstance(wanted, bool):
        return ANSWERS if wanted else ()
    names = [wanted] if isinstance(wanted, str) else wanted
    return tuple(one_of("oracle", name, ANSWERS) for name in names)


def _ask(
    environment: FunctionalEnvironment, seen: Grids, wanted: tuple[str, ...]
) -> tuple[dict[str, np.ndarray], dict[str, Bool[np.ndarray, " envs"]]]:
    """Returns the answers of the oracle, and which games have each of them."""
    answers, known = oracle(seen, environment.level.mines, environment.start, wanted), {}
    under_way = (seen < MINE).all((1, 2)) & (seen == COVERED).any((1, 2))
    for name, each in answers.items():
        known[name] = under_way & ~np.isnan(each.reshape(len(seen), -1)[:, 0])
    return answers, known


def _with_masks(info: Info, which: Bool[np.ndarray, " envs"]) -> Info:
    """Adds a mask to everything: these games have it."""
    return info | {f"_{name}": which.copy() for name in info}


def _keys(
    seeds: Sequence[int | None], random: np.random.Generator
) -> tuple[UInt32[np.ndarray, "envs 2"], Bool[np.ndarray, " envs"]]:
    """Returns a key for each seed, `jax.random.key(seed)`, and for which there is a seed.

    Where there is none, the key is random.
    """
    if negative := [seed for seed in seeds if seed is not None and seed < 0]:
        raise ValueError(f"seeds are 0 or more, not {negative[0]}")
    keys = random.integers(0, 2**32, (len(seeds), 2), np.uint32)
    for i, seed in enumerate(seeds):
        if seed is not None:
            keys[i] = int(seed) >> 32 & 0xFFFFFFFF, int(seed) & 0xFFFFFFFF
    return keys, np.array([seed is not None for seed in seeds])


def _checked(actions: Any, games: HostGames) -> Int32[np.ndarray, " envs"]:
    """Returns actions as they are stepped; raises an error if they cannot be, which says why."""
    if not games.are_dealt:
        raise ResetNeeded("reset the environment before the first step")
    chosen, cells = np.asarray(actions), games.environment.level.cells
    if chosen.shape != (games.count,) or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"a step takes {games.count} whole numbers, one for each environment; not an array of "
            f"shape {chosen.shape} and {chosen.dtype}"
        )
    outside = (chosen < 0) | (chosen >= cells)
    if outside.any():
        which = int(outside.argmax())
        raise ValueError(
            f"action {chosen[which]} of environment {which} is none of the cells 0 to {cells - 1}"
        )
    return chosen.astype(np.int32)
