"""What `update` wants done outside of the model: the loop does it, and answers with events."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.single.replay import Replay


@dataclass(frozen=True, eq=False)
class Think:
    """Ask the engine about a position."""

    grid: Int8[np.ndarray, "rows cols"]
    mines: int


@dataclass(frozen=True)
class Follow:
    """Let a player play, and tell of its moves."""

    run: int
    strategy: str
    opening: Opening
    seed: int


@dataclass(frozen=True)
class WarmUp:
    """Get ready to deal boards of a level."""

    level: Level


@dataclass(frozen=True)
class Copy:
    """Put a text on the clipboard."""

    text: str


@dataclass(frozen=True)
class Paste:
    """Tell what is on the clipboard."""


@dataclass(frozen=True)
class Score:
    """Write a finished game on the leaderboard."""

    name: str
    level: Level
    start: Start
    won: bool
    seconds: float
    helped: bool


@dataclass(frozen=True)
class LookUp:
    """Tell how a level stands on the leaderboard."""

    level: Level
    start: Start


@dataclass(frozen=True, eq=False)
class Save:
    """Write a replay to a file."""

    replay: Replay


@dataclass(frozen=True)
class Quit:
    """Close the window."""


Wish = Think | Follow | WarmUp | Copy | Paste | Score | LookUp | Save | Quit
