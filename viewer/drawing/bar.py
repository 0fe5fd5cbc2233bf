"""The bar of buttons on top: modes, menu, theme and help."""

import pygame
from pygame import Surface

from viewer.drawing.shapes import pygame_rect
from viewer.drawing.text import SMALL, cut, render
from viewer.layout import BUTTONS, Layout
from viewer.model import Mode, Model
from viewer.theme import Theme


def draw_bar(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    """Draws the buttons; the one of the current mode is underlined."""
    pygame.draw.rect(surface, theme.panel, pygame_rect(layout.bar))
    modes = list(Mode)
    labels = [f"{mode.value} F{i + 2}" for i, mode in enumerate(modes)]
    labels += ["Menu N", "Light T" if model.dark else "Dark T", "Keys F1"]
    for i in range(BUTTONS):
        button = layout.button(i)
        chosen = i < len(modes) and modes[i] is model.mode
        if chosen:
            pygame.draw.rect(
                surface, theme.accent, (button.left, button.height - 3, button.width, 3)
            )
        text = cut(labels[i], button.width - 8, SMALL)
        label = render(text, SMALL, theme.accent if chosen else theme.text)
        surface.blit(
            label,
            (
                button.left + (button.width - label.get_width()) // 2,
                (button.height - label.get_height()) // 2,
            ),
        )
