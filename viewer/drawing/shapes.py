"""Rectangles and boxes."""

import pygame
from pygame import Surface

from viewer.layout import Rect
from viewer.theme import Theme


def pygame_rect(rect: Rect) -> pygame.Rect:
    """Converts a rectangle of the layout."""
    return pygame.Rect(rect.left, rect.top, rect.width, rect.height)


def draw_box(surface: Surface, theme: Theme, rect: tuple[int, int, int, int]) -> None:
    """Draws a box with round corners, for a dialog."""
    pygame.draw.rect(surface, theme.panel, rect, 0, 8)
    pygame.draw.rect(surface, theme.faint, rect, 1, 8)
