"""One worker of a run: a thread that plays its share of the games on a device and the host.

The device advances games until some need a guess of the host; the host guesses, and the device goes
on. On a CPU each core has a worker, which does both in turn. An accelerator has two: while it plays
for one of them, the host guesses for the other.
"""

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

import jax
import numpy as np

from jaxsweep.runtime.machine import Device
from jaxsweep.simulation import device_state, scheduler
from jaxsweep.simulation.device_state import (
    HOST_BATCH,
    Answers,
    DeviceState,
    FinishedEpisodes,
    ProgramConfig,
    Questions,
)
from jaxsweep.simulation.episode import OpeningArrays
from jaxsweep.strategies import AbstractStrategy, Move

Result = TypeVar("Result")


@dataclass(frozen=True)
class TimeSpent:
    """What a worker has spent its time on, in seconds."""

    device: float = 0.0
    """Waiting for the device: on a CPU these are its rounds of deduction and its guesses."""
    host: float = 0.0
    """Guesses of the host."""
    records: float = 0.0
    """Fetching finished games, and comparing guesses that lost."""
    waiting: float = 0.0
    """Pauses while no results are asked for."""

    def __add__(self, other: "TimeSpent") -> "TimeSpent":
        return TimeSpent(
            self.device + other.device,
            self.host + other.host,
            self.records + other.records,
            self.waiting + other.waiting,
        )


@dataclass(frozen=True)
class Worker(Generic[Result]):
    """Plays games `first`, `first + stride`, … before `end`."""

    strategy: AbstractStrategy
    config: ProgramConfig
    opening: OpeningArrays
    seed: int
    device: Device
    first: int
    end: int
    stride: int
    threads: int
    """Threads in which the host guesses."""
    finish: Callable[[FinishedEpisodes], Result]
    """What becomes of finished games, in this thread."""

    def play(self, pause: Callable[[], bool]) -> Iterator[tuple[Result, TimeSpent]]:
        """Plays all games; yields what `finish` returns, and the time spent since the last one.

        `pause` is called every now and then, and returns when the worker may go on: False, if it is
        to stop.
        """
        program = scheduler.compile_program(self.config, self.opening, self.device)
        state = device_state.initial_state(
            self.config, self.opening, self.first, self.end, self.stride
        )
        answers = device_state.no_answers(self.config, self.opening)
        constants = (np.uint32(self.seed), self.opening)
        constants, state, answers = jax.device_put((constants, state, answers), self.device)
        left, spent = len(range(self.first, self.end, self.stride)), TimeSpent()
        with ThreadPoolExecutor(self.threads) as pool:
            while left:
                paused = time.perf_counter()
                if not pause():
                    return
                began = time.perf_counter()
                state, questions = program(*constants, state, answers)
                count = int(state.finished_count)
                asked = time.perf_counter()
                slot, waiting, moves = self._guess(jax.device_get(questions), pool)
                guessed = time.perf_counter()
                spent += TimeSpent(asked - began, guessed - asked, waiting=began - paused)
                full = count + self.config.bucket > self.config.max_records
                fetched = full or count == left
                if fetched:
                    result = self.finish(_fetch(state, count))
                    spent += TimeSpent(records=time.perf_counter() - guessed)
                    left -= count
                    yield result, spent
                    spent = TimeSpent()
                answers = Answers(slot, waiting, moves, np.asarray(fetched))
                answers = jax.device_put(answers, self.device)

    def _guess(
        self, questions: Questions, pool: ThreadPoolExecutor
    ) -> tuple[np.ndarray, np.ndarray, Move]:
        """Makes the guesses of the host; returns slots, which of them are real, and moves."""
        slot, waiting = np.asarray(questions.slot), np.asarray(questions.waiting)
        batches = -(-int(waiting.sum()) // HOST_BATCH)
        # In one call where there is one thread: fewer calls cost less.
        size = HOST_BATCH if self.threads > 1 else max(batches, 1) * HOST_BATCH

        def guess(begin: int) -> Move:
            own = slice(begin, begin + size)
            keys = jax.random.wrap_key_data(questions.key_data[own])
            positions = jax.tree.map(lambda leaf: leaf[..., own], questions.positions)
            return jax.device_get(self.strategy.guess(positions, keys))

        rows, words, _ = questions.positions.hidden.shape
        board = (rows, words, len(slot))
        moves = Move(
            np.zeros(board, np.uint32),
            np.zeros(board, np.uint32),
            np.zeros(len(slot), np.int32),
            np.zeros(len(slot), np.float32),
        )
        begins = range(0, batches * HOST_BATCH, size)
        # In this thread where it is the only one: another would be woken on any core.
        parts = pool.map(guess, begins) if self.threads > 1 else map(guess, begins)
        for begin, part in zip(begins, parts, strict=True):
            for leaf, new in zip(jax.tree.leaves(moves), jax.tree.leaves(part), strict=True):
                leaf[..., begin : begin + size] = new
        return slot, waiting, moves


def _fetch(state: DeviceState, count: int) -> FinishedEpisodes:
    """Copies the finished games to the host."""
    return jax.tree.map(lambda leaf: np.array(np.asarray(leaf)[..., :count]), state.finished)


def play_all(
    workers: list[Worker[Result]],
) -> Generator[tuple[Result, TimeSpent], None, None]:
    """Runs all workers, each in a thread, and yields their results as they come.

    Workers pause while no result is asked for, and stop when this iterator is closed.
    """
    results: queue.Queue = queue.Queue()
    asked, stopped = threading.Event(), threading.Event()

    def pause() -> bool:
        asked.wait()
        return not stopped.is_set()

    def run(worker: Worker[Result]) -> None:
        try:
            for result in worker.play(pause):
                results.put(result)
            results.put(None)
        except BaseException as error:
            results.put(error)

    threads = [threading.Thread(target=run, args=(one,), daemon=True) for one in workers]
    for thread in threads:
        thread.start()
    try:
        running = len(threads)
        while running:
            asked.set()
            result = results.get()
            if result is None:
                running -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                asked.clear()
                yield result
    finally:
        stopped.set()
        asked.set()
        for thread in threads:
            thread.join()
