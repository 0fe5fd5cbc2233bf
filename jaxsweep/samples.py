"""Positions of real games in which rules are stuck: what an engine is for, and is measured on."""

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Int, Key

from jaxsweep import game
from jaxsweep.arena import Lane, Table, advance_lanes, deal_lanes, look
from jaxsweep.deduction import deduce_safe, single_cell
from jaxsweep.game import GameStatus
from jaxsweep.level import Opening
from jaxsweep.position import Position
from jaxsweep.strategies.random import any_of

BATCH = 64
"""Games played side by side."""

GUESSES = 4
"""How often a game goes on by luck, a safe cell opened at random, before it is left."""


def stuck_positions(opening: Opening, seed: int, count: int) -> Position:
    """So many positions, batch last, in which no rule finds a safe cell; always the same ones."""
    table, key, found = Table.of(opening), np.uint32(seed), []
    have = dealt = 0
    while have < count:
        lanes = deal_lanes(table, key, np.arange(dealt, dealt + BATCH, dtype=np.uint32))
        dealt += BATCH
        for _ in range(GUESSES):
            lanes, status = _until_stuck(lanes)
            positions, keys = look(lanes, key)
            playing = status == GameStatus.PLAYING
            found.append(jax.tree.map(lambda leaf, p=playing: np.asarray(leaf)[..., p], positions))
            have += int(playing.sum())
            lanes = _open_by_luck(lanes, keys)
    return jax.tree.map(
        lambda *leaves: jax.numpy.asarray(np.concatenate(leaves, axis=-1)[..., :count]), *found
    )


def _until_stuck(lanes: Lane) -> tuple[Lane, Int[np.ndarray, " batch"]]:
    """Makes all moves that the rules find."""
    while True:
        lanes, more, _ = advance_lanes(lanes, single_cell, 8)
        if not np.any(more):
            lanes, more, status = advance_lanes(lanes, deduce_safe, 1)
            if not np.any(more):
                return lanes, np.asarray(status)


@jax.jit
def _open_by_luck(lanes: Lane, keys: Key[Array, " batch"]) -> Lane:
    """Opens a safe cell in each game: any one, as only who knows the mines can."""

    def one(lane: Lane, key: Key[Array, ""]) -> Lane:
        now = lane.game
        after = game.open_cells(now, any_of(now.cells & ~now.opened & ~now.mines, key))
        return eqx.tree_at(lambda lane: (lane.game, lane.rounds), lane, (after, lane.rounds + 1))

    return jax.vmap(one, in_axes=-1, out_axes=-1)(lanes, keys)
