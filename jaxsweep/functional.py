"""One game as a pure function of its state, for reinforcement learning and planning.

A state is a pytree of arrays, so that `jax.vmap` plays many games, with the batch first, at about
the speed of `jaxsweep.environment`, whose step it calls with the whole batch. States hold a key of
their own, from which the mines come once the first cell is chosen, and the next game.

A planner that copies a state copies its mines and its key, too, and so sees what no player sees.
`FunctionalEnvironment.resample` replaces both by what could as well be there.
"""

import enum
from typing import TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int, Int8, Key, PyTree, UInt32

from jaxsweep.engines import exact_calls
from jaxsweep.environment import Boards, StepResult, board_cells, step_batch
from jaxsweep.rules import bitboard, game
from jaxsweep.rules.game import Game, GameStatus
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.runtime.entrywise import entrywise
from jaxsweep.scalar.view import MAX_CELLS

COVERED = -1
"""The observation of a hidden cell."""

MINE = 9
"""The observation of a mine, once the game is over."""

EXPLODED = 10
"""The observation of the mine that was opened."""

Tree = TypeVar("Tree", bound=PyTree)

AnyKey = Key[Array, ""] | UInt32[Array, "2"]
"""A key of `jax.random`, typed or raw."""

_LAYOUT, _NEXT_GAME = 0, 2**32 - 1
"""What is folded into the key of a game for the key of its layout, and of the game after it."""


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
    """Raw data of a Threefry key: the mines come from it at the first step, and the next game."""
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
        return self._new_game(jax.random.bits(key, (2,), jnp.uint32))

    def step(
        self, state: FunctionalState, action: Int[Array, ""]
    ) -> tuple[FunctionalState, Timestep]:
        """Opens a cell, row · columns + column.

        An open cell, a number that is no cell's, and any action in a game that is over change
        nothing, and the reward is 0.
        """
        chosen = jnp.asarray(action).astype(jnp.int32)
        after, result = _step(self, state, chosen)
        observation = self.observe(after)
        return after, Timestep(
            observation=observation,
            legal_actions=self.legal_actions(after),
            reward=self._reward(state, chosen, after, result),
            terminated=result.done,
            won=result.won,
            final_observation=observation,
        )

    def step_and_reset(
        self, state: FunctionalState, action: Int[Array, ""]
    ) -> tuple[FunctionalState, Timestep]:
        """As `step`, but a game that is over is followed by a new one with all cells hidden.

        `observation` and `legal_actions` are then those of the new game; all else is of the game
        that is over, with `final_observation`.
        """
        after, timestep = self.step(state, action)
        over = timestep.terminated
        return self.reset(after, over), Timestep(
            observation=jnp.where(over, jnp.int8(COVERED), timestep.observation),
            legal_actions=timestep.legal_actions | over,
            reward=timestep.reward,
            terminated=over,
            won=timestep.won,
            final_observation=timestep.final_observation,
        )

    def reset(self, state: FunctionalState, which: Bool[Array, ""]) -> FunctionalState:
        """Returns the game that follows, with all cells hidden, if `which` holds; else the game.

        Under `jax.vmap`, `which` is a mask of games. What follows depends on the key alone.
        """
        following = self._new_game(_raw(jax.random.fold_in(_typed(state.key), _NEXT_GAME)))
        return jax.tree.map(lambda new, old: jnp.where(which, new, old), following, state)

    def observe(self, state: FunctionalState) -> Int8[Array, "rows cols"]:
        """Returns what the player sees: see `Timestep.observation`."""
        return _observe(self, state)

    def legal_actions(self, state: FunctionalState) -> Bool[Array, " cells"]:
        """Returns which cells are not open."""
        return ~jnp.asarray(bitboard.unpack(state.opened, self.level.cols)).reshape(-1)

    def risks(self, state: FunctionalState) -> Float32[Array, "rows cols"]:
        """Computes the probability that a cell loses the game if it is opened, exactly.

        It is 0 for open cells and once the game is over. Before the first step, it is what the
        start rule says. All cells are NaN where the position is over the capacity of exact
        inference. The host computes it, once for a whole batch.
        """
        self._check_size()
        return _risks(self, state)

    def resample(self, state: FunctionalState, key: AnyKey) -> FunctionalState:
        """Replaces all that the player cannot know by an independent draw of it.

        The mines are drawn from all layouts that agree with the numbers seen, each as likely; and
        so is the key, from which the mines come before the first step, and the next game. In a game
        that is over, only the key is replaced. The host draws, once for a whole batch.

        Raises an error when a position is over the capacity of exact counting, and `ValueError` for
        boards of more than 10,000 cells.
        """
        self._check_size()
        return _resample(self, state, jax.random.bits(key, (4,), jnp.uint32))

    def _new_game(self, key: UInt32[Array, "2"]) -> FunctionalState:
        shape = bitboard.rectangle(self.level.rows, self.level.cols).shape
        return FunctionalState(
            key=key,
            mines=jnp.zeros(shape, jnp.uint32),
            opened=jnp.zeros(shape, jnp.uint32),
            mines_placed=jnp.zeros((), bool),
        )

    def _reward(
        self,
        before: FunctionalState,
        action: Int[Array, ""],
        after: FunctionalState,
        result: StepResult,
    ) -> Float32[Array, ""]:
        if self.reward is Reward.PROGRESS:
            return result.reward
        opened = jnp.any(after.opened != before.opened)
        if self.reward is Reward.OUTCOME:
            outcome = jnp.where(result.won, jnp.float32(1), jnp.float32(-1))
            return jnp.where(opened & result.done, outcome, jnp.float32(0))
        risks = self.risks(before).reshape(-1)
        least = jnp.min(risks, where=self.legal_actions(before), initial=1.0)
        chosen = risks[jnp.clip(action, 0, self.level.cells - 1)]
        return jnp.where(opened, least - chosen, jnp.float32(0))

    def _check_size(self) -> None:
        if self.level.cells > MAX_CELLS:
            raise ValueError(
                f"exact inference is for boards of up to {MAX_CELLS} cells; "
                f"this one has {self.level.cells}"
            )


@entrywise
def _step(
    environment: FunctionalEnvironment, states: FunctionalState, actions: Int[Array, " batch"]
) -> tuple[FunctionalState, StepResult]:
    level = environment.level
    last = _batch_last(states)
    boards = Boards(last.mines, last.opened, last.mines_placed)
    chosen = bitboard.single(actions // level.cols, actions % level.cols, boards.mines)

    def layout_key(key: UInt32[Array, "2"]) -> Key[Array, ""]:
        return jax.random.fold_in(_typed(key), _LAYOUT)

    after, result = step_batch(level, environment.start, boards, chosen, layout_key, last.key)
    first = _batch_first(after)
    return FunctionalState(states.key, first.mines, first.opened, first.mines_placed), result


@entrywise
def _observe(
    environment: FunctionalEnvironment, states: FunctionalState
) -> Int8[Array, "batch rows cols"]:
    level, last = environment.level, _batch_last(states)
    over = _status(level, last) != GameStatus.PLAYING
    numbers = last.opened & ~last.mines
    whole, burst = (
        bitboard.mask(over, last.mines & cells) for cells in (~last.opened, last.opened)
    )
    ones, twos, fours, eights = (plane & numbers for plane in bitboard.neighbour_counts(last.mines))
    # MINE is 9 and EXPLODED is 10, in binary digits.
    planes = jnp.stack([ones | whole, twos | burst, fours, eights | whole | burst])
    values = jax.vmap(lambda digits: bitboard.numbers_from_planes(digits, level.cols))
    covered = jax.vmap(lambda cells: bitboard.unpack(cells, level.cols))
    shown = _batch_first(numbers | whole | burst)
    return jnp.where(covered(~shown), jnp.int8(COVERED), values(_batch_first(planes)))


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
        mines=jnp.where(asked[:, None, None], drawn, states.mines),
        opened=states.opened,
        mines_placed=states.mines_placed,
    )


def _under_way(
    environment: FunctionalEnvironment, states: FunctionalState
) -> Bool[Array, " batch"]:
    """Returns which games have begun and are not over."""
    playing = _status(environment.level, _batch_last(states)) == GameStatus.PLAYING
    return states.mines_placed & playing


def _status(level: Level, last: FunctionalState) -> Int[Array, " batch"]:
    """Returns the status of each game; one whose mines are not placed is under way."""
    cells = board_cells(level, last.opened.shape[-1])
    return game.status(Game(cells, last.mines, last.opened, jnp.zeros_like(last.mines)))


def _batch_last(tree: Tree) -> Tree:
    return jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, -1), tree)


def _batch_first(tree: Tree) -> Tree:
    return jax.tree.map(lambda leaf: jnp.moveaxis(leaf, -1, 0), tree)


def _typed(data: UInt32[Array, "2"]) -> Key[Array, ""]:
    return jax.random.wrap_key_data(data, impl="threefry2x32")


def _raw(key: Key[Array, ""]) -> UInt32[Array, "2"]:
    return jax.random.key_data(key)
