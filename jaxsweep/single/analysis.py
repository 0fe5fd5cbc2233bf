"""One position analysed: the beliefs about it, the best move, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import jax
import numpy as np
from jaxtyping import Bool, Float, Int8

from jaxsweep.diagnosis import diagnose
from jaxsweep.engines import ENGINES
from jaxsweep.engines.batching import certain_by_single
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.inference import infer, infer_and_count
from jaxsweep.rules import bitboard
from jaxsweep.rules.board import Cell
from jaxsweep.rules.deduction import deduce, simplest
from jaxsweep.rules.position import Position, PositionError, stack, to_grid
from jaxsweep.strategies import (
    BEST,
    STRATEGIES,
    AbstractStrategy,
    Advice,
    Candidate,
    LeastRisk,
    Reason,
)

COUNTED_BELOW = 10**15
"""Larger numbers of layouts are given as a power of ten."""


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
    """The number of layouts, where it is below `COUNTED_BELOW`."""
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
            known = hidden & np.isfinite(grid)
            return [
                [float(grid[r, c]) if known[r, c] else None for c in range(cols)]
                for r in range(rows)
            ]

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


def analyze(positions: Sequence[Position], engine: str | None = None) -> list[Analysis]:
    """Analyses positions, whose beliefs are inferred as one batch.

    Raises `PositionError` for an inconsistent position. The move is that of the strongest player;
    with a chosen `engine`, the cell of least risk by that engine.
    """
    batch = stack(positions)
    beliefs, counts = infer_and_count(batch)
    strategy = STRATEGIES[BEST]
    if engine is not None:
        # Other engines do not count layouts: the number stays the exact engine's.
        beliefs = infer(batch, ENGINES[engine])
        strategy = LeastRisk(ENGINES[engine])
    analyses = []
    for i, position in enumerate(positions):
        own = jax.tree.map(lambda leaf, i=i: leaf[i], beliefs)
        if own.status == Status.INCONSISTENT:
            which = f"position {i + 1}: " if len(positions) > 1 else ""
            raise PositionError(f"{which}inconsistent: {diagnose(position)}")
        padded = jax.tree.map(lambda leaf, i=i: leaf[..., i], batch)
        analyses.append(_analysis(padded, position, own, counts[i], engine, strategy))
    return analyses


def _analysis(
    padded: Position,
    position: Position,
    beliefs: Beliefs,
    layouts: int | None,
    engine: str | None,
    strategy: AbstractStrategy,
) -> Analysis:
    """Analyses one position, given beliefs about it; they are padded as `padded` is."""
    grid = to_grid(position)
    rows, cols = grid.shape
    cropped = jax.tree.map(lambda leaf: leaf[:rows, :cols] if np.ndim(leaf) == 2 else leaf, beliefs)
    advice, status = None, Status(int(beliefs.status))
    if cropped.safe.any():
        best, reason = _certain_cell(position, np.asarray(cropped.safe))
    elif not ((grid < 0) & ~np.asarray(cropped.mines)).any():
        best, reason = None, "nothing is left to open"
    elif status is Status.OVER_CAPACITY:
        best, reason = None, status.message
    else:
        advice = strategy.advise(padded, jax.random.key(0), beliefs, layouts)
        best, reason = _guess(advice, cropped)
    counted = status is Status.EXACT and layouts is not None and layouts < COUNTED_BELOW
    return Analysis(
        grid=grid,
        mines=int(position.mines),
        engine=engine,
        beliefs=cropped,
        layouts=layouts if counted else None,
        best=best,
        reason=reason,
        candidates=() if advice is None else advice.candidates,
        win_is_exact=advice is not None and advice.search is not None,
    )


def _certain_cell(position: Position, safe: Bool[np.ndarray, "rows cols"]) -> tuple[Cell, str]:
    """Returns a certainly safe cell, and the simplest rule that proves it."""
    # The single-cell rules first: their kernel is compiled already.
    for deduction in (certain_by_single, _deduce):
        cells, rule = _simplest(deduction(position))
        proven = np.asarray(bitboard.unpack(np.asarray(cells), safe.shape[1])) & safe
        if proven.any():
            return _first(proven), Reason(int(rule)).text
    return _first(safe), Reason.NO_LAYOUT.text


def _guess(advice: Advice, beliefs: Beliefs) -> tuple[Cell, str]:
    """Returns the cell that a strategy guesses, and why, with what it risks."""
    rows, cols = beliefs.safe.shape
    opens = np.asarray(bitboard.unpack(np.asarray(advice.move.opens), cols))
    best = _first(opens[:rows])
    if advice.candidates:
        return best, f"{advice.explanation}, risk {float(beliefs.mine_probability[best]):.2%}"
    if beliefs.score is None:
        reason = f"{advice.explanation}, {float(beliefs.mine_probability[best]):.2%}"
    else:
        reason = f"{advice.explanation}, {float(beliefs.score[best]):.2f}"
    if advice.ties > 1:
        estimated = int(beliefs.status) == Status.ESTIMATE and np.isfinite(beliefs.error[best])
        such = "cells within its error" if estimated else "such cells"
        reason += f"; of {advice.ties} {such}, one with the fewest hidden neighbours"
    return best, reason


_deduce = jax.jit(deduce)
_simplest = jax.jit(simplest)


def _first(cells: Bool[np.ndarray, "rows cols"]) -> Cell:
    row, col = np.argwhere(cells)[0]
    return int(row), int(col)
