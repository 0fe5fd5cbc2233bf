"""Boards without a guess, dealt in a process of their own: a rare wish holds nothing up.

The process starts with the first such board, and ends when dealing is cancelled.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future

from jaxsweep.rules.level import LevelError
from jaxsweep.runtime.worker_processes import end_workers
from jaxsweep.single.dealing import Dealt, deal_board
from viewer import events
from viewer.effects import DealBoard
from viewer.events import Event

_dealing: dict[DealBoard, Iterator[Dealt]] = {}
"""In the process: what is being dealt."""


def deal_on(about: DealBoard) -> Dealt | str:
    """Looks at some more deals; returns how far it has come, or why there is no board."""
    if about not in _dealing:
        _dealing.clear()
        _dealing[about] = deal_board(about.opening, about.seed, about.hardness)
    try:
        dealt = next(_dealing[about])
    except LevelError as error:
        _dealing.clear()
        return str(error)
    if dealt.mines is not None:
        _dealing.clear()
    return dealt


class Dealer:
    """Deals one board at a time; another takes the place of the one before."""

    def __init__(self, start: Callable[[], Executor]):
        self._start = start
        self._executor: Executor | None = None
        self._about: DealBoard | None = None
        self._future: Future | None = None

    def deal(self, about: DealBoard) -> None:
        """Starts to deal a board."""
        self.stop()
        self._about = about

    def stop(self) -> None:
        """Deals no more; ends the process if it is at work."""
        self._about = None
        if self._future is not None and not self._future.done():
            self.close()
        self._future = None

    def poll(self) -> list[Event]:
        """Returns how far dealing has come since the last call, without waiting."""
        found: list[Event] = []
        if self._about is None:
            return found
        if self._future is not None and self._future.done():
            about, result, self._future = self._about, self._future.result(), None
            found.append(events.BoardDealt(about, result))
            if isinstance(result, str) or result.mines is not None:
                self._about = None
        if self._about is not None and self._future is None:
            if self._executor is None:
                self._executor = self._start()
            self._future = self._executor.submit(deal_on, self._about)
        return found

    def close(self) -> None:
        """Ends the process."""
        if self._executor is not None:
            end_workers(self._executor)
        self._executor = None
