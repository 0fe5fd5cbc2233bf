"""Guesses of a batch on the host, by the scalar path compiled to machine code."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Int32, Key, UInt32

from jaxsweep.native.board import used_size
from jaxsweep.native.cell_values import Rooms, make_rooms
from jaxsweep.native.lookahead import MAX_CANDIDATES
from jaxsweep.native.players import (
    UNDECIDED,
    Settings,
    Workspace,
    guess_some,
    make_workspace,
    settings_of,
)
from jaxsweep.native.rollouts import Comparison, Limits, guess_some_by_rollouts, stakes
from jaxsweep.native.thread_memory import thread_memory
from jaxsweep.rules.position import Position
from jaxsweep.rules.threefry import words
from jaxsweep.scalar.players import LeastRiskPlayer, LookaheadPlayer, RolloutPlayer
from jaxsweep.scalar.view import MAX_CELLS
from jaxsweep.strategies.base import Move
from jaxsweep.strategies.one_by_one import replace_some


class Batch(NamedTuple):
    """Positions on the host, batch last, and the fields of their moves, to be written."""

    hidden: UInt32[np.ndarray, "rows words batch"]
    opened: UInt32[np.ndarray, "rows words batch"]
    numbers: UInt32[np.ndarray, "digits rows words batch"]
    mines: Int32[np.ndarray, " batch"]
    words: UInt32[np.ndarray, " batch"]
    """A random word for each."""
    moves: Move


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
    settings = settings_of(player)

    def guess(batch: Batch, rows: int, cols: int) -> None:
        guess_some(
            0,
            len(batch.words),
            batch.hidden,
            batch.opened,
            batch.numbers,
            batch.mines,
            batch.words,
            settings,
            workspace(rows, cols, player.endgame_layouts),
            batch.moves.opens,
            batch.moves.flags,
            batch.moves.reason,
            batch.moves.risk,
        )

    return guess_on_host(guess, _most_candidates(settings), positions, keys, otherwise)


def guess_by_rollouts(
    player: RolloutPlayer,
    positions: Position,
    keys: Key[Array, " batch"],
    otherwise: Callable[[Position, Key[Array, " batch"]], Move],
) -> Move:
    """As `guess_natively`, for a player that compares candidates by playouts."""
    settings = settings_of(player.lookahead)

    def guess(batch: Batch, rows: int, cols: int) -> None:
        guess_some_by_rollouts(
            batch.hidden,
            batch.opened,
            batch.numbers,
            batch.mines,
            batch.words,
            settings,
            comparison_of(player, rows, cols),
            np.zeros(1, np.uint64),
            batch.moves.opens,
            batch.moves.flags,
            batch.moves.reason,
            batch.moves.risk,
        )

    return guess_on_host(guess, _most_candidates(settings), positions, keys, otherwise)


def comparison_of(player: RolloutPlayer, rows: int, cols: int) -> Comparison:
    """Returns how a player compares candidates, with this thread's memory for such boards."""
    playing_on = settings_of(player.playing_on)
    own = rooms(rows, cols, (playing_on, settings_of(player.lookahead)), player.draws)
    limits = Limits(player.max_log_layouts, player.compared, player.margin)
    return Comparison(playing_on, limits, stakes(), own)


def guess_on_host(
    guess: Callable[[Batch, int, int], None],
    max_candidates: int,
    positions: Position,
    keys: Key[Array, " batch"],
    otherwise: Callable[[Position, Key[Array, " batch"]], Move],
) -> Move:
    """Returns the moves that a compiled function writes, given a batch and the size of its boards.

    `otherwise` makes those that are left undecided.
    """
    host = jax.device_get(positions)
    rows, width, count = host.hidden.shape
    opens, flags = (np.zeros((rows, width, count), np.uint32) for _ in range(2))
    reason, risk = np.full(count, UNDECIDED, np.int32), np.zeros(count, np.float32)
    # Copies are contiguous and writable: one type of arrays, for which code is compiled once.
    hidden, opened, mines = (np.array(leaf) for leaf in (host.hidden, host.opened, host.mines))
    moves, board = Move(opens, flags, reason, risk), used_size(hidden, opened)
    if board[0] * board[1] <= MAX_CELLS and max_candidates <= MAX_CANDIDATES:
        random_words = words(np.asarray(jax.random.key_data(keys)))
        guess(Batch(hidden, opened, np.stack(host.numbers), mines, random_words, moves), *board)
    return replace_some(moves, np.nonzero(reason == UNDECIDED)[0], host, keys, otherwise)


def _most_candidates(settings: Settings) -> int:
    return max(settings.max_candidates, settings.deeper_candidates)


def workspace(rows: int, cols: int, endgame_layouts: int) -> Workspace:
    """Returns the memory of this thread for boards of this size."""
    return thread_memory(make_workspace, rows, cols, endgame_layouts)


def rooms(rows: int, cols: int, players: tuple[Settings, ...], draws: int) -> Rooms:
    """Returns the memory of this thread for playouts on boards of this size."""
    return thread_memory(make_rooms, rows, cols, players, draws)
