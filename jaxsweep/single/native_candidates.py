"""Candidates found in machine code: for analyses of many positions, one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Int64

from jaxsweep.rules.board import Cell
from jaxsweep.rules.notation import from_text
from jaxsweep.scalar.exact import Solution
from jaxsweep.scalar.geometry import CellIndex, Geometry
from jaxsweep.scalar.lookahead import Evaluated, Evaluations, Shortcuts
from jaxsweep.scalar.players import BEST, PLAYERS, LookaheadPlayer
from jaxsweep.scalar.view import View
from jaxsweep.single.analysis import analyze


def is_compiled() -> bool:
    """Returns whether the machine code is on disk; else it takes minutes to make."""
    from jaxsweep.native.compiler import is_on_disk

    return all(is_on_disk(f"candidates.{name}") for name in ("evaluate_fully", "search_fully"))


@dataclass(frozen=True)
class Searched:
    """The end game of a position, searched in machine code."""

    geometry: Geometry
    best: int
    wins: Int64[np.ndarray, " cells"]
    """Layouts that are won after opening each cell, −1 where it cannot be safe."""
    layouts: int

    @property
    def win_probability(self) -> float:
        """The win probability of optimal play."""
        return int(self.wins[self.best]) / self.layouts

    def best_cell(self) -> tuple[Cell, float]:
        """Returns the optimal cell and its win probability."""
        return self.geometry.cell(self.best), self.win_probability

    def win_probabilities(self) -> dict[Cell, float]:
        """Returns, for each cell that may be safe, the win probability after opening it next."""
        cells = np.flatnonzero(self.wins >= 0).tolist()
        return {self.geometry.cell(cell): int(self.wins[cell]) / self.layouts for cell in cells}


@cache
def native_shortcuts() -> Shortcuts:
    """Returns what finds the candidates of `BEST`; the first call loads or compiles it."""
    # Imported here: Numba takes longer to load than a position to analyse.
    from jaxsweep.native.board import make_record
    from jaxsweep.native.candidates import FOUND, NOT_REFINED, evaluate_fully, search_fully
    from jaxsweep.native.lookahead import NO_CELL
    from jaxsweep.native.players import Workspace, make_workspace, settings_of

    player = PLAYERS[BEST]
    assert isinstance(player, LookaheadPlayer)
    settings, most = settings_of(player), player.endgame_layouts
    found = make_record(FOUND)
    workspace = cache(make_workspace)

    def loaded(view: View) -> Workspace:
        work = workspace(view.geometry.rows, view.geometry.cols, most)
        work.solver.position["grid"][: len(view.numbers)] = view.numbers
        return work

    def evaluate(view: View, solution: Solution, also: Sequence[CellIndex]) -> Evaluations | None:
        if len(also) > 1:
            return None
        other, work = np.int64(also[0] if also else NO_CELL), loaded(view)
        if not evaluate_fully(np.int64(view.mines), settings, other, work, found):
            return None
        listed = slice(int(found["count"]))
        cells, progress, values, deeper = (
            found[name][listed].tolist() for name in ("cell", "progress", "value", "deeper")
        )
        evaluated = [
            Evaluated(cell, 1.0 - solution.risk(cell), progressing, 1.0, value)
            for cell, progressing, value in zip(cells, progress, values, strict=True)
        ]
        refined = zip(cells, deeper, strict=True)
        return Evaluations(
            evaluated, {cell: value for cell, value in refined if value != NOT_REFINED}
        )

    def search(view: View) -> Searched | None:
        wins = np.zeros(len(view.numbers), np.int64)
        best, layouts = search_fully(np.int64(view.mines), np.int64(most), loaded(view), wins)
        return None if best < 0 else Searched(view.geometry, int(best), wins, int(layouts))

    return Shortcuts(evaluate, search)


_STUCK = ("6x6x6\n2HHHHH\n" + "HHHHHH\n" * 5, "4x3x2\n1HHH\nHHHH\nHHHH\n")
"""Positions whose analyses run all there is: a look-ahead, and the search of an end game."""


def prepared_shortcuts() -> Shortcuts:
    """Returns the shortcuts after everything is loaded, or compiled, which takes minutes."""
    shortcuts = native_shortcuts()
    analyze([from_text(text) for text in _STUCK], shortcuts=shortcuts)
    return shortcuts
