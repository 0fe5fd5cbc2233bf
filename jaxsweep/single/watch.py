"""One game, move by move, on the host: the same game as in the arena, for people to watch."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int8

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.board import Cell, cells_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position, to_grid
from jaxsweep.simulation.episode import (
    Episode,
    OpeningArrays,
    RoundResult,
    Stage,
    apply_move,
    compiled_deal,
    key_for,
    play_pair_round,
    play_single_round,
    status,
    view,
)
from jaxsweep.strategies import UNKNOWN_RISK, AbstractStrategy, Advice, Reason, Rules


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
    strategy: AbstractStrategy, opening: Opening, seed: int, game_number: int = 0
) -> Iterator[WatchedMove]:
    """Plays a game of a seed, move by move, as the arena does."""
    cols, arrays, np_seed = opening.level.cols, OpeningArrays.of(opening), np.uint32(seed)
    episode = compiled_deal(arrays, np_seed, np.uint32(game_number))
    before = np.zeros((opening.level.rows, cols), bool)
    cells, reason, risk, advice = [opening.first], Reason.FIRST, opening.first_risk, None
    for move_number in itertools.count():
        episode, result = _until_a_move(strategy.rules, arrays, episode)
        position, status = _view(arrays, episode)
        opened = _unpack(episode.opened, cols)
        yield WatchedMove(
            number=move_number,
            cells=cells,
            reason=reason,
            risk=None if risk == UNKNOWN_RISK else risk,
            advice=advice,
            grid=to_grid(position),
            new=opened & ~before,
            mines=_unpack(episode.mines, cols),
            status=GameStatus(int(status)),
        )
        if status != GameStatus.PLAYING:
            return
        if np.any(result.opens):
            advice, episode, opens = None, result.episode, result.opens
            reason, risk = Reason(int(result.rule)), 0.0
        else:
            advice = strategy.advise(position, _key(result.episode, np_seed))
            move = advice.move
            episode, opens = _apply_move(result.episode, move), move.opens
            reason, risk = Reason(int(move.reason)), float(move.risk)
        cells, before = cells_of(_unpack(opens, cols)), opened


def _unpack(bits: Bits, cols: int) -> Bool[np.ndarray, "rows cols"]:
    return np.asarray(bitboard.unpack(np.asarray(bits), cols))


def share_opened(step: WatchedMove, opening: Opening) -> float:
    """Returns the share of the safe cells that are open."""
    safe = opening.level.cells - opening.level.mines
    return float((step.grid >= 0).sum()) / safe if safe else 1.0


def _until_a_move(
    rules: Rules, opening: OpeningArrays, episode: Episode
) -> tuple[Episode, RoundResult]:
    """Deduces until cells are found to open, or none are; also returns the episode before that.

    The set-bound rule is a kernel of its own, so that it compiles only when it is needed.
    """
    while True:
        if episode.stage == Stage.PAIR:
            result = _play_pair_round(opening, episode)
        else:
            episode, result = _single_rounds(rules, opening, episode)
        if np.any(result.opens) or result.episode.stage >= Stage.GUESS:
            return episode, result
        episode = result.episode


@partial(jax.jit, static_argnums=0)
def _single_rounds(
    rules: Rules, opening: OpeningArrays, episode: Episode
) -> tuple[Episode, RoundResult]:
    """As `_until_a_move`, by the single-cell rules alone."""

    def seeking(state: tuple[Episode, RoundResult]) -> Bool[Array, ""]:
        result = state[1]
        return ~bitboard.any_set(result.opens) & (result.episode.stage == Stage.SINGLE)

    def step(state: tuple[Episode, RoundResult]) -> tuple[Episode, RoundResult]:
        return state[1].episode, play_single_round(opening, rules, state[1].episode)

    start = RoundResult(episode, jnp.zeros_like(episode.opened), jnp.int32(0))
    return jax.lax.while_loop(seeking, step, (episode, start))


_play_pair_round = jax.jit(play_pair_round)
_apply_move = jax.jit(apply_move)
_key = jax.jit(key_for)


@jax.jit
def _view(opening: OpeningArrays, episode: Episode) -> tuple[Position, Int[Array, ""]]:
    return view(opening, episode), status(opening, episode)
