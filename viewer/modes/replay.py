"""Replay mode, and what watch mode shares with it: stepping through the moves of a game."""

from dataclasses import replace

from viewer.events import Graded, Key, Point
from viewer.model import Mode, Model
from viewer.playback import LARGE_STEP, Playback


def on_key(model: Model, key: Key) -> Model:
    """Steps, runs, pauses, or changes the speed."""
    playback = model.playback
    if playback is None:
        return model
    step = LARGE_STEP if key.shift else 1
    match key.name:
        case "space":
            playback = playback.toggled()
        case "left":
            playback = replace(playback.go(playback.at - step), running=False)
        case "right":
            playback = replace(playback.go(playback.at + step), running=False)
        case "home":
            playback = replace(playback.go(0), running=False)
        case "end":
            playback = replace(playback.go(len(playback.moves)), running=False)
        case "g":
            playback = replace(playback.next_guess(), running=False)
        case "up":
            playback = playback.faster(1)
        case "down":
            playback = playback.faster(-1)
    return _with_playback(model, playback)


def scrub(model: Model, at: Point) -> Model:
    """Goes to the move at a point of the timeline, if the point is on it."""
    timeline, playback = model.layout.timeline, model.playback
    if timeline is None or playback is None or not playback.moves:
        return model
    across = min(max(at[0], timeline.left), timeline.right - 1)
    if not timeline.has((across, at[1])):
        return model
    moved = playback.go(model.layout.move_at(across, len(playback.moves)))
    return _with_playback(model, replace(moved, running=False))


def tick(model: Model, seconds: float) -> Model:
    """Advances a playback that is running."""
    playback = model.playback
    if playback is None:
        return model
    # The odds of a position are shown before the player's move.
    ready = model.mode is Mode.REPLAY or not model.overlay.any or model.result is not None
    return _with_playback(model, playback.tick(seconds, ready))


def graded(model: Model, event: Graded) -> Model:
    """Shows the grades of the replay, if it is still the one that is shown."""
    playback = model.replay
    if playback is None or playback.moves is not event.replay.moves:
        return model
    return replace(model, replay=replace(playback, grade=event.grade))


def _with_playback(model: Model, playback: Playback) -> Model:
    if playback is model.playback:
        return model
    if model.mode is Mode.REPLAY:
        return replace(model, replay=playback)
    return replace(model, watched=playback)
