"""A replay as pictures: the board after one move, or the whole game as an animated GIF."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Float, UInt8
from PIL import Image, ImageDraw, ImageFont

from jaxsweep.rules.board import Cell, mask_of
from jaxsweep.rules.status import GameStatus
from jaxsweep.single import words
from jaxsweep.single.replay import tiles
from jaxsweep.single.replay.boards import Boards
from jaxsweep.single.replay.format import Replay, ReplayError

MARGIN = 12
"""Pixels around the board and the title."""

MIN_WIDTH = 300
"""The least width of a picture in pixels: the title needs some room, however small the board."""

MAX_SIDE = 4096
"""The most pixels along a side of a board; boards of more rows or columns get smaller cells."""

MAX_GIF_SIDE = 1024
MAX_GIF_PIXELS = 2**29
"""The most pixels of all frames of an animation together."""

LAST_FRAME_SECONDS = 4.0

ODDS_FRAME_FACTOR = 2.5
"""How many times longer a frame with odds stays than one without."""

LINE_HEIGHT = 18
"""Pixels from one line of the title to the next."""

_QUIET, _CHOSEN = "#5b6773", "#0b62c4"


def picture(replay: Replay, move: int, cell: int = 24) -> Image.Image:
    """Draws the board after `move` moves, with a title; before a guess, with the odds.

    Boards of many rows or columns get cells smaller than `cell` pixels.
    """
    if not 0 <= move <= len(replay.moves):
        raise ReplayError(f"there is no move {move}: the game has {len(replay.moves)}")
    level = replay.opening.level
    return _Frames(replay, min(cell, _largest_cell(MAX_SIDE, level.rows, level.cols))).draw(move)


def animation(replay: Replay, path: Path, cell: int = 24) -> None:
    """Writes an animated GIF: the board before the first move, then a frame for each move.

    Large boards and long games get cells smaller than `cell` pixels.
    """
    level, frames = replay.opening.level, len(replay.moves) + 1
    cell = min(cell, _largest_cell(MAX_GIF_SIDE, level.rows, level.cols))
    while cell > 1 and level.cells * cell**2 * frames > MAX_GIF_PIXELS:
        cell -= 1
    if level.cells * frames > MAX_GIF_PIXELS:
        raise ReplayError(f"{frames} frames of {level.rows}×{level.cols} cells are too many")
    drawing = _Frames(replay, cell)
    palette = drawing.palette()

    def draw_all() -> Iterator[Image.Image]:
        for move in range(frames):
            yield drawing.draw(move).quantize(palette=palette, dither=Image.Dither.NONE)

    images = draw_all()
    next(images).save(
        path,
        format="GIF",
        save_all=True,
        append_images=images,
        duration=[round(1000 * seconds) for seconds in _durations(replay)],
        loop=0,
        optimize=False,
    )


def _largest_cell(side: int, rows: int, cols: int) -> int:
    """Returns the pixels of a cell with which the longer side of a board has `side` pixels."""
    return max(1, side // max(rows, cols))


def _durations(replay: Replay) -> list[float]:
    """Returns the seconds that each frame stays; those of long games are shorter."""
    one = max(0.05, min(0.4, 30.0 / (len(replay.moves) + 1)))
    return [one if move.odds is None else ODDS_FRAME_FACTOR * one for move in replay.moves] + [
        LAST_FRAME_SECONDS
    ]


@dataclass(frozen=True, eq=False)
class _Frames:
    """The pictures of a replay, all of one size: a title above the board."""

    replay: Replay
    cell: int

    def draw(self, move: int) -> Image.Image:
        """Draws the board after `move` moves."""
        image = Image.new("RGB", self._size, tiles.BACKGROUND)
        pen = ImageDraw.Draw(image)
        for number, line in enumerate(self._titles[move]):
            ink = tiles.INK if number else _QUIET
            pen.text((MARGIN, MARGIN + number * LINE_HEIGHT), line, ink, _title_font())
        left, top = self._corner
        image.paste(Image.fromarray(self._cells(move)), (left, top))
        for row, col in self._chosen(move):
            x, y = left + col * self.cell, top + row * self.cell
            width = max(1, self.cell // 8)
            pen.rectangle((x, y, x + self.cell - 1, y + self.cell - 1), None, _CHOSEN, width)
        return image

    def palette(self) -> Image.Image:
        """Returns the 256 colours that all frames of a GIF share; each tile counts once."""
        codes = sorted({int(code) for move in self._moves for code in np.unique(self._codes(move))})
        strip = np.concatenate([tiles.tile(code, self.cell) for code in codes])
        title = self.draw(0).crop((0, 0, self._size[0], self._corner[1]))
        marks = Image.new("RGB", (self._size[0], 4 * self.cell), _CHOSEN)
        sample = Image.new(
            "RGB", (title.width, title.height + marks.height + len(strip)), tiles.BACKGROUND
        )
        sample.paste(title, (0, 0))
        sample.paste(marks, (0, title.height))
        sample.paste(Image.fromarray(strip), (0, title.height + marks.height))
        return sample.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)

    @cached_property
    def _boards(self) -> Boards:
        return self.replay.boards()

    @property
    def _moves(self) -> range:
        return range(len(self.replay.moves) + 1)

    @cached_property
    def _titles(self) -> list[list[str]]:
        width, _ = self._board_size
        return [
            [line for text in _title(self.replay, move) for line in _wrap(text, width)]
            for move in self._moves
        ]

    @property
    def _board_size(self) -> tuple[int, int]:
        level = self.replay.opening.level
        width = max(level.cols * self.cell, MIN_WIDTH - 2 * MARGIN)
        return width, level.rows * self.cell

    @cached_property
    def _size(self) -> tuple[int, int]:
        width, height = self._board_size
        return width + 2 * MARGIN, self._corner[1] + height + MARGIN

    @cached_property
    def _corner(self) -> tuple[int, int]:
        """The left and the upper end of the board."""
        width, level = self._board_size[0], self.replay.opening.level
        lines = max(len(lines) for lines in self._titles)
        return MARGIN + (width - level.cols * self.cell) // 2, 2 * MARGIN + lines * LINE_HEIGHT

    def _codes(self, move: int) -> tiles.Codes:
        """Returns the codes of the tiles that show the board after `move` moves."""
        new = mask_of(self.replay.moves[move - 1].opened, self.replay.mines) if move else None
        return tiles.codes_of(self._boards[move], new, _next_odds(self.replay, move))

    def _cells(self, move: int) -> UInt8[np.ndarray, "height width 3"]:
        return tiles.mosaic(self._codes(move), self.cell)

    def _chosen(self, move: int) -> tuple[Cell, ...]:
        """Returns the cells of the next guess, where odds are shown."""
        has_odds = _next_odds(self.replay, move) is not None
        return self.replay.moves[move].cells if has_odds else ()


def _next_odds(replay: Replay, move: int) -> Float[np.ndarray, "rows cols"] | None:
    """Returns the odds before the move that follows `move` moves, if they are recorded."""
    return replay.moves[move].odds if move < len(replay.moves) else None


def _title(replay: Replay, move: int) -> list[str]:
    """Returns the lines above the board: the game, the last move, and a guess that follows."""
    level, count = replay.opening.level, len(replay.moves)
    name = "".join(char if _has_glyph(char) else "?" for char in replay.strategy)
    size = f"{level.rows}x{level.cols}, {words.count(level.mines, 'mine')}"
    lines = [f"{size}, {name}{words.seed_in_words(replay.seed, replay.game)}"]
    if move:
        last = replay.moves[move - 1]
        over = replay.outcome is not GameStatus.PLAYING and move == count
        end = f". {replay.outcome.name.capitalize()}!" if over else ""
        why = words.reason_and_risk(last.reason.text, last.risk)
        lines.append(f"Move {move} of {count}: {why}{end}")
    else:
        lines.append(f"Before the first of {words.count(count, 'move')}")
    if _next_odds(replay, move) is not None:
        risk = replay.moves[move].risk
        lines.append("Next: a guess" + ("" if risk is None else f" at {risk:.1%}"))
    return lines


def _has_glyph(char: str) -> bool:
    """Whether the font has the character; names come from files, and may contain any."""
    return char.isascii() and char.isprintable()


def _wrap(text: str, width: int) -> list[str]:
    """Breaks a text into lines of at most `width` pixels; longer words are broken, too."""
    font, lines = _title_font(), [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if font.getlength(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for char in word:
            if font.getlength(lines[-1] + char) > width:
                lines.append("")
            lines[-1] += char
    return lines


@lru_cache
def _title_font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=13)
