"""The menu, the dialog that opens a file, and the help, drawn over everything else."""

from viewer.dialogs import (
    ARROWS_FROM,
    HELP_ROW,
    MENU_TITLE,
    TITLE,
    help_box,
    help_buttons,
    help_columns,
    menu_box,
    menu_buttons,
    menu_note,
    menu_rows,
    picker_box,
    picker_buttons,
    picker_rows,
)
from viewer.drawing.buttons import draw_button
from viewer.drawing.canvas import Canvas
from viewer.drawing.text import HEADING, SMALL, TEXT, Weight, fold
from viewer.layout import MARGIN, Rect
from viewer.menu import MENU_ROWS, TYPED, can_turn, menu_values, note, problem
from viewer.model import Menu, Mode, Model, Picker
from viewer.theme import blend


def draw_dialogs(canvas: Canvas, model: Model) -> None:
    """Draws the dialog that is open, if there is one."""
    if model.picker is not None:
        _draw_picker(canvas, model, model.picker)
    elif model.shows_help:
        _draw_help(canvas, model)
    elif model.menu is not None:
        _draw_menu(canvas, model, model.menu)


def _draw_box(canvas: Canvas, box: Rect, title: str, height: float = TITLE) -> None:
    theme, px = canvas.theme, canvas.px
    canvas.veil()
    canvas.framed(box, theme.panel, theme.grid, 12)
    heading = Rect(box.left + px(MARGIN + 4), box.top, box.width - px(2 * MARGIN), px(height))
    canvas.text_in(title, heading, HEADING + 2, weight=Weight.BOLD)


def _draw_menu(canvas: Canvas, model: Model, menu: Menu) -> None:
    """Draws the rows of the menu with their settings; the selected one stands out."""
    theme, px = canvas.theme, canvas.px
    title = {Mode.PLAY: "New game", Mode.ANALYSE: "New position"}.get(model.mode, "Watch a game")
    _draw_box(canvas, menu_box(model), title, MENU_TITLE)
    rows, values = menu_rows(model, menu), menu_values(menu)
    for i, row in rows:
        name, value, chosen = MENU_ROWS[i], values[i], i == menu.row
        if chosen:
            canvas.box(row, blend(theme.panel, theme.accent, 0.14), 8)
        weight = Weight.BOLD if chosen else Weight.REGULAR
        label = Rect(row.left + px(12), row.top, px(100), row.height)
        canvas.text_in(name, label, TEXT, theme.text if chosen else theme.faint, weight)
        indent = px(ARROWS_FROM + 38)
        place = Rect(row.left + indent, row.top, max(row.width - indent - px(44), 1), row.height)
        shown = value + ("|" if chosen and name in TYPED else "")
        ink = theme.text if can_turn(menu, name) else theme.faint
        canvas.text_in(shown, place, TEXT, ink, Weight.MEDIUM)
    _draw_scrollbar(canvas, rows)
    trouble, at = problem(menu), menu_note(model)
    colour = theme.mine if trouble else theme.faint
    for i, line in enumerate(fold(trouble or note(menu), at.width, px(SMALL))[:2]):
        canvas.text(line, (at.left, at.top + px(4 + 17 * i)), SMALL, colour)
    for placed in menu_buttons(model, menu):
        if placed.button.name not in MENU_ROWS:
            draw_button(canvas, model, placed, theme.panel)


def _draw_scrollbar(canvas: Canvas, rows: list[tuple[int, Rect]]) -> None:
    """Draws which of the menu's rows are in view, where not all are."""
    if len(rows) == len(MENU_ROWS):
        return
    first, top = rows[0]
    height = rows[-1][1].bottom - top.top
    at = top.top + height * first // len(MENU_ROWS)
    length = height * len(rows) // len(MENU_ROWS)
    thin = canvas.px(4)
    canvas.box(Rect(top.right + canvas.px(4), at, thin, length), canvas.theme.faint, 2)


def _draw_picker(canvas: Canvas, model: Model, picker: Picker) -> None:
    """Draws the folder's name and its rows: folders, then files with their sizes."""
    theme, px = canvas.theme, canvas.px
    box = picker_box(model)
    _draw_box(canvas, box, "Open a replay or a position")
    rows = dict(picker_rows(model, picker))
    for placed in picker_buttons(model, picker):
        if not placed.button.name.startswith("row "):
            draw_button(canvas, model, placed, theme.panel)
    for i, place in rows.items():
        entry = picker.entries[i]
        if i == picker.row:
            canvas.box(place, blend(theme.panel, theme.accent, 0.16), 6)
        elif model.pointer is not None and place.has(model.pointer):
            canvas.box(place, blend(theme.panel, theme.text, 0.06), 6)
        icon = Rect(place.left + px(8), place.top, px(18), place.height)
        ink = theme.accent if entry.is_folder else theme.faint
        canvas.icon("folder" if entry.is_folder else "file", icon, 16, ink)
        name = Rect(icon.right + px(8), place.top, place.width - px(130), place.height)
        canvas.text_in("the folder above" if entry.name == ".." else entry.name, name)
        if not entry.is_folder:
            size = Rect(place.right - px(98), place.top, px(90), place.height)
            canvas.text_in(_size(entry.bytes), size, SMALL, theme.faint, side="right")
    told = picker.error or picker.folder
    colour = theme.mine if picker.error else theme.faint
    foot = Rect(box.left + px(MARGIN + 4), box.bottom - px(46), px(230), px(32))
    canvas.text_in(told, foot, SMALL, colour)


def _size(number: int) -> str:
    """Returns a file's size in words."""
    for power, unit in enumerate(("bytes", "KB", "MB")):
        if number < 1000 ** (power + 1):
            return f"{number / 1000**power:.3g} {unit}"
    return f"{number / 1000**3:.3g} GB"


def _draw_help(canvas: Canvas, model: Model) -> None:
    """Draws the keys and what they do in two columns, as large as fits."""
    theme, px = canvas.theme, canvas.px
    box = help_box(model)
    _draw_box(canvas, box, "Keys")
    draw_button(canvas, model, help_buttons(model)[0], theme.panel)
    columns = help_columns()
    most = max(sum(len(keys) + 1.5 for _, keys in column) for column in columns)
    step = min(int((box.height - px(TITLE + MARGIN)) / most), px(HELP_ROW))
    letters = max(min(step / canvas.scale - 8, float(TEXT)), 5.0)
    width = (box.width - px(3 * MARGIN)) // 2
    for i, column in enumerate(columns):
        left, top = box.left + px(MARGIN + 4) + i * (width + px(MARGIN)), box.top + px(TITLE)
        for name, keys in column:
            canvas.text_in(name, Rect(left, top, width, step), letters, theme.accent, Weight.BOLD)
            top += step
            for key, meaning in keys:
                first = Rect(left, top, width * 34 // 100, step)
                canvas.text_in(key, first, letters, weight=Weight.MEDIUM)
                second = Rect(first.right, top, width - first.width, step)
                canvas.text_in(meaning, second, letters, theme.faint)
                top += step
            top += step // 2
