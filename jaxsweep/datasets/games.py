"""Positions of a player's games with their labels, made on all cores."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int8, Int64

from jaxsweep.datasets.positions import Kind, LabelledPositions, WinSource
from jaxsweep.datasets.settings import EXACT_PLAYERS, DatasetSettings
from jaxsweep.native.board import MINE, SAFE, Record, board_of, make_record
from jaxsweep.native.labels import Labels
from jaxsweep.native.moments import list_moments, make_moment_rooms, random_states
from jaxsweep.native.players import settings_of
from jaxsweep.native.thread_memory import thread_memory
from jaxsweep.native.win_features import WIN_FEATURES, read_win_features
from jaxsweep.rules.level import Level
from jaxsweep.runtime.in_order import map_in_order
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.win_probability import curve_of

CHUNK = 20
"""Games that a thread plays at once; blocks of a data set end behind so many games."""


class PlayedGames(NamedTuple):
    """The positions of some games, in the order in which they were met."""

    numbers: range
    positions: LabelledPositions
    left_out: int
    """How many positions exceeded the capacity."""


def played_games(settings: DatasetSettings, first: int) -> Iterator[PlayedGames]:
    """Plays games from number `first` on, without end, on all cores; yields them in order."""
    numbers = (range(begin, begin + CHUNK) for begin in itertools.count(first, CHUNK))
    return map_in_order(lambda some: play_games(settings, some), numbers)


def play_games(settings: DatasetSettings, numbers: range) -> PlayedGames:
    """Plays games, and labels their positions."""
    opening = settings.opening
    level, (row, col) = opening.level, opening.first
    player = settings_of(EXACT_PLAYERS[settings.player])
    space = thread_memory(make_moment_rooms, level.rows, level.cols, player)
    parts: list[list[np.ndarray]] = []
    left_out = 0
    for number in numbers:
        layout = deal(opening, settings.seed, number).astype(np.int8).ravel()
        first, random = row * level.cols + col, random_states(settings.seed, number)
        count, beyond, outcome = list_moments(level.mines, first, layout, player, random, space)
        left_out += beyond
        about = np.full(count, number), np.full(count, outcome, np.int8)
        found = (array[:count].copy() for array in (space.moments, *space.labels))
        parts.append([*about, *found])
    game, outcome, moments, *labels = map(np.concatenate, zip(*parts, strict=True))
    # As they were met: every move opens a cell.
    order = np.lexsort((labels[0]["open"], game))
    in_order = Labels(*(array[order] for array in labels))
    positions = _positions(level, game[order], outcome[order], moments[order], in_order)
    return PlayedGames(numbers, positions, left_out)


def _positions(
    level: Level,
    game: Int64[np.ndarray, " positions"],
    outcome: Int8[np.ndarray, " positions"],
    moments: Record,
    labels: Labels,
) -> LabelledPositions:
    """Returns the positions of a level that these arrays describe."""
    about, guess = labels.about, moments["kind"] == Kind.GUESS
    searched = np.flatnonzero(about["searched"])
    win, source = _win_probability(moments, labels, level)
    move = np.stack(np.divmod(moments["cell"], level.cols), axis=1)

    def grids(flat: np.ndarray) -> np.ndarray:
        return flat.reshape(-1, level.rows, level.cols)

    return LabelledPositions(
        seen=grids(labels.seen),
        mine_count=np.full(len(game), level.mines, np.int16),
        mine_probability=grids(labels.risk),
        safe=grids(labels.certain == np.int8(SAFE)),
        mines=grids(labels.certain == np.int8(MINE)),
        log_layouts=about["log_layouts"],
        least_risk=about["least_risk"].astype(np.float32),
        kind=moments["kind"],
        move=np.where(guess[:, None], move, -1).astype(np.int16),
        win_probability=win,
        win_source=source,
        searched=searched.astype(np.int32),
        cell_win_probability=grids(labels.win[searched]),
        game=game,
        open_cells=about["open"].astype(np.int16),
        outcome=outcome,
    )


def _win_probability(
    moments: Record, labels: Labels, level: Level
) -> tuple[Float32[np.ndarray, " positions"], Int8[np.ndarray, " positions"]]:
    """Returns win probabilities, by search or else by the fitted model, and where they are from."""
    about, board = labels.about, board_of(level.rows, level.cols)
    win, source = about["win"].copy(), np.zeros(len(moments), np.int8)
    source[about["searched"] == 1] = WinSource.EXACT
    memory = thread_memory(make_record, WIN_FEATURES)
    for i in np.flatnonzero((about["searched"] == 0) & ~np.isnan(moments["score"])):
        certain = labels.certain[i]
        grid, risk = np.where(certain, certain, labels.seen[i]), labels.risk[i].astype(float)
        log_layouts = float(about["log_layouts"][i])
        found = read_win_features(level.mines, log_layouts, board, grid, risk, memory)
        win[i] = curve_of(found).win_probability(float(moments["score"][i]))
        source[i] = WinSource.MODEL
    return win.astype(np.float32), source
