"""The state of the window: immutable data without input, output or a clock."""

import enum
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.board import Cell
from jaxsweep.rules.grid import HIDDEN
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.scalar.players import BEST
from jaxsweep.single.dealing import Hardness
from jaxsweep.single.leaderboard import DEFAULT_NAME
from jaxsweep.single.person import PersonGame
from viewer.analysis_result import AnalysisResult, NumberResult, PositionKey, position_key
from viewer.effects import DealBoard, Effect
from viewer.events import FolderEntry, Point
from viewer.layout import Layout, lay_out
from viewer.playback import Playback

MAX_CELLS = 2**16
"""The largest board that the window accepts."""


class Mode(enum.Enum):
    """What the window is used for."""

    REPLAY = "Replay"
    WATCH = "Watch"
    PLAY = "Play"
    ANALYSE = "Analyse"


@dataclass(frozen=True)
class Overlay:
    """What is drawn on top of the board."""

    odds: bool = False
    percent: bool = False
    marks: bool = False
    outlines: bool = False

    @property
    def any(self) -> bool:
        """Whether the engine is needed for it."""
        return self.odds or self.percent or self.marks or self.outlines


@dataclass(frozen=True)
class Settings:
    """The level, the player to watch, the seed, and the person's name and boards."""

    level: Level = LEVELS["beginner"]
    start: Start = Start.SAFE
    strategy: str = BEST
    seed: int = 1
    name: str = DEFAULT_NAME
    guesses: Guesses = Guesses.AS_DEALT
    """The mode of the person's games: what a guess leads to."""
    hardness: Hardness = Hardness.ANY
    """How hard boards are that need no guess."""

    @property
    def opening(self) -> Opening:
        """The opening with the usual first cell; raises `LevelError` if there is none."""
        return Opening.of(self.level, self.start)

    def next_seed(self) -> "Settings":
        """The settings of the next game: a seed that follows from this one."""
        return replace(self, seed=(self.seed * 1664525 + 1013904223) % 2**32)


@dataclass(frozen=True)
class Menu:
    """An open menu: the selected row, and the settings chosen so far."""

    draft: Settings
    rows: int
    cols: int
    mines: int
    """The size as it is typed, which may be no level; that of the draft is the last that was."""
    row: int = 0

    @classmethod
    def of(cls, settings: Settings) -> "Menu":
        """Returns a menu that shows these settings."""
        level = settings.level
        return cls(settings, level.rows, level.cols, level.mines)


@dataclass(frozen=True)
class Picker:
    """The dialog that opens a file: what a folder holds, and which entry is selected."""

    folder: str
    entries: tuple[FolderEntry, ...] = ()
    row: int = 0
    error: str = ""


@dataclass(frozen=True, eq=False)
class PlayState:
    """Play mode: the person's game, and the hint on its board."""

    game: PersonGame
    hint: Cell | None = None
    hint_requested: bool = False
    """Whether a hint is wanted that the engine has not given yet."""
    opens_certain: bool = False
    """Whether all that is certain is opened as soon as the engine has proved it."""
    dealing: DealBoard | None = None
    """The board that is dealt for the first cell, while that takes time."""
    tried: int = 0
    """How many deals were looked at for it."""


@dataclass(frozen=True, eq=False)
class Editor:
    """Analyse mode: a position that is edited."""

    grid: Int8[np.ndarray, "rows cols"]
    mines: int
    cursor: Cell = (0, 0)
    brush: int | None = None
    """What a click sets a cell to; None: the next value of the cell."""

    @classmethod
    def blank(cls, level: Level) -> "Editor":
        """Returns a position of a level with every cell hidden."""
        return cls(np.full((level.rows, level.cols), HIDDEN, np.int8), level.mines)


@dataclass(frozen=True, eq=False)
class Model:
    """The whole state of the window."""

    settings: Settings
    play: PlayState
    editor: Editor
    mode: Mode = Mode.PLAY
    size: Point = (1280, 800)
    scale: float = 1.0
    dark: bool = False
    overlays: dict[Mode, Overlay] = field(default_factory=dict)
    shows_start: bool = False
    recent: tuple[Level, Start] | None = None
    """What was played last, for the start screen."""
    shows_help: bool = False
    shows_panel: bool = True
    menu: Menu | None = None
    picker: Picker | None = None
    more: str | None = None
    """The row of buttons of which the rest is shown, those that have no room in it."""
    folder: str | None = None
    """The folder that the dialog for files showed last."""
    zoom: float = 1.0
    pan: Point = (0, 0)
    pointer: Point | None = None
    """Where the mouse is; None while it is outside of the window."""
    rested: float = 0.0
    """Seconds for which the mouse has rested, up to those after which a button is explained."""
    focus: str | None = None
    """The name of the button that Enter and Space press."""
    held: frozenset[int] = frozenset()
    """The mouse buttons that are down."""
    pressed_at: Point | None = None
    panned_from: Point = (0, 0)
    chorded: bool = False
    """Whether both buttons were down: until they are up, nothing else is a click."""
    message: str = ""
    replay: Playback | None = None
    watched: Playback | None = None
    run: int = 0
    """The number of the game that is watched: moves of earlier games are ignored."""
    requested: PositionKey | None = None
    """The position of the latest request to the engine."""
    latest_result: AnalysisResult | None = None
    numbers_requested: tuple[PositionKey, Cell] | None = None
    """The position and the cell whose numbers were last asked for."""
    latest_numbers: NumberResult | None = None
    leaderboard: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    """What the loop has yet to carry out."""

    @property
    def overlay(self) -> Overlay:
        """The overlay of the current mode: who plays without help sees no odds."""
        return self.overlays.get(self.mode, Overlay())

    @property
    def playback(self) -> Playback | None:
        """The replay, or the game that is watched, if the mode shows one."""
        return {Mode.REPLAY: self.replay, Mode.WATCH: self.watched}.get(self.mode)

    @property
    def shows_board(self) -> bool:
        """Whether there is a board to show."""
        return self.mode in (Mode.PLAY, Mode.ANALYSE) or self.playback is not None

    @property
    def grid(self) -> Int8[np.ndarray, "rows cols"]:
        """The board that is shown, as a player sees it."""
        if self.mode is Mode.PLAY:
            return self.play.game.session.board.grid
        if self.mode is Mode.ANALYSE:
            return self.editor.grid
        playback = self.playback
        return np.full((9, 9), HIDDEN, np.int8) if playback is None else playback.board.grid

    @property
    def mines(self) -> int:
        """The number of mines of the board that is shown."""
        if self.mode is Mode.PLAY:
            return self.play.game.session.level.mines
        if self.mode is Mode.ANALYSE:
            return self.editor.mines
        playback = self.playback
        return 0 if playback is None else playback.opening.level.mines

    @cached_property
    def layout(self) -> Layout:
        """Where everything is in the window."""
        rows, cols = self.grid.shape
        timeline = self.playback is not None
        shown = self.size, (rows, cols), self.zoom, self.pan, timeline
        has_brushes = self.mode is Mode.ANALYSE
        return lay_out(*shown, self.scale, self.shows_panel, has_brushes)

    @property
    def has_dialog(self) -> bool:
        """Whether something lies over the board that takes all keys and clicks."""
        dialogs = self.menu is not None or self.picker is not None
        return dialogs or self.shows_help or self.shows_start

    @cached_property
    def key(self) -> PositionKey:
        """What identifies the position that is shown."""
        return position_key(self.grid, self.mines)

    @property
    def result(self) -> AnalysisResult | None:
        """The engine's result for the board that is shown, once there is one."""
        latest = self.latest_result
        return latest if latest is not None and latest.key == self.key else None

    @property
    def is_advised(self) -> bool:
        """Whether what the engine finds out is shown, other than a hint that was asked for."""
        return self.shows_board and (self.overlay.any or self.mode is Mode.ANALYSE)

    def with_effect(self, effect: Effect) -> "Model":
        """Adds an effect for the loop to carry out."""
        return replace(self, effects=(*self.effects, effect))
