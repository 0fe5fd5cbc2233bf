"""Folders of training runs: settings, the latest state, and the curve so far."""

import json
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
from jaxtyping import PyTree

from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.files import write_atomically
from jaxsweep.runtime.folders import claim_folder

State = TypeVar("State", bound=PyTree)


class CheckpointError(UserError):
    """A folder that does not hold the run that is asked for; says why."""


class Checkpoints:
    """The folder of one run. One file holds state and curve, so that neither is ahead."""

    def __init__(self, folder: Path, settings: dict[str, Any]):
        claim_folder(folder / "run.json", {"settings": settings}, "a run", CheckpointError)
        self._file = folder / "latest.eqx"

    def load(self, like: State) -> tuple[State, list[dict[str, Any]]]:
        """Returns the latest state and the curve up to it; `like` and no curve, in a new run."""
        if not self._file.exists():
            return like, []
        try:
            with open(self._file, "rb") as file:
                curve = json.loads(file.readline())
                return eqx.tree_deserialise_leaves(file, like), curve
        except Exception as error:
            raise CheckpointError(
                f"{self._file} is damaged; delete it to begin the run again"
            ) from error

    def save(self, state: PyTree, curve: list[dict[str, Any]]) -> None:
        """Writes the state and the curve up to it, whole or not at all."""

        def write(path: Path) -> None:
            with open(path, "wb") as file:
                file.write(json.dumps(curve).encode() + b"\n")
                eqx.tree_serialise_leaves(file, state)

        write_atomically(self._file, write)
