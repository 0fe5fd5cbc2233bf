"""The bar of buttons on top: modes, menu, theme and help."""

import pygame
from pygame import Surface

from viewer.buttons import top_buttons
from viewer.drawing.shapes import pygame_rect
from viewer.drawing.text import SMALL, cut, render
from viewer.layout import Layout
from viewer.model import Model
from viewer.theme import Theme


def draw_bar(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    """Draws the buttons; the one of the current mode is underlined."""
    pygame.draw.rect(surface, theme.panel, pygame_rect(layout.bar))
    buttons = top_buttons(model.dark)
    for button, place in zip(buttons, layout.buttons(len(buttons)), strict=True):
        chosen = button.mode is model.mode
        if chosen:
            pygame.draw.rect(surface, theme.accent, (place.left, place.height - 3, place.width, 3))
        text = cut(f"{button.label} {button.key.upper()}", place.width - 8, SMALL)
        label = render(text, SMALL, theme.accent if chosen else theme.text)
        surface.blit(
            label,
            (
                place.left + (place.width - label.get_width()) // 2,
                (place.height - label.get_height()) // 2,
            ),
        )
