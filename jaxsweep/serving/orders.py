"""Boards to order over HTTP: what is asked for, and a search for it that ends in time."""

import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

from jaxsweep.metrics.board import BoardValue
from jaxsweep.puzzles.board import OrderedBoard, Source
from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.difficulty import QUANTILES
from jaxsweep.puzzles.ordering import CONFIDENCE, Order, make
from jaxsweep.puzzles.repair import PATIENT, repair_uncompiled
from jaxsweep.puzzles.search import Drawn, judge_uncompiled
from jaxsweep.puzzles.wishes import NO_LIMIT, Wishes
from jaxsweep.puzzles.wishes import Limits as Bounds
from jaxsweep.serving.limits import Limits, RefusedError
from jaxsweep.serving.reading import (
    GAME,
    RequestError,
    check_names,
    game_in,
    json_in,
    one_of,
    text_in,
)

DIFFICULTIES: dict[str, Bounds] = {
    "easy": (0.0, QUANTILES[7]),
    "middle": (QUANTILES[7], QUANTILES[13]),
    "hard": (QUANTILES[13], inf),
}
"""About a third each of the expert boards that need no guess."""

REPAIRS = ("never", "if-rare", "always")
"""When mines are moved: at once, or if no deal is what is asked for for a while."""

OF_LEVELS = tuple(name for name in GAME if name != "game")

NAMES = (*OF_LEVELS, "no_guess", "max_rule", "difficulty", "bbbv", "repair", "certificate")
"""What an order may say."""

SCALAR_SECONDS = 1.5
"""So long, boards are judged without machine code."""

DEALT = 0.2
"""Of the time, the share in which deals are judged before mines are moved."""

NOT_FOUND = 422


class Asked(NamedTuple):
    """An order over HTTP."""

    wishes: Wishes
    seed: int
    repair: str
    certificate: bool
    """Whether the certificate is part of the answer."""


def order_in(body: bytes, limits: Limits) -> Asked:
    """Reads an order in JSON; raises `UserError`."""
    fields = json_in(text_in(body) or "{}")
    if not isinstance(fields, dict):
        raise RequestError("expected an object with a level, or rows, cols and mines")
    check_names(fields, NAMES)
    query = {name: _text(name, fields[name]) for name in OF_LEVELS if name in fields}
    game = game_in(query, limits)
    rules = [tier.word for tier in Tier]
    words = {name: _text(name, fields[name]) for name in ("max_rule", "repair") if name in fields}
    wishes = Wishes(
        game.opening,
        _flag(fields, "no_guess", True),
        Tier[one_of(words, "max_rule", rules, Tier.EXACT.word).upper()],
        _bounds(fields, "difficulty", DIFFICULTIES),
        _bounds(fields, "bbbv", {}),
    )
    repair = one_of(words, "repair", REPAIRS, REPAIRS[0])
    # Raises where boards cannot be made in this way.
    Order(wishes, game.seed, repair == "always")
    return Asked(wishes, game.seed, repair, _flag(fields, "certificate", False))


def _text(name: str, value: Any) -> str:
    """Returns a value as a query has it."""
    if type(value) not in (int, str):
        raise RequestError(f'"{name}" must be a number or a word')
    # A number of thousands of digits is none that is allowed, and takes long to write.
    return str(value) if isinstance(value, str) or abs(value) < 2**64 else "a very large number"


def _flag(fields: Mapping[str, Any], name: str, default: bool) -> bool:
    value = fields.get(name, default)
    if not isinstance(value, bool):
        raise RequestError(f'"{name}" must be true or false')
    return value


def _bounds(fields: Mapping[str, Any], name: str, words: Mapping[str, Bounds]) -> Bounds:
    """Reads a word, or the least and the largest; null is no limit."""
    value = fields.get(name)
    if value is None:
        return NO_LIMIT
    if isinstance(value, str) and value in words:
        return words[value]
    if isinstance(value, list) and len(value) == 2:
        low, high = (no if end is None else end for end, no in zip(value, NO_LIMIT, strict=True))
        if all(type(end) in (int, float) and abs(end) <= inf for end in (low, high)):
            return min(low, 2**31), min(high, 2**31) if high < inf else inf
    known = f"one of {', '.join(words)}, or " if words else ""
    raise RequestError(f'"{name}" must be {known}two numbers, the least and the largest')


def find_board(asked: Asked, seconds: float) -> dict[str, Any]:
    """Finds the first board of the seed that is as asked for, as `boards --json` prints it.

    Raises `RefusedError`, which says how rare such boards are, after so many seconds without one.
    """
    order = Order(asked.wishes, asked.seed, asked.repair == "always")
    share = DEALT if asked.repair == "if-rare" else 1.0
    deals, board = _search(order, share * seconds)
    if board is None and asked.repair == "if-rare":
        more, board = _search(replace(order, repaired=True), (1 - share) * seconds)
        deals += more
    if board is None:
        raise RefusedError(NOT_FOUND, _too_rare(asked, deals))
    found = board.to_json()
    return found if asked.certificate else found | {"certificate": None}


def _too_rare(asked: Asked, deals: int) -> str:
    rare = deals / CONFIDENCE
    how = f": fewer than one in {rare:,.0f}" if rare >= 2 else ", too few to say how rare they are"
    advice = "wish for less"
    if asked.repair == "never" and asked.wishes.no_guess:
        advice += ', or let mines be moved: "repair": "if-rare"'
    return f"no such board in {deals:,} deals{how} ({asked.wishes.text}); {advice}"


def _search(order: Order, seconds: float) -> tuple[int, OrderedBoard | None]:
    """Returns how many deals were judged, and the first board that is as asked for."""
    end, deals = time.monotonic() + seconds, 0
    for deals, boards in _boards(order):
        if boards:
            return deals, boards[0]
        if time.monotonic() > end:
            break
    return deals, None


def _boards(order: Order) -> Iterator[tuple[int, list[OrderedBoard]]]:
    """Yields how many deals were judged, and which of them are as asked for; without end.

    Machine code judges thousands a second on all cores, but takes seconds to load: the first deals
    are judged without it, and all where it is not on disk. The boards of a seed are the same.
    """
    machine_code = "repair.repair_board" if order.repaired else "no_guess.find_boards"
    begin, game = time.monotonic(), 0
    for game in itertools.count():
        boards = _judged(order, game)
        if boards is None or time.monotonic() > begin + SCALAR_SECONDS:
            # Imported here, with Numba.
            from jaxsweep.native.compiler import is_on_disk

            if is_on_disk(machine_code):
                break
        yield game + 1, boards or []
    yield from ((progress.end, progress.boards) for progress in make(order, game))


def _judged(order: Order, game: int) -> list[OrderedBoard] | None:
    """Returns the board of a deal, if it is as asked for; None if repairing it takes long."""
    wishes = order.wishes
    if order.repaired:
        mines, hardest = repair_uncompiled(wishes, order.seed, game, PATIENT)
        if hardest is None:
            return None
        drawn = [Drawn(game, mines, BoardValue.of(mines).bbbv, hardest)]
    else:
        drawn = judge_uncompiled(wishes, order.seed, range(game, game + 1)).boards
    source = Source(order.seed, game, order.repaired, wishes.text)
    boards = [OrderedBoard.proved(wishes.opening, d.mines, d.bbbv, source) for d in drawn]
    return [board for board in boards if _is_wanted(wishes, board)]


def _is_wanted(wishes: Wishes, board: OrderedBoard) -> bool:
    """Whether a board satisfies wishes, also those that repairing does not aim at."""
    if not wishes.bbbv[0] <= board.bbbv <= wishes.bbbv[1]:
        return False
    if board.difficulty is None:
        return not wishes.no_guess
    low, high = wishes.difficulty
    return low <= board.difficulty.score <= high
