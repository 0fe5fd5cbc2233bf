"""The cell that is looked at: its risk, and the probability of each number it may show."""

import numpy as np
from jaxtyping import Float

from jaxsweep.rules.board import Cell
from viewer.drawing.canvas import Canvas
from viewer.drawing.text import SMALL, TEXT, Weight
from viewer.inspection import cell_name, inspected_cell
from viewer.layout import Rect
from viewer.model import Model
from viewer.theme import Theme

NUMBERS = 9


def draw_cell_card(canvas: Canvas, model: Model, rect: Rect) -> None:
    """Draws the card of the cell under the mouse, or else of the best one."""
    theme, px, cell = canvas.theme, canvas.px, inspected_cell(model)
    canvas.box(Rect(rect.left, rect.top, rect.width, 1), theme.grid)
    top = rect.top + px(10)
    line = Rect(rect.left, top, rect.width, px(20))
    result = model.result
    if cell is None or result is None or result.analysis is None:
        canvas.text_in("Point at a cell to see what it would show.", line, SMALL, theme.faint)
        return
    analysis = result.analysis
    what = "best cell" if cell == analysis.best else "cell"
    canvas.text_in(f"{what.capitalize()} {cell_name(cell)}", line, TEXT, weight=Weight.BOLD)
    if not analysis.has_odds:
        return
    risk = float(analysis.odds[cell])
    words = "safe" if analysis.safe[cell] else "a mine" if analysis.certain_mines[cell] else ""
    canvas.text_in(words or f"risk {risk:.2%}", line, TEXT, weight=Weight.MEDIUM, side="right")
    chart = Rect(rect.left, top + px(26), rect.width, rect.bottom - top - px(38))
    numbers = model.latest_numbers
    if numbers is None or (numbers.key, numbers.cell) != (model.key, cell):
        canvas.text_in("counting …", chart, SMALL, theme.faint, side="middle")
    elif numbers.odds is None:
        canvas.text_in("too many cases to count", chart, SMALL, theme.faint, side="middle")
    else:
        _draw_numbers(canvas, numbers.odds, cell, risk, chart)


def _draw_numbers(
    canvas: Canvas, odds: Float[np.ndarray, "9"], cell: Cell, risk: float, rect: Rect
) -> None:
    """Draws a column for each number, and one for a mine; the highest is as high as fits."""
    theme, px = canvas.theme, canvas.px
    shares = [*odds.tolist(), risk]
    most = max(*shares, 1e-9)
    step, floor = rect.width / len(shares), rect.bottom - px(20)
    for i, share in enumerate(shares):
        left, right = rect.left + round(i * step), rect.left + round((i + 1) * step)
        column = Rect(left + px(2), floor, right - left - px(4), 0)
        height = round(share / most * (floor - rect.top - px(16)))
        if share > 0:
            height = max(height, px(2))
            canvas.box(
                Rect(column.left, floor - height, column.width, height), _colour(theme, i), 3
            )
            figure = Rect(left - px(6), floor - height - px(16), right - left + px(12), px(15))
            canvas.text_in(_percent(share), figure, 10, side="middle")
        foot = Rect(left, floor + px(3), right - left, px(17))
        if i < NUMBERS:
            ink = theme.text if share > 0 else theme.faint
            canvas.text_in(str(i), foot, SMALL, ink, Weight.BOLD, "middle")
        else:
            canvas.icon("logo", foot, 14, theme.mine)
    canvas.box(Rect(rect.left, floor, rect.width, 1), theme.grid)


def _colour(theme: Theme, number: int) -> tuple[int, int, int]:
    """Returns the colour of a number's column; that of a mine is the last."""
    if number == NUMBERS:
        return theme.mine
    return theme.faint if number == 0 else theme.numbers[number - 1]


def _percent(share: float) -> str:
    """Returns a percentage that fits over a column."""
    return "<1" if share < 0.01 else f"{100 * share:.0f}"
