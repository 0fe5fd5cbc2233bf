"""Checks what a board in a file says of itself: its certificate, 3BV and hardest rule."""

from jaxsweep.metrics.board import BoardValue
from jaxsweep.puzzles.board import OrderedBoard
from jaxsweep.puzzles.certificate import CertificateError, Tier
from jaxsweep.puzzles.checker import check
from jaxsweep.rules.board import cells_of


def check_board(board: OrderedBoard) -> dict[Tier, int]:
    """Checks a board that has a certificate; raises `CertificateError`.

    Returns how many steps there are by rule.
    """
    if board.steps is None:
        raise CertificateError("there is no certificate")
    opening, mines = board.opening, board.mines
    if (mines & ~opening.allowed_mines()).any():
        raise CertificateError("a mine is where the start rule allows none")
    if board.bbbv != (bbbv := BoardValue.of(mines).bbbv):
        raise CertificateError(f"its 3BV is {bbbv}, not {board.bbbv}")
    level = opening.level
    counts = check(level.rows, level.cols, cells_of(mines), opening.first, board.steps)
    hardest = max((tier for tier, steps in counts.items() if steps), default=Tier.SINGLE)
    if hardest is not board.hardest:
        said = "none" if board.hardest is None else board.hardest.word
        raise CertificateError(f"its hardest rule is {hardest.word}, not {said}")
    return counts
