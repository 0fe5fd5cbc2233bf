"""A surface with its theme and scale: what every part of the window is drawn with."""

from dataclasses import dataclass

import pygame
from pygame import Surface

from viewer.drawing.icons import icon
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
        """Fills a rectangle, with round corners if it has a radius."""
        where = (rect.left, rect.top, rect.width, rect.height)
        pygame.draw.rect(self.surface, colour, where, 0, self.px(radius))

    def frame(self, rect: Rect, colour: Colour, radius: float = 0, width: float = 1) -> None:
        """Draws the outline of a rectangle."""
        where = (rect.left, rect.top, rect.width, rect.height)
        pygame.draw.rect(self.surface, colour, where, max(self.px(width), 1), self.px(radius))

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
        """Draws a line of text in a rectangle: on its `side`, or in its "middle"; cut if need be."""
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
        shade.fill((*self.theme.veil, 150))
        self.surface.blit(shade, (0, 0))
