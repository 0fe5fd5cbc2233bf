"""Boards made solvable by moving mines: for densities at which hardly any deal is.

`native.repair` has the method, and this module the same in Python, for the first boards where
machine code is not compiled yet. Repaired boards are not drawn uniformly: `docs/boards.md` says how
they differ.
"""

from collections.abc import Iterator

from jaxsweep.metrics.board import BoardValue
from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.proofs import prove
from jaxsweep.puzzles.search import Deals, Drawn, first_without_machine_code
from jaxsweep.puzzles.wishes import Wishes
from jaxsweep.rules.board import Mask
from jaxsweep.rules.level import Level
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.geometry import from_mask, geometry, indices, union

TRIES = 50_000
"""The most changes of a board until it is given up."""

TRIED_CELLS = 20_000_000
"""The most cells of all boards that are tried then: no board takes more than a second or two."""

PATIENT = 1_000
"""Without machine code, a board that needs more changes is left to it."""

NEARBY = 0.5
"""How often a cell changes places with one that is hidden, rather than with any other."""

DRAWS = 64
"""So often a cell to change places with is drawn before another change is tried."""

CHUNK = 4
"""Boards that a thread repairs at once in machine code."""

UNCOMPILED = 20
"""So many boards take about as long without machine code as compiling it does."""


def search_repaired(wishes: Wishes, seed: int, begin: int = 0) -> Iterator[Deals]:
    """Repairs the deals of a seed from number `begin` on, without end; yields them in order."""
    return first_without_machine_code(
        lambda numbers: _repair_uncompiled(wishes, seed, numbers),
        lambda numbers: _repair(wishes, seed, numbers),
        "repair.repair_board",
        begin,
        (1, CHUNK, UNCOMPILED),
    )


def tries_of(level: Level) -> int:
    """Returns how many changes of a board are tried."""
    return min(TRIES, TRIED_CELLS // level.cells)


def _repair(wishes: Wishes, seed: int, numbers: range) -> Deals:
    """Repairs deals in machine code."""
    from jaxsweep.native.no_guess import count_3bv
    from jaxsweep.native.repair import make_repair_room, repair_board
    from jaxsweep.native.thread_memory import thread_memory

    opening, level = wishes.opening, wishes.opening.level
    first = opening.first[0] * level.cols + opening.first[1]
    space, tries = thread_memory(make_repair_room, opening), tries_of(level)
    boards, left_out = [], 0
    for game in numbers:
        rule, _ = repair_board(seed, game, first, int(wishes.max_rule), tries, space)
        bbbv = count_3bv(0, space.boards)
        left_out += rule < 0
        if rule >= 0 and wishes.bbbv[0] <= bbbv <= wishes.bbbv[1]:
            mines = space.boards.layouts[0].reshape(level.rows, level.cols) != 0
            boards.append(Drawn(game, mines, bbbv, Tier(rule)))
    return Deals(numbers, boards, left_out)


def _repair_uncompiled(wishes: Wishes, seed: int, numbers: range) -> Deals | None:
    """Repairs deals by the scalar path; returns None if one needs many changes."""
    boards = []
    for game in numbers:
        mines, hardest = repair_uncompiled(wishes, seed, game, PATIENT)
        if hardest is None:
            return None
        bbbv = BoardValue.of(mines).bbbv
        if wishes.bbbv[0] <= bbbv <= wishes.bbbv[1]:
            boards.append(Drawn(game, mines, bbbv, hardest))
    return Deals(numbers, boards, 0)


def repair_uncompiled(wishes: Wishes, seed: int, game: int, tries: int) -> tuple[Mask, Tier | None]:
    """Repairs one deal as `native.repair.repair_board`; the rule is None if it is given up."""
    opening, most = wishes.opening, wishes.max_rule
    mines = deal(opening, seed, game)
    first = opening.first[0] * opening.level.cols + opening.first[1]
    allowed = from_mask(opening.allowed_mines()) & ~(1 << first)
    random = _SplitMix(_mix(_mix(seed) ^ game))
    proof = prove(mines, opening.first, most)
    opened, known = proof.opened, proof.known_mines
    hidden, stuck = _cells(mines, opened, known)
    layout = mines.ravel()
    for _ in range(tries):
        if proof.solved:
            return mines, proof.hardest
        one = stuck[int(random.next() * len(stuck))]
        nearby = random.next() < NEARBY
        other = one
        for _ in range(DRAWS):
            draw = random.next()
            other = hidden[int(draw * len(hidden))] if nearby else int(draw * layout.size)
            if layout[other] != layout[one]:
                break
        target = other if layout[one] else one
        if layout[other] == layout[one] or not allowed >> target & 1:
            continue
        layout[[one, other]] = layout[[other, one]]
        proof = prove(mines, opening.first, most)
        if not proof.beyond and proof.opened.bit_count() >= opened.bit_count():
            opened, known = proof.opened, proof.known_mines
            hidden, stuck = _cells(mines, opened, known)
        elif not proof.solved:
            layout[[one, other]] = layout[[other, one]]
    return mines, proof.hardest if proof.solved else None


def _cells(mines: Mask, opened: int, known: int) -> tuple[list[int], list[int]]:
    """Lists the hidden cells, and those of them where a solver is stuck."""
    board = geometry(*mines.shape)
    hidden = indices(board.all_cells & ~opened & ~known)
    around = union(board.near[cell] for cell in indices(opened))
    stuck = [cell for cell in hidden if around >> cell & 1]
    return hidden, stuck or indices(board.all_cells & ~opened)


class _SplitMix:
    """The generator of `native.layout_sampling`."""

    def __init__(self, state: int):
        self._state = state

    def next(self) -> float:
        """Returns a number from 0 to 1, exclusive."""
        self._state = self._state + 0x9E3779B97F4A7C15 & _WORD
        return (_mix(self._state) >> 11) * 2.0**-53


_WORD = 2**64 - 1


def _mix(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _WORD
    return word ^ word >> 31
