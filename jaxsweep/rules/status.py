"""The status of a game: shared by the device's rules (`game`) and the host's (`board`)."""

import enum


class GameStatus(enum.IntEnum):
    """Whether a game is under way, won or lost."""

    PLAYING = 0
    WON = 1
    LOST = 2
