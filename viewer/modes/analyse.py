"""Analyse mode: a position is edited, and the engine's odds follow."""

from dataclasses import replace

import numpy as np

from jaxsweep.rules.board import Cell
from jaxsweep.rules.grid import FLAGGED, HIDDEN
from viewer.events import LEFT, RIGHT, Key
from viewer.model import Editor, Model

_STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
_VALUES = {str(n): n for n in range(9)} | {"h": HIDDEN, "f": FLAGGED}
_ORDER = (HIDDEN, *range(9), FLAGGED)
"""The values that clicks go through."""


def on_key(model: Model, key: Key) -> Model:
    """Moves the cursor, sets its cell, or changes the number of mines."""
    editor = model.editor
    rows, cols = editor.grid.shape
    if key.name in _STEPS:
        down, right = _STEPS[key.name]
        row, col = editor.cursor[0] + down, editor.cursor[1] + right
        return move_cursor(model, (min(max(row, 0), rows - 1), min(max(col, 0), cols - 1)))
    if key.name in _VALUES:
        return _set_cell(model, editor.cursor, _VALUES[key.name])
    if key.name == "delete":
        blank = replace(Editor(np.full_like(editor.grid, HIDDEN), editor.mines), brush=editor.brush)
        return replace(model, editor=blank, message="")
    if key.text in ("+", "-", "−"):
        mines = editor.mines + (1 if key.text == "+" else -1)
        mines = min(max(mines, 0), editor.grid.size)
        return replace(model, editor=replace(editor, mines=mines))
    return model


def on_click(model: Model, cell: Cell, button: int) -> Model:
    """Sets a cell to the next value, or with the right button to the one before.

    With a brush the left button sets the cell to its value, and the right one covers it.
    """
    if button not in (LEFT, RIGHT):
        return model
    brush = model.editor.brush
    if brush is not None:
        return _set_cell(model, cell, brush if button == LEFT else HIDDEN)
    step = 1 if button == LEFT else -1
    now = _ORDER.index(int(model.editor.grid[cell]))
    return _set_cell(model, cell, _ORDER[(now + step) % len(_ORDER)])


def move_cursor(model: Model, cell: Cell) -> Model:
    """Selects the cell that keys set."""
    return replace(model, editor=replace(model.editor, cursor=cell))


def _set_cell(model: Model, cell: Cell, value: int) -> Model:
    grid = model.editor.grid.copy()
    grid[cell] = value
    return replace(model, editor=replace(model.editor, grid=grid, cursor=cell), message="")
