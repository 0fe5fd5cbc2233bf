"""Makes a data set: plays games, drops positions that were met before, and writes shards."""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool

from jaxsweep.datasets.games import PlayedGames, played_games
from jaxsweep.datasets.positions import LabelledPositions
from jaxsweep.datasets.settings import SPLITS, DatasetError, DatasetSettings, split_of
from jaxsweep.datasets.store import Store
from jaxsweep.datasets.texts import to_jsonl

IDLE_GAMES = 2000
"""After so many games without a new position, there are taken to be no more."""


def make_dataset(folder: Path, settings: DatasetSettings) -> dict[str, Any]:
    """Makes what is missing of a data set; returns its metadata. Raises as `Store`, and `generate`.

    A folder that does not exist is made; one with other files, or other settings, is refused.
    """
    store = Store(folder, settings)
    for _ in generate(store, settings):
        pass
    return store.metadata


def generate(store: Store, settings: DatasetSettings) -> Iterator[int]:
    """Makes what is missing of a data set; yields how many positions there are, again and again.

    The first number is that of positions which were there. Equal positions of different games are
    the same question twice, and would be in two splits: only the first one is kept, in the order of
    games. So what is written depends on the settings alone.

    Raises `DatasetError` if there are fewer different positions than are asked for.
    """
    known: set[bytes] = set()
    written = 0
    for positions in store.read_back():
        written += len(positions)
        known |= set(map(_digest, positions.seen))
    yield written
    if store.is_finished:
        return
    block = _Block(store, settings)
    idle = 0
    games = played_games(settings, store.next_game) if written < settings.positions else ()
    for played in games:
        new, repeated = _new_positions(played.positions, known, settings.positions - written)
        block.add(played, new, repeated)
        written += int(new.sum())
        idle = 0 if new.any() else idle + len(played.numbers)
        if idle >= IDLE_GAMES:
            raise DatasetError(_too_few(settings, written, block.left_out))
        if block.size >= settings.shard or written == settings.positions:
            block.write()
            block = _Block(store, settings)
        yield written
        if written == settings.positions:
            break
    store.finish()


def _digest(seen: np.ndarray) -> bytes:
    """Returns a short hash of a grid."""
    return blake2b(seen.tobytes(), digest_size=8).digest()


def _new_positions(
    positions: LabelledPositions, known: set[bytes], most: int
) -> tuple[Bool[np.ndarray, " positions"], int]:
    """Returns which positions are not known yet, at most so many, and adds them to the known ones.

    Also returns how many up to the last one of them are known. With at most 10⁷ positions, the
    chance that two of them have one hash is less than 10⁻⁵; then one is left out.
    """
    new = np.zeros(len(positions), bool)
    repeated = 0
    for i, digest in enumerate(map(_digest, positions.seen)):
        if most == 0:
            break
        if digest in known:
            repeated += 1
        else:
            known.add(digest)
            new[i], most = True, most - 1
    return new, repeated


def _too_few(settings: DatasetSettings, found: int, left_out: int) -> str:
    opening = settings.opening
    beyond = f", and {left_out:,} exceeded the capacity" if left_out else ""
    return (
        f"{opening.level} with a {opening.start.value} start at {opening.first}: in "
        f"{IDLE_GAMES:,} games no new position was met beside the {found:,} before{beyond}; "
        f"ask for fewer than {settings.positions:,} positions"
    )


class _Block:
    """Positions that are written at once."""

    def __init__(self, store: Store, settings: DatasetSettings):
        self.store, self.settings = store, settings
        self.parts: dict[str, list[LabelledPositions]] = {split: [] for split in SPLITS}
        self.first = self.end = store.next_game
        self.size = self.duplicates = self.left_out = 0

    def add(self, played: PlayedGames, new: Bool[np.ndarray, " positions"], repeated: int) -> None:
        """Adds the new positions of some games, of which so many are known."""
        positions, begin = played.positions, played.numbers.start
        splits = np.array([split_of(number) for number in played.numbers])
        own = splits[positions.game - begin]
        for split in SPLITS:
            self.parts[split].append(positions.select(new & (own == split)))
        self.size += int(new.sum())
        self.duplicates += repeated
        self.left_out += played.left_out
        self.end = played.numbers.stop

    def write(self) -> None:
        """Writes the block."""
        level = self.settings.opening.level
        parts = {
            split: LabelledPositions.concatenate(some, level.rows, level.cols)
            for split, some in self.parts.items()
        }
        wants_text = self.settings.text
        texts = {split: to_jsonl(part) for split, part in parts.items()} if wants_text else {}
        about = {
            "end": self.end,
            "played": self.end - self.first,
            "duplicates": self.duplicates,
            "left_out": self.left_out,
        }
        self.store.write(parts, texts, about)
