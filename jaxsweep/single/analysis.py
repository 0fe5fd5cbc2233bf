"""One position analysed: the beliefs about it, the best move, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int8

from jaxsweep.beliefs import Beliefs, Status, crop
from jaxsweep.diagnosis import diagnose
from jaxsweep.rules.board import Cell, cells_of
from jaxsweep.rules.notation import GridPosition, PositionError
from jaxsweep.rules.reasons import Reason
from jaxsweep.scalar.advice import Advice, Candidate
from jaxsweep.scalar.deduction import simplest_proof
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.lookahead import Shortcuts
from jaxsweep.scalar.players import BEST
from jaxsweep.single import advisor

KEY = (0, 0)
"""The key by which ties are broken: the same position gets the same advice."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """A position with the beliefs about it and the move that a strategy advises."""

    grid: Int8[np.ndarray, "rows cols"]
    mines: int
    engine: str | None
    """The engine that was asked for; None: the exact one, with estimates beyond its capacity."""
    beliefs: Beliefs
    """Of the cells of the board, `[rows, cols]`."""
    layouts: int | None
    """The number of layouts; None where it could not be counted."""
    best: Cell | None
    """The cell to open; None where there is none to open, or nothing is known."""
    reason: str
    candidates: tuple[Candidate, ...] = ()
    """Cells that were evaluated for a guess, the best first."""
    win_is_exact: bool = False
    """Whether the candidates' win probabilities are exact: the end game was searched."""

    @property
    def status(self) -> Status:
        """How far the beliefs can be trusted."""
        return Status(int(self.beliefs.status))

    @property
    def has_odds(self) -> bool:
        """Whether there are probabilities, exact or estimated."""
        return self.status.has_probabilities

    @property
    def odds(self) -> Float[np.ndarray, "rows cols"]:
        """The mine probability of every hidden cell."""
        return np.asarray(self.beliefs.mine_probability)

    @property
    def error(self) -> Float[np.ndarray, "rows cols"]:
        """The standard error of every probability."""
        return np.asarray(self.beliefs.error)

    @property
    def score(self) -> Float[np.ndarray, "rows cols"] | None:
        """What an engine without probabilities orders the cells by."""
        return None if self.beliefs.score is None else np.asarray(self.beliefs.score)

    @property
    def order(self) -> Float[np.ndarray, "rows cols"]:
        """What the cells are ordered by: probabilities, or scores."""
        return self.odds if self.score is None else self.score

    @property
    def safe(self) -> Bool[np.ndarray, "rows cols"]:
        """The certainly safe cells."""
        return np.asarray(self.beliefs.safe)

    @property
    def certain_mines(self) -> Bool[np.ndarray, "rows cols"]:
        """The certain mines."""
        return np.asarray(self.beliefs.mines)

    @property
    def log10_layouts(self) -> float:
        """The decimal logarithm of the number of layouts."""
        return float(self.beliefs.log_layouts) / math.log(10)

    def as_json(self) -> dict:
        """Returns the analysis as plain data; rows and columns from 0, top left."""
        hidden, exact = self.grid < 0, self.status is Status.EXACT
        rows, cols = self.grid.shape

        def cells(grid: Float[np.ndarray, "rows cols"]) -> list[list[float | None]]:
            """Null in open cells, and where nothing is known."""
            numbers = grid.astype(object)
            numbers[~(hidden & np.isfinite(grid))] = None
            return numbers.tolist()

        data = {
            "rows": rows,
            "cols": cols,
            "mines": self.mines,
            "status": self.status.name.lower(),
            "log10_layouts": self.log10_layouts if exact else None,
            "layouts": None if self.layouts is None else str(self.layouts),
            "mine_probability": cells(
                self.odds if self.has_odds else np.full_like(self.odds, np.inf)
            ),
            "safe": np.argwhere(self.safe).tolist(),
            "certain_mines": np.argwhere(self.certain_mines).tolist(),
            "best": self._best_as_json(),
        }
        if self.engine is not None:
            data["engine"] = self.engine
        if self.status is Status.ESTIMATE:
            data["error"] = cells(self.error)
            data["effective_samples"] = cells(self.beliefs.effective_samples)
        if self.score is not None:
            data["score"] = cells(self.score)
        return data

    def _best_as_json(self) -> dict | None:
        if self.best is None:
            return None
        row, col = self.best
        risk = float(self.odds[row, col]) if self.has_odds else None
        best = {"row": row, "col": col, "mine_probability": risk, "reason": self.reason}
        if self.candidates:
            best["candidates"] = [
                {
                    "row": candidate.cell[0],
                    "col": candidate.cell[1],
                    "mine_probability": candidate.risk,
                    "progress": candidate.progress,
                    "win": candidate.win,
                }
                for candidate in self.candidates
            ]
            best["win_is_exact"] = self.win_is_exact
        return best


def analyze(
    positions: Sequence[GridPosition],
    engine: str | None = None,
    shortcuts: Shortcuts | None = None,
) -> list[Analysis]:
    """Analyses positions one by one, without compiling anything, unless they are too wide.

    Raises `PositionError` for an inconsistent position. The move is that of the strongest player;
    with a chosen `engine`, the cell of least risk by that engine. `shortcuts` may find
    the candidates of that player.
    """
    analyses = []
    for i, position in enumerate(positions):
        try:
            if engine is None:
                own = _analyze_exactly(position, shortcuts)
            else:
                own = _analyze_by(engine, position)
        except PositionError as error:
            which = f"position {i + 1}: " if len(positions) > 1 else ""
            raise PositionError(f"{which}{error}") from None
        analyses.append(own)
    return analyses


def _analyze_exactly(position: GridPosition, shortcuts: Shortcuts | None) -> Analysis:
    """Analyses one position; the components that inference counts are counted once."""
    counter = Counter()
    beliefs, layouts = advisor.infer(position, counter)
    found = _without_guess(position, beliefs)
    if found is not None:
        return Analysis(*position, None, beliefs, layouts, *found)
    advice = advisor.advise(BEST, position, KEY, counter, (beliefs, layouts), shortcuts)
    return _with_guess(position, None, beliefs, layouts, advice)


def _analyze_by(engine: str, position: GridPosition) -> Analysis:
    """Analyses one position by an engine of its own; the number of layouts stays the exact one."""
    # Imported here: engines need JAX, which the scalar path does without.
    from jaxsweep.engines import ENGINES
    from jaxsweep.inference import infer
    from jaxsweep.rules.position import from_grid
    from jaxsweep.strategies import LeastRisk

    exact, layouts = advisor.infer(position)
    beliefs = crop(infer(from_grid(*position), engine), *position.grid.shape)
    if exact.status == Status.INCONSISTENT:
        beliefs = exact
    counted = layouts if beliefs.status == Status.EXACT else None
    found = _without_guess(position, beliefs)
    if found is not None:
        return Analysis(*position, engine, beliefs, counted, *found)
    advice = LeastRisk(ENGINES[engine]).advise(position, KEY, beliefs, layouts)
    return _with_guess(position, engine, beliefs, counted, advice)


def _without_guess(position: GridPosition, beliefs: Beliefs) -> tuple[Cell | None, str] | None:
    """Returns a certainly safe cell and why, or why there is no move; None if one has to guess."""
    status = Status(int(beliefs.status))
    if status is Status.INCONSISTENT:
        raise PositionError(f"inconsistent: {diagnose(position)}")
    if beliefs.safe.any():
        return _certain_cell(position, np.asarray(beliefs.safe))
    if not ((position.grid < 0) & ~np.asarray(beliefs.mines)).any():
        return None, "nothing is left to open"
    return (None, status.message) if status is Status.OVER_CAPACITY else None


def _certain_cell(position: GridPosition, safe: Bool[np.ndarray, "rows cols"]) -> tuple[Cell, str]:
    """Returns a certainly safe cell, and the simplest rule that proves it."""
    cells, rule = simplest_proof(position)
    if rule is not None and (cells & safe).any():
        return cells_of(cells & safe)[0], Reason(rule).text
    return cells_of(safe)[0], Reason.NO_LAYOUT.text


def _with_guess(
    position: GridPosition,
    engine: str | None,
    beliefs: Beliefs,
    layouts: int | None,
    advice: Advice,
) -> Analysis:
    """Returns the analysis of a position in which a player has to guess, with its reasons."""
    best = advice.cells[0]
    risk = float(beliefs.mine_probability[best])
    # One risk of a cell wherever it is shown: beliefs are rounded, those of candidates are not.
    candidates = tuple(
        Candidate(one.cell, float(beliefs.mine_probability[one.cell]), one.progress, one.win)
        for one in advice.candidates
    )
    if advice.candidates:
        reason = f"{advice.explanation}, risk {risk:.2%}"
    elif beliefs.score is not None:
        reason = f"{advice.explanation}, {float(beliefs.score[best]):.2f}"
    else:
        reason = f"{advice.explanation}, {risk:.2%}"
    if advice.ties > 1 and not advice.candidates:
        estimated = int(beliefs.status) == Status.ESTIMATE and np.isfinite(beliefs.error[best])
        such = "cells within its error" if estimated else "such cells"
        reason += f"; of {advice.ties} {such}, one with the fewest hidden neighbours"
    return Analysis(
        *position,
        engine,
        beliefs,
        layouts,
        best,
        reason,
        candidates=candidates,
        win_is_exact=advice.search is not None,
    )
