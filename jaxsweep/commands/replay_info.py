"""`python -m jaxsweep.replay info`: what files hold, as a table or as JSON."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from jaxsweep.commands import arguments
from jaxsweep.formats import Content, read, read_source, recognise
from jaxsweep.formats.conversion import as_game, games_in
from jaxsweep.metrics.board import BoardValue
from jaxsweep.metrics.game import game_metrics
from jaxsweep.metrics.luck import luck
from jaxsweep.metrics.zini import hzini, zini
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.clicks import ClickedGame, played
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.status import GameStatus
from jaxsweep.runtime.errors import UserError

OF_BOARDS = ("mine_cells", "bbbv", "openings", "islands", "zini", "hzini")
"""What only files say that say where the mines are."""

OF_GAMES = ("seconds", "won", "left", "right", "chords", "flags", "pluck")
"""What only files say that hold clicks."""

FIELDS = ("file", "format", "rows", "cols", "mines", *OF_BOARDS, *OF_GAMES)


def report(files: Sequence[str], as_json: bool) -> int:
    """Prints what files hold; of those that cannot be read, says so, and returns status 2."""
    found: list[dict[str, Any]] = []
    status = 0
    for file in files:
        try:
            for facts in describe(file):
                found.append(facts)
                if as_json:
                    print(json.dumps(facts), flush=True)
        except (UserError, OSError) as error:
            print(f"jaxsweep: {arguments.sentence(error)}", file=sys.stderr)
            status = arguments.USAGE_ERROR
    if not as_json and found:
        _print_table(found)
    return status


def describe(source: str) -> Iterator[dict[str, Any]]:
    """Yields what each game of a file, or else each position, says; None where it says nothing."""
    data, name = read_source(source)
    contents = read(data, name)
    known = recognise(data)
    for content in games_in(contents) or contents:
        about: dict[str, Any] = dict.fromkeys(FIELDS)
        about |= {"file": source, "format": known}
        yield about | _facts(content)


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
    *_, last = played(game)
    return {
        "seconds": game.seconds,
        "won": metrics.status is GameStatus.WON,
        "left": metrics.left,
        "right": metrics.right,
        "chords": metrics.chords,
        "flags": int(np.count_nonzero(last.after.flags)),
        "pluck": luck(game),
    }


COLUMNS = {
    "won": lambda facts: {None: "", True: "won", False: "no"}[facts["won"]],
    "seconds": lambda facts: _number(facts["seconds"], ".3f"),
    "3BV": lambda facts: _number(facts["bbbv"]),
    "ZiNi": lambda facts: _number(facts["zini"]),
    "HZiNi": lambda facts: _number(facts["hzini"]),
    "clicks": lambda facts: "+".join(_number(facts[key]) for key in CLICKS).strip("+"),
    "luck": lambda facts: _number(facts["pluck"], ".2f"),
}
"""The columns of the table after the file, its format and the level; clicks by button."""

CLICKS = ("left", "right", "chords")


def _number(value: float | int | None, style: str = "") -> str:
    return "" if value is None else format(value, style)


def _print_table(found: list[dict[str, Any]]) -> None:
    """Prints a line for each game."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("file", overflow="fold")
    for name in ("format", "level"):
        table.add_column(name, no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for facts in found:
        level = f"{facts['rows']}×{facts['cols']}/{facts['mines']}"
        cells = [cell(facts) for cell in COLUMNS.values()]
        name = "link" if facts["file"].startswith("http") else facts["file"].rpartition("/")[2]
        table.add_row(name, facts["format"], level, *cells)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 200
    console.print(table)
