"""Games as clicks and as replays: what the clicks of a game do, and how a replay is clicked."""

from collections.abc import Iterator

from jaxsweep.rules.board import Board, cells_of
from jaxsweep.rules.clicks import Button, Click, ClickedGame, after_click
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.rules.reasons import Reason
from jaxsweep.single.replay.format import HUMAN, RecordedMove, Replay, after_move


def replay_of(game: ClickedGame) -> Replay:
    """Returns the replay of a game: its clicks that have an effect, each a move.

    Files do not say by which rule mines were kept from the first cell: the start rule is ANY, and
    the first cell the first that was opened.
    """
    board, moves = Board.all_hidden(game.mines), []
    for click in game.clicks:
        before = board
        board, cells, flags = after_click(board, click)
        if board is not before:
            opened = tuple(cells_of(board.opened & ~before.opened))
            chord = click.cell if click.button is Button.CHORD else None
            moves.append(
                RecordedMove(
                    cells, flags, opened, Reason.PLAYER, None, chord=chord, seconds=click.seconds
                )
            )
    first = next((move.cells[0] for move in moves if move.cells), (0, 0))
    rows, cols = game.mines.shape
    opening = Opening(Level(rows, cols, int(game.mines.sum())), Start.ANY, first)
    moves = tuple(moves)
    return Replay(opening, None, None, HUMAN, game.mines, moves, board.status, game.seconds)


def clicks_of(replay: Replay) -> ClickedGame:
    """Returns the clicks that make a replay's moves, each at the time of its move.

    A move that opens several cells is a click on each that is still hidden when its turn comes.
    """
    player = None if replay.strategy == HUMAN else replay.strategy
    return ClickedGame(replay.mines, tuple(_clicks(replay)), replay.seconds, player)


def _clicks(replay: Replay) -> Iterator[Click]:
    board = Board.all_hidden(replay.mines)
    for move in replay.moves:
        for cell in move.flags:
            yield Click(Button.RIGHT, cell, move.seconds)
        if move.chord is not None:
            yield Click(Button.CHORD, move.chord, move.seconds)
            board = after_move(board, move.flags, move.cells)
            continue
        board = after_move(board, move.flags, ())
        for cell in move.cells:
            if not board.opened[cell]:
                yield Click(Button.LEFT, cell, move.seconds)
                board = after_move(board, (), (cell,))
