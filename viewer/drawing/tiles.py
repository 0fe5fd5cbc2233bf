"""Pictures of single cells: numbers, hidden cells shaded by their odds, flags, mines, marks.

Each is drawn at the size in which it is shown, so that it is sharp at any.
"""

from functools import lru_cache

import pygame
from pygame import Surface

from viewer.drawing.icons import SUPERSAMPLING, smooth
from viewer.drawing.text import Weight, render
from viewer.events import Point
from viewer.theme import Colour, Theme, blend

SHADES = 40
"""Steps from the lightest to the darkest hidden cell: few enough to cache a tile for each."""

MINE_INK, MINE_GLINT = (24, 26, 32), (236, 238, 242)


def text_on_shade(theme: Theme, shade: int | None) -> Colour:
    """Returns the colour of text on a hidden cell of a shade."""
    if shade is None:
        return theme.on_unlikely if sum(theme.hidden) > 3 * 140 else theme.on_likely
    return theme.on_unlikely if shade < SHADES * 0.5 else theme.on_likely


def centred_text(text: str, at: Point, cell: int, colour: Colour) -> tuple[Surface, Point]:
    """Returns a short text in the middle of the cell at a point, and where to draw it."""
    words = render(text, max(cell * 38 // 100, 7), colour, Weight.MEDIUM)
    return words, (
        at[0] + (cell - words.get_width()) // 2,
        at[1] + (cell - words.get_height()) // 2,
    )


@lru_cache(maxsize=320)
def tile(theme: Theme, cell: int, kind: str, shade: int | None) -> Surface:
    """Returns the picture of a cell: a digit, or a kind such as "hidden", "flag" or "mine"."""
    picture = Surface((cell, cell))
    picture.fill(theme.grid)
    rim = 1 if cell < 48 else cell // 40
    if kind.isdigit():
        picture.fill(theme.opened, (0, 0, cell - rim, cell - rim))
        if kind != "0":
            picture.blit(*_digit(kind, cell, theme.numbers[int(kind) - 1]))
        return picture
    face = theme.hidden
    if shade is not None:
        face = blend(theme.unlikely, theme.likely, shade / SHADES)
    if kind == "exploded":
        face = theme.exploded
    if cell < 10:
        picture.fill(face, (0, 0, cell - 1, cell - 1))
    else:
        _draw_face(picture, theme, cell, face, rim)
    ink = text_on_shade(theme, shade)
    if kind != "hidden":
        symbol = smooth(cell, face, lambda large: _draw_symbol(large, theme, kind, ink))
        picture.blit(symbol, (0, 0))
    return picture


def _draw_face(picture: Surface, theme: Theme, cell: int, face: Colour, rim: int) -> None:
    """Draws a raised cell: light above, shade below, round corners."""
    radius, edge = max(cell // 8, 2), max(cell // 16, 1)

    def paint(large: Surface) -> None:
        k = SUPERSAMPLING
        size = (cell - rim) * k
        light, shade = blend(face, theme.bevel_light, 0.55), blend(face, theme.bevel_dark, 0.75)
        pygame.draw.rect(large, shade, (0, 0, size, size), 0, radius * k)
        pygame.draw.rect(large, light, (0, 0, size, size - edge * k), 0, radius * k)
        inner = (0, edge * k, size, size - 2 * edge * k)
        pygame.draw.rect(large, face, inner, 0, radius * k)

    picture.blit(smooth(cell, theme.grid, paint), (0, 0))


def _digit(kind: str, cell: int, colour: Colour) -> tuple[Surface, Point]:
    words = render(kind, max(cell * 60 // 100, 5), colour, Weight.BOLD)
    return words, ((cell - words.get_width()) // 2, (cell - words.get_height()) // 2)


def _draw_symbol(large: Surface, theme: Theme, kind: str, ink: Colour) -> None:
    """Draws a flag, a mine or a cross on a picture that is scaled down afterwards."""
    size = large.get_width()

    def at(across: float, down: float) -> Point:
        return round(across * size), round(down * size)

    if kind in ("flag", "wrong flag"):
        pygame.draw.rect(large, ink, (*at(0.36, 0.2), *at(0.07, 0.58)))
        pygame.draw.polygon(large, theme.flag, [at(0.43, 0.18), at(0.76, 0.34), at(0.43, 0.5)])
        pygame.draw.rect(large, ink, (*at(0.25, 0.73), *at(0.3, 0.07)), 0, size // 40)
    if kind in ("mine", "exploded"):
        for dx, dy in ((1, 0), (0, 1), (0.7, 0.7), (0.7, -0.7)):
            begin, end = (at(0.48 + s * dx * 0.34, 0.48 + s * dy * 0.34) for s in (-1, 1))
            pygame.draw.line(large, MINE_INK, begin, end, size // 14)
        pygame.draw.circle(large, MINE_INK, at(0.48, 0.48), size * 24 // 100)
        pygame.draw.circle(large, MINE_GLINT, at(0.41, 0.41), size // 18)
    if kind == "wrong flag":
        _draw_cross(large, ink, 0.16, 0.09)


def _draw_cross(large: Surface, colour: Colour, inset: float, width: float) -> None:
    size = large.get_width()
    near, far, thick = size * inset, size * (0.97 - inset), max(round(size * width), 1)
    pygame.draw.line(large, colour, (near, near), (far, far), thick)
    pygame.draw.line(large, colour, (near, far), (far, near), thick)


@lru_cache(maxsize=256)
def mark(theme: Theme, cell: int, kind: str, is_shaded: bool) -> Surface:
    """Returns the mark of a certain cell: a ring if safe, a cross if a mine, not colours alone.

    On a cell that `is_shaded` by its odds, a mine's is on the darkest ground.
    """

    def paint(large: Surface) -> None:
        middle, k = large.get_width() * 48 // 100, large.get_width() / 100
        if kind == "safe":
            pygame.draw.circle(large, (255, 255, 255), (middle, middle), round(32 * k))
            pygame.draw.circle(large, theme.safe, (middle, middle), round(29 * k))
            pygame.draw.circle(large, (255, 255, 255), (middle, middle), round(15 * k))
        else:
            _draw_cross(large, ink, 0.29, 0.11)

    ink = blend(theme.mine, (255, 255, 255), 0.35) if is_shaded else theme.mine
    return smooth(cell, (255, 255, 255) if kind == "safe" else ink, paint)
