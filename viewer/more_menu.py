"""Buttons that have no room in their row, in a list that a button at its end opens."""

from dataclasses import replace

from viewer.buttons import GAP, HEIGHT, Button, PlacedButton, button_width, left_out
from viewer.layout import Rect
from viewer.model import Model
from viewer.toolbars import ROWS, more_name

PADDING = 6


def more_buttons(model: Model) -> tuple[PlacedButton, ...]:
    """Places the buttons of the list that is open, in as many columns as it takes."""
    if model.more is None:
        return ()
    groups, place = ROWS[model.more]
    placed = place(model)
    opener = next((each for each in placed if each.button.name == more_name(model.more)), None)
    if opener is None:
        return ()  # The window has grown: there is room for all.
    px, anchor = model.layout.px, opener.rect
    buttons = [_in_list(button) for button in left_out(groups(model), placed)]
    is_above = anchor.top > model.size[1] // 2
    room = (anchor.top if is_above else model.size[1] - anchor.bottom) - 2 * px(PADDING + GAP)
    step = px(HEIGHT + GAP)
    rows = min(max(room // step, 1), len(buttons))
    columns = -(-len(buttons) // rows)
    width = max(button_width(button, True, model.scale) for button in buttons)
    room_across = (model.size[0] - 2 * px(PADDING + GAP)) // columns - px(GAP)
    has_labels = width <= room_across
    width = width if has_labels else px(HEIGHT)
    left = max(anchor.right - columns * (width + px(GAP)) + px(GAP), px(PADDING + GAP))
    top = anchor.bottom + px(PADDING + GAP)
    if is_above:
        top = anchor.top - px(PADDING) - rows * step
    return tuple(
        PlacedButton(
            button,
            Rect(left + i // rows * (width + px(GAP)), top + i % rows * step, width, px(HEIGHT)),
            has_labels,
        )
        for i, button in enumerate(buttons)
    )


def more_box(model: Model) -> Rect | None:
    """Returns the place of the list that is open; None if there is none."""
    rects = [placed.rect for placed in more_buttons(model)]
    if not rects:
        return None
    left, top = min(rect.left for rect in rects), min(rect.top for rect in rects)
    right, bottom = max(rect.right for rect in rects), max(rect.bottom for rect in rects)
    edge = model.layout.px(PADDING)
    return Rect(left - edge, top - edge, right - left + 2 * edge, bottom - top + 2 * edge)


def _in_list(button: Button) -> Button:
    """Returns a button with its label, or else what it does, that closes the list."""
    return replace(
        button,
        label=button.label or button.tip,
        press=lambda model: replace(button.press(model), more=None),
        small=False,
    )
