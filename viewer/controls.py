"""All buttons that can be pressed now: those of the dialog that is open, or of the window."""

from viewer.buttons import PlacedButton
from viewer.dialogs import help_buttons, menu_buttons, picker_buttons
from viewer.events import Point
from viewer.model import Model
from viewer.more_menu import more_buttons
from viewer.start_screen import start_buttons
from viewer.toolbars import bar_buttons, brush_buttons, tool_buttons
from viewer.turning_points import turning_buttons

REST = 0.5
"""Seconds for which the mouse rests on a button before it is explained."""


def controls(model: Model) -> tuple[PlacedButton, ...]:
    """Returns the buttons in the order in which Tab goes through them."""
    if model.picker is not None:
        return picker_buttons(model, model.picker)
    if model.shows_help:
        return help_buttons(model)
    if model.menu is not None:
        return menu_buttons(model, model.menu)
    if model.shows_start:
        return start_buttons(model)
    rows = (*bar_buttons(model), *tool_buttons(model), *brush_buttons(model))
    return (*more_buttons(model), *rows, *turning_buttons(model))


def button_at(model: Model, at: Point | None) -> PlacedButton | None:
    """Returns the button at a point of the window, if there is one."""
    if at is None:
        return None
    return next((placed for placed in controls(model) if placed.rect.has(at)), None)


def press(model: Model, placed: PlacedButton) -> Model:
    """Does what a button does, if it can be pressed."""
    return placed.button.press(model) if placed.button.enabled else model


def explained(model: Model) -> PlacedButton | None:
    """Returns the button that is to be explained: where the mouse rests, or the focus is."""
    if model.focus is not None:
        return next((each for each in controls(model) if each.button.name == model.focus), None)
    return button_at(model, model.pointer) if model.rested >= REST else None
