"""The folder of a data set that is being made, so that this can be stopped and resumed.

Positions are written in blocks: a shard of each split, and then an entry in `metadata.json`, which
is replaced as a whole. So whatever is interrupted, that file tells of whole blocks only, and the
rest is made again.
"""

import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from jaxsweep.datasets.metadata import (
    COUNTED,
    FORMAT,
    METADATA,
    OF_BLOCKS,
    VERSION,
    check_metadata,
    checksum,
    read_checked,
    read_shard,
    shard_name,
)
from jaxsweep.datasets.positions import AXES, DTYPES, Kind, LabelledPositions, WinSource
from jaxsweep.datasets.settings import SPLITS, DatasetError, DatasetSettings
from jaxsweep.runtime import machine
from jaxsweep.runtime.files import write_atomically
from jaxsweep.runtime.folders import claim_folder, write_manifest


class Store:
    """The folder of a data set; created if it does not exist.

    Raises `DatasetError` if the folder has another data set, or other files, or one that is not
    finished and was begun with other versions.
    """

    def __init__(self, folder: Path, settings: DatasetSettings):
        self.folder = folder
        content = {
            "format": FORMAT,
            "version": VERSION,
            "command": settings.command,
            "settings": settings.to_json(),
            "versions": versions(),
            "arrays": {name: f"{DTYPES[name]} [{', '.join(axes)}]" for name, axes in AXES.items()},
            "finished": False,
            "blocks": [],
        }
        self.metadata = claim_folder(folder / METADATA, content, "a data set", DatasetError)
        check_metadata(folder / METADATA, self.metadata)
        if not self.is_finished:
            self._compare_versions()

    @property
    def is_finished(self) -> bool:
        """Whether all positions are written."""
        return self.metadata["finished"]

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """What is written, block by block."""
        return self.metadata["blocks"]

    @property
    def next_game(self) -> int:
        """The number of the first game whose positions are not written."""
        return self.blocks[-1]["end"] if self.blocks else 0

    def read_back(self) -> Iterator[LabelledPositions]:
        """Yields all positions that are written, shard by shard, in the order of blocks.

        From the first damaged file on, blocks are forgotten: they are to be made again.
        """
        for number, block in enumerate(self.blocks):
            try:
                parts = [read_shard(self.folder, self.metadata, number, split) for split in SPLITS]
                for name, digest in block["texts"].items():
                    read_checked(self.folder / name, digest)
            except DatasetError:
                self.metadata |= {"blocks": self.blocks[:number], "finished": False}
                self._compare_versions()
                return
            yield from parts

    def write(
        self, parts: dict[str, LabelledPositions], texts: dict[str, bytes], about: dict[str, int]
    ) -> None:
        """Writes a block.

        Args:
            parts: the positions of each split.
            texts: their prompts for each split, if they are wanted.
            about: the first game behind the block, `end`, and what `OF_BLOCKS` says.

        """
        number = len(self.blocks)
        shards, digests = {}, {}
        for split, positions in parts.items():
            digest = self._write_file(shard_name(split, number), positions.to_bytes())
            shards[split] = {"sha256": digest, **_count(positions)}
        for split, text in texts.items():
            name = shard_name(split, number, "jsonl")
            digests[name] = self._write_file(name, text)
        block = {**about, "shards": shards, "texts": digests}
        self.metadata["blocks"] = [*self.blocks, block]
        write_manifest(self.folder / METADATA, self.metadata)

    def finish(self) -> None:
        """Writes totals, and the checksum of the whole."""
        splits = {
            split: {
                name: sum(block["shards"][split][name] for block in self.blocks) for name in COUNTED
            }
            for split in SPLITS
        }
        totals = {name: sum(splits[split][name] for split in SPLITS) for name in COUNTED}
        totals |= {name: sum(block[name] for block in self.blocks) for name in OF_BLOCKS}
        self.metadata |= {
            "finished": True,
            "checksum": checksum(self.blocks),
            "totals": totals,
            "splits": splits,
        }
        write_manifest(self.folder / METADATA, self.metadata)

    def _write_file(self, name: str, data: bytes) -> str:
        """Writes a file, whole or not at all, and returns its SHA-256."""
        write_atomically(self.folder / name, lambda part: part.write_bytes(data))
        return hashlib.sha256(data).hexdigest()

    def _compare_versions(self) -> None:
        """Raises `DatasetError` if a data set was begun with other versions than those in use."""
        begun = self.metadata["versions"]
        for name, version in versions().items():
            if begun.get(name) != version:
                raise DatasetError(
                    f"{self.folder} was begun with {name} {begun.get(name)}, not {version}: "
                    f"its bytes might differ; choose another --out"
                )


def versions() -> dict[str, str]:
    """Returns the versions of what the bytes of a data set depend on."""
    return machine.versions("numpy", "numba") | {"zlib": zlib.ZLIB_RUNTIME_VERSION}


def _count(positions: LabelledPositions) -> dict[str, int]:
    """Counts positions of a shard, as `COUNTED` says."""
    return {
        "positions": len(positions),
        "guesses": int((positions.kind == Kind.GUESS).sum()),
        "searched": len(positions.searched),
        "estimated": int((positions.win_source == WinSource.MODEL).sum()),
        "games": len(np.unique(positions.game)),
    }
