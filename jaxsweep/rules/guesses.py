"""What becomes of a guess: the modes in which a person plays."""

import enum


class Guesses(enum.Enum):
    """What a guess leads to. In most modes the mines move, as far as nothing that is shown tells.

    A guess is *forced* where no cell is certainly safe, and *needless* while one is.
    """

    AS_DEALT = "as-dealt"
    """A guess is safe or a mine as the board was dealt."""
    NOT_NEEDED = "not-needed"
    """The board can be solved without a guess; one that is made falls as dealt."""
    FORBIDDEN = "forbidden"
    """The board can be solved without a guess, and every guess opens a mine."""
    SAFE_IF_FORCED = "safe-if-forced"
    """A forced guess is safe; a needless one falls as dealt."""
    ONLY_IF_FORCED = "only-if-forced"
    """A forced guess is safe, and a needless one opens a mine."""

    @property
    def are_needed(self) -> bool:
        """Whether boards are dealt that may need a guess."""
        return self not in (Guesses.NOT_NEEDED, Guesses.FORBIDDEN)

    @property
    def are_spared(self) -> bool:
        """Whether mines move away from a forced guess."""
        return self in (Guesses.SAFE_IF_FORCED, Guesses.ONLY_IF_FORCED)

    @property
    def are_punished(self) -> bool:
        """Whether a mine moves under a needless guess."""
        return self in (Guesses.FORBIDDEN, Guesses.ONLY_IF_FORCED)

    @property
    def move_mines(self) -> bool:
        """Whether mines may move at all."""
        return self.are_spared or self.are_punished

    @property
    def text(self) -> str:
        """The mode in a few words, for a title."""
        return f"guesses {self.value.replace('-', ' ')}"
