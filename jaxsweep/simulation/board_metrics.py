"""The metrics of the games of a run: its boards are dealt again, and valued in machine code."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool

from jaxsweep.metrics.boards import board_values
from jaxsweep.rules import bitboard, game
from jaxsweep.simulation.episode import OpeningArrays
from jaxsweep.simulation.matches import Record
from jaxsweep.simulation.settings import RunSettings

CHUNK = 8192
"""Boards that are dealt at once."""


def board_metrics(settings: RunSettings, record: Record) -> dict[str, float | None]:
    """Returns means over the games of a run: their 3BV, and how it compares with the clicks.

    The efficiency is that of won games together: their 3BV over their clicks; None if none was won.
    """
    level = settings.opening.level
    chunks = range(0, len(record), CHUNK)
    found = [_bbbv_of(settings, record.game_number[begin : begin + CHUNK]) for begin in chunks]
    bbbv, won = np.concatenate(found), np.asarray(record.won)
    assert len(bbbv) == len(record), level
    return {
        "bbbv": float(bbbv.mean()),
        "bbbv_of_won": float(bbbv[won].mean()) if won.any() else None,
        "efficiency_of_won": float(bbbv[won].sum() / record.clicks[won].sum())
        if won.any()
        else None,
    }


def _bbbv_of(settings: RunSettings, numbers: np.ndarray) -> np.ndarray:
    """Returns the 3BV of the boards of these games."""
    padded = np.resize(numbers, CHUNK).astype(np.uint32)  # One shape compiles once.
    mines = _deal(OpeningArrays.of(settings.opening), jnp.uint32(settings.seed), padded)
    grids: Bool[np.ndarray, "games rows cols"] = bitboard.unpack_batch(np.asarray(mines))
    cols = settings.opening.level.cols
    return board_values(grids[: len(numbers), :, :cols], islands=False).bbbv


@jax.jit
def _deal(opening: OpeningArrays, seed: jax.Array, numbers: jax.Array) -> jax.Array:
    """Deals the games of these numbers; returns their mines, packed, with the batch last."""
    about = (opening.cells, opening.allowed_mines, opening.mines)
    deal = partial(game.deal_game, seed)
    return jax.vmap(lambda number: deal(number, *about).mines, out_axes=-1)(numbers)
