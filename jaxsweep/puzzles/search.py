"""Boards that satisfy wishes, drawn uniformly from all that do: deals are rejected until one does.

The deals are the arena's games of a seed, in their order, so that the boards of a seed are the same
however many are asked for, and on however many cores. Machine code rejects thousands a second; the
first ones are judged without it where it is not compiled yet.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from jaxtyping import Bool, Int64

from jaxsweep.metrics.board import BoardValue
from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.proofs import prove
from jaxsweep.puzzles.wishes import NO_LIMIT, Limits, Wishes
from jaxsweep.rules.board import Mask
from jaxsweep.runtime.in_order import map_in_order
from jaxsweep.scalar.deal import deal

CHUNK = 256
"""Deals that a thread judges at once in machine code."""

FEW = 8
"""Deals that are judged at once without."""

UNCOMPILED = 2_000
"""So many deals take about as long without machine code as compiling it does."""

Found = TypeVar("Found")


class Drawn(NamedTuple):
    """A board that satisfies all wishes but, if there is one, that about its difficulty."""

    game: int
    mines: Mask
    bbbv: int
    hardest: Tier | None
    """The hardest rule that it needs; None if a guess is needed."""


class Deals(NamedTuple):
    """What a range of deals led to."""

    numbers: range
    boards: list[Drawn]
    left_out: int
    """Boards of which exact counting took more states than allowed."""


def search(wishes: Wishes, seed: int, begin: int = 0) -> Iterator[Deals]:
    """Judges the deals of a seed from number `begin` on, without end; yields them in order."""
    return first_without_machine_code(
        lambda numbers: judge_uncompiled(wishes, seed, numbers),
        lambda numbers: _judge(wishes, seed, numbers),
        "no_guess.find_boards",
        begin,
        (FEW, CHUNK, UNCOMPILED),
    )


def first_without_machine_code(
    uncompiled: Callable[[range], Found | None],
    compiled: Callable[[range], Found],
    function: str,
    begin: int,
    sizes: tuple[int, int, int],
) -> Iterator[Found]:
    """Yields what becomes of ranges of deals, in order and without end.

    Args:
        uncompiled: makes it without machine code, in this thread; None where that would take long,
            so that machine code is used from there on.
        compiled: makes the same with machine code, on all cores.
        function: what is compiled, as `module.name`: where it is on disk, it is used at once.
        begin: the first deal.
        sizes: deals in a range without machine code and with it, and how many are judged without.

    """
    # Imported here: command lines that refuse bad input do not wait for the compiler.
    from jaxsweep.native.compiler import is_on_disk

    few, chunk, most = sizes
    end = begin
    if not is_on_disk(function):
        for numbers in _ranges(begin, few, begin + most):
            found = uncompiled(numbers)
            if found is None:
                break
            yield found
            end = numbers.stop
    yield from map_in_order(compiled, _ranges(end, chunk))


def _ranges(begin: int, size: int, end: int | None = None) -> Iterable[range]:
    """Cuts the numbers from `begin` on into ranges; without `end`, they do not end."""
    starts = itertools.count(begin, size) if end is None else range(begin, end, size)
    return (range(start, start + size) for start in starts)


def judge_uncompiled(wishes: Wishes, seed: int, numbers: range) -> Deals:
    """Judges deals by the scalar path."""
    boards, left_out = [], 0
    for game in numbers:
        mines = deal(wishes.opening, seed, game)
        bbbv = BoardValue.of(mines).bbbv
        if not wishes.bbbv[0] <= bbbv <= wishes.bbbv[1]:
            continue
        proof = prove(mines, wishes.opening.first, wishes.max_rule)
        left_out += proof.beyond
        if proof.solved or not (wishes.no_guess or proof.beyond):
            boards.append(Drawn(game, mines, bbbv, proof.hardest if proof.solved else None))
    return Deals(numbers, boards, left_out)


def _judge(wishes: Wishes, seed: int, numbers: range) -> Deals:
    """Judges deals in machine code; those that exceed its capacity by the scalar path."""
    from jaxsweep.native.deductions import BEYOND
    from jaxsweep.native.no_guess import find_boards, make_search_room
    from jaxsweep.native.thread_memory import thread_memory

    opening, level = wishes.opening, wishes.opening.level
    space = thread_memory(make_search_room, opening, CHUNK)
    asked = (seed, wishes.no_guess, int(wishes.max_rule), *_whole(wishes.bbbv))
    first = opening.first[0] * level.cols + opening.first[1]
    count = find_boards(numbers.start, numbers.stop, first, asked, space)
    boards, left_out = [], 0
    for (game, rule, bbbv), layout in zip(
        space.found[:count].tolist(), space.boards.layouts[:count], strict=True
    ):
        if rule == BEYOND:
            again = judge_uncompiled(wishes, seed, range(game, game + 1))
            boards += again.boards
            left_out += again.left_out
        else:
            mines = layout.reshape(level.rows, level.cols) != 0
            boards.append(Drawn(game, mines, bbbv, Tier(rule) if rule >= 0 else None))
    return Deals(numbers, boards, left_out)


def _whole(limits: Limits) -> tuple[int, int]:
    """Returns limits of the 3BV as whole numbers, which boards of any size reach or do not."""
    largest = 2**31
    return min(int(np.ceil(limits[0])), largest), int(min(limits[1], largest))


class Layouts(NamedTuple):
    """Boards as arrays."""

    mines: Bool[np.ndarray, "boards rows cols"]
    games: Int64[np.ndarray, " boards"]
    """The numbers of the deals that they are."""


def draw_layouts(wishes: Wishes, count: int, seed: int) -> Layouts:
    """Draws the first boards of a seed that satisfy wishes, as arrays, without certificates.

    Raises `ValueError` for wishes about the difficulty, which certificates measure.
    """
    if wishes.difficulty != NO_LIMIT:
        raise ValueError("layouts are drawn without certificates, which measure difficulty")
    boards: list[Drawn] = []
    for deals in search(wishes, seed):
        boards += deals.boards
        if len(boards) >= count:
            break
    chosen = boards[:count]
    return Layouts(
        np.stack([board.mines for board in chosen]), np.array([board.game for board in chosen])
    )
