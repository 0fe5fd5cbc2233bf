"""An order: boards that satisfy wishes, with certificates and difficulty, batch after batch."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from jaxsweep.puzzles.board import OrderedBoard, Source
from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.repair import search_repaired
from jaxsweep.puzzles.search import Drawn, search
from jaxsweep.puzzles.wishes import NO_LIMIT, WishError, Wishes

UNITS = (("years", 31_556_952), ("days", 86_400), ("hours", 3600), ("minutes", 60))
"""How long something takes is said in the first of these of which it takes two."""

CONFIDENCE = 3.0
"""If n deals have no board, there is less than one in n / 3, with 95 % confidence."""


@dataclass(frozen=True)
class Order:
    """What boards are asked for, and how they are made; raises `WishError` where they cannot be."""

    wishes: Wishes
    seed: int
    repaired: bool = False
    """Whether mines are moved until a board needs no guess, instead of dealing again."""
    plain: bool = False
    """Whether certificates and difficulty are left out."""

    def __post_init__(self):
        if self.repaired and not self.wishes.no_guess:
            raise WishError("only boards that are to need no guess are repaired")
        if self.plain and self.wishes.difficulty != NO_LIMIT:
            raise WishError("without certificates, no difficulty is known to choose boards by")


class Progress(NamedTuple):
    """What a range of deals led to."""

    end: int
    """The number behind the last deal."""
    boards: list[OrderedBoard]
    left_out: int
    """Boards that are too hard to count, or, repaired, given up."""


def make(order: Order, begin: int = 0) -> Iterator[Progress]:
    """Makes boards from deal `begin` on, without end; yields what each range of deals led to."""
    find = search_repaired if order.repaired else search
    for deals in find(order.wishes, order.seed, begin):
        boards, left_out = [], deals.left_out
        for drawn in deals.boards:
            if drawn.hardest is Tier.SINGLE and order.wishes.difficulty[0] > 0:
                continue  # Its difficulty is 0: no proof is needed to know.
            board = _finished(order, drawn)
            left_out += board.hardest is None and drawn.hardest is not None
            if _is_wanted(order.wishes, board):
                boards.append(board)
        yield Progress(deals.numbers.stop, boards, left_out)


def _finished(order: Order, drawn: Drawn) -> OrderedBoard:
    """Adds to a board what was asked for."""
    wishes = order.wishes
    source = Source(order.seed, drawn.game, order.repaired, wishes.text)
    about = (wishes.opening, drawn.mines, drawn.bbbv)
    if order.plain or drawn.hardest is None:
        return OrderedBoard(*about, drawn.hardest, None, source)
    return OrderedBoard.proved(*about, source)


def _is_wanted(wishes: Wishes, board: OrderedBoard) -> bool:
    """Returns whether a board that was finished satisfies the wishes that are left."""
    if wishes.no_guess and board.hardest is None:
        return False
    if wishes.difficulty == NO_LIMIT:
        return True
    low, high = wishes.difficulty
    return board.difficulty is not None and low <= board.difficulty.score <= high


def first_boards(
    order: Order, count: int, begin: int = 0, patience: float = 60.0
) -> Iterator[Progress]:
    """Makes so many boards, and no more; yields what each range of deals led to.

    Raises `WishError`, with how rare such boards are at most, after `patience` seconds without one.
    """
    left, start, last = count, time.perf_counter(), begin
    for progress in make(order, begin):
        boards = progress.boards[:left]
        left -= len(boards)
        now = time.perf_counter()
        # The boards of a range that are not wanted any more are found again if they are.
        end = progress.end if left or not boards else _game(boards[-1]) + 1
        yield Progress(end, boards, progress.left_out)
        if not left:
            return
        if boards:
            start, last = now, progress.end
        elif now - start > patience:
            raise WishError(_out_of_reach(order, progress.end - last, now - start, left))


def _game(board: OrderedBoard) -> int:
    assert board.source is not None, "it was made here"
    return board.source.game


def _out_of_reach(order: Order, deals: int, seconds: float, count: int) -> str:
    """Says how rare boards must be, how long the rest would take, and what can be done."""
    rare = deals / CONFIDENCE
    wait = count * rare * seconds / deals
    unit, size = next(((u, s) for u, s in UNITS if wait >= 2 * s), ("seconds", 1))
    how_long = f"{wait / size:,.0f} {unit}" if wait >= 1.5 else "a second"
    advice = "--patience SECONDS searches longer"
    if order.wishes.no_guess and not order.repaired:
        advice += ", and --repair moves mines instead of dealing again"
    if rare < 2:
        return (
            f"no board in {deals:,} deals and {seconds:.0f} s, too few to say how rare such boards "
            f"are ({order.wishes.text}); {advice}"
        )
    return (
        f"no board in {deals:,} deals and {seconds:.0f} s: fewer than one in {rare:,.0f} are what "
        f"is asked for ({order.wishes.text}), so {count:,} would take more than "
        f"{how_long} on average; {advice}"
    )
