"""The keys that every mode shares; other keys go to the menu or to the mode."""

from dataclasses import replace

from jaxsweep.rules.notation import GridPosition, to_text
from viewer import effects, menu, picker
from viewer.events import Key
from viewer.files import replay_shown, review, to_analyse
from viewer.layout import SCALES
from viewer.model import Menu, Mode, Model
from viewer.modes import analyse, play, replay, watch
from viewer.modes.switch import switch_mode

MODE_KEYS = {"f2": Mode.REPLAY, "f3": Mode.WATCH, "f4": Mode.PLAY, "f5": Mode.ANALYSE}
"""The key of each mode."""

_OVERLAYS = {"o": "odds", "p": "percent", "m": "marks", "e": "outlines"}


def on_key(model: Model, key: Key) -> Model:
    """Returns the model after a key went down."""
    if key.control:
        return _on_control(model, key.name)
    if model.picker is not None:
        return picker.on_key(model, model.picker, key)
    if model.shows_help:
        return replace(model, shows_help=False) if key.name in ("f1", "escape") else model
    if model.menu is not None:
        return menu.on_key(model, model.menu, key)
    if key.name in MODE_KEYS:
        return switch_mode(model, MODE_KEYS[key.name])
    if model.shows_start:
        return _on_start_screen(model, key.name)
    if key.name in _OVERLAYS:
        return _toggle_overlay(model, _OVERLAYS[key.name])
    match key.name:
        case "f1":
            return replace(model, shows_help=True)
        case "escape":
            model = play.stop_dealing(model) if model.mode is Mode.PLAY else model
            return replace(model, message="", more=None)
        case "n":
            return replace(model, menu=Menu.of(model.settings))
        case "f6":
            return replace(model, shows_start=True, focus=None)
        case "t":
            return replace(model, dark=not model.dark)
        case "b":
            return replace(model, shows_panel=not model.shows_panel)
        case "l" if model.shows_board:
            return to_analyse(model, model.grid, model.mines)
        case "v" if model.mode is Mode.PLAY:
            return review(model)
        case "z":
            return replace(model, zoom=1.0, pan=(0, 0))
    match model.mode:
        case Mode.REPLAY:
            return replay.on_key(model, key)
        case Mode.WATCH:
            return watch.on_key(model, key)
        case Mode.PLAY:
            return play.on_key(model, key.name)
        case Mode.ANALYSE:
            return analyse.on_key(model, key)


def _on_control(model: Model, name: str) -> Model:
    match name:
        case "c":
            text = to_text(GridPosition(model.grid, model.mines))
            return replace(model, message="position copied").with_effect(effects.Copy(text))
        case "v":
            return model.with_effect(effects.Paste())
        case "s":
            game = replay_shown(model)
            if game is None:
                return replace(model, message="there is no game to save yet")
            return model.with_effect(effects.SaveReplay(game))
        case "o":
            return picker.open_picker(model)
        case "q":
            return model.with_effect(effects.Quit())
        case "+" | "=":
            return _scaled(model, 1)
        case "-" | "−":
            return _scaled(model, -1)
    return model


def _scaled(model: Model, step: int) -> Model:
    """Makes all letters and buttons a step larger or smaller."""
    nearest = min(SCALES, key=lambda scale: abs(scale - model.scale))
    index = min(max(SCALES.index(nearest) + step, 0), len(SCALES) - 1)
    return replace(model, scale=SCALES[index])


def _on_start_screen(model: Model, name: str) -> Model:
    match name:
        case "escape" | "f6":
            return replace(model, shows_start=False, focus=None)
        case "f1":
            return replace(model, shows_help=True)
        case "t":
            return replace(model, dark=not model.dark)
    return model


def _toggle_overlay(model: Model, part: str) -> Model:
    overlay = replace(model.overlay, **{part: not getattr(model.overlay, part)})
    model = replace(model, overlays=model.overlays | {model.mode: overlay})
    # Whoever looks at the odds in a game has had help.
    return play.with_help(model) if overlay.any and model.mode is Mode.PLAY else model
