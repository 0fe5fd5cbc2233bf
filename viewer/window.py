"""The loop: events of the window in, frames out, and whatever the model wishes done."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pygame

from jaxsweep.runtime.errors import UserError
from jaxsweep.single import session
from jaxsweep.single.replay import Replay, save
from viewer import clipboard, events, scores, wishes
from viewer.draw import draw
from viewer.events import Event
from viewer.model import Model, update
from viewer.thinker import Thinker
from viewer.wishes import Wish

FRAMES = 60
"""A second."""

_BUTTONS = {1: events.LEFT, 2: events.MIDDLE, 3: events.RIGHT}


class ScreenError(UserError):
    """There is no screen for a window."""


class Window:
    """A window on the screen, and the model that it shows."""

    def __init__(self, model: Model, thinker: Thinker):
        # Nothing here makes a sound; a machine without a sound card is not to complain.
        try:
            pygame.display.init()
            pygame.font.init()
            pygame.display.set_caption("jaxsweep")
            self.surface = pygame.display.set_mode(model.size, pygame.RESIZABLE)
        except pygame.error as error:
            raise ScreenError(f"no window can be opened here: {error}") from None
        pygame.key.set_repeat(350, 40)
        self.model = model
        self._thinker = thinker
        self._drawn: Model | None = None
        self._open = True

    def run(self) -> None:
        """Shows frames until the window is closed."""
        clock = pygame.time.Clock()
        try:
            while self._open:
                self.frame(clock.tick(FRAMES) / 1000)
        finally:
            self.close()

    def frame(self, seconds: float) -> None:
        """One frame: what happened, what is wished, and a picture if anything changed."""
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self._open = False
            for own in translate(event):
                self.tell(own)
        for answer in self._thinker.answers():
            self.tell(answer)
        self.tell(events.Tick(seconds))
        if self.model is not self._drawn:
            draw(self.surface, self.model)
            pygame.display.flip()
            self._drawn = self.model

    @property
    def is_open(self) -> bool:
        """Whether nobody has closed it."""
        return self._open

    def tell(self, event: Event) -> None:
        """Updates the model, and does what it wishes."""
        self.model = update(self.model, event)
        while self.model.wishes:
            wished, self.model = self.model.wishes, replace(self.model, wishes=())
            for wish in wished:
                for answer in self._fulfil(wish):
                    self.model = update(self.model, answer)

    def close(self) -> None:
        """Leaves nothing behind."""
        self._thinker.close()
        pygame.display.quit()

    def _fulfil(self, wish: Wish) -> Iterator[Event]:
        match wish:
            case wishes.Think():
                self._thinker.think(wish)
            case wishes.Follow():
                self._thinker.follow(wish)
            case wishes.WarmUp():
                # The first click of a level waits for nothing: its deal is compiled before.
                Thread(target=session.warm_up, args=(wish.level,), daemon=True).start()
            case wishes.Copy():
                clipboard.put(wish.text)
            case wishes.Paste():
                yield events.Pasted(clipboard.text())
            case wishes.Score():
                yield from scores.write_down(wish)
            case wishes.LookUp():
                yield scores.look_up(wish)
            case wishes.Save():
                yield events.Told(_save(wish.replay))
            case wishes.Quit():
                self._open = False


def translate(event: pygame.event.Event) -> Iterator[Event]:
    """An event of pygame in our own words; nothing for those that mean nothing here."""
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
        case pygame.VIDEORESIZE:
            yield events.Resize((event.w, event.h))
        case pygame.DROPFILE:
            yield read_file(Path(event.file))


def read_file(path: Path) -> Event:
    """A file's bytes, or why there are none."""
    try:
        return events.Dropped(path.name, path.read_bytes())
    except OSError as error:
        return events.Told(f"{path.name}: {error.strerror or error}")


def _save(replay: Replay) -> str:
    """Writes a replay beside where the program was started; says where, or why not."""
    level = replay.opening.level
    size = f"{level.rows}x{level.cols}x{level.mines}-{replay.opening.start.value}"
    stem = f"{replay.strategy}-{size}-seed-{replay.seed}-game-{replay.game}"
    names = (f"{stem}{again}.json.gz" for again in ("", *(f"-{n}" for n in range(2, 10_000))))
    name = next(name for name in names if not Path(name).exists())  # Nothing is written over.
    try:
        save(replay, Path(os.curdir) / name)
    except OSError as error:
        return f"could not save: {error.strerror or error}"
    return f"saved as {name}"
