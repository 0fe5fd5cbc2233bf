"""Text in pixels: rendered, measured, folded into lines, and cut to a width."""

import enum
from functools import lru_cache
from pathlib import Path

import pygame
from pygame import Surface

from viewer.theme import Colour

FONTS = Path(__file__).parents[1] / "fonts"

SMALL, TEXT, HEADING, LARGE = 12, 14, 17, 26
"""Heights of letters in pixels of a window at scale 1."""


class Weight(enum.Enum):
    """The weights of the window's font."""

    REGULAR = "Regular"
    MEDIUM = "Medium"
    BOLD = "Bold"


@lru_cache(maxsize=256)
def _font(height: int, weight: Weight) -> pygame.font.Font:
    try:
        return pygame.font.Font(FONTS / f"Inter-{weight.value}.otf", max(height, 4))
    except (FileNotFoundError, pygame.error):
        return pygame.font.Font(None, max(round(height * 1.3), 4))


@lru_cache(maxsize=8192)
def text_width(text: str, height: int, weight: Weight = Weight.REGULAR) -> int:
    """Returns the width of a line of text."""
    return _font(height, weight).size(_one_line(text))[0]


@lru_cache(maxsize=4096)
def render(text: str, height: int, colour: Colour, weight: Weight = Weight.REGULAR) -> Surface:
    """Renders a line of text, at the size in which it is shown."""
    return _font(height, weight).render(_one_line(text) or " ", True, colour)


def _one_line(text: str) -> str:
    """Returns a text that can be rendered, whatever a file's name or a clipboard holds."""
    printable = text.replace("\0", " ").replace("\n", " ")
    # A name that is no Unicode has lone surrogates.
    return printable.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=1024)
def fold(text: str, width: int, height: int, weight: Weight = Weight.REGULAR) -> tuple[str, ...]:
    """Breaks a text into lines that fit; a word that is too long for a line is cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, height, weight) <= width:
            lines[-1] = longer
        else:
            lines.append(cut(word, width, height, weight))
    return tuple(line for line in lines if line)


@lru_cache(maxsize=4096)
def cut(text: str, width: int, height: int, weight: Weight = Weight.REGULAR) -> str:
    """Cuts off the end of a text, if need be, so that it fits into one line."""
    if text_width(text, height, weight) <= width:
        return text
    while text and text_width(text + "…", height, weight) > width:
        text = text[:-1]
    return text + "…"
