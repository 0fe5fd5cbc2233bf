"""The mines of one game, dealt on the host: the same as on devices."""

import numpy as np
from jaxtyping import Bool

from jaxsweep.rules.level import Opening
from jaxsweep.rules.threefry import KeyWords, bits, fold_in, key_of

WORD = 32
"""Rows are padded to a multiple of this on devices, which draw for the padding as well."""


def game_key(seed: int, game_number: int) -> KeyWords:
    """Returns the key of a game of a seed, as `rules.game.game_key`."""
    return fold_in(key_of(seed), game_number)


def move_key(seed: int, game_number: int, move: int) -> KeyWords:
    """Returns the key that the player may use for its move number `move`."""
    return fold_in(game_key(seed, game_number), move + 1)


def deal(opening: Opening, seed: int, game_number: int = 0) -> Bool[np.ndarray, "rows cols"]:
    """Deals the mines of a game by selection sampling, as `rules.game.deal_game`."""
    rows, cols = opening.level.rows, opening.level.cols
    width = -(-cols // WORD) * WORD
    draws = bits(fold_in(game_key(seed, game_number), 0), rows * width).reshape(rows, width)
    allowed = opening.allowed_mines()
    mines_left, cells_left = opening.level.mines, int(allowed.sum())
    chosen = []
    for draw in draws[:, :cols][allowed].tolist():
        mine = draw * cells_left >> 32 < mines_left
        mines_left, cells_left = mines_left - mine, cells_left - 1
        chosen.append(mine)
    mines = np.zeros((rows, cols), bool)
    mines[allowed] = chosen
    return mines
