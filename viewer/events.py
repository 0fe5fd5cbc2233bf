"""The events that `update` understands, independent of pygame."""

from dataclasses import dataclass

from jaxsweep.single.dealing import Dealt
from jaxsweep.single.grading import Grade
from jaxsweep.single.replay import RecordedMove, Replay
from viewer.analysis_result import AnalysisResult, NumberResult
from viewer.effects import DealBoard

Point = tuple[int, int]
"""Pixels from the window's top left."""

LEFT, MIDDLE, RIGHT = 1, 2, 3


@dataclass(frozen=True)
class Key:
    """A key went down: its name, such as "left", "f1" or "a", and the text it types, if any."""

    name: str
    text: str = ""
    shift: bool = False
    control: bool = False


@dataclass(frozen=True)
class Press:
    """A mouse button went down."""

    at: Point
    button: int


@dataclass(frozen=True)
class Release:
    """A mouse button went up."""

    at: Point
    button: int


@dataclass(frozen=True)
class Motion:
    """The mouse moved; None: out of the window."""

    at: Point | None


@dataclass(frozen=True)
class Wheel:
    """The mouse wheel turned: up is positive."""

    at: Point
    steps: int


@dataclass(frozen=True)
class Resize:
    """The window has a new size."""

    size: Point


@dataclass(frozen=True)
class Tick:
    """Time has passed."""

    seconds: float


@dataclass(frozen=True)
class Dropped:
    """A file was dropped on the window, or named when it was opened."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Pasted:
    """The clipboard's text, after `effects.Paste`."""

    text: str


@dataclass(frozen=True)
class AnalysisReady:
    """The engine has analysed a position."""

    result: AnalysisResult


@dataclass(frozen=True)
class NumbersCounted:
    """The engine has counted what a cell would show."""

    result: NumberResult


@dataclass(frozen=True)
class MovePlayed:
    """The player that is watched has made a move; `move` is None at the end of its game."""

    run: int
    number: int
    move: RecordedMove | None
    mines: object = None
    """Where the mines are, with the first move."""
    win: float | None = None
    """The win probability before the move, where the player has estimated it."""


@dataclass(frozen=True, eq=False)
class Graded:
    """The moves of a replay are graded."""

    replay: Replay
    grade: Grade


@dataclass(frozen=True, eq=False)
class BoardDealt:
    """How far the dealing of a board has come, or why there is none."""

    about: DealBoard
    result: Dealt | str


@dataclass(frozen=True)
class Notice:
    """A message for the person, such as that a file could not be written."""

    message: str


@dataclass(frozen=True)
class EngineFailed:
    """The engine failed, and its tasks are lost."""

    message: str


@dataclass(frozen=True)
class LeaderboardRead:
    """The leaderboard, line by line."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class FolderEntry:
    """A file, or a folder, in a folder."""

    name: str
    is_folder: bool = False
    bytes: int = 0


@dataclass(frozen=True)
class FolderListed:
    """What a folder holds: folders first, then the newest files first."""

    folder: str
    entries: tuple[FolderEntry, ...]
    error: str = ""
    """Why it cannot be read, if it cannot."""


Event = (
    Key
    | Press
    | Release
    | Motion
    | Wheel
    | Resize
    | Tick
    | Dropped
    | Pasted
    | AnalysisReady
    | NumbersCounted
    | MovePlayed
    | Graded
    | BoardDealt
    | Notice
    | EngineFailed
    | LeaderboardRead
    | FolderListed
)
