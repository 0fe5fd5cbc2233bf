"""What the games and positions of a file say of themselves: board, clicks, 3BV, ZiNi, luck."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jaxsweep.formats.base import Content
from jaxsweep.formats.conversion import as_game, games_in
from jaxsweep.metrics.board import BoardValue
from jaxsweep.metrics.game import game_metrics
from jaxsweep.metrics.luck import luck
from jaxsweep.metrics.zini import hzini, zini
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.clicks import ClickedGame, played
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.status import GameStatus

OF_BOARDS = ("mine_cells", "bbbv", "openings", "islands", "zini", "hzini")
"""What only files say that say where the mines are."""

OF_GAMES = ("seconds", "won", "left", "right", "chords", "flags", "pluck")
"""What only files say that hold clicks."""

FIELDS = ("format", "rows", "cols", "mines", *OF_BOARDS, *OF_GAMES)


def facts_of(contents: Sequence[Content], known: str) -> Iterator[dict[str, Any]]:
    """Yields what each game, or else each position, says; None where it says nothing.

    `known` is the name of the format in which they were read.
    """
    for content in games_in(contents) or contents:
        yield dict.fromkeys(FIELDS) | {"format": known} | _facts(content)


def _facts(content: Content) -> dict[str, Any]:
    if isinstance(content, GridPosition):
        rows, cols = content.grid.shape
        return {"rows": rows, "cols": cols, "mines": content.mines}
    game = as_game(content)
    rows, cols = game.mines.shape
    facts: dict[str, Any] = {"rows": rows, "cols": cols, "mines": int(game.mines.sum())}
    value = BoardValue.of(game.mines)
    facts |= {"mine_cells": [list(cell) for cell in cells_of(game.mines)], "bbbv": value.bbbv}
    facts |= {"openings": value.opening_count, "islands": value.islands}
    facts |= {"zini": zini(game.mines), "hzini": hzini(game.mines)}
    return facts | (_clicks(game) if game.clicks else {})


def _clicks(game: ClickedGame) -> dict[str, Any]:
    """Returns what the clicks of a game say."""
    metrics = game_metrics(game)
    (last,) = deque(played(game), maxlen=1)
    return {
        "seconds": game.seconds,
        "won": metrics.status is GameStatus.WON,
        "left": metrics.left,
        "right": metrics.right,
        "chords": metrics.chords,
        "flags": int(np.count_nonzero(last.after.flags)),
        "pluck": luck(game),
    }
