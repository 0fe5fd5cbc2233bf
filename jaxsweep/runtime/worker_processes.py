"""Processes that work for a command: Ctrl-C is for the command, which ends them at once."""

import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def starting_workers() -> Iterator[None]:
    """Processes that are started within never see Ctrl-C, not even while they import modules.

    A terminal sends it to all processes of a command. A new process inherits which signals are
    blocked in the thread that starts it, and this blocks them from its first moment on; so it
    works in any thread. A Ctrl-C for the command itself takes effect at the end of the block. On
    Windows nothing is blocked: there, processes call `ignore_interrupts` as soon as they can.
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


def ignore_interrupts() -> None:
    """In a worker process: Ctrl-C is for the command, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_workers(pool: Executor) -> None:
    """Ends the processes of a pool, whatever they do, and drops the tasks that wait."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
