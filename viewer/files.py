"""Replays and positions from files and the clipboard, and the replay to save."""

from dataclasses import replace

import numpy as np
from jaxtyping import Int8

from jaxsweep.formats import read
from jaxsweep.formats.conversion import as_replay
from jaxsweep.rules.notation import GridPosition
from jaxsweep.runtime.errors import UserError
from jaxsweep.single.replay import Replay
from viewer.effects import GradeGame
from viewer.events import Dropped
from viewer.model import MAX_CELLS, Editor, Mode, Model
from viewer.modes import play
from viewer.modes.switch import switch_mode
from viewer.playback import Playback

MAX_GRADED_CELLS = 2500
"""The largest board whose replays are graded: larger ones would keep the engine busy for long."""


def open_file(model: Model, file: Dropped) -> Model:
    """Shows a game in replay mode, and a position in analyse mode.

    Of several in a file, the first is shown.
    """
    try:
        contents = read(file.data, file.name)
        positions = [found for found in contents if isinstance(found, GridPosition)]
        if positions:
            return _show_position(model, positions[0], file.name)
        replay = as_replay(contents[0])
    except UserError as error:
        return replace(model, message=str(error))
    if replay.opening.level.cells > MAX_CELLS:
        return replace(model, message=f"{file.name}: too large a board for the window")
    return show_replay(model, replay)


def show_replay(model: Model, replay: Replay) -> Model:
    """Shows a game in replay mode, and has it graded."""
    model = switch_mode(replace(model, replay=Playback.of(replay)), Mode.REPLAY)
    is_gradable = replay.moves and replay.opening.level.cells <= MAX_GRADED_CELLS
    return model.with_effect(GradeGame(replay)) if is_gradable else model


def open_text(model: Model, text: str, source: str) -> Model:
    """Opens what was pasted: a position, a link, or a file as text."""
    return open_file(model, Dropped(source, text.encode(errors="replace")))


def _show_position(model: Model, position: GridPosition, source: str) -> Model:
    """Shows a position in analyse mode."""
    grid, mines = position
    if grid.size > MAX_CELLS:
        return replace(model, message=f"{source}: too large a board for the window")
    return to_analyse(model, grid, mines)


def to_analyse(model: Model, grid: Int8[np.ndarray, "rows cols"], mines: int) -> Model:
    """Shows a position in analyse mode."""
    session = model.play.game.session
    if np.array_equal(grid >= 0, session.board.grid >= 0) and session.opening is not None:
        model = play.with_help(model)  # The odds of the game under way are help.
    return switch_mode(replace(model, editor=Editor(grid, mines)), Mode.ANALYSE)


def review(model: Model) -> Model:
    """Shows the person's game that has just ended in replay mode, from its end."""
    replay = model.play.game.replay()
    if replay is None or not model.play.game.is_over:
        return model
    model = show_replay(model, replay)
    assert model.replay is not None
    return replace(model, replay=model.replay.go(len(replay.moves)))


def replay_shown(model: Model) -> Replay | None:
    """Returns the game that is shown as a replay; None if there is none."""
    if model.mode is Mode.PLAY:
        return model.play.game.replay()
    playback = model.playback
    if playback is None or not playback.moves:
        return None
    last = playback.boards[-1]
    about = (playback.opening, playback.seed, playback.game, playback.strategy)
    return Replay(*about, last.mines, playback.moves, last.status, playback.seconds)
