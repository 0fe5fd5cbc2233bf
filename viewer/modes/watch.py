"""Watch mode: a player plays in the engine worker, and its moves are shown as they arrive."""

from dataclasses import replace

import numpy as np

from jaxsweep.rules.level import LevelError
from viewer.effects import WatchGame
from viewer.events import Key, MovePlayed
from viewer.model import Model
from viewer.modes import replay
from viewer.playback import Playback


def on_key(model: Model, key: Key) -> Model:
    """Starts another game, or steps through this one."""
    if key.name == "r":
        return new_game(replace(model, settings=model.settings.next_seed()))
    return replay.on_key(model, key)


def new_game(model: Model) -> Model:
    """Starts a game to watch; a level without an opening becomes a message."""
    settings, run = model.settings, model.run + 1
    try:
        opening = settings.opening
    except LevelError as error:
        return replace(model, message=str(error))
    watched = Playback.live(opening, settings.seed, settings.strategy)
    model = replace(model, watched=watched, run=run, message="")
    return model.with_effect(WatchGame(run, settings.strategy, opening, settings.seed))


def move_played(model: Model, event: MovePlayed) -> Model:
    """Appends a move; moves of an earlier game, or out of order, are ignored."""
    watched = model.watched
    if watched is None or event.run != model.run or event.number != len(watched.moves):
        return model
    mines = event.mines if isinstance(event.mines, np.ndarray) else None
    return replace(model, watched=watched.with_move(event.move, mines, event.win))
