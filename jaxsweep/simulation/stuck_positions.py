"""A sample of positions in which deduction is stuck, to test and measure engines on."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

from jaxsweep.rules.bitboard import vmap_last
from jaxsweep.rules.game import Seed
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.rules.randomness import random_words
from jaxsweep.simulation import episode
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage
from jaxsweep.strategies import Rules
from jaxsweep.strategies.random import random_cell

BATCH = 64
"""Games that are played together."""

POSITIONS_PER_GAME = 4
"""The most positions of one game; after each, a random safe cell is opened."""


def stuck_positions(opening: Opening, seed: int, count: int) -> Position:
    """Returns `count` positions, batch last, in which no rule finds a safe cell.

    The same arguments give the same positions.
    """
    arrays, np_seed, found = OpeningArrays.of(opening), np.uint32(seed), []
    have = dealt = 0
    while have < count:
        games = _deal(arrays, np_seed, np.arange(dealt, dealt + BATCH, dtype=np.uint32))
        dealt += BATCH
        for _ in range(POSITIONS_PER_GAME):
            games, positions = _until_stuck(arrays, games)
            stuck = np.asarray(games.stage) == Stage.GUESS
            found.append(jax.tree.map(lambda leaf, s=stuck: np.asarray(leaf)[..., s], positions))
            have += int(stuck.sum())
            games = _open_safe_cell(arrays, games, np_seed)
    return jax.tree.map(
        lambda *leaves: jnp.asarray(np.concatenate(leaves, axis=-1)[..., :count]), *found
    )


@jax.jit
def _deal(
    opening: OpeningArrays, seed: Seed, game_numbers: UInt32[Array | np.ndarray, " batch"]
) -> Episode:
    return vmap_last(partial(episode.deal, opening, seed))(jnp.asarray(game_numbers))


@jax.jit
def _until_stuck(opening: OpeningArrays, games: Episode) -> tuple[Episode, Position]:
    """Plays until the rules find no more; also returns what the player sees, without flags."""
    openings = opening.broadcast(BATCH)

    def step(games: Episode) -> Episode:
        single = episode.play_single_round(openings, Rules.PAIR, games).episode
        pair = episode.play_pair_round(openings, games).episode
        chosen = episode.select(games.stage == Stage.SINGLE, single, pair)
        return episode.select(games.stage < Stage.GUESS, chosen, games)

    games = jax.lax.while_loop(lambda games: jnp.any(games.stage < Stage.GUESS), step, games)
    positions = episode.view(openings, games)
    return games, eqx.tree_at(lambda p: p.flags, positions, jnp.zeros_like(positions.flags))


@jax.jit
def _open_safe_cell(opening: OpeningArrays, games: Episode, seed: Seed) -> Episode:
    """Opens a random safe cell in each game, chosen with knowledge of the mines."""
    safe = opening.broadcast(BATCH).cells & ~games.opened & ~games.mines
    keys = vmap_last(partial(episode.key_for, seed=seed))(games)
    opened = games.opened | random_cell(safe, random_words(keys))
    stage = jnp.where(games.stage == Stage.GUESS, Stage.SINGLE, games.stage).astype(jnp.int32)
    return eqx.tree_at(
        lambda x: (x.opened, x.stage, x.strategy_moves),
        games,
        (opened, stage, games.strategy_moves + 1),
    )
