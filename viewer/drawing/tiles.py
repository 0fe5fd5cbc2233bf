"""Pictures of single cells: numbers, hidden cells shaded by their odds, flags, mines, marks."""

from functools import lru_cache

import pygame
from pygame import Surface

from viewer.drawing.text import render
from viewer.events import Point
from viewer.theme import Colour, Theme, blend

SHADES = 40
"""Steps from the lightest to the darkest hidden cell: few enough to cache a tile for each."""


def text_on_shade(theme: Theme, shade: int | None) -> Colour:
    """Returns the colour of text on a hidden cell of a shade."""
    if shade is None:
        return theme.text
    return theme.on_unlikely if shade < SHADES * 0.45 else theme.on_likely


def centred_text(text: str, at: Point, cell: int, colour: Colour) -> tuple[Surface, Point]:
    """Returns a short text in the middle of the cell at a point, and where to draw it."""
    words = render(text, max(cell * 42 // 100, 7), colour)
    return words, (
        at[0] + (cell - words.get_width()) // 2,
        at[1] + (cell - words.get_height()) // 2,
    )


@lru_cache(maxsize=2048)
def tile(theme: Theme, cell: int, kind: str, shade: int | None) -> Surface:
    """Returns the picture of a cell: a digit, or a kind such as "hidden", "flag" or "mine"."""
    picture = Surface((cell, cell))
    if kind.isdigit():
        picture.fill(theme.opened)
        pygame.draw.rect(picture, theme.grid, (0, 0, cell, cell), 1)
        if kind != "0":
            picture.blit(*_digit(kind, cell, theme.numbers[int(kind) - 1]))
        return picture
    face = theme.hidden
    if shade is not None:
        face = blend(theme.unlikely, theme.likely, shade / SHADES)
    if kind == "exploded":
        face = theme.exploded
    picture.fill(face)
    if cell >= 8:
        rim = max(cell // 14, 1)
        for colour, rect in (
            (blend(face, theme.bevel_light, 0.6), (0, 0, cell, rim)),
            (blend(face, theme.bevel_light, 0.6), (0, 0, rim, cell)),
            (blend(face, theme.bevel_dark, 0.8), (0, cell - rim, cell, rim)),
            (blend(face, theme.bevel_dark, 0.8), (cell - rim, 0, rim, cell)),
        ):
            pygame.draw.rect(picture, colour, rect)
    _draw_symbol(picture, theme, cell, kind, text_on_shade(theme, shade))
    return picture


def _digit(kind: str, cell: int, colour: Colour) -> tuple[Surface, Point]:
    words = render(kind, max(cell * 62 // 100, 5), colour)
    return words, ((cell - words.get_width()) // 2, (cell - words.get_height()) // 2 + cell // 24)


def _draw_symbol(tile: Surface, theme: Theme, cell: int, kind: str, ink: Colour) -> None:
    middle = cell // 2
    if kind in ("flag", "wrong flag"):
        pole = (cell * 42 // 100, cell * 22 // 100, max(cell // 14, 1), cell * 56 // 100)
        pygame.draw.rect(tile, ink, pole)
        tip = [
            (cell * 45 // 100, cell * 20 // 100),
            (cell * 78 // 100, cell * 36 // 100),
            (cell * 45 // 100, cell * 52 // 100),
        ]
        pygame.draw.polygon(tile, theme.flag, tip)
        pygame.draw.rect(
            tile,
            ink,
            (cell * 28 // 100, cell * 76 // 100, cell * 36 // 100, max(cell // 12, 1)),
        )
    if kind in ("mine", "exploded"):
        for dx, dy in ((1, 0), (0, 1), (0.7, 0.7), (0.7, -0.7)):
            far = cell * 0.36
            begin, end = ((middle + s * dx * far, middle + s * dy * far) for s in (-1, 1))
            pygame.draw.line(tile, (20, 20, 20), begin, end, max(cell // 14, 1))
        pygame.draw.circle(tile, (20, 20, 20), (middle, middle), max(cell * 26 // 100, 1))
        pygame.draw.circle(
            tile, (235, 235, 235), (middle - cell // 10, middle - cell // 10), max(cell // 16, 1)
        )
    if kind == "wrong flag":
        _draw_cross(tile, ink, cell, 0.2)


def _draw_cross(tile: Surface, colour: Colour, cell: int, inset: float) -> None:
    near, far, width = cell * inset, cell * (1 - inset), max(cell // 9, 1)
    pygame.draw.line(tile, colour, (near, near), (far, far), width)
    pygame.draw.line(tile, colour, (near, far), (far, near), width)


@lru_cache(maxsize=256)
def mark(theme: Theme, cell: int, kind: str) -> Surface:
    """Returns the mark of a certain cell: a ring if safe, a cross if a mine, not colours alone."""
    picture = Surface((cell, cell), pygame.SRCALPHA)
    rim = max(cell // 9, 1)
    if kind == "safe":
        pygame.draw.circle(
            picture, (255, 255, 255), (cell // 2, cell // 2), cell * 33 // 100 + 1, rim + 2
        )
        pygame.draw.circle(picture, theme.safe, (cell // 2, cell // 2), cell * 33 // 100, rim)
    else:
        _draw_cross(picture, (255, 255, 255), cell, 0.27)
        _draw_cross(picture, theme.mine, cell, 0.29)
    return picture
