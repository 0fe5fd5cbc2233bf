"""The buttons on top: what is written on each, and the key that it stands for."""

from dataclasses import dataclass

from viewer.model import Mode

MODE_KEYS = {"f2": Mode.REPLAY, "f3": Mode.WATCH, "f4": Mode.PLAY, "f5": Mode.ANALYSE}
"""The key of each mode."""


@dataclass(frozen=True)
class Button:
    """A button on top: a click on it does what its key does."""

    key: str
    label: str
    mode: Mode | None = None
    """The mode that it switches to, if any."""


def top_buttons(dark: bool) -> tuple[Button, ...]:
    """Returns the buttons from left to right: modes, menu, theme, help."""
    return (
        *(Button(key, mode.value, mode) for key, mode in MODE_KEYS.items()),
        Button("n", "Menu"),
        Button("t", "Light" if dark else "Dark"),
        Button("f1", "Keys"),
    )
