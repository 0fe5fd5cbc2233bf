"""Records the game of a strategy as a replay."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.rules.board import Board, Mask, cells_of
from jaxsweep.rules.grid import FLAGGED
from jaxsweep.rules.level import Opening
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.advisor import infer
from jaxsweep.single.replay.format import SCALE, RecordedMove, Replay
from jaxsweep.single.watch import WatchedMove, watch


def record(strategy: str, opening: Opening, seed: int, game: int = 0) -> Replay:
    """Plays game number `game` of a seed, the same as in the arena, and returns its replay."""
    moves = watch(strategy, opening, seed, game)
    return to_replay(list(moves), strategy, opening, seed, game)


def to_replay(
    watched: Sequence[WatchedMove], strategy: str, opening: Opening, seed: int, game: int = 0
) -> Replay:
    """Turns all moves of a watched game into a replay."""
    moves, last = tuple(move for move, _ in recorded_moves(watched)), watched[-1]
    return Replay(opening, seed, game, strategy, last.mines, moves, last.status)


def recorded_moves(watched: Iterable[WatchedMove]) -> Iterator[tuple[RecordedMove, Mask]]:
    """Yields a recorded move for each watched move as soon as it is made, with the mines."""
    board = None
    for move in watched:
        board = Board.all_hidden(move.mines) if board is None else board
        if board.status is not GameStatus.PLAYING:
            return  # A board full of mines is won before the first move.
        # Mines that the strategy knows of after a move are flagged with it.
        flags = (move.grid == FLAGGED) & ~board.flags
        recorded = RecordedMove(
            cells=tuple(move.cells),
            flags=tuple(cells_of(flags)),
            opened=tuple(cells_of(move.new)),
            reason=move.reason,
            risk=move.risk,
            odds=_odds_before(move, board) if move.reason.is_guess else None,
        )
        yield recorded, move.mines
        board = board.flag(flags).open(move.new)


def _odds_before(move: WatchedMove, board: Board) -> Float[np.ndarray, "rows cols"] | None:
    """Returns the mine probabilities before a guess; None if there are none.

    Takes those that the strategy inferred, if they are exact, and infers them otherwise.
    """
    beliefs = None if move.advice is None else move.advice.beliefs
    if beliefs is None or beliefs.status != Status.EXACT:
        beliefs, _ = infer(GridPosition(board.grid, int(move.mines.sum())))
    return stored_odds(beliefs, ~board.opened)


def stored_odds(
    beliefs: Beliefs, hidden: Bool[np.ndarray, "rows cols"]
) -> Float[np.ndarray, "rows cols"] | None:
    """Returns probabilities as a replay stores them; None if the beliefs have none.

    0 and 1 are only for certain cells: other probabilities are at least 1 / `SCALE` away.
    """
    if not bool(beliefs.has_probabilities):
        return None
    least = 1.0 / SCALE
    odds = np.clip(beliefs.mine_probability, least, 1.0 - least).astype(np.float32)
    odds[beliefs.safe], odds[beliefs.mines] = 0.0, 1.0
    return np.where(hidden, odds, np.float32(0.0))
