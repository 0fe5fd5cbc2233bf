"""Work on all cores whose results come in order."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

from jaxsweep.runtime import machine

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    work: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """Yields what `work` returns for each item, in order, on all cores.

    Unlike `Executor.map`, it takes only a few items ahead: there may be no end of them. Nor is
    anything waited for that nobody wants any more: Ctrl-C ends a command whose threads have just
    begun to compile for a minute.
    """
    cores = machine.cores()
    tasks = _Tasks(work)
    threads = [Thread(target=tasks.do, daemon=True) for _ in range(cores)]
    for thread in threads:
        thread.start()
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(tasks.add(item))
            if len(pending) > 2 * cores:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()
        for _ in threads:
            tasks.end()


class _Tasks(Generic[Item, Result]):
    """What several threads have to do."""

    def __init__(self, work: Callable[[Item], Result]):
        self._work = work
        self._queue: SimpleQueue[tuple[Future[Result], Item] | None] = SimpleQueue()

    def add(self, item: Item) -> Future[Result]:
        """Has an item worked on; returns what holds its result."""
        future: Future[Result] = Future()
        self._queue.put((future, item))
        return future

    def end(self) -> None:
        """Ends one thread."""
        self._queue.put(None)

    def do(self) -> None:
        """Works until it is ended: what each thread runs."""
        while (task := self._queue.get()) is not None:
            future, item = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._work(item))
            except BaseException as error:
                future.set_exception(error)
