"""The menu and the help, drawn over everything else."""

from pygame import Surface

from viewer.drawing.shapes import draw_box
from viewer.drawing.text import SMALL, TEXT, cut, write
from viewer.help import HELP
from viewer.layout import MARGIN
from viewer.menu import MENU_ROWS
from viewer.model import Menu
from viewer.theme import Theme


def draw_menu(surface: Surface, menu: Menu, theme: Theme) -> None:
    """Draws the rows of the menu with their settings; the selected one stands out."""
    settings = menu.draft
    values = (
        str(settings.level),
        settings.start.value,
        "none needed, in Play" if settings.no_guess else "may be needed",
        settings.strategy,
        str(settings.seed),
        settings.name,
    )
    width = min(430, surface.get_width() - 2 * MARGIN)
    height = (len(MENU_ROWS) + 2) * 30 + 24
    left = (surface.get_width() - width) // 2
    top = max((surface.get_height() - height) // 2, 0)
    draw_box(surface, theme, (left, top, width, height))
    for i, (name, value) in enumerate(zip(MENU_ROWS, values, strict=True)):
        y = top + 16 + i * 30
        colour = theme.accent if i == menu.row else theme.text
        write(surface, name, (left + 20, y), TEXT, colour)
        typed = value + ("_" if i == menu.row else "")
        shown = f"‹ {value} ›" if i == menu.row and name != "Name" else typed
        write(surface, cut(shown, width - 150, TEXT), (left + 130, y), TEXT, colour)
    hint = "arrows choose, Enter applies, Esc closes"
    text = cut(hint, width - 40, SMALL)
    write(surface, text, (left + 20, top + height - 34), SMALL, theme.faint)


def draw_help(surface: Surface, theme: Theme) -> None:
    """Draws the keys and what they do, as large as fits."""
    count = sum(len(keys) + 1 for _, keys in HELP)
    step = min(max((surface.get_height() - 40) // (count + 1), 9), 24)
    height = (count + 1) * step + 10
    width = min(560, surface.get_width() - 2 * MARGIN)
    left = (surface.get_width() - width) // 2
    top = max((surface.get_height() - height) // 2, 0)
    letters = max(min(step - 8, TEXT), 7)
    draw_box(surface, theme, (left, top, width, height))
    y = top + 12
    for name, keys in HELP:
        write(surface, name, (left + 18, y), letters, theme.accent)
        y += step
        for key, meaning in keys:
            write(surface, key, (left + 30, y), letters, theme.text)
            write(surface, cut(meaning, width - 210, letters), (left + 190, y), letters, theme.text)
            y += step
