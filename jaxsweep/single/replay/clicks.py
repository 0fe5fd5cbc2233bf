"""Replays as clicks, and clicks as replays."""

from jaxsweep.rules.board import Board, cells_of
from jaxsweep.rules.clicks import Button, Click, ClickedGame, played
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.rules.reasons import Reason
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


def replay_of(game: ClickedGame) -> Replay:
    """Returns the replay of a game: its clicks that have an effect, each a move.

    Files do not say by which rule mines were kept from the first cell: the start rule is ANY, and
    the first cell the first that was opened.
    """
    board, moves = Board.all_hidden(game.mines), []
    for click, cells, before, after in played(game):
        if after is before:
            continue
        board = after
        moves.append(
            RecordedMove(
                cells=tuple(cells_of(cells)),
                flags=tuple(cells_of(before.flags ^ after.flags)),
                opened=tuple(cells_of(after.opened & ~before.opened)),
                reason=Reason.PLAYER,
                risk=None,
                chord=click.cell if click.button is Button.CHORD else None,
                seconds=click.seconds,
            )
        )
    first = next((move.cells[0] for move in moves if move.cells), (0, 0))
    rows, cols = game.mines.shape
    opening = Opening(Level(rows, cols, int(game.mines.sum())), Start.ANY, first)
    moves = tuple(moves)
    return Replay(opening, None, None, HUMAN, game.mines, moves, board.status, game.seconds)
