"""Whole games, played by a strategy, in batches, on all devices.

A game is a function of the opening, the strategy, the seed and the game's number alone: the same
whatever the batch and the device it is played in.
"""

import enum
import time
from collections.abc import Iterator, Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Integer, Key, UInt8

from jaxsweep.engines import Exact
from jaxsweep.engines.beliefs import Status
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard
from jaxsweep.rules.game import Seed
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.runtime import machine
from jaxsweep.runtime.machine import Device
from jaxsweep.simulation import episode, scheduler
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage, batched
from jaxsweep.simulation.scheduler import BUCKET, Ended, Plan, State
from jaxsweep.strategies import AbstractStrategy
from jaxsweep.strategies.least_risk import TIE

LANES = 4096
"""Games under way on each device, unless told otherwise."""

RECORDS = 4096
"""Finished games after which a device reports, at most; and at most as many as are under way."""


class Loss(enum.IntEnum):
    """Why a game was lost."""

    NONE = 0
    """It was won."""
    UNAVOIDABLE = 1
    """No cell was less likely a mine than the one opened."""
    NOT_BEST = 2
    """Another cell was."""
    WRONG = 3
    """The player had called the cell certain."""
    UNJUDGED = 4
    """The guess was not compared with the exact odds, or is beyond the exact engine."""


class Record(eqx.Module):
    """How games went: one entry a game."""

    number: Integer[np.ndarray, " games"]
    won: Bool[np.ndarray, " games"]
    clicks: Int[np.ndarray, " games"]
    """Cells the player asked to open, the first one included; what opens by itself is free."""
    guesses: Int[np.ndarray, " games"]
    """Moves that could have hit a mine, the first cell not counted."""
    rounds: Int[np.ndarray, " games"]
    """Moves after the first cell; one move may open many cells."""
    opened: Int[np.ndarray, " games"]
    """Safe cells open at the end."""
    blind: Int[np.ndarray, " games"]
    """Guesses whose risk the player did not know."""
    wrong: Int[np.ndarray, " games"]
    """Moves that the player called certain, and that hit a mine: none, if it is sound."""
    risk: Float[np.ndarray, " games"]
    """−log of the chance to survive all guesses whose risk was known."""
    first_risk: Float[np.ndarray, " games"]
    """Of the first guess; −1 without one, or where it was not known."""
    loss: UInt8[np.ndarray, " games"]
    """A `Loss`."""

    def __len__(self) -> int:
        return len(self.number)

    def ordered(self) -> "Record":
        """By game number."""
        order = np.argsort(self.number, kind="stable")
        return jax.tree.map(lambda leaf: leaf[order], self)


def merge(records: Sequence[Record]) -> Record:
    """Many records as one."""
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *records)


class Batch(eqx.Module):
    """What devices report at once: finished games, and how long they took."""

    record: Record
    seconds: float


def play_games(
    strategy: AbstractStrategy,
    opening: Opening,
    seed: int,
    games: int,
    batch: int = LANES,
    first: int = 0,
    devices: Sequence[Device] | None = None,
    judge: bool = True,
) -> Iterator[Record]:
    """Games `first` to `first + games` − 1, as records on the host, in the order in which they end.

    `batch` games are under way on each of the devices: all local ones, unless told otherwise.
    Without `judge`, guesses of unknown worth are not compared with the exact odds: for players that
    know none, that takes longer than to play.
    """
    for report in play_batches(strategy, opening, seed, games, batch, first, devices, judge):
        yield report.record


def play_batches(
    strategy: AbstractStrategy,
    opening: Opening,
    seed: int,
    games: int,
    batch: int = LANES,
    first: int = 0,
    devices: Sequence[Device] | None = None,
    judge: bool = True,
) -> Iterator[Batch]:
    """As `play_games`, with the time that each batch of records took."""
    used = tuple(devices or jax.local_devices())
    end, table, key = first + games, OpeningArrays.of(opening), np.uint32(seed)
    plan = Plan(strategy, batch, min(RECORDS, max(batch, BUCKET)))
    run = scheduler.program(plan, used)
    nothing = [scheduler.start(plan, table, end, end, 1) for _ in used]
    jax.block_until_ready(run(key, table, scheduler.place(nothing, used)))  # Compiled, not timed.
    machine.trim_memory()
    states = scheduler.place(
        [scheduler.start(plan, table, first + i, end, len(used)) for i in range(len(used))], used
    )
    done, began = 0, time.perf_counter()
    while done < games:
        states = run(key, table, states)
        ended = _fetch(states)
        states = _serve(strategy, table, key, states)
        if ended is not None:
            record = _record(opening, ended, judge)
            now = time.perf_counter()
            yield Batch(record, now - began)
            done, began = done + len(record), now


def _fetch(states: State) -> Ended | None:
    """The finished games of all devices, on the host; None if there are none."""
    counts = np.asarray(states.count)
    if not counts.any():
        return None
    whole = jax.device_get(states.ended)
    parts = [
        jax.tree.map(lambda leaf, i=i, n=n: leaf[i, ..., :n], whole) for i, n in enumerate(counts)
    ]
    return jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=-1), *parts)


def _serve(
    strategy: AbstractStrategy, table: OpeningArrays, key: np.uint32, states: State
) -> State:
    """Makes the guesses that devices left to the host."""
    stages = np.asarray(states.lanes.stage)
    device, lane = np.nonzero(stages == Stage.HOST)
    others = np.isin(stages, (Stage.SWEEP, Stage.PAIR, Stage.GUESS, Stage.OVER))
    few = np.bincount(device, minlength=len(stages)) < scheduler.host_wanted(stages.shape[1])
    if not len(lane) or (few & others.any(1)).all():
        return states
    held = jax.tree.map(np.array, jax.device_get(states.lanes))
    for start in range(0, len(lane), BUCKET):
        at = (device[start : start + BUCKET], ..., lane[start : start + BUCKET])
        # Batch first when both indices are arrays: put it last again.
        waiting = jax.tree.map(lambda leaf, at=at: np.moveaxis(leaf[at], 0, -1), held)
        after = _guess_on_host(strategy, table, key, waiting)
        for leaf, new in zip(jax.tree.leaves(held), jax.tree.leaves(after), strict=True):
            leaf[at] = np.moveaxis(new, -1, 0)
    sharding = states.lanes.stage.sharding
    return eqx.tree_at(lambda s: s.lanes, states, jax.device_put(held, sharding))


def _guess_on_host(
    strategy: AbstractStrategy, table: OpeningArrays, key: np.uint32, waiting: Episode
) -> Episode:
    """The games after the player's guess; padded to one size, so that one kernel does."""
    padded, there = _pad(waiting)
    positions, keys = _look(table, key, padded, there)
    moves = strategy.guess(positions, keys)
    after = jax.device_get(_move(padded, moves))
    return jax.tree.map(lambda leaf: leaf[..., there], after)


def _pad(some: Episode) -> tuple[Episode, Bool[np.ndarray, " bucket"]]:
    """Lanes in a whole bucket, and which of its places are theirs."""
    real = len(some.number)
    which = np.minimum(np.arange(BUCKET), real - 1)
    return jax.tree.map(lambda leaf: leaf[..., which], some), np.arange(BUCKET) < real


@jax.jit
def _look(
    table: OpeningArrays,
    key: Seed,
    waiting: Episode,
    there: Bool[Array | np.ndarray, " bucket"],
) -> tuple[Position, Key[Array, " bucket"]]:
    tables = table.broadcast(BUCKET)
    shown = scheduler.blank(waiting, jnp.asarray(there), tables.cells)
    positions = episode.view(tables, shown)
    return positions, batched(partial(episode.key_for, seed=key))(shown)


_move = jax.jit(episode.guessed)


def _record(opening: Opening, ended: Ended, judge: bool) -> Record:
    names = ("number", "clicks", "guesses", "rounds", "blind", "wrong", "first_risk")
    return Record(
        won=np.asarray(ended.won),
        opened=np.asarray(ended.opened),
        risk=-np.asarray(ended.lane.log_survival),
        loss=_losses(opening, ended, judge),
        **{name: np.asarray(getattr(ended.lane, name)) for name in names},
    )


def _losses(opening: Opening, ended: Ended, judge: bool) -> UInt8[np.ndarray, " games"]:
    """Why each game was lost. Guesses of unknown worth are compared with the exact odds."""
    lane = ended.lane
    loss = np.where(ended.won, Loss.NONE, np.where(lane.judged, Loss.UNAVOIDABLE, Loss.UNJUDGED))
    loss = np.where(~ended.won & (lane.wrong > 0), Loss.WRONG, loss)
    unjudged = np.nonzero(loss == Loss.UNJUDGED)[0] if judge else ()
    for start in range(0, len(unjudged), BUCKET):
        own = unjudged[start : start + BUCKET]
        loss[own] = _judge(
            OpeningArrays.of(opening), jax.tree.map(lambda x, i=own: x[..., i], lane)
        )
    return loss.astype(np.uint8)


def _judge(table: OpeningArrays, lost: Episode) -> Int[np.ndarray, " games"]:
    """Whether no cell was less likely a mine than the one that lost the game."""
    # A guess that hit a mine opened nothing else: without it, this is what the player saw.
    hit = bitboard.unpack_batch(np.asarray(lost.opened & lost.mines))
    before = eqx.tree_at(lambda x: x.opened, lost, lost.opened & ~lost.mines)
    padded, there = _pad(before)
    positions, _ = _look(table, np.uint32(0), padded, there)
    beliefs = jax.tree.map(lambda leaf: leaf[: len(hit)], infer(positions, Exact()))
    hidden = bitboard.unpack_batch(np.asarray(positions.hidden))[: len(hit)]
    chance = np.where(hidden, np.asarray(beliefs.mine_probability), np.inf)
    risk = np.where(hit, chance, 0.0).max((1, 2))
    best = np.where(risk <= chance.min((1, 2)) + TIE, Loss.UNAVOIDABLE, Loss.NOT_BEST)
    return np.where(np.asarray(beliefs.status) == Status.EXACT, best, Loss.UNJUDGED)
