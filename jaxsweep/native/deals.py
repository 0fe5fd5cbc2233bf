"""The mines of games, dealt in machine code: the same as `scalar.deal` and the devices deal."""

from typing import no_type_check

import numpy as np

from jaxsweep.native.board import make_record
from jaxsweep.native.compiler import compiled
from jaxsweep.rules.level import Opening
from jaxsweep.rules.threefry import PARITY, ROTATIONS
from jaxsweep.scalar.deal import WORD
from jaxsweep.scalar.view import MAX_CELLS

U = np.uint32
FIRST_ROTATIONS, SECOND_ROTATIONS = ROTATIONS

DEAL = np.dtype(
    [
        ("rows", np.int64),
        ("cols", np.int64),
        # Columns with the padding for which words are drawn, too.
        ("width", np.int64),
        ("mines", np.int64),
        # The cells in which a mine is allowed, and how many they are.
        ("allowed", np.int8, MAX_CELLS),
        ("allowed_count", np.int64),
        ("words", np.uint32, MAX_CELLS * WORD),
    ]
)
"""What the games of an opening are dealt from, and the random words of one."""


def make_deal(opening: Opening):
    """Returns what the games of an opening are dealt from."""
    deal, level, allowed = make_record(DEAL), opening.level, opening.allowed_mines()
    deal["rows"], deal["cols"], deal["mines"] = level.rows, level.cols, level.mines
    deal["width"] = -(-level.cols // WORD) * WORD
    deal["allowed"][: level.cells] = allowed.ravel()
    deal["allowed_count"] = allowed.sum()
    return deal


@compiled
@no_type_check
def _rotated(word, by):
    """Rotates a word to the left."""
    return U(U(word << U(by)) | U(word >> U(32 - by)))


@compiled
@no_type_check
def threefry(first, second, x, y):
    """Encrypts a pair of words, as `rules.threefry._hash`."""
    third = U(first ^ second ^ U(PARITY))
    x, y = U(x + first), U(y + second)
    for rotation in FIRST_ROTATIONS:
        x = U(x + y)
        y = U(_rotated(y, rotation) ^ x)
    x, y = U(x + second), U(y + U(third + U(1)))
    for rotation in SECOND_ROTATIONS:
        x = U(x + y)
        y = U(_rotated(y, rotation) ^ x)
    x, y = U(x + third), U(y + U(first + U(2)))
    for rotation in FIRST_ROTATIONS:
        x = U(x + y)
        y = U(_rotated(y, rotation) ^ x)
    x, y = U(x + first), U(y + U(second + U(3)))
    for rotation in SECOND_ROTATIONS:
        x = U(x + y)
        y = U(_rotated(y, rotation) ^ x)
    x, y = U(x + second), U(y + U(third + U(4)))
    for rotation in FIRST_ROTATIONS:
        x = U(x + y)
        y = U(_rotated(y, rotation) ^ x)
    return U(x + third), U(y + U(first + U(5)))


@compiled
@no_type_check
def deal_layout(seed, number, deal, layout):
    """Deals the mines of game `number` of a seed: 1 in `layout` where there is one, else 0."""
    first, second = threefry(U(0), U(seed), U(0), U(number))
    first, second = threefry(first, second, U(0), U(0))
    _draw_words(first, second, deal.rows * deal.width, deal.words)
    mines_left, cells_left = deal.mines, deal.allowed_count
    for row in range(deal.rows):
        for col in range(deal.cols):
            cell = row * deal.cols + col
            layout[cell] = 0
            if deal.allowed[cell]:
                draw = np.int64(deal.words[row * deal.width + col])
                mine = draw * cells_left >> WORD < mines_left
                layout[cell] = mine
                mines_left -= mine
                cells_left -= 1


@compiled
@no_type_check
def _draw_words(first, second, count, words):
    """Draws random words, as `rules.threefry.bits`."""
    for i in range(count):
        x, y = threefry(first, second, U(0), U(i))
        words[i] = x ^ y
