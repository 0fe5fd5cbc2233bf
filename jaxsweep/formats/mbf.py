"""Boards as lists of their mines (.mbf of Minesweeper Clone, .abf of Arbiter): read and written.

Columns, rows, the number of mines in two bytes, and column and row of each.
"""

from jaxsweep.formats.base import AbstractWritableFormat, Content, check_sides
from jaxsweep.formats.byte_reader import ByteReader, check_size, mask_of_mines, read_mine_pairs
from jaxsweep.formats.conversion import as_game
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.clicks import ClickedGame

HEADER = 4


class Mbf(AbstractWritableFormat):
    """Boards of Clone and Arbiter."""

    title = "board of Minesweeper Clone or Arbiter"
    suffixes = (".mbf", ".abf")
    is_text = False

    def recognises(self, data: bytes) -> bool:
        """Looks whether the length is that of the mines, and where the first of them are."""
        if len(data) < HEADER or not data[0] * data[1]:
            return False
        count = int.from_bytes(data[2:HEADER], "big")
        first = list(zip(data[4:20:2], data[5:20:2], strict=False))
        is_on_board = all(col < data[0] and row < data[1] for col, row in first)
        return len(data) == HEADER + 2 * count and count <= data[0] * data[1] and is_on_board

    def read(self, data: bytes) -> list[Content]:
        """Reads one board."""
        reader = ByteReader(data)
        cols, rows = (reader.unsigned(1, "the size of the board") for _ in range(2))
        count = reader.unsigned(2, "the number of mines")
        check_size(rows, cols, count, "byte 0")
        mines = read_mine_pairs(reader, count)
        return [ClickedGame(mask_of_mines(mines, rows, cols, f"byte {HEADER}"))]

    def write(self, content: Content) -> bytes:
        """Writes the mines of a game."""
        game = as_game(content)
        check_sides(game.mines, ".mbf")
        rows, cols = game.mines.shape
        mines = cells_of(game.mines)
        data = bytes([cols, rows]) + len(mines).to_bytes(2, "big")
        return data + b"".join(bytes([col, row]) for row, col in mines)
