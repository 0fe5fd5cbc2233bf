"""The timeline under a replay: risks, the chance to win, and the place of the playback."""

import pygame
from pygame import Surface

from jaxsweep.single.grading.report import MISTAKE
from viewer.drawing.shapes import pygame_rect
from viewer.drawing.text import SMALL, write
from viewer.layout import MARGIN, Rect
from viewer.playback import SPEEDS, Playback
from viewer.theme import Theme


def draw_timeline(surface: Surface, playback: Playback | None, theme: Theme, rect: Rect) -> None:
    """Draws a bar for each move, taller the riskier, and a line where the playback is.

    A replay that is graded has a curve of its chance to win, on which mistakes are marked.
    """
    pygame.draw.rect(surface, theme.panel, pygame_rect(rect))
    if playback is None or not playback.moves:
        return
    base, room, count = rect.top + rect.height - 22, rect.height - 34, len(playback.moves)
    pygame.draw.line(surface, theme.grid, (rect.left, base), (rect.left + rect.width, base))
    for i in range(count):
        left = rect.left + round(i * rect.width / count)
        width = max(rect.left + round((i + 1) * rect.width / count) - left - 1, 1)
        if playback.is_guess(i):
            # The height of a bar is the risk; a bar of full height would be a certain mine.
            risk = playback.risk(i)
            height = 8 if risk is None else max(round(room * min(risk, 1.0)), 4)
            colour = theme.faint if risk is None else theme.mine
            pygame.draw.rect(surface, colour, (left, base - height, width, height))
        else:
            pygame.draw.rect(surface, theme.safe, (left, base - 3, width, 3))
    if playback.chances:
        _draw_chances(surface, playback, theme, rect, base, room)
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


def _draw_chances(
    surface: Surface, playback: Playback, theme: Theme, rect: Rect, base: int, room: int
) -> None:
    """Draws the chance to win as steps, and at a mistake what it lost, from the curve down."""
    count, chances = len(playback.moves), playback.chances

    def at(index: int, chance: float) -> tuple[int, int]:
        return rect.left + round(index * rect.width / count), base - round(room * chance)

    steps = [at(0, chances[0])]
    for index, chance in enumerate(chances[1:]):
        steps += [at(index, chance), at(index + 1, chance)]
    pygame.draw.lines(surface, theme.accent, False, steps, 2)
    for number, move in playback.graded.items():
        if move.loss >= MISTAKE:
            top, bottom = at(number - 1, move.win_before), at(number - 1, move.value)
            pygame.draw.line(surface, theme.mine, top, bottom, 5)
            pygame.draw.circle(surface, theme.mine, top, 5)
