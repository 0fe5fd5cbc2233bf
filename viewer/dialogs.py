"""The places of the dialogs, of their rows and of their buttons."""

from dataclasses import replace
from functools import partial

from viewer import menu as menus
from viewer import picker as pickers
from viewer.buttons import HEIGHT, Button, PlacedButton, button_width, key_button
from viewer.events import Key
from viewer.help import HELP
from viewer.layout import MARGIN, Rect
from viewer.menu import MENU_ROWS
from viewer.model import Menu, Model, Picker

MENU_ROW, LOW_MENU_ROW, PICKER_ROW, HELP_ROW = 40, 30, 30, 27
TITLE, FOOT = 58, 60
"""Heights above and under the rows of a dialog, at scale 1."""

MENU_TITLE, NOTE = 48, 40
"""Of the menu: the height above its rows, and that of what is said of the selected one."""

ARROWS_FROM = 118
"""Where the settings of the menu's rows begin."""


def dialog_box(model: Model, width: float, height: float) -> Rect:
    """Returns a box in the middle of the window, no larger than it."""
    px = model.layout.px
    wide = min(px(width), max(model.size[0] - 2 * px(MARGIN), 1))
    high = min(px(height), max(model.size[1] - 2 * px(MARGIN), 1))
    return Rect((model.size[0] - wide) // 2, (model.size[1] - high) // 2, wide, high)


def menu_box(model: Model) -> Rect:
    """Returns the place of the menu."""
    return dialog_box(model, 500, MENU_TITLE + NOTE + FOOT + len(MENU_ROWS) * MENU_ROW)


def menu_rows(model: Model, menu: Menu) -> list[tuple[int, Rect]]:
    """Returns the rows of the menu that are in view, with their places.

    In a low window rows are lower, and where that is not enough, those around the selected one are
    in view.
    """
    box, px = menu_box(model), model.layout.px
    room = max(box.height - px(MENU_TITLE + NOTE + FOOT), 1)
    height = max(min(room // len(MENU_ROWS), px(MENU_ROW)), px(LOW_MENU_ROW))
    count = min(max(room // height, 1), len(MENU_ROWS))
    shown = _around(menu.row, count, len(MENU_ROWS))
    return list(zip(shown, _rows(model, box, MENU_TITLE, height, count), strict=True))


def menu_note(model: Model) -> Rect:
    """Returns the place of what is said of the selected row."""
    box, px = menu_box(model), model.layout.px
    left = box.left + px(MARGIN + 12)
    width = max(box.width - 2 * px(MARGIN + 12), 1)
    return Rect(left, box.bottom - px(NOTE + FOOT), width, px(NOTE))


def menu_buttons(model: Model, menu: Menu) -> tuple[PlacedButton, ...]:
    """Places the menu's buttons: to choose, to start, to close, and the rows themselves."""
    px, rows = model.layout.px, menu_rows(model, menu)
    arrows, lines = [], []
    for i, row in rows:
        name = MENU_ROWS[i]
        for step, icon in ((-1, "back"), (1, "forward")) if name != "Name" else ():
            side = min(px(HEIGHT), row.height)
            left = row.left + px(ARROWS_FROM) if step < 0 else row.right - side - px(6)
            top = row.top + (row.height - side) // 2
            tip = f"{'Next' if step > 0 else 'Previous'} {name.lower()}"
            turned = partial(_turn, i, step)
            button = Button(
                f"{name} {step}", "", turned, icon, tip, "Right" if step > 0 else "Left",
                enabled=menus.can_turn(menu, name),
            )  # fmt: skip
            arrows.append(PlacedButton(button, Rect(left, top, side, side), False))
        select = Button(name, "", partial(_select, i), chosen=i == menu.row)
        lines.append(PlacedButton(select, row, False))
    foot = _foot(
        model,
        menu_box(model),
        [
            key_button(
                Key("return"), "Enter", "Start", "check", "Take these settings", primary=True,
                enabled=not menus.problem(menu),
            ),
            key_button(Key("escape"), "Esc", "Cancel", "close", "Change nothing"),
        ],
    )  # fmt: skip
    return (*arrows, *foot, *lines)


def _turn(row: int, step: int, model: Model) -> Model:
    return model if model.menu is None else menus.turn(model, model.menu, row, step)


def _select(row: int, model: Model) -> Model:
    return model if model.menu is None else replace(model, menu=replace(model.menu, row=row))


def picker_box(model: Model) -> Rect:
    """Returns the place of the dialog that opens a file."""
    return dialog_box(model, 620, 560)


def picker_rows(model: Model, picker: Picker) -> list[tuple[int, Rect]]:
    """Returns the entries that are in view with their places; the selected one is among them."""
    box, px = picker_box(model), model.layout.px
    count = max((box.height - px(TITLE + FOOT)) // px(PICKER_ROW), 1)
    shown = _around(picker.row, count, len(picker.entries))
    rows = _rows(model, box, TITLE, px(PICKER_ROW), len(shown))
    return list(zip(shown, rows, strict=True))


def picker_buttons(model: Model, picker: Picker) -> tuple[PlacedButton, ...]:
    """Places the buttons of the dialog that opens a file, and its rows."""
    has_entries = bool(picker.entries)
    foot = _foot(
        model,
        picker_box(model),
        [
            key_button(
                Key("return"), "Enter", "Open", "check", "Open what is selected",
                primary=True, enabled=has_entries,
            ),
            key_button(Key("backspace"), "Backspace", "Up", "up", "The folder above"),
            key_button(Key("escape"), "Esc", "Cancel", "close", "Open nothing"),
        ],
    )  # fmt: skip
    rows = [
        PlacedButton(
            Button(f"row {i}", "", partial(_choose, i), chosen=i == picker.row), place, False
        )
        for i, place in picker_rows(model, picker)
    ]
    return (*foot, *rows)


def _choose(row: int, model: Model) -> Model:
    return model if model.picker is None else pickers.choose(model, model.picker, row)


def help_buttons(model: Model) -> tuple[PlacedButton, ...]:
    """Places the button that closes the help."""
    close = key_button(Key("escape"), "Esc", "Close", "close", "Close", small=True)
    box, side, px = help_box(model), model.layout.px(HEIGHT), model.layout.px
    place = Rect(box.right - side - px(12), box.top + px(12), side, side)
    return (PlacedButton(close, place, False),)


def help_box(model: Model) -> Rect:
    """Returns the place of the help: as high as its longer column."""
    most = max(sum(len(keys) + 1.5 for _, keys in column) for column in help_columns())
    return dialog_box(model, 900, TITLE + MARGIN + most * HELP_ROW)


def help_columns() -> tuple[tuple, tuple]:
    """Returns the parts of the help in two columns."""
    return HELP[:1] + HELP[3:], HELP[1:3]


def _around(row: int, count: int, rows: int) -> range:
    """Returns at most so many of all rows, in the middle of which is one, as far as can be."""
    first = min(max(row - count // 2, 0), max(rows - count, 0))
    return range(first, min(first + count, rows))


def _rows(model: Model, box: Rect, title: float, height: int, count: int) -> list[Rect]:
    """Places so many rows of a height in pixels under the title of a dialog."""
    px = model.layout.px
    left, width = box.left + px(MARGIN), max(box.width - 2 * px(MARGIN), 1)
    top = box.top + px(title)
    return [Rect(left, top + i * height, width, height) for i in range(count)]


def _foot(model: Model, box: Rect, buttons: list[Button]) -> list[PlacedButton]:
    """Places buttons from the right to the left at the foot of a dialog."""
    px, right, placed = model.layout.px, box.right - model.layout.px(MARGIN), []
    for button in buttons:
        width = button_width(button, True, model.scale)
        place = Rect(right - width, box.bottom - px(HEIGHT + MARGIN), width, px(HEIGHT))
        placed.append(PlacedButton(button, place, True))
        right -= width + px(8)
    return placed
