"""Moves, counts and probabilities in words, the same in every place that shows them."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from jaxsweep.metrics.game import GameMetrics
from jaxsweep.rules.board import Cell


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Returns a number with its noun: "1 cell", "5 cells", "1,200 layouts"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def whole_percent(odds: Float[np.ndarray, "rows cols"]) -> Int[np.ndarray, "rows cols"]:
    """Rounds probabilities to 1 to 99 percent: 0 and 100 are for cells that are certain."""
    return np.clip(np.rint(100 * odds.astype(np.float64)), 1, 99).astype(np.int64)


def seed_in_words(seed: int | None, game: int | None = 0) -> str:
    """Says what a game was dealt from, to follow its level: ", seed 5, game 3"; "" if unknown."""
    return ("" if seed is None else f", seed {seed}") + (f", game {game}" if game else "")


def metrics_in_words(metrics: GameMetrics) -> str:
    """Sums up a game's clicks: "3BV 127 of 132 in 151 clicks (126 left, 11 right, 14 chords)…"."""
    solved = f"{metrics.solved} of {metrics.bbbv}"
    text = f"3BV {metrics.bbbv if metrics.solved == metrics.bbbv else solved}"
    kinds = {"left": metrics.left, "right": metrics.right}
    named = [f"{number} {kind}" for kind, number in kinds.items()]
    if metrics.right or metrics.chords:
        named.append(count(metrics.chords, "chord"))
        text += f" in {count(metrics.clicks, 'click')} ({', '.join(named)})"
    if metrics.efficiency is not None:
        text += f", efficiency {metrics.efficiency:.2f}"
    if metrics.bbbv_per_second is not None:
        text += f", {metrics.bbbv_per_second:.2f} 3BV/s"
    return text + f", ZiNi {metrics.zini}"


def details_in_words(metrics: GameMetrics, luck: float | None) -> str:
    """Lists what `metrics_in_words` leaves out: "9 openings, 14 islands, HZiNi 104, …, luck 0.57".

    Ratios that would divide by nothing are left out, and luck where it is not known.
    """
    named = [count(metrics.openings, "opening"), count(metrics.islands, "island")]
    named.append(f"HZiNi {metrics.hzini}")
    ratios = {"correctness": metrics.correctness, "throughput": metrics.throughput}
    ratios |= {"RQP": metrics.rqp, "STNB": metrics.stnb, "luck": luck}
    named += [f"{name} {value:.2f}" for name, value in ratios.items() if value is not None]
    return ", ".join(named)


NAMED_BELOW = 10**15
"""Larger numbers of layouts are named by their power of ten."""


def layouts_in_words(layouts: int | None, log10_layouts: float) -> str:
    """Returns "5 layouts", or "about 10^20.15 layouts" for large numbers and uncounted ones."""
    if layouts is None or layouts >= NAMED_BELOW:
        return f"about 10^{log10_layouts:.2f} layouts"
    return count(layouts, "layout")


def of_them_guesses(guesses: int) -> str:
    """Says how many of the moves or clicks named before were guesses."""
    return f"{guesses} of them {'a guess' if guesses == 1 else 'guesses'}"


def reason_and_risk(reason: str, risk: float | None) -> str:
    """Says why a move was made: "guess: at random, risk 5.0%"; no risk where it is 0 or unknown."""
    return reason + (f", risk {risk:.1%}" if risk else "")


def cells_in_words(cells: Sequence[Cell], room: int | None = None) -> str:
    """Names cells: "(1,2) (3,4) and 2 more".

    Only as many are named as fit into `room` characters, but always the first one.
    """
    for shown in range(len(cells), 0, -1):
        rest = len(cells) - shown
        text = " ".join(f"({row},{col})" for row, col in cells[:shown])
        text += f" and {rest} more" if rest else ""
        if room is None or len(text) <= room or shown == 1:
            return text
    return ""


def move_in_words(
    cells: Sequence[Cell],
    reason: str,
    risk: float | None,
    is_mine: bool,
    room: int | None = None,
) -> str:
    """Says which cells a move opened, why, at what risk, and whether one of them was a mine.

    The cells are shortened so that the sentence fits into `room` characters, if it can.
    """
    tail = f": {reason_and_risk(reason, risk)}" + (". A mine!" if is_mine else "")
    return cells_in_words(cells, None if room is None else room - len(tail)) + tail
