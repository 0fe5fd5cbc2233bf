"""Why a cell is opened: deduction rules, and the reasons of moves."""

import enum


class Rule(enum.IntEnum):
    """The rule that determined a cell, the simplest first."""

    SINGLE = 0
    """Single-cell: a number with no mines left to find, or as many as cells left."""
    PAIR = 1
    """Set-bound: the mines of one number and the safe cells of another fill what they share."""
    COUNT = 2
    """Mine count: no mines are left on the board, or only mines."""


class Rules(enum.IntEnum):
    """Which deduction rules a strategy applies before it guesses."""

    NONE = 0
    SINGLE = 1
    """The single-cell rules: one number at a time."""
    PAIR = 2
    """Also pairs of numbers that share cells, and the number of mines left."""


class Reason(enum.IntEnum):
    """Why a strategy, or a person, opens a cell."""

    PLAYER = -1
    SINGLE = Rule.SINGLE
    PAIR = Rule.PAIR
    COUNT = Rule.COUNT
    FIRST = 3
    NO_LAYOUT = 4
    IN_ORDER = 5
    AT_RANDOM = 6
    LEAST_RISK = 7
    LEAST_ESTIMATE = 8
    LEAST_SCORE = 9
    BEST_ENDING = 10
    LOOKAHEAD = 11

    @property
    def text(self) -> str:
        """The reason in words, for a person."""
        return _TEXTS[self]

    @property
    def is_guess(self) -> bool:
        """Whether the cell may be a mine for all the strategy knows."""
        return self >= Reason.IN_ORDER


_TEXTS = {
    Reason.PLAYER: "the player's choice",
    Reason.SINGLE: "certain: a number has all its mines found",
    Reason.PAIR: "certain: two numbers that share cells prove it",
    Reason.COUNT: "certain: all mines are found",
    Reason.FIRST: "first cell",
    Reason.NO_LAYOUT: "certain: a mine in none of the layouts left",
    Reason.IN_ORDER: "guess: next in order",
    Reason.AT_RANDOM: "guess: at random",
    Reason.LEAST_RISK: "guess: the least likely mine",
    Reason.LEAST_ESTIMATE: "guess: the least likely mine, by an estimate",
    Reason.LEAST_SCORE: "guess: the lowest score",
    Reason.LOOKAHEAD: "guess: the best by looking ahead",
    Reason.BEST_ENDING: "guess: the best chance to win, by search through all layouts left",
}
