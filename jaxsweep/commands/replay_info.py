"""`python -m jaxsweep.replay info`: what files hold, as a table or as JSON."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from jaxsweep.commands import arguments
from jaxsweep.formats import read, read_source, recognise
from jaxsweep.formats.facts import facts_of
from jaxsweep.runtime.errors import UserError


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
    for facts in facts_of(contents, recognise(data)):
        yield {"file": source, **facts}


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
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 200
    console.print(table)
