"""What a data set says of itself: `metadata.json`, and its shards by what that says of them."""

import hashlib
import json
from pathlib import Path
from typing import Any

from jaxsweep.datasets.positions import LabelledPositions
from jaxsweep.datasets.settings import SPLITS, DatasetError
from jaxsweep.rules.level import Level, Opening, Start

METADATA = "metadata.json"
FORMAT, VERSION = "jaxsweep-dataset", 1

COUNTED = ("positions", "guesses", "searched", "estimated", "games")
"""What is counted in every shard: the positions, those in which nothing is certain, those whose end
game was searched, those whose win probability is an estimate, and the games."""

OF_BLOCKS = ("played", "duplicates", "left_out")
"""What is counted in every block: the games played, the positions that had been met before, and
those that exceeded the capacity."""


def shard_name(split: str, number: int, ending: str = "npz") -> str:
    """Returns the name of a shard's file."""
    return f"{split}-{number:06d}.{ending}"


def checksum(blocks: list[dict[str, Any]]) -> str:
    """Returns the checksum of a data set: the SHA-256 of what `sha256sum` prints of its files.

    That is `sha256sum *.npz | sha256sum`, or, if there are texts, `sha256sum *.jsonl *.npz`.
    """
    digests: dict[str, str] = {}
    for number, block in enumerate(blocks):
        for split in SPLITS:
            digests[shard_name(split, number)] = block["shards"][split]["sha256"]
        digests |= block["texts"]
    names = sorted(digests, key=lambda name: (name.rpartition(".")[2], name))
    lines = [f"{digests[name]}  {name}\n" for name in names]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def read_metadata(folder: Path) -> dict[str, Any]:
    """Reads and checks what a data set says of itself."""
    path = folder / METADATA
    if not path.is_file():
        raise DatasetError(f"{folder} holds no data set: there is no {METADATA}")
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise DatasetError(f"{path} is damaged: it is not JSON") from None
    check_metadata(path, found)
    return found


def check_metadata(path: Path, found: Any) -> None:
    """Raises `DatasetError` unless plain data is the metadata of a data set of this version."""
    about = (found.get("format"), found.get("version")) if isinstance(found, dict) else None
    if about != (FORMAT, VERSION):
        raise DatasetError(f"{path} is not the metadata of a {FORMAT} of version {VERSION}")
    try:
        problem = _problem(found)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        problem = f"{type(error).__name__} {error}"
    if problem:
        raise DatasetError(f"{path} is damaged: {problem}")


def _problem(found: dict[str, Any]) -> str | None:
    """Returns what is wrong with metadata, or raises an error; None if nothing is."""
    settings = found["settings"]
    row, col = settings["first"]
    level = Level(settings["rows"], settings["cols"], settings["mines"])
    Opening(level, Start(settings["start"]), (row, col))
    kinds = {"command": str, "finished": bool, "versions": dict, "blocks": list}
    for name, kind in kinds.items():
        if not isinstance(found[name], kind):
            return f"its {name} is no {kind.__name__}"
    for number, block in enumerate(found["blocks"]):
        shards = [block["shards"][split] for split in SPLITS]
        counts = [shard[name] for shard in shards for name in COUNTED]
        counts += [block[name] for name in ("end", *OF_BLOCKS)]
        if not all(isinstance(n, int) and 0 <= n < 2**53 for n in counts):
            return f"a count of block {number} is none"
        digests = [shard["sha256"] for shard in shards] + list(block["texts"].values())
        if not all(isinstance(digest, str) for digest in digests):
            return f"a checksum of block {number} is none"
        # Names of files are never taken from a file.
        expected = {shard_name(split, number, "jsonl") for split in SPLITS}
        if block["texts"].keys() != (expected if settings["text"] else set()):
            return f"block {number} names other files"
    if found["finished"] and found["checksum"] != checksum(found["blocks"]):
        return "its checksum is not that of the shards that it names"
    return None


def read_shard(
    folder: Path, metadata: dict[str, Any], number: int, split: str
) -> LabelledPositions:
    """Reads a shard; raises `DatasetError` if it is not what the metadata says."""
    about, path = metadata["blocks"][number]["shards"][split], folder / shard_name(split, number)
    data = read_checked(path, about["sha256"])
    rows, cols = (metadata["settings"][name] for name in ("rows", "cols"))
    try:
        return LabelledPositions.from_bytes(data, about["positions"], rows, cols)
    except DatasetError as error:
        raise DatasetError(f"{path} is damaged: {error}") from None


def read_checked(path: Path, digest: str) -> bytes:
    """Reads a file with this SHA-256; raises `DatasetError` if it is another."""
    if not path.is_file():
        raise DatasetError(f"{path} is missing")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise DatasetError(f"{path} is damaged: its checksum is not that of {METADATA}")
    return data
