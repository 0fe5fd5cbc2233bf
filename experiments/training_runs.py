"""Training that can be stopped at any time: a folder has the latest state, and the curve."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Int32, PyTree
from rich.progress import Progress

from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.files import write_atomically
from jaxsweep.runtime.folders import claim_folder

Curve = list[dict[str, Any]]
"""What was measured, after more and more updates."""

Facts = dict[str, np.ndarray]
"""What is known of each of some updates."""


class Updated(Protocol):
    """A state of training: a pytree with the number of updates so far."""

    @property
    def updates(self) -> Int32[Array, ""]:
        """How many there were."""
        ...


State = TypeVar("State", bound=Updated)


class RunError(UserError):
    """A folder that does not hold the run that is asked for; says why."""


def train_to_end(
    folder: Path,
    settings: dict[str, Any],
    state: State,
    updates: int,
    chunk: int,
    train: Callable[[State, int], tuple[State, dict[str, Array]]],
    measure: Callable[[State, Facts], dict[str, Any]],
) -> tuple[State, Curve]:
    """Trains to the last update, from where the folder is; returns the end, and the curve up to it.

    Args:
        folder: holds the run, or will.
        settings: all that the run depends on: a folder with other settings is refused.
        state: the state of a new run.
        updates: the number of the last update.
        chunk: updates between measurements; after each the folder is brought up to date.
        train: makes a number of updates; returns the state, and facts about each.
        measure: what the curve says of a state, given the facts about the updates before it; its
            `win_rate` is shown beside the progress bar.

    """
    claim_folder(folder / "run.json", {"settings": settings}, "a run", RunError)
    file = folder / "latest.eqx"
    state, curve = _load(file, state)
    with Progress() as bar:
        task = bar.add_task("training", total=updates)
        while (done := int(state.updates)) < updates:
            bar.update(task, completed=done)
            began, worked = time.perf_counter(), time.process_time()
            state, facts = train(state, min(chunk, updates - done))
            facts = {name: np.asarray(each) for name, each in jax.device_get(facts).items()}
            # What measuring takes is not counted.
            spent = {
                "seconds": time.perf_counter() - began,
                "processor_seconds": time.process_time() - worked,
            }
            before = curve[-1] if curve else dict.fromkeys(spent, 0.0)
            point = {name: before[name] + each for name, each in spent.items()}
            point |= {"updates": int(state.updates), "load_average": os.getloadavg()[0]}
            curve.append(point | measure(state, facts))
            _save(file, state, curve)
            won = f"{curve[-1]['win_rate']:.1%} won"
            bar.update(task, completed=int(state.updates), description=won)
    return state, curve


def _load(file: Path, state: State) -> tuple[State, Curve]:
    """Returns the latest state and its curve; in a new run the given state, and no curve."""
    if not file.exists():
        return state, []
    try:
        with open(file, "rb") as stream:
            curve = json.loads(stream.readline())
            return eqx.tree_deserialise_leaves(stream, state), curve
    except (ValueError, RuntimeError, EOFError) as error:
        raise RunError(f"{file} is damaged; delete it to begin the run again") from error


def _save(file: Path, state: PyTree, curve: Curve) -> None:
    """Writes state and curve in one file: neither is ever ahead of the other."""

    def write(path: Path) -> None:
        with open(path, "wb") as stream:
            stream.write(json.dumps(curve).encode() + b"\n")
            eqx.tree_serialise_leaves(stream, state)

    write_atomically(file, write)
