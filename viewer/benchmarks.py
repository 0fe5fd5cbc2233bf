"""How long a frame and a hint take: `python -m jaxsweep.bench frame menu hint`."""

import os
from collections.abc import Callable
from dataclasses import replace

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import jax
import pygame

from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position, to_grid, to_text
from jaxsweep.simulation.stuck_positions import stuck_positions
from viewer.analysis_result import analyse_position, count_numbers
from viewer.drawing import draw
from viewer.events import AnalysisReady, NumbersCounted, Pasted
from viewer.model import Menu, Mode, Settings
from viewer.update import start, update

SEED, SIZE = 2026, (1280, 800)


def _position(opening: Opening) -> Position:
    batch = stuck_positions(opening, SEED, 1)
    return jax.tree.map(lambda leaf: leaf[..., 0], batch)


def frame(opening: Opening, batch: int) -> Callable[[], object]:
    """Draws a stuck position in a window of 1280×800, with odds, marks, candidates and numbers."""
    pygame.display.init()
    pygame.font.init()
    position = _position(opening)
    model = start(Settings(level=opening.level), Mode.ANALYSE, SIZE)
    model = update(model, Pasted(to_text(position)))
    model = update(model, AnalysisReady(analyse_position(to_grid(position), int(position.mines))))
    assert model.result is not None and model.result.analysis is not None
    best = model.result.analysis.best
    assert best is not None
    model = update(model, NumbersCounted(count_numbers(model.grid, model.mines, best)))
    surface = pygame.Surface(SIZE)
    return lambda: draw(surface, model)


def menu(opening: Opening, batch: int) -> Callable[[], object]:
    """Draws the menu over a new game in a window of 1280×800."""
    pygame.display.init()
    pygame.font.init()
    model = start(Settings(level=opening.level), Mode.PLAY, SIZE)
    model = replace(model, menu=Menu.of(model.settings))
    surface = pygame.Surface(SIZE)
    return lambda: draw(surface, model)


def hint(opening: Opening, batch: int) -> Callable[[], object]:
    """Computes what a hint needs: odds, best cell, reason and outlines."""
    position = _position(opening)
    grid, mines = to_grid(position), int(position.mines)
    return lambda: analyse_position(grid, mines).key
