"""The clicks of a replay, from which metrics are computed."""

from jaxsweep.rules.clicks import Button, Click, ClickedGame
from jaxsweep.single.replay.format import HUMAN, RecordedMove, Replay


def clicked_game(replay: Replay) -> ClickedGame:
    """Returns the clicks of a recorded game.

    Flags of strategies are notes of what they know, and no clicks.
    """
    is_human = replay.strategy == HUMAN
    clicks = [click for move in replay.moves for click in _clicks(move, is_human)]
    player = None if is_human else replay.strategy
    return ClickedGame(replay.mines, tuple(clicks), replay.seconds, player)


def _clicks(move: RecordedMove, with_flags: bool) -> list[Click]:
    if move.chord is not None:
        return [Click(Button.CHORD, move.chord, move.seconds)]
    flags = move.flags if with_flags else ()
    return [Click(Button.RIGHT, cell, move.seconds) for cell in flags] + [
        Click(Button.LEFT, cell, move.seconds) for cell in move.cells
    ]
