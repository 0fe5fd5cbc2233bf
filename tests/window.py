"""A window for tests: the dummy screen, an engine that answers at once, and a mouse."""

import os
from concurrent.futures import Executor, Future
from dataclasses import replace

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import numpy as np

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.level import LEVELS, Level
from jaxsweep.single.analysis import Analysis
from jaxsweep.single.outlines import outline
from viewer import events
from viewer.analysis_result import (
    AnalysisResult,
    NumberResult,
    analyse_position,
    count_numbers,
    position_key,
)
from viewer.controls import controls
from viewer.engine_worker import EngineWorker, next_move
from viewer.model import Mode, Settings
from viewer.playback import Playback
from viewer.update import start
from viewer.window import Window

SMALL = Settings(level=Level(5, 6, 5), seed=4, name="Ada")
SIZE = (1280, 800)
MODE_KEYS = {Mode.REPLAY: "f2", Mode.WATCH: "f3", Mode.PLAY: "f4", Mode.ANALYSE: "f5"}


class AtOnce(Executor):
    """Does what it is asked while it is asked."""

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Pretending(AtOnce):
    """Analyses a position without an engine: any odds, for tests of what is not the odds."""

    def submit(self, function, /, *args, **kwargs):
        pretended = {analyse_position: pretend, count_numbers: pretend_numbers}
        return super().submit(pretended.get(function, function), *args, **kwargs)


class Still(Pretending):
    """Nor does it play: for boards of any size, without compiling for each of them."""

    def submit(self, function, /, *args, **kwargs):
        if function is next_move:
            return super().submit(lambda: None)
        return super().submit(function, *args, **kwargs)


def pretend(grid, mines):
    rng = np.random.default_rng(grid.size)
    hidden, kind = grid < 0, rng.random(grid.shape)
    best = cells_of(hidden)[0] if hidden.any() else None
    analysis = Analysis(
        grid=grid,
        mines=mines,
        engine=None,
        beliefs=Beliefs(
            mine_probability=np.where(hidden, kind, 0).astype(np.float32),
            error=np.zeros(grid.shape, np.float32),
            safe=hidden & (kind < 0.1),
            mines=hidden & (kind > 0.9),
            log_layouts=np.array(1.0),
            status=np.array(Status.EXACT),
        ),
        layouts=None,
        best=best,
        reason="a guess for a test",
    )
    return AnalysisResult(position_key(grid, mines), analysis, outline(grid))


def pretend_numbers(grid, mines, cell):
    return NumberResult(position_key(grid, mines), cell, np.full(9, 0.1))


def prepared(mode, game):
    """A window of a mode in which every button has something to do."""
    model = start(replace(SMALL, level=LEVELS["beginner"]), mode, SIZE)
    model = replace(model, effects=())
    playback = replace(Playback.of(game).go(2), running=False, speed=1)
    if mode is Mode.ANALYSE:
        grid = playback.board.grid
        return replace(model, editor=replace(model.editor, grid=grid, brush=3))
    under_way = replace(model.play, game=model.play.game.open((0, 0)))
    return replace(model, replay=playback, watched=playback, play=under_way)


def analysed(grid, mines):
    analysis = analyse_position(np.asarray(grid, np.int8), mines).analysis
    assert analysis is not None
    return analysis


class Hand:
    """Opens a window, and moves mouse and keys."""

    def __init__(self, settings=None, mode=Mode.PLAY, size=(960, 640), executor=None):
        engine = EngineWorker(lambda: executor or AtOnce())
        self.window = Window(start(settings or Settings(), mode, size), engine)

    @property
    def model(self):
        return self.window.model

    def key(self, name, text=None, **held):
        typed = name if text is None and len(name) == 1 else (text or "")
        self.window.send(events.Key(name, typed, **held))
        self.frames(2)

    def button(self, name):
        return next(placed for placed in controls(self.model) if placed.button.name == name)

    def press(self, name, frames=2):
        """Clicks a button."""
        self.press_at(self.button(name).rect.middle, frames)

    def press_at(self, place, frames=2):
        self.window.send(events.Motion(place))
        self.window.send(events.Press(place, events.LEFT))
        self.window.frame(0.01)
        self.window.send(events.Release(place, events.LEFT))
        self.frames(frames)

    def frames(self, count, seconds=0.02):
        for _ in range(count):
            self.window.frame(seconds)

    def at(self, cell):
        left, top = self.model.layout.place(cell)
        half = self.model.layout.cell // 2
        return left + half, top + half

    def click(self, cell, *buttons):
        place = self.at(cell)
        for button in buttons or (events.LEFT,):
            self.window.send(events.Press(place, button))
        for button in buttons or (events.LEFT,):
            self.window.send(events.Release(place, button))
        self.frames(2)

    def colour(self, cell, down=0.5, right=0.5):
        left, top = self.model.layout.place(cell)
        size = self.model.layout.cell
        return tuple(
            self.window.surface.get_at((left + int(right * size), top + int(down * size)))
        )[:3]
