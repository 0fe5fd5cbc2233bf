"""The record of one game, move by move, and its file format.

A replay is one JSON object, compressed with gzip if its file is named `.gz`:

    format, version   "jaxsweep-replay", 1
    rows, cols, mines, start, first, seed, game, strategy
    layout            one string a row: * a mine, . none
    moves             one object a move:
      cells           the cells that the player opened; empty if it only flagged
      flags           the cells whose flag the move set or removed; optional
      chord           the open number that was chorded, if the move was a chord: `cells` are then
                      its hidden neighbours without a flag
      seconds         when the move was made, since the game began; optional
      opened          all cells that opened, those of the flood fill included
      reason, risk    the `Reason` of the move, and its mine probability or null if unknown
      odds            only before a guess: the mine probability of every hidden cell, row by row,
                      in 10,000ths; 0 and 10,000 are certain
    outcome           "won", "lost" or "playing"
    seconds           the time that a person played, or null

`seed` and `game` are null in games that were not dealt from a seed here. Cells are numbers,
row · cols + col. `reading` plays every move again: the cells that a replay lists as opened
must be those that open.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from jaxsweep.rules.board import Board, Cell, Mask, mask_of
from jaxsweep.rules.level import Opening
from jaxsweep.rules.reasons import Reason
from jaxsweep.rules.status import GameStatus
from jaxsweep.runtime.errors import UserError
from jaxsweep.single.replay.boards import Boards

FORMAT, VERSION = "jaxsweep-replay", 1

HUMAN = "human"
"""The strategy's name in a person's game."""

SCALE = 10_000
"""Probabilities are stored as multiples of 1 / `SCALE`."""


class ReplayError(UserError):
    """A file is not a replay, or contradicts itself; the message says what is wrong, and where."""


@dataclass(frozen=True, eq=False)
class RecordedMove:
    """One move of a replay."""

    cells: tuple[Cell, ...]
    """The cells that the player opened; empty if it only flagged."""
    flags: tuple[Cell, ...]
    """The cells whose flag the move set or removed."""
    opened: tuple[Cell, ...]
    """All cells that opened, those of the flood fill included."""
    reason: Reason
    risk: float | None
    """The probability that the move opened a mine; None if it is unknown."""
    odds: Float[np.ndarray, "rows cols"] | None = None
    """Before a guess, the mine probability of every hidden cell; 0 in open cells."""
    chord: Cell | None = None
    """The open number that was chorded; None for other moves."""
    seconds: float | None = None
    """When the move was made, since the game began; None where it is unknown."""


@dataclass(frozen=True, eq=False)
class Replay:
    """A recorded game: its mines, its moves and its outcome."""

    opening: Opening
    seed: int | None
    """What the mines were dealt from; None for a game that was not dealt here."""
    game: int | None
    """The number of the game among those of its seed; None where there is no seed."""
    strategy: str
    mines: Mask
    moves: tuple[RecordedMove, ...]
    outcome: GameStatus
    seconds: float | None = None
    """The time that a person played; None for a strategy's game."""

    def boards(self) -> Boards:
        """Returns the board before the first move, and after each."""
        return Boards(self.mines, ((move.opened, move.flags) for move in self.moves))

    @property
    def survival(self) -> list[float | None]:
        """The probability of having survived so far: see `survival`."""
        return survival(self.moves)


def survival(moves: Iterable[RecordedMove]) -> list[float | None]:
    """Returns the probability of having survived, before the first move and after each.

    It is None from the first move on that opened cells at an unknown risk.
    """
    probabilities: list[float | None] = [1.0]
    for move in moves:
        before, risk = probabilities[-1], move.risk if move.cells else 0.0
        after = None if before is None or risk is None else before * (1.0 - risk)
        probabilities.append(after)
    return probabilities


def after_move(board: Board, flags: tuple[Cell, ...], cells: tuple[Cell, ...]) -> Board:
    """Returns the board after one move: flags are toggled, then cells are opened."""
    return board.flag(mask_of(flags, board.mines)).open(mask_of(cells, board.mines))
