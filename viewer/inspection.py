"""What the panel says of cells: the candidates, and the cell that is looked at."""

from dataclasses import dataclass

import numpy as np

from jaxsweep.rules.board import Cell
from jaxsweep.single.analysis import Analysis
from jaxsweep.single.words import cells_in_words
from viewer.model import Model
from viewer.panel_layout import panel_places

LISTED = 12
"""The most candidates that are listed."""


@dataclass(frozen=True)
class Row:
    """A candidate: its risk, and the win probability after it where that was evaluated."""

    cell: Cell
    risk: float
    win: float | None


def candidate_rows(analysis: Analysis) -> tuple[Row, ...]:
    """Returns what a player weighed, the best first; or the cells of least risk.

    Empty where nothing has to be weighed: a cell is certainly safe, or there is none to open.
    """
    if analysis.candidates:
        return tuple(Row(c.cell, c.risk, c.win) for c in analysis.candidates[:LISTED])
    if analysis.best is None or not analysis.has_odds or analysis.safe.any():
        return ()
    risks = np.where((analysis.grid < 0) & ~analysis.certain_mines, analysis.odds, np.inf)
    order = np.argsort(risks, axis=None, kind="stable")[:LISTED]
    cells = [(int(i) // risks.shape[1], int(i) % risks.shape[1]) for i in order]
    cells = [analysis.best, *(cell for cell in cells if cell != analysis.best)][:LISTED]
    # Of two layouts, either decides: whoever survives has won.
    decides = analysis.layouts == 2
    return tuple(
        Row(cell, float(risks[cell]), 1.0 - float(risks[cell]) if decides else None)
        for cell in cells
        if np.isfinite(risks[cell])
    )


def wins_are_exact(analysis: Analysis) -> bool:
    """Whether the win probabilities of the candidates are exact: an ending was searched."""
    return analysis.win_is_exact or analysis.layouts == 2


def shown_rows(model: Model) -> tuple[Row, ...]:
    """Returns the candidates for which the panel has room."""
    result = model.result
    if result is None or result.analysis is None or not model.is_advised:
        return ()
    return candidate_rows(result.analysis)[: len(panel_places(model.layout).rows)]


def pointed_row(model: Model) -> int | None:
    """Returns the number of the candidate under the mouse, if there is one."""
    if model.pointer is None or model.has_dialog:
        return None
    places = panel_places(model.layout).rows[: len(shown_rows(model))]
    return next((i for i, place in enumerate(places) if place.has(model.pointer)), None)


def pointed_cell(model: Model) -> Cell | None:
    """Returns the hidden cell under the mouse, on the board or in the list."""
    if model.pointer is None or model.has_dialog or not model.shows_board:
        return None
    row = pointed_row(model)
    if row is not None:
        return shown_rows(model)[row].cell
    cell = model.layout.cell_at(model.pointer)
    return cell if cell is not None and model.grid[cell] < 0 else None


def inspected_cell(model: Model) -> Cell | None:
    """Returns the cell of which the panel tells most: under the mouse, or else the best one.

    None where the engine's answers are not shown, and while a game runs by.
    """
    result = model.result
    if result is None or result.analysis is None or not model.is_advised or model.has_dialog:
        return None
    cell = pointed_cell(model)
    if cell is not None:
        return cell
    playback = model.playback
    return None if playback is not None and playback.running else result.analysis.best


def cell_name(cell: Cell) -> str:
    """Returns a cell as it is written everywhere: its row and column, from 0."""
    return cells_in_words([cell])
