"""Runs on disk: shards of records and a manifest, so that a run can be stopped and resumed.

A shard has the records of a fixed range of games and a checksum, and is written atomically. Its
records depend on the settings alone, not on when and where the games were played.
"""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

import jax
import numpy as np

from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.files import write_atomically
from jaxsweep.runtime.folders import claim_folder
from jaxsweep.runtime.machine import Device
from jaxsweep.simulation import matches
from jaxsweep.simulation.matches import Record, Report
from jaxsweep.simulation.settings import RunSettings
from jaxsweep.strategies import STRATEGIES

MANIFEST = "manifest.json"


class RunError(UserError):
    """A run that cannot be started or resumed; says why."""


class Run:
    """A folder with the shards of one run; created if it does not exist.

    Raises `RunError` if the folder has a run with other settings, or other files.
    """

    def __init__(self, folder: Path, settings: RunSettings, about: dict):
        self.folder, self.settings = folder, settings
        content = {"settings": asdict(settings), **about}
        claim_folder(folder / MANIFEST, content, "a run", RunError)

    def path(self, shard: int) -> Path:
        """Returns the file of a shard."""
        return self.folder / f"shard-{shard:06d}.npz"

    def read(self, shard: int) -> Record | None:
        """Reads a shard's records, ordered by game number; None if it is missing or damaged."""
        try:
            with np.load(io.BytesIO(self.path(shard).read_bytes())) as file:
                record = Record(**{f.name: file[f.name] for f in fields(Record)})
                expected = str(file["checksum"])
        except Exception:  # A damaged file can fail in many ways.
            return None
        numbers = np.asarray(self.settings.games_of(shard))
        if expected != checksum([record]) or not np.array_equal(record.game_number, numbers):
            return None
        return record

    def seconds(self) -> tuple[float, float]:
        """Returns the time that all shards took, and the longest time of a batch."""
        total = longest = 0.0
        for shard in range(self.settings.shards):
            with np.load(self.path(shard)) as file:
                total += float(file["seconds"])
                longest = max(longest, float(file["longest"]))
        return total, longest

    def missing(self, shards: range) -> list[int]:
        """Lists the shards that have to be played, as they are missing or damaged."""
        return [shard for shard in shards if self.read(shard) is None]

    def write(self, shard: int, record: Record, seconds: float, longest: float) -> None:
        """Writes a shard with the time that it took, and the longest time of a batch."""
        arrays = {f.name: getattr(record, f.name) for f in fields(Record)}

        def save(part: Path) -> None:
            # Given a path, NumPy would append its own suffix.
            with open(part, "wb") as file:
                np.savez(
                    file, checksum=checksum([record]), seconds=seconds, longest=longest, **arrays
                )

        write_atomically(self.path(shard), save)

    def records(self) -> Record:
        """Reads all records, ordered by game number; raises `RunError` if a shard is missing."""
        parts = [self.read(shard) for shard in range(self.settings.shards)]
        missing = [shard for shard, part in enumerate(parts) if part is None]
        if missing:
            raise RunError(
                f"{len(missing)} of {len(parts)} shards in {self.folder} are still to be played, "
                f"{self.path(missing[0]).name} first; the same command goes on"
            )
        return matches.merge([part for part in parts if part is not None])


def play(
    run: Run, shards: range, batch: int | None = None, devices: list[Device] | None = None
) -> Iterator[Report]:
    """Plays the missing ones of these shards, and writes each when its last game is finished."""
    settings = run.settings
    for first, last in _ranges(run.missing(shards)):
        start, end = settings.games_of(first).start, settings.games_of(last).stop
        pending: dict[int, list[Record]] = {}
        spent = longest = 0.0
        for report in matches.play_and_report(
            STRATEGIES[settings.strategy],
            settings.opening,
            settings.seed,
            end - start,
            batch,
            start,
            devices,
        ):
            spent, longest = spent + report.seconds, max(longest, report.seconds)
            _split_by_shard(report.record, settings.shard, pending)
            complete = [
                shard
                for shard, parts in pending.items()
                if _size(parts) == len(settings.games_of(shard))
            ]
            for shard in complete:
                record = matches.merge(pending.pop(shard)).ordered()
                run.write(shard, record, spent / len(complete), longest)
            if complete:
                spent = longest = 0.0
            yield report


def _split_by_shard(record: Record, size: int, pending: dict[int, list[Record]]) -> None:
    """Splits records by shard and appends the parts to `pending`."""
    shard_of = record.game_number // np.asarray(size, record.game_number.dtype)
    for shard in np.unique(shard_of):
        own = shard_of == shard
        part = jax.tree.map(lambda leaf, own=own: leaf[own], record)
        pending.setdefault(int(shard), []).append(part)


def _size(parts: list[Record]) -> int:
    return sum(len(part) for part in parts)


def _ranges(shards: list[int]) -> list[tuple[int, int]]:
    """Groups consecutive shards; returns the first and the last of each group."""
    ranges: list[tuple[int, int]] = []
    for shard in shards:
        if ranges and ranges[-1][1] == shard - 1:
            ranges[-1] = (ranges[-1][0], shard)
        else:
            ranges.append((shard, shard))
    return ranges


def checksum(records: list[Record]) -> str:
    """Returns the SHA-256 of records in the order of games, however they are divided.

    It covers what happened in the games; risks may differ in their last digit between devices.
    """
    digest = hashlib.sha256()
    for f in fields(Record):
        for record in records:
            values = np.ascontiguousarray(getattr(record, f.name))
            if not np.issubdtype(values.dtype, np.floating):
                digest.update(values.tobytes())
    return digest.hexdigest()
