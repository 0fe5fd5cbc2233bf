"""A surface with its theme and scale: what every part of the window is drawn with."""

from dataclasses import dataclass
from functools import lru_cache

import pygame
from pygame import Surface

from viewer.drawing.icons import icon, smooth
from viewer.drawing.text import TEXT, Weight, cut, render, text_width
from viewer.events import Point
from viewer.layout import Rect
from viewer.theme import Colour, Theme


@dataclass(frozen=True)
class Canvas:
    """Draws shapes and text; lengths and heights of letters are those at scale 1."""

    surface: Surface
    theme: Theme
    scale: float

    def px(self, length: float) -> int:
        """Returns a length in pixels."""
        return round(length * self.scale)

    def box(self, rect: Rect, colour: Colour, radius: float = 0) -> None:
        """Fills a rectangle, with smooth round corners if it has a radius."""
        round_off = min(self.px(radius), rect.width // 2, rect.height // 2)
        if round_off < 2:
            self.surface.fill(colour, (rect.left, rect.top, rect.width, rect.height))
            return
        disc, size = _disc(round_off, colour), round_off
        for right in (0, 1):
            for low in (0, 1):
                at = (
                    rect.right - size if right else rect.left,
                    rect.bottom - size if low else rect.top,
                )
                self.surface.blit(disc, at, (right * size, low * size, size, size))
        inner = (rect.left + size, rect.top, rect.width - 2 * size, rect.height)
        self.surface.fill(colour, inner)
        for left in (rect.left, rect.right - size):
            self.surface.fill(colour, (left, rect.top + size, size, rect.height - 2 * size))

    def framed(
        self, rect: Rect, face: Colour, edge: Colour, radius: float, width: float = 1
    ) -> None:
        """Fills a rectangle with round corners, and draws its edge inside of it."""
        thick = max(self.px(width), 1)
        self.box(rect, edge, radius)
        self.box(rect.inset(thick, thick), face, radius - thick / self.scale)

    def disc(self, at: Point, radius: float, colour: Colour) -> None:
        """Fills a circle."""
        size = max(self.px(radius), 1)
        self.surface.blit(_disc(size, colour), (at[0] - size, at[1] - size))

    def text(
        self,
        text: str,
        at: Point,
        height: float = TEXT,
        colour: Colour | None = None,
        weight: Weight = Weight.REGULAR,
    ) -> int:
        """Draws a line of text with its top left corner at a point; returns its width."""
        picture = render(text, self.px(height), colour or self.theme.text, weight)
        self.surface.blit(picture, at)
        return picture.get_width()

    def text_in(
        self,
        text: str,
        rect: Rect,
        height: float = TEXT,
        colour: Colour | None = None,
        weight: Weight = Weight.REGULAR,
        side: str = "left",
    ) -> None:
        """Draws a line of text at a `side` of a rectangle, or in its "middle"; cut if need be."""
        size = self.px(height)
        shown = cut(text, rect.width, size, weight)
        picture = render(shown, size, colour or self.theme.text, weight)
        spare = rect.width - picture.get_width()
        left = rect.left + {"left": 0, "middle": spare // 2, "right": spare}[side]
        self.surface.blit(picture, (left, rect.top + (rect.height - picture.get_height()) // 2))

    def width(self, text: str, height: float = TEXT, weight: Weight = Weight.REGULAR) -> int:
        """Returns the width of a line of text."""
        return text_width(text, self.px(height), weight)

    def icon(self, name: str, rect: Rect, size: float, colour: Colour) -> None:
        """Draws an icon in the middle of a rectangle."""
        pixels = self.px(size)
        across, down = rect.middle
        at = (across - pixels // 2, down - pixels // 2)
        self.surface.blit(icon(name, pixels, colour), at)

    def veil(self) -> None:
        """Darkens all that is drawn so far, behind a dialog."""
        shade = Surface(self.surface.get_size(), pygame.SRCALPHA)
        shade.fill((*self.theme.veil, 130))
        self.surface.blit(shade, (0, 0))


@lru_cache(maxsize=512)
def _disc(radius: int, colour: Colour) -> Surface:
    """Returns a circle with a smooth edge."""

    def paint(large: Surface) -> None:
        middle = large.get_width() / 2
        pygame.draw.circle(large, colour, (middle, middle), middle)

    return smooth(2 * radius, colour, paint)
