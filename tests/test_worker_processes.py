"""Ctrl-C in a terminal reaches all processes of a command: only the command itself listens."""

import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext

import pytest

from jaxsweep.runtime.worker_processes import end_workers, starting_workers
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no signals are blocked on Windows")

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture(autouse=True)
def interrupts():
    """Ctrl-C raises, as in a terminal: of commands in the background, a shell has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def exit_code_after_interrupt(around):
    """The exit code of a process that is interrupted before it has run a line of Python."""
    with around:
        process = SPAWN.Process(target=time.sleep, args=(0,))
        process.start()
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    process.join()
    return process.exitcode


def test_processes_that_start_do_not_see_ctrl_c():
    assert exit_code_after_interrupt(nullcontext()) != 0, "what would happen"
    assert exit_code_after_interrupt(starting_workers()) == 0
    with ThreadPoolExecutor(1) as threads:  # Signals can be handled in the main thread alone.
        assert threads.submit(exit_code_after_interrupt, starting_workers()).result() == 0


def test_ctrl_c_reaches_the_command_afterwards():
    reached = []
    with pytest.raises(KeyboardInterrupt), starting_workers():
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        reached.append(True)
    assert reached, "it waits until all processes are started"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


COMMAND = """
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
from jaxsweep.runtime.worker_processes import begin_worker

if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=begin_worker)
    print(pool.submit(os.getpid).result(), flush=True)
    sys.stdin.read()
"""


def test_workers_end_with_a_command_that_is_killed(tmp_path):
    (tmp_path / "command.py").write_text(COMMAND)
    command = subprocess.Popen(
        [sys.executable, str(tmp_path / "command.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert command.stdin is not None and command.stdout is not None
    worker = int(command.stdout.readline())
    os.kill(worker, 0)
    command.kill()
    # The worker has the other end of this pipe, too.
    assert select.select([command.stdout], [], [], PATIENCE)[0], "the worker lives on"
    assert command.stdout.read() == b""
    command.stdin.close()
    command.stdout.close()
    command.wait()


def test_workers_are_ended_whatever_they_do():
    pool = ProcessPoolExecutor(1, mp_context=SPAWN)
    endless = pool.submit(time.sleep, 3600)
    (process,) = pool._processes.values()
    end_workers(pool)
    process.join()
    assert process.exitcode == -signal.SIGTERM
    assert endless.exception() is not None
