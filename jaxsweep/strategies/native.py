"""Guesses of a batch on the host, by the scalar path compiled to machine code."""

import threading
from collections.abc import Callable

import jax
import numpy as np
from jaxtyping import Array, Key

from jaxsweep.native.board import used_size
from jaxsweep.native.lookahead import MAX_CANDIDATES
from jaxsweep.native.players import UNDECIDED, Settings, Workspace, guess_some, make_workspace
from jaxsweep.rules.position import Position
from jaxsweep.rules.threefry import words
from jaxsweep.scalar.players import LeastRiskPlayer, LookaheadPlayer
from jaxsweep.scalar.view import MAX_CELLS
from jaxsweep.strategies.base import Move
from jaxsweep.strategies.one_by_one import replace_some


def guess_natively(
    player: LeastRiskPlayer | LookaheadPlayer,
    positions: Position,
    keys: Key[Array, " batch"],
    otherwise: Callable[[Position, Key[Array, " batch"]], Move],
) -> Move:
    """Returns the moves of a player in a batch of positions, last, on the host.

    `otherwise` makes those that exceed the capacity. A position without hidden cells, as padding
    has them, gets a move that opens nothing.
    """
    host = jax.device_get(positions)
    rows, width, count = host.hidden.shape
    opens, flags = (np.zeros((rows, width, count), np.uint32) for _ in range(2))
    reason, risk = np.full(count, UNDECIDED, np.int32), np.zeros(count, np.float32)
    # Copies are contiguous and writable: one type of arrays, for which code is compiled once.
    hidden, opened, mines = (np.array(leaf) for leaf in (host.hidden, host.opened, host.mines))
    board, settings = used_size(hidden, opened), settings_of(player)
    if board[0] * board[1] <= MAX_CELLS and settings.max_candidates <= MAX_CANDIDATES:
        guess_some(
            0,
            count,
            hidden,
            opened,
            np.stack(host.numbers),
            mines,
            words(np.asarray(jax.random.key_data(keys))),
            settings,
            workspace(*board, player.endgame_layouts),
            opens,
            flags,
            reason,
            risk,
        )
    moves = Move(opens, flags, reason, risk)
    return replace_some(moves, np.nonzero(reason == UNDECIDED)[0], host, keys, otherwise)


def settings_of(player: LeastRiskPlayer | LookaheadPlayer) -> Settings:
    """Returns the parameters of a player."""
    if isinstance(player, LeastRiskPlayer):
        return Settings(False, player.random_ties, player.endgame_layouts, 0.0, 1, False, 0.0)
    return Settings(
        True,
        False,
        player.endgame_layouts,
        player.candidate_ratio,
        player.max_candidates,
        player.fifty_fifties,
        player.second_weight,
    )


_own = threading.local()


def workspace(rows: int, cols: int, endgame_layouts: int) -> Workspace:
    """Returns the memory of this thread for boards of this size."""
    wanted = (rows, cols, endgame_layouts)
    if getattr(_own, "wanted", None) != wanted:
        _own.wanted, _own.workspace = wanted, make_workspace(*wanted)
    return _own.workspace
