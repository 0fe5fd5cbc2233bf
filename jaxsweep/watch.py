"""One game, move by move, on the host: for people to look at."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int8, Key, UInt32

from jaxsweep import bitboard
from jaxsweep.arena import Table, act, begin
from jaxsweep.game import Game, GameStatus, game_key, move_key, status, view
from jaxsweep.level import Opening
from jaxsweep.position import Position, to_grid
from jaxsweep.strategies import UNKNOWN_RISK, AbstractStrategy, Reason, best_deduction


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
    now = _begin(Table.of(opening), np.uint32(seed))
    before = np.zeros((opening.level.rows, cols), bool)
    cells, reason, risk = [opening.first], Reason.FIRST, opening.first_risk
    for number in itertools.count():
        position, standing = _look(now)
        opened = np.asarray(bitboard.unpack(np.asarray(now.opened), cols))
        step = Step(
            number=number,
            cells=cells,
            reason=reason,
            risk=risk,
            grid=to_grid(position),
            new=opened & ~before,
            mines=np.asarray(bitboard.unpack(np.asarray(now.mines), cols)),
            status=GameStatus(int(standing)),
        )
        yield step
        if step.status is not GameStatus.PLAYING:
            return
        move = _deduce(strategy, position)
        if not np.any(move.opens):
            batch = jax.tree.map(lambda leaf: leaf[..., None], position)
            moves = strategy.guess(batch, _keys(np.uint32(seed), np.int32(number)))
            move = jax.tree.map(lambda leaf: leaf[..., 0], moves)
        now = _act(now, move)
        chosen = np.argwhere(bitboard.unpack(np.asarray(move.opens), cols))
        cells = [(int(row), int(col)) for row, col in chosen]
        reason, before = Reason(int(move.reason)), opened
        risk = None if float(move.risk) == UNKNOWN_RISK else float(move.risk)


@eqx.filter_jit
def _begin(table: Table, seed: UInt32[Array, ""] | np.uint32) -> Game:
    return begin(table, seed, jnp.uint32(0))


@jax.jit
def _look(now: Game) -> tuple[Position, Int[Array, ""]]:
    return view(now), status(now)


_deduce = eqx.filter_jit(best_deduction)


@jax.jit
def _keys(
    seed: UInt32[Array, ""] | np.uint32, number: Int[Array, ""] | np.int32
) -> Key[Array, " 1"]:
    return move_key(game_key(seed, jnp.uint32(0)), number)[None]


_act = jax.jit(act)
