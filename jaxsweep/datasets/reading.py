"""Loads data sets; nothing here needs JAX or machine code."""

import os
from pathlib import Path

from jaxsweep.datasets.metadata import read_metadata, read_shard
from jaxsweep.datasets.positions import LabelledPositions
from jaxsweep.datasets.settings import SPLITS, DatasetError


def load_dataset(folder: str | os.PathLike[str], split: str = "train") -> LabelledPositions:
    """Loads all positions of a split, after checking the checksum of every file.

    Args:
        folder: where `python -m jaxsweep.dataset` wrote the data set.
        split: "train", "validation" or "test".

    Returns the positions in the order of games. Raises `ValueError` in a sentence if there is no
    such split, or the folder holds no finished data set of this version, or a file is missing or
    damaged.

    """
    folder = Path(folder)
    if split not in SPLITS:
        raise DatasetError(f"no split {split!r}; there are {', '.join(SPLITS)}")
    metadata = read_metadata(folder)
    if not metadata["finished"]:
        raise DatasetError(
            f"{folder} is not finished; `{metadata['command']} --out {folder}` goes on"
        )
    parts = [read_shard(folder, metadata, i, split) for i in range(len(metadata["blocks"]))]
    settings = metadata["settings"]
    return LabelledPositions.concatenate(parts, settings["rows"], settings["cols"])
