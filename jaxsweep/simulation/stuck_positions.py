"""Positions of real games in which rules are stuck: what an engine is for, and is measured on."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

from jaxsweep.rules.game import Seed
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.rules.randomness import random_words
from jaxsweep.simulation import episode
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage, batched
from jaxsweep.strategies import Rules
from jaxsweep.strategies.random import random_cell

BATCH = 64
"""Games played side by side."""

GUESSES = 4
"""How often a game goes on by luck, a safe cell opened at random, before it is left."""


def stuck_positions(opening: Opening, seed: int, count: int) -> Position:
    """So many positions, batch last, in which no rule finds a safe cell; always the same ones."""
    table, key, found = OpeningArrays.of(opening), np.uint32(seed), []
    have = dealt = 0
    while have < count:
        games = _deal(table, key, np.arange(dealt, dealt + BATCH, dtype=np.uint32))
        dealt += BATCH
        for _ in range(GUESSES):
            games, positions = _until_stuck(table, games)
            stuck = np.asarray(games.stage) == Stage.GUESS
            found.append(jax.tree.map(lambda leaf, s=stuck: np.asarray(leaf)[..., s], positions))
            have += int(stuck.sum())
            games = _open_by_luck(table, games, key)
    return jax.tree.map(
        lambda *leaves: jnp.asarray(np.concatenate(leaves, axis=-1)[..., :count]), *found
    )


@jax.jit
def _deal(
    table: OpeningArrays, seed: Seed, numbers: UInt32[Array | np.ndarray, " batch"]
) -> Episode:
    return batched(partial(episode.deal, table, seed))(jnp.asarray(numbers))


@jax.jit
def _until_stuck(table: OpeningArrays, games: Episode) -> tuple[Episode, Position]:
    """Makes all moves that the rules find; and what the player sees then, nothing flagged."""
    tables = table.broadcast(BATCH)

    def step(games: Episode) -> Episode:
        swept = episode.sweep(tables, Rules.PAIR, games).lane
        paired = episode.look_at_pairs(tables, games).lane
        chosen = episode.pick(games.stage == Stage.SWEEP, swept, paired)
        return episode.pick(games.stage < Stage.GUESS, chosen, games)

    games = jax.lax.while_loop(lambda games: jnp.any(games.stage < Stage.GUESS), step, games)
    positions = episode.view(tables, games)
    return games, eqx.tree_at(lambda p: p.flags, positions, jnp.zeros_like(positions.flags))


@jax.jit
def _open_by_luck(table: OpeningArrays, games: Episode, seed: Seed) -> Episode:
    """Opens a safe cell in each game: any one, as only who knows the mines can."""
    safe = table.broadcast(BATCH).cells & ~games.opened & ~games.mines
    keys = batched(partial(episode.key_for, seed=seed))(games)
    opened = games.opened | random_cell(safe, random_words(keys))
    stage = jnp.where(games.stage == Stage.GUESS, Stage.SWEEP, games.stage).astype(jnp.int32)
    return eqx.tree_at(
        lambda x: (x.opened, x.stage, x.asked), games, (opened, stage, games.asked + 1)
    )
