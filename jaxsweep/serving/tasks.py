"""What worker processes do for requests: a task returns what is sent, or yields it in parts."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from jaxsweep.beliefs import Status
from jaxsweep.diagnosis import diagnose
from jaxsweep.formats import recognise
from jaxsweep.formats.choice import converted
from jaxsweep.formats.facts import facts_of
from jaxsweep.rules.board import Board, Cell
from jaxsweep.rules.notation import PositionError, to_text
from jaxsweep.rules.status import GameStatus
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.lookahead import Shortcuts
from jaxsweep.scalar.number_odds import number_odds
from jaxsweep.serving.files import OPTIONS, Which, contents_in, game_in, seen_in
from jaxsweep.serving.limits import Limits
from jaxsweep.serving.orders import Asked, find_board
from jaxsweep.serving.reading import Game, Unread, read_position
from jaxsweep.single.advisor import infer
from jaxsweep.single.analysis import analyze
from jaxsweep.single.grading.report import graded_game
from jaxsweep.single.native_candidates import is_compiled, prepared_shortcuts
from jaxsweep.single.replay.checking import check
from jaxsweep.single.replay.format import ReplayError, after_move, survival
from jaxsweep.single.replay.recording import recorded_moves
from jaxsweep.single.replay.writing import game_to_json, move_to_json, to_json
from jaxsweep.single.watch import watch

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

GRIDS = ("mine_probability", "error", "effective_samples")
"""Fields of analyses that have a number, or null, for each cell."""


def to_bytes(data: Any) -> bytes:
    """Returns plain data as JSON."""
    return _ENCODER.encode(data).encode()


def analysis_to_bytes(analysis: dict[str, Any]) -> bytes:
    """Returns an analysis as JSON.

    Most of it are numbers of cells, of which many are equal: each is written once, since finding
    the digits of a number takes longest.
    """
    grids = {name: _grid_as_json(grid) for name, grid in analysis.items() if name in GRIDS}
    # A grid's name stands for it meanwhile.
    text = _ENCODER.encode(analysis | {name: name for name in grids})
    for name, grid in grids.items():
        text = text.replace(f'"{name}":"{name}"', f'"{name}":{grid}')
    return text.encode()


def _grid_as_json(grid: list[list[float | None]]) -> str:
    numbers = list({number for row in grid for number in row})
    written = dict(zip(numbers, _ENCODER.encode(numbers)[1:-1].split(","), strict=True))
    rows = (",".join([written[number] for number in row]) for row in grid)
    return f"[[{'],['.join(rows)}]]"


def analyse_some(positions: list[Unread], first: int | None, limits: Limits) -> list[bytes]:
    """Analyses positions; returns the JSON of each.

    Of several, `first` is the number of the first one, to name one that is wrong; else None. Then
    one that is impossible is answered by what is wrong with it, as by the command.
    """
    found = []
    for i, unread in enumerate(positions):
        which = "" if first is None else f"position {first + i}: "
        try:
            position = read_position(unread, limits)
        except UserError as error:
            raise PositionError(f"{which}{error}") from None
        try:
            (analysis,) = analyze([position], shortcuts=_machine_code.shortcuts)
            found.append(analysis_to_bytes(analysis.as_json()))
        except PositionError as error:
            if first is None:
                raise
            found.append(to_bytes({"error": f"{which}{error}"}))
    return found


def deal_game(game: Game) -> bytes:
    """Deals the mines of a game of a seed."""
    mines = deal(game.opening, game.seed, game.number)
    return to_bytes(game_to_json(game.opening, game.seed, game.number, mines))


def positions_seen(body: bytes, which: Which, limits: Limits) -> list[str]:
    """Reads a file or a link; returns the positions that are analysed of it, as text."""
    return [to_text(position) for position in seen_in(body, which, limits)]


def numbers_of_cell(unread: Unread, cell: Cell, limits: Limits) -> bytes:
    """Counts what a hidden cell would show: the probability of each number, and of a mine."""
    position = read_position(unread, limits)
    rows, cols = position.grid.shape
    if not (cell[0] < rows and cell[1] < cols):
        raise PositionError(f"row {cell[0]}, column {cell[1]} is not on a board of {rows}×{cols}")
    if position.grid[cell] >= 0:
        raise PositionError(f"row {cell[0]}, column {cell[1]} is open")
    counter = Counter()
    beliefs, _ = infer(position, counter)
    if beliefs.status == Status.INCONSISTENT:
        raise PositionError(f"inconsistent: {diagnose(position)}")
    # Over capacity there are no probabilities, but what single numbers prove is certain.
    is_known = Status(int(beliefs.status)).has_probabilities
    if beliefs.safe[cell] or beliefs.mines[cell]:
        risk = float(beliefs.mines[cell])
    else:
        risk = float(beliefs.mine_probability[cell]) if is_known else None
    numbers = number_odds(position, cell, counter)
    return to_bytes(
        {
            "row": cell[0],
            "col": cell[1],
            "mine_probability": risk,
            "numbers": None if numbers is None else numbers.tolist(),
        }
    )


def check_replay(body: bytes, which: Which, limits: Limits) -> bytes:
    """Reads a replay and checks it; returns it with its problems, and what it takes to show it."""
    replay, _ = game_in(body, which, limits)
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


def grade_replay(body: bytes, which: Which, limits: Limits) -> bytes:
    """Reads a game, and says what each of its moves risked and lost, as `grade --json`."""
    replay, game = game_in(body, which, limits)
    if not any(move.cells for move in replay.moves):
        raise ReplayError("a board without clicks: there are no moves to grade")
    return to_bytes(graded_game(replay, game, None, shortcuts=_machine_code.shortcuts))


def describe_file(body: bytes, limits: Limits) -> bytes:
    """Says what a file or a link holds, as `replay info --json`: an array of games or positions."""
    contents = contents_in(body, limits)
    return to_bytes(list(facts_of(contents, recognise(body))))


def convert_file(body: bytes, to: str, which: Which, limits: Limits) -> bytes:
    """Returns a file or a link in another format."""
    return converted(contents_in(body, limits), to, *which, OPTIONS)


def make_board(asked: Asked, seconds: float) -> bytes:
    """Finds a board to order."""
    return to_bytes(find_board(asked, seconds))


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
    "seen": positions_seen,
    "numbers": numbers_of_cell,
    "deal": deal_game,
    "board": make_board,
    "check": check_replay,
    "grade": grade_replay,
    "info": describe_file,
    "convert": convert_file,
    "watch": watch_game,
}
"""The tasks by name."""


LOOKING_SECONDS = 5.0
"""So often, machine code is looked for that another process may be compiling."""


class MachineCode:
    """The look-ahead in machine code, loaded when there is nothing else to do.

    It takes a second or two to load, and minutes to compile: what is not on disk is not used, but
    looked for again.
    """

    def __init__(self):
        self.shortcuts: Shortcuts | None = None
        self.loading: threading.Thread | None = None
        """Looks for it, and loads it if it is there."""
        self._has_failed = False

    def load_beside(self) -> float | None:
        """Begins to load it in a thread, if that is not done.

        Returns the seconds until it wants to be called again; None if never.
        """
        if self.shortcuts is not None or self._has_failed:
            return None
        if self.loading is None or not self.loading.is_alive():
            self.loading = threading.Thread(target=self._load, daemon=True)
            self.loading.start()
        return LOOKING_SECONDS

    def _load(self) -> None:
        try:
            if is_compiled():
                self.shortcuts = prepared_shortcuts()
        except Exception:
            self._has_failed = True
            raise


_machine_code = MachineCode()


def rest() -> float | None:
    """Prepares for later tasks, where there is nothing to do.

    Returns after how many seconds there may be more to do; None if there is nothing more.
    """
    return _machine_code.load_beside()
