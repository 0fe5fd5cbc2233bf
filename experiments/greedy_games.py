"""Games of a network that always opens the cell of the highest score, wholly on the device."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32, Int, Int8, Int32, Key

from jaxsweep.functional import COVERED, FunctionalEnvironment
from jaxsweep.simulation.statistics import wilson
from networks import choices

Scores = Callable[[Int8[Array, "batch rows cols"]], Float32[Array, "batch cells"]]
"""Returns how good it is to open each cell, given observations."""

LANES = 512
"""Games that are played at once."""


def greedy(
    scores: Scores, observation: Int8[Array, "batch rows cols"], first: tuple[int, int]
) -> Int32[Array, " batch"]:
    """Returns the hidden cell of the highest score; in a new game, `first`."""
    allowed = jnp.where(choices(observation, first), scores(observation), -jnp.inf)
    return jnp.argmax(allowed, axis=1).astype(jnp.int32)


@eqx.filter_jit
def count_wins(
    scores: Scores,
    environment: FunctionalEnvironment,
    first: tuple[int, int],
    key: Key[Array, ""],
    rounds: Int[Array, ""],
    lanes: int,
) -> Int32[Array, " lanes"]:
    """Plays `rounds` games in each lane, one after another, and returns how many each lane won.

    The number of games of a lane is fixed, since short games are lost games: to stop the clock
    would favour them.
    """

    def turn(carry):
        states, observations, over, won = carry
        actions = greedy(scores, observations, first)
        states, timestep = jax.vmap(environment.step_and_reset)(states, actions)
        counted = timestep.terminated & (over < rounds)
        won += (counted & timestep.won).astype(jnp.int32)
        return states, timestep.observation, over + counted.astype(jnp.int32), won

    states = jax.vmap(environment.init)(jax.random.split(key, lanes))
    level = environment.level
    nothing = jnp.zeros((lanes,), jnp.int32)
    seen = jnp.full((lanes, level.rows, level.cols), COVERED, jnp.int8)
    begun = states, seen, nothing, nothing
    return jax.lax.while_loop(lambda carry: jnp.any(carry[2] < rounds), turn, begun)[3]


def win_rate(
    scores: Scores,
    environment: FunctionalEnvironment,
    first: tuple[int, int],
    key: Key[Array, ""],
    games: int,
) -> dict[str, Any]:
    """Plays at least so many games, and returns how many were won, with the 95 % interval."""
    lanes = min(games, LANES)
    rounds = -(-games // lanes)
    won = int(count_wins(scores, environment, first, key, jnp.int32(rounds), lanes).sum())
    played = lanes * rounds
    return {
        "games": played,
        "won": won,
        "win_rate": won / played,
        "interval_95": list(wilson(won, played)),
    }
