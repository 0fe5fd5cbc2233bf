"""Guesses of a batch made one by one on the host, by the scalar path: nothing is compiled for them.

For runs of few games, and for positions that exceed the capacity of the compiled path.
"""

from collections.abc import Callable

import jax
import numpy as np
from jaxtyping import Array, Int, Key

from jaxsweep.rules import bitboard
from jaxsweep.rules.board import mask_of
from jaxsweep.rules.position import Position, to_grid_positions
from jaxsweep.rules.reasons import Reason
from jaxsweep.scalar.advice import UNKNOWN_RISK
from jaxsweep.scalar.players import Player, advise
from jaxsweep.strategies.base import Move


def guess_one_by_one(
    player: Player,
    positions: Position,
    keys: Key[Array, " batch"],
    otherwise: Callable[[Position, Key[Array, " batch"]], Move],
) -> Move:
    """Returns the moves of a player in a batch of positions, last.

    `otherwise` makes those for which the scalar path has no advice: too wide, inconsistent, or with
    holes in the board. A position without hidden cells, as padding has them, gets a move that opens
    nothing.
    """
    host, words = jax.device_get(positions), np.asarray(jax.random.key_data(keys)).tolist()
    rows, width, count = host.hidden.shape
    opens, flags = (np.zeros((rows, width * bitboard.WORD, count), bool) for _ in range(2))
    reason = np.full(count, Reason.AT_RANDOM, np.int32)
    risk, left = np.full(count, UNKNOWN_RISK, np.float32), []
    for i, position in enumerate(to_grid_positions(host)):
        if position is not None and not (position.grid < 0).any():
            continue
        advice = None
        if position is not None:
            advice = advise(player, position, tuple(words[i]), only_move=True)
        if advice is None:
            left.append(i)
            continue
        for grid, cells in ((opens, advice.cells), (flags, advice.mines)):
            grid[..., i] = mask_of(cells, grid[..., i])
        reason[i], risk[i] = advice.reason, UNKNOWN_RISK if advice.risk is None else advice.risk
    packed = (bitboard.pack(opens), bitboard.pack(flags))
    moves = Move(*(np.asarray(leaf) for leaf in (*packed, reason, risk)))
    return replace_some(moves, np.array(left, int), host, keys, otherwise)


def replace_some(
    moves: Move,
    which: Int[np.ndarray, " some"],
    positions: Position,
    keys: Key[Array, " batch"],
    otherwise: Callable[[Position, Key[Array, " batch"]], Move],
) -> Move:
    """Returns moves on the host with some of them made by `otherwise`."""
    if not len(which):
        return moves
    others = otherwise(jax.tree.map(lambda leaf: leaf[..., which], positions), keys[which])

    def replace(whole: np.ndarray, part: np.ndarray) -> np.ndarray:
        whole = np.array(whole)
        whole[..., which] = part
        return whole

    return jax.tree.map(replace, moves, jax.device_get(others))
