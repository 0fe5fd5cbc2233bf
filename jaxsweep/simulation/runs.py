"""Runs on disk: shards of records and a manifest, so that a run can stop, go on, and be checked.

A shard holds the records of a fixed range of games. It appears whole or not at all, and carries a
checksum. What is in it depends on the settings alone, not on when and where it was played.
"""

import hashlib
import io
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import jax
import numpy as np

from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.machine import Device
from jaxsweep.simulation import matches
from jaxsweep.simulation.matches import Batch, Record
from jaxsweep.strategies import STRATEGIES

SHARD = 10_000
"""Games of a shard."""

MANIFEST = "manifest.json"


class RunError(UserError):
    """A run that cannot be begun, or gone on with: says why."""


@dataclass(frozen=True)
class Settings:
    """All that the games of a run depend on."""

    rows: int
    cols: int
    mines: int
    start: str
    first: tuple[int, int]
    strategy: str
    seed: int
    games: int
    shard: int = SHARD

    @classmethod
    def of(cls, opening: Opening, strategy: str, seed: int, games: int) -> "Settings":
        """Settings of games of this opening."""
        level = opening.level
        sizes = (level.rows, level.cols, level.mines)
        return cls(*sizes, opening.start.value, opening.first, strategy, seed, games)

    @property
    def opening(self) -> Opening:
        """What is played."""
        return Opening(Level(self.rows, self.cols, self.mines), Start(self.start), self.first)

    @property
    def shards(self) -> int:
        """How many there are."""
        return -(-self.games // self.shard)

    def games_of(self, shard: int) -> range:
        """The numbers of a shard's games."""
        return range(shard * self.shard, min((shard + 1) * self.shard, self.games))


class Run:
    """A folder with the shards of one run; made if it is not there.

    Raises `RunError` where the folder holds a run with other settings.
    """

    def __init__(self, folder: Path, settings: Settings, about: dict):
        self.folder, self.settings = folder, settings
        manifest = folder / MANIFEST
        wanted = json.loads(json.dumps(asdict(settings)))
        if manifest.exists():
            found = _read_manifest(manifest)
            for name, value in wanted.items():
                if found.get(name) != value:
                    raise RunError(
                        f"{folder} holds a run with {name} {found.get(name)}, not {value}; "
                        f"choose another --out, or the same settings"
                    )
        elif folder.exists() and any(not _of_manifest(file) for file in folder.iterdir()):
            raise RunError(f"{folder} holds other files and no {MANIFEST}; choose another --out")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"settings": wanted, **about}, indent=1, ensure_ascii=False)
            _write(manifest, (text + "\n").encode())

    def path(self, shard: int) -> Path:
        """The file of a shard."""
        return self.folder / f"shard-{shard:06d}.npz"

    def read(self, shard: int) -> Record | None:
        """A shard's records by game number; None if it is not there, or is damaged."""
        try:
            with np.load(io.BytesIO(self.path(shard).read_bytes())) as file:
                record = Record(**{f.name: file[f.name] for f in fields(Record)})
                whole = str(file["checksum"])
        except Exception:  # There are many ways for a damaged file to be unreadable.
            return None
        numbers = np.asarray(self.settings.games_of(shard))
        if whole != checksum([record]) or not np.array_equal(record.number, numbers):
            return None
        return record

    def seconds(self) -> tuple[float, float]:
        """The time that all shards took, and the longest batch."""
        total = longest = 0.0
        for shard in range(self.settings.shards):
            with np.load(self.path(shard)) as file:
                total += float(file["seconds"])
                longest = max(longest, float(file["longest"]))
        return total, longest

    def missing(self, shards: range) -> list[int]:
        """Those of the shards that have to be played: not there, or damaged."""
        return [shard for shard in shards if self.read(shard) is None]

    def write(self, shard: int, record: Record, seconds: float, longest: float) -> None:
        """Writes a shard; it appears at once, or not at all."""
        target = self.path(shard)
        temporary = target.with_suffix(f".{os.getpid()}.tmp")
        with open(temporary, "wb") as file:
            arrays = {f.name: getattr(record, f.name) for f in fields(Record)}
            np.savez(file, checksum=checksum([record]), seconds=seconds, longest=longest, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)

    def records(self) -> Record:
        """All records by game number; raises `RunError` where a shard is missing."""
        parts = [self.read(shard) for shard in range(self.settings.shards)]
        lost = [shard for shard, part in enumerate(parts) if part is None]
        if lost:
            raise RunError(
                f"{len(lost)} of {len(parts)} shards in {self.folder} are still to be played, "
                f"{self.path(lost[0]).name} first; the same command goes on"
            )
        return matches.merge([part for part in parts if part is not None])


def play(
    run: Run, shards: range, batch: int, devices: list[Device] | None = None
) -> Iterator[Batch]:
    """Plays what is missing of these shards, and writes each when its last game has ended."""
    settings = run.settings
    for first, last in _stretches(run.missing(shards)):
        start, end = settings.games_of(first).start, settings.games_of(last).stop
        pending: dict[int, list[Record]] = {}
        spent = longest = 0.0
        for report in matches.play_batches(
            STRATEGIES[settings.strategy],
            settings.opening,
            settings.seed,
            end - start,
            batch,
            start,
            devices,
        ):
            spent, longest = spent + report.seconds, max(longest, report.seconds)
            _share_out(report.record, settings.shard, pending)
            whole = [s for s, parts in pending.items() if _size(parts) == len(settings.games_of(s))]
            for shard in whole:
                record = matches.merge(pending.pop(shard)).ordered()
                run.write(shard, record, spent / len(whole), longest)
            if whole:
                spent = longest = 0.0
            yield report


def _share_out(record: Record, size: int, pending: dict[int, list[Record]]) -> None:
    """Adds records to those of their shards."""
    shard_of = record.number // np.asarray(size, record.number.dtype)
    for shard in np.unique(shard_of):
        own = shard_of == shard
        part = jax.tree.map(lambda leaf, own=own: leaf[own], record)
        pending.setdefault(int(shard), []).append(part)


def _size(parts: list[Record]) -> int:
    return sum(len(part) for part in parts)


def _stretches(shards: list[int]) -> list[tuple[int, int]]:
    """First and last of each stretch of shards that follow each other."""
    stretches: list[tuple[int, int]] = []
    for shard in shards:
        if stretches and stretches[-1][1] == shard - 1:
            stretches[-1] = (stretches[-1][0], shard)
        else:
            stretches.append((shard, shard))
    return stretches


def checksum(records: list[Record]) -> str:
    """Of records by game number, whatever the shards they are in."""
    digest = hashlib.sha256()
    for f in fields(Record):
        for record in records:
            digest.update(np.ascontiguousarray(getattr(record, f.name)).tobytes())
    return digest.hexdigest()


def _read_manifest(manifest: Path) -> dict:
    try:
        found = json.loads(manifest.read_text())["settings"]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, dict):
        raise RunError(f"{manifest} is damaged: it holds no settings; delete it with its shards")
    return found


def _of_manifest(file: Path) -> bool:
    """Whether it is the manifest, or a beginning of it: another process may be writing it now."""
    return file.name.startswith(Path(MANIFEST).stem)


def _write(target: Path, data: bytes) -> None:
    temporary = target.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_bytes(data)
    os.replace(temporary, target)
