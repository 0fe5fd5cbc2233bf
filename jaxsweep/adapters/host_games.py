"""A batch of games with NumPy in and out: one compiled call a step, whatever their number."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int, Int8, Int32, UInt32

from jaxsweep.functional import FunctionalEnvironment, FunctionalState, Timestep


class HostTimestep(NamedTuple):
    """Fields of `jaxsweep.functional.Timestep`, batch first, in NumPy; they may be written."""

    observation: Int8[np.ndarray, "batch rows cols"]
    reward: Float32[np.ndarray, " batch"]
    terminated: Bool[np.ndarray, " batch"]
    won: Bool[np.ndarray, " batch"]
    final_observation: Int8[np.ndarray, "batch rows cols"]
    """Without a reset in the same step, the same array as `observation`."""


class HostGames:
    """A batch of games of one environment, with or without automatic reset."""

    def __init__(self, environment: FunctionalEnvironment, count: int):
        self.environment, self.count = environment, count
        self._states: FunctionalState | None = None
        self._over: Bool[np.ndarray, " batch"] = np.zeros(count, bool)

    @property
    def are_dealt(self) -> bool:
        """Whether there are games: whether `reset` was called."""
        return self._states is not None

    def reset(
        self,
        which: Bool[np.ndarray, " batch"],
        keys: UInt32[np.ndarray, "batch 2"],
        keyed: Bool[np.ndarray, " batch"],
    ) -> Int8[np.ndarray, "batch rows cols"]:
        """Replaces some games, by those of keys where `keyed`, else by those that follow them.

        Returns what is seen of all games.
        """
        states = self._states
        if states is None:
            like = jax.eval_shape(jax.vmap(self.environment.init), keys)
            states = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), like)
        self._states, observation = _reset(self.environment, states, which, keys, keyed)
        self._over &= ~which
        return np.array(observation)

    def step(self, actions: Int32[np.ndarray, " batch"]) -> HostTimestep:
        """Opens a cell in each game; a game that is over stays as it is."""
        return self._take(_step, actions)

    def step_and_reset(self, actions: Int32[np.ndarray, " batch"]) -> HostTimestep:
        """As `step`, but a game that is over is followed at once by the next one."""
        seen = self._take(_step_and_reset, actions)
        self._over[:] = False
        return seen

    def reset_or_step(self, actions: Int32[np.ndarray, " batch"]) -> HostTimestep:
        """As `step`, but a game that is over is followed by the next one, in place of a step."""
        return self._take(_reset_or_step, actions, self._over)

    def _take(self, program: Callable, *given: np.ndarray) -> HostTimestep:
        self._states, seen = program(self.environment, self._states, *given)
        observation, reward, terminated, won, *final = map(np.array, jax.device_get(seen))
        self._over = terminated.copy()
        return HostTimestep(observation, reward, terminated, won, *(final or [observation]))


@jax.jit
def _reset(
    environment: FunctionalEnvironment,
    states: FunctionalState,
    which: Bool[Array, " batch"],
    keys: UInt32[Array, "batch 2"],
    keyed: Bool[Array, " batch"],
) -> tuple[FunctionalState, Int8[Array, "batch rows cols"]]:
    def reset(state, which, key, keyed):
        following, fresh = environment.reset(state, which), environment.init(key)
        first = which & keyed
        after = jax.tree.map(lambda new, old: jnp.where(first, new, old), fresh, following)
        return after, environment.observe(after)

    return jax.vmap(reset)(states, which, keys, keyed)


@jax.jit
def _step(
    environment: FunctionalEnvironment, states: FunctionalState, actions: Int[Array, " batch"]
) -> tuple[FunctionalState, tuple[Array, ...]]:
    after, seen = jax.vmap(environment.step)(states, actions)
    return after, _fields(seen)


@jax.jit
def _step_and_reset(
    environment: FunctionalEnvironment, states: FunctionalState, actions: Int[Array, " batch"]
) -> tuple[FunctionalState, tuple[Array, ...]]:
    after, seen = jax.vmap(environment.step_and_reset)(states, actions)
    return after, (*_fields(seen), seen.final_observation)


@jax.jit
def _reset_or_step(
    environment: FunctionalEnvironment,
    states: FunctionalState,
    actions: Int[Array, " batch"],
    over: Bool[Array, " batch"],
) -> tuple[FunctionalState, tuple[Array, ...]]:
    following = jax.vmap(environment.reset)(states, over)
    # No cell has this number: nothing is opened in a new game.
    chosen = jnp.where(over, jnp.int32(-1), actions)
    after, seen = jax.vmap(environment.step)(following, chosen)
    return after, _fields(seen)


def _fields(seen: Timestep) -> tuple[Array, ...]:
    """Returns what is fetched: all copies take time, and so does what follows from another."""
    return seen.observation, seen.reward, seen.terminated, seen.won
