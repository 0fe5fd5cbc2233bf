"""Drawing within a rectangle."""

from collections.abc import Iterator
from contextlib import contextmanager

import pygame
from pygame import Surface

from viewer.layout import Rect


@contextmanager
def clipped(surface: Surface, rect: Rect) -> Iterator[None]:
    """Leaves all that is outside of a rectangle as it is."""
    surface.set_clip(pygame.Rect(rect.left, rect.top, rect.width, rect.height))
    try:
        yield
    finally:
        surface.set_clip(None)
