"""Text in pixels: rendered, measured, folded into lines, and cut to a width."""

from functools import lru_cache

import pygame
from pygame import Surface

from viewer.events import Point
from viewer.theme import Colour

TEXT, SMALL, LARGE = 17, 14, 26
"""Heights of letters in pixels."""

SUPERSAMPLING = 3
"""Letters are rendered so many times larger and scaled down: small ones look better that way."""


@lru_cache(maxsize=64)
def _font(height: int) -> pygame.font.Font:
    return pygame.font.Font(None, round(height * 1.35 * SUPERSAMPLING))


def text_width(text: str, height: int) -> int:
    """Returns the width of a line of text."""
    return _font(height).size(text)[0] // SUPERSAMPLING


@lru_cache(maxsize=4096)
def render(text: str, height: int, colour: Colour) -> Surface:
    """Renders a line of text."""
    large = _font(height).render(text or " ", True, colour)  # An empty one cannot be scaled.
    small = (
        max(large.get_width() // SUPERSAMPLING, 1),
        max(large.get_height() // SUPERSAMPLING, 1),
    )
    return pygame.transform.smoothscale(large, small)


def write(surface: Surface, text: str, at: Point, height: int, colour: Colour) -> None:
    """Draws a line of text with its top left corner at a point."""
    surface.blit(render(text, height, colour), at)


def fold(text: str, width: int, height: int) -> list[str]:
    """Breaks a text into lines that fit; a word that is too long for a line is cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, height) <= width:
            lines[-1] = longer
        else:
            lines.append(cut(word, width, height))
    return [line for line in lines if line]


def cut(text: str, width: int, height: int) -> str:
    """Cuts off the end of a text, if need be, so that it fits into one line."""
    if text_width(text, height) <= width:
        return text
    while text and text_width(text + "…", height) > width:
        text = text[:-1]
    return text + "…"
