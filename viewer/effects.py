"""Effects: requests that the pure `update` returns for the window's loop to carry out.

The loop answers with events where there is an answer.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.board import Cell
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.single.dealing import Hardness
from jaxsweep.single.person import PersonGame
from jaxsweep.single.replay import Replay


@dataclass(frozen=True, eq=False)
class Analyse:
    """Asks the engine about a position; answered by `events.AnalysisReady`."""

    grid: Int8[np.ndarray, "rows cols"]
    mines: int


@dataclass(frozen=True, eq=False)
class CountNumbers:
    """Asks what a hidden cell would show; answered by `events.NumbersCounted`."""

    grid: Int8[np.ndarray, "rows cols"]
    mines: int
    cell: Cell


@dataclass(frozen=True)
class WatchGame:
    """Lets a player play a game; answered by one `events.MovePlayed` for each move."""

    run: int
    strategy: str
    opening: Opening
    seed: int


@dataclass(frozen=True, eq=False)
class GradeGame:
    """Asks for the grades of a replay; answered by `events.Graded`."""

    replay: Replay


@dataclass(frozen=True)
class DealBoard:
    """Asks for a board that needs no guess; answered by `events.BoardDealt`, until there is one."""

    opening: Opening
    seed: int
    hardness: Hardness


@dataclass(frozen=True)
class StopDealing:
    """Gives up the board that is being dealt."""


@dataclass(frozen=True)
class Copy:
    """Puts a text on the clipboard."""

    text: str


@dataclass(frozen=True)
class Paste:
    """Reads the clipboard; answered by `events.Pasted`."""


@dataclass(frozen=True, eq=False)
class EnterGame:
    """Enters a finished game in the leaderboard."""

    name: str
    game: PersonGame


@dataclass(frozen=True)
class ReadLeaderboard:
    """Reads the leaderboard of a level; answered by `events.LeaderboardRead`."""

    level: Level
    start: Start


@dataclass(frozen=True, eq=False)
class SaveReplay:
    """Writes a replay to a file; answered by `events.Notice`."""

    replay: Replay


@dataclass(frozen=True)
class ListFolder:
    """Reads what a folder holds; answered by `events.FolderListed`."""

    folder: str


@dataclass(frozen=True)
class OpenFile:
    """Reads a file; answered by `events.Dropped`, or by `events.Notice` if it cannot be read."""

    path: str


@dataclass(frozen=True)
class Quit:
    """Closes the window."""


Effect = (
    Analyse
    | CountNumbers
    | WatchGame
    | GradeGame
    | DealBoard
    | StopDealing
    | Copy
    | Paste
    | EnterGame
    | ReadLeaderboard
    | SaveReplay
    | ListFolder
    | OpenFile
    | Quit
)
