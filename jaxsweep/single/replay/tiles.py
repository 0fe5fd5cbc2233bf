"""The look of a cell in a picture: one tile for each state that a cell can have."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int, Int8, UInt8
from PIL import Image, ImageDraw, ImageFont

from jaxsweep.rules.board import Board, Mask
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.words import whole_percent

# Codes of tiles; 0 to 8 are the numbers of open cells.
_HIDDEN, _FLAG, _WRONG_FLAG, _MINE, _EXPLODED = range(9, 14)
_OBSERVED_COVERED, _OBSERVED_MINE, _OBSERVED_EXPLODED = -1, 9, 10
"""In observations: as in `jaxsweep.functional`, which needs JAX."""

_NEW = 16
"""Added to the number of a cell that the last move opened."""
_ODDS = 32
"""Plus a percentage: a hidden cell with its mine probability."""

# The light colours of the window and of the page, so that a board looks the same everywhere. Hues
# differ in lightness, so that colour-blind people can distinguish them.
PAPER, INK = "#ffffff", "#1b2028"
BACKGROUND = "#eef0f4"
_OPEN, _OPEN_NEW, _LINE = "#ffffff", "#fdf0c9", "#dde2e9"
_HIDDEN_FILL, _HIDDEN_FILL_LIGHT, _HIDDEN_FILL_DARK = "#bdc8d8", "#d4dde9", "#a0adc1"
_ALARM = "#d94848"
_NUMBERS = (
    _OPEN,
    "#1d5bc4",
    "#14744a",
    "#c63636",
    "#682e96",
    "#92460c",
    "#087084",
    "#20242c",
    "#5c626e",
)

# From an unlikely mine to a likely one, ever darker.
_UNLIKELY, _LIKELY = (212, 225, 242), (66, 79, 106)
_DARK_FROM = 68
"""Percentages from here on are written in white."""
_SAFE = (176, 224, 200)

_MIN_CELL_FOR_DIGITS = 12
"""Smaller cells, in pixels, have no digits."""
_MIN_CELL_FOR_ODDS = 18
_OVERSAMPLING = 4
"""Shapes are drawn this many times larger and then reduced, for smooth edges."""


Codes = Int[np.ndarray, "rows cols"]
"""The code of every cell's tile."""


def codes_of(board: Board, new: Mask | None, odds: Float[np.ndarray, "rows cols"] | None) -> Codes:
    """Returns the code of every cell's tile.

    Cells of `new` opened with the last move. `odds` are mine probabilities, shown in hidden cells.
    After the end of the game, mines and wrong flags are shown; if it is won, mines have flags.
    """
    over = board.status is not GameStatus.PLAYING
    codes = np.where(board.opened, board.numbers.astype(np.int64), _HIDDEN)
    if new is not None:
        codes = np.where(new, codes + _NEW, codes)
    if odds is not None:
        codes = np.where(board.opened, codes, _ODDS + _percent(odds))
    codes = np.where(board.flags, np.where(over & ~board.mines, _WRONG_FLAG, _FLAG), codes)
    if over:
        # Where all is open that is safe, the mines are found: they are no mishap.
        left = _FLAG if board.status is GameStatus.WON else _MINE
        codes = np.where(board.mines & ~board.flags, left, codes)
    return np.where(board.mines & board.opened, _EXPLODED, codes)


def codes_of_observation(observation: Int8[np.ndarray, "rows cols"]) -> Codes:
    """Returns the code of every cell's tile, of an observation of `jaxsweep.functional`."""
    seen = observation.astype(np.int64)
    seen = np.where(seen == _OBSERVED_COVERED, _HIDDEN, seen)
    seen = np.where(observation == _OBSERVED_MINE, _MINE, seen)
    return np.where(observation == _OBSERVED_EXPLODED, _EXPLODED, seen)


def _percent(odds: Float[np.ndarray, "rows cols"]) -> Codes:
    """Rounds probabilities to percentages; 0 and 100 are only for certain cells."""
    return np.where(np.isin(odds, (0, 1)), 100 * odds, whole_percent(odds)).astype(np.int64)


def mosaic(codes: Codes, cell: int) -> UInt8[np.ndarray, "height width 3"]:
    """Draws the board of these tiles, with cells of `cell` pixels."""
    kinds, places = np.unique(codes, return_inverse=True)
    drawn = np.stack([tile(int(code), cell) for code in kinds])[places]
    rows, cols, _, _, colours = drawn.shape
    return drawn.transpose(0, 2, 1, 3, 4).reshape(rows * cell, cols * cell, colours)


@lru_cache(maxsize=1024)
def tile(code: int, cell: int) -> UInt8[np.ndarray, "cell cell 3"]:
    """Draws the tile of a code, `cell` pixels wide and high."""
    image = Image.new("RGB", (_OVERSAMPLING * cell, _OVERSAMPLING * cell))
    pen = ImageDraw.Draw(image)
    if code >= _ODDS:
        _draw_odds(pen, code - _ODDS, cell)
    elif code % _NEW <= 8:
        _draw_number(pen, code % _NEW, code >= _NEW, cell)
    else:
        _draw_hidden(pen, code % _NEW, _OVERSAMPLING * cell)
    return np.asarray(image.resize((cell, cell), Image.Resampling.BOX))


def _draw_number(pen: ImageDraw.ImageDraw, number: int, is_new: bool, cell: int) -> None:
    size = _OVERSAMPLING * cell
    _fill_open(pen, _OPEN_NEW if is_new else _OPEN, cell)
    if number and cell >= _MIN_CELL_FOR_DIGITS:
        _write(pen, str(number), 0.7, size, _NUMBERS[number])
    elif number:
        # Too small for digits: a square in the colour of the number.
        pen.rectangle((size // 4, size // 4, size - size // 4, size - size // 4), _NUMBERS[number])


def _draw_odds(pen: ImageDraw.ImageDraw, percent: int, cell: int) -> None:
    _fill_open(pen, _shade(percent / 100) if percent else _SAFE, cell)
    if cell >= _MIN_CELL_FOR_ODDS:
        ink = INK if percent < _DARK_FROM else PAPER
        _write(pen, str(percent), 0.46 if percent < 100 else 0.38, _OVERSAMPLING * cell, ink)


def _draw_hidden(pen: ImageDraw.ImageDraw, code: int, size: int) -> None:
    _fill_hidden(pen, size, _ALARM if code == _EXPLODED else _HIDDEN_FILL)
    if code in (_FLAG, _WRONG_FLAG):
        _draw_flag(pen, size)
    if code in (_MINE, _EXPLODED):
        _draw_mine(pen, size)
    if code == _WRONG_FLAG:
        low, high = 0.15 * size, 0.85 * size
        pen.line((low, low, high, high), INK, max(1, size // 10))
        pen.line((low, high, high, low), INK, max(1, size // 10))


def _shade(probability: float) -> tuple[int, int, int]:
    """Returns the colour of a mine probability."""
    red, green, blue = (
        round(unlikely + probability * (likely - unlikely))
        for unlikely, likely in zip(_UNLIKELY, _LIKELY, strict=True)
    )
    return red, green, blue


def _fill_open(pen: ImageDraw.ImageDraw, colour: str | tuple[int, int, int], cell: int) -> None:
    """Fills an open cell, with a line along its right and its lower side."""
    size = _OVERSAMPLING * cell
    pen.rectangle((0, 0, size, size), _LINE if cell >= _MIN_CELL_FOR_DIGITS else colour)
    pen.rectangle((0, 0, size - _OVERSAMPLING - 1, size - _OVERSAMPLING - 1), colour)


def _write(pen: ImageDraw.ImageDraw, text: str, height: float, size: int, ink: str) -> None:
    """Writes a number in the middle of a cell, slightly bold."""
    font = ImageFont.load_default(size=round(height * size))
    left, top, right, bottom = font.getbbox(text)
    place = ((size - _OVERSAMPLING - left - right) / 2, (size - _OVERSAMPLING - top - bottom) / 2)
    pen.text(place, text, ink, font, stroke_width=round(0.02 * height * size), stroke_fill=ink)


def _fill_hidden(pen: ImageDraw.ImageDraw, size: int, colour: str) -> None:
    """Draws a raised cell, lit from the top left."""
    border = size // 12
    pen.rectangle((0, 0, size, size), _HIDDEN_FILL_DARK)
    pen.polygon(((0, 0), (size, 0), (0, size)), _HIDDEN_FILL_LIGHT)
    pen.rectangle((border, border, size - 1 - border, size - 1 - border), colour)


def _draw_flag(pen: ImageDraw.ImageDraw, size: int) -> None:
    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x * size, y * size) for x, y in points]

    pen.rectangle(at((0.44, 0.2), (0.51, 0.76)), INK)
    pen.rectangle(at((0.3, 0.72), (0.66, 0.8)), INK)
    pen.polygon(at((0.51, 0.14), (0.51, 0.56), (0.86, 0.35)), _ALARM)


def _draw_mine(pen: ImageDraw.ImageDraw, size: int) -> None:
    middle, reach, width = size / 2, 0.34 * size, max(1, size // 14)
    for turn in range(4):
        x, y = reach * np.cos(turn * np.pi / 4), reach * np.sin(turn * np.pi / 4)
        pen.line((middle - x, middle - y, middle + x, middle + y), INK, width)
    radius, glint = 0.23 * size, 0.07 * size
    pen.ellipse((middle - radius, middle - radius, middle + radius, middle + radius), INK)
    x = middle - 0.08 * size
    pen.ellipse((x - glint, x - glint, x + glint, x + glint), PAPER)
