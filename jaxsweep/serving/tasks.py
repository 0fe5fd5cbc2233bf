"""What worker processes do for requests: a task returns what is sent, or yields it in parts."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from jaxsweep.rules.board import Board
from jaxsweep.rules.notation import PositionError
from jaxsweep.rules.status import GameStatus
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.lookahead import Shortcuts
from jaxsweep.serving.limits import Limits
from jaxsweep.serving.reading import Game, Unread, read_position
from jaxsweep.single.analysis import analyze
from jaxsweep.single.grading import grade
from jaxsweep.single.grading.report import grade_to_json
from jaxsweep.single.native_candidates import is_compiled, prepared_shortcuts
from jaxsweep.single.replay.checking import check
from jaxsweep.single.replay.format import after_move, survival
from jaxsweep.single.replay.reading import from_bytes
from jaxsweep.single.replay.recording import recorded_moves
from jaxsweep.single.replay.writing import game_to_json, move_to_json, to_json
from jaxsweep.single.watch import watch

MAX_REPLAY = 2**23
"""Bytes of a replay when it is decompressed."""


def to_bytes(data: Any) -> bytes:
    """Returns plain data as JSON."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode()


def analyse_some(positions: list[Unread], first: int | None, limits: Limits) -> list[bytes]:
    """Analyses positions; returns the JSON of each.

    Of several, `first` is the number of the first one, to name one that is wrong; else None.
    """
    found = []
    for i, unread in enumerate(positions):
        try:
            position = read_position(unread, limits)
            (analysis,) = analyze([position], shortcuts=_machine_code.shortcuts)
            found.append(to_bytes(analysis.as_json()))
        except UserError as error:
            which = "" if first is None else f"position {first + i}: "
            raise PositionError(f"{which}{error}") from None
    return found


def deal_game(game: Game) -> bytes:
    """Deals the mines of a game of a seed."""
    mines = deal(game.opening, game.seed, game.number)
    return to_bytes(game_to_json(game.opening, game.seed, game.number, mines))


def check_replay(data: bytes, limits: Limits) -> bytes:
    """Reads a replay and checks it; returns it with its problems, and what it takes to show it."""
    replay = from_bytes(data, MAX_REPLAY, limits.cells)
    problems = check(replay)
    return to_bytes(
        {
            "moves": len(replay.moves),
            "outcome": replay.outcome.name.lower(),
            "problems": problems,
            "survival": replay.survival,
            "replay": to_json(replay),
        }
    )


def grade_replay(data: bytes, limits: Limits) -> bytes:
    """Reads a replay, and says what each of its moves risked and lost."""
    replay = from_bytes(data, MAX_REPLAY, limits.cells)
    return to_bytes(grade_to_json(grade(replay), replay))


def watch_game(game: Game) -> Iterator[tuple[str, bytes]]:
    """Plays a game, and yields events by name: `game`, every `move`, and the `end`."""
    opening, player = game.opening, game.player
    mines = deal(opening, game.seed, game.number)
    yield "game", to_bytes(game_to_json(opening, game.seed, game.number, mines, player))
    board, moves = Board.all_hidden(mines), []
    for move, _ in recorded_moves(watch(player, opening, game.seed, game.number)):
        yield "move", to_bytes(move_to_json(move, board))
        board = after_move(board, move.flags, move.cells)
        moves.append(move)
    # A board full of mines is won before the first move.
    assert board.status is not GameStatus.PLAYING
    outcome = board.status.name.lower()
    yield "end", to_bytes({"outcome": outcome, "survival": survival(moves)})


TASKS: dict[str, Callable[..., Any]] = {
    "analyse": analyse_some,
    "deal": deal_game,
    "check": check_replay,
    "grade": grade_replay,
    "watch": watch_game,
}
"""The tasks by name."""


class _MachineCode:
    """The look-ahead in machine code, loaded when there is nothing else to do.

    It takes a second or two to load, and minutes to compile: what is not on disk is not used.
    """

    def __init__(self):
        self.shortcuts: Shortcuts | None = None
        self._loading: threading.Thread | None = None

    def load_beside(self) -> None:
        """Begins to load it in a thread, the first time."""
        if self._loading is None:
            self._loading = threading.Thread(target=self._load, daemon=True)
            self._loading.start()

    def _load(self) -> None:
        if is_compiled():
            self.shortcuts = prepared_shortcuts()


_machine_code = _MachineCode()


def rest() -> None:
    """Prepares for later tasks, where there is nothing to do."""
    _machine_code.load_beside()
