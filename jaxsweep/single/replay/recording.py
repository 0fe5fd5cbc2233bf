"""A strategy's game as a replay."""

from collections.abc import Iterable, Iterator

import numpy as np
from jaxtyping import Float

from jaxsweep.engines.beliefs import Beliefs
from jaxsweep.inference import infer
from jaxsweep.rules.board import Board, Mask, cells_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import FLAGGED, from_grid
from jaxsweep.single.replay.format import SCALE, RecordedMove, Replay
from jaxsweep.single.watch import WatchedMove, watch
from jaxsweep.strategies import STRATEGIES


def record(strategy: str, opening: Opening, seed: int, game: int = 0) -> Replay:
    """Plays game `game` of a seed, as the arena does, and keeps all of it."""
    return of_steps(watch(STRATEGIES[strategy], opening, seed, game), strategy, opening, seed, game)


def of_steps(
    steps: Iterable[WatchedMove], strategy: str, opening: Opening, seed: int, game: int = 0
) -> Replay:
    """A watched game as a replay; the exact odds before each guess are worked out here."""
    seen: list[WatchedMove] = []

    def noted() -> Iterator[WatchedMove]:
        for step in steps:
            seen.append(step)
            yield step

    moves = tuple(move for move, _ in moves_of(noted()))
    last = seen[-1]
    return Replay(opening, seed, game, strategy, last.mines, moves, last.status)


def moves_of(steps: Iterable[WatchedMove]) -> Iterator[tuple[RecordedMove, Mask]]:
    """The moves of a watched game, each when it is made, and where the mines are."""
    board = None
    for step in steps:
        board = Board.covered(step.mines) if board is None else board
        if board.status is not GameStatus.PLAYING:
            return  # A board full of mines is won before the first move.
        # Mines that the player knows of after a move are flagged with it.
        flags = (step.grid == FLAGGED) & ~board.flags
        yield (
            RecordedMove(
                cells=tuple(step.cells),
                flags=tuple(cells_of(flags)),
                opened=tuple(cells_of(step.new)),
                reason=step.reason,
                risk=step.risk,
                odds=odds_of(board, int(step.mines.sum())) if step.reason.is_guess else None,
            ),
            step.mines,
        )
        board = board.flag(flags).open(step.new)


def odds_of(board: Board, mines: int) -> Float[np.ndarray, "rows cols"] | None:
    """The chance of a mine in each covered cell; None where there are no odds."""
    return shown_odds(infer(from_grid(board.grid, mines)), ~board.opened)


def shown_odds(beliefs: Beliefs, covered: np.ndarray) -> Float[np.ndarray, "rows cols"] | None:
    """Odds of covered cells, in which 0 and 1 stand for certainty alone; None without odds."""
    if not bool(beliefs.has_probabilities):
        return None
    rows, cols = covered.shape
    least = 1.0 / SCALE

    def crop(leaf) -> np.ndarray:
        return np.asarray(leaf)[:rows, :cols]

    odds = np.clip(crop(beliefs.mine_probability), least, 1.0 - least).astype(np.float32)
    odds[crop(beliefs.safe)], odds[crop(beliefs.mines)] = 0.0, 1.0
    return np.where(covered, odds, np.float32(0.0))
