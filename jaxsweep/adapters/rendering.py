"""Pictures of what a player sees, and a window that shows them."""

import numpy as np
from jaxtyping import Int8, UInt8

from jaxsweep.single.replay import tiles

CELL = 24
"""Pixels along a side of a cell."""

MAX_SIDE = 2048
"""The most pixels along a side of a picture; boards of more rows or columns get smaller cells."""


def picture(observation: Int8[np.ndarray, "rows cols"]) -> UInt8[np.ndarray, "height width 3"]:
    """Draws an observation as `jaxsweep.functional` gives it."""
    cell = max(1, min(CELL, MAX_SIDE // max(observation.shape)))
    return tiles.mosaic(tiles.codes_of_observation(observation), cell)


class Window:
    """A window of pygame that shows one picture after the other."""

    def __init__(self, title: str, frames_per_second: int):
        import pygame

        self._frames_per_second = frames_per_second
        self._clock = pygame.time.Clock()
        pygame.display.init()
        pygame.display.set_caption(title)

    def show(self, pixels: UInt8[np.ndarray, "height width 3"]) -> None:
        """Shows a picture, and waits as long as the one before is to be seen."""
        import pygame

        size = (pixels.shape[1], pixels.shape[0])
        surface = pygame.display.get_surface()
        if surface is None or surface.get_size() != size:
            surface = pygame.display.set_mode(size)
        surface.blit(pygame.surfarray.make_surface(pixels.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._frames_per_second)

    def close(self) -> None:
        """Closes the window."""
        import pygame

        pygame.display.quit()
