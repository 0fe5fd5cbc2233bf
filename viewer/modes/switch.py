"""Switching from one mode to another."""

from dataclasses import replace

from viewer.model import Mode, Model
from viewer.modes import play, watch


def switch_mode(model: Model, mode: Mode) -> Model:
    """Enters a mode with its whole board in view."""
    model = replace(model, mode=mode, zoom=1.0, pan=(0, 0), message="", menu=None, requested=None)
    model = replace(model, shows_start=False, picker=None, more=None, focus=None)
    model = replace(model, held=frozenset(), pressed_at=None, chorded=False)
    if mode is Mode.WATCH and model.watched is None:
        return watch.new_game(model)
    return play.read_leaderboard(model) if mode is Mode.PLAY else model
