"""Processes that carry out tasks, one at a time each, and are ended when a task takes too long."""

import asyncio
import multiprocessing
import time
import traceback
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.worker_processes import begin_worker, starting_workers
from jaxsweep.serving.limits import RefusedError

BUSY = "too many requests at once: try again in a moment"
TOO_LONG = "the answer took too long, and was given up"
ENDED = "the process that worked on the answer has ended: try again"

FREE_SECONDS = 0.3
"""After so long without a task, a process has time for other things."""

_END = ("end", None)
"""What follows the last item of a task that yields several."""


def serve_tasks(connection: Connection) -> None:
    """In a worker process: carries out tasks until the connection is closed.

    A message is the name of a task in `tasks.TASKS` and its arguments. The answer is a pair: what
    kind it is, and the result or what was wrong. After a task that yields items, the message None
    asks for the next one; another task drops those that are left.
    """
    begin_worker()
    # Imported here: the server does without what its workers need.
    from jaxsweep.runtime.compilation import use_cache
    from jaxsweep.serving.tasks import TASKS, rest

    use_cache()
    items: Iterator[Any] = iter(())
    pause: float | None = FREE_SECONDS
    while True:
        # A free moment is used for what makes later answers faster.
        while not connection.poll(pause):
            pause = rest()
        try:
            message = connection.recv()
        except EOFError:
            return
        try:
            if message is None:
                answer = next((("item", item) for item in items), _END)
            else:
                name, arguments = message
                found = TASKS[name](*arguments)
                if isinstance(found, Iterator):
                    items, answer = found, ("items", None)
                else:
                    answer = "result", found
        except UserError as error:
            answer = "wrong", str(error)
        except RefusedError as error:
            answer = "refused", (error.status, str(error))
        except Exception:
            answer = "failed", traceback.format_exc()
        try:
            connection.send(answer)
        except OSError:
            return


class Worker:
    """One process; it is started when it is first needed, and anew when it has ended."""

    def __init__(self):
        self._started: tuple[Connection, BaseProcess] | None = None

    def start(self) -> Connection:
        """Starts the process, unless it runs; returns the connection to it."""
        if self._started is not None and not self._started[1].is_alive():
            self.close()
        if self._started is None:
            spawn = multiprocessing.get_context("spawn")
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=serve_tasks, args=(theirs,), daemon=True)
            # Ctrl-C is for the server, which closes the connection.
            with starting_workers():
                process.start()
            theirs.close()
            self._started = ours, process
        return self._started[0]

    def ask(self, message: tuple[str, tuple] | None, deadline: float) -> tuple[str, Any]:
        """Sends a message and waits for its answer, up to a time of the monotonic clock."""
        try:
            connection = self.start()
            connection.send(message)
            if connection.poll(max(deadline - time.monotonic(), 0.0)):
                return connection.recv()
        except (OSError, EOFError):
            self.close()
            raise RefusedError(503, ENDED) from None
        self.close()
        raise RefusedError(503, TOO_LONG)

    def close(self) -> None:
        """Ends the process, whatever it does."""
        if self._started is not None:
            connection, process = self._started
            self._started = None
            connection.close()
            process.kill()
            process.join()


class Workers:
    """Several processes, and the requests that wait for one of them."""

    def __init__(self, count: int, waiting: int):
        self.count = count
        """How many processes there are."""
        self._most = waiting
        self._waiting = 0
        self._all = [Worker() for _ in range(count)]
        self._threads = ThreadPoolExecutor(count)
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        for worker in self._all:
            self._free.put_nowait(worker)

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[None]:
        """Counts a request while it waits or is worked on; refuses it where there are too many."""
        if self._waiting >= self._most:
            raise RefusedError(503, BUSY)
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    async def run(self, task: str, *arguments: Any, deadline: float) -> Any:
        """Returns the result of a task; raises `RefusedError`, or `UserError` for bad input."""
        worker = await self._next_free(deadline)
        asked = self._ask(worker, (task, arguments), deadline)
        asked.add_done_callback(partial(self._release, worker))
        return _result(await asyncio.shield(asked))

    async def items(
        self, task: str, *arguments: Any, turn: float, seconds: float
    ) -> AsyncIterator[Any]:
        """Yields the items of a task that has several; it may take so long after its turn comes.

        Raises `RefusedError` if that is later than `turn`, a time of the monotonic clock.
        """
        worker = await self._next_free(turn)
        deadline = time.monotonic() + seconds
        asked = self._ask(worker, (task, arguments), deadline)
        try:
            while (answer := await asyncio.shield(asked)) != _END:
                item = _result(answer)
                if answer[0] == "item":
                    yield item
                asked = self._ask(worker, None, deadline)
        finally:
            # If nobody wants the rest, the worker is free after the item that it works on.
            asked.add_done_callback(partial(self._release, worker))

    async def _next_free(self, deadline: float) -> Worker:
        try:
            return await asyncio.wait_for(self._free.get(), max(deadline - time.monotonic(), 0.0))
        except TimeoutError:
            raise RefusedError(503, BUSY) from None

    def _ask(
        self, worker: Worker, message: tuple[str, tuple] | None, deadline: float
    ) -> asyncio.Future[tuple[str, Any]]:
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._threads, worker.ask, message, deadline)

    def _release(self, worker: Worker, asked: asyncio.Future) -> None:
        if not asked.cancelled():
            asked.exception()  # Where the request has gone, nobody else looks at it.
        self._free.put_nowait(worker)

    def start(self) -> None:
        """Starts all processes now, without waiting for them."""
        for worker in self._all:
            self._threads.submit(worker.start)

    def close(self) -> None:
        """Ends all processes."""
        for worker in self._all:
            worker.close()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _result(answer: tuple[str, Any]) -> Any:
    kind, found = answer
    if kind == "wrong":
        raise UserError(found)
    if kind == "refused":
        raise RefusedError(*found)
    if kind == "failed":
        raise RuntimeError(f"a task failed:\n{found}")
    return found
