"""What a request may ask for, so that no client can keep the others from being answered."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds on requests; what exceeds them is refused by name."""

    body: int = 2**20
    """Bytes of a body."""
    cells: int = 2**14
    """Cells of a board."""
    positions: int = 1024
    """Positions of a request."""
    answer: int = 2**25
    """Bytes of an answer about several positions."""
    seconds: float = 30.0
    """The time that an answer may take, waiting for a free process included."""
    game_seconds: float = 120.0
    """The time that a watched game may take."""
    board_seconds: float = 10.0
    """The time in which a board to order is looked for."""
    head_seconds: float = 10.0
    """The time that the head of a request may take to arrive, on a new connection and later."""
    upload_seconds: float = 10.0
    """The time that a body may take to arrive."""
    reading_seconds: float = 30.0
    """The time after which a client is given up that takes nothing of what is sent to it."""
    waiting: int = 128
    """Requests that are worked on or wait for it at once."""
    connections: int = 512
    """Connections that are open at once."""
    client_connections: int = 128
    """Connections of one client: no fewer than `waiting`, for a proxy is one client."""


class RefusedError(Exception):
    """A request that is not answered; says why, with the status to say it with."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status = status


def check_size(rows: int, cols: int, limits: Limits) -> None:
    """Refuses boards with too many cells."""
    if rows * cols > limits.cells:
        raise RefusedError(413, f"a board of {rows}×{cols}: {limits.cells:,} cells at most")
