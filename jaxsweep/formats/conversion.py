"""What a file holds, as a game, as a replay, or as a position."""

from collections.abc import Sequence

from jaxsweep.formats.base import Content, FormatError
from jaxsweep.rules.board import Board
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.replay.clicks import clicked_game, replay_of
from jaxsweep.single.replay.format import Replay, after_move

MAX_BOARD_CELLS = 2**29
"""The most cells that the boards of a replay have together: playing them takes some seconds."""


def as_game(content: Content) -> ClickedGame:
    """Returns a game as clicks; raises `FormatError` for a position, whose mines are unknown."""
    if isinstance(content, GridPosition):
        raise FormatError("a position does not say where the mines are, as this format must")
    return clicked_game(content) if isinstance(content, Replay) else content


def as_replay(content: Content) -> Replay:
    """Returns a game as a replay; raises `FormatError` for a position."""
    if isinstance(content, GridPosition):
        raise FormatError("a position, not a game: it does not say where the mines are")
    if isinstance(content, Replay):
        return content
    if len(content.clicks) * content.mines.size > MAX_BOARD_CELLS:
        clicks, (rows, cols) = len(content.clicks), content.mines.shape
        raise FormatError(f"{clicks} clicks on {rows}×{cols} cells are too many for a replay")
    return replay_of(content)


def as_position(content: Content, move: int | None = None) -> GridPosition:
    """Returns a position, or what a player saw in a game after `move` moves, by default after all.

    Raises `FormatError` if the game has fewer moves.
    """
    if isinstance(content, GridPosition):
        return content
    replay = as_replay(content)
    last = len(replay.moves) if move is None else move
    if last > len(replay.moves):
        raise FormatError(f"the game has {len(replay.moves)} moves, not {last}")
    board = Board.all_hidden(replay.mines)
    for made in replay.moves[:last]:
        board = after_move(board, made.flags, made.cells)
    return GridPosition(board.grid, int(replay.mines.sum()))


def last_decision(content: Content) -> GridPosition:
    """Returns a position, or of a game that is over the one before its last move."""
    if isinstance(content, GridPosition):
        return content
    replay = as_replay(content)
    is_over = replay.outcome is not GameStatus.PLAYING
    return as_position(replay, max(len(replay.moves) - is_over, 0))


def games_in(contents: Sequence[Content]) -> list[ClickedGame | Replay]:
    """Returns the games and boards among what a file holds."""
    return [content for content in contents if not isinstance(content, GridPosition)]


def positions_in(contents: Sequence[Content]) -> list[Content]:
    """Returns the positions among what a file holds, or its games if there are none."""
    positions = [content for content in contents if isinstance(content, GridPosition)]
    return list(positions or contents)
