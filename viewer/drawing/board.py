"""The board: cells with their odds and marks, outlines of components, and frames."""

import numpy as np
import pygame
from pygame import Surface

from jaxsweep.rules.board import Cell
from jaxsweep.rules.grid import FLAGGED
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.outlines import NONE
from jaxsweep.single.words import whole_percent
from viewer.analysis_result import AnalysisResult
from viewer.drawing.canvas import Canvas
from viewer.drawing.shapes import clipped
from viewer.drawing.text import HEADING, TEXT, Weight
from viewer.drawing.tiles import SHADES, centred_text, mark, text_on_shade, tile
from viewer.inspection import inspected_cell, pointed_cell
from viewer.layout import Layout, Rect
from viewer.model import Mode, Model
from viewer.theme import Colour, Theme

MIN_CELL_FOR_PERCENT = 14
"""Pixels of a cell that a percentage needs."""


def draw_field(canvas: Canvas, model: Model, layout: Layout) -> None:
    """Draws the board with all that is on it, or instructions if there is no board."""
    field, surface, theme = layout.field, canvas.surface, canvas.theme
    if not model.shows_board:
        _draw_instructions(canvas, field)
        return
    with clipped(surface, Rect(field.left - 1, field.top - 1, field.width + 1, field.height + 1)):
        # Cells have lines below and on the right; these are the others.
        left, top = layout.place((0, 0))
        canvas.box(Rect(left - 1, top - 1, layout.cols * layout.cell, 1), theme.grid)
        canvas.box(Rect(left - 1, top - 1, 1, layout.rows * layout.cell), theme.grid)
        _draw_cells(surface, model, theme, layout)
        _draw_outlines(surface, model, theme, layout)
        _draw_frames(surface, model, theme, layout)


def _draw_instructions(canvas: Canvas, field: Rect) -> None:
    """Says how to get a game to step through."""
    theme, px, middle = canvas.theme, canvas.px, field.middle
    icon = Rect(field.left, middle[1] - px(90), field.width, px(64))
    canvas.icon("folder", icon, 56, theme.faint)
    first = Rect(field.left, middle[1] - px(14), field.width, px(30))
    canvas.text_in("Drop a replay here", first, HEADING + 4, theme.text, Weight.BOLD, "middle")
    second = Rect(field.left, middle[1] + px(20), field.width, px(24))
    words = "or choose one with Ctrl O; F3 watches a player, F4 is for you"
    canvas.text_in(words, second, TEXT, theme.faint, side="middle")


def _draw_cells(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    grid, (rows, cols) = model.grid, layout.visible()
    mines, exploded = _truth(model)
    result, overlay = model.result, model.overlay
    analysis = None if result is None else result.analysis
    shades = _shades(model, result)
    percents = None
    if analysis is not None and analysis.has_odds and layout.cell >= MIN_CELL_FOR_PERCENT:
        percents = whole_percent(analysis.odds)
    cell, tiles = layout.cell, []
    for row in rows:
        for col in cols:
            value, at = int(grid[row, col]), layout.place((row, col))
            if value >= 0:
                tiles.append((tile(theme, cell, f"{value}", None), at))
                continue
            kind = "flag" if value == FLAGGED else "hidden"
            if mines is not None and exploded[row, col]:
                kind = "exploded"
            elif mines is not None and value == FLAGGED:
                kind = "flag" if mines[row, col] else "wrong flag"
            elif mines is not None and mines[row, col]:
                kind = "mine"
            # A mine is black: it is shown on the plain cell, where it can be seen.
            is_mine = kind in ("mine", "exploded")
            shade = None if shades is None or is_mine else int(shades[row, col])
            tiles.append((tile(theme, cell, kind, shade), at))
            if analysis is None or mines is not None:
                continue
            safe, mined = analysis.safe[row, col], analysis.certain_mines[row, col]
            if overlay.marks and (safe or mined):
                if safe or value != FLAGGED:  # A flag says that it is a mine.
                    tiles.append(
                        (mark(theme, cell, "safe" if safe else "mine", shade is not None), at)
                    )
            elif overlay.percent and percents is not None and value != FLAGGED:
                share = "0" if safe else "100" if mined else f"{percents[row, col]}"
                tiles.append(centred_text(share, at, cell, text_on_shade(theme, shade)))
    surface.blits(tiles, False)


def _truth(model: Model) -> tuple[np.ndarray | None, np.ndarray]:
    """Returns the mines once the game is over, else None, and which of them is open."""
    board = None
    if model.mode is Mode.PLAY and model.play.game.session.opening is not None:
        board = model.play.game.session.board
    elif model.playback is not None and model.playback.moves:
        board = model.playback.board
    if board is None or board.status is GameStatus.PLAYING:
        return None, np.zeros((1, 1), bool)
    return board.mines, board.mines & board.opened


def _shades(model: Model, result: AnalysisResult | None) -> np.ndarray | None:
    """Returns how dark each hidden cell is, 0 to `SHADES`: the likelier a mine, the darker."""
    analysis = None if result is None else result.analysis
    if not model.overlay.odds or analysis is None or not analysis.has_odds:
        return None
    return np.rint(np.clip(analysis.odds, 0, 1) * SHADES).astype(int)


def _draw_outlines(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    """Draws a thick line around each component, in its colour, and thin ones between tile sets."""
    result = model.result
    if not model.overlay.outlines or result is None or result.outlines is None:
        return
    components, tile_sets = result.outlines.components, result.outlines.tile_sets
    wide, cell = max(layout.cell // 9, 2), layout.cell
    rows, cols = layout.visible()
    for row in rows:
        for col in cols:
            if components[row, col] == NONE:
                continue
            colour = theme.components[components[row, col] % len(theme.components)]
            left, top = layout.place((row, col))
            for (down, right), line in (
                ((-1, 0), ((left, top), (left + cell - 1, top))),
                ((1, 0), ((left, top + cell - 1), (left + cell - 1, top + cell - 1))),
                ((0, -1), ((left, top), (left, top + cell - 1))),
                ((0, 1), ((left + cell - 1, top), (left + cell - 1, top + cell - 1))),
            ):
                neighbour = (row + down, col + right)
                inside = 0 <= neighbour[0] < layout.rows and 0 <= neighbour[1] < layout.cols
                if not inside or components[neighbour] != components[row, col]:
                    pygame.draw.line(surface, colour, *line, wide)
                elif tile_sets[neighbour] != tile_sets[row, col]:
                    pygame.draw.line(surface, colour, *line, 1)


def _draw_frames(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    """Draws frames around the last move, the best cell, a hint, and the cell that is pointed at."""
    result, playback = model.result, model.playback
    if playback is not None and playback.last is not None:
        for cell in playback.last.cells:
            _draw_frame(surface, layout, cell, theme.accent)
    analysis = None if result is None else result.analysis
    if model.overlay.marks and analysis is not None and analysis.best is not None:
        _draw_frame(surface, layout, analysis.best, theme.best, 2)
    if model.mode is Mode.PLAY and model.play.hint is not None:
        _draw_frame(surface, layout, model.play.hint, theme.best, 2)
    if model.mode is Mode.ANALYSE:
        _draw_frame(surface, layout, model.editor.cursor, theme.accent)
    pointed = pointed_cell(model)
    if pointed is not None:
        more = 2 if pointed == inspected_cell(model) else 0
        _draw_frame(surface, layout, pointed, theme.accent, more)


def _draw_frame(
    surface: Surface, layout: Layout, cell: Cell, colour: Colour, more: int = 0
) -> None:
    left, top = layout.place(cell)
    width = min(max(layout.cell // 14, 1), 6) + more
    around = (left - 1, top - 1, layout.cell + 1, layout.cell + 1)
    pygame.draw.rect(surface, colour, around, width, max(layout.cell // 8, 2))
