"""What the timeline under a game shows, as plain data: a curve, risks, and marks on moves."""

from dataclasses import dataclass

from jaxsweep.rules.status import GameStatus
from jaxsweep.single.grading.report import MISTAKE, sentence
from jaxsweep.single.replay import survival
from viewer.playback import SPEEDS, Playback


@dataclass(frozen=True)
class Mark:
    """A move that stands out, with a sentence about it."""

    move: int
    """The number of moves before it."""
    text: str
    is_bad: bool = True
    """Whether it is a mistake; otherwise it is only worth a look."""


@dataclass(frozen=True)
class Timeline:
    """A game from its first move to its last, and where in it one is."""

    title: str
    """What the curve is."""
    moves: int
    at: int
    """The number of moves before the board that is shown."""
    curve: tuple[tuple[int, float], ...]
    """A probability after so many moves, in order; between them it is not known."""
    risks: tuple[float | None, ...] = ()
    """Of each move, the risk of a guess; None where nothing was guessed."""
    marks: tuple[Mark, ...] = ()
    note: str = ""
    """What is written on the right."""


def timeline_of(playback: Playback) -> Timeline:
    """Returns the timeline of a game: its chance to win as graded, or as its player saw it.

    Where neither is known, the curve is the probability of having survived so far.
    """
    title, curve = _curve(playback)
    speed = SPEEDS[playback.speed]
    return Timeline(
        title=title,
        moves=len(playback.moves),
        at=playback.at,
        curve=tuple(curve),
        risks=tuple(
            playback.risk(i) if playback.is_guess(i) else None for i in range(len(playback.moves))
        ),
        marks=tuple(
            Mark(move.index - 1, sentence(move))
            for move in playback.graded.values()
            if move.loss >= MISTAKE
        ),
        note=f"{speed:g} move{'' if speed == 1 else 's'} a second",
    )


def _curve(playback: Playback) -> tuple[str, list[tuple[int, float]]]:
    """Returns what the curve is, and its points."""
    if playback.chances:
        return "Chance to win under best play", list(enumerate(playback.chances))
    wins = [(i, win) for i, win in enumerate(playback.wins) if win is not None]
    status = playback.boards[-1].status
    if wins and playback.complete and status is not GameStatus.PLAYING:
        wins.append((len(playback.moves), float(status is GameStatus.WON)))
    if wins:
        return f"Chance to win, as {playback.strategy} sees it", wins
    survived = enumerate(survival(playback.moves))
    return "Chance to have come so far", [(i, share) for i, share in survived if share is not None]


def describe(timeline: Timeline, at: int) -> str:
    """Returns what the timeline knows about the place after `at` moves, in a sentence."""
    parts = [f"after {at} of {timeline.moves} moves"]
    known = [share for place, share in timeline.curve if place == at]
    parts += [f"{known[0]:.1%}"] if known else []
    if at < len(timeline.risks) and timeline.risks[at] is not None:
        parts.append(f"then a guess, risk {timeline.risks[at]:.1%}")
    parts += [mark.text for mark in timeline.marks if mark.move == at]
    return ", ".join(parts)
