"""A replay as pictures: the board after a move, or the whole game as a moving picture.

A board is put together of tiles, one for each look that a cell can have.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Int, UInt8
from PIL import Image, ImageDraw, ImageFont

from jaxsweep.rules.board import Board, mask_of
from jaxsweep.rules.game import GameStatus
from jaxsweep.single import words
from jaxsweep.single.replay.format import Replay, ReplayError

MARGIN = 12
"""Around the board and the title."""

MIN_WIDTH = 300
"""Of a picture: the title needs some room, however small the board."""

MAX_SIDE = 4096
"""Of a board in a picture; more rows or columns get smaller cells."""

MAX_MOVING_SIDE = 1024
MAX_MOVING_PIXELS = 2**29
"""Of all frames of a moving picture together."""

HELD, LOOKED_AT = 4.0, 2.5
"""Seconds that the last frame stays, and how much longer than others one with odds does."""

# What a cell looks like: 0 to 8 are numbers.
_HIDDEN, _FLAG, _WRONG_FLAG, _MINE, _EXPLODED = range(9, 14)
_NEW = 16
"""Added to the number of a cell that opened last."""
_ODDS = 32
"""Plus a percentage: a covered cell and its chance of being a mine."""

_PAPER, _INK, _QUIET = "#ffffff", "#1f2933", "#5b6773"
_OPEN, _OPEN_NEW, _LINE = "#eef1f4", "#fff1b8", "#cfd6dd"
_COVER, _COVER_LIGHT, _COVER_DARK = "#a8b8ca", "#c9d5e1", "#8295aa"
_ALARM, _CHOSEN = "#d55e00", "#0b62c4"

# Blue, orange and purple of different lightness: told apart by those who see few colours, too.
_NUMBERS = (
    _OPEN,
    "#0b62c4",
    "#00735c",
    "#c8460a",
    "#5a2d91",
    "#8a1c4a",
    "#0a6f86",
    "#1f2933",
    "#6b7280",
)

# From an unlikely mine to a likely one, darker all the way.
_LOW, _MIDDLE, _HIGH = (255, 244, 204), (240, 148, 60), (122, 24, 80)
_SAFE = (176, 224, 214)

_READABLE = 12
"""Pixels of a cell that a digit needs."""
_READABLE_ODDS = 18
_FINER = 4
"""Shapes are drawn so many times larger, then made smaller: smooth edges."""


def picture(replay: Replay, move: int, cell: int = 24) -> Image.Image:
    """The board after `move` moves under a title; before a guess, shaded by the odds.

    Boards of very many rows or columns get cells smaller than `cell` pixels.
    """
    if not 0 <= move <= len(replay.moves):
        raise ReplayError(f"there is no move {move}: the game has {len(replay.moves)}")
    level = replay.opening.level
    return _Sheet(replay, min(cell, _fitting(MAX_SIDE, level.rows, level.cols))).draw(move)


def animation(replay: Replay, path: Path, cell: int = 24) -> None:
    """Writes a GIF: the covered board, then one frame a move; the last one stays longer.

    Large boards and long games get cells smaller than `cell` pixels.
    """
    level, frames = replay.opening.level, len(replay.moves) + 1
    cell = min(cell, _fitting(MAX_MOVING_SIDE, level.rows, level.cols))
    while cell > 1 and level.cells * cell**2 * frames > MAX_MOVING_PIXELS:
        cell -= 1
    if level.cells * frames > MAX_MOVING_PIXELS:
        raise ReplayError(f"{frames} frames of {level.rows}×{level.cols} cells are too many")
    sheet = _Sheet(replay, cell)
    palette = sheet.palette()

    def drawn() -> Iterator[Image.Image]:
        for move in range(frames):
            yield sheet.draw(move).quantize(palette=palette, dither=Image.Dither.NONE)

    images = drawn()
    next(images).save(
        path,
        format="GIF",
        save_all=True,
        append_images=images,
        duration=[round(1000 * seconds) for seconds in _durations(replay)],
        loop=0,
        optimize=False,
    )


def _fitting(side: int, rows: int, cols: int) -> int:
    return max(1, side // max(rows, cols))


def _durations(replay: Replay) -> list[float]:
    """Seconds of each frame; long games go faster."""
    one = max(0.05, min(0.4, 30.0 / (len(replay.moves) + 1)))
    return [one if move.odds is None else LOOKED_AT * one for move in replay.moves] + [HELD]


@dataclass(frozen=True, eq=False)
class _Sheet:
    """A replay laid out on paper: all its pictures have one size."""

    replay: Replay
    cell: int

    def draw(self, move: int) -> Image.Image:
        """The picture after so many moves."""
        image = Image.new("RGB", self._size, _PAPER)
        pen, height = ImageDraw.Draw(image), _line_height()
        for number, line in enumerate(self._titles[move]):
            ink = _INK if number else _QUIET
            pen.text((MARGIN, MARGIN + number * height), line, ink, _title_font())
        left, top = self._corner
        image.paste(Image.fromarray(self._cells(move)), (left, top))
        for row, col in self._chosen(move):
            x, y = left + col * self.cell, top + row * self.cell
            width = max(1, self.cell // 8)
            pen.rectangle((x, y, x + self.cell - 1, y + self.cell - 1), None, _CHOSEN, width)
        return image

    def palette(self) -> Image.Image:
        """The colours of all pictures, for those that have few: each tile counts once."""
        codes = sorted({int(code) for move in self._moves for code in np.unique(self._look(move))})
        strip = np.concatenate([_tile(code, self.cell) for code in codes])
        title = self.draw(0).crop((0, 0, self._size[0], self._corner[1]))
        marks = Image.new("RGB", (self._size[0], 4 * self.cell), _CHOSEN)
        sample = Image.new("RGB", (title.width, title.height + marks.height + len(strip)), _PAPER)
        sample.paste(title, (0, 0))
        sample.paste(marks, (0, title.height))
        sample.paste(Image.fromarray(strip), (0, title.height + marks.height))
        return sample.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)

    @cached_property
    def _boards(self) -> list[Board]:
        return self.replay.boards()

    @property
    def _moves(self) -> range:
        return range(len(self.replay.moves) + 1)

    @cached_property
    def _titles(self) -> list[list[str]]:
        room = self._size_of_board[0]
        return [
            [line for text in _title(self.replay, move) for line in _wrapped(text, room)]
            for move in self._moves
        ]

    @property
    def _size_of_board(self) -> tuple[int, int]:
        level = self.replay.opening.level
        width = max(level.cols * self.cell, MIN_WIDTH - 2 * MARGIN)
        return width, level.rows * self.cell

    @cached_property
    def _size(self) -> tuple[int, int]:
        width, height = self._size_of_board
        return width + 2 * MARGIN, self._corner[1] + height + MARGIN

    @cached_property
    def _corner(self) -> tuple[int, int]:
        """Left and top of the board."""
        width, level = self._size_of_board[0], self.replay.opening.level
        lines = max(len(lines) for lines in self._titles)
        return MARGIN + (width - level.cols * self.cell) // 2, 2 * MARGIN + lines * _line_height()

    def _look(self, move: int) -> Int[np.ndarray, "rows cols"]:
        """What each cell looks like, as numbers of tiles."""
        replay, board = self.replay, self._boards[move]
        over = board.status is not GameStatus.PLAYING
        look = np.where(board.opened, board.numbers.astype(np.int64), _HIDDEN)
        if move:
            new = mask_of(replay.moves[move - 1].opened, board.mines)
            look = np.where(new, look + _NEW, look)
        odds = _coming_odds(replay, move)
        if odds is not None:
            look = np.where(board.opened, look, _ODDS + _percent(odds))
        look = np.where(board.flags, np.where(over & ~board.mines, _WRONG_FLAG, _FLAG), look)
        if over:
            look = np.where(board.mines & ~board.flags, _MINE, look)
        return np.where(board.mines & board.opened, _EXPLODED, look)

    def _cells(self, move: int) -> UInt8[np.ndarray, "height width 3"]:
        codes, places = np.unique(self._look(move), return_inverse=True)
        tiles = np.stack([_tile(int(code), self.cell) for code in codes])[places]
        rows, cols, cell, _, colours = tiles.shape
        return tiles.transpose(0, 2, 1, 3, 4).reshape(rows * cell, cols * cell, colours)

    def _chosen(self, move: int) -> tuple[tuple[int, int], ...]:
        """The cells of the coming guess, where odds are shown."""
        has_odds = _coming_odds(self.replay, move) is not None
        return self.replay.moves[move].cells if has_odds else ()


def _coming_odds(replay: Replay, move: int) -> np.ndarray | None:
    return replay.moves[move].odds if move < len(replay.moves) else None


def _percent(odds: np.ndarray) -> Int[np.ndarray, "rows cols"]:
    """Whole percentages, in which 0 and 100 stand for certainty alone."""
    rounded = np.clip(np.rint(100 * odds), 1, 99)
    return np.where(np.isin(odds, (0, 1)), 100 * odds, rounded).astype(np.int64)


def _title(replay: Replay, move: int) -> list[str]:
    """What is written above the board: of the game, of the move, of the one to come."""
    level, count = replay.opening.level, len(replay.moves)
    game = f", game {replay.game}" if replay.game else ""
    name = "".join(char if _has_glyph(char) else "?" for char in replay.strategy)
    size = f"{level.rows}x{level.cols}, {words.count(level.mines, 'mine')}"
    lines = [f"{size}, {name}, seed {replay.seed}{game}"]
    if move:
        played = replay.moves[move - 1]
        over = replay.outcome is not GameStatus.PLAYING and move == count
        end = f". {replay.outcome.name.capitalize()}!" if over else ""
        why = words.reason_and_risk(played.reason.text, played.risk)
        lines.append(f"Move {move} of {count}: {why}{end}")
    else:
        lines.append(f"Before the first of {words.count(count, 'move')}")
    if _coming_odds(replay, move) is not None:
        risk = replay.moves[move].risk
        lines.append("Next: a guess" + ("" if risk is None else f" at {risk:.1%}"))
    return lines


def _has_glyph(char: str) -> bool:
    """Whether the font has it; names come from files, and may hold anything."""
    return char.isascii() and char.isprintable()


def _wrapped(text: str, room: int) -> list[str]:
    """Lines of a text that fit into so many pixels; a word longer than that is broken."""
    font, lines = _title_font(), [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if font.getlength(joined) <= room:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for char in word:
            if font.getlength(lines[-1] + char) > room:
                lines.append("")
            lines[-1] += char
    return lines


@lru_cache
def _title_font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=13)


def _line_height() -> int:
    return 18


@lru_cache(maxsize=1024)
def _tile(code: int, cell: int) -> UInt8[np.ndarray, "cell cell 3"]:
    """One cell."""
    image = Image.new("RGB", (_FINER * cell, _FINER * cell))
    pen = ImageDraw.Draw(image)
    if code >= _ODDS:
        _draw_odds(pen, code - _ODDS, cell)
    elif code % _NEW <= 8:
        _draw_number(pen, code % _NEW, code >= _NEW, cell)
    else:
        _draw_cover(pen, code % _NEW, _FINER * cell)
    return np.asarray(image.resize((cell, cell), Image.Resampling.BOX))


def _draw_number(pen: ImageDraw.ImageDraw, number: int, is_new: bool, cell: int) -> None:
    size = _FINER * cell
    _flat(pen, _OPEN_NEW if is_new else _OPEN, cell)
    if number and cell >= _READABLE:
        _write(pen, str(number), 0.7, size, _NUMBERS[number])
    elif number:
        # Too small for digits: their colours.
        pen.rectangle((size // 4, size // 4, size - size // 4, size - size // 4), _NUMBERS[number])


def _draw_odds(pen: ImageDraw.ImageDraw, percent: int, cell: int) -> None:
    _flat(pen, _shade(percent / 100) if percent else _SAFE, cell)
    if cell >= _READABLE_ODDS:
        ink = _INK if percent < 70 else _PAPER
        _write(pen, str(percent), 0.46 if percent < 100 else 0.38, _FINER * cell, ink)


def _draw_cover(pen: ImageDraw.ImageDraw, code: int, size: int) -> None:
    _raised(pen, size, _ALARM if code == _EXPLODED else _COVER)
    if code in (_FLAG, _WRONG_FLAG):
        _flag(pen, size)
    if code in (_MINE, _EXPLODED):
        _mine(pen, size)
    if code == _WRONG_FLAG:
        low, high = 0.15 * size, 0.85 * size
        pen.line((low, low, high, high), _INK, max(1, size // 10))
        pen.line((low, high, high, low), _INK, max(1, size // 10))


def _shade(chance: float) -> tuple[int, int, int]:
    red, green, blue = (
        round(float(np.interp(chance, (0.0, 0.5, 1.0), channel)))
        for channel in zip(_LOW, _MIDDLE, _HIGH, strict=True)
    )
    return red, green, blue


def _flat(pen: ImageDraw.ImageDraw, colour: str | tuple[int, int, int], cell: int) -> None:
    """An open cell, with a line between it and those to the right and below."""
    size = _FINER * cell
    pen.rectangle((0, 0, size, size), _LINE if cell >= _READABLE else colour)
    pen.rectangle((0, 0, size - _FINER - 1, size - _FINER - 1), colour)


def _write(pen: ImageDraw.ImageDraw, text: str, height: float, size: int, ink: str) -> None:
    """A number in the middle of a cell, somewhat bold."""
    font = ImageFont.load_default(size=round(height * size))
    left, top, right, bottom = font.getbbox(text)
    place = ((size - _FINER - left - right) / 2, (size - _FINER - top - bottom) / 2)
    pen.text(place, text, ink, font, stroke_width=round(0.02 * height * size), stroke_fill=ink)


def _raised(pen: ImageDraw.ImageDraw, size: int, colour: str) -> None:
    """A covered cell, lit from the top left."""
    edge = size // 12
    pen.rectangle((0, 0, size, size), _COVER_DARK)
    pen.polygon(((0, 0), (size, 0), (0, size)), _COVER_LIGHT)
    pen.rectangle((edge, edge, size - 1 - edge, size - 1 - edge), colour)


def _flag(pen: ImageDraw.ImageDraw, size: int) -> None:
    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x * size, y * size) for x, y in points]

    pen.rectangle(at((0.44, 0.2), (0.51, 0.76)), _INK)
    pen.rectangle(at((0.3, 0.72), (0.66, 0.8)), _INK)
    pen.polygon(at((0.51, 0.14), (0.51, 0.56), (0.86, 0.35)), _ALARM)


def _mine(pen: ImageDraw.ImageDraw, size: int) -> None:
    middle, reach, width = size / 2, 0.34 * size, max(1, size // 14)
    for turn in range(4):
        x, y = reach * np.cos(turn * np.pi / 4), reach * np.sin(turn * np.pi / 4)
        pen.line((middle - x, middle - y, middle + x, middle + y), _INK, width)
    radius, glint = 0.23 * size, 0.07 * size
    pen.ellipse((middle - radius, middle - radius, middle + radius, middle + radius), _INK)
    x = middle - 0.08 * size
    pen.ellipse((x - glint, x - glint, x + glint, x + glint), _PAPER)
