"""Writes games as replays of Vienna Minesweeper (.rmv), version 2."""

from jaxsweep.formats.base import FormatError, check_sides
from jaxsweep.formats.mouse import (
    Mouse,
    TimedClick,
    centre_of,
    milliseconds_of,
    timed_clicks,
    written_name,
)
from jaxsweep.formats.rmv_codes import (
    BLAST,
    CLOSED,
    FLAG,
    MAGIC,
    MOUSE,
    OPEN_MINE,
    OPEN_NUMBER,
    OTHER_END,
    WIN,
)
from jaxsweep.metrics.board import BoardValue
from jaxsweep.rules.board import Board, Cell, cells_of
from jaxsweep.rules.clicks import Button, ClickedGame, play
from jaxsweep.rules.status import GameStatus

CODES = {mouse: code for code, mouse in MOUSE.items()}
ENDS = {GameStatus.LOST: BLAST, GameStatus.WON: WIN, GameStatus.PLAYING: OTHER_END}

BUTTON_BITS = {
    Mouse.LEFT_PRESS: 1,
    Mouse.LEFT_RELEASE: -1,
    Mouse.RIGHT_PRESS: 2,
    Mouse.RIGHT_RELEASE: -2,
}
"""How an event changes the byte that says which buttons are down."""

EFFECTIVE = {
    Button.LEFT: Mouse.LEFT_RELEASE,
    Button.RIGHT: Mouse.RIGHT_PRESS,
    Button.CHORD: Mouse.RIGHT_RELEASE,
}
"""The event of each click after which the board has changed."""

CELL_SIZE = 16
MAX_NAME = 255
"""The bytes that a name can have."""

MAX_MILLISECONDS = 2**24 - 1
LEVELS = {(9, 9, 10): 0, (8, 8, 10): 0, (16, 16, 40): 1, (16, 30, 99): 2}
CUSTOM = 3


def write_game(game: ClickedGame) -> bytes:
    """Returns a game as the bytes of a file of version 2."""
    check_sides(game.mines, ".rmv")
    rows, cols = game.mines.shape
    program = b"jaxsweep"
    names = [written_name(game, MAX_NAME).encode(), b"", b"", b""]
    player = _number(len(names), 2) + b"".join(bytes([len(name)]) + name for name in names)
    mines = cells_of(game.mines)
    board = bytes(4) + bytes([cols, rows]) + _number(len(mines), 2)
    board += b"".join(bytes([col, row]) for row, col in mines)
    level = LEVELS.get((rows, cols, len(mines)), CUSTOM)
    bbbv = BoardValue.of(game.mines).bbbv
    properties = bytes([0, 0, 0, level, bbbv % 256, bbbv // 256, CELL_SIZE])
    extensions = _number(1, 2) + bytes([10]) + b"clone_name" + bytes([len(program)]) + program
    events = _events(game)
    sections = (program, player, board, b"", properties, extensions)
    sizes = b"".join(_number(len(section), 2) for section in sections)
    sizes += _number(len(events), 4) + bytes(2)
    body = sizes + b"".join(sections) + events
    start = MAGIC + _number(2, 2) + bytes([0, 1])
    return start + _number(len(start) + 4 + len(body), 4) + body


def _events(game: ClickedGame) -> bytes:
    """Returns the events of the mouse, those that change the board followed by the changes."""
    data, board = bytearray(), Board.all_hidden(game.mines)
    for timed in timed_clicks(game):
        if timed.milliseconds > MAX_MILLISECONDS:
            raise FormatError(f".rmv holds games of up to {MAX_MILLISECONDS / 1000:.0f} s")
        down = 0
        for mouse in timed.mouse:
            down += BUTTON_BITS[mouse]
            data += _mouse_event(mouse, timed, down)
            if mouse is EFFECTIVE[timed.click.button]:
                before, board = board, play(board, timed.click).after
                data += _changes(before, board)
    end = min(milliseconds_of(game), MAX_MILLISECONDS)
    return bytes(data) + bytes([ENDS[board.status]]) + _number(end, 3)


def _mouse_event(mouse: Mouse, timed: TimedClick, down: int) -> bytes:
    x, y = (at.to_bytes(2, "big", signed=True) for at in centre_of(timed.cell, CELL_SIZE))
    return bytes([CODES[mouse]]) + _number(timed.milliseconds, 3) + bytes([down]) + x + y


def _changes(before: Board, after: Board) -> bytes:
    """Returns an event for every cell that shows something else."""
    changed = (after.opened & ~before.opened) | (after.flags ^ before.flags)
    return b"".join(bytes([_shown(after, (row, col)), col, row]) for row, col in cells_of(changed))


def _shown(board: Board, cell: Cell) -> int:
    """Returns the code of the event of what a cell shows."""
    if not board.opened[cell]:
        return FLAG if board.flags[cell] else CLOSED
    return OPEN_MINE if board.mines[cell] else OPEN_NUMBER + int(board.numbers[cell])


def _number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "big")
