"""What requests ask for, read from their bodies and queries; nothing is computed here."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jaxsweep.formats.link import looks_like_link
from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.rules.notation import (
    GridPosition,
    Lines,
    PositionError,
    from_fields,
    from_lines,
    read,
)
from jaxsweep.rules.notation import split as split_text
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.players import BEST, PLAYERS
from jaxsweep.serving.files import Which, is_foreign, seen_in
from jaxsweep.serving.limits import Limits, RefusedError, check_size

Unread = Lines | str | Any
"""A position as it is in a body: lines, a text, or plain data."""

GAME = ("level", "rows", "cols", "mines", "start", "row", "col", "seed", "game")
"""What a query may say about a game."""


class RequestError(UserError):
    """A query that is not possible; says which part, and why."""


class Asked(NamedTuple):
    """The positions of a body, not read yet."""

    positions: list[Unread]
    several: bool
    """Whether the answer is an array."""


@dataclass(frozen=True)
class Game:
    """A game of a seed, and its player."""

    opening: Opening
    seed: int
    number: int
    player: str


def positions_in(body: bytes, limits: Limits) -> Asked | None:
    """Finds the positions in a body: text, JSON, or a JSON array of either; None for other files.

    Those are read by `files.seen_in`, in a process that can be ended.
    """
    if is_foreign(body):
        return None
    text = text_in(body)
    is_json = text.lstrip()[:1] in ("{", "[", '"')
    data = json_in(text) if is_json else text
    found: list[Unread]
    if isinstance(data, str) and not (is_json and looks_like_link(data)):
        found = list(split_text(data))
        several = len(found) > 1
    else:
        several = isinstance(data, list)
        found = data if isinstance(data, list) else [data]
    if not found:
        raise PositionError("an array without a position")
    if len(found) > limits.positions:
        most = f"{limits.positions:,} at most"
        raise RefusedError(413, f"{len(found):,} positions in one request: {most}")
    return Asked(found, several)


def text_in(body: bytes) -> str:
    """Reads text, also with the mark that some editors begin it with; or raises `RequestError`."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"byte {error.start} is not text") from None


def json_in(text: str) -> Any:
    """Reads JSON; raises `PositionError`, which says where it is none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise PositionError(f"{where}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise PositionError("not JSON: nested too deep or a number too long") from None


def read_position(unread: Unread, limits: Limits) -> GridPosition:
    """Reads one of the positions that `positions_in` found."""
    if isinstance(unread, str) and looks_like_link(unread):
        # In JSON, a text may have halves of characters, which are said to be none.
        (position,) = seen_in(unread.encode(errors="surrogatepass"), Which(), limits)
    elif isinstance(unread, str):
        position = read(unread)
    elif isinstance(unread, list) and all(isinstance(line, tuple) for line in unread):
        position = from_lines(unread)
    else:
        position = from_fields(unread)
    rows, cols = position.grid.shape
    check_size(rows, cols, limits)
    return position


def game_in(query: Mapping[str, str], limits: Limits, with_player: bool = False) -> Game:
    """Reads the game that a query asks for; a seed that it does not name is chosen at random."""
    check_names(query, (*GAME, "player") if with_player else GAME)
    level = _level(query)
    check_size(level.rows, level.cols, limits)
    start = one_of(query, "start", [rule.value for rule in Start], Start.SAFE.value)
    first = None
    if "row" in query or "col" in query:
        first = whole_number(query, "row", 0, 2**31), whole_number(query, "col", 0, 2**31)
    return Game(
        Opening.of(level, Start(start), first),
        whole_number(query, "seed", 0, 2**32 - 1, secrets.randbits(32)),
        whole_number(query, "game", 0, 2**32 - 1, 0),
        one_of(query, "player", list(PLAYERS), BEST),
    )


def which_in(query: Mapping[str, str], *others: str) -> Which:
    """Reads which game of a file a query asks for, and after how many moves.

    `others` are parameters that it may have besides.
    """
    check_names(query, (*Which._fields, *others))
    most = 2**32 - 1
    game = whole_number(query, "game", 1, most) if "game" in query else None
    return Which(game, whole_number(query, "move", 0, most) if "move" in query else None)


def check_names(query: Mapping[str, object], allowed: Sequence[str]) -> None:
    """Raises `RequestError` for a parameter that there is not."""
    for name in query:
        if name not in allowed:
            known = f"there are {', '.join(allowed)}" if allowed else "there are none"
            raise RequestError(f"no parameter {name[:40]!r}; {known}")


def _level(query: Mapping[str, str]) -> Level:
    sizes = [name for name in ("rows", "cols", "mines") if name in query]
    if "level" in query and sizes:
        raise RequestError(f'"{sizes[0]}" does not go with "level"')
    if sizes:
        rows, cols = (whole_number(query, name, 0, 10**9) for name in ("rows", "cols"))
        return Level(rows, cols, whole_number(query, "mines", 0, 10**9))
    name = query.get("level", "beginner")
    if name not in LEVELS:
        raise LevelError(f"no level {name[:40]!r}; there are {', '.join(LEVELS)}")
    return LEVELS[name]


def whole_number(
    query: Mapping[str, str], name: str, low: int, high: int, default: int | None = None
) -> int:
    """Reads a whole number; raises `RequestError` if it is none, or missing."""
    text = query.get(name)
    if text is None and default is not None:
        return default
    if text is None:
        raise RequestError(f'"{name}" is missing')
    if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
        raise RequestError(f'"{name}" must be a whole number, {low} to {high}, not {text[:40]!r}')
    return int(text)


def one_of(
    query: Mapping[str, str], name: str, known: Sequence[str], default: str | None = None
) -> str:
    """Reads one of some words; raises `RequestError` for others, or if it is missing."""
    value = query.get(name, default)
    if value is None:
        raise RequestError(f'"{name}" is missing; it is one of {", ".join(known)}')
    if value not in known:
        raise RequestError(f'"{name}" must be one of {", ".join(known)}, not {value[:40]!r}')
    return value
