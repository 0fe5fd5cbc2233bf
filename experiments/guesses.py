"""Guesses of a player's games, with what the win-probability model reads and how the game ended.

`win_probability.py` plays with this module. Games are played in blocks; each block is a file, so
that a run that was stopped goes on where it was.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int8, Int64

from duel import SEED, Sides, Table, generator
from jaxsweep.native.board import make_record
from jaxsweep.native.cell_values import WORDS
from jaxsweep.native.duels import begin_game
from jaxsweep.native.layout_sampling import next_uniform
from jaxsweep.native.players import BEST_ENDING, LOOKAHEAD_GUESS, NO_LAYOUT, UNDECIDED
from jaxsweep.native.playouts import TWO_LAYOUTS, next_guess, open_cell
from jaxsweep.native.win_features import WIN_FEATURES, read_win_features
from jaxsweep.rules import bitboard
from jaxsweep.rules.game import deal_game
from jaxsweep.rules.level import Opening
from jaxsweep.runtime import machine
from jaxsweep.runtime.files import write_atomically
from jaxsweep.scalar.players import LookaheadPlayer
from jaxsweep.scalar.win_features import WinFeatures

BLOCK = 1_000
"""Games of a file."""


class Guesses(NamedTuple):
    """Guesses by looking ahead, in the order of their games."""

    game: Int64[np.ndarray, " guesses"]
    score: Float[np.ndarray, " guesses"]
    """The value of the chosen cell."""
    safety: Float[np.ndarray, " guesses"]
    """The probability that it is safe."""
    survived: Bool[np.ndarray, " guesses"]
    worth: Float[np.ndarray, " guesses"]
    """What the game came to: 1 or 0, or the exact win probability once the end was searched."""
    features: Float[np.ndarray, "guesses features"]
    """As in `WinFeatures`."""
    left_out: Int64[np.ndarray, " blocks"]
    """Games that exceeded the capacity, of which no guess is here."""


def join(parts: list[Guesses]) -> Guesses:
    """Appends guesses to each other."""
    return Guesses(*map(np.concatenate, zip(*parts, strict=True)))


@lru_cache(maxsize=1)
def _dealer(opening: Opening) -> Callable[[Int64[np.ndarray, " games"]], jax.Array]:
    """Returns the program that deals games of an opening: as `Table.start`, many at once."""
    level = opening.level
    cells = bitboard.pack(np.ones((level.rows, level.cols), bool))
    allowed, mines = bitboard.pack(opening.allowed_mines()), jnp.int32(level.mines)

    def deal_one(number):
        return deal_game(np.uint32(SEED), number, cells, allowed, mines).mines

    return jax.jit(jax.vmap(deal_one, out_axes=-1))


def deal_games(opening: Opening, games: range) -> Int8[np.ndarray, "games cells"]:
    """The layouts of games."""
    numbers = np.resize(np.array(games, np.int32), BLOCK)
    boards = bitboard.unpack_batch(np.asarray(_dealer(opening)(numbers)))
    kept = boards[: len(games), :, : opening.level.cols]
    return kept.reshape(len(games), -1).astype(np.int8)


class GuessTable:
    """The memory of one thread, for games of one player."""

    def __init__(self, opening: Opening, player: LookaheadPlayer):
        self.table = Table(opening, Sides(player, player), 2)
        self.memory = make_record(WIN_FEATURES)

    def play(self, games: range) -> Guesses:
        """Plays games, and returns their guesses."""
        rows, left_out = [], 0
        for number, layout in zip(games, deal_games(self.table.opening, games), strict=True):
            own, worth = self._play_one(number, layout)
            left_out += worth is None
            if worth is not None:
                rows += [(number, worth, *one) for one in own]
        width = 5 + len(WinFeatures._fields)
        table = np.array(rows, float).reshape(len(rows), width)
        game, worth, score, safety, survived = table[:, :5].T
        return Guesses(
            game.astype(np.int64),
            score,
            safety,
            survived.astype(bool),
            worth,
            table[:, 5:],
            np.array([left_out]),
        )

    def _play_one(
        self, number: int, layout: Int8[np.ndarray, " cells"]
    ) -> tuple[list[tuple[float, ...]], float | None]:
        """Plays a game: of each guess the score, safety, survival and features; and its worth."""
        table, own = self.table, []
        work, game, player = table.rooms.work, table.rooms.game, table.settings[0]
        position, ahead = work.solver.position, work.here.ahead
        level, (row, col) = table.opening.level, table.opening.first
        mines, first = level.mines, row * level.cols + col
        random = generator(3, number)
        begin_game(first, layout, work.solver.board, game)
        while True:
            word = np.int64(next_uniform(random) * WORDS)
            reason, cell, value = next_guess(mines, word, player, layout, work, game)
            log_layouts = float(work.solver.join["log_layouts"])
            if reason == NO_LAYOUT:
                return own, 1.0
            if reason == UNDECIDED:
                return own, None
            if reason == BEST_ENDING:
                return own, value
            if log_layouts <= TWO_LAYOUTS:
                return own, 0.5
            assert reason == LOOKAHEAD_GUESS
            cells = ahead["cell"][: int(ahead["count"])].tolist()
            score = float(ahead["value"][cells.index(cell)])
            safety = 1.0 - float(position["risk"][cell])
            features = self._features(mines, log_layouts)
            own.append((score, safety, 1.0 - layout[cell], *features))
            if layout[cell]:
                return own, 0.0
            open_cell(cell, work.solver.board, layout, game)

    def _features(self, mines: int, log_layouts: float) -> WinFeatures:
        """The features of the position that was solved."""
        solver = self.table.rooms.work.solver
        cells = int(solver.position["cells"])
        grid, risk = solver.position["grid"][:cells], solver.position["risk"][:cells]
        return read_win_features(mines, log_layouts, solver.board, grid, risk, self.memory)


def play_blocks(
    folder: Path, opening: Opening, player: LookaheadPlayer, first: int, games: int, done: Callable
) -> Guesses:
    """Plays games on all cores, or reads them from their files; calls `done` after every block."""
    folder.mkdir(parents=True, exist_ok=True)
    own = threading.local()

    def play(begin: int) -> Guesses:
        count = min(BLOCK, first + games - begin)
        file = folder / f"{begin:010d}-{count}.npz"
        if not file.exists():
            if not hasattr(own, "table"):
                own.table = GuessTable(opening, player)
            found = own.table.play(range(begin, begin + count))
            write_atomically(file, lambda path: _save(path, found))
        done()
        with np.load(file) as stored:
            return Guesses(**stored)

    with ThreadPoolExecutor(machine.cores()) as pool:
        return join(list(pool.map(play, range(first, first + games, BLOCK))))


def _save(path: Path, found: Guesses) -> None:
    with path.open("wb") as stream:
        np.savez(stream, **found._asdict())
