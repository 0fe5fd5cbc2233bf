"""The clipboard of the system, or the window's own if there is none."""

import pygame

_own = ""


def put(text: str) -> None:
    """Puts a text on the clipboard."""
    global _own
    _own = text
    try:
        _begin()
        pygame.scrap.put(pygame.SCRAP_TEXT, text.encode())
    except pygame.error:
        return  # No clipboard but our own.


def text() -> str:
    """Returns the text on the clipboard, or an empty one."""
    try:
        _begin()
        data = pygame.scrap.get(pygame.SCRAP_TEXT)
    except pygame.error:
        data = None
    return data.rstrip(b"\0").decode(errors="replace") if data else _own


def _begin() -> None:
    if not pygame.scrap.get_init():
        pygame.scrap.init()
