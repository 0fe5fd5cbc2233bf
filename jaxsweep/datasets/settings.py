"""What a data set depends on, and how its games are split; nothing here needs JAX."""

import hashlib
from dataclasses import dataclass
from typing import Any

from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.players import PLAYERS, LeastRiskPlayer, LookaheadPlayer
from jaxsweep.scalar.view import MAX_CELLS

SPLITS = ("train", "validation", "test")

SHARD = 10_000
"""Positions that are written at once, over all splits."""

MAX_POSITIONS = 10_000_000
"""The most positions of a data set: a hash of each is kept in memory, to find duplicates."""

EXACT_PLAYERS = {
    name: player
    for name, player in PLAYERS.items()
    if isinstance(player, LookaheadPlayer)
    or (isinstance(player, LeastRiskPlayer) and player.engine is None)
}
"""The players whose games can be sampled: those that count layouts exactly, in machine code."""


class DatasetError(UserError):
    """A data set that cannot be made, resumed or read; says why."""


@dataclass(frozen=True)
class DatasetSettings:
    """Everything that the bytes of a data set depend on, beside versions.

    Raises `DatasetError` for a board that is too large.
    """

    opening: Opening
    player: str
    """Whose games they are, and whose moves: one of `EXACT_PLAYERS`."""
    seed: int
    positions: int
    shard: int = SHARD
    """Positions that are written at once, over all splits."""
    text: bool = False
    """Whether prompts for language models are written, too."""

    def __post_init__(self):
        if self.opening.level.cells > MAX_CELLS:
            raise DatasetError(
                f"a board of {self.opening.level.cells:,} cells is too large: "
                f"data sets have boards of at most {MAX_CELLS:,}"
            )

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as plain data."""
        level = self.opening.level
        return {
            "rows": level.rows,
            "cols": level.cols,
            "mines": level.mines,
            "start": self.opening.start.value,
            "first": list(self.opening.first),
            "player": self.player,
            "seed": self.seed,
            "positions": self.positions,
            "shard": self.shard,
            "text": self.text,
        }

    @property
    def command(self) -> str:
        """The command that makes the same data set, without the folder."""
        level, (row, col) = self.opening.level, self.opening.first
        names = [name for name, known in LEVELS.items() if known == level]
        words = names[0] if names else f"custom {level.rows} {level.cols} {level.mines}"
        return (
            f"python -m jaxsweep.dataset {words} --start {self.opening.start.value} "
            f"--first {row} {col} --player {self.player} --seed {self.seed} "
            f"--positions {self.positions} --shard {self.shard}{' --text' * self.text}"
        )


def split_of(game: int) -> str:
    """Returns the split of a game's positions: 8 of 10 games are for training.

    By a hash of its number, so that positions of one game never are in two splits.
    """
    tenth = int(hashlib.sha256(str(game).encode()).hexdigest(), 16) % 10
    return SPLITS[max(0, tenth - 7)]
