"""Checks what a board in a file says of itself: certificate, 3BV, hardest rule and deal."""

import numpy as np

from jaxsweep.metrics.board import BoardValue
from jaxsweep.puzzles.board import OrderedBoard, Source
from jaxsweep.puzzles.certificate import CertificateError, Tier
from jaxsweep.puzzles.checker import check
from jaxsweep.puzzles.rules_in_sets import solves
from jaxsweep.rules.board import Mask, cells_of
from jaxsweep.rules.level import Opening
from jaxsweep.rules.threefry import WORD
from jaxsweep.scalar.deal import deal


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
    source = board.source
    if source is not None and not (source.repaired or _is_deal(source, opening, mines)):
        raise CertificateError(f"it is not game {source.game} of seed {source.seed}")
    level = opening.level
    counts = check(level.rows, level.cols, cells_of(mines), opening.first, board.steps)
    hardest = max((tier for tier, steps in counts.items() if steps), default=Tier.SINGLE)
    if hardest is not board.hardest:
        said = "none" if board.hardest is None else board.hardest.word
        raise CertificateError(f"its hardest rule is {hardest.word}, not {said}")
    if hardest > Tier.SINGLE:
        below = Tier(hardest - 1)
        if solves(level.rows, level.cols, cells_of(mines), opening.first, below):
            raise CertificateError(
                f"it does not need {hardest.word}: rules up to {below.word} solve it"
            )
    return counts


def _is_deal(source: Source, opening: Opening, mines: Mask) -> bool:
    """Returns whether a board is the deal that it says it is."""
    if not (0 <= source.seed <= WORD and 0 <= source.game <= WORD):
        return False
    return np.array_equal(deal(opening, source.seed, source.game), mines)
