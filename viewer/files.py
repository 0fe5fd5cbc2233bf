"""Replays and positions from files and the clipboard, and the replay to save."""

from dataclasses import replace

import numpy as np
from jaxtyping import Int8

from jaxsweep.rules.notation import PositionError, read_all
from jaxsweep.runtime.errors import UserError
from jaxsweep.single.replay import Replay, from_bytes
from viewer.events import Dropped
from viewer.model import MAX_CELLS, Editor, Mode, Model
from viewer.modes import play
from viewer.modes.switch import switch_mode
from viewer.playback import Playback


def open_file(model: Model, file: Dropped) -> Model:
    """Shows a replay in replay mode; anything else must be a position, for analyse mode."""
    compressed = file.data[:2] == b"\x1f\x8b"
    if compressed or b'"format"' in file.data[:200]:
        try:
            replay = from_bytes(file.data)
        except UserError as error:
            return replace(model, message=f"{file.name}: {error}")
        if replay.opening.level.cells > MAX_CELLS:
            return replace(model, message=f"{file.name}: too large a board for the window")
        return switch_mode(replace(model, replay=Playback.of(replay)), Mode.REPLAY)
    try:
        text = file.data.decode()
    except UnicodeDecodeError:
        return replace(model, message=f"{file.name}: neither a replay nor a position")
    return open_position(model, text, file.name)


def open_position(model: Model, text: str, source: str) -> Model:
    """Reads a position into analyse mode; `source` names it in messages."""
    try:
        grid, mines = read_all(text)[0]
    except PositionError as error:
        return replace(model, message=f"{source}: {error}")
    if grid.size > MAX_CELLS:
        return replace(model, message=f"{source}: too large a board for the window")
    return to_analyse(model, grid, mines)


def to_analyse(model: Model, grid: Int8[np.ndarray, "rows cols"], mines: int) -> Model:
    """Shows a position in analyse mode."""
    session = model.play.game.session
    if np.array_equal(grid >= 0, session.board.grid >= 0) and session.opening is not None:
        model = play.with_help(model)  # The odds of the game under way are help.
    return switch_mode(replace(model, editor=Editor(grid, mines)), Mode.ANALYSE)


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
