"""What a device's program works on: its episodes, and what it and the host tell each other."""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Rules
from jaxsweep.runtime.machine import Device
from jaxsweep.simulation import episode
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage
from jaxsweep.simulation.settings import GAMES_PER_ACCELERATOR, GAMES_PER_CORE
from jaxsweep.strategies import AbstractStrategy, Move

CPU_BUCKET = 256
"""Episodes that are advanced together on a CPU: few enough to stay in a core's cache."""

ACCELERATOR_BUCKET = 4096
"""Episodes that are advanced together on an accelerator: enough to keep its many units busy."""

HOST_BATCH = 256
"""The host guesses in batches of this size, so that engines on devices compile once."""

MAX_RECORDS = 4096
"""The most finished games that a device reports at once, unless its bucket is large."""

HOST_SHARE = 8
"""The host is called when one slot in this many waits for it: calls have a high fixed cost."""


class FinishedEpisodes(eqx.Module):
    """Finished episodes and their results, batch last."""

    episode: Episode
    won: Bool[Array, "*games"]
    opened: Int[Array, "*games"]
    """The number of safe cells that are open."""


class DeviceState(eqx.Module):
    """The episodes of a device, the games that it has still to deal, and those finished."""

    episodes: Episode
    """One episode per slot."""
    next_game: UInt32[Array, ""]
    end_game: UInt32[Array, ""]
    stride: UInt32[Array, ""]
    """The step between the numbers of the games: workers deal in turn."""
    finished: FinishedEpisodes
    finished_count: Int[Array, ""]


class ProgramConfig(NamedTuple):
    """What a program is compiled for."""

    rules: Rules
    """The deduction rules of the player."""
    strategy: AbstractStrategy | None
    """What guesses on the device; None: every guess is left to the host."""
    slots: int
    """Games in progress."""
    bucket: int
    """Episodes that are advanced together."""
    max_records: int
    """The most finished games that are reported at once."""

    @property
    def host_threshold(self) -> int:
        """The number of episodes that wait for the host before it is called."""
        return -(-self.slots // HOST_SHARE)

    @property
    def max_questions(self) -> int:
        """Room for the episodes that wait for the host: those of one turn above the threshold."""
        most = min(self.slots, self.host_threshold + self.bucket)
        return -(-most // HOST_BATCH) * HOST_BATCH


class Questions(eqx.Module):
    """The positions in which the host is to guess, batch last."""

    slot: Int[Array, " questions"]
    waiting: Bool[Array, " questions"]
    """Which of the entries are real."""
    positions: Position
    key_data: UInt32[Array, "questions words"]
    """The keys of the guesses."""


class Answers(eqx.Module):
    """The guesses of the host, batch last, and whether it has fetched the finished games."""

    slot: Int[Array | np.ndarray, " questions"]
    answered: Bool[Array | np.ndarray, " questions"]
    moves: Move
    fetched: Bool[Array | np.ndarray, ""]


def bucket_for(device: Device) -> int:
    """Returns how many episodes a device advances together; games do not depend on it."""
    return CPU_BUCKET if device.platform == "cpu" else ACCELERATOR_BUCKET


def slots_for(device: Device) -> int:
    """Returns how many games a worker of a device has in progress; games do not depend on it."""
    return GAMES_PER_CORE if device.platform == "cpu" else GAMES_PER_ACCELERATOR


def records_for(slots: int, bucket: int) -> int:
    """Returns how many finished games a device reports at once: never more than are in progress.

    There is room for those of several turns, each of which may finish a bucket.
    """
    return min(max(MAX_RECORDS, 4 * bucket), max(slots, bucket))


def initial_state(
    config: ProgramConfig, opening: OpeningArrays, first: int, end: int, stride: int
) -> DeviceState:
    """Returns empty slots, with games `first`, `first + stride`, … before `end` to be dealt.

    Nothing is computed on a device, as each operation would be compiled.
    """
    like = jax.eval_shape(episode.deal, opening, np.uint32(0), np.uint32(0))
    records = config.max_records + config.bucket

    def full(size: int, value: int, like: jax.ShapeDtypeStruct) -> Array:
        return jax.device_put(np.full((*like.shape, size), value, like.dtype))

    def empty(size: int) -> Episode:
        zeros = jax.tree.map(partial(full, size, 0), like)
        return eqx.tree_at(lambda x: x.stage, zeros, full(size, Stage.EMPTY, like.stage))

    return DeviceState(
        episodes=empty(config.slots),
        next_game=jax.device_put(np.uint32(first)),
        end_game=jax.device_put(np.uint32(end)),
        stride=jax.device_put(np.uint32(stride)),
        finished=FinishedEpisodes(
            empty(records),
            won=full(records, 0, like.known_least_risk),
            opened=full(records, 0, like.clicks),
        ),
        finished_count=jax.device_put(np.int32(0)),
    )


def no_answers(config: ProgramConfig, opening: OpeningArrays) -> Answers:
    """Returns answers to no questions, as there are before the first turn."""
    rows, words = opening.cells.shape
    size = config.max_questions
    board = np.zeros((rows, words, size), np.uint32)
    reason, risk = np.zeros(size, np.int32), np.zeros(size, np.float32)
    answers = Answers(
        reason, np.zeros(size, bool), Move(board, board, reason, risk), np.asarray(False)
    )
    return jax.device_put(answers)


def no_questions(config: ProgramConfig, opening: OpeningArrays) -> Questions:
    """Returns questions about nothing: an example of their structure."""
    rows, words = opening.cells.shape
    size = config.max_questions
    board, slot, none, keys = jax.device_put(
        (
            np.zeros((rows, words, size), np.uint32),
            np.zeros(size, np.int32),
            np.zeros(size, bool),
            np.zeros((size, 2), np.uint32),
        )
    )
    positions = Position(board, board, (board, board, board, board), board, slot)
    return Questions(slot, none, positions, keys)
