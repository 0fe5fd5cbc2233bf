"""One game as a pure function of its state, for reinforcement learning and planning.

A state is a pytree of arrays, so that `jax.vmap` plays many games, with the batch first, at about
the speed of `jaxsweep.environment`, whose step it calls with the whole batch. States hold a key of
their own, from which the mines come once the first cell is chosen, and the next game.

A planner that copies a state copies its mines and its key, too, and so sees what no player sees.
`FunctionalEnvironment.resample` replaces both by what could as well be there.
"""

import enum
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int, Int8, Integer, Key, UInt32

from jaxsweep.engines import exact_calls
from jaxsweep.environment import Boards, StepResult, step_batch
from jaxsweep.rules import bitboard, game
from jaxsweep.rules.game import Game, GameStatus
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.runtime.entrywise import entrywise
from jaxsweep.runtime.materialize import materialize
from jaxsweep.scalar.view import MAX_CELLS

COVERED = -1
"""The observation of a hidden cell."""

MINE = 9
"""The observation of a mine, once the game is over."""

EXPLODED = 10
"""The observation of the mine that was opened."""

AnyKey = Key[Array, ""] | UInt32[Array, "2"]
"""A key of `jax.random`, typed or raw."""

Action = Integer[Array, ""] | np.integer | int
"""The cell to be opened: row · columns + column."""


class Reward(enum.Enum):
    """What a step is rewarded for."""

    PROGRESS = "progress"
    """The fraction of all safe cells that the step opened."""
    OUTCOME = "outcome"
    """1 for the step that wins, −1 for that which opens a mine, else 0."""
    REGRET = "regret"
    """The least risk of all hidden cells less that of the opened cell, by exact inference: 0 for
    a safest cell, else negative. NaN where the position is over the capacity of exact inference."""


class FunctionalState(eqx.Module):
    """The state of one game; or of many, batch first."""

    key: UInt32[Array, "*batch 2"]
    """Raw data of a Threefry key, from which the mines of this game and all later ones come."""
    game_number: UInt32[Array, "*batch"]
    """How many games of this key were before."""
    mines: UInt32[Array, "*batch rows words"]
    """A bit for each cell, packed as in `jaxsweep.rules.bitboard`; none before the first step."""
    opened: UInt32[Array, "*batch rows words"]
    mines_placed: Bool[Array, "*batch"]
    """Whether the first cell is chosen and the mines are placed."""


class Timestep(eqx.Module):
    """What a player gets from a step of one game; or of many, batch first."""

    observation: Int8[Array, "*batch rows cols"]
    """−1 for a hidden cell, else its number. Once the game is over, 9 for a mine and 10 for the
    mine that was opened."""
    legal_actions: Bool[Array, "*batch cells"]
    """The cells that are not open, also once the game is over."""
    reward: Float32[Array, "*batch"]
    terminated: Bool[Array, "*batch"]
    """Whether the game is over."""
    won: Bool[Array, "*batch"]
    final_observation: Int8[Array, "*batch rows cols"]
    """The observation before an automatic reset; without one the same as `observation`."""


class FunctionalEnvironment(eqx.Module):
    """Minesweeper of one level and start rule, one game at a time.

    Raises `LevelError` if the start rule leaves too few cells for the mines somewhere.
    """

    level: Level = eqx.field(static=True)
    start: Start = eqx.field(static=True, default=Start.SAFE)
    reward: Reward = eqx.field(static=True, default=Reward.PROGRESS)

    def __check_init__(self):
        # No cell has more neighbours than this one.
        Opening(self.level, self.start, (min(1, self.level.rows - 1), min(1, self.level.cols - 1)))

    def init(self, key: AnyKey) -> FunctionalState:
        """Returns a new game with all cells hidden."""
        return _new_game(self.level, jax.random.bits(key, (2,), jnp.uint32), jnp.uint32(0))

    def step(self, state: FunctionalState, action: Action) -> tuple[FunctionalState, Timestep]:
        """Opens a cell; the action is row · columns + column.

        Nothing changes, and the reward is 0, if the cell is open, if the action is below 0 or not
        below the number of cells, or if the game is over.
        """
        after, reward, result = self._advance(state, action)
        observation = _observation(self.level, after, result.done)
        return after, _timestep(reward, result, observation, observation)

    def step_and_reset(
        self, state: FunctionalState, action: Action
    ) -> tuple[FunctionalState, Timestep]:
        """As `step`, but a game that is over is followed by a new one with all cells hidden.

        `observation` and `legal_actions` are then those of the new game; all else is of the game
        that is over, with `final_observation`.
        """
        after, reward, result = self._advance(state, action)
        final = _observation(self.level, after, result.done)
        observation = jnp.where(result.done, jnp.int8(COVERED), final)
        return self.reset(after, result.done), _timestep(reward, result, observation, final)

    def reset(self, state: FunctionalState, which: Bool[Array, ""]) -> FunctionalState:
        """Returns the next game of this state's key if `which` holds; else the game as it is.

        Under `jax.vmap`, `which` is a mask of games.
        """
        following = _new_game(self.level, state.key, state.game_number + jnp.uint32(1))
        return jax.tree.map(lambda new, old: jnp.where(which, new, old), following, state)

    def observe(self, state: FunctionalState) -> Int8[Array, "rows cols"]:
        """Returns what the player sees: see `Timestep.observation`."""
        over = _status(self.level, state) != GameStatus.PLAYING
        return _observation(self.level, state, over)

    def legal_actions(self, state: FunctionalState) -> Bool[Array, " cells"]:
        """Returns which cells are not open."""
        return _not_open(self.observe(state))

    def risks(self, state: FunctionalState) -> Float32[Array, "rows cols"]:
        """Computes for each cell the probability that opening it loses the game, exactly.

        It is 0 for open cells and once the game is over, and what the start rule says before the
        first step. All cells are NaN where the position is over the capacity of exact inference.
        The host computes it, once for a whole batch. Raises `ValueError` for boards of more than
        10,000 cells.
        """
        self._check_size()
        return _risks(self, state)

    def resample(self, state: FunctionalState, key: AnyKey) -> FunctionalState:
        """Replaces all that the player cannot know by an independent draw of it.

        Mines that are placed are drawn uniformly from all layouts that agree with the numbers seen.
        The state gets another key, so that mines not yet placed, and later games, are others. In a
        game that is over, only the key changes. The host draws, once for a whole batch.

        Never draws from another distribution: where a position is over the capacity of exact
        counting, which boards up to expert hardly ever are, running this raises JAX's runtime
        error. Raises `ValueError` for boards of more than 10,000 cells.
        """
        self._check_size()
        return _resample(self, state, jax.random.bits(key, (4,), jnp.uint32))

    def _advance(
        self, state: FunctionalState, action: Action
    ) -> tuple[FunctionalState, Float32[Array, ""], StepResult]:
        action = jnp.asarray(action).astype(jnp.int32)
        after, result = _step(self, state, action)
        if self.reward is Reward.PROGRESS:
            return after, result.reward, result
        opened = jnp.any(after.opened != state.opened)
        if self.reward is Reward.OUTCOME:
            won, lost = (jnp.float32(value) for value in (1, -1))
            outcome = jnp.where(result.won, won, lost)
            return after, jnp.where(opened & result.done, outcome, jnp.float32(0)), result
        risks = self.risks(state).reshape(-1)
        least = jnp.min(risks, where=self.legal_actions(state), initial=1.0)
        chosen = risks[jnp.clip(action, 0, self.level.cells - 1)]
        return after, jnp.where(opened, least - chosen, jnp.float32(0)), result

    def _check_size(self) -> None:
        if self.level.cells > MAX_CELLS:
            raise ValueError(
                f"exact inference is for boards of up to {MAX_CELLS} cells; "
                f"this one has {self.level.cells}"
            )


def _new_game(level: Level, key: UInt32[Array, "2"], number: UInt32[Array, ""]) -> FunctionalState:
    shape = bitboard.rectangle(level.rows, level.cols).shape
    return FunctionalState(
        key=key,
        game_number=number,
        mines=jnp.zeros(shape, jnp.uint32),
        opened=jnp.zeros(shape, jnp.uint32),
        mines_placed=jnp.zeros((), bool),
    )


def _observation(
    level: Level, state: FunctionalState, over: Bool[Array, ""]
) -> Int8[Array, "rows cols"]:
    """Returns what the player sees of a game, given whether it is over."""
    mines, opened = state.mines, state.opened
    left, burst = bitboard.mask(over, mines & ~opened), mines & opened
    ones, twos, fours, eights = (
        plane & opened & ~mines for plane in bitboard.neighbour_counts(mines)
    )
    # In binary digits, MINE is 9, EXPLODED is 10, and COVERED is ones.
    digits = ones | left, twos | burst, fours, eights | left | burst
    one, two, four, eight = (bitboard.spread(plane) for plane in digits)
    covered = bitboard.spread(~(opened | left)) * jnp.uint32(0xFF)
    seen = covered | one | (two << 1) | (four << 2) | (eight << 3)
    # What follows reads it several times.
    return materialize(bitboard.from_spread(seen, level.cols))


def _timestep(
    reward: Float32[Array, ""],
    result: StepResult,
    observation: Int8[Array, "rows cols"],
    final_observation: Int8[Array, "rows cols"],
) -> Timestep:
    return Timestep(
        observation=observation,
        legal_actions=_not_open(observation),
        reward=reward,
        terminated=result.done,
        won=result.won,
        final_observation=final_observation,
    )


def _not_open(observation: Int8[Array, "rows cols"]) -> Bool[Array, " cells"]:
    return ((observation == COVERED) | (observation == MINE)).reshape(-1)


def _status(level: Level, state: FunctionalState) -> Int[Array, ""]:
    """Returns the status of a game; one whose mines are not placed is under way."""
    cells = jnp.asarray(bitboard.rectangle(level.rows, level.cols))
    return game.status(Game(cells, state.mines, state.opened, jnp.zeros_like(cells)))


@entrywise
def _step(
    environment: FunctionalEnvironment, states: FunctionalState, actions: Int[Array, " batch"]
) -> tuple[FunctionalState, StepResult]:
    level = environment.level
    mines, opened = (jnp.moveaxis(bits, 0, -1) for bits in (states.mines, states.opened))
    boards = Boards(mines, opened, states.mines_placed)
    names = jnp.concatenate([states.key.T, states.game_number[None]])
    chosen = bitboard.single(actions // level.cols, actions % level.cols, mines)
    after, result = step_batch(level, environment.start, boards, chosen, _layout_key, names)
    mines, opened = (jnp.moveaxis(bits, -1, 0) for bits in (after.mines, after.opened))
    state = FunctionalState(states.key, states.game_number, mines, opened, after.mines_placed)
    return state, result


def _layout_key(name: UInt32[Array, "3"]) -> Key[Array, ""]:
    """Returns the key of a game's layout, given the state's key and the number of the game."""
    key = jax.random.wrap_key_data(name[:2], impl="threefry2x32")
    return game.layout_key(key, name[2])


@entrywise
def _risks(
    environment: FunctionalEnvironment, states: FunctionalState
) -> Float32[Array, "batch rows cols"]:
    level = environment.level
    asked = _under_way(environment, states)
    seen = jax.vmap(environment.observe)(states)
    risks = exact_calls.mine_probabilities(seen, asked, level.mines)
    if environment.start is Start.ANY:
        first = jnp.float32(level.mines / level.cells)
        risks = jnp.where(states.mines_placed[:, None, None], risks, first)
    return risks


@entrywise
def _resample(
    environment: FunctionalEnvironment,
    states: FunctionalState,
    words: UInt32[Array, "batch 4"],
) -> FunctionalState:
    asked = _under_way(environment, states)
    seen = jax.vmap(environment.observe)(states)
    layouts = exact_calls.draw_layouts(seen, asked, environment.level.mines, words[:, :2])
    drawn = jax.vmap(bitboard.pack)(layouts)
    return FunctionalState(
        key=words[:, 2:],
        game_number=states.game_number,
        mines=jnp.where(asked[:, None, None], drawn, states.mines),
        opened=states.opened,
        mines_placed=states.mines_placed,
    )


def _under_way(
    environment: FunctionalEnvironment, states: FunctionalState
) -> Bool[Array, " batch"]:
    """Returns which games have begun and are not over."""
    status = jax.vmap(partial(_status, environment.level))(states)
    return states.mines_placed & (status == GameStatus.PLAYING)
