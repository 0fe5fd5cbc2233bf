"""The mouse: clicks, the buttons on top, dragging the board or the timeline, and zooming."""

from dataclasses import replace

from viewer.buttons import top_buttons
from viewer.events import LEFT, RIGHT, Key, Point, Press, Release
from viewer.keys import on_key
from viewer.layout import MAX_CELL
from viewer.model import Mode, Model
from viewer.modes import analyse, play, replay

DRAG = 6
"""Pixels that the mouse may move during a click."""

ZOOM = 1.25
"""The factor of one step of the wheel."""

MAX_ZOOM = 64.0


def on_press(model: Model, press: Press) -> Model:
    """Notes the button that went down; on the timeline, goes to its move."""
    held = model.held | {press.button}
    model = replace(model, held=held, chorded=model.chorded or {LEFT, RIGHT} <= held)
    if press.button != LEFT:
        return model
    model = replace(model, pressed_at=press.at, panned_from=model.pan)
    return replay.scrub(model, press.at) if model.menu is None and not model.shows_help else model


def on_motion(model: Model, at: Point) -> Model:
    """Drags the timeline or the board; in analyse mode, selects the cell under the mouse."""
    if model.menu is not None or model.shows_help:
        return model
    if LEFT in model.held and model.pressed_at is not None:
        timeline = model.layout.timeline
        if timeline is not None and timeline.has(model.pressed_at):
            return replay.scrub(model, (at[0], model.pressed_at[1]))
        away = (at[0] - model.pressed_at[0], at[1] - model.pressed_at[1])
        if model.layout.field.has(model.pressed_at) and max(map(abs, away)) >= DRAG:
            pan = (model.panned_from[0] + away[0], model.panned_from[1] + away[1])
            return replace(model, pan=pan)
    if model.mode is Mode.ANALYSE:
        cell = model.layout.cell_at(at)
        if cell is not None and cell != model.editor.cursor:
            return analyse.move_cursor(model, cell)
    return model


def on_release(model: Model, release: Release) -> Model:
    """Carries out a click, unless the mouse was dragged."""
    before, held = model, model.held - {release.button}
    pressed_at = None if release.button == LEFT else model.pressed_at
    model = replace(model, held=held, pressed_at=pressed_at, chorded=model.chorded and bool(held))
    if release.button not in before.held:
        return model  # Pressed outside of the window.
    if model.shows_help:
        return replace(model, shows_help=False)
    if model.menu is not None:
        return model
    at = release.at
    if release.button == LEFT and before.pressed_at is not None:
        if max(abs(a - b) for a, b in zip(at, before.pressed_at, strict=True)) >= DRAG:
            return model
        buttons = top_buttons(model.dark)
        for button, place in zip(buttons, model.layout.buttons(len(buttons)), strict=True):
            if place.has(at):
                return on_key(model, Key(button.key))
    cell = model.layout.cell_at(at)
    if cell is None:
        return model
    if model.mode is Mode.ANALYSE:
        return analyse.on_click(model, cell, release.button)
    if model.mode is not Mode.PLAY:
        return model
    if before.chorded:
        # The first button that goes up chords; the second does nothing.
        return play.on_chord(model, cell) if held else model
    return play.on_click(model, cell, release.button)


def on_wheel(model: Model, steps: int, at: Point) -> Model:
    """Zooms in or out; the point under the mouse stays there."""
    before, factor = model.layout, ZOOM**steps
    zoom = min(max(model.zoom * factor, 1.0), MAX_ZOOM)
    after = replace(model, zoom=zoom)
    if after.layout.cell == before.cell:
        return model if factor > 1 and before.cell == MAX_CELL else after
    middle = (
        before.field.left + before.field.width // 2,
        before.field.top + before.field.height // 2,
    )
    size = (before.cols, before.rows)
    pan = []
    for axis in range(2):
        place = (at[axis] - before.origin[axis]) / before.cell
        wanted = at[axis] - place * after.layout.cell
        centred = middle[axis] - size[axis] * after.layout.cell / 2
        pan.append(round(wanted - centred))
    return replace(after, pan=(pan[0], pan[1]))
