"""The machine code of analyses, compiled beside a server that answers meanwhile."""

import multiprocessing
import os
import sys

from jaxsweep.runtime.worker_processes import begin_worker, starting_workers

NICE = 19
"""The lowest priority: answers come first."""


def compile_beside() -> None:
    """Starts a process that compiles, which takes minutes; workers load what it leaves on disk."""
    process = multiprocessing.get_context("spawn").Process(target=_compile, daemon=True)
    with starting_workers():
        process.start()


def _compile() -> None:
    begin_worker()
    if hasattr(os, "nice"):
        os.nice(NICE)
    # Imported here: the server does without Numba.
    from jaxsweep.native.compiler import is_kept
    from jaxsweep.runtime.compilation import cache_folder
    from jaxsweep.single.native_candidates import is_compiled, prepared_shortcuts

    if is_compiled():
        return
    if not is_kept():
        why = f"{cache_folder()} cannot be written to: nothing is compiled"
        print(f"jaxsweep: {why}", file=sys.stderr, flush=True)
        return
    print("jaxsweep: compiling, which takes minutes; answers come meanwhile", flush=True)
    prepared_shortcuts()
    print("jaxsweep: compiled; analyses are faster from now on", flush=True)
