"""One game, move by move, on the host: for people to look at."""

from collections.abc import Iterator
from dataclasses import dataclass

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Bool, Int8

from jaxsweep import bitboard
from jaxsweep.arena import Table, begin, turn
from jaxsweep.game import GameStatus, status, view
from jaxsweep.level import Opening
from jaxsweep.position import to_grid
from jaxsweep.strategies import AbstractStrategy, Reason


@dataclass(frozen=True)
class Step:
    """One move of a game that is being watched, and the board after it."""

    number: int
    cells: list[tuple[int, int]]
    """Cells the player opened; with those, others may have opened by themselves."""
    reason: Reason
    risk: float | None
    grid: Int8[np.ndarray, "rows cols"]
    new: Bool[np.ndarray, "rows cols"]
    mines: Bool[np.ndarray, "rows cols"]
    status: GameStatus


def watch(strategy: AbstractStrategy, opening: Opening, seed: int) -> Iterator[Step]:
    """Plays game 0 of a seed, move by move, as the arena would."""
    cols = opening.level.cols
    start, go_on = eqx.filter_jit(begin), eqx.filter_jit(turn)
    key = (np.uint32(seed), np.uint32(0))
    now, before = start(Table.of(opening), *key), np.zeros((opening.level.rows, cols), bool)
    cells, reason, risk = [opening.first], Reason.FIRST, opening.first_risk
    number, look = 0, jax.jit(lambda game: (view(game), status(game)))
    while True:
        position, standing = look(now)
        opened = bitboard.unpack(np.asarray(now.opened), cols)
        step = Step(
            number=number,
            cells=cells,
            reason=reason,
            risk=risk,
            grid=to_grid(position),
            new=np.asarray(opened & ~before),
            mines=np.asarray(bitboard.unpack(np.asarray(now.mines), cols)),
            status=GameStatus(int(standing)),
        )
        yield step
        if step.status is not GameStatus.PLAYING:
            return
        now, move = go_on(strategy, now, *key, np.int32(number))
        chosen = np.argwhere(bitboard.unpack(np.asarray(move.opens), cols))
        cells = [(int(row), int(col)) for row, col in chosen]
        reason, risk = Reason(int(move.reason)), float(move.risk)
        risk = risk if risk >= 0 else None
        before, number = opened, number + 1
