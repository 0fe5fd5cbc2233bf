"""Icons, drawn from lines and areas at the size in which they are shown."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

import pygame
from pygame import Surface

from viewer.theme import Colour

SUPERSAMPLING = 4
"""Shapes are drawn so many times larger, and their edges smoothed."""

Dot = tuple[float, float]
"""A point of a square from 0 to 24."""


class _Pen:
    """Draws in a square from 0 to 24 of any size."""

    def __init__(self, surface: Surface, colour: Colour):
        self._surface, self._colour = surface, colour
        self._unit = surface.get_width() / 24

    def line(self, *dots: Dot, width: float = 2.0) -> None:
        """Draws a line with round ends."""
        points, thick = self._points(dots), max(self._unit * width, 1)
        for begin, end in pairwise(points):
            across = pygame.Vector2(end) - pygame.Vector2(begin)
            if across.length():
                side = across.normalize().rotate(90) * thick / 2
                corners = [begin + side, end + side, end - side, begin - side]
                pygame.draw.polygon(self._surface, self._colour, corners)
        for point in points:
            pygame.draw.circle(self._surface, self._colour, point, thick / 2)

    def area(self, *dots: Dot) -> None:
        """Fills an area."""
        pygame.draw.polygon(self._surface, self._colour, self._points(dots))
        self.line(*dots, dots[0], width=1.2)

    def circle(self, at: Dot, radius: float, width: float = 2.0) -> None:
        """Draws a circle; with width 0 a disc."""
        pygame.draw.circle(
            self._surface,
            self._colour,
            self._points([at])[0],
            radius * self._unit,
            round(width * self._unit),
        )

    def _points(self, dots: Sequence[Dot]) -> list[pygame.Vector2]:
        return [pygame.Vector2(x * self._unit, y * self._unit) for x, y in dots]


def _document(pen: _Pen, left: float, top: float) -> None:
    pen.line((left, top), (left + 9, top), (left + 9, top + 12), (left, top + 12), (left, top))


def _sun(pen: _Pen) -> None:
    pen.circle((12, 12), 4.2, 0)
    for dx, dy in ((1, 0), (0, 1), (0.7, 0.7), (0.7, -0.7)):
        for side in (-1, 1):
            near, far = 7 * side, 9.2 * side
            pen.line((12 + dx * near, 12 + dy * near), (12 + dx * far, 12 + dy * far))


def _moon(pen: _Pen) -> None:
    pen.area(
        (14, 4), (9, 5), (5.5, 9), (5, 14), (8, 18.5), (13, 20), (18, 18.3), (20, 15.5),
        (16, 15.5), (12.5, 13), (11.5, 9), (12.5, 6),
    )  # fmt: skip


def _undo(pen: _Pen) -> None:
    pen.line((9, 4.5), (4.5, 9), (9, 13.5))
    pen.line((5, 9), (14, 9), (17.5, 10.5), (19, 14), (17.5, 17.5), (14, 19), (9, 19))


def _again(pen: _Pen) -> None:
    pen.line((18.5, 8), (15.5, 5.5), (12, 4.8), (7.5, 6.5), (5, 10.5), (5, 14), (7.5, 17.7),
             (12, 19.4), (16.5, 17.8), (18.8, 14.5))  # fmt: skip
    pen.line((19.3, 3.6), (19, 8.7), (13.8, 8.6))


def _bulb(pen: _Pen) -> None:
    pen.line((9.5, 16), (9.3, 14.3), (6.8, 12), (6, 9), (7.5, 5.2), (12, 3.4), (16.5, 5.2),
             (18, 9), (17.2, 12), (14.7, 14.3), (14.5, 16), (9.5, 16))  # fmt: skip
    pen.line((10, 19.6), (14, 19.6))


def _folder(pen: _Pen) -> None:
    pen.line((3.5, 18.5), (3.5, 5.5), (9, 5.5), (11, 8), (20.5, 8), (20.5, 18.5), (3.5, 18.5))


def _save(pen: _Pen) -> None:
    pen.line((12, 3.5), (12, 14.5))
    pen.line((7.5, 10.5), (12, 15), (16.5, 10.5))
    pen.line((4, 16), (4, 20), (20, 20), (20, 16))


def _flag(pen: _Pen) -> None:
    pen.line((7, 3.5), (7, 20.5))
    pen.area((8, 4), (18.5, 8.2), (8, 12.5))


def _eye(pen: _Pen) -> None:
    pen.line((2.8, 12), (6.5, 7.6), (12, 5.6), (17.5, 7.6), (21.2, 12), (17.5, 16.4), (12, 18.4),
             (6.5, 16.4), (2.8, 12))  # fmt: skip
    pen.circle((12, 12), 3.1, 0)


def _lens(pen: _Pen) -> None:
    pen.circle((10.5, 10.5), 6.8)
    pen.line((15.7, 15.7), (20.5, 20.5), width=2.4)


def _sliders(pen: _Pen) -> None:
    for y, knob in ((6, 15), (12, 8.5), (18, 16.5)):
        pen.line((3.5, y), (20.5, y), width=1.8)
        pen.circle((knob, y), 2.7, 0)


def _outlines(pen: _Pen) -> None:
    pen.line((4, 4), (14, 4), (14, 10), (20, 10), (20, 20), (10, 20), (10, 14), (4, 14), (4, 4))


def _question(pen: _Pen) -> None:
    pen.line((8, 8.6), (8.6, 6), (12, 4.3), (15.4, 6), (16, 8.6), (14.7, 11), (12.2, 12.8),
             (12, 15), width=2.2)  # fmt: skip
    pen.circle((12, 19.2), 1.6, 0)


def _die(pen: _Pen) -> None:
    pen.line((4, 4), (20, 4), (20, 20), (4, 20), (4, 4))
    for dot in ((8.5, 8.5), (15.5, 8.5), (12, 12), (8.5, 15.5), (15.5, 15.5)):
        pen.circle(dot, 1.5, 0)


def _chance(pen: _Pen) -> None:
    pen.line((4, 4), (20, 4), (20, 20), (4, 20), (4, 4))
    pen.area((5, 19), (19, 5), (19, 19))


def _percent(pen: _Pen) -> None:
    pen.line((18.5, 5), (5.5, 19))
    pen.circle((7.2, 7.2), 3.3)
    pen.circle((16.8, 16.8), 3.3)


def _logo(pen: _Pen) -> None:
    for dx, dy in ((1, 0), (0, 1), (0.72, 0.72), (0.72, -0.72)):
        pen.line((12 - 9.6 * dx, 12 - 9.6 * dy), (12 + 9.6 * dx, 12 + 9.6 * dy), width=2.2)
    pen.circle((12, 12), 6.6, 0)


def _mouse(pen: _Pen) -> None:
    pen.line((5, 3.5), (5, 18), (9, 14.5), (11.5, 20), (14, 19), (11.5, 13.5), (17, 13.5), (5, 3.5))


_ICONS: dict[str, Callable[[_Pen], object]] = {
    "play": lambda pen: pen.area((7, 4.5), (19, 12), (7, 19.5)),
    "pause": lambda pen: (pen.area((6.5, 5), (9, 5), (9, 19), (6.5, 19)),
                          pen.area((15, 5), (17.5, 5), (17.5, 19), (15, 19))),
    "back": lambda pen: pen.line((15, 5), (8, 12), (15, 19), width=2.4),
    "forward": lambda pen: pen.line((9, 5), (16, 12), (9, 19), width=2.4),
    "first": lambda pen: (pen.line((18, 5), (11, 12), (18, 19), width=2.4),
                          pen.line((6, 5), (6, 19), width=2.4)),
    "last": lambda pen: (pen.line((6, 5), (13, 12), (6, 19), width=2.4),
                         pen.line((18, 5), (18, 19), width=2.4)),
    "up": lambda pen: pen.line((5, 15), (12, 8), (19, 15), width=2.4),
    "minus": lambda pen: pen.line((5, 12), (19, 12), width=2.4),
    "plus": lambda pen: (pen.line((5, 12), (19, 12), width=2.4),
                         pen.line((12, 5), (12, 19), width=2.4)),
    "close": lambda pen: (pen.line((6, 6), (18, 18)), pen.line((6, 18), (18, 6))),
    "check": lambda pen: pen.line((4.5, 12.5), (9.5, 17.5), (19.5, 6.5), width=2.4),
    "certain": lambda pen: (pen.line((4, 6), (10, 12), (4, 18), width=2.4),
                            pen.line((12.5, 6), (18.5, 12), (12.5, 18), width=2.4)),
    "marks": lambda pen: (pen.circle((12, 12), 8.6), pen.circle((12, 12), 3, 0)),
    "file": lambda pen: pen.line((6, 3.5), (14, 3.5), (18, 7.5), (18, 20.5), (6, 20.5), (6, 3.5)),
    "hidden": lambda pen: pen.area((5, 5), (19, 5), (19, 19), (5, 19)),
    "copy": lambda pen: (_document(pen, 4, 3.5), _document(pen, 11, 8.5)),
    "paste": lambda pen: (pen.line((8, 5), (4.5, 5), (4.5, 20.5), (19.5, 20.5), (19.5, 5), (16, 5)),
                          pen.area((9, 3.5), (15, 3.5), (15, 6.5), (9, 6.5))),
    "panel": lambda pen: (pen.line((3.5, 5), (20.5, 5), (20.5, 19), (3.5, 19), (3.5, 5)),
                          pen.line((14.5, 5), (14.5, 19))),
    "again": _again, "bulb": _bulb, "chance": _chance, "die": _die, "eye": _eye, "flag": _flag,
    "folder": _folder, "lens": _lens, "logo": _logo, "moon": _moon, "outlines": _outlines,
    "percent": _percent, "pointer": _mouse, "question": _question, "save": _save,
    "sliders": _sliders, "sun": _sun, "undo": _undo,
}  # fmt: skip
"""How each icon is drawn."""


@lru_cache(maxsize=512)
def icon(name: str, size: int, colour: Colour) -> Surface:
    """Returns the picture of an icon."""
    return smooth(size, colour, lambda large: _ICONS[name](_Pen(large, colour)))


def smooth(size: int, colour: Colour, paint: Callable[[Surface], object]) -> Surface:
    """Returns a square picture with smooth edges on a transparent ground of the same colour."""
    large = Surface((size * SUPERSAMPLING, size * SUPERSAMPLING), pygame.SRCALPHA)
    large.fill((*colour, 0))
    paint(large)
    return pygame.transform.smoothscale(large, (size, size))
