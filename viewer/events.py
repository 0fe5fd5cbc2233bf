"""What can happen to the window, free of any library: what `update` understands."""

from dataclasses import dataclass

from jaxsweep.single.replay import RecordedMove
from viewer.thoughts import Thought

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
    """The mouse moved."""

    at: Point


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
    """Time went by."""

    seconds: float


@dataclass(frozen=True)
class Dropped:
    """A file was dropped on the window, or named when it was opened."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Pasted:
    """The clipboard's text, as asked for."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """The engine has an answer."""

    thought: Thought


@dataclass(frozen=True)
class Watched:
    """The player that is watched has made a move; None at the end of its game."""

    run: int
    number: int
    move: RecordedMove | None
    mines: object = None
    """Where the mines are, with the first move."""


@dataclass(frozen=True)
class Told:
    """Something to say to the person, such as that a file could not be written."""

    message: str


@dataclass(frozen=True)
class Failed:
    """The engine is gone, with what it was asked."""

    message: str


@dataclass(frozen=True)
class Standing:
    """The leaderboard, line by line."""

    lines: tuple[str, ...]


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
    | Thinking
    | Watched
    | Told
    | Failed
    | Standing
)
