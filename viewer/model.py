"""All that the window knows, and what each event makes of it. No input, no output, no clock."""

import enum
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.board import Cell
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.rules.position import (
    FLAGGED,
    HIDDEN,
    PositionError,
    from_grid,
    read_all,
    to_grid,
    to_text,
)
from jaxsweep.runtime.errors import UserError
from jaxsweep.single.replay import Replay
from jaxsweep.single.replay.format import from_bytes
from jaxsweep.single.session import Session
from jaxsweep.strategies import BEST, STRATEGIES
from viewer import events, wishes
from viewer.events import LEFT, MIDDLE, RIGHT, Event, Point
from viewer.film import LARGE_STEP, Film
from viewer.layout import BUTTONS, MAX_CELL, Layout, lay_out
from viewer.thoughts import Thought, key_of
from viewer.wishes import Wish

DRAG = 6
"""Pixels that the mouse may move in a click."""

MAX_CELLS = 2**16
"""The largest board that the window takes."""

ZOOM = 1.25


class Mode(enum.Enum):
    """What the window is for."""

    REPLAY = "Replay"
    WATCH = "Watch"
    PLAY = "Play"
    ANALYSE = "Analyse"


MODE_KEYS = {"f2": Mode.REPLAY, "f3": Mode.WATCH, "f4": Mode.PLAY, "f5": Mode.ANALYSE}

HELP = (
    (
        "Everywhere",
        (
            ("F2 F3 F4 F5", "replay, watch, play, analyse"),
            ("N", "menu: level, start, player, seed, name"),
            ("O  P", "odds by darkness, in percent"),
            ("M  E", "marks; outlines of edges and tile sets"),
            ("T", "light or dark"),
            ("wheel, drag, Z", "zoom, move, and all in view"),
            ("Ctrl C  V  S", "copy, paste a position; save a replay"),
            ("F1  Esc  Ctrl Q", "these keys; close; quit"),
        ),
    ),
    (
        "Replay and watch",
        (
            ("Space", "run or stand still"),
            ("Left Right", "a move back or on; with Shift, ten"),
            ("G", "to the next guess"),
            ("Home End", "the first, the last move"),
            ("Up Down", "faster, slower"),
            ("R", "while watching: another game"),
        ),
    ),
    (
        "Play",
        (
            ("left  right", "open, flag"),
            ("both, middle", "chord"),
            ("H", "hint: the best cell, and why"),
            ("U  R", "undo, new game"),
        ),
    ),
    (
        "Analyse",
        (
            ("left  right", "the next number, or back"),
            ("0 to 8  H  F", "set the cell: a number, hidden, flag"),
            ("arrows", "another cell"),
            ("+  −", "more mines, fewer"),
        ),
    ),
)
"""Keys and what they do, by mode."""


@dataclass(frozen=True)
class Overlay:
    """What is shown beside the board itself."""

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
    """What is played, by whom."""

    level: Level = LEVELS["beginner"]
    start: Start = Start.SAFE
    strategy: str = BEST
    seed: int = 1
    name: str = "me"

    @property
    def opening(self) -> Opening:
        """The opening with the usual first cell; raises `LevelError` if there is none."""
        return Opening.of(self.level, self.start)

    def other_seed(self) -> "Settings":
        """The next game: all that is random here comes from the seed."""
        return replace(self, seed=(self.seed * 1664525 + 1013904223) % 2**32)


FIRST_CELL = {
    Start.ANY: "open any cell: all are alike before the first",
    Start.SAFE: "open any cell: the first is never a mine",
    Start.ZERO: "open any cell: the first shows 0",
}
"""What there is to say before the first cell."""

MENU_ROWS = ("Level", "Start", "Player", "Seed", "Name")


@dataclass(frozen=True)
class Menu:
    """A menu that is open: the line chosen, and what was set so far."""

    draft: Settings
    row: int = 0


@dataclass(frozen=True, eq=False)
class Playing:
    """A person's game and what goes with it."""

    session: Session
    seconds: float = 0.0
    hint: Cell | None = None
    asked: bool = False
    """A hint is wanted, and the engine still thinks."""
    helped: bool = False
    scored: bool = False


@dataclass(frozen=True, eq=False)
class Editing:
    """A position that is edited."""

    grid: Int8[np.ndarray, "rows cols"]
    mines: int
    chosen: Cell = (0, 0)


@dataclass(frozen=True, eq=False)
class Model:
    """All state of the window."""

    settings: Settings
    playing: Playing
    editing: Editing
    mode: Mode = Mode.PLAY
    size: Point = (960, 640)
    dark: bool = False
    overlays: dict[Mode, Overlay] = field(default_factory=dict)
    help: bool = False
    menu: Menu | None = None
    zoom: float = 1.0
    pan: Point = (0, 0)
    held: frozenset[int] = frozenset()
    pressed_at: Point | None = None
    panned_from: Point = (0, 0)
    chorded: bool = False
    """Both buttons were down: until they are up, nothing else is a click."""
    message: str = ""
    film: Film | None = None
    live: Film | None = None
    run: int = 0
    """The number of the game that is watched: moves of others are late."""
    asked: object = None
    """The position that the engine was last asked about."""
    thought: Thought | None = None
    standing: tuple[str, ...] = ()
    wishes: tuple[Wish, ...] = ()

    @property
    def overlay(self) -> Overlay:
        """Each mode has its own: who plays without help sees no odds."""
        return self.overlays.get(self.mode, Overlay())

    @property
    def shown_film(self) -> Film | None:
        """The replay, or the game that is watched, if one is shown."""
        return {Mode.REPLAY: self.film, Mode.WATCH: self.live}.get(self.mode)

    @property
    def grid(self) -> Int8[np.ndarray, "rows cols"]:
        """What a player sees of the board that is shown."""
        if self.mode is Mode.PLAY:
            return self.playing.session.board.grid
        if self.mode is Mode.ANALYSE:
            return self.editing.grid
        film = self.shown_film
        return np.full((9, 9), HIDDEN, np.int8) if film is None else film.board.grid

    @property
    def mines(self) -> int:
        """The mines of the board that is shown."""
        if self.mode is Mode.PLAY:
            return self.playing.session.level.mines
        if self.mode is Mode.ANALYSE:
            return self.editing.mines
        film = self.shown_film
        return 0 if film is None else film.opening.level.mines

    @property
    def layout(self) -> Layout:
        """Where everything is."""
        rows, cols = self.grid.shape
        timeline = self.mode in (Mode.REPLAY, Mode.WATCH)
        return lay_out(self.size, (rows, cols), self.zoom, self.pan, timeline)

    @property
    def current(self) -> Thought | None:
        """What the engine says of the board that is shown, once it has said it."""
        key = key_of(self.grid, self.mines)
        return self.thought if self.thought is not None and self.thought.key == key else None


def start(settings: Settings, mode: Mode = Mode.PLAY, size: Point = (960, 640)) -> Model:
    """A window as it opens."""
    level = settings.level
    both = Overlay(odds=True, marks=True)
    model = Model(
        settings=settings,
        playing=Playing(Session.new(level, settings.start, settings.seed)),
        editing=Editing(np.full((level.rows, level.cols), HIDDEN, np.int8), level.mines),
        size=size,
        overlays={Mode.REPLAY: both, Mode.WATCH: both, Mode.ANALYSE: replace(both, percent=True)},
    )
    return _ask(_enter(_wish(model, wishes.WarmUp(level)), mode))


def update(model: Model, event: Event) -> Model:
    """What an event makes of the window."""
    match event:
        case events.Key():
            model = _key(model, event)
        case events.Press():
            model = _press(model, event)
        case events.Release():
            model = _release(model, event)
        case events.Motion():
            model = _motion(model, event.at)
        case events.Wheel():
            model = _zoomed(model, ZOOM**event.steps, event.at)
        case events.Resize():
            model = replace(model, size=event.size)
        case events.Tick():
            model = _tick(model, event.seconds)
        case events.Dropped():
            model = _dropped(model, event)
        case events.Pasted():
            model = _read_position(model, event.text, "the clipboard")
        case events.Thinking():
            model = _thought(model, event.thought)
        case events.Watched():
            model = _watched(model, event)
        case events.Told():
            model = replace(model, message=event.message)
        case events.Failed():
            model = _failed(model, event.message)
        case events.Standing():
            model = replace(model, standing=event.lines)
    return _ask(model)


def _wish(model: Model, wish: Wish) -> Model:
    return replace(model, wishes=(*model.wishes, wish))


def _ask(model: Model) -> Model:
    """Asks the engine about a board that is new, if anything of the answer is to be shown."""
    wanted = model.overlay.any or model.mode is Mode.ANALYSE or model.playing.asked
    if model.mode in (Mode.REPLAY, Mode.WATCH) and model.shown_film is None:
        wanted = False
    key = key_of(model.grid, model.mines) if wanted else None
    if key is None or key == model.asked:
        return model
    return _wish(replace(model, asked=key), wishes.Think(model.grid, model.mines))


def _enter(model: Model, mode: Mode) -> Model:
    """Another mode, all in view."""
    model = replace(model, mode=mode, zoom=1.0, pan=(0, 0), message="", menu=None, asked=None)
    model = replace(model, held=frozenset(), pressed_at=None, chorded=False)
    if mode is Mode.WATCH and model.live is None:
        return _follow(model)
    if mode is Mode.PLAY:
        session = model.playing.session
        return _wish(model, wishes.LookUp(session.level, session.start))
    return model


def _follow(model: Model) -> Model:
    """A game to watch."""
    settings, run = model.settings, model.run + 1
    try:
        opening = settings.opening
    except LevelError as error:
        return replace(model, message=str(error))
    live = Film.live(opening, settings.seed, settings.strategy)
    model = replace(model, live=live, run=run, message="")
    return _wish(model, wishes.Follow(run, settings.strategy, opening, settings.seed))


def _new_game(model: Model) -> Model:
    settings = model.settings
    session = Session.new(settings.level, settings.start, settings.seed)
    seen = model.overlays.get(Mode.PLAY, Overlay()).any
    model = replace(model, playing=Playing(session, helped=seen), message="")
    model = _wish(model, wishes.WarmUp(settings.level))
    return _wish(model, wishes.LookUp(settings.level, settings.start))


# Keys


def _key(model: Model, key: events.Key) -> Model:
    if key.control:
        return _control(model, key.name)
    if model.help:
        return replace(model, help=False) if key.name in ("f1", "escape") else model
    if model.menu is not None:
        return _menu_key(model, model.menu, key)
    if key.name in MODE_KEYS:
        return _enter(model, MODE_KEYS[key.name])
    toggles = {"o": "odds", "p": "percent", "m": "marks", "e": "outlines"}
    match key.name:
        case "f1":
            return replace(model, help=True)
        case "escape":
            return replace(model, message="")
        case "n":
            return replace(model, menu=Menu(model.settings))
        case "t":
            return replace(model, dark=not model.dark)
        case "z":
            return replace(model, zoom=1.0, pan=(0, 0))
        case name if name in toggles:
            part = toggles[name]
            overlay = replace(model.overlay, **{part: not getattr(model.overlay, part)})
            model = replace(model, overlays=model.overlays | {model.mode: overlay})
            return _helped(model) if overlay.any else model
    if model.mode is Mode.PLAY:
        return _play_key(model, key.name)
    if model.mode is Mode.ANALYSE:
        return _analyse_key(model, key)
    return _film_key(model, key)


def _control(model: Model, name: str) -> Model:
    match name:
        case "c":
            text = to_text(from_grid(model.grid, model.mines))
            return _wish(replace(model, message="position copied"), wishes.Copy(text))
        case "v":
            return _wish(model, wishes.Paste())
        case "s":
            replay = replay_of(model)
            if replay is None:
                return replace(model, message="there is no game to save yet")
            return _wish(model, wishes.Save(replay))
        case "q":
            return _wish(model, wishes.Quit())
    return model


def replay_of(model: Model) -> Replay | None:
    """The game that is shown, as a replay; None if there is none."""
    if model.mode is Mode.PLAY:
        return model.playing.session.replay(model.playing.seconds)
    film = model.shown_film
    if film is None or not film.moves:
        return None
    last = film.boards[-1]
    about = (film.opening, film.seed, film.game, film.strategy)
    return Replay(*about, last.mines, film.moves, last.status, film.seconds)


def _film_key(model: Model, key: events.Key) -> Model:
    if key.name == "r" and model.mode is Mode.WATCH:
        return _follow(replace(model, settings=model.settings.other_seed()))
    film = model.shown_film
    if film is None:
        return model
    step = LARGE_STEP if key.shift else 1
    match key.name:
        case "space":
            film = film.toggled()
        case "left":
            film = replace(film.go(film.at - step), running=False)
        case "right":
            film = replace(film.go(film.at + step), running=False)
        case "home":
            film = replace(film.go(0), running=False)
        case "end":
            film = replace(film.go(len(film.moves)), running=False)
        case "g":
            film = replace(film.next_guess(), running=False)
        case "up":
            film = film.faster(1)
        case "down":
            film = film.faster(-1)
    return _with_film(model, film)


def _with_film(model: Model, film: Film) -> Model:
    if film is model.shown_film:
        return model
    return replace(model, **{"film" if model.mode is Mode.REPLAY else "live": film})


def _helped(model: Model) -> Model:
    """Whoever looks at the odds in a game has had help."""
    if model.mode is not Mode.PLAY:
        return model
    return replace(model, playing=replace(model.playing, helped=True))


def _play_key(model: Model, name: str) -> Model:
    playing = model.playing
    match name:
        case "h":
            if playing.session.status is not GameStatus.PLAYING:
                return model
            if playing.session.opening is None:
                return replace(model, message=FIRST_CELL[playing.session.start])
            # Asked anew, as the engine may have been asked about this board before.
            model = replace(model, playing=replace(playing, asked=True, helped=True))
            if model.current is not None:
                return _thought(model, model.current)
            return replace(model, asked=None, message="thinking…")
        case "u":
            session = playing.session.undo()
            if session is playing.session:
                return model
            playing = replace(playing, session=session, helped=True, hint=None)
            return replace(model, playing=playing, message="")
        case "r":
            return _new_game(replace(model, settings=model.settings.other_seed()))
    return model


def _analyse_key(model: Model, key: events.Key) -> Model:
    editing = model.editing
    row, col = editing.chosen
    moves = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
    if key.name in moves:
        rows, cols = editing.grid.shape
        down, right = moves[key.name]
        chosen = (min(max(row + down, 0), rows - 1), min(max(col + right, 0), cols - 1))
        return replace(model, editing=replace(editing, chosen=chosen))
    values = {str(n): n for n in range(9)} | {"h": HIDDEN, "f": FLAGGED}
    if key.name in values:
        return _set_cell(model, editing.chosen, values[key.name])
    if key.text in ("+", "-", "−"):
        mines = editing.mines + (1 if key.text == "+" else -1)
        mines = min(max(mines, 0), editing.grid.size)
        return replace(model, editing=replace(editing, mines=mines))
    return model


def _set_cell(model: Model, cell: Cell, value: int) -> Model:
    grid = model.editing.grid.copy()
    grid[cell] = value
    return replace(model, editing=replace(model.editing, grid=grid, chosen=cell), message="")


def _menu_key(model: Model, menu: Menu, key: events.Key) -> Model:
    match key.name:
        case "escape" | "f1":
            return replace(model, menu=None)
        case "up" | "down":
            step = -1 if key.name == "up" else 1
            row = (menu.row + step) % len(MENU_ROWS)
            return replace(model, menu=replace(menu, row=row))
        case "left" | "right":
            step = -1 if key.name == "left" else 1
            return replace(model, menu=replace(menu, draft=_turned(menu, step)))
        case "return":
            return _chosen(replace(model, menu=None), menu.draft)
    return replace(model, menu=replace(menu, draft=_typed(menu, key)))


def _turned(menu: Menu, step: int) -> Settings:
    """The setting of the chosen line, one further."""
    draft = menu.draft

    def after(options: list, now) -> object:
        return options[(options.index(now) + step) % len(options)] if now in options else options[0]

    match MENU_ROWS[menu.row]:
        case "Level":
            return replace(draft, level=after(list(LEVELS.values()), draft.level))
        case "Start":
            return replace(draft, start=after(list(Start), draft.start))
        case "Player":
            return replace(draft, strategy=after(list(STRATEGIES), draft.strategy))
        case "Seed":
            return replace(draft, seed=(draft.seed + step) % 2**32)
    return draft


def _typed(menu: Menu, key: events.Key) -> Settings:
    """Seed and name can be typed."""
    draft, row = menu.draft, MENU_ROWS[menu.row]
    if row == "Seed":
        if key.name == "backspace":
            return replace(draft, seed=draft.seed // 10)
        if key.text.isdecimal() and key.text.isascii():
            seed = draft.seed * 10 + int(key.text)
            return replace(draft, seed=seed) if seed < 2**32 else draft
    if row == "Name":
        if key.name == "backspace":
            return replace(draft, name=draft.name[:-1])
        if key.text.isprintable():
            return replace(draft, name=(draft.name + key.text)[:20])
    return draft


def _chosen(model: Model, settings: Settings) -> Model:
    """What the menu set, put to use."""
    settings = replace(settings, name=settings.name.strip() or "me")
    model = replace(model, settings=settings, zoom=1.0, pan=(0, 0))
    if model.mode is Mode.PLAY:
        return _new_game(model)
    if model.mode is Mode.ANALYSE:
        level = settings.level
        grid = np.full((level.rows, level.cols), HIDDEN, np.int8)
        return replace(model, editing=Editing(grid, level.mines), message="")
    return _follow(replace(model, mode=Mode.WATCH))


# Mouse


def _press(model: Model, press: events.Press) -> Model:
    held = model.held | {press.button}
    model = replace(model, held=held, chorded=model.chorded or {LEFT, RIGHT} <= held)
    if press.button != LEFT:
        return model
    model = replace(model, pressed_at=press.at, panned_from=model.pan)
    return _scrubbed(model, press.at) if model.menu is None and not model.help else model


def _motion(model: Model, at: Point) -> Model:
    if model.menu is not None or model.help:
        return model
    if LEFT in model.held and model.pressed_at is not None:
        timeline = model.layout.timeline
        if timeline is not None and timeline.has(model.pressed_at):
            return _scrubbed(model, (at[0], model.pressed_at[1]))
        away = (at[0] - model.pressed_at[0], at[1] - model.pressed_at[1])
        if model.layout.field.has(model.pressed_at) and max(map(abs, away)) >= DRAG:
            pan = (model.panned_from[0] + away[0], model.panned_from[1] + away[1])
            return replace(model, pan=pan)
    if model.mode is Mode.ANALYSE:
        cell = model.layout.cell_at(at)
        if cell is not None and cell != model.editing.chosen:
            return replace(model, editing=replace(model.editing, chosen=cell))
    return model


def _scrubbed(model: Model, at: Point) -> Model:
    """The move at a place of the timeline, if it is one."""
    timeline, film = model.layout.timeline, model.shown_film
    if timeline is None or film is None or not timeline.has(at) or not film.moves:
        return model
    share = (at[0] - timeline.left) / timeline.width
    return _with_film(model, replace(film.go(round(share * len(film.moves))), running=False))


def _release(model: Model, release: events.Release) -> Model:
    before, held = model, model.held - {release.button}
    pressed_at = None if release.button == LEFT else model.pressed_at
    model = replace(model, held=held, pressed_at=pressed_at, chorded=model.chorded and bool(held))
    if release.button not in before.held:
        return model  # Pressed elsewhere.
    if model.help:
        return replace(model, help=False)
    if model.menu is not None:
        return model
    at = release.at
    if release.button == LEFT and before.pressed_at is not None:
        if max(abs(a - b) for a, b in zip(at, before.pressed_at, strict=True)) >= DRAG:
            return model
        for index in range(BUTTONS):
            if model.layout.button(index).has(at):
                return _button(model, index)
    cell = model.layout.cell_at(at)
    if cell is None:
        return model
    if model.mode is Mode.PLAY:
        if before.chorded:
            # The first button that goes up chords; the second does nothing.
            return _played(model, model.playing.session.chord(cell)) if held else model
        session = model.playing.session
        return _move(model, session, cell, release.button)
    if model.mode is Mode.ANALYSE and release.button in (LEFT, RIGHT):
        order = (HIDDEN, *range(9), FLAGGED)
        step = 1 if release.button == LEFT else -1
        now = order.index(int(model.editing.grid[cell]))
        return _set_cell(model, cell, order[(now + step) % len(order)])
    return model


def _button(model: Model, index: int) -> Model:
    """The buttons on top: modes, menu, theme, help."""
    name = ("f2", "f3", "f4", "f5", "n", "t", "f1")[index]
    return _key(model, events.Key(name))


def _move(model: Model, session: Session, cell: Cell, button: int) -> Model:
    try:
        after = {LEFT: session.open, MIDDLE: session.chord, RIGHT: session.flag}[button](cell)
    except LevelError as error:
        return replace(model, message=str(error))
    except KeyError:
        return model
    return _played(model, after)


def _played(model: Model, session: Session) -> Model:
    """The person's game after a move; if that ended it, it is written down once."""
    playing = model.playing
    if session is playing.session:
        return model
    playing = replace(playing, session=session, hint=None, asked=False)
    message = {GameStatus.WON: "won!", GameStatus.LOST: "a mine! U takes it back"}
    model = replace(model, message=message.get(session.status, ""), playing=playing)
    if session.status is GameStatus.PLAYING or playing.scored:
        return model
    model = replace(model, playing=replace(playing, scored=True))
    score = wishes.Score(
        model.settings.name,
        session.level,
        session.start,
        session.status is GameStatus.WON,
        playing.seconds,
        playing.helped,
    )
    return _wish(_wish(model, score), wishes.LookUp(session.level, session.start))


def _zoomed(model: Model, factor: float, at: Point) -> Model:
    """Larger or smaller cells; what is under the mouse stays there."""
    before = model.layout
    zoom = min(max(model.zoom * factor, 1.0), 64.0)
    after = replace(model, zoom=zoom)
    if after.layout.cell == before.cell:
        return model if factor > 1 and before.cell == MAX_CELL else after
    middle = (
        before.field.left + before.field.width // 2,
        before.field.top + before.field.height // 2,
    )
    size = (before.cols, before.rows)
    pan = []
    for axis in range(2):
        place = (at[axis] - before.origin[axis]) / before.cell
        wanted = at[axis] - place * after.layout.cell
        centred = middle[axis] - size[axis] * after.layout.cell / 2
        pan.append(round(wanted - centred))
    return replace(after, pan=(pan[0], pan[1]))


# Time, files and answers


def _tick(model: Model, seconds: float) -> Model:
    playing = model.playing
    going = playing.session.opening is not None
    if going and playing.session.status is GameStatus.PLAYING:
        # Also while something else is looked at: nobody gets time to think for free.
        model = replace(model, playing=replace(playing, seconds=playing.seconds + seconds))
    film = model.shown_film
    if film is None:
        return model
    # Whoever watches sees what the player knows before it acts.
    ready = model.mode is Mode.REPLAY or not model.overlay.any or model.current is not None
    return _with_film(model, film.after(seconds, ready))


def _dropped(model: Model, file: events.Dropped) -> Model:
    """A replay is shown; anything else must be a position."""
    packed = file.data[:2] == b"\x1f\x8b"
    if packed or b'"format"' in file.data[:200]:
        try:
            replay = from_bytes(file.data)
        except UserError as error:
            return replace(model, message=f"{file.name}: {error}")
        if replay.opening.level.cells > MAX_CELLS:
            return replace(model, message=f"{file.name}: too large a board for the window")
        return _enter(replace(model, film=Film.of(replay)), Mode.REPLAY)
    try:
        text = file.data.decode()
    except UnicodeDecodeError:
        return replace(model, message=f"{file.name}: neither a replay nor a position")
    return _read_position(model, text, file.name)


def _read_position(model: Model, text: str, source: str) -> Model:
    try:
        position = read_all(text)[0]
    except PositionError as error:
        return replace(model, message=f"{source}: {error}")
    grid = to_grid(position)
    if grid.size > MAX_CELLS:
        return replace(model, message=f"{source}: too large a board for the window")
    editing = Editing(grid, int(position.mines))
    session = model.playing.session
    if np.array_equal(grid >= 0, session.board.grid >= 0) and session.opening is not None:
        # The game under way, with its odds.
        model = replace(model, playing=replace(model.playing, helped=True))
    return _enter(replace(model, editing=editing), Mode.ANALYSE)


def _thought(model: Model, thought: Thought) -> Model:
    model = replace(model, thought=thought)
    playing = model.playing
    if model.mode is not Mode.PLAY or not playing.asked or model.current is None:
        return model
    best = None if thought.analysis is None else thought.analysis.best
    reason = thought.wrong if thought.analysis is None else thought.analysis.reason
    return replace(model, playing=replace(playing, hint=best, asked=False), message=reason)


def _failed(model: Model, message: str) -> Model:
    """No answer will come: nothing waits for it any longer."""
    live = model.live
    if live is not None and not live.complete:
        live = replace(live, complete=True, running=False)
    wrong = Thought(key_of(model.grid, model.mines), None, None, message)
    playing = replace(model.playing, asked=False)
    return replace(model, message=message, live=live, thought=wrong, playing=playing)


def _watched(model: Model, watched: events.Watched) -> Model:
    if model.live is None or watched.run != model.run or watched.number != len(model.live.moves):
        return model
    mines = watched.mines if isinstance(watched.mines, np.ndarray) else None
    return replace(model, live=model.live.with_move(watched.move, mines))
