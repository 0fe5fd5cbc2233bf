"""One game, move by move, on the host: the same game as in the arena, for people to watch."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Int8

from jaxsweep.rules.board import Cell, cells_of, mask_of
from jaxsweep.rules.level import Opening
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.reasons import Reason
from jaxsweep.rules.status import GameStatus
from jaxsweep.scalar.advice import Advice
from jaxsweep.scalar.deal import move_key
from jaxsweep.scalar.game import dealt_game, deduce, opened_alone
from jaxsweep.single.advisor import AnyPlayer, advise, rules_of


@dataclass(frozen=True, eq=False)
class WatchedMove:
    """One move of a game that is being watched, and the board after it."""

    number: int
    cells: list[Cell]
    """The cells that the strategy opened, without those that opened by flood fill."""
    reason: Reason
    risk: float | None
    """The mine probability of a guess, 0 for certain cells, None where it is not known."""
    advice: Advice | None
    """What a guess rests on; None for the first cell and for what deduction proved."""
    grid: Int8[np.ndarray, "rows cols"]
    new: Bool[np.ndarray, "rows cols"]
    """The cells that the move opened, with flood fill."""
    mines: Bool[np.ndarray, "rows cols"]
    status: GameStatus

    @property
    def explanation(self) -> str:
        """The reason in words, with the win probability where candidates were evaluated."""
        return self.reason.text if self.advice is None else self.advice.explanation


def watch(
    player: AnyPlayer, opening: Opening, seed: int, game_number: int = 0
) -> Iterator[WatchedMove]:
    """Plays a game of a seed, move by move, as the arena does.

    Boards of more than 10,000 cells, and positions beyond the scalar path's budget, are an
    exception: there a player that looks ahead plays at the least risk.
    """
    rules, board = rules_of(player), dealt_game(opening, seed, game_number)
    cells, reason, risk, advice = [opening.first], Reason.FIRST, opening.first_risk, None
    before, strategy_moves = np.zeros_like(board.mines), 0
    for number in itertools.count():
        board, (opens, mines, rule) = deduce(board, rules)
        yield WatchedMove(
            number=number,
            cells=cells,
            reason=reason,
            risk=risk,
            advice=advice,
            grid=board.grid,
            new=board.opened & ~before,
            mines=board.mines,
            status=board.status,
        )
        if board.status is not GameStatus.PLAYING:
            return
        if opens.any():
            advice, reason, risk = None, rule, 0.0
        else:
            position = GridPosition(board.grid, opening.level.mines)
            advice = advise(player, position, move_key(seed, game_number, strategy_moves))
            strategy_moves += 1
            opens = mask_of(advice.cells, board.mines)
            mines = board.flags | mask_of(advice.mines, board.mines)
            reason, risk = advice.reason, advice.risk
        cells, before = cells_of(opens), board.opened
        board = opened_alone(replace(board, flags=mines), opens)


def share_opened(step: WatchedMove, opening: Opening) -> float:
    """Returns the share of the safe cells that are open."""
    safe = opening.level.cells - opening.level.mines
    return float((step.grid >= 0).sum()) / safe if safe else 1.0
