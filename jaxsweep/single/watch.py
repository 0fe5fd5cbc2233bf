"""One game, move by move, on the host: for people to look at."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int8

from jaxsweep.rules import bitboard
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position, to_grid
from jaxsweep.simulation.episode import (
    Episode,
    Look,
    OpeningArrays,
    Stage,
    deal,
    guessed,
    key_for,
    look_at_pairs,
    status,
    sweep,
    view,
)
from jaxsweep.strategies import UNKNOWN_RISK, AbstractStrategy, Reason, Rules


@dataclass(frozen=True)
class WatchedMove:
    """One move of a game that is being watched, and the board after it."""

    number: int
    cells: list[tuple[int, int]]
    """Cells the player opened; with those, others may have opened by themselves."""
    reason: Reason
    why: str
    """The reason, with what was weighed."""
    risk: float | None
    grid: Int8[np.ndarray, "rows cols"]
    new: Bool[np.ndarray, "rows cols"]
    mines: Bool[np.ndarray, "rows cols"]
    status: GameStatus


def watch(
    strategy: AbstractStrategy, opening: Opening, seed: int, number: int = 0
) -> Iterator[WatchedMove]:
    """Plays game `number` of a seed, move by move, as the arena does."""
    cols, table, key = opening.level.cols, OpeningArrays.of(opening), np.uint32(seed)
    lane = _deal(table, key, np.uint32(number))
    before = np.zeros((opening.level.rows, cols), bool)
    cells, reason, risk = [opening.first], Reason.FIRST, opening.first_risk
    why = reason.text
    for move_number in itertools.count():
        lane, look = _until_a_move(strategy.rules, table, lane)
        position, standing = _look(table, lane)
        opened = np.asarray(bitboard.unpack(np.asarray(lane.opened), cols))
        step = WatchedMove(
            number=move_number,
            cells=cells,
            reason=reason,
            why=why,
            risk=risk,
            grid=to_grid(position),
            new=opened & ~before,
            mines=np.asarray(bitboard.unpack(np.asarray(lane.mines), cols)),
            status=GameStatus(int(standing)),
        )
        yield step
        if step.status is not GameStatus.PLAYING:
            return
        if not np.any(look.opens):
            advice = strategy.advise(position, _key(look.lane, key))
            move = advice.move
            lane, opens = _guess(look.lane, move), move.opens
            reason, risk, why = Reason(int(move.reason)), float(move.risk), advice.reason
        else:
            lane, opens = look.lane, look.opens
            reason, risk = Reason(int(look.reason)), 0.0
            why = reason.text
        chosen = np.argwhere(bitboard.unpack(np.asarray(opens), cols))
        cells, before = [(int(row), int(col)) for row, col in chosen], opened
        risk = None if risk == UNKNOWN_RISK else risk


def share_opened(step: WatchedMove, opening: Opening) -> float:
    """The share of the safe cells that are open."""
    safe = opening.level.cells - opening.level.mines
    return float((step.grid >= 0).sum()) / safe if safe else 1.0


def describe(steps: list[WatchedMove], opening: Opening, seed: int) -> dict:
    """A watched game as plain data."""
    last = steps[-1]
    return {
        "rows": opening.level.rows,
        "cols": opening.level.cols,
        "mines": opening.level.mines,
        "start": opening.start.value,
        "seed": seed,
        "moves": [
            {"cells": step.cells, "reason": step.reason.name.lower(), "risk": step.risk}
            for step in steps
        ],
        "won": last.status is GameStatus.WON,
        "clicks": sum(len(step.cells) for step in steps),
        "guesses": sum(step.reason.is_guess for step in steps),
        "share_opened": share_opened(last, opening),
    }


def _until_a_move(rules: Rules, table: OpeningArrays, lane: Episode) -> tuple[Episode, Look]:
    """Looks at the board until cells are found to open, or none are; and the game before that.

    Two numbers at a time have a kernel of their own: a first look needs no compiling of it.
    """
    while True:
        if lane.stage == Stage.PAIR:
            look = _look_at_pairs(table, lane)
        else:
            lane, look = _sweep_on(rules, table, lane)
        if np.any(look.opens) or look.lane.stage >= Stage.GUESS:
            return lane, look
        lane = look.lane


@partial(jax.jit, static_argnums=0)
def _sweep_on(rules: Rules, table: OpeningArrays, lane: Episode) -> tuple[Episode, Look]:
    """As `_until_a_move`, one number at a time."""

    def seeking(state: tuple[Episode, Look]) -> Bool[Array, ""]:
        look = state[1]
        return ~bitboard.any_set(look.opens) & (look.lane.stage == Stage.SWEEP)

    def step(state: tuple[Episode, Look]) -> tuple[Episode, Look]:
        return state[1].lane, sweep(table, rules, state[1].lane)

    start = Look(lane, jnp.zeros_like(lane.opened), jnp.int32(0), jnp.asarray(False))
    return jax.lax.while_loop(seeking, step, (lane, start))


_look_at_pairs = jax.jit(look_at_pairs)
_deal = jax.jit(deal)
_guess = jax.jit(guessed)
_key = jax.jit(key_for)


@jax.jit
def _look(table: OpeningArrays, lane: Episode) -> tuple[Position, Int[Array, ""]]:
    return view(table, lane), status(table, lane)
