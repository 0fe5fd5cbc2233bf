"""The mouse: clicks on buttons and cells, dragging the board or the timeline, and zooming."""

from dataclasses import replace

from viewer import menu, picker
from viewer.controls import REST, button_at, press
from viewer.events import LEFT, RIGHT, Point, Press, Release
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
    model = replace(model, pointer=press.at, focus=None)
    if press.button != LEFT:
        return model
    model = replace(model, pressed_at=press.at, panned_from=model.pan)
    if model.has_dialog or model.more or button_at(model, press.at) is not None:
        return model
    return replay.scrub(model, press.at)


def on_motion(model: Model, at: Point | None) -> Model:
    """Drags the timeline or the board; in analyse mode, selects the cell under the mouse."""
    model = replace(model, pointer=at, rested=0.0)
    if at is None or model.has_dialog:
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


def on_rest(model: Model, seconds: float) -> Model:
    """Lets time pass, after which the button under the mouse is explained."""
    if model.pointer is None or model.rested >= REST or button_at(model, model.pointer) is None:
        return model
    return replace(model, rested=model.rested + seconds)


def on_release(model: Model, release: Release) -> Model:
    """Carries out a click, unless the mouse was dragged."""
    before, held = model, model.held - {release.button}
    pressed_at = None if release.button == LEFT else model.pressed_at
    model = replace(model, held=held, pressed_at=pressed_at, chorded=model.chorded and bool(held))
    if release.button not in before.held:
        return model  # Pressed outside of the window.
    at = release.at
    if release.button == LEFT and before.pressed_at is not None:
        placed, down = button_at(model, at), button_at(model, before.pressed_at)
        if placed is not None and down is not None and placed.rect == down.rect:
            return press(model, placed)
        if placed is not None or down is not None:
            return model
    if model.more is not None:
        # Beside the list of more buttons, a click closes it.
        return replace(model, more=None)
    if release.button == LEFT and before.pressed_at is not None and _far(at, before.pressed_at):
        return model
    if model.has_dialog:
        # Beside a dialog that only tells something, a click closes it.
        return replace(model, shows_help=False)
    return _on_cell(model, before, release)


def _far(at: Point, other: Point) -> bool:
    """Whether the mouse was dragged from one point to the other."""
    return max(abs(a - b) for a, b in zip(at, other, strict=True)) >= DRAG


def _on_cell(model: Model, before: Model, release: Release) -> Model:
    """Carries out a click on the board."""
    cell = model.layout.cell_at(release.at)
    if cell is None:
        return model
    if model.mode is Mode.ANALYSE:
        return analyse.on_click(model, cell, release.button)
    if model.mode is not Mode.PLAY:
        return model
    if before.chorded:
        # The first button that goes up chords; the second does nothing.
        return play.on_chord(model, cell) if model.held else model
    return play.on_click(model, cell, release.button)


def on_wheel(model: Model, steps: int, at: Point) -> Model:
    """Zooms in or out; the point under the mouse stays there. In a list of files, it scrolls."""
    if model.picker is not None:
        return picker.move(model, model.picker, -steps)
    if model.menu is not None:
        return menu.move(model, model.menu, -1 if steps > 0 else 1)
    if model.has_dialog:
        return model
    before, factor = model.layout, ZOOM**steps
    zoom = min(max(model.zoom * factor, 1.0), MAX_ZOOM)
    after = replace(model, zoom=zoom)
    if after.layout.cell == before.cell:
        return model if factor > 1 and before.cell == before.max_cell else after
    size = (before.cols, before.rows)
    pan = []
    for axis in range(2):
        place = (at[axis] - before.origin[axis]) / before.cell
        wanted = at[axis] - place * after.layout.cell
        centred = before.field.middle[axis] - size[axis] * after.layout.cell / 2
        pan.append(round(wanted - centred))
    return replace(after, pan=(pan[0], pan[1]))
