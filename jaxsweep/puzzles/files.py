"""Boards in files, a line of JSON each; a stopped order goes on behind the last one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxsweep.puzzles.board import BoardError, OrderedBoard, read_board
from jaxsweep.puzzles.certificate import CertificateError
from jaxsweep.puzzles.ordering import Order


def to_line(board: OrderedBoard) -> str:
    """Returns a board as a line of JSON."""
    return json.dumps(board.to_json(), separators=(",", ":"))


class BoardFile:
    """A file of boards to which an order adds, after those that it has.

    Raises `BoardError` for a file of something else, or of another order.
    """

    def __init__(self, path: Path, order: Order):
        self.path = path
        self.count = 0
        """The boards that it has."""
        self.next_game = 0
        """The deal to go on with."""
        last, size = b"", 0
        if path.exists():
            with path.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break  # It was being written when the order was stopped.
                    last, size, self.count = line, size + len(line), self.count + 1
            if not self.count and path.stat().st_size:
                raise BoardError(f"{path} is no file of boards; choose another --out")
        if self.count:
            board = _read_line(path, self.count, last)
            self._compare(order, board)
            assert board.source is not None, "it was compared"
            self.next_game = board.source.game + 1
        with path.open("ab") as file:
            file.truncate(size)

    def _compare(self, order: Order, board: OrderedBoard) -> None:
        """Raises `BoardError` if the last board is not one of this order."""
        found, wanted = board.source, (order.seed, order.repaired, order.wishes.text)
        same = found is not None and (found.seed, found.repaired, found.wishes) == wanted
        plain = board.hardest is not None and board.steps is None
        if not same or plain != (order.plain and board.hardest is not None):
            raise BoardError(
                f"{self.path} holds boards of another order; choose another --out, or the same "
                "level, wishes and seed"
            )

    def add(self, boards: list[OrderedBoard]) -> None:
        """Adds boards at the end."""
        with self.path.open("ab") as file:
            file.write("".join(to_line(board) + "\n" for board in boards).encode())
        self.count += len(boards)


def read_lines(path: Path) -> Iterator[OrderedBoard]:
    """Yields the boards of a file of lines; raises `BoardError`, naming the line."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _read_line(path, number, line)


def _read_line(path: Path, number: int, line: bytes) -> OrderedBoard:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise BoardError(f"{path}, line {number}: this is not JSON") from None
    try:
        return read_board(found)
    except (BoardError, CertificateError) as error:
        raise BoardError(f"{path}, line {number}: {error}") from None


def is_lines(path: Path) -> bool:
    """Returns whether a file looks like boards, a line of JSON each."""
    with path.open("rb") as file:
        return b'"mine_cells"' in file.read(256)
