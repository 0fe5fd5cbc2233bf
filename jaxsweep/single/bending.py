"""Boards that bend: mines that move, unseen, away from a forced guess or under a needless one.

A move is judged by all consistent layouts of what the player sees: the cells that it opens are
certainly safe, or one is certainly a mine, or else it is a guess. Where the mode of the game says
what a guess leads to, the mines become those of a layout drawn uniformly from the consistent ones
in which it does. What is shown stays true, so that a game looks in the end as if its last layout
had been dealt.
"""

import enum
from dataclasses import dataclass
from random import Random

from jaxsweep.rules.board import Board, Cell, Mask, cells_of
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import Level, LevelError
from jaxsweep.scalar.counting import OverBudgetError
from jaxsweep.scalar.exact import Counter, Solution
from jaxsweep.scalar.geometry import CellSet, from_mask, indices
from jaxsweep.scalar.joint_safety import joint_safety, without
from jaxsweep.scalar.layout_draws import draw_layout
from jaxsweep.scalar.view import MAX_CELLS, View


class Verdict(enum.Enum):
    """What a move was."""

    CERTAIN = "certain"
    """All its cells were certainly safe."""
    MINE = "mine"
    """One of its cells was certainly a mine."""
    FORCED = "forced"
    """A guess, while no cell was certainly safe."""
    NEEDLESS = "needless"
    """A guess, while a cell was certainly safe."""
    UNKNOWN = "unknown"
    """There were too many layouts to count: the move was left as it fell."""


@dataclass(frozen=True)
class Judgement:
    """What a move was, and what would have been certain instead of a needless guess."""

    verdict: Verdict
    certain: Cell | None = None
    """A cell that was certainly safe, if the guess was needless."""

    @property
    def text(self) -> str:
        """Why the move was lost, as the end of a sentence; empty where there is nothing to say."""
        return {
            Verdict.MINE: "a certain mine",
            Verdict.FORCED: "no layout has all of these cells safe",
            Verdict.NEEDLESS: f"a needless guess, while {self.certain} was certainly safe",
            Verdict.UNKNOWN: "too many layouts to judge this guess",
        }.get(self.verdict, "")


def check_size(level: Level, guesses: Guesses) -> None:
    """Raises `LevelError` where mines are to move on a board too large for exact counting."""
    if guesses.move_mines and level.cells > MAX_CELLS:
        raise LevelError(
            f"a {level.rows}×{level.cols} board has {level.cells} cells; with {guesses.text}, "
            f"boards have at most {MAX_CELLS}"
        )


def bend(
    board: Board, cells: Mask, guesses: Guesses, random: Random, counter: Counter
) -> tuple[Board, Judgement]:
    """Returns the board on which a move falls, and what the move is.

    The `cells` are hidden: those that the move opens, a chord's all at once. The board that is
    returned shows the same; where the mode leaves the guess as it was dealt, it is the same.
    """
    view, opened = View.of(board.grid, int(board.mines.sum())), from_mask(cells)
    try:
        solution = counter.solve(view)
        assert solution is not None, "the layout that was dealt is consistent"
        judgement = judge(solution, opened)
        mines = None
        if judgement.verdict is Verdict.FORCED and guesses.are_spared:
            mines = _layout_with_all_safe(view, solution, opened, random, counter)
        elif judgement.verdict is Verdict.NEEDLESS and guesses.are_punished:
            mines = _layout_with_a_mine(view, solution, opened, random, counter)
    except OverBudgetError:
        return board, Judgement(Verdict.UNKNOWN)
    if mines is None:
        return board, judgement
    return Board(view.geometry.to_mask(mines), board.opened, board.flags), judgement


def judge(solution: Solution, opened: CellSet) -> Judgement:
    """Says what it is to open these cells at once, given all that can be known."""
    if opened & solution.mines:
        return Judgement(Verdict.MINE)
    if not opened & ~solution.safe:
        return Judgement(Verdict.CERTAIN)
    if not solution.safe:
        return Judgement(Verdict.FORCED)
    first = cells_of(solution.geometry.to_mask(solution.safe))[0]
    return Judgement(Verdict.NEEDLESS, first)


def _layout_with_all_safe(
    view: View, solution: Solution, opened: CellSet, random: Random, counter: Counter
) -> CellSet | None:
    """Draws a layout in which none of the cells is a mine; None if there is none."""
    if not joint_safety(view, solution, opened, counter):
        return None
    return draw_layout(without(view, opened), random, solution.mines)


def _layout_with_a_mine(
    view: View, solution: Solution, opened: CellSet, random: Random, counter: Counter
) -> CellSet | None:
    """Draws a layout in which at least one of the cells is a mine.

    Such layouts are told apart by the first of the cells that is one.
    """
    parts = []
    earlier = 0
    for cell in indices(opened & ~solution.safe):
        part, known = without(view, earlier), solution.mines | 1 << cell
        found = counter.solve(part, known)
        parts.append((0 if found is None else found.layouts, part, known))
        earlier |= 1 << cell
    chosen = random.randrange(sum(layouts for layouts, _, _ in parts))
    for layouts, part, known in parts:
        if chosen < layouts:
            return draw_layout(part, random, known)
        chosen -= layouts
    raise AssertionError("an uncertain cell is a mine in some layout")
