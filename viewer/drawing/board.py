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
from viewer.events import Point
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
    canvas.text_in(
        "Drop a recorded game here", first, HEADING + 4, theme.text, Weight.BOLD, "middle"
    )
    second = Rect(field.left, middle[1] + px(20), field.width, px(24))
    words = "or open its file with Ctrl O, also those of other programs"
    canvas.text_in(words, second, TEXT, theme.faint, side="middle")


_KINDS = (*map(str, range(9)), "hidden", "flag", "mine", "wrong flag", "exploded")
"""What a cell can look like, apart from its odds; numbers are their own index."""

_HIDDEN = _KINDS.index("hidden")

_PLAIN = SHADES + 1
"""The shade of a cell whose odds are not shown."""


def _draw_cells(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    """Draws the cells that are in view.

    A large board has tens of thousands: what each looks like is found out for all at once.
    """
    rows, cols = layout.visible()
    view = np.s_[rows.start : rows.stop, cols.start : cols.stop]
    kinds, shades = _looks(model)
    looks, which = np.unique((kinds * (_PLAIN + 1) + shades)[view], return_inverse=True)
    pictures = []
    for look in looks.tolist():
        kind, shade = divmod(look, _PLAIN + 1)
        pictures.append(tile(theme, layout.cell, _KINDS[kind], None if shade == _PLAIN else shade))
    left, top = layout.place((rows.start, cols.start))
    lefts = range(left, left + len(cols) * layout.cell, layout.cell)
    tops = range(top, top + len(rows) * layout.cell, layout.cell)
    places = ((across, down) for down in tops for across in lefts)
    shown = [pictures[look] for look in which.ravel().tolist()]
    surface.blits(list(zip(shown, places, strict=True)), False)
    surface.blits(_odds(model, theme, layout, view, shades), False)


def _looks(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Returns of each cell the kind, an index of `_KINDS`, and the shade."""
    grid, (mines, exploded) = model.grid, _truth(model)
    is_flag = grid == FLAGGED
    kinds = np.where(grid >= 0, grid, np.where(is_flag, _KINDS.index("flag"), _HIDDEN)).astype(int)
    if mines is not None:
        hidden = grid < 0
        kinds[is_flag & ~mines] = _KINDS.index("wrong flag")
        # Who has won has found all mines, with or without flags.
        found = "mine" if exploded.any() else "flag"
        kinds[hidden & ~is_flag & mines] = _KINDS.index(found)
        kinds[hidden & exploded] = _KINDS.index("exploded")
    shades = _shades(model, model.result)
    if shades is None:
        return kinds, np.full_like(kinds, _PLAIN)
    # A mine is black: it is shown on the plain cell, where it can be seen.
    has_shade = np.isin(kinds, [_HIDDEN, _KINDS.index("flag"), _KINDS.index("wrong flag")])
    return kinds, np.where(has_shade, shades, _PLAIN)


def _odds(
    model: Model, theme: Theme, layout: Layout, view: tuple[slice, slice], shades: np.ndarray
) -> list[tuple[Surface, Point]]:
    """Returns the marks and percentages on cells in view, and their places, until the game ends."""
    overlay, grid = model.overlay, model.grid
    analysis = None if model.result is None else model.result.analysis
    if analysis is None or _truth(model)[0] is not None or not (overlay.marks or overlay.percent):
        return []
    safe, mined = analysis.safe, analysis.certain_mines
    # A flag says that it is a mine.
    marked = (safe | mined & (grid != FLAGGED)) & (grid < 0) & overlay.marks
    percents = None
    if overlay.percent and analysis.has_odds and layout.cell >= MIN_CELL_FOR_PERCENT:
        percents = whole_percent(analysis.odds)
    written = (grid < 0) & (grid != FLAGGED) & ~((safe | mined) & overlay.marks)
    if percents is None:
        written = np.zeros_like(written)
    found, cell = [], layout.cell
    for row, col in np.argwhere((marked | written)[view]).tolist():
        row, col = row + view[0].start, col + view[1].start
        at, shade = layout.place((row, col)), int(shades[row, col])
        if marked[row, col]:
            kind = "safe" if safe[row, col] else "mine"
            found.append((mark(theme, cell, kind, shade != _PLAIN), at))
        elif percents is not None:
            known = "0" if safe[row, col] else "100" if mined[row, col] else None
            ink = text_on_shade(theme, None if shade == _PLAIN else shade)
            found.append(centred_text(known or f"{percents[row, col]}", at, cell, ink))
    return found


def _truth(model: Model) -> tuple[np.ndarray | None, np.ndarray]:
    """Returns the mines once the game is over, else None, and which of them is open."""
    board = None
    if model.mode is Mode.PLAY and model.play.game.session.opening is not None:
        board = model.play.game.session.board
    elif model.playback is not None and model.playback.moves:
        board = model.playback.board
    if board is None or board.status is GameStatus.PLAYING:
        return None, np.zeros_like(model.grid, bool)
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
    around, sets_around = (
        np.pad(each, 1, constant_values=NONE) for each in (components, tile_sets)
    )
    wide, far = max(layout.cell // 9, 2), layout.cell - 1
    rows, cols = layout.visible()
    is_shown = np.zeros_like(components, bool)
    is_shown[rows.start : rows.stop, cols.start : cols.stop] = True
    is_shown &= components != NONE
    for (down, right), ((x0, y0), (x1, y1)) in (
        ((-1, 0), ((0, 0), (far, 0))),
        ((1, 0), ((0, far), (far, far))),
        ((0, -1), ((0, 0), (0, far))),
        ((0, 1), ((far, 0), (far, far))),
    ):
        beside = np.s_[1 + down : 1 + down + layout.rows, 1 + right : 1 + right + layout.cols]
        is_edge = is_shown & (around[beside] != components)
        is_line = is_shown & ~is_edge & (sets_around[beside] != tile_sets)
        for row, col in np.argwhere(is_edge | is_line).tolist():
            colour = theme.components[components[row, col] % len(theme.components)]
            left, top = layout.place((row, col))
            line = (left + x0, top + y0), (left + x1, top + y1)
            pygame.draw.line(surface, colour, *line, wide if is_edge[row, col] else 1)


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
