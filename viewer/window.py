"""The loop: takes events of the window, draws frames, and carries out the effects."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pygame

from jaxsweep.runtime.errors import UserError
from jaxsweep.single.replay import Replay, save
from viewer import clipboard, effects, events, leaderboard_effects
from viewer.drawing import draw
from viewer.effects import Effect
from viewer.engine_worker import EngineWorker
from viewer.events import Event
from viewer.folders import list_folder
from viewer.layout import fit_screen
from viewer.model import Model
from viewer.redrawing import looks_same
from viewer.update import update

FRAMES = 60
"""Frames a second."""

# Without this, Windows enlarges the picture of the window, and nothing is sharp.
os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")

_BUTTONS = {1: events.LEFT, 2: events.MIDDLE, 3: events.RIGHT}


_ELSEWHERE = (
    "python -m jaxsweep.play --human plays in the terminal, python -m jaxsweep.serve in a browser"
)


class ScreenError(UserError):
    """There is no screen for a window."""


class Window:
    """A window on the screen, and the model that it shows.

    `is_open` turns false when the person closes the window or quits. With `fits_screen`, size and
    scale are chosen for the screen, unless a scale is given.
    """

    def __init__(
        self,
        model: Model,
        engine: EngineWorker,
        fits_screen: bool = False,
        scale: float | None = None,
    ):
        # Not `pygame.init()`: a machine without a sound card would complain.
        try:
            pygame.display.init()
            if pygame.display.get_driver() == "offscreen" and "SDL_VIDEODRIVER" not in os.environ:
                # What SDL falls back to: the window would run where nobody sees it.
                raise pygame.error("there is no display")
            pygame.font.init()
            pygame.display.set_caption("jaxsweep")
            if fits_screen:
                size, scale = fit_screen(model.size, pygame.display.get_desktop_sizes()[0], scale)
                model = replace(model, size=size, scale=scale)
            self.surface = pygame.display.set_mode(model.size, pygame.RESIZABLE)
        except pygame.error as error:
            engine.close()
            raise ScreenError(f"no window can be opened here: {error}; {_ELSEWHERE}") from None
        pygame.key.set_repeat(350, 40)
        self.model = model
        self._engine = engine
        self._drawn: Model | None = None
        self.is_open = True

    def run(self) -> None:
        """Shows frames until the window is closed."""
        clock = pygame.time.Clock()
        try:
            while self.is_open:
                self.frame(clock.tick(FRAMES) / 1000)
        finally:
            self.close()

    def frame(self, seconds: float) -> None:
        """Handles what happened since the last frame, and draws if that can be seen."""
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.is_open = False
            for own in translate(event):
                self.send(own)
        for answer in self._engine.poll():
            self.send(answer)
        self.send(events.Tick(seconds))
        if not looks_same(self.model, self._drawn):
            draw(self.surface, self.model)
            pygame.display.flip()
            self._drawn = self.model

    def send(self, event: Event) -> None:
        """Updates the model by an event, and carries out the effects."""
        self.model = update(self.model, event)
        while self.model.effects:
            pending, self.model = self.model.effects, replace(self.model, effects=())
            for effect in pending:
                for answer in self._carry_out(effect):
                    self.model = update(self.model, answer)

    def close(self) -> None:
        """Ends the engine and closes the window."""
        self._engine.close()
        pygame.display.quit()

    def _carry_out(self, effect: Effect) -> Iterator[Event]:
        match effect:
            case effects.Analyse():
                self._engine.analyse(effect)
            case effects.CountNumbers():
                self._engine.count(effect)
            case effects.WatchGame():
                self._engine.watch(effect)
            case effects.GradeGame():
                self._engine.grade(effect)
            case effects.DealBoard():
                self._engine.deal(effect)
            case effects.StopDealing():
                self._engine.stop_dealing()
            case effects.Copy():
                clipboard.put(effect.text)
            case effects.Paste():
                yield events.Pasted(clipboard.text())
            case effects.EnterGame():
                yield from leaderboard_effects.enter(effect)
            case effects.ReadLeaderboard():
                yield leaderboard_effects.read(effect)
            case effects.SaveReplay():
                yield events.Notice(_save(effect.replay))
            case effects.ListFolder():
                yield list_folder(effect.folder)
            case effects.OpenFile():
                yield read_file(Path(effect.path))
            case effects.Quit():
                self.is_open = False


def translate(event: pygame.event.Event) -> Iterator[Event]:
    """Translates an event of pygame into those of `events`; yields nothing for the others."""
    match event.type:
        case pygame.KEYDOWN:
            name = pygame.key.name(event.key)
            if len(name) == 3 and name[0] == "[" and name[2] == "]":
                name = name[1]  # The number pad.
            yield events.Key(
                {"enter": "return"}.get(name, name),
                event.unicode,
                bool(event.mod & pygame.KMOD_SHIFT),
                bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)),
            )
        case pygame.MOUSEBUTTONDOWN if event.button in _BUTTONS:
            yield events.Press(event.pos, _BUTTONS[event.button])
        case pygame.MOUSEBUTTONUP if event.button in _BUTTONS:
            yield events.Release(event.pos, _BUTTONS[event.button])
        case pygame.MOUSEMOTION:
            yield events.Motion(event.pos)
        case pygame.MOUSEWHEEL:
            yield events.Wheel(pygame.mouse.get_pos(), event.y)
        case pygame.WINDOWLEAVE:
            yield events.Motion(None)
        case pygame.VIDEORESIZE:
            yield events.Resize((event.w, event.h))
        case pygame.DROPFILE:
            yield read_file(Path(event.file))


def read_file(path: Path) -> Event:
    """Reads a file; one that cannot be read becomes a notice."""
    try:
        return events.Dropped(path.name, path.read_bytes())
    except OSError as error:
        return events.Notice(f"{path.name}: {error.strerror or error}")


def _save(replay: Replay) -> str:
    """Writes a replay to the current folder; returns a sentence that says where, or why not."""
    level = replay.opening.level
    size = f"{level.rows}x{level.cols}x{level.mines}-{replay.opening.start.value}"
    dealt = "" if replay.seed is None else f"-seed-{replay.seed}-game-{replay.game}"
    stem = f"{replay.strategy}-{size}{dealt}"
    names = (f"{stem}{again}.json.gz" for again in ("", *(f"-{n}" for n in range(2, 10_000))))
    name = next(name for name in names if not Path(name).exists())  # Nothing is written over.
    try:
        save(replay, Path(os.curdir) / name)
    except OSError as error:
        return f"could not save: {error.strerror or error}"
    return f"saved as {name}"
