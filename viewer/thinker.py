"""The engine, in a process of its own: however long it thinks or compiles, the window goes on."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor

from jaxsweep.rules.board import Mask
from jaxsweep.rules.level import Opening
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.single.replay import RecordedMove, moves_of
from jaxsweep.single.watch import watch
from jaxsweep.strategies import STRATEGIES
from viewer import events
from viewer.events import Event
from viewer.thoughts import think
from viewer.wishes import Follow, Think

_games: dict[int, Iterator[tuple[RecordedMove, Mask]]] = {}
"""In the engine's process: the game that is watched, by its run."""


def next_move(
    run: int, strategy: str, opening: Opening, seed: int
) -> tuple[RecordedMove, Mask] | None:
    """The next move of a game that is watched; None after the last. Another run ends others."""
    if run not in _games:
        _games.clear()
        _games[run] = moves_of(watch(STRATEGIES[strategy], opening, seed))
    return next(_games[run], None)


def _begin() -> None:
    """In the engine's process: Ctrl-C is for the window, which ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_cache()


def engine_process() -> ProcessPoolExecutor:
    """A process of its own for the engine."""
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=spawn, initializer=_begin)


class Thinker:
    """Asks one thing at a time; of questions that wait, the latest alone is asked."""

    def __init__(self, start: Callable[[], Executor] = engine_process):
        self._start = start
        self._begin()

    def _begin(self) -> None:
        """A new process, of which nothing was asked yet."""
        self._executor = self._start()
        self._thinking: Future | None = None
        self._waiting: Think | None = None
        self._following: Follow | None = None
        self._step: Future | None = None
        self._moves = 0

    def think(self, wish: Think) -> None:
        """Asks about a position, as soon as the last answer is there."""
        self._waiting = wish

    def follow(self, wish: Follow) -> None:
        """Plays a game to be watched; the one before is left."""
        self._following, self._step, self._moves = wish, None, 0

    def answers(self) -> list[Event]:
        """What has come since the last call, without waiting for it."""
        try:
            return self._answers()
        except (BrokenExecutor, OSError) as error:
            # A new process for what is asked next; what was asked of the old one is lost.
            self.close()
            self._begin()
            return [events.Failed(f"the engine ended: {error}")]

    def _answers(self) -> list[Event]:
        found: list[Event] = []
        if self._thinking is not None and self._thinking.done():
            answer, self._thinking = self._thinking, None
            found.append(_answer(answer, events.Thinking))
        if self._waiting is not None and self._thinking is None:
            wish, self._waiting = self._waiting, None
            self._thinking = self._executor.submit(think, wish.grid, wish.mines)
        follow = self._following
        if follow is None:
            return found
        if self._step is not None and self._step.done():
            answer, self._step = self._step, None
            found.append(_answer(answer, self._watched))
        # One wait at a time: a question about the board goes before the next move.
        if self._following is not None and self._step is None and self._thinking is None:
            about = (follow.run, follow.strategy, follow.opening, follow.seed)
            self._step = self._executor.submit(next_move, *about)
        return found

    def _watched(self, answer: tuple[RecordedMove, Mask] | None) -> Event:
        wish = self._following
        assert wish is not None
        number = self._moves
        if answer is None:
            self._following = None
            return events.Watched(wish.run, number, None)
        self._moves += 1
        move, mines = answer
        return events.Watched(wish.run, number, move, mines if number == 0 else None)

    def close(self) -> None:
        """Ends the engine's process, whatever it does."""
        processes = list((getattr(self._executor, "_processes", None) or {}).values())
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def _answer(future: Future, event: Callable[..., Event]) -> Event:
    """The event of an answer; of an engine that failed, its words."""
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        raise error
    if error is not None:
        return events.Failed(f"the engine failed: {error}")
    return event(future.result())
