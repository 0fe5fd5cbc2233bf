"""One of the games or positions that a file holds, and it in another format."""

from collections.abc import Sequence
from typing import TypeVar

from jaxsweep.formats import write
from jaxsweep.formats.base import Content, FormatError
from jaxsweep.formats.conversion import as_position, games_in, positions_in

T = TypeVar("T")

POSITIONS = ("mine", "position", "jsminesweeper")
"""The formats that hold what a player sees."""

OPTIONS = ("--game ", "--move ")
"""How command lines ask for the number of a game, and of a move."""


def choose(found: Sequence[T], number: int | None, option: str = OPTIONS[0]) -> T:
    """Returns the numbered one, from 1; if there are several, they must be numbered.

    Raises `FormatError`, which says how to give the number: by `option`.
    """
    if not found:
        raise FormatError("there is no game in it")
    if number is None and len(found) > 1:
        raise FormatError(f"{len(found)} games: choose one with {option}1 to {len(found)}")
    if number is not None and not 1 <= number <= len(found):
        raise FormatError(f"there is no game {number}: it holds {len(found)}")
    return found[(number or 1) - 1]


def converted(
    contents: Sequence[Content],
    to: str,
    number: int | None = None,
    move: int | None = None,
    options: tuple[str, str] = OPTIONS,
) -> bytes:
    """Returns one of the contents of a file as the bytes of a file of another format.

    Args:
        contents: all that the file holds.
        to: the name of the format, one of those that are written.
        number: which one, from 1; None if there is only one.
        move: to a position, what was seen after so many moves; by default at the end.
        options: how these two numbers are asked for, to name them in what is wrong.

    Raises `FormatError` where there is none, or no room for it in the format.

    """
    if to in POSITIONS:
        seen = choose(positions_in(contents), number, options[0])
        return write(to, as_position(seen, move))
    if move is not None:
        raise FormatError(f"{options[1].strip(' =')} is for positions: {', '.join(POSITIONS)}")
    return write(to, choose(games_in(contents) or contents, number, options[0]))
