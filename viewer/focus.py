"""Buttons by keyboard: Tab goes from one to the next, Enter and Space press."""

from dataclasses import replace

from viewer.controls import controls, press
from viewer.events import Key
from viewer.keys import on_key as on_other_key
from viewer.model import Model


def on_key(model: Model, key: Key) -> Model:
    """Moves the focus or presses its button; hands every other key on."""
    if key.control:
        return on_other_key(model, key)
    if key.name == "tab":
        return _moved(model, -1 if key.shift else 1)
    if model.focus is not None:
        placed = next((each for each in controls(model) if each.button.name == model.focus), None)
        if placed is not None and key.name in ("return", "space"):
            return press(model, placed)
        if key.name == "escape":
            return replace(model, focus=None)
    return on_other_key(model, key)


def _moved(model: Model, step: int) -> Model:
    names = [each.button.name for each in controls(model) if each.button.enabled]
    if not names:
        return model
    if model.focus not in names:
        return replace(model, focus=names[0 if step > 0 else -1])
    return replace(model, focus=names[(names.index(model.focus) + step) % len(names)])
