"""Processes that work for a command, are ended by it at once, and do not outlive it."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from threading import Thread


@contextmanager
def starting_workers() -> Iterator[None]:
    """Processes that are started within never see Ctrl-C, not even while they import modules.

    A terminal sends it to all processes of a command. A new process inherits which signals are
    blocked in the thread that starts it, and this blocks them from its first moment on; so it
    works in any thread. A Ctrl-C for the command itself takes effect at the end of the block. On
    Windows nothing is blocked: there, processes call `begin_worker` as soon as they can.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Unblocks signals when it starts a process of its own, so that has to come before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker() -> None:
    """In a worker process: leaves Ctrl-C to the command, and ends with it, however it ended.

    A command that is killed, or loses its screen, ends no workers, and they would wait for tasks
    for ever: each holds an end of the pipe that these come through, so that it is never closed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if multiprocessing.parent_process() is not None:
        Thread(target=_end_with_command, daemon=True).start()


def _end_with_command() -> None:
    """Waits for the end of the command, and ends this process at once."""
    command = multiprocessing.parent_process()
    assert command is not None
    command.join()
    os._exit(1)


def end_workers(pool: Executor) -> None:
    """Ends the processes of a pool, whatever they do, and drops the tasks that wait."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
