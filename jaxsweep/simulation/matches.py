"""Whole games, played by a strategy in batches on all devices, and their records.

A game is a function of the opening, the strategy, the seed and the game's number alone: it does not
depend on the batch and the device in which it is played.
"""

import enum
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ParamSpec

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Integer, Key, UInt8

from jaxsweep.beliefs import Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.exact import Exact
from jaxsweep.engines.scalar import Scalar
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import vmap_last
from jaxsweep.rules.game import Seed
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.runtime import machine
from jaxsweep.runtime.machine import Device
from jaxsweep.simulation import episode, scheduler
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage
from jaxsweep.simulation.scheduler import BUCKET, DeviceState, FinishedEpisodes, ProgramConfig
from jaxsweep.simulation.settings import GAMES_PER_DEVICE
from jaxsweep.strategies import AbstractStrategy
from jaxsweep.strategies.least_risk import TIE

MAX_RECORDS = 4096
"""The most finished games that a device reports at once; never more than are in progress."""


class Loss(enum.IntEnum):
    """Why a game was lost."""

    NONE = 0
    """It was won."""
    LEAST_RISK = 1
    """The guess had the least risk of all cells."""
    NOT_BEST = 2
    """Another cell had less risk than the guess."""
    WRONG_CERTAINTY = 3
    """The player had claimed that the cell is safe."""
    NOT_COMPARED = 4
    """The guess was not compared with exact probabilities, or the exact engine cannot."""


class Record(eqx.Module):
    """The results of games, one entry per game.

    `runs.checksum` depends on the order of the fields.
    """

    game_number: Integer[np.ndarray, " games"]
    won: Bool[np.ndarray, " games"]
    clicks: Int[np.ndarray, " games"]
    """Cells that the player chose to open, with the first; cells of a flood fill do not count."""
    guesses: Int[np.ndarray, " games"]
    """Moves that were not certain to be safe, without the first cell."""
    rounds: Int[np.ndarray, " games"]
    """Moves after the first cell; one move may open many cells."""
    opened: Int[np.ndarray, " games"]
    """Safe cells open at the end."""
    unknown_risks: Int[np.ndarray, " games"]
    """Guesses whose risk the player did not know."""
    wrong_certainties: Int[np.ndarray, " games"]
    """Moves that the player claimed to be safe, and that hit a mine: none if it is sound."""
    negative_log_survival: Float[np.ndarray, " games"]
    """The negative log-probability to survive all guesses whose risk was known."""
    first_risk: Float[np.ndarray, " games"]
    """The risk of the first guess; −1 if there was none or it was not known."""
    loss: UInt8[np.ndarray, " games"]
    """A `Loss`."""

    def __len__(self) -> int:
        return len(self.game_number)

    def ordered(self) -> "Record":
        """Sorts the games by number."""
        order = np.argsort(self.game_number, kind="stable")
        return jax.tree.map(lambda leaf: leaf[order], self)


def merge(records: Sequence[Record]) -> Record:
    """Concatenates records."""
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *records)


class Report(eqx.Module):
    """Games that devices reported at once, and the time since the previous report."""

    record: Record
    seconds: float


def play_and_report(
    strategy: AbstractStrategy,
    opening: Opening,
    seed: int,
    games: int,
    batch: int = GAMES_PER_DEVICE,
    first: int = 0,
    devices: Sequence[Device] | None = None,
    compare_losses: bool = True,
    guess_on_host: bool = False,
) -> Iterator[Report]:
    """Plays games `first` to `first + games` − 1; yields records in the order of finishing.

    Args:
        strategy: the player.
        opening: the level, start rule and first cell.
        seed: the seed of all games.
        games: how many games to play.
        batch: how many games are in progress on each device; changes no result.
        first: the number of the first game.
        devices: the devices to play on, by default all local ones.
        compare_losses: whether lost guesses that the strategy did not compare with all other cells
            are compared with exact probabilities. For fast strategies this takes longer than play.
        guess_on_host: whether all guesses are made on the host. Its program compiles in a fraction
            of the time and serves all players, but long runs are slower. The games are the same;
            risks, which are floating-point numbers, may differ in their last digit.

    """
    used = tuple(devices or jax.local_devices())
    end, arrays, np_seed = first + games, OpeningArrays.of(opening), np.uint32(seed)
    # Strong players leave few guesses to compare: no kernels are compiled for them.
    engine = Scalar() if strategy.few_games else Exact()
    config = ProgramConfig(
        rules=strategy.rules,
        strategy=None if guess_on_host else strategy,
        slots=batch,
        max_records=min(MAX_RECORDS, max(batch, BUCKET)),
    )
    run = scheduler.compile_program(config, arrays, used)
    machine.trim_memory()
    states = scheduler.shard_states(
        [
            scheduler.initial_state(config, arrays, first + i, end, len(used))
            for i in range(len(used))
        ],
        used,
    )
    done, began = 0, time.perf_counter()
    while done < games:
        states = run(np_seed, arrays, states)
        finished = _fetch(states)
        states = _move_on_host(strategy, arrays, np_seed, states)
        if finished is not None:
            record = _record(opening, finished, engine if compare_losses else None)
            now = time.perf_counter()
            yield Report(record, now - began)
            done, began = done + len(record), now


_Arguments = ParamSpec("_Arguments")


def _without_time(
    play: Callable[_Arguments, Iterator[Report]],
) -> Callable[_Arguments, Iterator[Record]]:
    def records(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Iterator[Record]:
        for report in play(*args, **kwargs):
            yield report.record

    return records


play_games = _without_time(play_and_report)
"""As `play_and_report`, with the same arguments, but yields the records alone."""


def _fetch(states: DeviceState) -> FinishedEpisodes | None:
    """Copies the finished games of all devices to the host; None if there are none."""
    counts = np.asarray(states.finished_count)
    if not counts.any():
        return None
    whole = jax.device_get(states.finished)
    parts = [
        jax.tree.map(lambda leaf, i=i, n=n: leaf[i, ..., :n], whole) for i, n in enumerate(counts)
    ]
    return jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=-1), *parts)


def _move_on_host(
    strategy: AbstractStrategy, opening: OpeningArrays, seed: np.uint32, states: DeviceState
) -> DeviceState:
    """Makes the moves that wait for the host, if enough do or nothing else is left to do."""
    stages = np.asarray(states.episodes.stage)
    device, slot = np.nonzero(stages == Stage.HOST)
    others = np.isin(stages, (Stage.SINGLE, Stage.PAIR, Stage.GUESS, Stage.OVER))
    few = np.bincount(device, minlength=len(stages)) < scheduler.host_threshold(stages.shape[1])
    if not len(slot) or (few & others.any(1)).all():
        return states
    held = jax.tree.map(np.array, jax.device_get(states.episodes))
    for start in range(0, len(slot), BUCKET):
        at = (device[start : start + BUCKET], ..., slot[start : start + BUCKET])
        # Indexing with two arrays puts the batch first: move it last again.
        waiting = jax.tree.map(lambda leaf, at=at: np.moveaxis(leaf[at], 0, -1), held)
        after = _guess_on_host(strategy, opening, seed, waiting)
        for leaf, new in zip(jax.tree.leaves(held), jax.tree.leaves(after), strict=True):
            leaf[at] = np.moveaxis(new, -1, 0)
    sharding = states.episodes.stage.sharding
    return eqx.tree_at(lambda s: s.episodes, states, jax.device_put(held, sharding))


def _guess_on_host(
    strategy: AbstractStrategy, opening: OpeningArrays, seed: np.uint32, waiting: Episode
) -> Episode:
    """Applies the strategy's moves; pads to one size, so that kernels compile once."""
    padded, filled = _pad(waiting)
    positions, keys = _views_and_keys(opening, seed, padded, filled)
    moves = strategy.guess(positions, keys)
    after = jax.device_get(_apply_moves(padded, moves))
    return jax.tree.map(lambda leaf: leaf[..., filled], after)


def _pad(episodes: Episode) -> tuple[Episode, Bool[np.ndarray, " bucket"]]:
    """Pads episodes to a bucket; also returns which entries are real."""
    real = len(episodes.game_number)
    which = np.minimum(np.arange(BUCKET), real - 1)
    return jax.tree.map(lambda leaf: leaf[..., which], episodes), np.arange(BUCKET) < real


@jax.jit
def _views_and_keys(
    opening: OpeningArrays,
    seed: Seed,
    waiting: Episode,
    filled: Bool[Array | np.ndarray, " bucket"],
) -> tuple[Position, Key[Array, " bucket"]]:
    openings = opening.broadcast(BUCKET)
    episodes = scheduler.clear_padding(waiting, jnp.asarray(filled), openings.cells)
    positions = episode.view(openings, episodes)
    return positions, vmap_last(partial(episode.key_for, seed=seed))(episodes)


_apply_moves = jax.jit(episode.apply_move)


def _record(opening: Opening, finished: FinishedEpisodes, engine: AbstractEngine | None) -> Record:
    names = (
        "game_number",
        "clicks",
        "guesses",
        "rounds",
        "unknown_risks",
        "wrong_certainties",
        "first_risk",
    )
    return Record(
        won=np.asarray(finished.won),
        opened=np.asarray(finished.opened),
        negative_log_survival=-np.asarray(finished.episode.log_survival),
        loss=_losses(opening, finished, engine),
        **{name: np.asarray(getattr(finished.episode, name)) for name in names},
    )


def _losses(
    opening: Opening, finished: FinishedEpisodes, engine: AbstractEngine | None
) -> UInt8[np.ndarray, " games"]:
    """Classifies the losses; with an `engine`, guesses that nobody compared yet are compared."""
    last, won = finished.episode, finished.won
    loss = np.where(last.known_least_risk, Loss.LEAST_RISK, Loss.NOT_COMPARED)
    loss = np.where(last.wrong_certainties > 0, Loss.WRONG_CERTAINTY, loss)
    loss = np.where(won, Loss.NONE, loss)
    left = () if engine is None else np.nonzero(loss == Loss.NOT_COMPARED)[0]
    for start in range(0, len(left), BUCKET):
        own = left[start : start + BUCKET]
        assert engine is not None
        loss[own] = _compare_guesses(
            engine, OpeningArrays.of(opening), jax.tree.map(lambda x, i=own: x[..., i], last)
        )
    return loss.astype(np.uint8)


def _compare_guesses(
    engine: AbstractEngine, opening: OpeningArrays, lost: Episode
) -> Int[np.ndarray, " games"]:
    """Compares the guess that lost each game with the exact probabilities of all cells."""
    # A guess that hit a mine opened nothing else: without it, this is what the player saw.
    hit = bitboard.unpack_batch(np.asarray(lost.opened & lost.mines))
    before = eqx.tree_at(lambda x: x.opened, lost, lost.opened & ~lost.mines)
    padded, filled = _pad(before)
    positions, _ = _views_and_keys(opening, np.uint32(0), padded, filled)
    real = jax.tree.map(lambda leaf: leaf[..., : len(hit)], jax.device_get(positions))
    beliefs = infer(real if isinstance(engine, Scalar) else positions, engine)
    beliefs = jax.tree.map(lambda leaf: leaf[: len(hit)], beliefs)
    hidden = bitboard.unpack_batch(real.hidden)
    probability = np.where(hidden, np.asarray(beliefs.mine_probability), np.inf)
    risk = np.where(hit, probability, 0.0).max((1, 2))
    best = np.where(risk <= probability.min((1, 2)) + TIE, Loss.LEAST_RISK, Loss.NOT_BEST)
    return np.where(np.asarray(beliefs.status) == Status.EXACT, best, Loss.NOT_COMPARED)
