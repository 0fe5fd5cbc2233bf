"""Buttons: what each says and does, and how a row of them is placed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from viewer.events import Key
from viewer.keys import on_key
from viewer.layout import Rect
from viewer.model import Model

HEIGHT = 32
"""Of a button, at scale 1."""

PADDING, GAP, GROUP_GAP = 9, 4, 12
ICON = 16
LETTER = 14
"""The height of the letters on a button."""

_NARROW, _WIDE = frozenset("iljtfrI .,:'-|!1"), frozenset("mwMW%")


@dataclass(frozen=True)
class Button:
    """A button; `press` is what it does to the model, and most often what its key does."""

    name: str
    """Identifies it among those that are shown."""
    label: str
    press: Callable[[Model], Model]
    icon: str = ""
    tip: str = ""
    """What it does, in a few words."""
    key: str = ""
    """The key that does the same, as it is shown."""
    enabled: bool = True
    chosen: bool = False
    """Whether what it switches is on."""
    primary: bool = False
    """Whether it stands out, as what is most likely to be wanted."""
    small: bool = False
    """Whether it shows its icon alone."""


@dataclass(frozen=True)
class PlacedButton:
    """A button, its place, and whether there is room for its label."""

    button: Button
    rect: Rect
    has_label: bool


def key_button(
    key: Key,
    shown: str,
    label: str,
    icon: str,
    tip: str,
    *,
    enabled: bool = True,
    chosen: bool = False,
    primary: bool = False,
    small: bool = False,
) -> Button:
    """Returns a button that does what a key does; `shown` is the key's name for people."""
    return Button(
        name=f"{'control ' if key.control else ''}{key.name}",
        label=label,
        press=lambda model: on_key(model, key),
        icon=icon,
        tip=tip,
        key=shown,
        enabled=enabled,
        chosen=chosen,
        primary=primary,
        small=small,
    )


def letters_width(text: str) -> float:
    """Returns about how wide a text is, in heights of its letters, without a font."""
    return sum(0.33 if c in _NARROW else 0.9 if c in _WIDE else 0.62 for c in text)


def button_width(button: Button, labelled: bool, scale: float) -> int:
    """Returns the width of a button in pixels."""
    width = 2 * PADDING + (ICON if button.icon else 0)
    if labelled and button.label:
        width += letters_width(button.label) * LETTER + (6 if button.icon else 0)
    return round(max(width, HEIGHT) * scale)


def place_groups(
    groups: Sequence[Sequence[Button]],
    rect: Rect,
    scale: float,
    more: Button | None = None,
    margin: float = 8,
) -> tuple[PlacedButton, ...]:
    """Places groups of buttons in a row, the last group on the right.

    Where they do not fit, labels of the last groups are left out first; then whole buttons, from
    the end, in place of which there is the button `more`.
    """
    groups = [group for group in groups if group]
    placed = _place(groups, rect, scale, margin)
    if more is None or not left_out(groups, placed):
        return placed
    side, edge, gap = round(HEIGHT * scale), round(margin * scale), round(GAP * scale)
    rest = Rect(rect.left, rect.top, max(rect.width - side - gap, 1), rect.height)
    # The first button is placed even where there is no room: not so that two overlap.
    placed = tuple(p for p in _place(groups, rest, scale, margin) if p.rect.right <= rest.right)
    height = min(side, rect.height)
    top = rect.top + (rect.height - height) // 2
    place = Rect(rect.right - edge - side, top, side, height)
    return (*placed, PlacedButton(more, place, True))


def left_out(
    groups: Sequence[Sequence[Button]], placed: Sequence[PlacedButton]
) -> tuple[Button, ...]:
    """Returns the buttons for which there was no place."""
    names = {each.button.name for each in placed}
    return tuple(button for group in groups for button in group if button.name not in names)


def _place(
    groups: Sequence[Sequence[Button]], rect: Rect, scale: float, margin: float
) -> tuple[PlacedButton, ...]:
    """Places as many buttons of a row as there is room for."""
    gap, group_gap, edge = (round(n * scale) for n in (GAP, GROUP_GAP, margin))
    room = rect.width - 2 * edge - group_gap * max(len(groups) - 1, 0)
    labelled = len(groups)
    while labelled and _total(groups, labelled, gap, scale) > room:
        labelled -= 1
    height = min(round(HEIGHT * scale), rect.height)
    top = rect.top + (rect.height - height) // 2
    placed: list[PlacedButton] = []
    left = rect.left + edge
    for i, group in enumerate(groups):
        has_label = i < labelled
        widths = [button_width(each, has_label and not each.small, scale) for each in group]
        if i and i == len(groups) - 1:
            own = sum(widths) + gap * (len(widths) - 1)
            left = max(left, rect.right - edge - own)
        for button, width in zip(group, widths, strict=True):
            if left + width > rect.right - edge and placed:
                return tuple(placed)
            shows = bool(button.label) and has_label and not button.small
            placed.append(PlacedButton(button, Rect(left, top, width, height), shows))
            left += width + gap
        left += group_gap - gap
    return tuple(placed)


def _total(groups: Sequence[Sequence[Button]], labelled: int, gap: int, scale: float) -> int:
    """Returns the width of all groups, of which the first so many have labels."""
    return sum(
        sum(button_width(each, i < labelled and not each.small, scale) for each in group)
        + gap * (len(group) - 1)
        for i, group in enumerate(groups)
    )
