"""The metrics of the games of a run: its boards are dealt again, and valued in machine code."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Int32

from jaxsweep.metrics.boards import BoardValues, ClickValues, board_values, click_values
from jaxsweep.rules import bitboard, game
from jaxsweep.simulation.episode import OpeningArrays
from jaxsweep.simulation.matches import Record
from jaxsweep.simulation.settings import RunSettings

VALUES = (*BoardValues._fields, *ClickValues._fields)
"""The metrics of a board, by name."""

CHUNK = 8192
"""Boards that are dealt at once."""


def board_metrics(settings: RunSettings, record: Record) -> dict[str, float | None]:
    """Returns means over the games of a run, of its boards, and how 3BV compares with the clicks.

    The efficiency is that of won games together: their 3BV over their clicks; None if none was won.
    """
    level = settings.opening.level
    chunks = range(0, len(record), CHUNK)
    found = [_values_of(settings, record.game_number[begin : begin + CHUNK]) for begin in chunks]
    values, won = np.concatenate(found, axis=1), np.asarray(record.won)
    bbbv = values[0]
    assert len(bbbv) == len(record), level
    return {
        **{name: float(value.mean()) for name, value in zip(VALUES, values, strict=True)},
        "bbbv_of_won": float(bbbv[won].mean()) if won.any() else None,
        "efficiency_of_won": float(bbbv[won].sum() / record.clicks[won].sum())
        if won.any()
        else None,
    }


def _values_of(settings: RunSettings, numbers: np.ndarray) -> Int32[np.ndarray, "5 games"]:
    """Returns the `VALUES` of the boards of these games."""
    padded = np.resize(numbers, CHUNK).astype(np.uint32)  # One shape compiles once.
    mines = _deal(OpeningArrays.of(settings.opening), jnp.uint32(settings.seed), padded)
    grids: Bool[np.ndarray, "games rows cols"] = bitboard.unpack_batch(np.asarray(mines))
    cols = settings.opening.level.cols
    boards = grids[: len(numbers), :, :cols]
    return np.stack([*board_values(boards), *click_values(boards)])


@jax.jit
def _deal(opening: OpeningArrays, seed: jax.Array, numbers: jax.Array) -> jax.Array:
    """Deals the games of these numbers; returns their mines, packed, with the batch last."""
    about = (opening.cells, opening.allowed_mines, opening.mines)
    deal = partial(game.deal_game, seed)
    return jax.vmap(lambda number: deal(number, *about).mines, out_axes=-1)(numbers)
