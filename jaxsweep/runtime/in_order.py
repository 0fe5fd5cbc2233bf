"""Work on all cores whose results come in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from jaxsweep.runtime import machine

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yields what `work` returns for each item, in order, on all cores.

    Unlike `Executor.map`, it takes only a few items ahead: there may be no end of them.
    """
    cores = machine.cores()
    pending: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(cores) as pool:
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) > 2 * cores:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
