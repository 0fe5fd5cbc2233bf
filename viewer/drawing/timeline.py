"""The timeline under a replay: the risk of each move, and the place of the playback."""

import pygame
from pygame import Surface

from viewer.drawing.shapes import pygame_rect
from viewer.drawing.text import SMALL, write
from viewer.layout import MARGIN, Rect
from viewer.playback import SPEEDS, Playback
from viewer.theme import Theme


def draw_timeline(surface: Surface, playback: Playback | None, theme: Theme, rect: Rect) -> None:
    """Draws a bar for each move, taller the riskier, and a line where the playback is."""
    pygame.draw.rect(surface, theme.panel, pygame_rect(rect))
    if playback is None or not playback.moves:
        return
    base, room, count = rect.top + rect.height - 22, rect.height - 34, len(playback.moves)
    pygame.draw.line(surface, theme.grid, (rect.left, base), (rect.left + rect.width, base))
    for i, move in enumerate(playback.moves):
        left = rect.left + round(i * rect.width / count)
        width = max(round((i + 1) * rect.width / count) - round(i * rect.width / count) - 1, 1)
        if move.reason.is_guess:
            # The height of a bar is the risk; a bar of full height would be a certain mine.
            height = 8 if move.risk is None else max(round(room * min(move.risk, 1.0)), 4)
            colour = theme.faint if move.risk is None else theme.mine
            pygame.draw.rect(surface, colour, (left, base - height, width, height))
        else:
            pygame.draw.rect(surface, theme.safe, (left, base - 3, width, 3))
    here = rect.left + round(playback.at * rect.width / count)
    here = min(here, rect.left + rect.width - 2)
    pygame.draw.line(surface, theme.text, (here, rect.top + 4), (here, base + 4), 2)
    state = "running" if playback.running else "Space runs it"
    speed = f"{SPEEDS[playback.speed]:g} move{'' if SPEEDS[playback.speed] == 1 else 's'} a second"
    write(
        surface,
        f"{state}, {speed}; G: next guess",
        (rect.left + MARGIN, base + 6),
        SMALL - 2,
        theme.faint,
    )
